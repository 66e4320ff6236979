"""A private table: only those sit down who are asked there, by a summons or a link, as long as its host sits there."""

from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.extras.friends.rows import private_to
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.sitting import SeatRule


def refusal(caller: Caller, table: GameTable) -> str:
    """Return that only invited people sit down at a table, if that is so and the caller is none. Raise `StoreError`."""
    place, invitation = caller.tables.word(table.number), caller.login.invitation
    is_invited = caller.others.came_to == table.number or (invitation is not None and invitation.place == place)
    seats = {seat.user: seat.name for seat in table.sitting() if seat is not None}
    if is_invited or not seats:
        return ""
    host = private_to(caller.instance.accounts.store, place)
    if host is None or host not in seats or host == caller.user.id:
        return ""
    return caller.words("Here only those sit down whom somebody invites; {name} wants it so.", name=seats[host])


ANNOUNCED = (SeatRule(refusal),)
