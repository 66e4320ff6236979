"""What a chat line may ask for instead of being said: `/word`, `/seal`, in both languages. Pure."""

from typing import NamedTuple

_WORD = frozenset({"/word", "/wort"})
_SEAL = frozenset({"/seal", "/siegel"})


class GiveWord(NamedTuple):
    """Give this as one's word for the next game."""

    text: str


class TellSeal(NamedTuple):
    """Tell the seal, and the words that were given, once more, to nobody but who asks."""


def asked(line: str) -> GiveWord | TellSeal | None:
    """Return what a chat line asks for; None: it is to be said."""
    command, _, rest = line.strip().partition(" ")
    if command.lower() in _WORD:
        return GiveWord(rest.strip())
    return TellSeal() if command.lower() in _SEAL else None
