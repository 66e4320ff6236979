"""The page of the help about ratings."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.ratings", "ratings", 75),)
