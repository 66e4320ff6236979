"""`/private` at a table: only invited people sit down there."""

from yawc_poker.table_ui.commands import Added, Command
from yawc_poker.words import mark

ANNOUNCED = (Command(mark("/private"), lambda text: Added("private", text), ("table",), mark("on off")),)
