"""What `yawcctl exchange` asks of a running BBS, and the answer. Pure."""

from typing import Annotated

import msgspec
from msgspec import Meta

from yawc_poker.control.protocol import Request
from yawc_poker.extras.exchange.market import DAY, DAYS


class MakeUpHours(Request, frozen=True):
    """Hours of the exchange that were left out, because nobody was there for more than a month; 0: the latest hour."""

    word = "exchange"
    hours: Annotated[int, Meta(ge=0, le=DAYS * DAY)] = 0


class Hours(msgspec.Struct, frozen=True):
    """How far the exchange is."""

    made_up: int
    """By this request."""
    latest: int | None
    """The number of the latest hour; None: the exchange was never opened."""
