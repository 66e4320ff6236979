"""The page of the help about shares."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.exchange", "exchange", 85),)
