"""A control process: forked by the listener for one connection to the control socket, it serves one request of
`yawcctl`.

Owns the life of such a process, from the request to the exit code; what answers is in `requests`. It is no session: it
has no user and no seat. A request that changes something enters the directory as a session does, so that locks,
their breaking and the notifier work the same, and leaves it again in any case. A request that only looks takes no lock
and no place: it works when none is to be had. Killed at any moment the process leaves what a killed session leaves:
nothing that the kernel or the next purge does not put right.

Invariants: no input makes it raise; no lock is held while an answer is sent; each change is logged with the name of the
uid that the kernel reports for the other end.
"""

import logging
import pwd
import socket
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import Final

import msgspec

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.procedure import Refused
from yawc_poker.casino.presence.directory import DirectoryFull
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.snapshot import CONTROL_PEER
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.control import requests
from yawc_poker.control.connection import ControlLine, Gone
from yawc_poker.control.protocol import DONE, FAILED, REFUSED, AnswerLine, BadRequest, end, row, write_answer
from yawc_poker.ipc.cell import TornRead
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.endings import ClosingDown, Dismissed, Exit
from yawc_poker.session.run import OpenInstance
from yawc_poker.terminal.text import clean

log = logging.getLogger(__name__)

_CLOSING = "the BBS is closing down"
LAST_WORD_SECONDS = 0.5
"""How long the last line may take while the BBS closes."""
REQUESTS: Final = requests.all_requests()
"""By word. Put together when the listener loads this: a request that two bring is an error at the start."""


def serve_control(
    connection: socket.socket, peer: str, open_instance: OpenInstance, try_out: requests.TryOut = requests.cannot_try
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


def _serve(line: ControlLine, open_instance: OpenInstance, try_out: requests.TryOut) -> Exit:
    by = f"yawcctl/{_name(line.user)}"
    try:
        request, given = requests.read_request(line.request(), REQUESTS)
        # Closed in any case, so that the directory is left.
        with closing(_answers(request, given, by, line, open_instance, try_out)) as answers:
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
    request: requests.RequestRow,
    given: msgspec.Struct,
    by: str,
    line: ControlLine,
    open_instance: OpenInstance,
    try_out: requests.TryOut,
) -> Generator[AnswerLine, None, None]:
    """Carry out a request and yield all lines of its answer, the last one in any case."""
    try:
        instance = open_instance()
        with _entered(instance) if request.enters else nullcontext():
            yield from map(row, request.answer(given, requests.Asked(instance, by, line, try_out)))
    except (Refused, requests.NoSuchTable, requests.NotDone) as refusal:
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
