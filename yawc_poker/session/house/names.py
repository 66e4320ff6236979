"""Names of house players: the same number always has the same name. Pure."""

from collections.abc import Container, Iterable

from yawc_poker.engine.house import HOUSE_MARK

NAMES = (
    *("Ada", "Bela", "Clara", "Dirk", "Elsa", "Fritz", "Greta", "Hugo"),
    *("Ines", "Jonas", "Karla", "Lukas", "Mina", "Nils", "Olga", "Paul"),
)


def house_name(number: int) -> str:
    """Return the name of a house player by its number, from 1."""
    turn, at = divmod(number - 1, len(NAMES))
    return f"{NAMES[at]}{f' {turn + 1}' if turn else ''}{HOUSE_MARK}"


def free_number(numbers: Iterable[int], taken: Container[str]) -> int | None:
    """Return the first of these numbers whose name is not `taken` (case-folded); None: there is none."""
    return next((number for number in numbers if house_name(number).casefold() not in taken), None)
