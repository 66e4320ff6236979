"""The page of the help about reports."""

from yawc_poker.table_ui.definition import HelpPage

ANNOUNCED = (HelpPage("yawc_poker.extras.reports", "reports", 73),)
