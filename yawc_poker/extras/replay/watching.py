"""Games that somebody looked on at: they may look at them again."""

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.extras.replay.rows import note_watched
from yawc_poker.session.table.watch import Watching


def _begins(instance: Instance, user: int, game: int) -> None:
    note_watched(instance.bank.store, user, game)


ANNOUNCED = (Watching(_begins),)
