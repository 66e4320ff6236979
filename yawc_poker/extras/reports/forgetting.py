"""Reports of a closed account go with it."""

from yawc_poker.casino.meeting.meeting import Forgetting
from yawc_poker.extras.reports.rows import forget

ANNOUNCED = (Forgetting(forget),)
