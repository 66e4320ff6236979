"""Whole numbers as people, files and programs write them: ASCII digits, and nothing else. Pure.

`int()` also takes `٣`, `1_000`, ` 5 ` and `+5`. So no text from outside is given to it but by `decimal`, or by a
pattern that has just matched digits.
"""

MOST_DIGITS = 18
"""Of a number; it fits 64 bits then."""


def decimal(text: str) -> int | None:
    """Return the number that a text of digits means; None: it is none, or a longer one than any that counts here."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None
