"""The page of the help about tournaments."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.tournaments", "tournaments", 77),)
