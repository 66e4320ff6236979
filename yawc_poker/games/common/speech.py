"""What happens at every table, said in words: people come and go, games begin, the system settles. Pure."""

from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import Left, NewMaster, Paid, Removed, SatDown, Sealed, StakeBack, Started, Voided
from yawc_poker.words import Words

SYSTEM = "[SYSTEM]"
"""In front of what the system does."""
INFO = "[INFO]"
"""In front of what players do."""


def person(event: object, name: str, words: Words) -> str:
    """Say what somebody did at the table, in any game; empty for anything else."""
    match event:
        case SatDown():
            return words("{name} sits down at the table.", name=name)
        case Left():
            return words("{name} leaves the table.", name=name)
        case Started():
            return words("{name} starts a game.", name=name)
    return ""


def system(event: object, name: str, words: Words) -> str:
    """Say what the system did, in any game; empty for anything else."""
    match event:
        case Sealed():
            return words("The cards are shuffled and sealed. The seal (SHA256) is:")
        case Paid(seat=None, amount=amount):
            return words("The pot held {amount} CUBES.", amount=amount)
        case Paid(amount=amount):
            return words("The pot held {amount} CUBES; {name} gets them all.", name=name, amount=amount)
        case NewMaster():
            return words("{name} is the new Game-Master.", name=name)
        case StakeBack(amount=amount):
            return words("{name} gets the stake of {amount} CUBES back.", name=name, amount=amount)
        case Removed():
            return words("{name} was removed from the table.", name=name)
        case Voided(reason="ledger"):
            return words("The game was called off: for the bank it is over already.")
        case Voided():
            return words("The game was called off, everybody gets the stakes back.")
    return ""


def refusal(illegal: IllegalMove, seats: int, words: Words) -> str:
    """Tell a player why a command was refused that all tables know; empty for what only a game refuses."""
    match illegal.reason:
        case "alone":
            return _too_few(illegal.values.get("here", 1), illegal.values.get("needed", 2), words)
        case "closing":
            return words("The last game is still being settled.")
        case "table_full":
            return words("The table is full; there are only {n} seats.", n=seats)
        case "already_seated":
            return words("You sit at this table already.")
        case "too_late":
            return words("Your time is over.")
    return ""


def _too_few(here: int, needed: int, words: Words) -> str:
    if here == 1:
        return words("You are alone at the table: a game needs at least {n} players.", n=needed)
    return words("You are only {here}: a game needs at least {n} players.", here=here, n=needed)


def still_to_wait(seconds: int, words: Words) -> str:
    """Tell how long it takes until a game may start (spec/poker.md 4.2)."""
    return words.count(
        "{n} second to wait until a new game may be started.",
        "{n} seconds to wait until a new game may be started.",
        seconds,
    )
