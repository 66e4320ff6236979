"""`yawcctl status`, `who` and `tables`: a running BBS at a glance; `watch`: a table as a by-stander sees it."""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Final

from yawc_poker import doors
from yawc_poker.casino.snapshot import Memory, Overview, SeatView, TableView, Visitor
from yawc_poker.control import protocol
from yawc_poker.control.client import ask
from yawc_poker.durations import clock, format_duration
from yawc_poker.registry.entry import Entry, UnknownGame
from yawc_poker.sysop.command import (
    Command,
    asking,
    columns,
    count,
    moment,
    print_json,
    print_lines,
    until_interrupted,
    width,
)

CALLERS: Final = "NAME WHERE >IDLE LOGIN DOOR ADDRESS >PID"
TABLES: Final = "TABLE >NO STATE >POT TURN >CLOCK PLAYERS"
"""Headers, as `columns` takes them."""
_HOME_AND_CLEAR: Final = "\x1b[H\x1b[2J"
_BACKS: Final = 10
"""Up to this number hidden cards are drawn one by one; of more, the number is printed."""


# --- status -----------------------------------------------------------------------------------------------------------


def status_lines(found: list[Overview]) -> Iterator[str]:
    """Yield the overview in lines."""
    for one in found:
        yield from (f"{name:10}{value}" for name, value in _status(one, time.time()))


def _status(found: Overview, now: float) -> Iterator[tuple[str, str]]:
    yield "BBS", f"{found.bbs}, YAWC Poker {found.version}"
    yield "up since", f"{moment(found.up_since)} ({format_duration(now - found.up_since)})"
    since = "" if found.listening_since is None else f", since {moment(found.listening_since)}"
    yield "listener", "none" if found.listener is None else f"process {found.listener}{since}"
    if found.closing:
        yield "closing", "the BBS is going down"
    yield "callers", f"{found.callers} logged in, {found.arriving} logging in; at most {found.most_callers}"
    if found.house:
        yield "house", f"{count(found.house, 'house player')} at the tables"
    yield "tables", f"{found.occupied} of {found.tables} occupied, {count(found.games, 'game')} running"
    ring = found.ring
    yield "ring", f"head {ring.head}, {count(ring.slots, 'slot')}, {found.unlock}"
    yield "", f"{ring.waits} waits, {ring.expired} expired, {ring.overruns} overruns"
    yield "slowest", f"{ring.slowest}, {count(ring.behind, 'command')} behind" if ring.behind else "nobody is behind"
    for holder in found.holders:
        whose = f"{holder.name}, " if holder.name else ""
        yield "lock", f"{holder.lock}, held by {whose}process {holder.pid}"
    yield "locks", f"{found.locks - len(found.holders)} of {found.locks} free"
    yield "memory", _memory(found.memory)


def _memory(memory: Memory) -> str:
    listener = "" if memory.listener is None else f", listener {_megabytes(memory.listener)}"
    sessions = f"{count(memory.measured, 'session')} {_megabytes(memory.sessions)} (PSS)"
    return f"segment {_megabytes(memory.segment)}, {sessions}{listener}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


# --- who --------------------------------------------------------------------------------------------------------------


def caller_lines(found: Sequence[Visitor], room: int | None = None) -> list[str]:
    """Return the callers as a table; with their hosts, where there are several."""
    cells = [_caller_cells(one) for one in found]
    hosts = [one.host if isinstance(one.host, str) else "" for one in found]
    if not any(hosts):
        return columns(CALLERS, cells, 5, 0, room=room)
    first, others = CALLERS.split(" ", 1)
    rows = [(row[0], host, *row[1:]) for row, host in zip(cells, hosts, strict=True)]
    return columns(f"{first} HOST {others}", rows, 6, 0, room=room)


def _caller_cells(one: Visitor) -> tuple[object, ...]:
    """Return the row of a caller below `CALLERS`."""
    where = one.where if one.table is None else f"{one.table_name}, {_place(one)}"
    where = where if one.line else f"{where}, line gone"
    since = "" if one.since is None else moment(one.since, "%m-%d %H:%M %Z")
    pid = "-" if one.is_remote else str(one.pid)
    if not one.alive:
        pid = f"{pid} dead"
    return one.name or "-", where, clock(one.idle), since, one.door or "-", one.address, pid


def _place(one: Visitor) -> str:
    return one.where if one.seat is None else f"seat {one.seat}"


# --- tables -----------------------------------------------------------------------------------------------------------


def table_lines(found: Sequence[TableView], room: int | None = None) -> list[str]:
    """Return tables as a table."""
    return columns(TABLES, map(_table_cells, found), 6, 4, room=room)


def _table_cells(one: TableView) -> tuple[object, ...]:
    """Return the row of a table below `TABLES`."""
    turn = next((seat.name for seat in one.seats if seat.on_turn), "-")
    players = ", ".join(_name(seat) for seat in one.seats)
    players += f" ({len(one.watching)} watching)" if one.watching else ""
    left = "" if one.seconds is None else clock(one.seconds)
    return one.table_name, one.number, state(one), one.pot, turn, left, players or "-"


def _name(seat: SeatView) -> str:
    """Return a name with what there is to know of its seat. House players have the asterisks in their names."""
    known = (("master", seat.master), ("line gone", not seat.line), ("away", seat.away and seat.line))
    told = ", ".join(word for word, is_so in known if is_so)
    return f"{seat.name} ({told})" if told else seat.name


def game_of(kind: str) -> Entry:
    """Return a game by its kind; raise `UnknownGame`. All games are loaded then, which most commands can do without."""
    from yawc_poker.registry import games

    return games.game_of(kind)


def state(view: TableView) -> str:
    """Return the state of a table in two words; its game names the phase."""
    if view.closing:
        return "paying out"
    if not view.running:
        return "no game" if view.seats else "empty"
    try:
        return game_of(view.game).phase(view.phase, view.round)
    except UnknownGame:
        return view.phase


# --- watch ------------------------------------------------------------------------------------------------------------


def _watch_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("table", nargs="+", metavar="TABLE", help="as it is called: poker 2")
    command.add_argument("--once", action="store_true", help="look once; otherwise at every change, until Ctrl-C")


def run_watch(chosen: argparse.Namespace) -> int:
    """Print the table whenever it changes. Raise `CannotAsk`, `Failed`."""
    live = sys.stdout.isatty() and not chosen.json and not chosen.once
    request = protocol.WatchTable(" ".join(chosen.table), chosen.once, 1.0 if live else None)
    with until_interrupted():
        for view in ask(chosen, request, TableView, endless=True):
            if chosen.json:
                print_json(view)
                continue
            if live:
                sys.stdout.write(_HOME_AND_CLEAR)
            room = width()
            print_lines(line[:room] for line in picture(view, time.time()))
            sys.stdout.flush()
    return 0


def picture(view: TableView, now: float) -> Iterator[str]:
    """Yield the lines of a table's picture."""
    number = f", game {view.number}" if view.number else ""
    pot = f"; pot {view.pot} CUBES" if view.pot else ""
    yield f"Table {view.table_name}{number}, {state(view)}{pot}   {moment(now)}"
    yield ""
    for seat in view.seats:
        yield _seat(view, seat)
    if not view.seats:
        yield "  Nobody sits here."
    if view.watching:
        yield f"  Watching: {', '.join(view.watching)}"
    yield ""
    yield from (f"  {message}" for message in view.messages)
    yield ""


def _seat(view: TableView, seat: SeatView) -> str:
    backs = ["[?]"] * seat.hidden if seat.hidden <= _BACKS else [f"[?] x {seat.hidden}"]
    shown = " ".join([*(f"[{card}]" for card in seat.cards or ()), *backs])
    leads = seat.master and not view.running
    left = clock(view.seconds) if view.seconds is not None and (seat.on_turn or leads) else ""
    role = "gone" if not seat.line else "master" if seat.master else "away" if seat.away else ""
    return f"  {seat.seat}  {seat.name:20}  {role:6}  {left:>7}  {shown}".rstrip()


COMMANDS: Final = (
    Command(
        "status",
        asking(lambda chosen: protocol.Status(), Overview, status_lines),
        "show how the BBS fares: sessions, tables, ring, locks, memory",
        ("status",),
    ),
    Command(
        "who",
        asking(lambda chosen: protocol.Who(), Visitor, caller_lines),
        f"show who is calling, and where; DOOR is how they came: {', '.join(filter(None, doors.words().values()))}",
        ("who", "who --json | jq -r .address | sort | uniq -c"),
    ),
    Command(
        "tables",
        asking(lambda chosen: protocol.ListTables(all=chosen.all), TableView, table_lines),
        "show the tables at which somebody sits",
        ("tables", "tables --all"),
        lambda command: command.add_argument("--all", action="store_true", help="the empty ones, too"),
    ),
    Command(
        "watch",
        run_watch,
        "watch a table; hidden cards are not shown, and nobody notices",
        ("watch poker 1", "watch poker 1 --once", "watch doppelkopf 2 --json"),
        _watch_arguments,
    ),
)
