"""A poker table driven by the rules alone, and pictures of it: a table, a viewer, and the keys they have pressed.

Each of `PICTURES` has golden screens (`test_poker_screen.py`), and its keys are tried (`test_poker_keys.py`).
"""

from collections.abc import Callable, Sequence
from random import Random

from tests.engine.stacked import stacked
from tests.engine.words import draw_word, start
from yawc_poker.catalogues import words
from yawc_poker.engine import absence
from yawc_poker.engine import table as tables
from yawc_poker.engine.absence import clock_missed
from yawc_poker.engine.game import Chance
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Bet, Event, Fold, Move, Options, Show, State, Swap
from yawc_poker.games.poker.ui.scene import Local, Scene
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import Language

CLOCKS = Clocks()
EN = words("en")
LONGEST = "Abcdefghijklmnopqrst"
NAMES = ("Anna", LONGEST, "Carl", "Dora", "Emil")
ANNA, LONG, CARL, DORA, EMIL = range(101, 106)
"""Session tokens, in the order of the seats."""

HANDS = ("5+ 7# 9* K- A+", "10- 10# 10* 10+ K+", "5- 6- 7- 8- A-", "6* 8# J+ Q* Q+", "5* 7+ 8+ 9- J#")


class Instance:
    """A table and its clock, driven by the rules alone."""

    def __init__(self, people: int, cash: int = 100) -> None:
        self.table: Table[State, Event] = tables.empty(rules)
        self.now = 1000.0
        self.rng: Chance = Random(0)
        self.rules = stacked(POKER, " ".join(HANDS))
        for seat in range(people):
            self.sit(seat, cash)

    def sit(self, seat: int, cash: int = 100) -> None:
        person = Seat(101 + seat, 1 + seat, NAMES[seat], cash)
        self.table = prepared(tables.sit(self.table, rules, person, self.now, CLOCKS), rules, self.rng)
        self.table = draw_word(self.table, person.session, self.rng)

    def cash(self) -> dict[int, int]:
        return {seat: who.cash for seat, who in enumerate(self.table.seats) if who is not None}

    def start(self) -> None:
        master = self.table.seats[self.table.master or 0]
        assert master is not None
        cash, options = self.cash(), Options()
        change = start(self.table, self.rules, master.session, cash, self.rng, self.now, options, CLOCKS)
        self.table = change.table

    def play(self, *moves: Move) -> None:
        """Make these moves, each for the player on turn."""
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
        return FACE.scene(self.table, session, waiting, self.now)

    def local(self, session: int, keys: Sequence[str] = "", language: Language = "en") -> Local:
        """Return the local state of a session that has heard everything and then pressed these keys."""
        scene, speech = self.scene(session), words(language)
        local = FACE.hear(FACE.follow(Local(), scene), read_log(self.table, rules, session), session, speech)
        for key in keys:
            local, _ = FACE.press(local, scene, key, speech)
        return local


def region(frame: Frame, rows: range, columns: range) -> list[str]:
    return [frame.rows[row].text[columns.start : columns.stop].rstrip() for row in rows]


def commands(frame: Frame) -> list[str]:
    return region(frame, range(6, 11), range(42, 80))


LEFT, RIGHT = range(40), range(42, 80)

Picture = tuple[Instance, int, Sequence[str], int]
"""A table, the viewer, the keys pressed, X-messages."""


def alone() -> Picture:
    return Instance(1), ANNA, "", 0


def master_before_a_game() -> Picture:
    return Instance(5), ANNA, "", 0


def waits_for_the_master() -> Picture:
    return Instance(3), CARL, "", 0


def round_1_own_turn() -> Picture:
    instance = Instance(5)
    instance.start()
    return instance, ANNA, "", 0


def round_1_bet_refused() -> Picture:
    instance = Instance(5)
    instance.start()
    return instance, ANNA, "b300\r7", 0


def round_1_pass_question() -> Picture:
    instance = Instance(2)
    instance.start()
    return instance, ANNA, "p", 0


def swap_fourth_card() -> Picture:
    instance = Instance(5)
    instance.start()
    instance.play(Bet(5), Bet(6), Bet(6), Bet(6), Bet(6))
    instance.now += 55
    return instance, ANNA, "1452", 0


def round_3_own_turn() -> Picture:
    instance = Instance(3)
    instance.start()
    instance.play(Bet(5), Bet(5), Bet(5), Swap((0, 1, 2)), Swap(), Swap((4,)))
    return instance, ANNA, "", 0


def round_3_see_prompt() -> Picture:
    instance, who, _, waiting = round_3_own_turn()
    return instance, who, "h12", waiting


def round_3_looks_on() -> Picture:
    instance, _, _, _ = round_3_own_turn()
    instance.play(Bet(5), Fold())
    instance.sit(3)
    return instance, DORA, "", 12


def out_by_the_clock() -> Picture:
    instance = Instance(3)
    instance.start()
    instance.play(Bet(5))
    instance.expire()
    return instance, LONG, "", 0


def some_are_absent() -> Picture:
    """One has lost the line, and two sleep, one of them with a long name."""
    instance = Instance(5)
    instance.start()
    instance.play(Bet(5))
    seat = {who.session: at for at, who in enumerate(instance.table.seats) if who is not None}
    instance.table = absence.hold(instance.table, DORA, instance.now, instance.now + 58, CLOCKS)
    for session in (CARL, LONG) * 2:
        instance.table = clock_missed(instance.table, seat[session])
    return instance, ANNA, "", 0


def showdown_own_turn() -> Picture:
    instance, _, _, _ = round_3_own_turn()
    instance.play(Bet(5, see=True), Bet(5), Bet(5), Show(), Show())
    return instance, CARL, "", 1


def pause() -> Picture:
    instance, _, _, _ = showdown_own_turn()
    instance.play(Show())
    instance.finish()
    instance.now += 12
    return instance, LONG, "", 0


def after_the_pause() -> Picture:
    instance, _, _, _ = pause()
    instance.now += 18
    return instance, LONG, "", 0


def chat_on_own_turn() -> Picture:
    instance = Instance(2)
    instance.start()
    return instance, ANNA, ".Hello, is anybody there?", 0


def waits_for_the_turn() -> Picture:
    """Somebody else bets; the viewer may decide to pass."""
    instance = Instance(5)
    instance.start()
    return instance, CARL, "", 0


def pass_ahead_question() -> Picture:
    instance, who, _, _ = waits_for_the_turn()
    return instance, who, "p", 0


def pass_ahead() -> Picture:
    instance, who, _, _ = waits_for_the_turn()
    return instance, who, "py", 0


def keeps_all_ahead() -> Picture:
    instance = Instance(3)
    instance.start()
    instance.play(Bet(5), Bet(5), Bet(5))
    return instance, LONG, "d", 0


def shows_ahead() -> Picture:
    instance, _, _, _ = round_3_own_turn()
    instance.play(Bet(5, see=True), Bet(5), Bet(5))
    return instance, CARL, "r", 0


def leave_question() -> Picture:
    instance = Instance(3)
    instance.start()
    return instance, ANNA, "b12x", 0


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
    some_are_absent,
    showdown_own_turn,
    pause,
    after_the_pause,
    chat_on_own_turn,
    waits_for_the_turn,
    pass_ahead_question,
    pass_ahead,
    keeps_all_ahead,
    shows_ahead,
    leave_question,
)
LARGE: tuple[Callable[[], Picture], ...] = (round_3_own_turn, swap_fourth_card, showdown_own_turn, pause)
"""These have a golden screen of 132 by 43, too, and `round_3_own_turn` one of 80 by 50."""


def render(picture: Picture, language: Language, columns: int = 80, rows: int = 24) -> Frame:
    instance, who, keys, waiting = picture
    local = instance.local(who, keys, language)
    return FACE.layout.render(instance.scene(who, waiting), local, words(language), columns, rows)
