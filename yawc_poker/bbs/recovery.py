"""Recovery: the databases are put right while nobody is in the BBS, before its first session and after its last.

Owns the traces that a kill, or a backup put back, may have left: stakes of games that nobody plays any more, CUBES of
pending sysop actions, the listener's list of bans. Never touches a table: what it knew of its game is an argument. All
of it may be done again. A listener that is about to have sessions does it in a forked child, so that none of them
inherits an open database.
"""

import logging
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from yawc_poker.bbs import joining
from yawc_poker.casino.cluster.local_host import LocalHost
from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE, Databases
from yawc_poker.casino.instance.instance import BANNED_FILE
from yawc_poker.casino.moderation.actions import finish_pending
from yawc_poker.casino.rankings.days import keep_past_days
from yawc_poker.casino.rankings.periods import day_of
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.store.sqlite import is_there
from yawc_poker.casino.users.bans import Bans
from yawc_poker.casino.users.sysop_log import SysopLog
from yawc_poker.casino.users.visits import open_logins, write_gone
from yawc_poker.config import Config
from yawc_poker.engine.transcript import Transcript
from yawc_poker.ipc.segment import Segment
from yawc_poker.registry.tables import unfinished

log = logging.getLogger(__name__)


_SOMEBODY = (
    (USERS_FILE, "SELECT 1 FROM user LIMIT 1", "accounts"),
    (BANK_FILE, "SELECT 1 FROM account WHERE kind = 'user' LIMIT 1", "CUBES of accounts"),
)


def refuse_half(data: Path) -> None:
    """Raise `StoreError` if one of the files is missing and the other has something to lose: both make one BBS.

    An empty ledger would take everybody's CUBES, and empty accounts would give old CUBES to new users.
    """
    missing = [file for file, _, _ in _SOMEBODY if not is_there(data / file)]
    for file, query, what in _SOMEBODY:
        if len(missing) == 1 and file not in missing and _finds(data / file, query):
            raise StoreError(
                f"{data / missing[0]} is missing, and {file} has {what}: put it back (yawcctl restore FILE --replace),"
                f" or move {file} away as well to begin with an empty BBS"
            )


def refuse_unusable(databases: Databases, config: Config) -> None:
    """Raise `StoreError` if a BBS could not start with these databases."""
    databases.examine()
    if databases.url:
        joining.refuse_beside(databases, config)
    else:
        refuse_half(databases.data)


def _finds(path: Path, query: str) -> bool:
    """Return whether a query finds a row; of a file that cannot be asked, whether there is anything in it."""
    try:
        if not path.is_file():
            return False  # opening it as a database reports what it is
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
        try:
            return database.execute(query).fetchone() is not None
        except sqlite3.Error:
            return path.stat().st_size > 0


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


def recover_host(databases: Databases, segment: Segment, config: Config) -> None:
    """Take the lease of one of several hosts, and do the same as far as it is this host's to do. Raise `StoreError`."""
    is_new = not LocalHost(segment.head).is_clustered
    own = joining.own_of(databases.data, config) if is_new else joining.own_again(databases, segment)
    joined = joining.join(databases, segment, own)
    games = joining.left_games(databases, segment, joined.kinds) if joined.claim.alone else {}
    recover(databases, segment, games, beside=not joined.claim.alone)
    joining.make_ready(databases, segment, joined)


def recover_end(databases: Databases, segment: Segment) -> None:
    """Do that when a BBS has closed. One of several hosts does as much as is left to it, and gives its lease back.

    Raise `StoreError`.
    """
    if not databases.cluster.host:
        recover(databases, segment, unfinished(segment))
        return
    last = joining.is_last(databases, segment)
    if last:
        recover(databases, segment, joining.left_games(databases, segment, [cell.game for cell in segment.cells]))
    joining.part(databases, segment, last=last)


def recover_apart(databases: Databases, segment: Segment, games: Mapping[int, Transcript], config: Config) -> None:
    """Do that in a forked child, before there is a session, and write the list of bans anew.

    Raise `StoreError` if the child fails for any reason.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reader)
            refuse_unusable(databases, config)
            databases.mark()
            if databases.cluster.host:
                recover_host(databases, segment, config)
            else:
                if databases.url:
                    joining.shut_out(databases)
                recover(databases, segment, games)
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
