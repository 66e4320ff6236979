"""Tournaments go on whoever is there: each session looks now and then whether something is due."""

import logging

from yawc_poker.casino.instance.instance import Duty, Instance
from yawc_poker.engine.game import IllegalMove
from yawc_poker.extras.tournaments.conduct import go_on
from yawc_poker.ipc.layout import user_words
from yawc_poker.ipc.semaphore import LockTimeout

log = logging.getLogger(__name__)

(_WORD,) = user_words(__name__, (62,))


def conduct(instance: Instance) -> float:
    """Do what is due in tournaments; return the seconds until there may be more to do. Raise `StoreError`."""
    if not instance.tables:
        return 0.0  # for those who have some
    try:
        return go_on(instance)
    except (LockTimeout, IllegalMove) as error:
        log.warning("the tournaments wait for a table: %s", error)
        return 1.0


CONDUCT = Duty("the tournaments", _WORD, conduct)
ANNOUNCED = (CONDUCT,)


def look_again(instance: Instance) -> None:
    """Let the next session that looks do so at once: something was called, or begins."""
    instance.segment.head.user[CONDUCT.word] = 0
