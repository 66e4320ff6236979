"""`/hints` at a table: the Game-Master allows hints in the games to come."""

from yawc_poker.table_ui.commands import Added, Command
from yawc_poker.words import mark

ANNOUNCED = (Command(mark("/hints"), lambda text: Added("hints", text), ("table",), mark("on off")),)
