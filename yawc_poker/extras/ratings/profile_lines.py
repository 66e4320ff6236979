"""A user's ratings, as their profile has them."""

from yawc_poker.extras.ratings.rows import of_user
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.profile import ProfileLines


def told(caller: Caller, user: int) -> list[str]:
    """Return the line of a profile that tells of a user's ratings; none if none is shown yet. Raise `StoreError`."""
    words = caller.words
    shown = [
        f"{game_name(kind, words)} {rating.points} +-{rating.error}"
        for kind, rating in of_user(caller.instance.bank.store, user).items()
        if rating.is_shown
    ]
    return [words("Ratings: {ratings}", ratings=", ".join(shown))] if shown else []


ANNOUNCED = (ProfileLines(told),)
