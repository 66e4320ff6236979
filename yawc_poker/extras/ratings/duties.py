"""Games are rated whoever is there: once a minute some session looks whether any has ended."""

import logging
import time

from yawc_poker.casino.instance.instance import AGAIN_SECONDS, Duty, Instance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.extras.ratings.rows import rate
from yawc_poker.ipc.layout import user_words

log = logging.getLogger(__name__)

(_WORD,) = user_words(__name__, (63,))
"""Holds the moment of the next look, in hundredths of epoch seconds. A race costs one look more."""


def rate_games(instance: Instance) -> None:
    """Rate the games that have ended since some session did so; else it costs nothing."""
    now, words = int(100 * time.time()), instance.segment.head.user
    pause = int(100 * instance.config.engine.duty_seconds)
    again = max(pause, int(100 * AGAIN_SECONDS))
    if words[_WORD] - again <= now < words[_WORD]:  # a clock that was set back delays nothing
        return
    words[_WORD] = now + pause
    try:
        if rate(instance.bank.store):
            words[_WORD] = now
    except StoreError as error:
        words[_WORD] = int(100 * time.time()) + again
        log.warning("the ratings wait for the next time: %s", error)


ANNOUNCED = (Duty(rate_games),)
