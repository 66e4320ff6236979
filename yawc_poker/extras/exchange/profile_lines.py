"""A user's shares, as their profile has them."""

from yawc_poker.extras.exchange.exchange import exchange_of
from yawc_poker.extras.exchange.market import COMPANIES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.profile import ProfileLines


def portfolio(caller: Caller, user: int) -> list[str]:
    """Return the lines of a profile that tell of a user's shares; none if they have none. Raise `StoreError`."""
    found = exchange_of(caller.instance).portfolio(user)
    if not found:
        return []
    shares = ", ".join([f"{one.shares} {COMPANIES[one.company].name}" for one in found])
    cubes = sum(one.worth for one in found)
    return [caller.words("Shares worth {cubes} CUBES: {shares}", cubes=cubes, shares=shares)]


ANNOUNCED = (ProfileLines(portfolio),)
