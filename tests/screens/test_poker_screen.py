"""The poker screen: what each region shows in each state, what each key does, what never shows.

The golden screens in `golden/` are read by people: after a wanted change, `YAWC_GOLDEN=1 pytest` writes them anew.
"""

import os
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.house import Rigged
from yawc_poker.cards import Card, Rank, deck
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import Chance, IllegalMove
from yawc_poker.games.common.scene import STEP, may_pass, next_change
from yawc_poker.games.common.screen import wind
from yawc_poker.games.common.speech import still_to_wait
from yawc_poker.games.poker import rules, screen
from yawc_poker.games.poker.keys import chat_limit
from yawc_poker.games.poker.model import (
    Bet,
    BetMade,
    Category,
    Event,
    Fold,
    MayBet,
    MayFold,
    MaySwap,
    Move,
    Opponent,
    Options,
    Passed,
    PotLost,
    Show,
    ShowdownBegins,
    Shown,
    State,
    Swap,
    SwapMissed,
    Swapped,
    TakenOut,
    View,
    Won,
)
from yawc_poker.games.poker.scene import usable
from yawc_poker.games.poker.screen import Leave, Local, Person, Play, Say, Scene, Start
from yawc_poker.games.poker.speech import CATEGORIES, category_name, reason, refusal, sentence, sentences
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.terminal.text import is_harmless
from yawc_poker.terminal.widgets import BACKSPACE, ENTER, ESCAPE, LineEditor, wrap
from yawc_poker.words import LANGUAGES, Language

GOLDEN = Path(__file__).parent / "golden"
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
        self.rng: Chance = Rigged(" ".join(HANDS))
        for seat in range(people):
            self.sit(seat, cash)

    def sit(self, seat: int, cash: int = 100) -> None:
        person = tables.Seat(101 + seat, 1 + seat, NAMES[seat], cash)
        self.table = tables.sit(self.table, rules, person, self.now, CLOCKS)

    def cash(self) -> dict[int, int]:
        return {seat: who.cash for seat, who in enumerate(self.table.seats) if who is not None}

    def start(self) -> None:
        master = self.table.seats[self.table.master or 0]
        assert master is not None
        cash, options = self.cash(), Options()
        change = tables.start(self.table, rules, master.session, cash, self.rng, self.now, options, CLOCKS)
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
        self.table = tables.finish(self.table, rules, self.now, CLOCKS)

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

# --- the golden screens ----------------------------------------------------------------------------------------------

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


def agrees(text: str, name: str) -> None:
    path = GOLDEN / name
    if os.environ.get("YAWC_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_a_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    agrees(drawn(render(picture(), language)), f"{picture.__name__}.{language}.txt")


LETTERS = dict(zip(Style, ".dBrgybmcw^!=RKb-N", strict=True)) | {Style.CARD_BACK: "#", Style.BLUE: "u"}


@pytest.mark.parametrize("picture", [swap_fourth_card, showdown_own_turn], ids=lambda picture: picture.__name__)
def test_colours_are_the_golden_ones(picture: Callable[[], Picture]) -> None:
    frame = render(picture(), "en")
    styles = ["".join(LETTERS[Style(style)] for style in row.styles) for row in frame.rows]
    agrees("".join(line.rstrip(".") + "\n" for line in styles), f"{picture.__name__}.styles.txt")


def test_every_golden_file_belongs_to_a_screen() -> None:
    wanted = {f"{picture.__name__}.{language}.txt" for picture in PICTURES for language in LANGUAGES}
    assert {path.name for path in GOLDEN.iterdir()} == wanted | {
        "swap_fourth_card.styles.txt",
        "showdown_own_turn.styles.txt",
    }


# --- regions ---------------------------------------------------------------------------------------------------------


def test_the_last_column_of_the_last_line_stays_blank_in_a_long_chat() -> None:
    house = House(5)
    local = house.local(LONG, "." + "x" * 200)
    frame = screen.render(house.scene(LONG), local, EN, 80, 24)
    assert frame.rows[23].text[79] == " "
    assert frame.cursor is not None
    assert frame.cursor[0] < 79


def test_a_chat_line_of_full_length_fits_a_message_line() -> None:
    house = House(5)
    local, said = screen.press(house.local(LONG, "." + "x" * 200), house.scene(LONG), ENTER, EN)
    assert isinstance(said, Say)
    assert len(said.text) == chat_limit(LONGEST)
    house.table = tables.chat(house.table, LONG, said.text)
    frame = screen.render(house.scene(LONG), screen.hear(local, house.table.log, LONG, EN), EN, 80, 24)
    assert f"-> [{LONGEST}] {said.text} " in drawn(frame) + " " or f"-> [{LONGEST}] {said.text}\n" in drawn(frame)


@pytest.mark.parametrize(
    ("left", "shown"), [(180.0, "3:00"), (59.01, "1:00"), (59.0, "0:59"), (0.2, "0:01"), (0.0, "0:00"), (-7.0, "0:00")]
)
def test_the_clock_counts_down_to_zero(left: float, shown: str) -> None:
    scene = replace(House(2).scene(ANNA), deadline=100.0, now=100.0 - left)
    frame = screen.render(scene, Local(), EN, 80, 24)
    assert frame.rows[11].text.endswith(f" {shown} ")


@pytest.mark.parametrize(
    ("left", "running", "waits", "shown_until"),
    [
        (180.0, False, False, 175.0),
        (177.4, False, False, 175.0),
        (175.0, False, False, 170.0),
        (31.0, False, False, 30.0),
        (30.0, False, False, 29.0),
        (0.4, False, False, 0.0),
        (120.0, False, True, 119.0),
        (60.0, True, False, 59.0),
        (59.3, True, False, 59.0),
    ],
)
def test_the_clock_of_a_master_who_does_nothing_goes_in_steps(
    left: float, running: bool, waits: bool, shown_until: float
) -> None:
    scene = replace(House(2).scene(ANNA), deadline=1000.0, now=1000.0 - left, running=running, pause_until=0.0)
    assert next_change(scene, waits) == 1000.0 - shown_until


@pytest.mark.parametrize(
    ("left", "running", "waits", "passes"),
    [
        (180.0, False, False, True),
        (41.0, False, False, True),
        (40.0, False, False, False),  # the tick after that may be too late for the seconds of the last half minute
        (30.0, False, False, False),
        (180.0, False, True, False),
        (60.0, True, False, False),
    ],
)
def test_only_the_step_of_a_calm_clock_waits_for_the_tick(
    left: float, running: bool, waits: bool, passes: bool
) -> None:
    scene = replace(House(2).scene(ANNA), deadline=1000.0, now=1000.0 - left, running=running, pause_until=0.0)
    change = next_change(scene, waits)
    assert change is not None
    assert may_pass(scene, waits, change, STEP) is passes
    assert not may_pass(scene, waits, change, STEP + 0.1)
    assert not may_pass(replace(scene, pause_until=scene.now + 1), waits, change, STEP)


@settings(max_examples=100, deadline=None)
@given(lefts=st.lists(st.floats(-5, 700000), min_size=2, max_size=4), chats=st.booleans())
def test_a_clock_that_is_moved_on_looks_as_if_drawn_anew(lefts: list[float], chats: bool) -> None:
    house = House(3)
    scene = replace(house.scene(ANNA), deadline=0.0)
    local = house.local(ANNA, "." if chats else "")
    first, *others = lefts
    frame = screen.render(replace(scene, now=-first), local, EN, 80, 24)
    for left in others:
        frame = wind(frame, left)
        assert frame == screen.render(replace(scene, now=-left), local, EN, 80, 24)


def test_no_clock_is_put_on_a_screen_that_shows_no_table() -> None:
    for columns, rows in ((79, 24), (80, 23), (20, 5)):
        frame = screen.render(House(3).scene(ANNA), Local(), EN, columns, rows)
        assert wind(frame, 60.0) is frame


def test_time_alone_changes_nothing_without_a_clock_or_a_pause() -> None:
    scene = replace(House(2).scene(ANNA), deadline=None, now=1000.0, pause_until=0.0)
    assert next_change(scene, waits=False) is None
    assert next_change(replace(scene, pause_until=1002.5), waits=False) == 1002.5


def test_only_the_own_clock_is_shown() -> None:
    house = House(3)
    assert house.scene(ANNA).deadline is not None
    assert house.scene(CARL).deadline is None
    house.start()
    house.play(Bet(1))
    assert house.scene(ANNA).deadline is None
    assert house.scene(LONG).deadline is not None


def test_the_counter_shows_only_with_messages() -> None:
    house = House(2)
    frames = [screen.render(house.scene(ANNA, waiting), Local(), EN, 80, 24) for waiting in (0, 1, 2)]
    lines = [frame.rows[5].text for frame in frames]
    assert "X-message" not in lines[0]
    assert "1 X-message " in lines[1]
    assert "2 X-messages " in lines[2]


def test_a_wider_window_keeps_the_regions_at_the_top_left() -> None:
    house, who, keys, waiting = swap_fourth_card()
    small = render((house, who, keys, waiting), "en")
    big = screen.render(house.scene(who), house.local(who, keys), EN, 132, 50)
    assert [row.text for row in big.rows] == [row.text for row in small.rows]


def test_no_window_makes_a_frame_larger_than_a_table() -> None:
    for size in ((500, 500), (500, 1), (1, 500), (79, 500), (500, 23)):
        frame = screen.render(House(2).scene(ANNA), Local(), EN, *size)
        assert (frame.columns, len(frame.rows)) == (min(size[0], 80), min(size[1], 24))


def test_a_small_window_says_both_sizes() -> None:
    text = drawn(screen.render(House(2).scene(ANNA), Local(), EN, 79, 24))
    assert "79x24" in text
    assert "80x24" in text
    assert "Anna" not in text


def test_own_cards_close_with_the_pause_and_shown_ones_stay() -> None:
    house, _, _, _ = pause()
    frame = screen.render(house.scene(CARL), Local(), EN, 80, 24)
    assert "░" not in "".join(region(frame, range(6, 11), LEFT))
    house.now += 18
    frame = screen.render(house.scene(CARL), Local(), EN, 80, 24)
    assert region(frame, range(7, 8), LEFT)[0].count("░░░░") == 5
    assert "10" in region(frame, range(1, 5), LEFT)[1]


def test_who_leaves_vanishes() -> None:
    house, _, _, _ = pause()
    house.table = tables.leave(house.table, rules, LONG, house.now, CLOCKS).table
    assert [person.name for person in house.scene(ANNA).people] == ["Carl"]


def test_without_a_seat_there_is_no_scene() -> None:
    with pytest.raises(IllegalMove, match="not_seated"):
        House(2).scene(EMIL)


def test_the_last_round_but_one_shows_its_number() -> None:
    house, _, _, _ = round_3_own_turn()
    assert house.table.game is not None
    house.table = replace(house.table, game=replace(house.table.game, round=32699))
    frame = screen.render(house.scene(ANNA), Local(), EN, 80, 24)
    assert region(frame, range(4, 5), RIGHT) == ["Round:  32699"]


# --- keys ------------------------------------------------------------------------------------------------------------


def keys_in(frame: Frame) -> set[str]:
    """Read the keys off the command area."""
    found = set(re.findall(r"\[(.)\]", "\n".join(commands(frame))))
    return found | ({"2", "3", "4"} if "1" in found else set())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_the_command_area_lists_exactly_the_usable_keys(picture: Callable[[], Picture], language: Language) -> None:
    house, who, _, _ = picture()
    frame = render((house, who, "", 0), language)
    assert keys_in(frame) == set(usable(house.scene(who)))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_no_other_key_does_anything(picture: Callable[[], Picture]) -> None:
    house, who, _, _ = picture()
    scene, local = house.scene(who), house.local(who)
    offered = {key for command in usable(scene) for key in (command.upper(), command.lower())}
    for key in {*map(chr, range(32, 400)), ENTER, ESCAPE, BACKSPACE, "KEY_UP", "KEY_F1", "BP", ""} - offered:
        assert screen.press(local, scene, key, EN) == (local, None)


KEY_TABLE: list[tuple[Callable[[], Picture], str, screen.Action | None, str]] = [
    (master_before_a_game, "s", Start(), "menu"),
    (master_before_a_game, "S", Start(), "menu"),
    (waits_for_the_master, "s", None, "menu"),
    (waits_for_the_master, "x", Leave(), "menu"),
    (waits_for_the_master, ".", None, "chat"),
    (waits_for_the_master, ".hello\r", Say("hello"), "menu"),
    (waits_for_the_master, ".  hello  \r", Say("hello"), "menu"),
    (waits_for_the_master, ".   \r", None, "menu"),
    (waits_for_the_master, ".\r", None, "menu"),
    (waits_for_the_master, ".x\x1b", None, "menu"),
    (waits_for_the_master, ".ab\x7f\r", Say("a"), "menu"),
    (round_1_own_turn, "b", None, "bet"),
    (round_1_own_turn, "b\r", Play(Bet(1)), "bet"),
    (round_1_own_turn, "B90\r", Play(Bet(90)), "bet"),
    (round_1_own_turn, "b007\r", Play(Bet(7)), "bet"),
    (round_1_own_turn, "b91\r", None, "bet"),
    (round_1_own_turn, "b0\r", None, "bet"),
    (round_1_own_turn, "b-5\r", None, "bet"),
    (round_1_own_turn, "b1.5\r", None, "bet"),
    (round_1_own_turn, "b²\r", None, "bet"),
    (round_1_own_turn, "b३\r", None, "bet"),
    (round_1_own_turn, "babc\r", None, "bet"),
    (round_1_own_turn, "babc\r12\r", Play(Bet(12)), "bet"),
    (round_1_own_turn, "b12\x1b", None, "menu"),
    (round_1_own_turn, "h", None, "menu"),
    (round_1_own_turn, "p", None, "pass"),
    (round_1_own_turn, "pj", Play(Fold()), "menu"),
    (round_1_own_turn, "PJ", Play(Fold()), "menu"),
    (round_1_own_turn, "py", Play(Fold()), "menu"),
    (round_1_own_turn, "pn", None, "menu"),
    (round_1_own_turn, "px", None, "menu"),
    (round_1_own_turn, "p\x1b", None, "menu"),
    (round_1_own_turn, "p\r", None, "menu"),
    (round_3_own_turn, "h", None, "see"),
    (round_3_own_turn, "h\r", Play(Bet(5, see=True)), "see"),
    (round_3_own_turn, "h9\r", Play(Bet(9, see=True)), "see"),
    (round_3_own_turn, "h4\r", None, "see"),
    (round_3_own_turn, "b9\r", Play(Bet(9)), "bet"),
    (swap_fourth_card, "d", Play(Swap()), "menu"),
    (swap_fourth_card, "15d", Play(Swap((0, 4))), "menu"),
    (swap_fourth_card, "51d", Play(Swap((0, 4))), "menu"),
    (swap_fourth_card, "11d", Play(Swap()), "menu"),
    (swap_fourth_card, "1234d", Play(Swap((0, 1, 2))), "menu"),
    (swap_fourth_card, "6", None, "menu"),
    (swap_fourth_card, "p", None, "menu"),
    (showdown_own_turn, "r", Play(Show()), "menu"),
    (showdown_own_turn, "b", None, "menu"),
    (round_3_looks_on, "b", None, "menu"),
]


@pytest.mark.parametrize(("picture", "keys", "action", "mode"), KEY_TABLE)
def test_keys(picture: Callable[[], Picture], keys: str, action: screen.Action | None, mode: str) -> None:
    house, who, _, _ = picture()
    local, scene, last = house.local(who), house.scene(who), None
    for key in keys:
        local, last = screen.press(local, scene, key, EN)
    assert (last, local.mode) == (action, mode)


def test_a_refused_number_leaves_an_empty_prompt_and_a_reason() -> None:
    house, who, _, _ = round_1_own_turn()
    local = house.local(who, "b91\r")
    assert (local.editor.text, local.notice) == ("", "Please type a number from 1 to 90.")
    assert house.local(who, "b91\r5\r").notice == ""


def test_a_fourth_mark_is_refused_with_a_text() -> None:
    house, who, _, _ = swap_fourth_card()
    local = house.local(who, "1234")
    assert (local.marks, local.notice) == ((0, 1, 2), "You may change three cards at most.")
    assert house.local(who, "12341").marks == (1, 2)


# --- the turn ends ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["b", "p"])
def test_a_prompt_closes_with_the_turn(key: str) -> None:
    house, who, _, _ = round_1_own_turn()
    local = house.local(who, key)
    house.expire()
    assert screen.follow(local, house.scene(who)).mode == "menu"


def test_a_prompt_does_not_reach_into_the_next_own_turn() -> None:
    house, who, _, _ = round_3_own_turn()
    local = house.local(who, "b7")
    house.play(Bet(5), Bet(5), Bet(5))
    local, action = screen.press(local, house.scene(who), ENTER, EN)
    assert (local.mode, action) == ("menu", None)


def test_marks_go_with_the_turn() -> None:
    house, who, _, _ = swap_fourth_card()
    local = house.local(who, "12")
    house.expire()
    local = screen.follow(local, house.scene(who))
    assert local.marks == ()
    assert "░" not in "".join(region(screen.render(house.scene(who), local, EN, 80, 24), range(6, 11), LEFT))


def test_a_chat_line_outlives_the_turn() -> None:
    house, who, _, _ = round_1_own_turn()
    local = house.local(who, ".half a sent")
    house.expire()
    local, action = screen.press(screen.follow(local, house.scene(who)), house.scene(who), ENTER, EN)
    assert action == Say("half a sent")


def test_an_error_text_goes_with_the_turn_but_the_reason_of_a_removal_stays() -> None:
    house, who, _, _ = round_1_own_turn()
    local = house.local(who, "b91\r")
    house.expire()
    scene = house.scene(who)
    assert screen.follow(local, scene).notice == ""
    taken_out = screen.hear(local, house.table.log, who, EN)
    assert screen.follow(taken_out, scene).notice == "Your minute is over: you are out of this game."
    assert screen.hear(screen.follow(local, scene), house.table.log, who, EN).notice == taken_out.notice


def test_the_next_game_makes_the_reason_void() -> None:
    house = House(2)
    house.start()
    house.expire()
    local = house.local(ANNA)
    assert local.lasting
    house.play(Bet(1), Show())
    house.finish()
    house.now += 30
    house.start()
    local = screen.hear(local, house.table.log, ANNA, EN)
    assert (local.notice, local.lasting) == ("", False)


def test_a_new_game_that_takes_one_out_at_once_tells_why() -> None:
    house = House(3, cash=10)
    before = house.local(CARL)
    house.start()
    assert screen.follow(screen.hear(before, house.table.log, CARL, EN), house.scene(CARL)).lasting


# --- messages --------------------------------------------------------------------------------------------------------


def said(local: Local) -> list[str]:
    return [row.text for row in local.talk.rows if row.text]


def test_nothing_from_before_sitting_down_is_heard() -> None:
    house = House(2)
    house.table = tables.chat(house.table, ANNA, "before")
    house.sit(2)
    house.table = tables.chat(house.table, ANNA, "after")
    assert said(house.local(CARL)) == ["[INFO] Carl sits down at the table.", "[Anna] after"]


def test_entries_are_heard_once() -> None:
    house = House(2)
    local = house.local(ANNA)
    assert screen.hear(local, house.table.log, ANNA, EN) == local


def test_a_log_that_ran_over_is_heard_from_its_oldest_entry() -> None:
    house = House(2)
    for number in range(20):
        house.table = tables.chat(house.table, LONG, str(number))
    assert screen.hear(Local(), house.table.log, ANNA, EN).heard == 22
    assert len(said(screen.hear(Local(), house.table.log, ANNA, EN))) == 10


def test_who_is_taken_out_reads_it_elsewhere_than_the_others() -> None:
    house, who, _, _ = out_by_the_clock()
    assert not any("let the minute pass" in text for text in said(house.local(who)))
    assert f"[SYSTEM] {LONGEST} let the minute pass and is out of the game." in said(house.local(ANNA))
    assert house.local(ANNA).notice == ""


EVENTS: tuple[Event | tables.Notice, ...] = (
    tables.SatDown(1),
    tables.Left(1),
    tables.Removed(1),
    tables.Started(1),
    tables.Sealed("0123456789abcdef" * 4),
    tables.NewMaster(1),
    tables.Paid(1, 1234567),
    tables.Paid(None, 1234567),
    tables.Voided(),
    tables.Voided("bank"),
    BetMade(1, 200, see=False),
    BetMade(1, 200, see=True),
    Passed(1),
    TakenOut(1, "max_below_min"),
    TakenOut(1, "time"),
    Swapped(1),
    SwapMissed(1),
    ShowdownBegins(),
    *(Shown(1, category, auto) for category in Category for auto in (False, True)),
    *(Won(1, 1234567, category) for category in (None, *Category)),
    PotLost(1234567),
)
INFORMS = (tables.SatDown, tables.Left, tables.Started, BetMade, Passed, Swapped)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_every_event_is_a_sentence_that_fits_its_line(event: Event | tables.Notice, language: Language) -> None:
    entry: tables.Entry[Event] = tables.Entry(1, 1, LONGEST, event, 1)
    text, _ = sentence(entry, words(language))
    informs = isinstance(event, INFORMS) or (isinstance(event, Shown) and not event.auto)
    assert text.startswith("[INFO] " if informs else "[SYSTEM] ")
    assert len(text.partition("] ")[2]) > 5
    assert len(text) <= 76
    assert (LONGEST in text) == (event.seat is not None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_seal_is_told_whole_in_two_lines(language: Language) -> None:
    seal = "0123456789abcdef" * 4
    entry: tables.Entry[Event] = tables.Entry(1, 0, "", tables.Sealed(seal))
    told = sentences(entry, words(language))
    assert told[1] == (f"[SYSTEM] {seal}", Style.YELLOW)
    assert all(len(text) <= 76 for text, _ in told)
    talk = screen.hear(replace(Local(), heard=5), (replace(entry, number=6),), ANNA, words(language)).talk
    assert [row.text for row in talk.rows if row.text] == [text for text, _ in told]
    assert talk.rows[1].arrow


def test_a_chat_line_names_its_speaker() -> None:
    entry: tables.Entry[Event] = tables.Entry(1, 1, "Anna", tables.Chat(0, "{hi} %s"), 0)
    assert sentence(entry, EN) == ("[Anna] {hi} %s", Style.PLAIN)


def test_the_categories_have_the_names_of_the_rules() -> None:
    assert list(CATEGORIES) == sorted(Category, reverse=True)
    assert [category_name(category, words("de")) for category in CATEGORIES] == [
        "Royal Flush",
        "Straight Flush",
        "Vier gleiche Karten",
        "Full House",
        "Flush",
        "Straight",
        "Drei gleiche Karten",
        "Zwei Paare",
        "Ein Paar",
        "Hohe Karte",
    ]


# --- refusals --------------------------------------------------------------------------------------------------------


def test_the_seconds_still_to_wait_are_counted_down() -> None:
    house, who, _, _ = pause()
    with pytest.raises(IllegalMove) as refusing:
        house.start()
    local, action = screen.press(house.local(who), house.scene(who), "s", EN)
    assert action == Start()
    local = screen.refused(local, refusing.value, EN)
    for seconds in (18, 1):
        frame = screen.render(house.scene(who), screen.follow(local, house.scene(who)), EN, 80, 24)
        assert str(seconds) in commands(frame)[3].split()
        house.now += 17
    assert not any("wait" in line for line in commands(screen.render(house.scene(who), local, EN, 80, 24)))


def test_alone_is_told() -> None:
    house = House(1)
    with pytest.raises(IllegalMove) as refusing:
        house.start()
    local = screen.refused(house.local(ANNA, "s"), refusing.value, EN)
    assert "alone" in screen.follow(local, house.scene(ANNA)).notice


def test_a_bet_that_the_table_refuses_leaves_the_prompt_open() -> None:
    house, who, _, _ = round_1_own_turn()
    local = screen.refused(house.local(who, "b50\r"), IllegalMove("bet_out_of_range", low=1, high=20), EN)
    assert (local.mode, local.editor.text, local.notice) == ("bet", "", "Please type a number from 1 to 20.")


def room(picture: Callable[[], Picture], keys: str = "") -> int:
    house, who, _, _ = picture()
    return commands(screen.render(house.scene(who), house.local(who, keys), EN, 80, 24)).count("")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_notice_fits_where_it_can_appear(language: Language) -> None:
    speech = words(language)
    out = room(waits_for_the_master) - 1  # one line less: the one taken out may be the master a moment later
    free: list[tuple[int, str]] = [
        (out, reason(TakenOut(0, "time"), speech)),
        (out, reason(TakenOut(0, "max_below_min"), speech)),
        (room(master_before_a_game), still_to_wait(30, speech)),
        (room(alone), refusal(IllegalMove("alone"), speech)),
        (room(master_before_a_game), refusal(IllegalMove("closing"), speech)),
        (room(round_1_own_turn, "b"), refusal(IllegalMove("bet_out_of_range", low=199, high=200), speech)),
        (room(swap_fourth_card), refusal(IllegalMove("too_many_cards", most=3), speech)),
        (room(round_3_own_turn), refusal(IllegalMove("not_now"), speech)),
        (room(swap_fourth_card), refusal(IllegalMove("not_your_turn"), speech)),
    ]
    assert [text for lines, text in free if len(wrap(text, 36)) > lines] == []


# --- whatever happens ------------------------------------------------------------------------------------------------

ANY_CARD = st.sampled_from(deck(Rank))
ANY_HAND = st.none() | st.lists(ANY_CARD, max_size=7).map(tuple)
ANY_NAME = st.text(max_size=25)
ANY_NUMBER = st.integers(-(2**40), 2**40)
ANY_TIME = st.floats(-1e6, 1e9)
ANY_VIEW = st.builds(
    View,
    seat=st.integers(0, 4),
    phase=st.sampled_from(["bet", "swap", "showdown", "over"]),
    round=st.sampled_from([1, 2, 3, 32699]),
    master=st.integers(0, 4),
    current=st.none() | st.integers(0, 4),
    pot=ANY_NUMBER,
    hand=ANY_HAND,
    shown=st.booleans(),
    opponents=st.lists(st.builds(Opponent, st.integers(0, 4), st.booleans(), ANY_HAND), max_size=5).map(tuple),
    low=ANY_NUMBER,
    high=ANY_NUMBER,
    winner=st.none() | st.integers(0, 4),
    showdown=st.booleans(),
)
ANY_SCENE = st.builds(
    Scene,
    seat=st.integers(0, 4),
    name=ANY_NAME,
    cash=ANY_NUMBER,
    people=st.lists(st.builds(Person, st.integers(0, 4), ANY_NAME), max_size=4).map(tuple),
    master=ANY_NAME,
    current=st.none() | ANY_NAME,
    pot=st.none() | ANY_NUMBER,
    game=st.none() | ANY_VIEW,
    running=st.booleans(),
    is_master=st.booleans(),
    deadline=st.none() | ANY_TIME,
    pause_until=ANY_TIME,
    waiting=st.integers(0, 2**40),
    now=ANY_TIME,
    turn=st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
ANY_LOCAL = st.builds(
    Local,
    mode=st.sampled_from(["menu", "bet", "see", "pass", "chat"]),
    editor=st.builds(LineEditor, text=st.text(max_size=90)),
    marks=st.lists(st.integers(0, 4), max_size=5, unique=True).map(tuple),
    notice=st.text(max_size=300),
    waits=st.booleans(),
)
ANY_KEY = st.sampled_from([*".xsbphdr12345jy0", ENTER, ESCAPE, BACKSPACE, "KEY_LEFT"]) | st.characters()
SIZES = st.sampled_from([(80, 24), (80, 24), (132, 50), (1, 1), (79, 24), (80, 23)]) | st.tuples(
    st.integers(1, 140), st.integers(1, 60)
)


@settings(max_examples=150, deadline=None)
@given(ANY_SCENE, ANY_LOCAL, SIZES, st.sampled_from(LANGUAGES), st.lists(ANY_KEY, max_size=6))
def test_any_scene_gives_a_full_frame(
    scene: Scene, local: Local, size: tuple[int, int], language: Language, keys: list[str]
) -> None:
    for key in keys:
        local, _ = screen.press(local, scene, key, words(language))
    frame = screen.render(scene, local, words(language), *size)
    assert (frame.columns, len(frame.rows)) == (min(size[0], 80), min(size[1], 24))
    for row in frame.rows:
        assert len(row.text) == len(row.styles) == frame.columns
        assert is_harmless(row.text)
    if size == (80, 24):
        assert frame.rows[23].text[79] == " "
        assert {row.text[40] for row in frame.rows[:11]} <= set("┬│┼")
    if size >= (80, 24) and frame.cursor is not None:
        assert frame.cursor[0] < 80
        assert frame.cursor[1] in {7, 23}


def some_move(choice: object, rng: random.Random) -> Move:
    match choice:
        case MayBet(low=low, high=high, see=see):
            return Bet(rng.randint(low, min(high, low + 3)), see=see and rng.random() < 0.3)
        case MayFold():
            return Fold()
        case MaySwap(most=most):
            return Swap(tuple(rng.sample(range(5), rng.randint(0, most))))
    return Show()


def hidden_from(state: State, seat: int) -> list[Card]:
    own = state.players[seat]
    others = [player for at, player in enumerate(state.players) if at != seat and player is not None]
    kept = [card for player in others if not player.shown for card in player.hand]
    assert not set(kept) & set(own.hand if own is not None else ())
    return [*kept, *state.stock]


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(2, 5))
def test_hidden_cards_never_show(rng: random.Random, people: int) -> None:
    house = House(people, cash=60)
    house.rng = rng
    house.start()
    for _ in range(40):
        state = house.table.game
        assert state is not None
        for seat in range(people):
            session = 101 + seat
            frame = screen.render(house.scene(session), house.local(session), EN, 80, 24)
            text = drawn(frame)
            assert [
                card for card in hidden_from(state, seat) if re.search(rf"(?<!\d){re.escape(str(card))}", text)
            ] == []
        if state.current is None:
            break
        choices = rules.legal_moves(state, state.current)
        house.play(some_move(choices[0] if rng.random() < 0.9 else choices[-1], rng))


@pytest.mark.parametrize("language", LANGUAGES)
def test_behind_the_longest_bounds_the_cursor_is_still_on_the_screen(language: Language) -> None:
    bounds = View(0, "bet", 1, 0, 0, 0, None, False, (), low=-(10**10), high=-(10**11), winner=None, showdown=False)
    seen = Scene(0, "", 0, (), "", None, 0, bounds, True, False, None, 0.0, 0, 0.0)
    frame = screen.render(seen, Local(mode="bet", editor=LineEditor("1234567890")), words(language), 132, 50)
    assert frame.cursor is not None
    assert frame.cursor[0] < 80
