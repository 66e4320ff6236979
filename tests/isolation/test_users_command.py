"""`yawcctl users`: accounts as a list, and one of them whole, from both databases."""

import json
from pathlib import Path

import pytest

from tests.isolation.stores import bank_in_file, in_file
from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE
from yawc_poker.casino.users.accounts import Accounts, write_closed, write_sysop, write_twit
from yawc_poker.casino.users.bans import Ban, write_ban
from yawc_poker.casino.users.login_attempts import Attempts
from yawc_poker.casino.users.sysop_log import SysopAction, write_sysop_action
from yawc_poker.sysop.__main__ import main

INFINITE = float("inf")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Anna is a sysop and has called; Bert is banned and muted, and somebody guesses; Carla is gone."""
    store, bank = in_file(tmp_path / USERS_FILE), bank_in_file(tmp_path / BANK_FILE)
    accounts = Accounts(store)
    anna, bert, carla = (accounts.enrol(name, "hash", "en") for name in ("Anna", "Bert", "Carla"))
    accounts.seen(anna.id, "192.0.2.7")
    for user, cubes in ((anna, 70), (bert, 500), (carla, 3)):
        bank.welcome(user.id, cubes)
    for _ in range(3):
        Attempts(store).turn(bert.id, "198.51.100.4")
    now = store.clock()
    with store.writing() as users:
        write_sysop(users, anna.id, True)
        write_twit(users, bert.id, INFINITE)
        write_ban(users, Ban("name", "bert", INFINITE, "shouts", "yawcctl/root", now))
        write_closed(users, carla.id, now)
        for kind, reason in (("warn", "shouts"), ("note", "Anna's brother")):
            action = SysopAction(0, kind, bert.id, "Bert", None, None, reason, "Anna", now)
            write_sysop_action(users, action, pending=False)
    game, _ = bank.open_game(0, "poker", {anna.id: 10, bert.id: 10})
    bank.settle(game, {anna.id: 20})
    accounts.close()
    bank.close()
    return tmp_path


def rows(data: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main(["--data", str(data), "users", "--json", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def names(data: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[object]:
    return [one["name"] for one in rows(data, capsys, *arguments)]


def test_who_called_last_comes_first_and_any_other_order_can_be_had(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert names(data, capsys) == ["Anna", "Bert"]
    assert names(data, capsys, "--by", "cubes") == ["Bert", "Anna"]
    assert names(data, capsys, "--by", "failed", "--limit", "1") == ["Bert"]
    assert names(data, capsys, "--by", "name", "--closed") == ["Anna", "Bert", "Carla"]


def test_a_part_of_a_name_finds_all_that_have_it_in_any_case(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert names(data, capsys, "AN") == ["Anna"]
    assert names(data, capsys, "r", "--closed") == ["Bert", "Carla"]
    assert names(data, capsys, "nobody") == []


def test_a_list_tells_state_and_figures(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    anna, bert, carla = rows(data, capsys, "--by", "name", "--closed")
    assert (anna["state"], anna["cubes"], anna["failed"], anna["last_from"]) == (["sysop"], 80, 0, "192.0.2.7")
    assert (bert["state"], bert["cubes"], bert["failed"]) == (["banned", "twit"], 490, 3)
    assert (carla["state"], bert["last_login"]) == (["closed"], None)


def test_a_whole_name_shows_the_account_on_a_page(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "users", "bert"]) == 0
    page = capsys.readouterr().out
    for text in (
        "account     Bert, number 2, registered ",
        "state       banned, twit\n",
        "banned      for ever: shouts\n",
        "twit        for ever\n",
        "last call   never\n",
        "failed      3 wrong passwords within the hour\n",
        "CUBES       490\n",
        "games       poker: 1 played, 0 won\n",
        ", Anna: Anna's brother\n",
        ", warn by Anna: shouts\n",
    ):
        assert text in page
    (whole,) = rows(data, capsys, "Anna")
    assert whole["games"] == [{"kind": "poker", "played": 1, "won": 1, "points": None}]
    assert whole["actions"] == []
