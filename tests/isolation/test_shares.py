"""A pot with several winners: how it is divided, and that it is divided once, whoever dies over it."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.isolation.sessions import START, Hall
from tests.isolation.sharing import SharingHands
from tests.isolation.stores import bank_in_file
from yawc_poker.casino.bank.history import Proof
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.catalogues import words
from yawc_poker.engine.table import split
from yawc_poker.games.maumau.game import MaumauSettings
from yawc_poker.games.poker.game import PokerSettings
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.registry.games import game_of
from yawc_poker.session.menus.history import page
from yawc_poker.sysop.__main__ import main


@pytest.mark.parametrize(
    ("pot", "shares", "parts"),
    [
        (10, {1: 1}, {1: 10}),
        (10, {1: 7}, {1: 10}),
        (15, {2: 1, 1: 1}, {2: 8, 1: 7}),
        (16, {1: 1, 2: 1, 3: 1}, {1: 6, 2: 5, 3: 5}),
        (17, {1: 0, 2: 1, 3: 1, 4: 1}, {1: 0, 2: 6, 3: 6, 4: 5}),
        (10, {1: 30, 2: 10}, {1: 8, 2: 2}),
        (0, {1: 1, 2: 1}, {1: 0, 2: 0}),
        (10, {}, {}),
        (10, {1: 0}, {1: 0}),
    ],
)
def test_a_pot_is_divided_by_shares_and_the_odd_cubes_go_to_the_first(
    pot: int, shares: dict[int, int], parts: dict[int, int]
) -> None:
    assert split(pot, shares) == parts
    assert list(split(pot, shares)) == list(shares)


@given(st.integers(0, 10**9), st.dictionaries(st.integers(0, 9), st.integers(0, 10**6)))
def test_no_cube_is_made_or_lost(pot: int, shares: dict[int, int]) -> None:
    parts = split(pot, shares)
    assert sum(parts.values()) == (pot if any(shares.values()) else 0)
    assert all(part >= 0 and (part == 0 or shares[who]) for who, part in parts.items())
    exact = {who: pot * share / (sum(shares.values()) or 1) for who, share in shares.items()}
    assert all(abs(parts[who] - exact[who]) < 1.001 for who in parts)


@pytest.mark.parametrize(("pot", "shares"), [(-1, {1: 1}), (1, {1: -1}), (1, {1: 2, 2: -1})])
def test_what_cannot_be_divided(pot: int, shares: dict[int, int]) -> None:
    with pytest.raises(ValueError, match="in shares of"):
        split(pot, shares)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data", hands=SharingHands) as hall:
        yield hall
        assert hall.money().pots == 0


def paid(hall: Hall) -> list[int]:
    return [balance - START for balance in hall.balances(1, 2, 3)]


def test_two_winners_divide_the_pot(hall: Hall) -> None:
    anna, *_ = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("end") == "ok"
    assert paid(hall) == [-5, 2, 3]
    assert anna("start") == "not_master"
    bank = bank_in_file(hall.data / BANK_FILE, look_only=True)
    (game,) = bank.games()
    bank.close()
    assert (game.kind, game.outcome, game.pot) == ("sharing", "won", 15)
    assert {player.name: player.got for player in game.winners} == {"Bert": 7, "Carl": 8}


@pytest.mark.parametrize("step", ["before settle", "in settle", "after settle"])
def test_the_pot_is_divided_once_by_whoever_takes_the_closing_over(hall: Hall, step: str) -> None:
    anna, bert, _ = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    anna.doomed(step, "end", by=signal.SIGKILL)
    assert bert("look after") == bert("look after") == "ok"
    assert paid(hall) == [-5, 2, 3]


def test_what_died_over_a_bet_is_divided_too(hall: Hall) -> None:
    """The pot's account decides: it may hold more than the table knows."""
    anna, *_ = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == "ok"
    bank = bank_in_file(hall.data / BANK_FILE, hall.foundation.segment.bank_lock)
    bank.bet(bank.open_games()[0].number, 9, 1, 10)
    bank.close()
    assert anna("end") == "ok"
    assert paid(hall) == [-15, 7, 8]


def test_a_game_of_an_unknown_kind_is_judged_by_no_other_games_rules(hall: Hall) -> None:
    anna, *_ = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("end") == "ok"
    bank = bank_in_file(hall.data / BANK_FILE, look_only=True)
    played = bank.game(1)
    bank.close()
    assert played is not None
    with pytest.raises(UnknownGame, match="'sharing'"):
        game_of(played.game.kind)
    forged = replace(played, game=replace(played.game, seal="0" * 64), proof=Proof("", "", ()))
    text = page(forged, 2, "1", words("en")).text
    assert "The pot of 15 CUBES was divided: Bert (7), Carl (8)." in text
    assert "it cannot be checked" in " ".join(text.split())
    assert "do NOT agree" not in text


def test_yawcctl_says_which_game_it_does_not_know(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    anna, *_ = hall.seat("Anna", "Bert", "Carl")
    assert anna("start") == anna("end") == "ok"
    assert main(["--data", str(hall.data), "history", "1"]) == 0
    told = capsys.readouterr().out
    assert "Bert and Carl won" in told
    assert "Anna  end" in told
    assert main(["--data", str(hall.data), "verify", "1"]) == 2
    assert "does not know the game 'sharing'" in capsys.readouterr().err


def test_a_setting_that_waits_is_named_by_its_own_game(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Hall(tmp_path / "data") as hall:
        poker, other = PokerSettings(tables=2), MaumauSettings(tables=0)
        hall.foundation.publish(replace(hall.config, games=(poker, other)))
        assert caplog.messages[-1].endswith(": poker.tables, maumau.tables")
        hall.foundation.publish(replace(hall.config, games=(PokerSettings(), MaumauSettings(tables=3))))
        assert caplog.messages[-1].endswith(": maumau.tables")
