"""What `yawcctl top` shows, as lines of text. Pure but for the clock's zone."""

from typing import Final

from yawc_poker.durations import format_duration
from yawc_poker.extras.live.protocol import Glance, Load
from yawc_poker.sysop.command import count, moment
from yawc_poker.sysop.status import caller_lines, table_lines
from yawc_poker.terminal.frame import Style

FOOT: Final = "[Q] leaves"
_EMPTY: Final = ("", Style.PLAIN)


def heading(found: Glance, before: Glance | None) -> list[str]:
    """Return the lines above the tables; `before` is the row before, for rates."""
    whole, load = found.overview, found.load
    up = format_duration(max(found.at - whole.up_since, 0.0))
    average = " ".join(f"{one:.2f}" for one in load.average)
    listener = "no listener" if whole.listener is None else f"listener {whole.listener}"
    closing = "; GOING DOWN" if whole.closing else ""
    house = f", {count(whole.house, 'house player')}" if whole.house else ""
    ring = f"{whole.ring.slowest} is {whole.ring.behind} behind" if whole.ring.behind else "nobody is behind"
    return [
        f"{whole.bbs}, {moment(found.at)}, up {up}, {listener}{closing}",
        f"load {average} on {count(load.cores, 'core')}; {_rates(found, before)}",
        f"{whole.callers} of {whole.most_callers} callers, {whole.arriving} logging in{house};"
        f" {whole.occupied} of {whole.tables} tables, {count(whole.games, 'game')}",
        f"ring: {ring}; locks: {_locks(found)}",
    ]


def _rates(found: Glance, before: Glance | None) -> str:
    """Return what the BBS did each second since the row before; without one, since it was opened."""
    load = found.load
    if before is None or before.at >= found.at or before.load.commands > load.commands:
        return f"{load.moves} moves, {load.commands} commands, {load.games} games in all"
    seconds = found.at - before.at
    moves, commands, games = (b - a for a, b in zip(_counted(before.load), _counted(load), strict=True))
    return f"{moves / seconds:.1f} moves, {commands / seconds:.1f} commands, {games / seconds:.1f} games a second"


def _counted(load: Load) -> tuple[int, int, int]:
    return load.moves, load.commands, load.games


def _locks(found: Glance) -> str:
    whole = found.overview
    held = [f"{one.lock} held by {one.name or 'process'} {one.pid}" for one in whole.holders]
    free = f"{whole.locks - len(held)} of {whole.locks} free"
    return "; ".join([free, *held])


def tables_and_callers(found: Glance, room: int) -> list[str]:
    """Return tables and callers as lines, all of them."""
    return [*table_lines(found.tables, room), "", *caller_lines(found.callers, room)]


def picture(found: Glance, before: Glance | None, wide: int, high: int) -> list[tuple[str, Style]]:
    """Return the rows of a screen of this size with their styles; what does not fit is counted."""
    first, *others = heading(found, before)
    tables, callers = table_lines(found.tables, wide), caller_lines(found.callers, wide)
    rows: list[tuple[str, Style]] = [(first, Style.BAR), *((text, Style.PLAIN) for text in others), _EMPTY]
    room = max(high - len(rows) - 2, 4)  # but for the empty line between the two, and the foot
    for_tables = min(len(tables), max(room - len(callers), room // 2))
    rows += [*_shortened(tables, for_tables), _EMPTY, *_shortened(callers, room - for_tables)]
    rows += [_EMPTY] * (high - 1 - len(rows))
    return [*rows[: max(high - 1, 0)], (FOOT, Style.DIM)]


def _shortened(lines: list[str], room: int) -> list[tuple[str, Style]]:
    """Return the first lines, the header bold; the last one counts those that are left out."""
    kept = lines if len(lines) <= room else [*lines[: room - 1], f"... and {len(lines) - room + 1} more"]
    return [(line, Style.PLAIN if number else Style.BOLD) for number, line in enumerate(kept)]
