"""What each order of the sysop's tool does, for those that change something or need the databases.

Owns the way from an order to the office's function and from what came of it to the answer. The process is in the
directory and holds no lock. Raises what the office raises.
"""

import logging
import os
from collections.abc import Iterator

from yawc_poker.casino import backup
from yawc_poker.casino.instance.instance import House
from yawc_poker.casino.moderation import actions
from yawc_poker.casino.moderation.procedure import Done
from yawc_poker.casino.store import BUSY_SECONDS
from yawc_poker.control import protocol
from yawc_poker.control.connection import ControlLine
from yawc_poker.control.protocol import Answer, BadOrder, Order, row

log = logging.getLogger(__name__)


def act(order: Order, house: House, by: str, line: ControlLine) -> Iterator[Answer]:
    """Carry out an order; `by` says whose it is."""
    match order:
        case protocol.Bans():
            yield from map(row, actions.bans(house))
        case protocol.Acts():
            yield from map(row, actions.acts(house, order.name, order.limit))
        case protocol.Backup():
            log.info("%s takes a backup", by)
            yield _back_up(house, line.descriptor)
        case _:
            yield row(_office(order, house, by))


def _office(order: Order, house: House, by: str) -> Done:
    match order:
        case protocol.Say(text):
            return actions.say(house, text, by=by)
        case protocol.Kick(name, reason):
            return actions.kick(house, name, by=by, reason=reason)
        case protocol.Ban(target, reason, seconds, kind):
            return actions.ban(house, target, seconds, by=by, reason=reason, kind=kind)
        case protocol.Unban(target, reason, kind):
            return actions.unban(house, target, by=by, reason=reason, kind=kind)
        case protocol.Warn(name, reason):
            return actions.warn(house, name, by=by, reason=reason)
        case protocol.Twit(name, reason, seconds):
            return actions.twit(house, name, seconds, by=by, reason=reason)
        case protocol.Untwit(name, reason):
            return actions.untwit(house, name, by=by, reason=reason)
        case protocol.Password(name, reason):
            return actions.reset_password(house, name, by=by, reason=reason)
        case protocol.Delete(name, reason):
            return actions.delete(house, name, by=by, reason=reason)
        case protocol.Grant(name, cubes, reason):
            return actions.grant(house, name, cubes, by=by, reason=reason)
        case protocol.Take(name, cubes, reason):
            return actions.take(house, name, cubes, by=by, reason=reason)
        case protocol.Sysop(name, on, reason):
            return actions.set_sysop(house, name, on, by=by, reason=reason)
    raise BadOrder(f"nobody carries out {order.word!r}")


def _back_up(house: House, descriptor: int | None) -> Answer:
    if descriptor is None:
        raise BadOrder("a backup needs the descriptor of the file it goes to (SCM_RIGHTS)")
    with open(os.dup(descriptor), "wb") as out:
        return row(backup.take(house.data, house.segment.bank_lock, out, patience=BUSY_SECONDS))
