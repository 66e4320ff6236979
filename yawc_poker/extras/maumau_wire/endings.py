"""How a wire client's stay ends."""

from typing import Final

GAME_OVER: Final = {"no_game", "closing"}
"""Refusals that say that there is no game any more."""


class Over(Exception):
    """The stay ends; `str()` is the reason. The client is told that it is out, unless the game has `ended`.

    `by_wish`: the client leaves by itself, or its game is over. Anything else is announced as a removal.
    """

    def __init__(self, reason: str, *, by_wish: bool = False, ended: bool = False) -> None:
        super().__init__(reason)
        self.by_wish = by_wish or ended
        self.ended = ended
