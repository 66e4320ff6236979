"""Games are rated whoever is there: once a minute some session looks whether any has ended."""

from yawc_poker.casino.instance.instance import Duty, Instance
from yawc_poker.extras.ratings.rows import rate
from yawc_poker.ipc.layout import user_words

(_WORD,) = user_words(__name__, (63,))


def rate_games(instance: Instance) -> float:
    """Rate games that have ended; return the seconds until the next look. Raise `StoreError`."""
    return 0.0 if rate(instance.bank.store) else instance.config.engine.duty_seconds


ANNOUNCED = (Duty("the ratings", _WORD, rate_games),)
