"""The answer to `yawcctl exchange`."""

import logging
from collections.abc import Iterator
from typing import Final

from yawc_poker.control.requests import Asked, request_row
from yawc_poker.extras.exchange.exchange import exchange_of
from yawc_poker.extras.exchange.protocol import Hours, MakeUpHours

log = logging.getLogger(__name__)


def _make_up(request: MakeUpHours, asked: Asked) -> Iterator[Hours]:
    done, latest = exchange_of(asked.instance).make_up(request.hours)
    if request.hours:
        log.info("%s made up %d hours of the share prices", asked.by, done)
    yield Hours(done, latest)


ANNOUNCED: Final = (request_row(MakeUpHours, _make_up),)
