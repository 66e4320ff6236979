"""What friends and those who are challenged read at once, wherever they are."""

from typing import Final

from yawc_poker.session.caller.others import AddedNotice
from yawc_poker.words import mark

CAME: Final = "friend"
MEET: Final = "challenge"

ANNOUNCED = (
    AddedNotice(CAME, mark("*** Your friend {name} has come: F"), mark("Your friend {name} has come.")),
    AddedNotice(
        MEET,
        mark("*** {name} is here, and a challenge waits for you both: F"),
        mark("{name} is here, and a challenge waits for you both: F at the prompt."),
    ),
)
