"""The Mau-Mau screen: its content in each state, the effect of each key, and what it never shows.

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
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.game import RULES as MAUMAU
from yawc_poker.games.maumau.model import (
    RANKS,
    Event,
    Finish,
    MayPlay,
    Options,
    PlayCard,
    Player,
    State,
    Take,
    Wish,
)
from yawc_poker.games.maumau.ui import screen
from yawc_poker.games.maumau.ui.scene import Local, Scene, shown_hand, usable
from yawc_poker.games.maumau.ui.speech import sentences
from yawc_poker.table_ui.intents import Leave, Say, Start
from yawc_poker.table_ui.intents import MakeMove as Move
from yawc_poker.terminal.frame import Frame
from yawc_poker.terminal.keys import ENTER, ESCAPE
from yawc_poker.words import LANGUAGES, Language

GOLDEN = Path(__file__).parent / "golden_maumau"
CLOCKS = tables.Clocks()
NAMES = ("Anna", "Bert", "Abcdefghijklmnopqrst", "Robot 1^", "Robot 2^")
ANNA, BERT = 101, 102
EN = words("en")
RULES = stacked(MAUMAU, written(DECK), "0" * 64)


class Instance:
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
        """Have everybody hold these cards."""
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
    person = tables.Seat(104, 4, "Dora", 0)
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


def render(picture: Picture, language: Language) -> Frame:
    instance, who, keys = picture
    return screen.render(instance.scene(who), instance.local(who, keys, language), words(language), 80, 24)


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
    instance, who, _ = own_turn()
    scene, local = instance.scene(who), instance.local(who)
    assert scene.game is not None
    hand = shown_hand(scene.game)
    laid = []
    for key, card in zip("1234567", hand, strict=True):
        _, intent = screen.press(local, scene, key, EN)
        assert intent in (None, Move(PlayCard(card)))
        laid += [card] if intent else []
    (choice,) = scene.game.choices
    assert isinstance(choice, MayPlay)
    assert set(laid) == set(choice.cards)


@pytest.mark.parametrize(
    ("picture", "key", "intent"),
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
def test_a_key_does_this(picture: Callable[[], Picture], key: str, intent: object) -> None:
    instance, who, _ = picture()
    assert screen.press(instance.local(who), instance.scene(who), key, EN)[1] == intent


@pytest.mark.parametrize(
    ("key", "intent"), [("y", Leave()), ("j", Leave()), ("x", Leave()), ("n", None), (ESCAPE, None)]
)
def test_a_player_is_asked_before_leaving(key: str, intent: Leave | None) -> None:
    instance, who, keys = leave_question()
    local, done = screen.press(instance.local(who, keys), instance.scene(who), key, EN)
    assert (local.mode, done) == ("menu", intent)


def test_only_the_keys_of_cards_that_fit_are_named() -> None:
    instance = Instance(2)
    instance.start(1)
    instance.hold("K+ J- Q#", "7+ 8+", top="K*")
    keys = [key for key in usable(instance.scene(ANNA)) if key not in {".", "X"}]
    assert 1 <= len(keys) < 3
    shown = [row.text[42:].rstrip() for row in screen.render(instance.scene(ANNA), Local(), EN, 80, 24).rows[6:11]]
    assert " ".join(f"[{key}]" for key in keys) + " Lay the card" in shown


@pytest.mark.parametrize(("before", "added"), [(0, 0), (29, 13), (300, 99), (1179, 120), (12999, 199)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_columns_of_cards_and_points_never_touch(before: int, added: int, language: Language) -> None:
    instance = Instance(3)
    instance.start(1)
    scene = instance.scene(ANNA)
    assert scene.game is not None
    players = tuple(replace(player, cards=12, points=(before, added)) for player in scene.game.players)
    frame = screen.render(replace(scene, game=replace(scene.game, players=players)), Local(), words(language), 80, 24)
    row = frame.rows[2].text[:40]
    assert re.fullmatch(rf"{NAMES[2]} 12 \w+ +{before + added}( \(\+{added}\)| \+{added})? ", row), row


def test_chat_and_x_work_in_every_prompt() -> None:
    instance, who, keys = leave_question()
    local = instance.local(who, keys + ".hi")
    assert local.mode == "chat"
    local, said = screen.press(local, instance.scene(who), ENTER, EN)
    assert (local.mode, said) == ("leave", Say("hi"))
    instance = Instance(2)
    local = instance.local(ANNA, "s1.ab")
    local, said = screen.press(local, instance.scene(ANNA), ENTER, EN)
    assert (local.mode, local.editor.text, said) == ("rounds", "1", Say("ab"))
    assert screen.press(local, instance.scene(ANNA), "x", EN)[1] == Leave()


def test_the_question_stays_while_others_play_and_goes_with_the_game() -> None:
    instance = Instance(3)
    instance.start(1)
    instance.hold("K+ J-", "7+ 8+", "10# Q#", top="K*")
    local = instance.local(BERT, "x")
    instance.play(play("K+"))
    local = screen.follow(local, instance.scene(BERT))
    assert local.mode == "leave"
    instance.hold("J-", "7+ 8+", "10# Q+", top="K+")
    instance.play(play("7+"), Take(2), play("Q+"), play("J-"))
    instance.finish()
    assert screen.follow(local, instance.scene(BERT)).mode == "menu"


def test_a_player_who_left_is_named_though_somebody_else_has_the_seat() -> None:
    instance = Instance(3)
    instance.start(1)
    instance.leave(101)
    person = tables.Seat(104, 4, "Dora", 0)
    instance.table = tables.sit(instance.table, rules, person, instance.now, CLOCKS)
    instance.leave(103)
    instance.finish()
    said = [text for entry in instance.table.log for text, _ in sentences(entry, EN)]
    assert "[SYSTEM] Anna has left the running game and loses it." in said
    assert "[SYSTEM] Bert is the only one left and wins the game." in said
    assert not [text for text in said if "Dora" in text and "lose" in text]


@pytest.mark.parametrize(("keys", "start"), [("", Start()), ("1", Start(Options(1))), ("255", Start(Options(255)))])
def test_the_master_chooses_the_number_of_rounds(keys: str, start: Start[Options]) -> None:
    instance = Instance(2)
    local, intent = screen.press(instance.local(ANNA, f"s{keys}"), instance.scene(ANNA), ENTER, EN)
    assert (local.mode, intent) == ("menu", start)


def test_a_lone_master_is_not_asked_for_rounds() -> None:
    instance = Instance(1)
    local, intent = screen.press(instance.local(ANNA), instance.scene(ANNA), "s", EN)
    assert (local.mode, intent) == ("menu", Start())


def test_the_prompt_names_the_number_of_rounds_that_enter_alone_takes() -> None:
    instance = Instance(2)
    local, _ = screen.press(screen.fresh(Options(rounds=7)), instance.scene(ANNA), "s", EN)
    frame = screen.render(instance.scene(ANNA), local, EN, 80, 24)
    assert "[ENTER] alone: 7   [ESC] Back" in "\n".join(row.text for row in frame.rows)


@pytest.mark.parametrize("keys", ["0", "256", "999"])
def test_too_many_rounds_are_refused(keys: str) -> None:
    instance = Instance(2)
    local, intent = screen.press(instance.local(ANNA, f"s{keys}"), instance.scene(ANNA), ENTER, EN)
    assert (local.mode, intent) == ("rounds", None)
    assert "255" in local.notice
    assert screen.press(local, instance.scene(ANNA), ESCAPE, EN)[0].mode == "menu"


# --- whatever happens -------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5))
def test_every_key_that_is_shown_is_legal_and_no_hidden_card_shows(seed: int, people: int) -> None:
    rng, instance = Random(seed), Instance(people)
    instance.start(1)
    while (game := instance.table.game) is not None and (seat := rules.to_move(game)) is not None:
        session = 101 + seat
        scene, local = instance.scene(session), instance.local(session)
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
        instance.play(move.move)


def hand_region(frame: Frame) -> set[str]:
    """The cards in the lower left region."""
    text = " ".join(row.text[:40] for row in frame.rows[6:11])
    for mark in "[]│┌┐└┘─":
        text = text.replace(mark, " ")
    return set(text.split()) & {str(card) for card in deck(RANKS)}
