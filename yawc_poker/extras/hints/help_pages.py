"""The page of the help about hints."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.hints", "hints", 77),)
