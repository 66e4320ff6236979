"""`/report` and what somebody has to say, at a table, beside one, at a prompt."""

from yawc_poker.table_ui.commands import Added, Command
from yawc_poker.words import mark

ANNOUNCED = (Command(mark("/report"), lambda text: Added("report", text), ("prompt", "table", "gallery")),)
