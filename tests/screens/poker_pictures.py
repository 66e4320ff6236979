"""A poker table driven by the rules alone, and pictures of it: a house, who looks, and what he has pressed so far.

Of each of `PICTURES` there are golden screens (`test_poker_screen.py`), and its keys are tried (`test_poker_keys.py`).
"""

from collections.abc import Callable, Sequence
from random import Random

from tests.engine.stacked import stacked
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import Chance
from yawc_poker.engine.next_deck import draw_word, prepared
from yawc_poker.games import POKER
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet, Event, Fold, Move, Options, Show, State, Swap
from yawc_poker.games.poker.ui import screen
from yawc_poker.games.poker.ui.screen import Local, Scene
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import Language

CLOCKS = tables.Clocks()
EN = words("en")
LONGEST = "Abcdefghijklmnopqrst"
NAMES = ("Anna", LONGEST, "Carl", "Dora", "Emil")
ANNA, LONG, CARL, DORA, EMIL = range(101, 106)
"""Session tokens, in the order of the seats."""

HANDS = ("5+ 7# 9* K- A+", "10- 10# 10* 10+ K+", "5- 6- 7- 8- A-", "6* 8# J+ Q* Q+", "5* 7+ 8+ 9- J#")


class House:
    """A table and its clock, driven by the rules alone."""

    def __init__(self, people: int, cash: int = 100) -> None:
        self.table: tables.Table[State, Event] = tables.empty(rules)
        self.now = 1000.0
        self.rng: Chance = Random(0)
        self.rules = stacked(POKER, " ".join(HANDS))
        for seat in range(people):
            self.sit(seat, cash)

    def sit(self, seat: int, cash: int = 100) -> None:
        person = tables.Seat(101 + seat, 1 + seat, NAMES[seat], cash)
        self.table = prepared(tables.sit(self.table, rules, person, self.now, CLOCKS), rules, self.rng)
        self.table = draw_word(self.table, person.session, self.rng)

    def cash(self) -> dict[int, int]:
        return {seat: who.cash for seat, who in enumerate(self.table.seats) if who is not None}

    def start(self) -> None:
        master = self.table.seats[self.table.master or 0]
        assert master is not None
        cash, options = self.cash(), Options()
        change = tables.start(self.table, self.rules, master.session, cash, self.rng, self.now, options, CLOCKS)
        self.table = change.table

    def play(self, *moves: Move) -> None:
        """Make these moves, each for whoever is on turn."""
        for move in moves:
            assert self.table.game is not None
            who = self.table.seats[self.table.game.current or 0]
            assert who is not None
            change = tables.play(self.table, rules, who.session, move, self.cash(), self.rng, self.now, CLOCKS)
            self.table = change.table

    def expire(self) -> None:
        self.now = self.table.deadline or self.now
        change = tables.expire(self.table, rules, self.now, self.rng, self.cash(), CLOCKS)
        assert change is not None
        self.table = change.table

    def finish(self) -> None:
        self.table = prepared(tables.finish(self.table, rules, self.now, CLOCKS), rules, self.rng)

    def scene(self, session: int, waiting: int = 0) -> Scene:
        return screen.scene(self.table, session, waiting, self.now)

    def local(self, session: int, keys: Sequence[str] = "", language: Language = "en") -> Local:
        """Give the local state of somebody who has heard everything and then pressed these keys."""
        scene, speech = self.scene(session), words(language)
        local = screen.hear(screen.follow(Local(), scene), self.table.log, session, speech)
        for key in keys:
            local, _ = screen.press(local, scene, key, speech)
        return local


def drawn(frame: Frame) -> str:
    """Give the text of a frame, without the blanks at the ends of lines."""
    return "".join(row.text.rstrip() + "\n" for row in frame.rows)


def region(frame: Frame, rows: range, columns: range) -> list[str]:
    return [frame.rows[row].text[columns.start : columns.stop].rstrip() for row in rows]


def commands(frame: Frame) -> list[str]:
    return region(frame, range(6, 11), range(42, 80))


LEFT, RIGHT = range(40), range(42, 80)

Picture = tuple[House, int, Sequence[str], int]
"""A house, who looks, the keys pressed, X-messages."""


def alone() -> Picture:
    return House(1), ANNA, "", 0


def master_before_a_game() -> Picture:
    return House(5), ANNA, "", 0


def waits_for_the_master() -> Picture:
    return House(3), CARL, "", 0


def round_1_own_turn() -> Picture:
    house = House(5)
    house.start()
    return house, ANNA, "", 0


def round_1_bet_refused() -> Picture:
    house = House(5)
    house.start()
    return house, ANNA, "b300\r7", 0


def round_1_pass_question() -> Picture:
    house = House(2)
    house.start()
    return house, ANNA, "p", 0


def swap_fourth_card() -> Picture:
    house = House(5)
    house.start()
    house.play(Bet(5), Bet(6), Bet(6), Bet(6), Bet(6))
    house.now += 55
    return house, ANNA, "1452", 0


def round_3_own_turn() -> Picture:
    house = House(3)
    house.start()
    house.play(Bet(5), Bet(5), Bet(5), Swap((0, 1, 2)), Swap(), Swap((4,)))
    return house, ANNA, "", 0


def round_3_see_prompt() -> Picture:
    house, who, _, waiting = round_3_own_turn()
    return house, who, "h12", waiting


def round_3_looks_on() -> Picture:
    house, _, _, _ = round_3_own_turn()
    house.play(Bet(5), Fold())
    house.sit(3)
    return house, DORA, "", 12


def out_by_the_clock() -> Picture:
    house = House(3)
    house.start()
    house.play(Bet(5))
    house.expire()
    return house, LONG, "", 0


def showdown_own_turn() -> Picture:
    house, _, _, _ = round_3_own_turn()
    house.play(Bet(5, see=True), Bet(5), Bet(5), Show(), Show())
    return house, CARL, "", 1


def pause() -> Picture:
    house, _, _, _ = showdown_own_turn()
    house.play(Show())
    house.finish()
    house.now += 12
    return house, LONG, "", 0


def after_the_pause() -> Picture:
    house, _, _, _ = pause()
    house.now += 18
    return house, LONG, "", 0


def chat_on_own_turn() -> Picture:
    house = House(2)
    house.start()
    return house, ANNA, ".Hello, is anybody there?", 0


PICTURES: tuple[Callable[[], Picture], ...] = (
    alone,
    master_before_a_game,
    waits_for_the_master,
    round_1_own_turn,
    round_1_bet_refused,
    round_1_pass_question,
    swap_fourth_card,
    round_3_own_turn,
    round_3_see_prompt,
    round_3_looks_on,
    out_by_the_clock,
    showdown_own_turn,
    pause,
    after_the_pause,
    chat_on_own_turn,
)


def render(picture: Picture, language: Language) -> Frame:
    house, who, keys, waiting = picture
    return screen.render(house.scene(who, waiting), house.local(who, keys, language), words(language), 80, 24)
