"""`yawcctl month`: print a month, or draw it. Reads the databases itself, so the BBS need not run."""

import argparse
import re
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import MAXYEAR
from pathlib import Path
from typing import Final

from yawc_poker.casino.instance.databases import marked
from yawc_poker.casino.rankings.periods import Month, day_of, month_of
from yawc_poker.extras.monthly.overview import Overview, overview
from yawc_poker.extras.monthly.plot import drawn
from yawc_poker.sysop.command import Command, columns, moment, print_rows

_FORM: Final = re.compile(r"(\d{4})-(\d\d)", re.ASCII)


def _month(text: str) -> Month:
    found = _FORM.fullmatch(text)
    if found is None or not 1 <= int(found[2]) <= 12 or not 1970 <= int(found[1]) < MAXYEAR:
        raise argparse.ArgumentTypeError(f"not a month, as 2026-11: {text[:40]!r}")
    return Month(int(found[1]), int(found[2]))


def _arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("month", metavar="YYYY-MM", nargs="?", type=_month, help="the month (the present one)")
    command.add_argument("--svg", type=Path, metavar="FILE", help="draw callers and games by day into this file")


def run(chosen: argparse.Namespace) -> int:
    """Print the month, or draw it. Raise `StoreError`, `OSError`."""
    month = chosen.month or month_of(day_of(time.time()))
    data = marked(chosen.data)
    with (
        closing(data.users(look_only=True)) as accounts,
        closing(data.books(look_only=True)) as bank,
        accounts.reading() as users,
        bank.reading() as books,
    ):
        found = overview(month, users, books)
    if chosen.svg is not None:
        chosen.svg.write_text(drawn(found), encoding="utf-8")
        return 0
    return print_rows(chosen, [found], lambda rows: (line for one in rows for line in lines(one)))


def lines(found: Overview) -> Iterator[str]:
    """Yield a month in lines; days on which nothing was are left out."""
    yield f"{found.month}, by days of UTC"
    yield ""
    kinds = sorted({kind for day in found.days for kind in day.games})
    rows = [
        (day.date, day.callers, day.calls, *(day.games.get(kind, 0) for kind in kinds))
        for day in found.days
        if day.calls or day.games
    ]
    sums = [sum(day.games.get(kind, 0) for day in found.days) for kind in kinds]
    rows.append(("month", found.callers, sum(day.calls for day in found.days), *sums))
    yield from columns(" ".join(["DAY", ">CALLERS", ">CALLS", *(f">{kind.upper()}" for kind in kinds)]), rows)
    yield ""
    yield from columns("CUBES >GOT >PAID", [(one.source, one.got, one.paid) for one in found.cubes])
    yield ""
    yield f"New accounts: {found.registered}"
    if found.known_since is not None:
        yield f"Of logins before {moment(found.known_since)} nothing is kept any more."


ANNOUNCED: Final = (
    Command(
        "month",
        run,
        "show a month: callers by day, games, and where CUBES came from and went",
        ("month", "month 2026-10", "month 2026-10 --svg october.svg", "month --json | jq .callers"),
        _arguments,
        after="history",
    ),
)
