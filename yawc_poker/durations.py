"""Lengths of time as a sysop writes them, `30m`, `2h`, `1d12h`, `forever`, and as a clock shows them. Pure."""

import math
import re

FOREVER = "forever"
LONGEST_DAYS = 36500

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_FORM = re.compile("".join(rf"(?:(?P<{unit}>[0-9]{{1,9}}){unit})?" for unit in _UNITS))


def parse_duration(text: str) -> float | None:
    """Return seconds, None for `forever`. Raise `ValueError`, whose text says how to write a duration.

    Units come once each, the greater first, in any case: `90m`, `2d 6h`. At least a second, at most a century.
    """
    short = "".join(text.casefold().split())
    if short == FOREVER:
        return None
    found = _FORM.fullmatch(short)
    seconds = sum(int(found[unit] or 0) * length for unit, length in _UNITS.items()) if found else 0
    if not 1 <= seconds <= LONGEST_DAYS * 86400:
        raise ValueError(f"not a duration: {text[:40]!r}; write 30m, 2h, 3d, 1d12h or {FOREVER}")
    return float(seconds)


def format_duration(seconds: float | None) -> str:
    """Write a duration as `parse_duration` reads it, with its two greatest units, rounded up to a second."""
    if seconds is None:
        return FOREVER
    left, words = max(1, math.ceil(seconds)), []
    for unit, length in _UNITS.items():
        count, left = divmod(left, length)
        if count:
            words.append(f"{count}{unit}")
    return "".join(words[:2])


def clock(seconds: float) -> str:
    """Write a length of time as 0:07 or 1:02:03; nothing is below zero."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
