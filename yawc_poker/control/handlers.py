"""What each request of the sysop's tool does, for those that change something or need the databases.

Owns the way from a request to the office's function and from what came of it to the answer. The process is in the
directory and holds no lock. Raises what the office raises.
"""

import logging
import os
from collections.abc import Iterator

from yawc_poker.casino import backup
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation import actions
from yawc_poker.casino.moderation.procedure import Done
from yawc_poker.casino.store import BUSY_SECONDS
from yawc_poker.control import protocol
from yawc_poker.control.connection import ControlLine
from yawc_poker.control.protocol import Answer, BadRequest, Request, row

log = logging.getLogger(__name__)


def handle(request: Request, instance: Instance, by: str, line: ControlLine) -> Iterator[Answer]:
    """Carry out a request; `by` says whose it is."""
    match request:
        case protocol.ListBans():
            yield from map(row, actions.bans(instance))
        case protocol.ListActions():
            yield from map(row, actions.sysop_actions(instance, request.name, request.limit))
        case protocol.Backup():
            log.info("%s takes a backup", by)
            yield _back_up(instance, line.descriptor)
        case _:
            yield row(_office(request, instance, by))


def _office(request: Request, instance: Instance, by: str) -> Done:
    match request:
        case protocol.SayToAll(text):
            return actions.say(instance, text, by=by)
        case protocol.Kick(name, reason):
            return actions.kick(instance, name, by=by, reason=reason)
        case protocol.BanTarget(target, reason, seconds, kind):
            return actions.ban(instance, target, seconds, by=by, reason=reason, kind=kind)
        case protocol.Unban(target, reason, kind):
            return actions.unban(instance, target, by=by, reason=reason, kind=kind)
        case protocol.Warn(name, reason):
            return actions.warn(instance, name, by=by, reason=reason)
        case protocol.Twit(name, reason, seconds):
            return actions.twit(instance, name, seconds, by=by, reason=reason)
        case protocol.Untwit(name, reason):
            return actions.untwit(instance, name, by=by, reason=reason)
        case protocol.Password(name, reason):
            return actions.reset_password(instance, name, by=by, reason=reason)
        case protocol.Delete(name, reason):
            return actions.delete(instance, name, by=by, reason=reason)
        case protocol.GrantCubes(name, cubes, reason):
            return actions.grant(instance, name, cubes, by=by, reason=reason)
        case protocol.TakeCubes(name, cubes, reason):
            return actions.take(instance, name, cubes, by=by, reason=reason)
        case protocol.Sysop(name, on, reason):
            return actions.set_sysop(instance, name, on, by=by, reason=reason)
    raise BadRequest(f"nobody carries out {request.word!r}")


def _back_up(instance: Instance, descriptor: int | None) -> Answer:
    if descriptor is None:
        raise BadRequest("a backup needs the descriptor of the file it goes to (SCM_RIGHTS)")
    with open(os.dup(descriptor), "wb") as out:
        return row(backup.take(instance.data, instance.segment.bank_lock, out, patience=BUSY_SECONDS))
