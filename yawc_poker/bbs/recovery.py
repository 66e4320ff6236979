"""Recovery: the databases are put right while nobody is in the BBS, before its first session and after its last.

Owns the traces that a kill, or a backup put back, may have left: stakes of games that nobody plays any more, CUBES of
pending sysop actions, the listener's list of bans. Never touches a table: what it knew of its game is an argument. All
of it may be done again. A listener that is about to have sessions does it in a forked child, so that none of them
inherits an open database.
"""

import logging
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.bbs.companion import Companion
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.casino.instance.instance import BANNED_FILE
from yawc_poker.casino.moderation.actions import finish_pending
from yawc_poker.casino.rankings.days import keep_past_days
from yawc_poker.casino.rankings.periods import day_of
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.bans import Bans
from yawc_poker.casino.users.sysop_log import SysopLog
from yawc_poker.casino.users.visits import open_logins, write_gone
from yawc_poker.config import Config
from yawc_poker.engine.transcript import Transcript
from yawc_poker.ipc import process
from yawc_poker.ipc.segment import Segment
from yawc_poker.registry.tables import unfinished

log = logging.getLogger(__name__)


def recover(databases: Databases, segment: Segment, games: Mapping[int, Transcript], *, beside: bool = False) -> None:
    """Open both databases (they may be missing or unusable) and move back the stakes of games nobody plays any more.

    The transcripts that their tables held (`games`) go to the books. CUBES of pending sysop actions move, too, and the
    days that are over are counted for the rankings. The keys of names are made by this program's rule. Who had not
    logged out is noted as gone. `beside` other hosts, where people play, games and visits are left as they are. Raise
    `StoreError`.
    """
    accounts = databases.accounts(segment)
    bank = databases.bank(segment)
    accounts.renew_look_keys()
    for refunded in [] if beside else bank.settle_leftovers(transcripts=games):
        log.warning("game %d was broken off; stakes went back: %s", refunded.number, refunded.shares)
    finish_pending(SysopLog(accounts.store), bank)
    keep_past_days(bank.store, day_of(accounts.store.clock()))
    if not beside:
        with accounts.store.writing() as users:
            write_gone(users, open_logins(users), accounts.store.clock())
    accounts.close()
    bank.close()


class Host:
    """How the BBS of a host begins and ends that is the only one of its casino; an extra may know others."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases

    def examine(self, config: Config) -> None:
        """Raise `StoreError` if its BBS could not start. Changes nothing."""
        self._databases.examine()

    def begin(self, segment: Segment, games: Mapping[int, Transcript], config: Config) -> None:
        """Recover what the BBS before this one left; `games` are those that its segment held. Raise `StoreError`."""
        recover(self._databases, segment, games)

    def end(self, segment: Segment) -> None:
        """Do the same when the BBS has closed. Raise `StoreError`."""
        recover(self._databases, segment, unfinished(segment))

    def companion(self, segment: Segment) -> Companion:
        """Return the process that the host has beside its sessions, as the listener sees it."""
        return Companion(segment)


class HostKind(NamedTuple):
    """How an extra has a BBS begin and end on one of several hosts (place `host`)."""

    of: Callable[[Databases], Host | None]
    """None: it is the only one, or has other databases."""


def host_with(databases: Databases) -> Host:
    """Return the host that a BBS with these databases has."""
    for kind in announced("host", HostKind):
        if (found := kind.of(databases)) is not None:
            return found
    return Host(databases)


def recover_apart(databases: Databases, segment: Segment, games: Mapping[int, Transcript], config: Config) -> None:
    """Begin in a forked child, before there is a session, and write the list of bans anew.

    Raise `StoreError` if the child fails for any reason.
    """
    reader, writer = os.pipe()
    listener = os.getpid()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            process.die_with(listener)
            os.close(reader)
            host = host_with(databases)
            host.examine(config)
            databases.mark()
            host.begin(segment, games, config)
            _publish_bans(databases, segment)
            code = 0
        except StoreError as error:
            os.write(writer, str(error).encode())
        except BaseException as error:
            os.write(writer, repr(error).encode())
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        message = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise StoreError(message or f"the databases could not be opened (status {status})")


def _publish_bans(databases: Databases, segment: Segment) -> None:
    """Write the list of bans anew: a kill, or a backup put back, may have made it wrong."""
    accounts = databases.accounts(segment)
    try:
        Bans(accounts.store, databases.data / BANNED_FILE).publish()
    except OSError as error:
        log.error("the listener does not know of all bans: %s", error.strerror)
    accounts.close()
