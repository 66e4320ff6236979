"""The page of the help about the deal of the day."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.daily", "daily", 77),)
