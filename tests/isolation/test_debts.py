"""CUBES that several players owe when a game is over: settled once and as a whole, whenever a session dies over it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from tests.engine.adapters import DOPPELKOPF_ADAPTER, Adapter
from tests.isolation.owing import OwingHands
from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import START, Hall
from tests.isolation.steps import passed
from tests.isolation.stores import bank_in_file
from tests.isolation.test_doppelkopf_history import pick
from tests.isolation.test_history import check, play_anything
from tests.thoroughness import sampled
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.ledger import GameClosed, OpenGame, Settlement
from yawc_poker.casino.bank.verify import verify
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.catalogues import words
from yawc_poker.engine.transcript import Action, Transcript
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.game import RULES as DOPPELKOPF
from yawc_poker.games.doppelkopf.model import Move, Options, State
from yawc_poker.registry.games import game_of
from yawc_poker.session.menus.history import page
from yawc_poker.sysop.__main__ import main

NAMES = ("Anna", "Bert", "Carl", "Dora")
SETTLED = [-30, -100, 87, 43]
"""Bert owes 150 and owns 100, so there are 130 to share by 120 and 60; the odd CUBE is Carl's."""


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data", hands=OwingHands) as hall:
        yield hall
        assert hall.money().pots == 0


def moved(hall: Hall) -> list[int]:
    return [balance - START for balance in hall.balances(1, 2, 3, 4)]


def lines(hall: Hall) -> list[tuple[str, str, int]]:
    """What the last game's books have beside the actions: kind, name and amount."""
    bank = bank_in_file(hall.data / BANK_FILE, look_only=True)
    played = bank.game(bank.games()[0].number)
    bank.close()
    assert played is not None
    return [(line.kind, line.name, line.amount) for line in played.lines if line.amount]


def test_the_losers_pay_and_the_winners_share_it(hall: Hall) -> None:
    anna, *_ = hall.seat(*NAMES)
    assert anna("start") == "ok"
    assert moved(hall) == [0, 0, 0, 0]
    assert anna("end") == "ok"
    assert moved(hall) == SETTLED
    assert lines(hall) == [("debt", "Anna", 30), ("debt", "Bert", 100)]


STEPS = (
    "half filled, number not moved",
    "number moved",
    "before settle",
    "in settle",
    "bank: INSERT txn",
    "bank: INSERT entry",
    "bank: INSERT txn (2)",
    "bank: INSERT entry (2)",
    "bank: INSERT winner",
    "bank: UPDATE game",
    "bank: COMMIT",
    "after settle",
    "half filled, number not moved (2)",
    "number moved (2)",
    "table 1 lock to be given back",
)


def test_a_settlement_passes_these_steps_in_one_transaction(hall: Hall) -> None:
    anna, *_ = hall.seat(*NAMES)
    assert anna("start") == "ok"
    found = passed(anna, "end")
    places = [found.index(step) for step in STEPS]
    assert places == sorted(places)
    assert "bank: INSERT txn (3)" not in found
    assert "bank: COMMIT (2)" not in found


@pytest.mark.parametrize("step", STEPS)
def test_whenever_a_session_dies_over_it_everything_is_settled_once(hall: Hall, step: str) -> None:
    """Killed before the game was decided, the player on turn is removed, which ends it as well."""
    anna, bert, *_ = hall.seat(*NAMES)
    assert anna("start") == "ok"
    anna.doomed(step, "end")
    assert moved(hall) in ([0, 0, 0, 0], SETTLED), "half a settlement"
    assert bert("look after") == bert("look after") == "ok"
    assert moved(hall) == SETTLED
    assert lines(hall) == [("debt", "Anna", 30), ("debt", "Bert", 100)]


def test_a_bank_that_cannot_pay_yet_takes_nothing_yet(hall: Hall) -> None:
    anna, bert, *_ = hall.seat(*NAMES)
    assert anna("start") == anna("no payouts") == anna("end") == "ok"
    assert moved(hall) == [0, 0, 0, 0]
    assert bert("leave") == anna("payouts") == anna("look after") == "ok"
    assert moved(hall) == SETTLED, "leaving while it waits changes nothing"


def test_a_loser_who_leaves_pays_and_the_next_one_in_that_seat_does_not(hall: Hall) -> None:
    anna, bert, *_ = hall.seat(*NAMES)
    emma = hall.session(5, "Emma")
    assert anna("start") == anna("no payouts") == bert("no payouts") == "ok"
    assert bert("leave") == emma("sit") == "ok"
    assert anna("payouts") == anna("look after") == "ok"
    assert moved(hall) == SETTLED
    assert hall.balances(5) == [START]


def test_a_winner_who_leaves_is_paid(hall: Hall) -> None:
    anna, _, carl, _ = hall.seat(*NAMES)
    assert anna("start") == carl("leave") == "ok"
    assert moved(hall) == SETTLED


# --- the bank ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    bank = bank_in_file(tmp_path_factory.mktemp("bank") / "bank.sqlite")
    bank.store.clock = lambda: 1000.0
    yield bank
    assert bank.audit() == []
    bank.close()


NUMBERS = count(1)
"""Of users, new ones for each example."""
cubes = st.integers(0, 300)
losers = st.lists(st.tuples(cubes, cubes), max_size=3)
winners = st.lists(st.tuples(cubes, st.integers(1, 300)), max_size=3)


@settings(max_examples=sampled(60))
@given(losers, winners)
def test_no_cube_is_made_or_lost_and_nobody_pays_more_than_they_own(
    bank: Bank, losers: list[tuple[int, int]], winners: list[tuple[int, int]]
) -> None:
    """Losers own and owe something, winners own something and have a share."""
    lost, won = ({next(NUMBERS): one for one in side} for side in (losers, winners))
    for user, (owned, _) in {**lost, **won}.items():
        bank.welcome(user, owned)
    before = bank.figures()
    game, _ = bank.open_game(0, "owing", {})
    debts, shares = ({user: number for user, (_, number) in side.items()} for side in (lost, won))
    transcript = Transcript(0.0, actions=(Action(7, 1.0, "move", 0, 1),))
    done = bank.settle(game, shares, transcript, debts)
    paid = {user: min(owned, owed) for user, (owned, owed) in lost.items()}
    assert done.amount == sum(paid.values())
    assert bank.balances(lost) == {user: owned - paid[user] for user, (owned, _) in lost.items()}
    assert bank.balances(won) == {user: owned + done.paid[user] for user, (owned, _) in won.items()}
    after = bank.figures()
    assert after.cash + after.house == before.cash + before.house
    assert after.house - before.house == (0 if won else done.amount)
    assert bank.settle(game, shares, transcript, debts) == done
    assert bank.figures() == after
    found = bank.game(game)
    assert found is not None
    told = {line.user: (line.kind, line.number, line.amount) for line in found.lines if line.amount}
    assert told == {user: ("debt", 7, amount) for user, amount in paid.items() if amount}


def test_a_game_that_was_closed_otherwise_takes_no_debts(bank: Bank) -> None:
    for user in (901, 902):
        bank.welcome(user, 100)
    game, _ = bank.open_game(1, "owing", {})
    assert bank.refund(game) == {}
    with pytest.raises(GameClosed):
        bank.settle(game, {901: 1}, None, {902: 50})
    assert bank.balances([901, 902]) == {901: 100, 902: 100}
    game, _ = bank.open_game(1, "owing", {})
    with pytest.raises(ValueError, match="below zero"):
        bank.settle(game, {901: 1}, None, {902: -5})
    assert bank.open_games() == [OpenGame(game, 1, 0)]
    assert bank.settle(game, {901: 1}) == Settlement(0, {901: 0})


# --- a match of Doppelkopf --------------------------------------------------------------------------------------------


def played_to_the_end(hall: Hall, adapter: Adapter[State, Move, Event, Options]) -> None:
    play_anything(hall, adapter, Bank)


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, PastGame]]:
    """A match for 400 CUBES a point, which is more than some of those who play it own."""
    with Hall(tmp_path_factory.mktemp("bbs") / "data") as hall:
        adapter = replace(DOPPELKOPF_ADAPTER, options=Options(rounds=1, cubes=400), pick=pick)
        assert exit_code(fork(lambda: played_to_the_end(hall, adapter))) == 0
        bank = bank_in_file(hall.data / BANK_FILE, look_only=True)
        assert bank.audit() == []
        played = bank.game(1)
        bank.close()
        assert played is not None
        yield hall.data, played


def test_a_match_for_cubes_is_proven(match: tuple[Path, PastGame]) -> None:
    _, played = match
    report = verify(played, DOPPELKOPF)
    assert report.verdict == "proven", report
    debts = {line.user: line.amount for line in played.lines if line.kind == "debt"}
    owed = {one.seat + 1: -400 * one.total for one in game_of("doppelkopf").results(played).standings if one.total < 0}
    assert debts == {user: min(cubes, 1000) for user, cubes in owed.items()}
    text = f"{sum(debts.values())} CUBES were owed at the end, {sum(debts.values())} of them paid"
    assert check(report, "debts") == (True, text)


def test_whoever_was_made_to_pay_too_much_finds_it_out(match: tuple[Path, PastGame]) -> None:
    _, played = match
    forged = tuple(
        changed(line, amount=line.amount + 1) if line.kind == "debt" and at == last_debt(played) else line
        for at, line in enumerate(played.lines)
    )
    report = verify(changed(played, lines=forged), DOPPELKOPF)
    assert report.verdict == "false"
    assert not check(report, "debts")[0]


def last_debt(played: PastGame) -> int:
    return max(at for at, line in enumerate(played.lines) if line.kind == "debt")


def test_a_match_for_cubes_is_told(match: tuple[Path, PastGame], capsys: pytest.CaptureFixture[str]) -> None:
    data, played = match
    text = page(played, 1, "1", words("en")).text
    for player in played.game.players:
        assert re.search(rf"{player.name} +-?\d+ points?, paid {player.paid}, got {player.got}$", text, re.MULTILINE)
        assert not player.paid or f"{player.name} pays {player.paid} CUBES." in text
    assert "Checked just now: seal, cards, moves and CUBES agree." in text
    assert main(["--data", str(data), "history", "1"]) == 0
    told = capsys.readouterr().out
    assert all(f"pays {player.paid} in the end" in told for player in played.game.players if player.paid)
