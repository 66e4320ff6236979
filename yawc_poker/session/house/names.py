"""Names of house players: the same number always has the same name. Pure."""

from collections.abc import Container, Iterable

from yawc_poker.engine.house import HOUSE_MARK, HOUSE_NAMES


def house_name(number: int) -> str:
    """Return the name of a house player by its number, from 1."""
    turn, at = divmod(number - 1, len(HOUSE_NAMES))
    return f"{HOUSE_NAMES[at]}{f' {turn + 1}' if turn else ''}{HOUSE_MARK}"


def free_number(numbers: Iterable[int], taken: Container[str]) -> int | None:
    """Return the first of these numbers whose name is not `taken` (case-folded), with the mark or without; None: there
    is none.
    """
    return next((number for number in numbers if not _is_taken(house_name(number).casefold(), taken)), None)


def _is_taken(name: str, taken: Container[str]) -> bool:
    return name in taken or name.removesuffix(HOUSE_MARK) in taken
