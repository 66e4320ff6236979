"""A table that is reserved: some users play so many games there, by fixed options, and nobody else sits down. Pure.

Owns what that forbids, and when a game begins by itself. For whom a table is reserved, and what for, is decided by
those who do so, and known to them by the `mark`. A reservation stays until it is released: also while nobody sits
there. Invariant: `left` falls by one with each game that comes to its end, and at 0 none begins.

A table where a game runs may be claimed: once that is over no other one begins, and the table can be reserved.
"""

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.house import Level
from yawc_poker.engine.values import AWAY, Reserved, Seat, Table, here, is_here, is_person, persons

CLAIM: Final = "next"
"""The mark of a table that is claimed."""


def claim(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Claim a table, unless it is reserved: who sits there plays the running game to its end, and no other one."""
    return table if table.reserved is not None else replace(table, reserved=Reserved(CLAIM, (), 0, 0))


def is_free(table: Table[StateT, EventT]) -> bool:
    """Return whether a table is reserved for nobody, or for games that all were played; it may be claimed."""
    return table.reserved is None or not table.reserved.left


def reserve(table: Table[StateT, EventT], reserved: Reserved, options: str) -> Table[StateT, EventT]:
    """Reserve a table where no game runs, and nobody else sits; by the same mark again nothing changes.

    Raise "occupied".
    """
    if table.reserved is not None and table.reserved.mark == reserved.mark:
        return table
    others = [who for who in table.seats if who is not None and (who.program or who.user not in reserved.users)]
    if not is_free(table) or others or not is_idle(table):
        raise IllegalMove("occupied")
    return replace(table, reserved=reserved, options=options)


def is_idle(table: Table[StateT, EventT]) -> bool:
    """Return whether no game runs at a table, nor begins."""
    return table.game is None and table.opening is None


def shown_out(table: Table[StateT, EventT], users: Collection[int], reserved: Reserved) -> tuple[int, ...]:
    """Return the sessions that make room before a table is reserved: of these `users`, and of house players."""
    if not is_free(table) or not is_idle(table):
        return ()
    going = [who for who in table.seats if who is not None and who.session != AWAY]
    return tuple(
        [who.session for who in going if who.program or (who.user in users and who.user not in reserved.users)]
    )


def release(table: Table[StateT, EventT], mark: str) -> Table[StateT, EventT]:
    """Take a reservation back, and its options with it; the same table if it is reserved by another mark, or none."""
    if table.reserved is None or table.reserved.mark != mark:
        return table
    return replace(table, reserved=None, options="", invited=())


def admit(table: Table[StateT, EventT], who: Seat) -> None:
    """Raise "reserved" if a table is reserved for others; house players are asked to come there."""
    if table.reserved is not None and not who.program and who.user not in table.reserved.users:
        raise IllegalMove("reserved")


def need_free(table: Table[StateT, EventT]) -> None:
    """Raise "reserved_fixed" where somebody who sits there may not decide who plays, or by which options."""
    if table.reserved is not None:
        raise IllegalMove("reserved_fixed")


def need_all(table: Table[StateT, EventT]) -> None:
    """Raise "reserved_over" if no more games are played, "reserved_waits" if not all are here who play the next one.

    At a table that is claimed it is "reserved_next".
    """
    if table.reserved is None:
        return
    if table.reserved.mark == CLAIM:
        raise IllegalMove("reserved_next")
    if not table.reserved.left:
        raise IllegalMove("reserved_over")
    if len(here(table)) < table.reserved.needed:
        raise IllegalMove("reserved_waits", here=len(here(table)), needed=table.reserved.needed)


def is_quiet(table: Table[StateT, EventT]) -> bool:
    """Return whether no game runs at a reserved table, nor begins, nor is over before the next one."""
    return table.reserved is not None and table.reserved.left > 0 and is_idle(table)


def begins(table: Table[StateT, EventT], seat: int | None, now: float) -> bool:
    """Return whether the next game begins by itself, started by the session in this seat."""
    reserved = table.reserved
    if reserved is None or not is_quiet(table) or table.master != seat or now < table.pause_until:
        return False
    return len(here(table)) >= reserved.needed


def one_game_less(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Count a game that came to its end."""
    if table.reserved is None:
        return table
    return replace(table, reserved=replace(table.reserved, left=max(table.reserved.left - 1, 0)))


def absent(table: Table[StateT, EventT]) -> tuple[int, ...]:
    """Return the sessions of people who have seats at a reserved table and are not here, while no game needs them."""
    if not is_quiet(table):
        return ()
    return tuple([who.session for who in table.seats if who is not None and is_person(who) and not is_here(who)])


def filled(table: Table[StateT, EventT], level: Level | None, fewest: int) -> Table[StateT, EventT]:
    """Invite house players for those who are not here, or with `level` None do without them; between games.

    Nobody is waited for where no person is here, as house players do not play among themselves.
    """
    reserved = table.reserved
    if reserved is None or not is_quiet(table) or not persons(table):
        return table
    if level is None:
        needed = min(reserved.needed, max(len(here(table)), fewest))
        return table if needed == reserved.needed else replace(table, reserved=replace(reserved, needed=needed))
    missing = min(reserved.needed - len(here(table)), table.seats.count(None)) - len(table.invited)
    return replace(table, invited=(*table.invited, *[level] * missing)) if missing > 0 else table
