"""Tournaments go on whoever is there: each session looks now and then whether something is due."""

import logging
import math

from yawc_poker.casino.instance.instance import AGAIN_SECONDS, Duty, Instance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.engine.game import IllegalMove
from yawc_poker.extras.tournaments.conduct import LATER, go_on
from yawc_poker.ipc.layout import user_words
from yawc_poker.ipc.semaphore import LockTimeout

log = logging.getLogger(__name__)

(_WORD,) = user_words(__name__, (62,))
"""Holds the moment of the next look, in epoch seconds; 0: now."""


def conduct(instance: Instance) -> None:
    """Do what is due in tournaments; else it costs nothing."""
    now, words = instance.here.now(), instance.segment.head.user
    if not instance.tables or now < words[_WORD] <= now + LATER + 1:  # a clock that was set back delays nothing
        return
    words[_WORD] = mine = math.ceil(now + 1)  # others do not look meanwhile
    try:
        following = math.ceil(now + min(go_on(instance), LATER))
        if words[_WORD] == mine or words[_WORD] > following:  # else somebody has seen later that it is due sooner
            words[_WORD] = following
    except (StoreError, LockTimeout, IllegalMove) as error:
        if isinstance(error, StoreError):
            words[_WORD] = math.ceil(instance.here.now() + AGAIN_SECONDS)
        log.warning("the tournaments wait for the next time: %s", error)


def look_again(instance: Instance) -> None:
    """Let the next session that looks do so at once: something was called, or begins."""
    instance.segment.head.user[_WORD] = 0


ANNOUNCED = (Duty(conduct),)
