"""What `/hints` does."""

from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.extras.hints.errands import NOT_AGREED
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.table_session import Deed
from yawc_poker.table_ui.speech import hints_allowed


def hints(caller: Caller, table: GameTable | None, text: str) -> str:
    """Allow hints at a table or not, as its master, which the table tells all; return what holds if nothing is asked.

    Raise `IllegalMove`, `StoreError` or `LockTimeout`.
    """
    words = caller.words
    if table is None:
        return words("That is for those who sit at a table.")
    if text in {"on", "off"}:
        table.allow_hints(on=text == "on")
        return ""
    if table.look().hints:
        return hints_allowed(words)
    return words(NOT_AGREED)


ANNOUNCED = (Deed("hints", hints),)
