"""Offiziersskat over real telnet: two callers play, one leaves or is killed, and all of it is proven."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from tests.end_to_end import match
from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.match import Choose, seated
from tests.end_to_end.test_played import SEAL, checked, page_of, read_page
from tests.thoroughness import few
from yawc_poker.engine.values import Table
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.offiziersskat.model import Event, Move, Options, State
from yawc_poker.games.offiziersskat.progress import open_cards
from yawc_poker.games.offiziersskat.ui.scene import CARD_KEYS, usable
from yawc_poker.games.offiziersskat.ui.screen import FACE
from yawc_poker.registry.entry import GameTables

SLOW = """
[offiziersskat]
turn_seconds = 60
pause_seconds = 0
"""
QUICK = SLOW.replace("60", "0.01")
HOUSE = """players = 1
level = "easy"
pace = [0.0, 0.05]
"""
ALONE = FAST.replace("players = 0\n", HOUSE) + SLOW.replace("60", "0.2")
_TABLES = GameTables(OFFIZIERSSKAT)


def offered(value: Table[State, Event], seat: int) -> tuple[str, ...]:
    """Return the keys that the caller in a seat is offered."""
    who = value.seats[seat]
    assert who is not None, f"nobody sits in seat {seat}"
    return usable(FACE.scene(value, who.session, 0, time.monotonic()))


class Match(match.Match[State, Move, Event, Options]):
    """The table, and two callers at it whose names end with this."""

    def __init__(self, bbs: Bbs, ending: str) -> None:
        names = (f"{name}{ending}" for name in ("Anna", "Bert"))
        super().__init__(bbs, seated(bbs, "5", "Match:", list(names)), _TABLES, offered)


def by_chance(seed: int, idle: float = 0.0) -> Choose:
    """Return a player who presses the key of any card that may be played, and leaves some moves to the clock."""
    rng = Random(seed)

    def choose(keys: Sequence[str]) -> str:
        cards = [key for key in keys if key in CARD_KEYS]
        return rng.choice(cards) if cards and rng.random() >= idle else ""

    return choose


def first(keys: Sequence[str]) -> str:
    """Return the key of the first card that may be played."""
    return next((key for key in keys if key in CARD_KEYS), "")


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


def test_a_match_to_21_is_told_and_proven(quick: Bbs) -> None:
    match = Match(quick, "21")
    anna, bert = match.callers
    anna.hear("Seal for the next game:")
    seal = SEAL.findall(anna.text)[0]
    match.begin()
    match.play(by_chance(1, idle=0.9))
    told = match.told()
    points = match.points()
    assert max(points) >= 21
    rounds = len(re.findall(r"Round \d+(?:: trump is| is a Grand)", told))
    assert len(re.findall(r" takes trick \d+ with ", told)) == 16 * rounds
    is_drawn = points[0] == points[1]  # 60 eyes each when both had 20
    best = match.names[points.index(max(points))]
    match.ended("The match is a draw" if is_drawn else f"{best} wins the match")
    text = page_of(anna)
    assert "False" not in checked(text, seal)
    assert checked(text, seal).count("True") == 4 + 32, "all cards are open"
    assert re.search(rf"^  Seat 1  Anna21 +{points[0]} points?$", text, re.MULTILINE)
    anna.line("")
    anna.at_prompt()
    anna.press("P\r")
    anna.see("Offiziersskat: 1 played, ", "Registered:")
    assert re.search(rf"Offiziersskat: 1 played, [01] won, {points[0]} points?\b", anna.text, re.MULTILINE)
    bert.send("x")
    bert.at_prompt()
    bert.send("LD\r")
    bert.see("Hilfe)>")
    bert.press("SG")
    bert.see("Offiziersskat", "Welches Spiel?")
    bert.press("1\r")
    assert "Stich 16" in read_page(bert, "-- Ende")


def test_a_caller_alone_plays_a_match_against_the_house(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", ALONE) as bbs:
        anna = bbs.call().register("Anna")
        anna.press("S5")
        anna.see("play with the house (H)?")
        anna.press("h\r")
        anna.see("Trump", "match to 21")
        played = match.Match(bbs, [anna], _TABLES, offered)
        played.begin("")
        played.play(by_chance(3, idle=0.5))
        assert max(played.points()) >= 21
        told = bbs.yawcctl("verify", str(played.number))  # on a busy machine the clock may be faster than the house
        assert re.search(r"of 1 house player( \(and \d+ by the clock\))?, each by its program", told), told
        bbs.is_sound()


# --- somebody goes ----------------------------------------------------------------------------------------------------


def leaves(match: Match) -> None:
    anna = match.callers[0]
    anna.send("x")
    anna.redraw()
    anna.see("(y/n)")
    anna.send("y")
    anna.at_prompt()
    anna.hang_up()


def is_killed(match: Match) -> None:
    match.bbs.session(match.names[0]).kill()
    match.callers[0].ended()


def hangs_up(match: Match) -> None:
    match.callers[0].hang_up()


@pytest.mark.parametrize("goes", few([leaves, is_killed, hangs_up], 1))
def test_a_player_who_is_gone_has_lost(town: Bbs, goes: Callable[[Match], None]) -> None:
    match = Match(town, goes.__name__.removeprefix("is_")[0])
    match.begin()
    match.play(first, until=lambda state: len(state.round.tricks) == 2)
    goes(match)
    told = match.told()
    match.ended(f"{match.names[1]} wins the match")
    assert f"{match.names[0]} has left" in told
    assert match.points() == [0, 0]


# --- at the screen ----------------------------------------------------------------------------------------------------


def cannot_follow_with(state: State) -> tuple[int, ...]:
    """Return the places of the open cards that the seat on turn may not play."""
    seat = state.current or 0
    fitting = {card for choice in rules.legal_moves(state, seat) for card in choice.cards}
    places = enumerate(state.players[seat].places)
    return tuple(at for at, place in places if place.open is not None and place.open not in fitting)


def test_a_card_that_must_follow_changes_nothing(town: Bbs) -> None:
    match = Match(town, "f")
    match.begin()
    match.play(first, until=lambda state: bool(state.round.trick and cannot_follow_with(state)))
    state = match.state()
    assert state.current is not None
    caller = match.callers[state.current]
    caller.redraw()
    caller.send(CARD_KEYS[cannot_follow_with(state)[0]])
    caller.wait(lambda: "You must follow suit: " in caller.text or "A trump was led: " in caller.text, "a refusal")
    assert match.state() == state


def test_who_looks_on_sees_open_cards_and_no_others(town: Bbs) -> None:
    match = Match(town, "w")
    match.begin()
    match.play(first, until=lambda state: len(state.round.tricks) == 3)
    state = match.state()
    watched = town.yawcctl("watch", "offiziersskat 1", "--once")
    assert f"offiziersskat 1, game {match.number}, " in watched
    for player in state.players:
        for card in open_cards(player):
            assert str(card) in watched
        for place in player.places:
            assert place.covered is None or f"[{place.covered}]" not in watched
