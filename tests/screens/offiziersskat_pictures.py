"""An Offiziersskat table driven by the rules alone, and pictures of it: a table, a viewer, the keys they have pressed.

The first deal is the one below; its trump, and every later deal, follow from a seed that is searched for.
"""

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from tests.engine.stacked import stacked
from tests.engine.words import draw_word, start
from tests.screens.awake import awake
from yawc_poker.cards import Suit, cards, written
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.game import RULES as OFFIZIERSSKAT
from yawc_poker.games.offiziersskat.model import CARDS, Event, Options, PlayCard, State
from yawc_poker.games.offiziersskat.trumps import drawn_trump
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene, playable
from yawc_poker.games.offiziersskat.ui.screen import FACE
from yawc_poker.terminal.keys import KEY_DOWN, KEY_RIGHT
from yawc_poker.words import Language

GOLDEN = Path(__file__).parent / "golden_offiziersskat"
CLOCKS = Clocks()
NAMES = ("Anna", "Abcdefghijklmnopqrst")
ANNA, BERT = 101, 102
EN = words("en")

COVERED = ("J+ A* 10# K- 9+ Q- 7# 8-", "J- A# 10- Q+ K* 9* 7* 8+")
OPEN = ("A+ K# J* 9- 10+ 8# Q* 7-", "10* K+ 9# A- J# Q# 8* 7+")
"""The first deal, by seat and place."""
DEAL = written(cards(" ".join((*COVERED, *OPEN))))


def seed_of(trump: Suit | None) -> str:
    """Return a seed by which this is the trump of the first round."""
    return next(seed for seed in (f"{number:064x}" for number in count()) if drawn_trump(seed, 1) == trump)


class Picture(NamedTuple):
    """What is drawn."""

    instance: "Instance"
    who: int
    keys: Sequence[str] = ()
    columns: int = 80
    rows: int = 24


class Instance:
    """A table and its clock, driven by the rules alone."""

    def __init__(self, people: int = 2) -> None:
        self.table: Table[State, Event] = tables.empty(rules)
        self.now = 1000.0
        self.rng = Random(0)
        for seat in range(people):
            self.sit(101 + seat, NAMES[seat])

    def sit(self, session: int, name: str) -> None:
        person = Seat(session, session - 100, name, 0)
        self.table = prepared(tables.sit(self.table, rules, person, self.now, CLOCKS), rules, self.rng)
        self.table = draw_word(self.table, session, self.rng)

    def start(self, trump: Suit | None = Suit.HEARTS, target: int = 21) -> "Instance":
        game, master = stacked(OFFIZIERSSKAT, DEAL, seed_of(trump)), 101 + (self.table.master or 0)
        self.table = start(self.table, game, master, {}, self.rng, self.now, Options(target), CLOCKS).table
        return self

    def moves(self, text: str) -> "Instance":
        """Make those on turn play these cards."""
        for card in cards(text):
            session = 101 + (rules.to_move(self.game) or 0)
            self.now += 3
            self.table = tables.play(self.table, rules, session, PlayCard(card), {}, self.rng, self.now, CLOCKS).table
        return self

    def go_on(self, rounds: int = 1, tricks: int = 0, cards: int = 0) -> "Instance":
        """Play the last card that is allowed, until so many rounds, then tricks, then cards have been played."""
        while self.table.game is not None and not rules.is_over(self.game) and self._played() < (rounds, tricks, cards):
            session = 101 + (rules.to_move(self.game) or 0)
            self.moves(str(playable(self.scene(session))[-1]))
        return self

    def _played(self) -> tuple[int, int, int]:
        now = self.game.round
        return len(self.game.results), len(now.tricks), len(now.trick)

    @property
    def game(self) -> State:
        assert self.table.game is not None
        return self.table.game

    def totals(self, first: int, second: int) -> "Instance":
        """Change the points of the last round, so that a match has this result."""
        assert self.table.last is not None
        state = self.table.last
        done = replace(state.results[-1], eyes=(60, 60), points=(first, second))
        self.table = replace(self.table, last=replace(state, results=(done,)))
        return self

    def expire(self) -> "Instance":
        """Let the time of the player on turn pass."""
        assert self.table.deadline is not None
        self.now = self.table.deadline
        change = tables.expire(self.table, rules, self.now, self.rng, {}, CLOCKS)
        assert change is not None
        self.table = awake(change.table)
        return self

    def leave(self, session: int) -> "Instance":
        self.table = tables.leave(self.table, rules, session, self.now, CLOCKS).table
        return self

    def finish(self) -> "Instance":
        self.table = prepared(tables.finish(self.table, rules, self.now, CLOCKS), rules, self.rng)
        return self

    def scene(self, session: int) -> Scene:
        return FACE.scene(self.table, session, 0, self.now)

    def local(self, session: int, keys: Sequence[str] = (), language: Language = "en") -> Local:
        now = FACE.hear(FACE.fresh(Options()), read_log(self.table, rules, session), session, words(language))
        now = FACE.follow(now, self.scene(session))
        for key in keys:
            now, _ = FACE.press(now, self.scene(session), key, words(language))
        return now


def alone() -> Picture:
    return Picture(Instance(1), ANNA)


def master_before_a_match() -> Picture:
    return Picture(Instance(), ANNA)


def waits_for_the_master() -> Picture:
    return Picture(Instance(), BERT)


def first_card() -> Picture:
    return Picture(Instance().start(), ANNA)


def chosen() -> Picture:
    return Picture(Instance().start(), ANNA, [KEY_RIGHT, KEY_RIGHT, KEY_DOWN])


def must_follow() -> Picture:
    """A trump is led: only three of the eight cards may be played, and the card below the one led lies alone."""
    return Picture(Instance().start().moves("K#"), BERT)


def trick_taken() -> Picture:
    return Picture(Instance().start().moves("K# J#"), ANNA)


def grand() -> Picture:
    return Picture(Instance().start(None).moves("A+ 7+ J*"), BERT)


def by_the_clock() -> Picture:
    return Picture(Instance().start(Suit.CLUBS).expire().expire(), BERT)


def few_left() -> Picture:
    return Picture(Instance().start().go_on(0, 13, 1), BERT)


def second_round() -> Picture:
    """The last trick of the first round still lies there; its result is told."""
    return Picture(Instance().start().go_on(), BERT)


def tricks_and_rounds() -> Picture:
    return Picture(Instance().start().go_on(10, 11), ANNA, "t")


def leave_question() -> Picture:
    return Picture(Instance().start().moves("K#"), ANNA, "x")


def chat_on_own_turn() -> Picture:
    return Picture(Instance().start(), ANNA, ".hi")


def is_over() -> Picture:
    return Picture(Instance().start(target=1).go_on(99), ANNA)


def won() -> Picture:
    return Picture(Instance().start(target=1).go_on(99).finish(), BERT)


def drawn() -> Picture:
    return Picture(Instance().start(target=1).go_on(99).finish().totals(21, 21), ANNA)


def has_left() -> Picture:
    return Picture(Instance().start().go_on(1, 3).leave(ANNA).finish(), BERT)


def large() -> Picture:
    return Picture(Instance().start().go_on(5, 9, 1), BERT, (), 132, 43)


def large_own_turn() -> Picture:
    instance, who, keys, *_ = chosen()
    return Picture(instance, who, keys, 132, 43)


def high() -> Picture:
    return Picture(Instance().start().go_on(5, 9), BERT, (), 80, 50)


def small() -> Picture:
    return Picture(Instance().start().moves("K#"), BERT, (), 60, 20)


PICTURES: tuple[Callable[[], Picture], ...] = (
    alone,
    master_before_a_match,
    waits_for_the_master,
    first_card,
    chosen,
    must_follow,
    trick_taken,
    grand,
    by_the_clock,
    few_left,
    second_round,
    tricks_and_rounds,
    leave_question,
    chat_on_own_turn,
    is_over,
    won,
    drawn,
    has_left,
    large,
    large_own_turn,
    high,
    small,
)
assert sorted(cards(DEAL)) == sorted(CARDS)
