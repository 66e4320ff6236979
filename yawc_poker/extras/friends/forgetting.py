"""A closed account is nobody's friend, and challenges nobody."""

from yawc_poker.casino.meeting.meeting import Forgetting
from yawc_poker.extras.friends.rows import forget

ANNOUNCED = (Forgetting(forget),)
