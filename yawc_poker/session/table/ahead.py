"""The move that a caller has decided before their turn, made when the turn has come.

Owns when it is made: on the very value of the table by which the decision was judged, in the transaction that a key
would start. So a table that has moved on meanwhile refuses it, and it is judged again by the new value. Nobody else
learns that it was decided before.
"""

import logging

from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import ClosingDown
from yawc_poker.session.table.screen import TableScreen
from yawc_poker.session.table.sitting import trouble

log = logging.getLogger(__name__)


def play_ahead(
    caller: Caller,
    screen: TableScreen,
    table: GameTable,
    value: AnyTable,
) -> bool | None:
    """Make the move that was decided ahead, if the turn for it has come by this value; return None if there is none.

    Otherwise the table is to be looked at again, and the value returned is whether also if it has not changed since. A
    move that the rules or the bank refuse is forgotten: the caller decides, or the clock. Raise `ClosingDown`.
    """
    move = screen.decided()
    if move is None:
        return None
    try:
        table.play(move, value)
    except IllegalMove as refusal:
        if refusal.reason == "closing_down":
            raise ClosingDown from None
        if refusal.reason == "changed":
            return False
        screen.undecided()
    except (LockTimeout, StoreError) as error:
        log.error("table %d: a move that was decided ahead: %s", table.number + 1, error)
        screen.undecided()
        screen.notice(caller.words(trouble(error)))
    return True
