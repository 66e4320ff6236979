"""Above the notes on the wall: which tournaments are open or running, and who has won those of the last day."""

from collections.abc import Iterator
from typing import Final

from yawc_poker.extras.tournaments import rows
from yawc_poker.extras.tournaments.letters import title_of
from yawc_poker.extras.tournaments.menu_lines import state_of
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.wall import AboveWall

DAY: Final = 86400.0
MOST: Final = 3
"""Lines of each sort."""


def told(caller: Caller) -> Iterator[str]:
    """Yield a line for each. Raise `StoreError`."""
    words, store = caller.words, caller.instance.bank.store
    with store.reading() as books:
        live = rows.live(books)[:MOST]
        past = [one for one in rows.past(books, MOST, store.clock() - DAY) if one.state == "over"]
        winners = {one.id: [each.user for each in rows.table_of(books, one.id) if each.rank == 1] for one in past}
    names = caller.instance.accounts.names([user for users in winners.values() for user in users])
    heading = words("Tournaments")
    for one in live:
        yield f"{heading}: {title_of(words, one)}, {state_of(caller, one)}"
    for one in past:
        best = ", ".join(names.get(user, f"#{user}") for user in winners[one.id])
        yield f"{heading}: {title_of(words, one)}, " + words("won by {names}", names=best)


ANNOUNCED = (AboveWall(told),)
