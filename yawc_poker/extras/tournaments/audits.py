"""Fees, places and prizes of tournaments reckoned anew, for `yawcctl audit`."""

from yawc_poker.casino.bank.audit import Audit
from yawc_poker.extras.tournaments.rows import untrue

ANNOUNCED = (Audit(untrue),)
