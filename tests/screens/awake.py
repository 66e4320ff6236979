"""Pictures whose games are played by the clock, for people who would have played so themselves."""

from msgspec.structs import replace

from yawc_poker.engine.game import EventT, StateT
from yawc_poker.engine.values import Table


def awake(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Return the table as if nobody's clock had run out: nobody falls asleep."""
    return replace(table, seats=tuple(who if who is None else replace(who, missed=0) for who in table.seats))
