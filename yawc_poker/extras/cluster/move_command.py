"""`yawcctl move`: accounts, ledger and history of a stopped BBS from its files into a PostgreSQL database, or back.

Owns the order of it: all is copied, compared and committed (`move`) before the mark in the data directory says
where it is from then on; the files are moved aside only after that, with the time in their names. A database keeps what
it had, with a comment that says so: no BBS begins with it any more, on whichever machine. Killed in between, no start
takes the one for the other: it is refused while files and mark are both there.
"""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import msgspec

from yawc_poker.casino import backup
from yawc_poker.casino.bank.audit import Figures
from yawc_poker.casino.instance.databases import Databases, marked
from yawc_poker.extras.cluster.databases import ServerDatabases, server_databases
from yawc_poker.extras.cluster.move import Moved, NotMoved, Sides, into_database, into_files
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.sysop.backup import files_of, put_back, refuse_living, set_aside
from yawc_poker.sysop.command import Command, count, print_rows
from yawc_poker.sysop.ipc import RemovalRefused, no_listener


class MoveReport(msgspec.Struct, frozen=True):
    """The output of `--json`."""

    rows: dict[str, int]
    """By schema and table."""
    figures: Figures
    """Of the ledger, the same on both sides."""
    aside: list[str]
    """Files that were moved aside."""


def _arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("url", metavar="URL", nargs="?", help="the database; to move back: the one that the BBS uses")
    command.add_argument("--back", action="store_true", help="from the database into files of the data directory")


def run(chosen: argparse.Namespace) -> int:
    """Move, compare, and print what was moved. Raise `StoreError`."""
    before = marked(chosen.data)
    database = server_databases(chosen.data, chosen.url or "")
    if not chosen.url and chosen.back and isinstance(before, ServerDatabases):
        database = before
    if not database.url:
        raise NotMoved("name the database, as postgresql:///yawc")
    try:
        with no_listener(chosen.data):
            refuse_living(chosen.data)
            report = _back(database) if chosen.back else _there(before, database)
    except (RemovalRefused, SegmentError) as error:
        raise NotMoved(str(error)) from None
    except OSError as error:
        raise NotMoved(f"{error.filename or chosen.data}: {error.strerror}") from None
    change = "take the database out of [cluster] database" if chosen.back else "set [cluster] database to this URL"
    return print_rows(chosen, [report], lambda _: [*_moved(report), f"Now {change}, and start the BBS."])


def _moved(report: MoveReport) -> Iterator[str]:
    rows = count(sum(report.rows.values()), "row")
    users, games = count(report.figures.users, "user"), count(report.figures.games, "game")
    yield f"Moved: {rows}; the ledger has {users}, {games}, {report.figures.minted} CUBES."
    yield from (f"Moved aside: {path}" for path in report.aside)


def _there(before: Databases, database: ServerDatabases) -> MoveReport:
    before.refuse_server("nothing is moved from one to another by this command; use pg_dump and pg_restore")
    database.schemas()
    with ExitStack() as stack:
        files = _opened(stack, before, look_only=True)
        target = _opened(stack, database)
        moved = into_database(files, target)
    database.mark()
    return _report(moved, set_aside(before.data))


def _back(database: ServerDatabases) -> MoveReport:
    from yawc_poker.extras.cluster import joining  # it loads all games, which few commands need

    if there := files_of(database.data):
        raise RemovalRefused(f"{there[0]} is there: move it away first")
    if not database.schemas():
        raise NotMoved("that database has no BBS in it")
    if running := [host.name for host in joining.known_hosts(database) if host.holds and not host.has_run_out]:
        raise NotMoved(f"hosts use that database ({', '.join(running)}): stop them all first")
    joining.shut_out(database)  # others gave no sign, and change nothing any more if they come back
    with backup.folder_in(database.data) as folder:
        with ExitStack() as stack:
            moved = into_files(_opened(stack, database, look_only=True), _opened(stack, Databases(folder)))
        put_back(database.data, folder, replace=False)
    database.mark_moved()
    Databases(database.data).mark()
    return _report(moved, [])


def _opened(stack: ExitStack, databases: Databases, *, look_only: bool = False) -> Sides:
    """Open both stores until the stack ends."""
    return Sides(
        stack.enter_context(closing(databases.books(look_only=look_only))),
        stack.enter_context(closing(databases.users(look_only=look_only))),
    )


def _report(moved: Moved, aside: list[Path]) -> MoveReport:
    return MoveReport(moved.rows, moved.figures, list(map(str, aside)))


COMMAND: Final = Command(
    "move",
    run,
    "move accounts and ledger of a stopped BBS from its files into a PostgreSQL database, or back",
    ("move postgresql:///yawc", "move --back"),
    _arguments,
    after="restore",
)
