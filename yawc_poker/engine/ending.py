"""The end of a game at a table, decided or called off: the override ID, the payout, a new master. Pure.

Owns these steps, and how a pot is divided by shares; `engine.table` has all other operations, and exports these with
them.
"""

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from yawc_poker.engine.changes.attendance import leader_from
from yawc_poker.engine.changes.effects import cashed, led_by, log, pass_on
from yawc_poker.engine.changes.events import Paid, Voided
from yawc_poker.engine.changes.kept import freed
from yawc_poker.engine.game import EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.values import Clocks, Table, seated

KeyT = TypeVar("KeyT")


def claim(table: Table[StateT, EventT], session: int) -> Table[StateT, EventT]:
    """Record the session that closes the game (the override ID), perhaps in place of one that has died."""
    return replace(table, override=session)


def finish(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    now: float,
    clocks: Clocks,
    cash: Mapping[int, int] | None = None,
    paid: int | None = None,
) -> Table[StateT, EventT]:
    """End a game that was paid out: new master, pause, master's clock (3.5, 8.7); raise "no_game", "game_running".

    The next master is the next seated person after the last one (A39). `paid` is what the pot held according to the
    bank; if that differs from the amount that the game announced, or more was paid than the rules know, it is logged.
    """
    if table.game is None:
        raise IllegalMove("no_game")
    if not game.is_over(table.game):
        raise IllegalMove("game_running")
    over = table.game
    forfeit = 0 if table.transcript is None else table.transcript.forfeit
    if paid is not None and (paid != table.pot or forfeit):
        winners = {due.user for due in table.due}
        winner = next((seat for seat, who in enumerate(table.seats) if who is not None and winners == {who.user}), None)
        table = log(table, Paid(winner, paid), winner)
    table = replace(table, game=None, last=over, pot=0, override=0, due=(), debts=(), points=(), players=())
    table = replace(table, transcript=None, pause_until=now + clocks.pause)
    if not seated(table):
        table = replace(table, last=None)
    table = cashed(freed(table, game), cash) if cash is not None else freed(table, game)
    return pass_on(table, now, clocks, after=game.master(over))


def void(table: Table[StateT, EventT], reason: str, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Drop the game without a winner, after the bank has refunded the stakes; the master's clock starts."""
    table = replace(table, game=None, last=None, pot=0, override=0, due=(), debts=(), points=(), players=())
    kept = {one.seat for one in table.kept}
    seats = tuple(None if seat in kept else who for seat, who in enumerate(table.seats))
    table = replace(table, deadline=None, transcript=None, seats=seats, kept=())
    table = log(table, Voided(reason), None)
    if table.master is None or table.seats[table.master] is None:
        return pass_on(table, now, clocks)
    return led_by(replace(table, deadline=now + clocks.master), leader_from(table, table.master))


def split(pot: int, shares: Mapping[KeyT, int]) -> dict[KeyT, int]:
    """Return each part of the pot, in the order of the shares (`Game.payouts`). Raise `ValueError` for one below zero.

    The parts are the whole pot, or nothing if nobody has a share. Fractions are cut off. The CUBES that
    are left over, fewer than there are shares, go one each to the first of those who have a share.
    """
    whole = sum(shares.values())
    if pot < 0 or any(share < 0 for share in shares.values()):
        raise ValueError(f"a pot of {pot} in shares of {dict(shares)}")
    if not whole:
        return dict.fromkeys(shares, 0)
    parts = {who: pot * share // whole for who, share in shares.items()}
    left = pot - sum(parts.values())
    for who in [who for who, share in shares.items() if share][:left]:
        parts[who] += 1
    return parts
