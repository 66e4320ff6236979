"""Extras announce themselves; what is not there brings nothing, and what is no such thing is an error."""

import sys
from pathlib import Path

import pytest

from yawc_poker import announcing
from yawc_poker.bbs.recovery import Host, host_with
from yawc_poker.casino.instance.databases import MARK_FILE, Databases, databases_of, in_use, marked
from yawc_poker.casino.instance.instance import OtherHosts, other_hosts
from yawc_poker.casino.local_host import ALONE, local_host, most_hosts
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.config import Config
from yawc_poker.ipc.layout import Head


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of extras: `one` and `two`, of which the second brings no fruit."""
    for name, text in {"one": "ANNOUNCED = ('apple', 'pear')", "two": None}.items():
        (tmp_path / "basket" / name).mkdir(parents=True)
        (tmp_path / "basket" / name / "__init__.py").touch()
        if text is not None:
            (tmp_path / "basket" / name / "fruit.py").write_text(text)
    (tmp_path / "basket" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(announcing, "ROOTS", ("basket", "not_there"))
    for name in [name for name in sys.modules if name.startswith("basket")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "basket"


def test_what_the_extras_bring_comes_in_order(root: Path) -> None:
    assert announcing.announced("fruit", str) == ("apple", "pear")
    assert announcing.announced("vegetables", str) == ()


def test_what_is_no_such_thing_is_an_error(root: Path) -> None:
    with pytest.raises(TypeError, match=r"basket\.one\.fruit announces 'apple'"):
        announcing.announced("fruit", int)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extras at all."""
    monkeypatch.setattr(announcing, "ROOTS", ())


@pytest.mark.usefixtures("bare")
def test_without_extras_a_host_is_the_only_one_of_its_casino() -> None:
    here = local_host(Head(memoryview(bytearray(4096)).cast("Q")))
    assert here is ALONE
    assert (most_hosts(Config()), here.is_clustered, here.records, here.courier) == (0, False, None, None)
    token = here.token(random=7, index=12)
    assert (index_of(token), here.is_own(12), here.is_remote(token)) == (12, True, False)
    assert type(other_hosts(here)) is OtherHosts


@pytest.mark.usefixtures("bare")
def test_without_extras_a_bbs_keeps_files_and_refuses_to_begin_beside_a_database(tmp_path: Path) -> None:
    found = databases_of(tmp_path, Config())
    assert [type(one) for one in (found, in_use(tmp_path, Config()), marked(tmp_path))] == [Databases] * 3
    host = host_with(found)
    assert type(host) is Host
    host.examine(Config())
    (tmp_path / MARK_FILE).write_text("postgresql:///yawc")
    with pytest.raises(StoreError, match="accounts and ledger are in a database"):
        host.examine(Config())
