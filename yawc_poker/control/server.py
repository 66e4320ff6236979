"""A control process: forked by the listener for one connection to the control socket, it serves one request of
`yawcctl`.

Owns the life of such a process, from the request to the exit code, and the requests that only look. It is no session:
it has no user and no seat. A request that changes something enters the directory as a session does, so that locks,
their breaking and the notifier work the same, and leaves it again in any case. A request that only looks takes no lock
and no place: it works when none is to be had. Killed at any moment the process leaves what a killed session leaves:
nothing that the kernel or the next purge does not put right.

Invariants: no input makes it raise; no lock is held while an answer is sent; each change is logged with the name of the
uid that the kernel reports for the other end.
"""

import logging
import math
import pwd
import socket
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress

from msgspec.structs import replace

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.procedure import Refused
from yawc_poker.casino.monitoring.glance import glance
from yawc_poker.casino.monitoring.overview import CONTROL_PEER, TableView, overview, visitors
from yawc_poker.casino.presence.directory import DirectoryFull
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.presence.places import Entrance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.control import protocol
from yawc_poker.control.connection import ControlLine, Gone
from yawc_poker.control.handlers import handle
from yawc_poker.control.listener_requests import NotDone, TryOut, cannot_try, handle_listener_request
from yawc_poker.control.protocol import (
    DONE,
    FAILED,
    REFUSED,
    AnswerLine,
    AnyRequest,
    BadRequest,
    Request,
    SysopRequest,
    end,
    read_request,
    row,
    write_answer,
)
from yawc_poker.ipc.cell import TornRead
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.tables import Tables, table_view
from yawc_poker.session.caller.endings import ClosingDown, Dismissed, Exit
from yawc_poker.session.run import OpenInstance
from yawc_poker.terminal.text import clean

log = logging.getLogger(__name__)

_CLOSING = "the BBS is closing down"
LOOK_SECONDS = 0.2
"""How often `watch` looks whether its table has changed: it sits nowhere, so nobody wakes it."""
LAST_WORD_SECONDS = 0.5
"""How long the last line may take while the BBS closes."""


class NoSuchTable(Exception):
    """There is no such table; `str()` is one line."""


def serve_control(
    connection: socket.socket, peer: str, open_instance: OpenInstance, try_out: TryOut = cannot_try
) -> Exit:
    """Serve one request in this process (a door's service). Never raises.

    `try_out` runs the program that is installed now and returns whether it could start.
    """
    inbox = SignalInbox()
    try:
        with ControlLine(connection, inbox) as line:
            return _serve(line, open_instance, try_out)
    except Gone as gone:
        log.info("%s: %s", peer, gone)
        return Exit.OK
    except Exception:
        log.exception("a control process ended by a bug")
        return Exit.BUG
    finally:
        inbox.close()


def refusal_of_request(reason: str, line: bytes) -> bytes:
    """Return the answer to a request for which the listener cannot fork a process."""
    return write_answer(end(FAILED, f"the BBS cannot answer: {reason}"))


def _serve(line: ControlLine, open_instance: OpenInstance, try_out: TryOut) -> Exit:
    by = f"yawcctl/{_name(line.user)}"
    try:
        request = read_request(line.request())
        # Closed in any case, so that the directory is left.
        with closing(_answers(request, by, line, open_instance, try_out)) as answers:
            for answer in answers:
                line.send(write_answer(answer))
    except BadRequest as error:
        log.warning("%s: %s", by, clean(str(error), 300))
        line.send(write_answer(end(FAILED, str(error))))
    except Dismissed:
        line.send(write_answer(end(FAILED, _CLOSING)), LAST_WORD_SECONDS)
    return Exit.OK


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _answers(
    request: AnyRequest, by: str, line: ControlLine, open_instance: OpenInstance, try_out: TryOut
) -> Generator[AnswerLine, None, None]:
    """Carry out a request and yield all lines of its answer, the last one in any case."""
    try:
        instance = open_instance()
        if isinstance(request, SysopRequest) or request.enters:
            with _entered(instance):
                yield from handle(request, instance, by, line)
        elif isinstance(request, protocol.UpgradeListener | protocol.ReloadConfiguration):
            yield handle_listener_request(request, instance, by, line, try_out)
        else:
            yield from _look(request, instance, line)
    except (Refused, NoSuchTable, NotDone) as refusal:
        log.info("%s asks for %s and is refused: %s", by, request.word, clean(str(refusal), 200))
        yield end(REFUSED, str(refusal))
    except DirectoryFull:
        yield end(FAILED, "the BBS has no room for one more process: every place in its directory is taken")
    except (LockGone, ClosingDown):
        yield end(FAILED, _CLOSING)
    except (StoreError, LockTimeout, SegmentError, TornRead, OSError) as error:
        log.error("%s asked in vain for %s: %s", by, request.word, error)
        yield end(FAILED, str(error))
    except (Gone, Dismissed, BadRequest):
        raise
    except Exception:
        log.exception("%s asked for %s and met a bug", by, request.word)
        yield end(FAILED, "that was a mistake of the BBS; its log has the trace")
    else:
        yield end(DONE)


@contextmanager
def _entered(instance: Instance) -> Iterator[None]:
    """Enter the directory for the block, with the tables, which some sysop actions look after."""
    if instance.closing:
        raise ClosingDown
    instance.enter(CONTROL_PEER, Entrance.CONTROL)
    try:
        instance.tables = Tables(instance)
        yield
    finally:
        try:
            instance.leave()
        except (LockGone, LockTimeout, StoreError) as error:
            log.warning("a control process left without tidying up: %s", error)


# --- requests that only look ------------------------------------------------------------------------------------------


def _look(request: Request, instance: Instance, line: ControlLine) -> Iterator[AnswerLine]:
    match request:
        case protocol.Status():
            yield row(overview(instance))
        case protocol.Who():
            yield from map(row, visitors(instance))
        case protocol.ListTables():
            views = (_view(instance, cell.index) for cell in instance.segment.cells)
            yield from (row(view) for view in views if request.all or view.seats)
        case protocol.WatchTable():
            yield from _watch(request, instance, line)
        case protocol.Top():
            yield from _top(request, instance, line)
        case _:
            raise TypeError(f"nothing answers {request.word}")


def _top(request: protocol.Top, instance: Instance, line: ControlLine) -> Iterator[AnswerLine]:
    """Yield everything at a glance, and again every so many seconds; ends with the connection or the BBS."""
    while not (instance.closing or instance.segment.is_orphaned):
        yield row(glance(instance, _occupied(instance)))
        if request.once:
            return
        line.pause(request.every)
    raise ClosingDown


def _occupied(instance: Instance) -> list[TableView]:
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


def _watch(request: protocol.WatchTable, instance: Instance, line: ControlLine) -> Iterator[AnswerLine]:
    """Yield a table, and again when it has changed or `every` is over; ends with the connection or the BBS."""
    cells = instance.segment.cells
    if request.table > len(cells):
        raise NoSuchTable(f"there is no table {request.table}; there are {len(cells)}")
    cell, shown, due = cells[request.table - 1], -1, math.inf
    while not (instance.closing or instance.segment.is_orphaned):
        now = time.monotonic()
        if cell.number != shown or now >= due:
            view = _view(instance, cell.index)
            shown, due = view.commit, now + (request.every or math.inf)
            yield row(view)
        if request.once:
            return
        line.pause(LOOK_SECONDS)
    raise ClosingDown
