"""A Mau-Mau table driven by the rules alone, and pictures of it: a table, a viewer, and the keys they have pressed."""

from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec.structs import replace

from tests.engine.stacked import stacked
from tests.engine.words import draw_word, start
from tests.protocols.maumau_example import DECK
from tests.screens.awake import awake
from yawc_poker.cards import cards, written
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.game import RULES as MAUMAU
from yawc_poker.games.maumau.model import Event, Finish, Options, PlayCard, Player, State, Take, Wish
from yawc_poker.games.maumau.ui.scene import Local, Scene
from yawc_poker.games.maumau.ui.screen import FACE
from yawc_poker.words import Language

GOLDEN = Path(__file__).parent / "golden_maumau"
CLOCKS = Clocks()
NAMES = ("Anna", "Bert", "Abcdefghijklmnopqrst", "Robot 1^", "Robot 2^")
ANNA, BERT = 101, 102
EN = words("en")
RULES = stacked(MAUMAU, written(DECK), "0" * 64)


class Instance:
    """A table and its clock, driven by the rules alone; the deck is that of the protocol's example."""

    def __init__(self, people: int) -> None:
        self.table: Table[State, Event] = tables.empty(rules)
        self.now = 1000.0
        self.rng = Random(0)
        for seat in range(people):
            person = Seat(101 + seat, 1 + seat, NAMES[seat], 0)
            self.table = prepared(tables.sit(self.table, rules, person, self.now, CLOCKS), rules, self.rng)
            self.table = draw_word(self.table, 101 + seat, self.rng)

    def start(self, rounds: int = 4) -> None:
        self.table = start(self.table, RULES, ANNA, {}, self.rng, self.now, Options(rounds), CLOCKS).table

    def play(self, *moves: PlayCard | Take | Wish | Finish) -> None:
        for move in moves:
            assert self.table.game is not None
            seat = rules.to_move(self.table.game)
            assert seat is not None
            who = self.table.seats[seat]
            assert who is not None
            self.now += 3
            self.table = tables.play(self.table, rules, who.session, move, {}, self.rng, self.now, CLOCKS).table

    def hold(self, *hands: str, top: str) -> None:
        """Make everybody hold these cards."""
        assert self.table.game is not None
        players = tuple(Player(seat, cards(hand)) for seat, hand in enumerate(hands))
        state = replace(self.table.game, players=players, pile=cards(top), stock=())
        self.table = replace(self.table, game=state)

    def leave(self, session: int) -> None:
        self.table = tables.leave(self.table, rules, session, self.now, CLOCKS).table

    def expire(self) -> None:
        """Let the time of the player on turn pass."""
        assert self.table.deadline is not None
        self.now = self.table.deadline
        change = tables.expire(self.table, rules, self.now, self.rng, {}, CLOCKS)
        assert change is not None
        self.table = awake(change.table)

    def finish(self) -> None:
        self.table = prepared(tables.finish(self.table, rules, self.now, CLOCKS), rules, self.rng)

    def scene(self, session: int) -> Scene:
        return FACE.scene(self.table, session, 0, self.now)

    def local(self, session: int, keys: str = "", language: Language = "en") -> Local:
        now = FACE.hear(FACE.fresh(Options()), read_log(self.table, rules, session), session, words(language))
        now = FACE.follow(now, self.scene(session))
        for key in keys:
            now, _ = FACE.press(now, self.scene(session), key, words(language))
        return now


Picture = tuple[Instance, int, str]


def play(text: str) -> PlayCard:
    return PlayCard(cards(text)[0])


def alone() -> Picture:
    return Instance(1), ANNA, ""


def master_before_a_game() -> Picture:
    return Instance(3), ANNA, ""


def rounds_prompt() -> Picture:
    return Instance(3), ANNA, "s25"


def rounds_refused() -> Picture:
    return Instance(3), ANNA, "s0\r"


def own_turn() -> Picture:
    instance = Instance(4)
    instance.start()
    return instance, ANNA, ""


def others_turn() -> Picture:
    instance = Instance(4)
    instance.start()
    return instance, BERT, ""


def take_one() -> Picture:
    instance = Instance(2)
    instance.start()
    return instance, ANNA, ""


def sevens() -> Picture:
    instance = Instance(2)
    instance.start()
    instance.play(Take(1), play("K#"), play("7#"), play("7*"), play("7+"))
    return instance, ANNA, ""


def wish() -> Picture:
    instance = Instance(2)
    instance.start()
    instance.play(Take(1), play("K#"), play("7#"), play("7*"), play("7+"), Take(6), play("J-"))
    return instance, ANNA, ""


def wished() -> Picture:
    instance, _, _ = wish()
    instance.play(Wish(cards("9#")[0].suit))
    return instance, BERT, ""


def jacks_only() -> Picture:
    instance = Instance(3)
    instance.start()
    instance.hold("J+ J-", "7+ 8+", "10# Q#", top="K*")
    return instance, ANNA, ""


def many_cards() -> Picture:
    instance = Instance(2)
    instance.start()
    hand = "7- 8- 9- 10- J- Q- K- A- 7# 8# 10# J# Q# K# A# 7* 8* 9* 10* J* Q* K* A* 7+ 8+ 10+ Q+ K+"
    instance.hold(hand, "9+ A+", top="9#")
    return instance, ANNA, ""


def looks_on() -> Picture:
    instance = Instance(2)
    instance.start()
    person = Seat(104, 4, "Dora", 0)
    instance.table = tables.sit(instance.table, rules, person, instance.now, CLOCKS)
    return instance, 104, ""


def after_a_round() -> Picture:
    instance = Instance(3)
    instance.start()
    instance.hold("J+ J-", "7+ 8+", "10# Q#", top="K*")
    instance.play(Finish())
    return instance, BERT, ""


def after_the_game() -> Picture:
    instance = Instance(3)
    instance.start(1)
    instance.hold("J+ J-", "7+ 8+", "10# Q#", top="K*")
    instance.play(Finish())
    instance.finish()
    return instance, ANNA, ""


def leave_question() -> Picture:
    instance = Instance(4)
    instance.start()
    return instance, BERT, "x"


def just_taken() -> Picture:
    instance = Instance(2)
    instance.start()
    instance.play(Take(1), play("K#"), play("7#"), play("7*"), play("7+"), Take(6))
    return instance, ANNA, ""


def others_ran_away() -> Picture:
    instance = Instance(3)
    instance.start()
    instance.leave(101)
    instance.leave(103)
    instance.finish()
    return instance, BERT, ""


def one_ran_away() -> Picture:
    """Anna, who has the most points, leaves; Bert's points are then the highest."""
    instance = Instance(3)
    instance.start(1)
    instance.hold("J+ J-", "8* A+", "9*", top="K*")
    instance.leave(101)
    instance.play(play("8*"), play("9*"))
    instance.finish()
    return instance, BERT, ""


def time_is_over() -> Picture:
    instance = Instance(2)
    instance.start()
    instance.expire()
    instance.expire()
    return instance, BERT, ""


PICTURES: tuple[Callable[[], Picture], ...] = (
    alone,
    master_before_a_game,
    rounds_prompt,
    rounds_refused,
    own_turn,
    others_turn,
    take_one,
    sevens,
    wish,
    wished,
    jacks_only,
    many_cards,
    looks_on,
    after_a_round,
    after_the_game,
    leave_question,
    just_taken,
    others_ran_away,
    one_ran_away,
    time_is_over,
)
LARGE: tuple[Callable[[], Picture], ...] = (own_turn, many_cards, after_a_round)
"""These have a golden screen of 132 by 43, too, and `after_a_round` one of 80 by 50."""
