"""Commands in the chat line, in every language: `/word`, `/seal`. Pure."""

from typing import NamedTuple

_WORD = frozenset({"/word", "/wort", "/woord"})
_SEAL = frozenset({"/seal", "/siegel", "/zegel"})


class GiveWord(NamedTuple):
    """Give this as the player's word for the next game."""

    text: str


class TellSeal(NamedTuple):
    """Show the seal and the words given so far once more, to the caller who asks alone."""


def asked(line: str) -> GiveWord | TellSeal | None:
    """Return the command in a chat line; None: it is ordinary chat."""
    command, _, rest = line.strip().partition(" ")
    if command.lower() in _WORD:
        return GiveWord(rest.strip())
    return TellSeal() if command.lower() in _SEAL else None
