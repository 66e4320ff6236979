"""Shares in a whole BBS: an order whose result cannot be read, a closed account, a ledger that is moved."""

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.isolation import sysops as actions
from tests.isolation.lobby import ANNA, Lobby
from tests.isolation.sessions import Hall
from tests.isolation.test_moderation import BY, WHY, Desk
from tests.isolation.test_move import accounts_of, bank_of, moved
from tests.postgres import databases_at
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.casino.local_host import LocalHost
from yawc_poker.extras.cluster.move import into_database
from yawc_poker.extras.exchange import orders
from yawc_poker.extras.exchange.exchange import Exchange, exchange_of
from yawc_poker.extras.exchange.settings import ExchangeSettings
from yawc_poker.session.caller.caller import Caller


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hall]:
    """A house whose clock stands: no hour begins, with other prices, between a quote and its order."""
    monkeypatch.setattr(LocalHost, "now", Clock())
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    with Hall(tmp_path / "data") as hall:
        yield hall
    signal.signal(signal.SIGUSR1, before)


def test_an_order_that_is_booked_is_told_so_though_the_bank_is_gone(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who read "please try again" would buy twice."""

    def gone(*_: object) -> int:
        raise BankUnavailable("the disk is gone")

    def buys(caller: Caller) -> None:
        board = exchange_of(caller.instance).board(ANNA)
        monkeypatch.setattr(type(caller.instance.bank), "balance", gone)
        orders.buy(caller, board, 0)

    place = Lobby(hall)
    place.mine.bank.grant(10**6, ANNA, 1000)
    shown = place.seen(("xterm", "utf-8"), buys, "1\ry")
    assert "Done." in "\n".join(shown.rows)
    assert exchange_of(place.mine).board(ANNA).held == {0: 1}
    place.close()


def test_the_shares_of_a_deleted_account_are_sold_and_the_house_gets_all(hall: Hall) -> None:
    instance = Desk(hall)
    instance.enter("test")
    actions.grant(instance, "Anna", 900, by=BY, reason=WHY)
    anna = instance.accounts.find("Anna")
    assert anna is not None
    exchange = exchange_of(instance)
    exchange.board(anna.id)
    exchange.order(anna.id, "1", 0, exchange.quote(anna.id, 0, 9))
    done = actions.delete(instance, "Anna", by=BY, reason=WHY)
    assert done.action.cubes == 1000 - 909 + 900
    assert (exchange.board(anna.id).held, instance.bank.balance(anna.id)) == ({}, 0)
    assert instance.bank.audit() == []
    instance.leave()


def test_shares_go_along_when_a_ledger_is_moved(database: str, tmp_path: Path) -> None:
    files, there = Databases(tmp_path), databases_at(tmp_path / "there", database)
    with closing(accounts_of(files)) as accounts, closing(bank_of(files)) as bank:
        accounts.register("Anna", "secret-1", "en")
        bank.welcome(ANNA, 1000)
        exchange = Exchange(bank.store, ExchangeSettings(), Clock())
        exchange.board(ANNA)
        exchange.order(ANNA, "first", 0, exchange.quote(ANNA, 0, 3))
    moved(into_database, files, there)
    with closing(bank_of(there)) as bank:
        assert Exchange(bank.store, ExchangeSettings(), Clock()).board(ANNA).held == {0: 3}
        assert bank.audit() == []
