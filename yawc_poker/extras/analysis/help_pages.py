"""The page of the help about the analysis of games."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.analysis", "analysis", 76),)
