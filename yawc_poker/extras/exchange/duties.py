"""The prices go on whoever is there: each session looks once a minute whether the next ones are due."""

import logging
import math

from yawc_poker.casino.instance.instance import AGAIN_SECONDS, Duty, Instance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.extras.exchange.exchange import exchange_of
from yawc_poker.ipc.layout import user_words

log = logging.getLogger(__name__)

(_WORD,) = user_words(__name__, (4,))
"""Holds the moment at which the next prices are due, or tried again, in epoch seconds; 0: not known."""


def move_prices(instance: Instance) -> None:
    """Bring the prices up to the hour, if one has begun since some session did so; else it costs nothing."""
    exchange, words = exchange_of(instance), instance.segment.head.user
    if exchange.is_due(words[_WORD]):
        try:
            words[_WORD] = math.ceil(exchange.catch_up())
        except StoreError as error:
            words[_WORD] = math.ceil(instance.here.now() + AGAIN_SECONDS)
            log.warning("the share prices wait for the next time: %s", error)


ANNOUNCED = (Duty(move_prices),)
