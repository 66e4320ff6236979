"""What `yawcctl top` shows, as lines of text. Pure but for the clock's zone."""

from typing import Final

from yawc_poker.casino.monitoring.glance import Glance, Load
from yawc_poker.durations import format_duration
from yawc_poker.sysop.command import columns, count, moment
from yawc_poker.sysop.look import TABLES, caller_lines, table_cells
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
    parts = ((name, _of(load, name) - _of(before.load, name)) for name in ("moves", "commands", "games"))
    return ", ".join(f"{number / seconds:.1f} {name}" for name, number in parts) + " a second"


def _of(load: Load, name: str) -> int:
    number: int = getattr(load, name)
    return number


def _locks(found: Glance) -> str:
    whole = found.overview
    held = [f"{one.lock} held by {one.name or 'process'} {one.pid}" for one in whole.holders]
    free = f"{whole.locks - len(held)} of {whole.locks} free"
    return "; ".join([free, *held])


def table_lines(found: Glance, room: int) -> list[str]:
    """Return tables and callers as lines, all of them."""
    return [*_tables(found, room), "", *_callers(found, room)]


def _tables(found: Glance, room: int) -> list[str]:
    return columns(TABLES, [table_cells(one) for one in found.tables], 7, 5, room=room)


def _callers(found: Glance, room: int) -> list[str]:
    return caller_lines(found.callers, room)


def picture(found: Glance, before: Glance | None, wide: int, high: int) -> list[tuple[str, Style]]:
    """Return the rows of a screen of this size with their styles; what does not fit is counted."""
    first, *others = heading(found, before)
    tables, callers = _tables(found, wide), _callers(found, wide)
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
