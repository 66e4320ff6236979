"""Names for guests of the wire: harmless, unique, and recognisable as a guest's. Pure."""

from collections.abc import Collection, Iterator
from itertools import count

from yawc_poker.casino.users.names import look_key, passes_for_house
from yawc_poker.terminal.text import clean

GUEST_MARK = "^"
"""Ends a guest's name; no account's name has it."""
_NAME = 18
"""Characters of a guest's own name; number and mark come behind it."""


def guest_name(name: str, taken: Collection[str], bbs: str = "") -> str:
    """Return a client's name as a guest's: harmless, not the house's, unlike all that are `taken` (case-folded).

    It does not look like another guest's, either, on any screen. `bbs` is the name of the BBS, for which none passes.
    """
    plain = clean(name, _NAME).strip()
    if not plain or passes_for_house(plain, bbs):
        plain = "Mau"
    dash = "-" if plain[-1].isdecimal() else ""  # another "Bot 1" is no "Bot 12"
    names = (f"{plain[: _NAME - len(tail)]}{tail}{GUEST_MARK}" for tail in _tails(dash))
    guests = {look_key(one) for one in taken if one.endswith(GUEST_MARK)}
    return next(one for one in names if one.casefold() not in taken and look_key(one) not in guests)


def _tails(dash: str) -> Iterator[str]:
    yield ""
    yield from (f"{dash}{number}" for number in count(2))
