"""A match of Doppelkopf in the books: told, proven and checked by anybody, to the last of many rounds."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.end_to_end.test_played import checked
from tests.engine.adapters import DOPPELKOPF_ADAPTER, pick_doppelkopf
from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import Hall
from tests.isolation.stores import bank_in_file
from tests.isolation.test_history import check, play_anything
from tests.screens.test_doppelkopf_story import the_script
from yawc_poker.casino.bank.bank import Bank, GameCount
from yawc_poker.casino.bank.history import Asked, PastGame
from yawc_poker.casino.bank.verify import verify
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.catalogues import words
from yawc_poker.engine.transcript import HANDS
from yawc_poker.games.doppelkopf.game import RULES
from yawc_poker.games.doppelkopf.model import CARDS, GoOn, Move, Options
from yawc_poker.registry.games import game_of
from yawc_poker.session.menus.history import page
from yawc_poker.sysop.__main__ import main

EN = words("en")
ROUNDS = 11
"""More than there are hands kept of."""
NAMES = ("Name 1", "Name 2", "Name 3", "Name 4")


def pick(choice: object, rng: Random) -> Move:
    """Make a move by chance; everybody wants to go on."""
    move = pick_doppelkopf(choice, rng)
    return GoOn(True) if isinstance(move, GoOn) else move


LONG = replace(DOPPELKOPF_ADAPTER, options=Options(rounds=ROUNDS), pick=pick)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data directory of a BBS where a match was played to its end."""

    def play() -> None:
        play_anything(hall, LONG, Bank)

    with Hall(tmp_path_factory.mktemp("bbs") / "data") as hall:
        assert exit_code(fork(play)) == 0
        yield hall.data


@pytest.fixture(scope="module")
def played(data: Path) -> PastGame:
    bank = bank_in_file(data / BANK_FILE)
    found = bank.game(1)
    bank.close()
    assert found is not None
    return found


def told(data: Path, capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert main(["--data", str(data), *command]) == 0
    return capsys.readouterr().out


def test_a_match_of_many_rounds_is_proven(played: PastGame) -> None:
    report = verify(played, RULES)
    assert report.verdict == "proven", report
    assert played.proof is not None
    assert len(played.proof.hands) == HANDS
    assert check(report, "hands") == (True, f"{HANDS} hands, all as the order gives them")
    assert len(played.actions) > 50 * ROUNDS


def test_a_sysop_reads_its_points_calls_and_tricks(
    data: Path, played: PastGame, capsys: pytest.CaptureFixture[str]
) -> None:
    text = told(data, capsys, "history", "1")
    results = game_of("doppelkopf").results(played)
    assert results.unit == "POINTS"
    for one, name in zip(results.standings, NAMES, strict=True):
        verdict = " +won" if one.won else ""
        rounds = " ".join(map(str, one.rounds))
        assert re.search(rf"^ *{one.seat + 1} +{name} +{one.total} +{rounds}{verdict}$", text, re.MULTILINE)
    assert len(re.findall(r" plays (?:10|[9JQKA])[-#*+](?= |$)", text, re.MULTILINE)) == 48 * ROUNDS
    assert text.count(" takes trick ") == 12 * ROUNDS
    assert f"CARDS are kept of the first {HANDS} hands only" in text
    whole = json.loads(told(data, capsys, "history", "1", "--json"))
    assert [one["total"] for one in whole["standings"]] == [one.total for one in results.standings]
    assert whole["hands_cut"]
    assert "doppelkopf" in told(data, capsys, "history")
    assert "proven" in told(data, capsys, "verify", "1")


def test_players_check_the_first_deal_and_every_later_round(played: PastGame) -> None:
    text = page(played, 2, "1", EN).text
    assert played.game.seal is not None
    report = checked(text, played.game.seal[:40])
    assert "False" not in report
    assert report.count(" as card ") == len(CARDS)
    seed = re.findall(r"^  (s=.*?sha256sum)$", text, re.MULTILINE | re.DOTALL)[-1]
    lines = [line.strip() for line in seed.splitlines() if "cut" not in line]
    seed = subprocess.check_output(["sh", "-c", "\n".join(lines)], text=True).split()[0]
    hands = re.findall(r"^ *\d+:\d+  (Name \d) is dealt ([^.]*?)\.$", " ".join(text.split("\n     ")), re.MULTILINE)
    dealers = re.findall(r"Round \d+ of \d+: Name (\d) deals", text)
    assert len(hands) == 4 * ROUNDS
    for number in (2, ROUNDS):
        script = [sys.executable, "-I", "-S", "-c", the_script(), seed, str(number)]
        rows = subprocess.check_output(script, text=True).splitlines()
        shown = {name: sorted(cards.split()) for name, cards in hands[4 * number - 4 : 4 * number]}
        left = int(dealers[number - 1]) % 4
        assert [sorted(row.split()) for row in rows] == [shown[f"Name {(left + at) % 4 + 1}"] for at in range(4)]


def test_a_page_names_results_and_says_that_all_agrees(played: PastGame) -> None:
    text = page(played, 1, "1", EN).text
    for one, name in zip(game_of("doppelkopf").results(played).standings, NAMES, strict=True):
        assert re.search(rf"^  Seat {one.seat + 1}  {name} +{one.total} points?$", text, re.MULTILINE)
    assert "Won by: Name " in text
    assert "Checked just now: seal, cards and moves agree." in text
    assert max(map(len, text.split("\n"))) < 80


def test_the_profile_knows_its_points(data: Path, played: PastGame) -> None:
    bank = bank_in_file(data / BANK_FILE)
    standings = game_of("doppelkopf").results(played).standings
    for user, one in enumerate(standings, 1):
        assert bank.records(user) == [GameCount("doppelkopf", 1, int(one.won), one.total)]
    assert len(bank.games(Asked(user=1))) == 1
    bank.close()


def test_a_match_for_cubes_is_told_with_points_and_cubes(tmp_path: Path) -> None:
    short = replace(LONG, options=Options(rounds=2, cubes=5))

    def play() -> None:
        play_anything(hall, short, Bank)

    with Hall(tmp_path / "data") as hall:
        assert exit_code(fork(play)) == 0
        bank = bank_in_file(hall.data / BANK_FILE)
        past = bank.game(1)
        assert past is not None
        assert bank.audit() == []
        bank.close()
    assert verify(past, RULES).verdict == "proven"
    totals = [one.total for one in game_of("doppelkopf").results(past).standings]
    assert any(totals)
    text = page(past, 1, "1", EN).text
    for name, total in zip(NAMES, totals, strict=True):
        money = f", paid {max(-total, 0) * 5}, got {max(total, 0) * 5}" if total else ""
        assert re.search(rf"^  Seat \d  {name} +{total} points?{money}$", text, re.MULTILINE)
        if total < 0:
            assert f"{name} pays {-total * 5} CUBES." in text
    assert "Checked just now: seal, cards, moves and CUBES agree." in text
