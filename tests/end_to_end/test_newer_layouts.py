"""A program whose layouts are all a step ahead starts on what this one has left, and beside hosts of this one, or not.

The step is made up (`tests.newer_layouts`), so these tests hold for whichever comes next. What a sysop would do is done
by real daemons: start, stop, and start the other program.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.daemons import refused
from tests.end_to_end.test_hosts import Hosts, on
from tests.postgres import Server
from tests.thoroughness import few
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.users import USERS


class Expanding(Bbs):
    """A program whose tables this one may use."""

    telnetd = ("tests.newer_layouts", "expands", "telnetd")
    yawcctl_module = ("tests.newer_layouts", "expands", "yawcctl")


class Contracting(Bbs):
    """A program whose tables this one may not use."""

    telnetd = ("tests.newer_layouts", "contracts", "telnetd")
    yawcctl_module = ("tests.newer_layouts", "contracts", "yawcctl")


@pytest.fixture
def hosts(tmp_path: Path, empty_database: str) -> Iterator[Hosts]:
    made = Hosts(tmp_path, empty_database)
    yield made
    for bbs in made.of.values():
        bbs.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("newer", "kind"),
    few(
        [(Expanding, "database"), (Contracting, "files"), (Contracting, "database"), (Expanding, "files")],
        2,
    ),
)
def test_a_newer_program_brings_what_it_finds_up_to_date(
    tmp_path: Path, empty_database: str, newer: type[Bbs], kind: str
) -> None:
    config = FAST if kind == "files" else f'{FAST}\n[cluster]\ndatabase = "{empty_database}"\n'
    with Bbs(tmp_path / "data", config) as bbs:
        bbs.call().register("Anna")
    with newer(tmp_path / "data", config) as bbs:
        bbs.call().log_in("Anna")
        bbs.audit()
    known = [layout.version("sqlite" if kind == "files" else "postgresql") for layout in (USERS, BOOKS)]
    bbs = Bbs(tmp_path / "data", config)
    if kind == "database" and newer is Expanding:
        with bbs:
            bbs.call().log_in("Anna")
            bbs.audit()
    else:
        said = refused(*bbs.options())  # by whichever is looked at first
        assert any(f"has layout {one + 1}, this program knows only up to {one}" in said for one in known)


def test_hosts_are_upgraded_one_after_the_other_where_the_layout_expands(hosts: Hosts) -> None:
    alpha = hosts.start("alpha")
    alpha.call().register("Anna")
    hosts.of["beta"] = Expanding(hosts.folder / "beta", on(hosts.url, "beta"))
    beta = hosts.start("beta")
    bert = beta.call().register("Bert")
    anna = alpha.call().log_in("Anna")  # a session that opens the tables as the newer program made them
    anna.sit()
    bert.sit()
    alpha.audit()
    beta.audit()
    alpha.__exit__(None, None, None)
    hosts.start("alpha").call().register("Carl")
    alpha.__exit__(None, None, None)
    hosts.of["alpha"] = Expanding(alpha.data, on(hosts.url, "alpha"))
    hosts.start("alpha").call().register("Dora")


def test_a_start_that_hosts_could_not_go_on_beside_is_refused(hosts: Hosts, postgres: Server) -> None:
    alpha = hosts.start("alpha")
    beta = Contracting(hosts.folder / "beta", on(hosts.url, "beta"))
    known = BOOKS.version("postgresql")
    assert f"host alpha runs, and differs in the layout of bank in the database ({known + 1} and {known})" in refused(
        *beta.options(), module=beta.telnetd
    )
    versions = "SELECT version FROM bank.layout UNION ALL SELECT version FROM users.layout"
    assert postgres.asks(hosts.url.rpartition("/")[2].partition("?")[0], versions)[0] == (known,)
    alpha.call().register("Anna")
    alpha.__exit__(None, None, None)
    hosts.of["beta"] = beta
    hosts.start("beta").call().log_in("Anna")
    assert "differs in the layout of bank in the database" in refused(*alpha.options())
