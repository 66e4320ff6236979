"""Lengths of time as sysops write them: `30m`, `2h`, `3d`, `1w`, `forever`. Pure."""

import math
import re

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_WORDS = frozenset({"forever", "for ever", "ever", "ewig", "immer", "für immer", "fuer immer"})
_SPAN = re.compile(r"([0-9]{1,6})\s*([mhdw])")
LONGEST = 100 * 365 * 86400.0
"""Seconds; what is longer is for ever."""


def parse_span(text: str) -> float:
    """Read a length of time in seconds, infinite for `forever`; raises `ValueError` for anything else, or nothing."""
    text = text.strip().casefold()
    if text in _WORDS:
        return math.inf
    found = _SPAN.fullmatch(text)
    if found is None or int(found[1]) == 0:
        raise ValueError(f"not a length of time like 30m, 2h, 3d, 1w or forever: {text[:20]!r}")
    seconds = int(found[1]) * _UNITS[found[2]]
    return seconds if seconds <= LONGEST else math.inf


def show_span(seconds: float) -> str:
    """Write a length of time as `parse_span` reads it, in its largest whole unit, minutes rounded up."""
    if math.isinf(seconds):
        return "forever"
    minutes = max(1, math.ceil(seconds / 60))
    unit = next(unit for unit in "wdhm" if minutes % (_UNITS[unit] / 60) == 0)
    return f"{minutes // int(_UNITS[unit] / 60)}{unit}"
