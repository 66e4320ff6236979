"""A caller without a screen: hears lines one after the other, and answers what they offer."""

import re
import time
from typing import Self

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller

HARMLESS = frozenset({7, 8, 10, 13, *range(32, 127)})
"""Bytes that every printing terminal takes: the bell, backspace, line ends, ASCII."""


class Listener:
    """What a caller on a terminal that moves no cursor hears."""

    def __init__(self, bbs: Bbs, kind: bytes = b"DUMB") -> None:
        self.caller: Caller = bbs.call(kind=kind)
        self._at = 0
        """Characters that have been heard."""

    @property
    def said(self) -> str:
        """Everything that was said, without the bell."""
        return self.caller.raw.decode("utf-8", "replace").replace("\r\n", "\n").replace("\a", "")

    def register(self, name: str) -> Self:
        self.caller.register(name)
        return self

    def hears(self, *patterns: str, deadline: float = DEADLINE) -> re.Match[str]:
        """Wait for the first of these patterns in what is said from here on; what comes behind it is heard next."""
        until, pattern = time.monotonic() + deadline, "|".join(f"(?:{one})" for one in patterns)
        while True:
            text = self.said
            found = re.compile(pattern, re.MULTILINE).search(text, self._at)
            if found:
                self._at = found.end()
                return found
            assert self.caller.is_open, f"connection ended waiting for {pattern!r}: {text[self._at :]}"
            assert self.caller.listen(until - time.monotonic()), f"waited for {pattern!r}: {text[self._at :]}"

    def presses(self, keys: str, *patterns: str) -> re.Match[str]:
        """Press keys and wait for the first of these patterns behind all that was said before."""
        self.caller.drain()
        self._at = len(self.said)
        self.caller.send(keys)
        return self.hears(*patterns)

    def sits(self, game: str, *answers: str) -> None:
        """Go to a game's table, by its key in the casino and these answers to the questions there."""
        self.presses(f"S{game}", r"\(y/n\)")
        for answer in answers:
            self.caller.send(answer)
        self.hears(r"^Turn: ")

    def turn(self, over: str) -> tuple[str, str]:
        """Wait for the own turn; return its keys and the cards that may be played; two empty texts: `over` was said."""
        begins = self._at
        found = self.hears(r"^Your turn, \d+ seconds[:.](.*)$", over)
        if not found[0].startswith("Your turn"):
            return "", ""
        heard = self.said[begins : found.start()]
        told = max(heard.rfind("You may play: "), heard.rfind("Your cards: "))
        return found[0], heard[told:] if told >= 0 else ""

    def is_harmless(self) -> bool:
        """Return whether only text, backspace, bell and line ends were ever sent, each of these whole."""
        raw = bytes(self.caller.raw)
        return not set(raw) - HARMLESS and raw.count(b"\r\n") == raw.count(b"\n") == raw.count(b"\r")


def first_key(cards: str) -> str:
    """Return the key of the first card that has one; empty: none has."""
    found = re.search(r"\[(.)\]", cards)
    return "" if found is None else found[1]
