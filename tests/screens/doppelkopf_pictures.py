"""A Doppelkopf table driven by the rules alone, and pictures of it: a table, a viewer, and the keys they have pressed.

All cards are dealt in the order of the deck's texts below: seat 1 is dealt first, as seat 0 deals.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.engine.stacked import stacked
from tests.engine.words import draw_word, start
from tests.screens.awake import awake
from yawc_poker.cards import cards, written
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.game import RULES as DOPPELKOPF
from yawc_poker.games.doppelkopf.model import (
    CARDS,
    Call,
    GoOn,
    Healthy,
    Move,
    NoSolo,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    State,
)
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene
from yawc_poker.games.doppelkopf.ui.screen import FACE
from yawc_poker.terminal.keys import KEY_RIGHT
from yawc_poker.words import Language

GOLDEN = Path(__file__).parent / "golden_doppelkopf"
CLOCKS = Clocks()
NAMES = ("Anna", "Bert", "Abcdefghijklmnopqrst", "Dora")
ANNA, BERT, CARL, DORA = 101, 102, 103, 104
CASH = dict.fromkeys(range(4), 1000)
EN = words("en")

HANDS = (
    "Q+ 10# Q* J+ J- A- 10- K- A+ 10+ K* 9#",
    "Q+ Q# Q- J* A- 9- A+ K+ A* 10* A# K#",
    "10# Q* Q# J# J- K- 10+ 9+ A* 9* A# 9#",
    "Q- J+ J* J# 10- 9- K+ 9+ 10* K* 9* K#",
)
"""What the seats are dealt unless a picture says otherwise: Anna and Bert are Re."""
WEDDING = (
    "Q+ Q+ Q* J+ J- A- 10- K- A+ 10+ K* 9#",
    "10# Q# Q- J* A- 9- A+ K+ A* 10* A# K#",
    *HANDS[2:],
)
"""Anna has both queens of clubs."""


class Picture(NamedTuple):
    """What is drawn."""

    instance: "Instance"
    who: int
    keys: Sequence[str] = ()
    columns: int = 80
    rows: int = 24
    earlier: Table[State, Event] | None = None
    """The table when the viewer looked before; None: they have not looked yet."""


class Instance:
    """A table and its clock, driven by the rules alone."""

    def __init__(self, people: int = 4) -> None:
        self.table: Table[State, Event] = tables.empty(rules)
        self.now = 1000.0
        self.rng = Random(0)
        for seat in range(people):
            self.sit(101 + seat, NAMES[seat])

    def sit(self, session: int, name: str) -> None:
        person = Seat(session, session - 100, name, 1000)
        self.table = prepared(tables.sit(self.table, rules, person, self.now, CLOCKS), rules, self.rng)
        self.table = draw_word(self.table, session, self.rng)

    def start(self, hands: Sequence[str] = HANDS, rounds: int = 16, tournament: bool = False) -> "Instance":
        dealt = [*hands[1:], hands[0]]
        game = stacked(DOPPELKOPF, written(cards(" ".join(dealt))), "5eed")
        options = Options(rounds=rounds, tournament=tournament)
        self.table = start(self.table, game, ANNA, CASH, self.rng, self.now, options, CLOCKS).table
        return self

    def move(self, seat: int, move: Move) -> None:
        self.now += 3
        self.table = tables.play(self.table, rules, 101 + seat, move, CASH, self.rng, self.now, CLOCKS).table

    def moves(self, *moves: Move | str) -> "Instance":
        """Make those on turn move; a text is some cards."""
        for move in moves:
            for one in [PlayCard(card) for card in cards(move)] if isinstance(move, str) else [move]:
                assert self.table.game is not None
                seat = rules.to_move(self.table.game)
                assert seat is not None
                self.move(seat, one)
        return self

    def healthy(self) -> "Instance":
        return self.moves(*[Healthy()] * 4)

    def cheap(self, tricks: int = 12) -> "Instance":
        """Make the clock play until so many tricks of the round have been taken."""
        number = self.game.round.number
        while self.game.phase == "play" and self.game.round.number == number and len(self.game.round.tricks) < tricks:
            self.expire()
        return self

    @property
    def game(self) -> State:
        assert self.table.game is not None
        return self.table.game

    def expire(self) -> None:
        """Let the time of the player on turn pass."""
        assert self.table.deadline is not None
        self.now = self.table.deadline
        change = tables.expire(self.table, rules, self.now, self.rng, CASH, CLOCKS)
        assert change is not None
        self.table = awake(change.table)

    def leave(self, session: int) -> None:
        self.table = tables.leave(self.table, rules, session, self.now, CLOCKS).table

    def finish(self) -> "Instance":
        self.table = prepared(tables.finish(self.table, rules, self.now, CLOCKS), rules, self.rng)
        return self

    def scene(self, session: int) -> Scene:
        return FACE.scene(self.table, session, 0, self.now)

    def local(
        self,
        session: int,
        keys: Sequence[str] = (),
        language: Language = "en",
        earlier: Table[State, Event] | None = None,
    ) -> Local:
        now = FACE.fresh(Options())
        for table in (self.table,) if earlier is None else (earlier, self.table):
            now = FACE.hear(now, read_log(table, rules, session), session, words(language))
            now = FACE.follow(now, FACE.scene(table, session, 0, self.now))
        for key in keys:
            now, _ = FACE.press(now, self.scene(session), key, words(language))
        return now


def two_wait() -> Picture:
    return Picture(Instance(2), BERT)


def master_before_a_match() -> Picture:
    return Picture(Instance(), ANNA)


def reservation() -> Picture:
    return Picture(Instance().start().moves(Healthy(), Reserve()), DORA)


def naming() -> Picture:
    return Picture(Instance().start(WEDDING).moves(Healthy(), Healthy(), Healthy(), Reserve()), ANNA)


def trick() -> Picture:
    return Picture(Instance().start().healthy().moves("A+ 9+ K+"), ANNA)


def own_turn_with_calls() -> Picture:
    instance = Instance().start().healthy().moves("A* A* 10* K*")
    instance.move(0, Call("team"))
    return Picture(instance, BERT, [KEY_RIGHT, KEY_RIGHT])


def called() -> Picture:
    instance = Instance().start().healthy().moves("A* A* 10* K*")
    for seat, call in ((0, Call("team")), (2, Call("team")), (1, Call("no90"))):
        instance.move(seat, call)
    return Picture(instance.moves("A+"), DORA)


def solo() -> Picture:
    instance = Instance().start().moves(Healthy(), Reserve(), Healthy(), Healthy(), PlaySolo("clubs"))
    return Picture(instance.cheap(1), CARL)


def wedding_open() -> Picture:
    instance = Instance().start(WEDDING).moves(Healthy(), Healthy(), Healthy(), Reserve(), NoSolo())
    return Picture(instance.moves("A+ 10+"), DORA)


def wedding_clear() -> Picture:
    instance = Instance().start(WEDDING).moves(Healthy(), Healthy(), Healthy(), Reserve(), NoSolo())
    return Picture(instance.cheap(1), ANNA)


def last_trick() -> Picture:
    return Picture(Instance().start().healthy().moves("A* A* 10* K*", "A+"), ANNA, "l")


def must_follow() -> Picture:
    instance = Instance().start().healthy().moves("A* 9*")
    return Picture(instance, DORA)


def leave_question() -> Picture:
    return Picture(Instance().start().healthy(), CARL, "x")


def question() -> Picture:
    instance = Instance().start().healthy()
    instance.move(0, Call("team"))
    instance.cheap()
    instance.move(2, GoOn(True))
    return Picture(instance, BERT)


def rounds() -> Picture:
    instance = Instance().start()
    for _ in range(11):
        if instance.game.phase == "question":
            instance.expire()
        instance.healthy().cheap()
    return Picture(instance, BERT, "t")


def tournament() -> Picture:
    instance = Instance().start(tournament=True).healthy().cheap()
    return Picture(instance, BERT)


def tournament_goes_on() -> Picture:
    """Dora has played to the end of a game; the next one begins without a question."""
    instance = Instance().start(tournament=True).healthy()
    earlier = instance.table
    return Picture(instance.cheap(), DORA, earlier=earlier)


def final() -> Picture:
    instance = Instance().start(rounds=1).healthy().cheap()
    return Picture(instance.finish(), CARL)


def one_has_left() -> Picture:
    instance = Instance().start().healthy().cheap(3)
    instance.leave(CARL)
    instance.sit(105, "Emil")
    return Picture(instance, ANNA)


def looks_on() -> Picture:
    instance, _, *_ = one_has_left()
    return Picture(instance, 105)


def large() -> Picture:
    return Picture(Instance().start().healthy().cheap(7), BERT, (), 132, 43)


def large_whole_hand() -> Picture:
    return Picture(Instance().start().healthy(), BERT, (KEY_RIGHT,), 132, 43)


def high() -> Picture:
    return Picture(Instance().start().healthy().cheap(7), BERT, (), 80, 50)


def small() -> Picture:
    return Picture(Instance().start().healthy().cheap(7), BERT, (), 60, 20)


PICTURES: tuple[Callable[[], Picture], ...] = (
    two_wait,
    master_before_a_match,
    reservation,
    naming,
    trick,
    own_turn_with_calls,
    called,
    solo,
    wedding_open,
    wedding_clear,
    last_trick,
    must_follow,
    leave_question,
    question,
    rounds,
    tournament,
    tournament_goes_on,
    final,
    one_has_left,
    looks_on,
    large,
    large_whole_hand,
    high,
    small,
)
assert sorted(cards(" ".join(HANDS))) == sorted(cards(" ".join(WEDDING))) == sorted(CARDS)
