"""Days and months by which rankings are counted. Pure.

A day is a number, counted from the epoch; it begins at midnight UTC, so that no change of a clock's zone moves a game
into another month.
"""

from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

DAY: Final = 86400
"""Seconds of a day."""
_EPOCH: Final = date(1970, 1, 1).toordinal()


def day_of(when: float) -> int:
    """Return the day of a moment in epoch seconds."""
    return int(when // DAY)


class Month(NamedTuple):
    """A month of the calendar; months are in order."""

    year: int
    number: int
    """From 1."""

    @property
    def days(self) -> range:
        """The days of the month."""
        return range(_first_day(self), _first_day(self.next))

    @property
    def next(self) -> "Month":
        """The month after it."""
        return Month(self.year + self.number // 12, self.number % 12 + 1)

    @property
    def before(self) -> "Month":
        """The month before it."""
        return Month(self.year, self.number - 1) if self.number > 1 else Month(self.year - 1, 12)

    def __str__(self) -> str:
        return f"{self.year}-{self.number:02}"


def _first_day(month: Month) -> int:
    return date(month.year, month.number, 1).toordinal() - _EPOCH


def month_of(day: int) -> Month:
    """Return the month of a day."""
    found = date.fromordinal(day + _EPOCH)
    return Month(found.year, found.month)


def parts(days: range) -> Iterator[range]:
    """Yield the parts of some days that lie in one month each, in order."""
    start = days.start
    while start < days.stop:
        end = min(month_of(start).days.stop, days.stop)
        yield range(start, end)
        start = end


def date_of(day: int) -> str:
    """Return a day as YYYY-MM-DD."""
    return date.fromordinal(day + _EPOCH).isoformat()
