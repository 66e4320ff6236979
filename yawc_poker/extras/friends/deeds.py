"""What `/private` does: whoever sits at a table lets only invited people sit down there, or everybody again."""

from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.extras.friends.rows import private_to, set_private
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.table_session import Deed


def private(caller: Caller, table: GameTable | None, text: str) -> str:
    """Make a table private, or open it again; return what holds now. Raise `StoreError`."""
    words, user = caller.words, caller.user.id
    seats = set() if table is None else {seat.user for seat in table.sitting() if seat is not None}
    if table is None or user not in seats:
        return words("That is for those who sit at a table.")
    place, store = caller.tables.word(table.number), caller.instance.accounts.store
    host = private_to(store, place)
    if host is not None and host != user and host in seats:
        return words("Somebody else here has made the table private.")
    is_on = text == "on" if text in {"on", "off"} else host != user
    set_private(store, place, user if is_on else None)
    if is_on:
        return words("As long as you sit here, only those sit down who are invited: /invite, /link")
    return words("Everybody may sit down here.")


ANNOUNCED = (Deed("private", private),)
