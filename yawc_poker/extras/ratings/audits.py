"""Ratings reckoned anew, for `yawcctl audit`."""

from yawc_poker.casino.bank.audit import Audit
from yawc_poker.extras.ratings.rows import untrue

ANNOUNCED = (Audit(untrue),)
