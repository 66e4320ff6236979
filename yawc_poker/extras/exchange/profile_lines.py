"""A user's shares, as their profile has them."""

from yawc_poker.extras.exchange import rows
from yawc_poker.extras.exchange.market import COMPANIES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.profile import ProfileLines


def portfolio(caller: Caller, user: int) -> list[str]:
    """Return the lines of a profile that tell of a user's shares; none if they have none. Raise `StoreError`."""
    with caller.instance.bank.store.reading() as books:
        held, cubes = rows.held(books, user), rows.worth(books, user)
    if not held:
        return []
    shares = ", ".join([f"{number} {COMPANIES[company].name}" for company, number in sorted(held.items())])
    return [caller.words("Shares worth {cubes} CUBES: {shares}", cubes=cubes, shares=shares)]


ANNOUNCED = (ProfileLines(portfolio),)
