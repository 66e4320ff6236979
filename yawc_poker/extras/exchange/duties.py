"""The prices go on whoever is there: some session looks whether the next ones are due."""

from yawc_poker.casino.instance.instance import Duty, Instance
from yawc_poker.extras.exchange.exchange import exchange_of
from yawc_poker.ipc.layout import user_words

(_WORD,) = user_words(__name__, (4,))


def move_prices(instance: Instance) -> float:
    """Bring the prices up to the hour; return the seconds until the next one. Raise `StoreError`."""
    return exchange_of(instance).catch_up() - instance.here.now()


ANNOUNCED = (Duty("the share prices", _WORD, move_prices),)
