"""What sysops read who are there when a report comes."""

from typing import Final

from yawc_poker.session.caller.others import AddedNotice
from yawc_poker.words import mark

REPORT: Final = "report"

ANNOUNCED = (
    AddedNotice(REPORT, mark("*** A report from {name} has come: ! R"), mark("A report from {name} has come.")),
)
