"""Names of house players: the same number always has the same name. Pure."""

from collections.abc import Collection, Iterable

from yawc_poker.casino.users.names import look_key
from yawc_poker.engine.house import HOUSE_MARK, HOUSE_NAMES


def house_name(number: int) -> str:
    """Return the name of a house player by its number, from 1."""
    turn, at = divmod(number - 1, len(HOUSE_NAMES))
    return f"{HOUSE_NAMES[at]}{f' {turn + 1}' if turn else ''}{HOUSE_MARK}"


def free_number(numbers: Iterable[int], taken: Iterable[str], accounts: Collection[str] = ()) -> int | None:
    """Return the first of these numbers whose name is not `taken` (case-folded), with the mark or without; None: there
    is none.

    Those whose name an account has come last: its user may log in at any time. Names that look alike are one.
    """
    seen, later = {look_key(name) for name in taken}, {look_key(name) for name in accounts}
    free = (number for number in numbers if look_key(house_name(number)) not in seen)
    return min(free, key=lambda number: look_key(_first(number)) in later, default=None)


def _first(number: int) -> str:
    """Return a name as it is without the number and the mark behind it."""
    return HOUSE_NAMES[(number - 1) % len(HOUSE_NAMES)]
