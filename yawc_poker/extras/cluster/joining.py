"""How a host takes part in a cluster: it takes its lease at the start, and gives it back when it is closed.

Owns the order of both, and who settles what nobody plays any more: the host that takes a lease while nobody holds one,
or that is the last to close. It says so in its row, and a start waits until it is done, so nobody begins a game that is
taken for one of those. The rules of leases are in `leases`.

A start waits, too, for a sign of each host that holds a lease, and asks for it: a host that is well answers within a
moment. One that has died does not within the time of a lease, and loses it. So hosts that were killed together, and
start together, do not take each other for living, and what nobody plays is settled.
"""

import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import DecodeError

from yawc_poker import __version__
from yawc_poker.bbs.recovery import recover
from yawc_poker.casino.files import write_as_owner
from yawc_poker.casino.instance.instance import games_by_table, layout
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import Connection, Store, StoreError
from yawc_poker.casino.store.users import USERS
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.visits import open_logins, write_gone
from yawc_poker.config import Config
from yawc_poker.engine.transcript import Transcript
from yawc_poker.extras.cluster import leases, messages, table_rows
from yawc_poker.extras.cluster.databases import ServerDatabases
from yawc_poker.extras.cluster.layout import CLUSTER
from yawc_poker.extras.cluster.leases import FOUNDING_SECONDS, Claim, Ended, Host, HostsDiffer, Own, Shape, Signs
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.messages import CHANNEL, NOBODY, Knocked
from yawc_poker.extras.cluster.server.access import Access
from yawc_poker.extras.cluster.settings import ClusterSettings
from yawc_poker.ipc.layout import LAYOUT_VERSION
from yawc_poker.ipc.segment import Segment
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.registry.tables import pots_in, unfinished_in

log = logging.getLogger(__name__)

IDENTITY_FILE: Final = "cluster.id"
"""A random name of the data directory, by which the others know that it is the same host that comes back."""
_LOOK_SECONDS: Final = 0.25
"""Interval at which a start that waits looks again."""


class Joined(NamedTuple):
    """A host that holds a lease."""

    claim: Claim
    kinds: Sequence[str]
    """The games of all tables, as those played them who had the tables last."""


def own_of(data: Path, config: Config, *, makes: bool = True) -> Own:
    """Return a host as it is set up; with `makes` its identity is made. Raise `StoreError` if there can be none."""
    kinds, cluster = tuple(games_by_table(config)), config.of(ClusterSettings)
    span = layout(config).sessions // cluster.hosts
    shape = _shape(kinds, span, cluster.hosts, cluster.lease_seconds)
    return Own(cluster.host, _identity(data, makes=makes), __version__, shape)


def own_again(databases: ServerDatabases, segment: Segment) -> Own:
    """Return this host for another lease: as its segment was made, whatever the configuration says by now.

    Raise `StoreError`.
    """
    here, cluster = ClusteredHost(segment.head), databases.cluster
    kinds = tuple(cell.game for cell in segment.cells)
    shape = _shape(kinds, here.span, len(segment.records) // here.span, cluster.lease_seconds)
    return Own(cluster.host, _identity(databases.data, makes=True), __version__, shape)


def _shape(kinds: tuple[str, ...], span: int, most: int, lease_seconds: float) -> Shape:
    made = (BOOKS, USERS, CLUSTER)
    versions = {layout.schema: layout.version("postgresql") for layout in made}
    usable_from = {layout.schema: layout.usable_from for layout in made}
    return Shape(kinds, span, most, LAYOUT_VERSION, lease_seconds, versions, usable_from)


def _identity(data: Path, *, makes: bool) -> str:
    """Return the data directory's identity, made if there is none."""
    file = data / IDENTITY_FILE
    try:
        with suppress(FileNotFoundError):
            return file.read_text().strip()
        identity = secrets.token_hex(16)
        if makes:
            write_as_owner(file, identity.encode())
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}") from None
    return identity


# --- coming -----------------------------------------------------------------------------------------------------------


def join(databases: ServerDatabases, segment: Segment, own: Own) -> Joined:
    """Take the lease of this host, lay out its segment, and free what its sessions of former epochs had.

    Wait while another host settles what nobody plays, or may come back. Raise `StoreError`.
    """
    here = ClusteredHost(segment.head)
    databases.schemas()  # also of a host that begins anew: the database may have been moved back into files
    with closing(databases.shared()) as store, store.reading() as shared:
        before = leases.all_hosts(shared)
    with closing(databases.users()) as store:
        claim = _registered(store, own, here)
        if here.is_clustered and here.number != claim.number:  # its sessions' records follow from it
            with store.writing() as users:
                leases.give_back(users, claim.number, claim.epoch)
            raise HostsDiffer(f"host {own.name} has another number now: stop and start its BBS")
    moment = time.monotonic()
    if not here.is_clustered:
        here.lay_out(claim.number, own.shape.span)
    for host in before:
        here.note_lease(host.number, host.epoch, host.holds)
    for one in claim.ended:
        here.note_lease(one.number, one.epoch, False)
    here.note_lease(claim.number, claim.epoch, True)
    here.offset = claim.now - moment
    here.renewed = moment
    here.fenced = claim.epoch  # first: whoever comes in now plays nothing that would be taken for left over
    here.epoch = claim.epoch
    beside = "alone" if claim.alone else "beside others"
    log.info("host %s: number %d, epoch %d, %s", own.name, claim.number, claim.epoch, beside)
    return Joined(claim, _kinds(before) or own.shape.tables)


def _registered(store: Store, own: Own, here: ClusteredHost) -> Claim:
    """Take the lease as soon as it can be; with those that end by it go the rows of their sessions, in one transaction.

    `store` is the accounts', and its transactions are not fenced.
    """
    seconds = own.shape.lease_seconds
    signs, started, told = Signs(seconds), time.monotonic(), ""
    while True:
        here.works()
        with store.writing() as users:
            outcome = leases.register(users, own, FOUNDING_SECONDS, signs)
            if isinstance(outcome, Claim):
                forget_sessions(users, outcome.ended, outcome.now)
                return outcome
            if outcome.waits_for_sign:
                users.execute("SELECT pg_notify(?, ?)", (CHANNEL, messages.encoded(Knocked(NOBODY))))
        is_slow = not outcome.waits_for_sign or time.monotonic() - started > seconds / 3
        if is_slow and outcome.reason != told:
            log.warning("host %s waits: %s", own.name, outcome.reason)
            told = outcome.reason
        time.sleep(min(_LOOK_SECONDS, seconds / 15))


def _kinds(known: Sequence[Host]) -> tuple[str, ...]:
    """Return the games of all tables, as the host knew them that began last; nothing if there was none."""
    for host in sorted(known, key=lambda host: host.since, reverse=True):
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(host.shape, type=Shape).tables
    return ()


def make_ready(databases: ServerDatabases, segment: Segment, joined: Joined) -> None:
    """Make the rows of all tables, without a value if this host is alone, and let others start. Raise `StoreError`."""
    claim, tables = joined.claim, len(segment.cells)
    bank = databases.bank(segment)
    with closing(bank.store), bank.store.writing() as books:
        if claim.alone:
            table_rows.clear(books)
            books.execute("DELETE FROM cluster.place WHERE number >= ?", (tables,))
        table_rows.lay_out(books, tables)
        if not leases.settled(books, claim.number, claim.epoch):
            raise StoreError("another host took this one's lease away while it started")
    ClusteredHost(segment.head).fenced = 0


def left_games(databases: ServerDatabases, segment: Segment, kinds: Sequence[str]) -> Mapping[int, Transcript]:
    """Return the transcripts of the games that the tables' rows hold, by the games' numbers. Raise `StoreError`."""
    bank = databases.bank(segment)
    with closing(bank.store), bank.store.reading() as books:
        rows = books.execute("SELECT number, value FROM cluster.place WHERE value <> ''").fetchall()
    return unfinished_in({int(number): bytes(value) for number, value in rows}, kinds)


def forget_sessions(users: Connection, ended: Sequence[Ended], now: float) -> None:
    """Delete the rows of the sessions that hosts had in epochs that have ended, and note that their users are gone.

    Raise what a statement raises.
    """
    if not ended:
        return
    logins = open_logins(users)
    delete = 'DELETE FROM cluster.session WHERE host = ? AND epoch < ? RETURNING "user"'
    for one in ended:
        gone = [int(user) for (user,) in users.execute(delete, (one.number, one.epoch))]
        write_gone(users, {user: logins[user] for user in gone if user in logins}, now)


# --- going ------------------------------------------------------------------------------------------------------------


def others_go_on(databases: ServerDatabases, here: ClusteredHost) -> bool:
    """Return whether other hosts hold leases; where the database cannot say, what the courier knows."""
    try:
        with closing(databases.shared(Access.USE)) as store, store.reading() as shared:
            return any(host.holds for host in leases.all_hosts(shared) if host.number != here.number)
    except StoreError as error:
        log.warning("host: %s", error)
        return here.has_neighbours


def is_last(databases: ServerDatabases, segment: Segment) -> bool:
    """Return whether a host that closes is the last: then what nobody plays is its to settle. Raise `StoreError`.

    If it is not, its lease has ended by then: of hosts that close at once, one finds itself the last.
    """
    here = ClusteredHost(segment.head)
    with closing(databases.shared(Access.USE)) as store, store.writing() as shared:
        is_last = leases.stay_alone(shared, here.number, here.epoch)
        if not is_last:
            leases.give_back(shared, here.number, here.epoch)
        return is_last


def part(databases: ServerDatabases, segment: Segment, *, last: bool) -> None:
    """End the lease of a host that closes, and free what its sessions left. Raise `StoreError`."""
    here = ClusteredHost(segment.head)
    if last:
        bank = databases.bank(segment)
        with closing(bank.store), bank.store.writing() as books:
            table_rows.clear(books)
    accounts = databases.accounts(segment)
    with closing(accounts.store), accounts.store.writing() as users:
        forget_sessions(users, [Ended(here.number, here.epoch + 1)], accounts.store.clock())
        leases.give_back(users, here.number, here.epoch)


# --- both, in their order ---------------------------------------------------------------------------------------------


def begin(databases: ServerDatabases, segment: Segment, config: Config) -> None:
    """Take the lease of a host, and recover as much as is this host's to do. Raise `StoreError`."""
    is_new = not ClusteredHost(segment.head).is_clustered
    joined = join(databases, segment, own_of(databases.data, config) if is_new else own_again(databases, segment))
    games = left_games(databases, segment, joined.kinds) if joined.claim.alone else {}
    recover(databases, segment, games, beside=not joined.claim.alone)
    make_ready(databases, segment, joined)


def end(databases: ServerDatabases, segment: Segment) -> None:
    """Do as much as is left to a host that has closed, and give its lease back. Raise `StoreError`."""
    last = is_last(databases, segment)
    if last:
        recover(databases, segment, left_games(databases, segment, [cell.game for cell in segment.cells]))
    part(databases, segment, last=last)


# --- looking ----------------------------------------------------------------------------------------------------------


def refuse_beside(databases: ServerDatabases, config: Config) -> None:
    """Raise `StoreError` if a BBS could not start beside the hosts that run. Changes nothing."""
    known = known_hosts(databases)
    if databases.cluster.host:
        leases.refuse(own_of(databases.data, config, makes=False), known)
    elif running := [host.name for host in known if host.holds and not host.has_run_out]:
        raise HostsDiffer(f"hosts use this database ({', '.join(running)}): set [cluster] host, or stop them all")


def shut_out(databases: ServerDatabases) -> None:
    """Take away all leases, which have run out, before a BBS that is no host starts. Raise `StoreError`."""
    if any(host.holds for host in known_hosts(databases)):
        with closing(databases.shared()) as store, store.reading():
            pass  # its layout is brought up to date
        accounts = Accounts(databases.users())
        with closing(accounts.store), accounts.store.writing() as users:
            forget_sessions(users, leases.take_all(users), accounts.store.clock())


def untrue_pots(books: Connection) -> list[str]:
    """Return a line for each table of several hosts whose row and the ledger do not agree. Never raise for the content.

    Both change in one transaction, so at any moment they do.
    """
    if books.engine == "sqlite" or not books.execute("SELECT to_regclass('cluster.place') IS NOT NULL").fetchone()[0]:
        return []
    known = leases.all_hosts(books)
    if not any(host.holds for host in known):
        return []  # the rows are what the last of them left
    values = {int(number): bytes(value) for number, value in books.execute("SELECT number, value FROM cluster.place")}
    ledger = books.execute(
        "SELECT table_no, game.id, balance FROM game JOIN account ON account.kind = 'pot' AND ref = table_no"
        " WHERE closed IS NULL"
    )
    try:
        shown = pots_in(values, _kinds(known))
    except (DecodeError, UnknownGame, IndexError) as error:
        return [f"a check cannot be made: {error}: the pots of tables"]
    held = {int(table): (int(game), int(pot)) for table, game, pot in ledger}
    return [
        f"table {table + 1} {_told(shown.get(table))}, the ledger {_told(held.get(table))}"
        for table in sorted(shown.keys() | held.keys())
        if shown.get(table) != held.get(table)
    ]


def _told(game: tuple[int, int] | None) -> str:
    return "has no game" if game is None else f"has game {game[0]} with {game[1]} in the pot"


def known_hosts(databases: ServerDatabases) -> list[Host]:
    """Return the hosts that use a database; none where none ever did. Raise `StoreError`.

    It is asked before a start, so the tables may still have the layout of a former program.
    """
    if not databases.schemas():
        return []
    with closing(databases.shared(Access.LOOK_AT_ANY)) as store, store.reading() as shared:
        (made,) = shared.execute("SELECT to_regclass('cluster.host') IS NOT NULL").fetchone()
        return leases.all_hosts(shared) if made else []
