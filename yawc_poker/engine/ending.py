"""How a game at a table ends, decided or called off: the override ID, what was paid, a new master. Pure.

Owns these steps alone; what else may happen to a table is `engine.table`'s, which names them as its own.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from yawc_poker.engine.effects import cashed, log, pass_on
from yawc_poker.engine.game import EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.values import Clocks, Paid, Table, Voided, seated


def claim(table: Table[StateT, EventT], session: int) -> Table[StateT, EventT]:
    """Mark the session that closes the game (the override ID); taking it over from a dead one is the same."""
    return replace(table, override=session)


def finish(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    now: float,
    clocks: Clocks,
    cash: Mapping[int, int] | None = None,
    paid: int | None = None,
) -> Table[StateT, EventT]:
    """End a game that was paid out: a new master, the pause, his clock (3.5, 8.7); raises "no_game", "game_running".

    The privilege goes to the next seated person after the master at the end (A39). `paid` is what the pot held; where
    that is not what the game told when it was decided, it is told now.
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
    table = replace(table, game=None, last=over, pot=0, override=0, due=(), pause_until=now + clocks.pause)
    table = replace(table, transcript=None)
    if not seated(table):
        table = replace(table, last=None)
    table = cashed(table, cash) if cash is not None else table
    return pass_on(table, now, clocks, after=game.master(over))


def void(table: Table[StateT, EventT], reason: str, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Drop the game without a winner, after the bank gave the stakes back; the master's clock starts."""
    table = replace(table, game=None, last=None, pot=0, override=0, due=(), deadline=None, transcript=None)
    table = log(table, Voided(reason), None)
    if table.master is None or table.seats[table.master] is None:
        return pass_on(table, now, clocks)
    return replace(table, deadline=now + clocks.master)
