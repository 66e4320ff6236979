"""The page of the help about friends."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.friends", "friends", 72),)
