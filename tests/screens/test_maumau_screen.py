"""The Mau-Mau screen: what it shows in each state, what each key does, what never shows.

The golden screens in `golden_maumau/` are read by people: after a wanted change, `YAWC_GOLDEN=1 pytest` writes them
anew.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.stacked import stacked
from tests.protocols.maumau_example import DECK
from yawc_poker.cards import cards, deck, written
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.next_deck import draw_word, prepared
from yawc_poker.games import MAUMAU
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import (
    RANKS,
    Event,
    Finish,
    MayPlay,
    Options,
    Play,
    Player,
    State,
    Take,
    Wish,
)
from yawc_poker.games.maumau.ui import screen
from yawc_poker.games.maumau.ui.scene import Local, Scene, shown_hand, usable
from yawc_poker.games.maumau.ui.speech import sentences
from yawc_poker.table_ui.actions import Leave, Say, Start
from yawc_poker.table_ui.actions import Play as Move
from yawc_poker.terminal.frame import Frame
from yawc_poker.terminal.widgets import ENTER, ESCAPE
from yawc_poker.words import LANGUAGES, Language

GOLDEN = Path(__file__).parent / "golden_maumau"
CLOCKS = tables.Clocks()
NAMES = ("Anna", "Bert", "Abcdefghijklmnopqrst", "Robot 1^", "Robot 2^")
ANNA, BERT = 101, 102
EN = words("en")
RULES = stacked(MAUMAU, written(DECK), "0" * 64)


class House:
    """A table and its clock, driven by the rules alone; the deck is that of the protocol's example."""

    def __init__(self, people: int) -> None:
        self.table: tables.Table[State, Event] = tables.empty(rules)
        self.now = 1000.0
        self.rng = Random(0)
        for seat in range(people):
            person = tables.Seat(101 + seat, 1 + seat, NAMES[seat], 0)
            self.table = prepared(tables.sit(self.table, rules, person, self.now, CLOCKS), rules, self.rng)
            self.table = draw_word(self.table, 101 + seat, self.rng)

    def start(self, rounds: int = 4) -> None:
        self.table = tables.start(self.table, RULES, ANNA, {}, self.rng, self.now, Options(rounds), CLOCKS).table

    def play(self, *moves: Play | Take | Wish | Finish) -> None:
        for move in moves:
            assert self.table.game is not None
            seat = rules.to_move(self.table.game)
            assert seat is not None
            who = self.table.seats[seat]
            assert who is not None
            self.now += 3
            self.table = tables.play(self.table, rules, who.session, move, {}, self.rng, self.now, CLOCKS).table

    def hold(self, *hands: str, top: str) -> None:
        """Have everybody hold these cards."""
        assert self.table.game is not None
        players = tuple(Player(seat, cards(hand)) for seat, hand in enumerate(hands))
        state = replace(self.table.game, players=players, pile=cards(top), stock=())
        self.table = replace(self.table, game=state)

    def leave(self, session: int) -> None:
        self.table = tables.leave(self.table, rules, session, self.now, CLOCKS).table

    def expire(self) -> None:
        """Let the time of whoever is on turn pass."""
        assert self.table.deadline is not None
        self.now = self.table.deadline
        change = tables.expire(self.table, rules, self.now, self.rng, {}, CLOCKS)
        assert change is not None
        self.table = change.table

    def finish(self) -> None:
        self.table = prepared(tables.finish(self.table, rules, self.now, CLOCKS), rules, self.rng)

    def scene(self, session: int) -> Scene:
        return screen.scene(self.table, session, 0, self.now)

    def local(self, session: int, keys: str = "", language: Language = "en") -> Local:
        now = screen.hear(screen.fresh(Options()), self.table.log, session, words(language))
        now = screen.follow(now, self.scene(session))
        for key in keys:
            now, _ = screen.press(now, self.scene(session), key, words(language))
        return now


Picture = tuple[House, int, str]


def play(text: str) -> Play:
    return Play(cards(text)[0])


def alone() -> Picture:
    return House(1), ANNA, ""


def master_before_a_game() -> Picture:
    return House(3), ANNA, ""


def rounds_prompt() -> Picture:
    return House(3), ANNA, "s25"


def rounds_refused() -> Picture:
    return House(3), ANNA, "s0\r"


def own_turn() -> Picture:
    house = House(4)
    house.start()
    return house, ANNA, ""


def others_turn() -> Picture:
    house = House(4)
    house.start()
    return house, BERT, ""


def take_one() -> Picture:
    house = House(2)
    house.start()
    return house, ANNA, ""


def sevens() -> Picture:
    house = House(2)
    house.start()
    house.play(Take(1), play("K#"), play("7#"), play("7*"), play("7+"))
    return house, ANNA, ""


def wish() -> Picture:
    house = House(2)
    house.start()
    house.play(Take(1), play("K#"), play("7#"), play("7*"), play("7+"), Take(6), play("J-"))
    return house, ANNA, ""


def wished() -> Picture:
    house, _, _ = wish()
    house.play(Wish(cards("9#")[0].suit))
    return house, BERT, ""


def jacks_only() -> Picture:
    house = House(3)
    house.start()
    house.hold("J+ J-", "7+ 8+", "10# Q#", top="K*")
    return house, ANNA, ""


def many_cards() -> Picture:
    house = House(2)
    house.start()
    hand = "7- 8- 9- 10- J- Q- K- A- 7# 8# 10# J# Q# K# A# 7* 8* 9* 10* J* Q* K* A* 7+ 8+ 10+ Q+ K+"
    house.hold(hand, "9+ A+", top="9#")
    return house, ANNA, ""


def looks_on() -> Picture:
    house = House(2)
    house.start()
    person = tables.Seat(104, 4, "Dora", 0)
    house.table = tables.sit(house.table, rules, person, house.now, CLOCKS)
    return house, 104, ""


def after_a_round() -> Picture:
    house = House(3)
    house.start()
    house.hold("J+ J-", "7+ 8+", "10# Q#", top="K*")
    house.play(Finish())
    return house, BERT, ""


def after_the_game() -> Picture:
    house = House(3)
    house.start(1)
    house.hold("J+ J-", "7+ 8+", "10# Q#", top="K*")
    house.play(Finish())
    house.finish()
    return house, ANNA, ""


def leave_question() -> Picture:
    house = House(4)
    house.start()
    return house, BERT, "x"


def just_taken() -> Picture:
    house = House(2)
    house.start()
    house.play(Take(1), play("K#"), play("7#"), play("7*"), play("7+"), Take(6))
    return house, ANNA, ""


def others_ran_away() -> Picture:
    house = House(3)
    house.start()
    house.leave(101)
    house.leave(103)
    house.finish()
    return house, BERT, ""


def one_ran_away() -> Picture:
    """Anna, who has the most points, leaves; Bert's points are then the highest."""
    house = House(3)
    house.start(1)
    house.hold("J+ J-", "8* A+", "9*", top="K*")
    house.leave(101)
    house.play(play("8*"), play("9*"))
    house.finish()
    return house, BERT, ""


def time_is_over() -> Picture:
    house = House(2)
    house.start()
    house.expire()
    house.expire()
    return house, BERT, ""


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


def render(picture: Picture, language: Language) -> Frame:
    house, who, keys = picture
    return screen.render(house.scene(who), house.local(who, keys, language), words(language), 80, 24)


def drawn(frame: Frame) -> str:
    return "".join(row.text.rstrip() + "\n" for row in frame.rows)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_a_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    path, text = GOLDEN / f"{picture.__name__}.{language}.txt", drawn(render(picture(), language))
    if os.environ.get("YAWC_GOLDEN"):
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_there_are_no_other_golden_screens() -> None:
    wanted = {f"{picture.__name__}.{language}.txt" for picture in PICTURES for language in LANGUAGES}
    assert {path.name for path in GOLDEN.iterdir()} == wanted


# --- keys -------------------------------------------------------------------------------------------------------------


def test_a_cards_key_lays_it_and_one_that_does_not_fit_has_none() -> None:
    house, who, _ = own_turn()
    scene, local = house.scene(who), house.local(who)
    assert scene.game is not None
    hand = shown_hand(scene.game)
    laid = []
    for key, card in zip("1234567", hand, strict=True):
        _, action = screen.press(local, scene, key, EN)
        assert action in (None, Move(Play(card)))
        laid += [card] if action else []
    (choice,) = scene.game.choices
    assert isinstance(choice, MayPlay)
    assert set(laid) == set(choice.cards)


@pytest.mark.parametrize(
    ("picture", "key", "action"),
    [
        (take_one, "t", Move(Take(1))),
        (sevens, "T", Move(Take(6))),
        (wish, "#", Move(Wish(cards("9#")[0].suit))),
        (jacks_only, "f", Move(Finish())),
        (wished, "x", None),
        (looks_on, "x", Leave()),
        (after_the_game, "x", Leave()),
        (wished, "t", None),
        (others_turn, "1", None),
        (after_the_game, "s", None),
    ],
)
def test_a_key_does_this(picture: Callable[[], Picture], key: str, action: object) -> None:
    house, who, _ = picture()
    assert screen.press(house.local(who), house.scene(who), key, EN)[1] == action


@pytest.mark.parametrize(
    ("key", "action"), [("y", Leave()), ("j", Leave()), ("x", Leave()), ("n", None), (ESCAPE, None)]
)
def test_who_plays_is_asked_before_leaving(key: str, action: Leave | None) -> None:
    house, who, keys = leave_question()
    local, done = screen.press(house.local(who, keys), house.scene(who), key, EN)
    assert (local.mode, done) == ("menu", action)


def test_only_the_keys_of_cards_that_fit_are_named() -> None:
    house = House(2)
    house.start(1)
    house.hold("K+ J- Q#", "7+ 8+", top="K*")
    keys = [key for key in usable(house.scene(ANNA)) if key not in {".", "X"}]
    assert 1 <= len(keys) < 3
    shown = [row.text[42:].rstrip() for row in screen.render(house.scene(ANNA), Local(), EN, 80, 24).rows[6:11]]
    assert " ".join(f"[{key}]" for key in keys) + " Lay the card" in shown


@pytest.mark.parametrize(("before", "added"), [(0, 0), (29, 13), (300, 99), (1179, 120), (12999, 199)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_columns_of_cards_and_points_never_touch(before: int, added: int, language: Language) -> None:
    house = House(3)
    house.start(1)
    scene = house.scene(ANNA)
    assert scene.game is not None
    players = tuple(replace(player, cards=12, points=(before, added)) for player in scene.game.players)
    frame = screen.render(replace(scene, game=replace(scene.game, players=players)), Local(), words(language), 80, 24)
    row = frame.rows[2].text[:40]
    assert re.fullmatch(rf"{NAMES[2]} 12 \w+ +{before + added}( \(\+{added}\)| \+{added})? ", row), row


def test_chat_and_x_work_in_every_prompt() -> None:
    house, who, keys = leave_question()
    local = house.local(who, keys + ".hi")
    assert local.mode == "chat"
    local, said = screen.press(local, house.scene(who), ENTER, EN)
    assert (local.mode, said) == ("leave", Say("hi"))
    house = House(2)
    local = house.local(ANNA, "s1.ab")
    local, said = screen.press(local, house.scene(ANNA), ENTER, EN)
    assert (local.mode, local.editor.text, said) == ("rounds", "1", Say("ab"))
    assert screen.press(local, house.scene(ANNA), "x", EN)[1] == Leave()


def test_the_question_stays_while_others_play_and_goes_with_the_game() -> None:
    house = House(3)
    house.start(1)
    house.hold("K+ J-", "7+ 8+", "10# Q#", top="K*")
    local = house.local(BERT, "x")
    house.play(play("K+"))
    local = screen.follow(local, house.scene(BERT))
    assert local.mode == "leave"
    house.hold("J-", "7+ 8+", "10# Q+", top="K+")
    house.play(play("7+"), Take(2), play("Q+"), play("J-"))
    house.finish()
    assert screen.follow(local, house.scene(BERT)).mode == "menu"


def test_who_left_a_game_is_named_though_somebody_else_has_the_seat() -> None:
    house = House(3)
    house.start(1)
    house.leave(101)
    person = tables.Seat(104, 4, "Dora", 0)
    house.table = tables.sit(house.table, rules, person, house.now, CLOCKS)
    house.leave(103)
    house.finish()
    said = [text for entry in house.table.log for text, _ in sentences(entry, EN)]
    assert "[SYSTEM] Anna has left the running game and loses it." in said
    assert "[SYSTEM] Bert is the only one left and wins the game." in said
    assert not [text for text in said if "Dora" in text and "lose" in text]


@pytest.mark.parametrize(("keys", "start"), [("", Start()), ("1", Start(Options(1))), ("255", Start(Options(255)))])
def test_the_master_chooses_the_number_of_rounds(keys: str, start: Start[Options]) -> None:
    house = House(2)
    local, action = screen.press(house.local(ANNA, f"s{keys}"), house.scene(ANNA), ENTER, EN)
    assert (local.mode, action) == ("menu", start)


def test_who_is_alone_is_not_asked_for_rounds() -> None:
    house = House(1)
    local, action = screen.press(house.local(ANNA), house.scene(ANNA), "s", EN)
    assert (local.mode, action) == ("menu", Start())


def test_the_prompt_names_the_number_of_rounds_that_enter_alone_takes() -> None:
    house = House(2)
    local, _ = screen.press(screen.fresh(Options(rounds=7)), house.scene(ANNA), "s", EN)
    frame = screen.render(house.scene(ANNA), local, EN, 80, 24)
    assert "[ENTER] alone: 7   [ESC] Back" in "\n".join(row.text for row in frame.rows)


@pytest.mark.parametrize("keys", ["0", "256", "999"])
def test_no_game_has_so_many_rounds(keys: str) -> None:
    house = House(2)
    local, action = screen.press(house.local(ANNA, f"s{keys}"), house.scene(ANNA), ENTER, EN)
    assert (local.mode, action) == ("rounds", None)
    assert "255" in local.notice
    assert screen.press(local, house.scene(ANNA), ESCAPE, EN)[0].mode == "menu"


# --- whatever happens -------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5))
def test_every_key_that_is_shown_is_legal_and_no_hidden_card_shows(seed: int, people: int) -> None:
    rng, house = Random(seed), House(people)
    house.start(1)
    while (game := house.table.game) is not None and (seat := rules.to_move(game)) is not None:
        session = 101 + seat
        scene, local = house.scene(session), house.local(session)
        for language in LANGUAGES:
            frame = screen.render(scene, local, words(language), 80, 24)
            assert len(frame.rows) == 24
        keys = [key for key in usable(scene) if key not in {".", "X"}]
        assert keys
        moves = [screen.press(local, scene, key, EN)[1] for key in keys]
        assert all(isinstance(move, Move) for move in moves)
        shown = hand_region(screen.render(scene, local, EN, 80, 24))
        held = {str(card) for card in game.players[seat].hand}
        assert shown - {str(game.pile[-1])} <= held
        move = rng.choice(moves)
        assert isinstance(move, Move)
        house.play(move.move)


def hand_region(frame: Frame) -> set[str]:
    """The cards in the lower left region."""
    text = " ".join(row.text[:40] for row in frame.rows[6:11])
    for mark in "[]│┌┐└┘─":
        text = text.replace(mark, " ")
    return set(text.split()) & {str(card) for card in deck(RANKS)}
