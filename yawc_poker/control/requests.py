"""The requests of `yawcctl`: one row each, with the function that answers it.

Owns the way from a request to the function that carries it out, and its rows. A request that changes something, or
needs the databases, enters the directory; one that takes no lock needs no place, and works when all are taken. The
listener is asked by signals and answers nothing: its work shows in shared memory and in the data directory. The check
that it makes itself is made beforehand, so that a refusal has a reason.

A new request is a struct in `protocol` and a row here. Extras bring theirs by a module `requests`.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from yawc_poker import __version__
from yawc_poker.announcing import announced
from yawc_poker.casino import backup, counters
from yawc_poker.casino.instance.databases import BACKUP_INSTEAD, CONFIG_FILE
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation import actions
from yawc_poker.casino.moderation.actions import SYSOP_ACTIONS
from yawc_poker.casino.moderation.procedure import Sysop
from yawc_poker.casino.moderation.rows import SysopActionRow
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.snapshot import Snapshot, TableView, overview, visitors
from yawc_poker.casino.store.connection import BUSY_SECONDS
from yawc_poker.control import protocol
from yawc_poker.control.connection import ControlLine
from yawc_poker.control.protocol import BadRequest, Reloaded, Request, Upgraded
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import TornRead
from yawc_poker.ipc.process import Identity
from yawc_poker.registry.tables import table_view
from yawc_poker.session.caller.endings import ClosingDown, Exit

log = logging.getLogger(__name__)

UPGRADE_SECONDS = 45.0
RELOAD_SECONDS = 10.0
SIGNAL_LOOK_SECONDS = 0.05
"""How often the listener's work is looked for."""
LOOK_SECONDS = 0.2
"""How often `watch` looks whether its table has changed: it sits nowhere, so nobody wakes it."""

MOST_NAMES = 20
"""Tables that are named to somebody who has named none."""

RequestT = TypeVar("RequestT", bound=Request)
TryOut = Callable[[], tuple[int, str]]
"""Returns the exit code and the verdict of the program that is installed now."""


class NoSuchTable(Exception):
    """There is no such table; `str()` is one line."""


class NotDone(Exception):
    """The listener did not do it; `str()` is one line that says why."""


class Asked(NamedTuple):
    """Who asks, and what there is to answer by."""

    instance: Instance
    """Of a request that enters: this process is in its directory, and holds no lock."""
    by: str
    """The sysop."""
    line: ControlLine
    try_out: TryOut


class RequestRow(NamedTuple):
    """A request, and what answers it."""

    word: str
    arguments: type[msgspec.Struct]
    answer: Callable[[msgspec.Struct, Asked], Iterable[msgspec.Struct]]
    """Carries it out and returns the rows of its answer."""
    enters: bool
    """Whether it takes a place in the directory."""


def request_row(
    arguments: type[RequestT], answer: Callable[[RequestT, Asked], Iterable[msgspec.Struct]], *, enters: bool = True
) -> RequestRow:
    """Return a row whose function is checked against its arguments."""

    def checked(given: msgspec.Struct, asked: Asked) -> Iterable[msgspec.Struct]:
        if not isinstance(given, arguments):
            raise TypeError(f"{arguments.word} takes {arguments.__name__}, not {type(given).__name__}")
        return answer(given, asked)

    return RequestRow(arguments.word, arguments, checked, enters)


class _RequestLine(msgspec.Struct, forbid_unknown_fields=True):
    do: str
    args: Raw = Raw(b"{}")


def read_request(line: bytes, rows: Mapping[str, RequestRow]) -> tuple[RequestRow, msgspec.Struct]:
    """Return the request that a line holds, and its arguments. Raise `BadRequest`."""
    try:
        request = msgspec.json.decode(line, type=_RequestLine)
        if (row := rows.get(request.do)) is not None:
            return row, msgspec.json.decode(request.args, type=row.arguments)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"not a request: {str(error)[:200]}") from None
    raise BadRequest(f"no such order: {request.do[:40]!r}; there are {', '.join(rows)}")


# --- requests that only look ------------------------------------------------------------------------------------------


def _status(request: protocol.Status, asked: Asked) -> Iterator[msgspec.Struct]:
    yield overview(Snapshot.of(asked.instance.segment), asked.instance.config)


def _who(request: protocol.Who, asked: Asked) -> Iterable[msgspec.Struct]:
    return visitors(Snapshot.of(asked.instance.segment), asked.instance.config)


def _tables(request: protocol.ListTables, asked: Asked) -> Iterator[msgspec.Struct]:
    views = (_view(asked.instance, cell.index) for cell in asked.instance.segment.cells)
    return (view for view in views if request.all or view.seats)


def occupied(instance: Instance) -> list[TableView]:
    """Return the tables at which somebody sits, but for damaged ones: one of those hides nothing else."""
    views: list[TableView] = []
    for cell in instance.segment.cells:
        with suppress(TornRead):
            views.append(_view(instance, cell.index))
    return [view for view in views if view.seats]


def _view(instance: Instance, table: int) -> TableView:
    """Return a table as a by-stander sees it, with the names of those who look on."""
    view = table_view(instance.segment.cells[table], time.monotonic())
    return replace(view, watching=list(Onlookers(instance.segment, table).names()))


def _watch(request: protocol.WatchTable, asked: Asked) -> Iterator[msgspec.Struct]:
    """Yield a table, and again when it has changed or `every` is over; ends with the connection or the BBS."""
    instance, cells = asked.instance, asked.instance.segment.cells
    cell = next((one for one in cells if one.name == request.table.lower()), None)
    if cell is None:
        raise NoSuchTable(
            f"there is no table {request.table}; there are {', '.join(one.name for one in cells[:MOST_NAMES])}"
        )
    shown, due = -1, math.inf
    while not (instance.closing or instance.segment.is_orphaned):
        now = time.monotonic()
        if cell.number != shown or now >= due:
            view = _view(instance, cell.index)
            shown, due = view.commit, now + (request.every or math.inf)
            yield view
        if request.once:
            return
        asked.line.pause(LOOK_SECONDS)
    raise ClosingDown


# --- requests that enter the directory --------------------------------------------------------------------------------


def _of_action(row: SysopActionRow) -> RequestRow:
    def answer(given: msgspec.Struct, asked: Asked) -> Iterable[msgspec.Struct]:
        assert isinstance(given, row.arguments)
        return [row.carry_out(Sysop(asked.instance, asked.by), given)]

    return RequestRow(row.word, row.arguments, answer, enters=True)


def _back_up(request: protocol.Backup, asked: Asked) -> Iterator[msgspec.Struct]:
    instance, descriptor = asked.instance, asked.line.descriptor
    log.info("%s takes a backup", asked.by)
    if descriptor is None:
        raise BadRequest("a backup needs the descriptor of the file it goes to (SCM_RIGHTS)")
    instance.databases.refuse_server(BACKUP_INSTEAD)
    with open(os.dup(descriptor), "wb") as out:
        yield backup.take(instance.data, instance.segment.bank_lock, out, patience=BUSY_SECONDS)


# --- requests that the listener carries out ---------------------------------------------------------------------------


def cannot_try() -> tuple[int, str]:
    """Return that there is no program to be tried out (a `TryOut`)."""
    return Exit.UNAVAILABLE, "this BBS has no listener that could be replaced"


def _upgrade(request: protocol.UpgradeListener, asked: Asked) -> Iterator[msgspec.Struct]:
    listener = _listener(asked)
    code, said = asked.try_out()
    if code != Exit.OK:
        raise NotDone(said)
    log.info("%s asks for an upgrade: %s", asked.by, said)
    before = _upgrades(asked.instance)
    took = _signalled(listener, signal.SIGUSR2, asked.line, lambda: _upgrades(asked.instance) > before, UPGRADE_SECONDS)
    yield Upgraded(__version__, _version(said), took)


def _reload(request: protocol.ReloadConfiguration, asked: Asked) -> Iterator[msgspec.Struct]:
    """Wait for the new file that the listener writes when it has taken the configuration over."""
    listener = _listener(asked)
    code, said = asked.try_out()
    if code == Exit.CONFIG:
        raise NotDone(said)
    log.info("%s has the configuration read again", asked.by)
    before = _file(asked.instance)
    yield Reloaded(
        _signalled(listener, signal.SIGHUP, asked.line, lambda: _file(asked.instance) != before, RELOAD_SECONDS)
    )


def _listener(asked: Asked) -> Identity:
    listener = asked.instance.segment.head.listener
    if listener is None or not process.is_alive(listener):
        raise NotDone("there is no listener")
    return listener


def _version(said: str) -> str:
    """Read the version from the verdict: `yawc-telnetd 1.0.0 can start: ...`."""
    return said.partition(" can start")[0].rpartition(" ")[2]


def _upgrades(instance: Instance) -> int:
    return counters.read_metrics(instance.segment).counter(counters.UPGRADES)


def _file(instance: Instance) -> tuple[int, int]:
    facts = (instance.data / CONFIG_FILE).stat()
    return facts.st_ino, facts.st_mtime_ns


def _signalled(
    listener: Identity, number: int, line: ControlLine, is_done: Callable[[], bool], seconds: float
) -> float:
    """Send a signal, wait for its effect, and return the seconds that took."""
    started = time.monotonic()
    if not process.kill(listener, number):
        raise NotDone("there is no listener any more")
    while not is_done():
        if time.monotonic() - started > seconds:
            raise NotDone(f"the listener has not done it within {seconds:g} seconds; its log may say why")
        if not process.is_alive(listener):
            raise NotDone("the listener has died over it; its log may say why")
        line.pause(SIGNAL_LOOK_SECONDS)
    return round(time.monotonic() - started, 2)


# --- the table --------------------------------------------------------------------------------------------------------

_LOOKS = (
    request_row(protocol.Status, _status, enters=False),
    request_row(protocol.Who, _who, enters=False),
    request_row(protocol.ListTables, _tables, enters=False),
    request_row(protocol.WatchTable, _watch, enters=False),
)
_OTHERS = (
    request_row(protocol.ListBans, lambda request, asked: asked.instance.bans.all()),
    request_row(
        protocol.ListActions, lambda request, asked: actions.sysop_actions(asked.instance, request.name, request.limit)
    ),
    request_row(protocol.ListWall, lambda request, asked: asked.instance.meeting.wall.lines()),
    request_row(protocol.Backup, _back_up),
    request_row(protocol.UpgradeListener, _upgrade, enters=False),
    request_row(protocol.ReloadConfiguration, _reload, enters=False),
)


def all_requests() -> dict[str, RequestRow]:
    """Return every request that there is by its word, those of extras too. Raise `ValueError` for a word of two."""
    of_actions = map(_of_action, SYSOP_ACTIONS.values())
    rows = [*_LOOKS, *of_actions, *_OTHERS, *announced("requests", RequestRow)]
    found = {row.word: row for row in rows}
    if len(found) < len(rows):
        raise ValueError(f"two requests have one word: {sorted(row.word for row in rows)}")
    return found
