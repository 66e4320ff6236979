"""The page of the help about replays."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.replay", "replay", 76),)
