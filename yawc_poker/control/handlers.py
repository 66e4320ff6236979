"""The requests that change something or need the databases.

Owns the way from a request to the function that carries it out, and from its result to the answer. The process is in
the directory and holds no lock. Raises what those functions raise.
"""

import logging
import os
from collections.abc import Iterator

from yawc_poker.casino import backup
from yawc_poker.casino.instance.databases import BACKUP_INSTEAD
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation import actions
from yawc_poker.casino.moderation.rows import Sysop
from yawc_poker.casino.moderation.table import SYSOP_ACTIONS
from yawc_poker.casino.store.connection import BUSY_SECONDS
from yawc_poker.control import protocol
from yawc_poker.control.connection import ControlLine
from yawc_poker.control.event_stream import events
from yawc_poker.control.protocol import AnswerLine, AnyRequest, BadRequest, SysopRequest, row
from yawc_poker.extras.exchange.exchange import exchange_of

log = logging.getLogger(__name__)


def handle(request: AnyRequest, instance: Instance, by: str, line: ControlLine) -> Iterator[AnswerLine]:
    """Carry out a request of the sysop `by`, and yield the rows of its answer."""
    match request:
        case SysopRequest(word, arguments):
            yield row(SYSOP_ACTIONS[word].carry_out(Sysop(instance, by), arguments))
        case protocol.ListBans():
            yield from map(row, actions.bans(instance))
        case protocol.ListWall():
            yield from map(row, actions.wall(instance))
        case protocol.ListActions():
            yield from map(row, actions.sysop_actions(instance, request.name, request.limit))
        case protocol.Events():
            log.info("%s reads the events", by)
            yield from map(row, events(request, instance, line))
        case protocol.Backup():
            log.info("%s takes a backup", by)
            yield _back_up(instance, line.descriptor)
        case protocol.MakeUpHours(hours):
            yield _make_up(instance, by, hours)
        case _:
            raise BadRequest(f"nobody carries out {request.word!r}")


def _make_up(instance: Instance, by: str, hours: int) -> AnswerLine:
    done, latest = exchange_of(instance).make_up(hours)
    if hours:
        log.info("%s made up %d hours of the share prices", by, done)
    return row(protocol.Hours(done, latest))


def _back_up(instance: Instance, descriptor: int | None) -> AnswerLine:
    if descriptor is None:
        raise BadRequest("a backup needs the descriptor of the file it goes to (SCM_RIGHTS)")
    instance.databases.refuse_server(BACKUP_INSTEAD)
    with open(os.dup(descriptor), "wb") as out:
        return row(backup.take(instance.data, instance.segment.bank_lock, out, patience=BUSY_SECONDS))
