"""One casino on one host and on three, on PostgreSQL: a bet, bets a second, the transaction beside pgbench.

    python -m benchmarks.cluster [--quick] [--limits]

Each host is a daemon in a network namespace of its own, with PgBouncer (in transaction mode) and the server in another
(`tests.cluster.site`); all of them are on this machine and share its processors and its disk. The server is as durable
as PostgreSQL is shipped. Wants root, PostgreSQL, PgBouncer and pgbench. Prints a page; `--quick` is a test that it
works.

pgbench runs the statements of a bet as the server's log has them: one bet is made while the server logs all statements,
and they become a script, in which only the ledger's key and the number of its entry differ from one time to the next.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import psycopg

from benchmarks import machine
from benchmarks.couriers import crowded
from benchmarks.crowd import FIVE, Crowd, Five, Place, Visitor
from benchmarks.crowd import LocalHost as InOneMemory
from benchmarks.report import Figure, count, figure, ratio, said
from benchmarks.table import CONFIG, FAST, NAMES, TYPED, bets, seated, start
from benchmarks.transaction import PEOPLE, RICH, TABLE, Mute, game
from tests.cluster.namespaces import HUB
from tests.cluster.pooler import PORT
from tests.cluster.site import NAMES as HOSTS
from tests.cluster.site import Host, Site, why_not
from tests.end_to_end.bbs import Bbs
from tests.exchanges import Exchanges
from tests.isolation.processes import fork
from tests.isolation.stores import in_database
from tests.isolation.test_exchanges import deal, play
from tests.isolation.two_hosts import cluster_of
from tests.postgres import ROLE, Server, programs
from tests.waiting import wait_until
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.store.patience import patiently
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.login_attempts import Attempts
from yawc_poker.extras.cluster.databases import server_databases
from yawc_poker.ipc.broadcast import Ring
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.games import POKER_TABLES, SETTINGS

DURABLE: Final = {
    "fsync": "on",
    "full_page_writes": "on",
    "wal_level": "replica",
    "shared_buffers": "128MB",
    "max_connections": "100",
    "autovacuum": "on",
    "log_line_prefix": "%p ",
}
POOL: Final = 40
LEASE: Final = 15.0
REPETITIONS: Final = 5
TABLES: Final = (1, 2, 5, 10, 20, 50)
SECONDS: Final = 10.0
"""For which the tables of a step play."""
PACE: Final = 0.2
"""Seconds between two moves at a table: fast people, and no more than a session grants a caller's keys."""
GAMES: Final = 20
TRANSACTIONS: Final = 500
LOGINS: Final = 100
SESSIONS: Final = 10_000
COURIERS: Final = (1, 2, 4, 8)
TICKS_MEASURED: Final = 11
CROWDED: Final = (
    CONFIG.format(unlock="acknowledged")
    .replace("max_per_address = 200", f"max_per_address = {2 * FIVE * TABLES[-1]}")
    .replace("[poker]\n", f"[poker]\ntables = {TABLES[-1] + 1}\n")
)


def main() -> None:
    """Measure everything, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--limits", action="store_true", help="only what docs/cluster.md reckons its limits from")
    asked = parser.parse_args()
    quick, only = asked.quick, asked.limits
    if reason := why_not() or ("" if _pgbench() else "pgbench is needed (Debian: postgresql-contrib or postgresql)"):
        parser.error(reason)
    for name, value in machine.facts(machine.load()).items():
        print(f"{name}: {value}")
    print("\n| what | p50 | p99 |\n|---|---|---|")
    for one in () if only else (*at_a_table(quick), *beside_pgbench(quick)):
        print(f"| {one.name} | {said(one.p50, one.unit)} | {said(one.p99, one.unit) if one.p99 is not None else ''} |")
    print("\n| what waits for the database | exchanges, at most |\n|---|---|")
    for step, most in exchanges():
        print(f"| {step} | {most} |", flush=True)
    print("\n| logins at once | came in | first | last |\n|---|---|---|---|")
    print(logins_at_once(10 if quick else LOGINS), flush=True)
    print("\n| hosts, sessions of all | a tick, changes in it | a courier's processor time a second |\n|---|---|---|")
    for hosts in (2,) if quick else COURIERS:
        print(courier_of(hosts, 500 if quick else SESSIONS), flush=True)
    if only:
        return
    print("\n| where | tables of five | moves asked | made | p50 | p99 | clients of the pooler | connections |")
    print("|---|---|---|---|---|---|---|---|")
    for lines in (crowds_with_files(quick), crowds(1, quick), crowds(len(HOSTS), quick)):
        for line in lines:
            print(line, flush=True)


# --- limits -----------------------------------------------------------------------------------------------------------


@contextmanager
def _server() -> Iterator[tuple[Server, str]]:
    """A durable server of its own, and the URL of a database in it with all layouts."""
    folder = Path(tempfile.mkdtemp(prefix="yawc-limits-"))
    server = Server(folder, DURABLE | {"max_connections": "200"})
    try:
        name = server.create()
        databases = server_databases(folder, server.url(name))
        for store in (databases.books(), databases.users(), databases.shared()):
            with closing(store), store.reading():
                pass
        yield server, server.url(name)
    finally:
        server.stop()
        shutil.rmtree(folder)


def exchanges() -> Iterator[tuple[str, int]]:
    """Play two games at a table that hosts share, and yield for each kind of step how often it waits for the server."""
    with _server() as (server, url), Exchanges(server.folder) as relay:
        name = url.rpartition("/")[2].partition("?")[0]
        with cluster_of(relay.url(name, ROLE)) as cluster:
            anna, *_ = cluster.seat("Anna", "Bert", "Carl")
            steps: list[tuple[str, int]] = []
            for _ in range(
                2
            ):  # whoever sits down commits to a text by that, and for the next game by a step of its own
                steps += deal(relay, cluster) + play(relay, cluster, anna)
    for kind in dict(steps):
        yield kind, max(many for one, many in steps if one == kind)


def logins_at_once(many: int) -> str:
    """Let so many users log in at one moment, each in a process of its own, as after a lost host; return a line."""
    with _server() as (server, url), closing(Accounts(in_database(url))) as accounts:
        name = url.rpartition("/")[2].partition("?")[0]
        users = [accounts.enrol(f"User {number}", "no hash", "en").id for number in range(many)]
        gate, opened = os.pipe()
        ends, ended = os.pipe()

        def come_in(user: int) -> None:
            os.close(opened)
            with closing(Accounts(in_database(url))) as own:
                _come_in(own, user, gate, ended)

        children = [fork(partial(come_in, user)) for user in users]
        os.close(gate)
        os.close(ended)
        connected = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}'"
        wait_until(lambda: server.asks("postgres", connected) == [(many + 1,)], "their connections", 60.0)
        began = time.monotonic()
        os.close(opened)
        took = sorted(float(line) - began for line in os.fdopen(ends) if line.strip())
        for child in children:
            os.waitpid(child, 0)
    return f"| {many} | {len(took)} | {said(took[0], 's')} | {said(took[-1], 's')} |"


def _come_in(accounts: Accounts, user: int, gate: int, ended: int) -> None:
    """Do what the door does with a right password, once the gate is open, and say when it was done."""
    while True:  # they have a connection before it counts
        with suppress(StoreError):
            accounts.by_id(user)
            break
    os.read(gate, 1)
    attempts, place = Attempts(accounts.store), f"192.0.2.{user % 250}"
    with suppress(StoreError):
        patiently(lambda: attempts.turn(user, place), time.sleep)
        patiently(lambda: attempts.succeeded(user, place), time.sleep)
        patiently(lambda: accounts.seen(user, place), time.sleep)
        os.write(ended, f"{time.monotonic()}\n".encode())


def courier_of(hosts: int, many: int) -> str:
    """Let a courier see the sessions of all hosts, of which some move in each tick; return a line.

    The other hosts are rows, which are changed as their couriers would change them, outside of the time that is taken.
    One host has its sessions in its own records. A tick is a second; a person moves every 30 s.
    """
    moves = many // 30
    times = []
    with (
        _server() as (_, url),
        tempfile.TemporaryDirectory() as folder,
        crowded(Path(folder), url, hosts, many) as crowd,
    ):
        for tick in range(TICKS_MEASURED):
            crowd.move(moves)
            before = time.process_time()
            crowd.tick()
            if tick:  # the first one may still read all of a host
                times.append(time.process_time() - before)
    return f"| {hosts}, {many} | 1 s, {moves} | {100 * sum(times) / len(times):.1f} % of a core |"


def _site(hosts: int, config: str) -> Site:
    return Site(config, names=HOSTS[:hosts], lease=LEASE, settings=DURABLE, pool=POOL, clocks=False)


@contextmanager
def _running(hosts: int, config: str) -> Iterator[Site]:
    """Hosts of which nothing is asked at the end."""
    site = _site(hosts, config)
    try:
        yield site.__enter__()
    finally:
        site.end()


# --- a bet, to the last of five screens -------------------------------------------------------------------------------


def at_a_table(quick: bool) -> list[Figure]:
    """Time bets of five callers, at a BBS with files, on one host, and on three; at two paces, in turn."""
    config = CONFIG.format(unlock="acknowledged")
    times: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder, seated(Path(folder) / "files") as in_files:
        start(in_files)
        with _running(1, config) as one, _running(len(HOSTS), config) as three:
            places = {"with files": in_files}
            for name, site in (("one host", one), (f"{len(HOSTS)} hosts", three)):
                places[name] = [
                    site.hosts[at % len(site.hosts)].call().register(caller).sit() for at, caller in enumerate(NAMES)
                ]
                start(places[name])
            for _ in range(1 if quick else REPETITIONS):
                for pace in (FAST, TYPED):
                    for name, callers in places.items():
                        many = len(NAMES) if quick else pace.bets
                        known = times.setdefault(f"a bet to the last of five screens, {name}{pace.suffix}", [])
                        known.append(bets(callers, many, pace.pause))
    return [figure(name, runs) for name, runs in times.items()]


# --- the transaction, beside pgbench ----------------------------------------------------------------------------------


def beside_pgbench(quick: bool) -> list[Figure]:
    """Time bets in one process at a host, then the same statements by pgbench, both by the pooler."""
    repetitions = 1 if quick else REPETITIONS
    with _running(1, CONFIG.format(unlock="acknowledged").replace("pause_seconds = 0.1", "pause_seconds = 0")) as site:
        (host,) = site.hosts
        ours: list[list[float]] = [[] for _ in range(repetitions)]
        with _people(host) as people:
            for times in ours:
                for _ in range(1 if quick else GAMES):
                    times += game(people)
                    people.append(people.pop(0))  # the next player becomes master
            script = site.folder / "bet.sql"
            script.write_text(_script(site, game(people)))
            many = 20 if quick else TRANSACTIONS
            theirs = [list(_by_pgbench(site, host, script, many)) for _ in range(repetitions)]
    bet = figure("a table transaction, a bet, in one process", ours)
    peer = figure("pgbench, the same statements", theirs)
    return [bet, peer, Figure("times as long (at most 1.5)", ratio(bet, peer), None, "")]


@contextmanager
def _people(host: Host) -> Iterator[list[GameTable]]:
    """Five sessions of a host, all in this process, at its table."""
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    houses: list[Instance] = []
    with host.namespace.inside():
        try:
            for _ in PEOPLE:
                houses.append(Instance.attach(host.data, SETTINGS))
            yield [_sit(instance, user) for user, instance in zip(PEOPLE, houses, strict=True)]
        finally:
            for instance in houses:
                instance.leave()
            signal.signal(signal.SIGUSR1, before)


def _sit(instance: Instance, user: int) -> GameTable:
    instance.enter("bench")
    instance.notifier = Mute(instance.directory, Ring(instance.segment), instance.own, instance.tally)
    instance.bank.welcome(user, RICH)
    table = POKER_TABLES.at(instance, TABLE)
    table.sit(user, f"Caller {user}")
    return table


_LOGGED: Final = re.compile(r"^(\d+) LOG:  (?:statement|execute [^:]*): (.*)", re.DOTALL)
_PARAMETERS: Final = re.compile(r"\$(\d+) = (NULL|'(?:[^']|'')*')")


def _script(site: Site, bets_of_a_game: Iterator[float]) -> str:
    """Return the statements of the first bet of a game, which it has made, as a script for pgbench.

    The game stays as it is then, since the script bets in it.
    """
    _log(site, "all")
    began = len(site.server.log)
    next(bets_of_a_game)
    ended = len(site.server.log)
    _log(site, "none")
    ((entry,),) = site.asks("SELECT max(id) FROM bank.txn")
    lines, is_known = ["\\set n random(1, 1000000000000000)"], False
    for text, parameters in _statements(site.server.log[began:ended]):
        for place, value in sorted(parameters.items(), reverse=True):
            is_key = _is_key(value) and "txn" in text
            new = "('bet:' || :n)" if is_key else ":entry" if is_known and value == f"'{entry}'" else value
            text = text.replace(f"${place}", new)
        text = text.replace(";", " \\;")
        if "INSERT INTO txn" in text:
            is_known = True
            lines.append(text.replace("RETURNING id", "RETURNING id AS entry") + " \\gset")
        else:
            lines.append(f"{text};")
    return "\n".join(lines) + "\n"


def _log(site: Site, what: str) -> None:
    """Let the server log all statements, or none, from now on."""
    site.server.asks("postgres", f"ALTER SYSTEM SET log_statement = '{what}'")
    site.server.asks("postgres", "SELECT pg_reload_conf()")
    wait_until(lambda: site.server.asks("postgres", "SHOW log_statement") == [(what,)], "the server's log")


def _is_key(value: str) -> bool:
    return value.startswith("'bet:")


def _statements(log: str) -> list[tuple[str, dict[int, str]]]:
    """Return the statements of the transaction that was a bet, each with its parameters as SQL has them."""
    entries = [entry.replace("\n\t", "\n") for entry in re.split(r"\n(?!\t)", log)]
    by_process: dict[str, list[tuple[str, dict[int, str]]]] = {}
    last = ""
    for entry in entries:
        logged = _LOGGED.match(entry)
        if logged:
            last = logged[1]
            if logged[2].startswith("BEGIN"):
                by_process[last] = []
            by_process.setdefault(last, []).append((" ".join(logged[2].split()), {}))
        elif "DETAIL:  " in entry and entry.split(" ", 1)[0] == last and by_process[last]:
            by_process[last][-1][1].update({int(place): value for place, value in _PARAMETERS.findall(entry)})
    for found in by_process.values():
        if any("INSERT INTO txn" in text and any(map(_is_key, values.values())) for text, values in found):
            return found
    raise RuntimeError(f"the server's log has no bet:\n{log}")


def _pgbench() -> Path | None:
    folder = programs()
    return None if folder is None or not (folder / "pgbench").exists() else folder / "pgbench"


def _by_pgbench(site: Site, host: Host, script: Path, many: int) -> Iterator[float]:
    """Run a script so many times, and yield the seconds of each time."""
    program = _pgbench()
    assert program is not None
    folder = Path(tempfile.mkdtemp(dir=site.folder))
    where = ("-h", HUB, "-p", str(PORT), "-U", ROLE)
    how = ("-n", "-M", "simple", "-c", "1", "-t", str(many), "-f", str(script), "-l", f"--log-prefix={folder / 'log'}")
    with host.namespace.inside():
        done = subprocess.run([program, *where, *how, site.database], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pgbench: {done.stderr}\n{script.read_text()}")
    for log in folder.iterdir():
        for line in log.read_text().splitlines():
            yield int(line.split()[2]) / 1e6
    shutil.rmtree(folder)


# --- many tables ------------------------------------------------------------------------------------------------------


class Newest:
    """A table that several hosts share: whichever has its last commit first counts."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self.index = places[0].index

    @property
    def number(self) -> int:
        """The number of its last commit."""
        return max(place.number for place in self._places)

    def data(self) -> bytes:
        """Return its value."""
        return max(self._places, key=lambda place: place.number).data()


class Everywhere(Crowd):
    """Callers who are spread over all hosts: of the five at a table each sits at another host than the next."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        super().__init__(hosts[0])
        self._hosts = hosts
        self._segments = [Segment.attach(segment_name(host.data)) for host in hosts]

    def _place(self, number: int) -> Place:
        return Newest([InOneMemory(segment.cells[number]) for segment in self._segments])

    def _visitor(self, port: int, number: int, kind: str) -> Visitor:
        host = self._hosts[number % len(self._hosts)]
        with host.namespace.inside():
            return Visitor(self.loop, host.port, number, kind)


def crowds(hosts: int, quick: bool) -> Iterator[str]:
    """Let more and more tables of several hosts play, and yield a line of the page for each number of them."""
    where = "one host" if hosts == 1 else f"{hosts} hosts"
    with _running(hosts, CROWDED) as site:
        for line in _growing(Everywhere(site.hosts), quick):
            clients, connections = _connections(site)
            yield f"| {where} | {line} | {clients} | {connections} |"


def crowds_with_files(quick: bool) -> Iterator[str]:
    """Do the same at a BBS with files."""
    with tempfile.TemporaryDirectory() as folder, Bbs(Path(folder) / "data", CROWDED) as bbs:
        for line in _growing(Crowd(bbs), quick):
            yield f"| files | {line} | | |"


def _growing(crowd: Crowd, quick: bool) -> Iterator[str]:
    """Seat more and more tables and let them play; yield what each number of them did."""
    fives: list[Five] = []
    seconds = 1.0 if quick else SECONDS
    for tables in TABLES[:2] if quick else TABLES:
        fives += crowd.seat(FIVE * len(fives), FIVE * (tables - len(fives)))
        for five in fives:
            five.ends_games = False
        crowd.play_for(fives, 1.0, PACE)
        times = crowd.play_for(fives, seconds, PACE)
        took = figure("", [times])
        asked, made = tables / PACE, count("", [len(times) / seconds], "/s")
        yield f"{tables} | {asked:.0f} | {said(made.p50, '')} | {said(took.p50, 's')} | {said(took.p99, 's')}"
    crowd.dismiss(fives)


def _connections(site: Site) -> tuple[int, int]:
    """Return how many clients the pooler has, and how many connections the server, those of the couriers included."""
    with site.hosts[0].namespace.inside():
        url = f"postgresql://{ROLE}@{HUB}:{PORT}/pgbouncer"
        with psycopg.ClientCursor(psycopg.connect(url, autocommit=True)) as console:
            console.execute("SHOW CLIENTS")
            clients = sum(1 for row in console.fetchall() if site.database in map(str, row))
            console.connection.close()
    query = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{site.database}'"
    ((found,),) = site.server.asks("postgres", query)
    assert isinstance(found, int)
    return clients, found


if __name__ == "__main__":
    main()
