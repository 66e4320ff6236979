"""Whole matches of Doppelkopf over real telnet: sixteen rounds, a tournament, for CUBES; leaving, calls, refusals."""

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.doppelkopf_match import Match, by_chance
from tests.thoroughness import SOAK, few
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.model import State
from yawc_poker.games.doppelkopf.teams import LEAST
from yawc_poker.games.doppelkopf.ui.scene import CARD_KEYS

SLOW = """
[doppelkopf]
turn_seconds = 60
pause_seconds = 0
"""
QUICK = SLOW.replace("60", "0.01")
healthy = by_chance(5, reserving=0)
ROUNDS = 16 if SOAK else 4


def silent(offered: Sequence[str]) -> str:
    """Return the first key that is a move and no call."""
    return next(key for key in offered if key in f"G{CARD_KEYS}Y").lower()


@pytest.fixture(scope="module")
def town_of() -> Callable[[Path], Bbs]:
    """A BBS whose clock plays for nobody; each test takes names of its own."""
    return lambda data: Bbs(data, FAST + SLOW)


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Bbs]:
    """A BBS whose clock plays for all who do not press a key at once."""
    with Bbs(tmp_path / "data", FAST + QUICK) as running:
        yield running
        running.is_sound()


def test_a_match_to_its_last_round(quick: Bbs) -> None:
    match = Match(quick, "16")
    match.begin("s" if ROUNDS == 16 else f"./option rounds {ROUNDS}\rs")
    match.play(by_chance(1, idle=0.9))
    told = match.told()
    match.ended(f"The match is over after {ROUNDS} rounds.")
    assert len(re.findall(rf"Round \d+ of {ROUNDS}: ", told)) == ROUNDS
    assert len(re.findall(r" takes trick \d+ with ", told)) == ROUNDS * 12
    assert told.count(" wants to go on") >= (ROUNDS - 1) * 4
    best = max(match.points())
    assert f"wins the match with {best} point" in told


@pytest.mark.skipif(not SOAK, reason="make soak; its rules are tested without a BBS")
def test_a_tournament_of_twenty_four_games(quick: Bbs) -> None:
    match = Match(quick, "24")
    match.begin("./option turnier\rs")
    match.play(by_chance(2, idle=0.9))
    told = match.told()
    match.ended("The match is over after 24 rounds.")
    assert len(re.findall(r"Round \d+ of 24: ", told)) == 24
    for name in match.names:
        assert told.count(f"{name} leads in the compulsory solo: ") == 1
    assert "go on" not in told, "nobody is asked whether to go on"
    match.points()


# --- somebody goes ----------------------------------------------------------------------------------------------------


def leaves(match: Match) -> None:
    match.callers[2].send("x")
    match.callers[2].redraw()
    match.callers[2].see("(y/n)")
    match.callers[2].send("y")
    match.callers[2].at_prompt()
    match.callers[2].hang_up()


def is_killed(match: Match) -> None:
    match.bbs.session(match.names[2]).kill()
    match.callers[2].ended()


def hangs_up(match: Match) -> None:
    match.callers[2].hang_up()


@pytest.mark.parametrize("goes", few([is_killed, leaves, hangs_up], 1))
def test_the_round_is_played_on_for_one_who_has_gone(town: Bbs, goes: Callable[[Match], None]) -> None:
    match = Match(town, goes.__name__.removeprefix("is_")[0])
    match.begin()
    match.play(healthy, until=lambda state: len(state.round.tricks) == 2)
    goes(match)
    match.wait(lambda: match.state().players[2].gone)
    match.play(healthy)
    told = match.told()
    match.ended("The match ends after 1 round: somebody has left.")
    assert len(re.findall(r" takes trick \d+ with ", told)) == 12
    points = match.points()
    assert len([one for one in points if one]) in {0, 4}


# --- calls and refusals -----------------------------------------------------------------------------------------------


def test_calls_by_those_who_are_not_on_turn_are_shown_to_all(town: Bbs) -> None:
    match = Match(town, "c")
    carl = match.callers[2]
    match.begin()
    match.play(healthy, until=lambda state: state.phase == "play")
    assert match.state().current == 1
    for caller in match.callers:
        caller.redraw()
        caller.see("Normal game")
    call = "Contra" if "[C] Contra" in carl.text else "Re"
    for key, text in (("c", call), ("d", "no 90")):
        carl.send(key)
        for caller in match.callers:
            caller.hear(f"Carlc says: {text}!")
    assert match.state().current == 1, "the turn is the same"
    carl.send("f")
    carl.see('"no 60" must be called first.')
    assert [made.level for made in match.state().round.calls] == ["team", "no90"]


def cards_of(state: State, seat: int) -> tuple[int, ...]:
    """Return the places in a hand, as it is shown, of the cards that may not be played."""
    view = rules.view(state, seat)
    fitting = rules.legal_moves(state, seat)[0]
    return tuple(at for at, card in enumerate(view.hand or ()) if card not in getattr(fitting, "cards", ()))


def must_follow(state: State) -> bool:
    """Return whether somebody is on turn who holds a card that does not follow, and too few cards for a call."""
    seat = state.current
    if state.phase != "play" or seat is None or not state.round.trick:
        return False
    return len(state.players[seat].hand) < LEAST["team"] and bool(cards_of(state, seat))


def test_a_card_that_must_follow_and_a_call_too_late_change_nothing(town: Bbs) -> None:
    match = Match(town, "r")
    match.begin()
    match.play(silent, until=must_follow)
    state = match.state()
    assert state.current is not None
    caller = match.callers[state.current]
    caller.redraw()
    caller.see("Normal game")
    caller.send(CARD_KEYS[cards_of(state, state.current)[0]])
    caller.wait(lambda: "You must follow suit: " in caller.text or "A trump was led: " in caller.text, "a refusal")
    caller.send("c")
    caller.see('"Re/Contra" must be called with 11')
    assert match.state() == state


# --- for CUBES --------------------------------------------------------------------------------------------------------


def test_a_match_for_cubes_is_paid_in_one_transaction(town: Bbs) -> None:
    match = Match(town, "q")
    match.begin("./option rounds 1\r./option cubes 5\rs")
    match.play(silent)
    match.told()
    points = match.points()
    owned = [who.cash for who in match.value().seats if who is not None]
    losers = {place: one for place, one in enumerate(points) if one < 0}
    assert [owned[place] for place in losers] == [max(0, 100 + 5 * one) for one in losers.values()]
    assert sum(owned) == 400
    assert [one > 100 for one in owned] == [one > 0 for one in points]
    with closing(sqlite3.connect(f"file:{town.data / BANK_FILE}?mode=ro", uri=True)) as books:
        told = books.execute("SELECT kind, at FROM txn WHERE game = ? ORDER BY id", (match.number,)).fetchall()
    debts = ["bet"] if losers else []  # a round may be worth nothing
    assert [kind for kind, _ in told] == ["ante", *debts, "payout"], "one for all debts, one for all that was won"
    assert len({when for _, when in told[1:]}) == 1, "debts and payout are one writing transaction"
