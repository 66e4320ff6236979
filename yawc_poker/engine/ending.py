"""The end of a game at a table, decided or called off: the override ID, the payout, a new master. Pure.

Owns these steps only; `engine.table` has all other operations, and exports these with them.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from yawc_poker.engine.effects import cashed, log, pass_on
from yawc_poker.engine.game import EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.values import Clocks, Paid, Table, Voided, seated


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
    bank; if that differs from the amount that the game announced, it is logged.
    """
    if table.game is None:
        raise IllegalMove("no_game")
    if not game.is_over(table.game):
        raise IllegalMove("game_running")
    over = table.game
    if paid is not None and paid != table.pot:
        winners = {due.user for due in table.due}
        winner = next((seat for seat, who in enumerate(table.seats) if who is not None and winners == {who.user}), None)
        table = log(table, Paid(winner, paid), winner)
    table = replace(table, game=None, last=over, pot=0, override=0, due=(), debts=(), points=(), players=())
    table = replace(table, transcript=None, pause_until=now + clocks.pause)
    if not seated(table):
        table = replace(table, last=None)
    table = cashed(table, cash) if cash is not None else table
    return pass_on(table, now, clocks, after=game.master(over))


def void(table: Table[StateT, EventT], reason: str, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Drop the game without a winner, after the bank has refunded the stakes; the master's clock starts."""
    table = replace(table, game=None, last=None, pot=0, override=0, due=(), debts=(), points=(), players=())
    table = replace(table, deadline=None, transcript=None)
    table = log(table, Voided(reason), None)
    if table.master is None or table.seats[table.master] is None:
        return pass_on(table, now, clocks)
    return replace(table, deadline=now + clocks.master)
