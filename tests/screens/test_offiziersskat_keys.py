"""Keys at an Offiziersskat table: their effect in each state."""

from collections.abc import Callable
from random import Random

import pytest

from tests.screens.offiziersskat_pictures import (
    ANNA,
    BERT,
    EN,
    Instance,
    Picture,
    first_card,
    leave_question,
    master_before_a_match,
    must_follow,
    trick_taken,
    waits_for_the_master,
    won,
)
from yawc_poker.cards import card
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import PlayCard
from yawc_poker.games.offiziersskat.ui.screen import FACE
from yawc_poker.table_ui.intents import Leave, Say, Start
from yawc_poker.table_ui.intents import MakeMove as Made
from yawc_poker.table_ui.screen import WIDTH
from yawc_poker.terminal.keys import ENTER, ESCAPE, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_UP
from yawc_poker.terminal.widgets import wrap


@pytest.mark.parametrize(
    ("picture", "key", "intent"),
    [
        (master_before_a_match, "s", Start()),
        (master_before_a_match, "x", Leave()),
        (master_before_a_match, "1", None),
        (waits_for_the_master, "s", None),
        (first_card, "1", Made(PlayCard(card("A+")))),
        (first_card, "8", Made(PlayCard(card("7-")))),
        (first_card, "9", None),
        (first_card, "0", None),
        (first_card, "x", None),
        (first_card, "s", None),
        (must_follow, "3", Made(PlayCard(card("9#")))),
        (must_follow, "5", Made(PlayCard(card("J#")))),
        (trick_taken, "2", Made(PlayCard(card("A*")))),
        (won, "x", Leave()),
        (won, "1", None),
    ],
)
def test_a_key_does_this(picture: Callable[[], Picture], key: str, intent: object) -> None:
    instance, who, *_ = picture()
    assert FACE.press(instance.local(who), instance.scene(who), key, EN)[1] == intent


@pytest.mark.parametrize(
    ("picture", "key", "why"),
    [
        (must_follow, "1", "A trump was led: you must play a trump."),
        (trick_taken, "1", "It is not your turn."),
        (lambda: Picture(Instance().start().moves("A+"), BERT), "1", "You must follow suit: clubs +."),
    ],
)
def test_a_card_that_is_not_possible_is_refused_with_a_reason(
    picture: Callable[[], Picture], key: str, why: str
) -> None:
    instance, who, *_ = picture()
    local, scene = instance.local(who), instance.scene(who)
    local, intent = FACE.press(local, scene, key, EN)
    assert isinstance(intent, Made)
    with pytest.raises(IllegalMove) as refused:
        rules.play(instance.game, who - 101, intent.move, Random(0))
    local = FACE.refused(local, refused.value, EN)
    assert local.notice == why
    shown = "\n".join(row.text for row in FACE.layout.render(scene, local, EN, 80, 24).rows)
    assert all(line in shown for line in wrap(why, WIDTH - 2))


def test_an_empty_place_has_no_key() -> None:
    instance = Instance().start().go_on(0, 15)
    who = 101 + (instance.game.current or 0)
    played = [FACE.press(instance.local(who), instance.scene(who), key, EN)[1] for key in "12345678"]
    assert sum(intent is not None for intent in played) == 1


@pytest.mark.parametrize(
    ("keys", "played"),
    [
        ((), None),
        ((KEY_RIGHT,), "A+"),
        ((KEY_RIGHT, KEY_RIGHT), "K#"),
        ((KEY_LEFT,), "7-"),
        ((KEY_RIGHT, KEY_LEFT), "7-"),
        ((KEY_RIGHT, KEY_RIGHT, KEY_DOWN), "8#"),
        ((KEY_RIGHT, KEY_RIGHT, KEY_DOWN, KEY_DOWN), "K#"),
        ((KEY_RIGHT, KEY_UP), "10+"),
        ((KEY_UP,), "7-"),
        ((KEY_DOWN,), "A+"),
        (tuple([KEY_RIGHT] * 9), "A+"),
    ],
)
def test_the_cursor_chooses_among_all_places_when_leading(keys: tuple[str, ...], played: str | None) -> None:
    instance, who, *_ = first_card()
    intent = FACE.press(instance.local(who, keys), instance.scene(who), ENTER, EN)[1]
    assert intent == (None if played is None else Made(PlayCard(card(played))))


@pytest.mark.parametrize(
    ("keys", "played"),
    [
        ((KEY_RIGHT,), "9#"),
        ((KEY_RIGHT, KEY_DOWN), "Q#"),
        ((KEY_RIGHT, KEY_RIGHT), "J#"),
        ((KEY_RIGHT, KEY_RIGHT, KEY_UP), "9#"),
        ((KEY_LEFT, KEY_RIGHT), "9#"),
    ],
)
def test_the_cursor_passes_over_cards_that_may_not_be_played(keys: tuple[str, ...], played: str) -> None:
    instance, who, *_ = must_follow()
    intent = FACE.press(instance.local(who, keys), instance.scene(who), ENTER, EN)[1]
    assert intent == Made(PlayCard(card(played)))


def test_the_cursor_stays_where_no_card_of_the_other_row_may_be_played() -> None:
    instance, keys = Instance().start().moves("9-"), [KEY_RIGHT, KEY_DOWN, KEY_RIGHT]
    assert FACE.press(instance.local(BERT, keys), instance.scene(BERT), ENTER, EN)[1] == Made(PlayCard(card("A-")))


def test_the_choice_goes_with_the_turn() -> None:
    instance = Instance().start()
    local = instance.local(ANNA, [KEY_RIGHT])
    instance.moves("A+ 7+")
    assert instance.game.current == 0
    assert FACE.press(local, instance.scene(ANNA), ENTER, EN) == (FACE.follow(local, instance.scene(ANNA)), None)


def test_the_cursor_keys_do_nothing_out_of_turn() -> None:
    instance = Instance().start()
    local = instance.local(BERT)
    for key in (KEY_LEFT, KEY_RIGHT, KEY_UP, KEY_DOWN, ENTER):
        assert FACE.press(local, instance.scene(BERT), key, EN) == (local, None)


@pytest.mark.parametrize(
    ("key", "intent"), [("y", Leave()), ("j", Leave()), ("x", Leave()), ("n", None), (ESCAPE, None)]
)
def test_a_player_is_asked_before_leaving(key: str, intent: Leave | None) -> None:
    instance, who, keys, *_ = leave_question()
    local, done = FACE.press(instance.local(who, keys), instance.scene(who), key, EN)
    assert (local.mode, done) == ("menu", intent)


def test_the_question_stays_while_the_other_plays_and_goes_with_the_match() -> None:
    instance = Instance().start(target=1)
    local = FACE.follow(instance.local(BERT, "x"), instance.scene(BERT))
    instance.moves("A+")
    local = FACE.follow(local, instance.scene(BERT))
    assert local.mode == "leave"
    instance.go_on(99)
    assert FACE.follow(local, instance.scene(BERT)).mode == "menu"


def test_chat_works_in_the_question() -> None:
    instance, who, *_ = leave_question()
    local = instance.local(who, "x.hi")
    assert local.mode == "chat"
    local, said = FACE.press(local, instance.scene(who), ENTER, EN)
    assert (local.mode, said) == ("leave", Say("hi"))


def test_the_page_of_tricks_opens_once_there_is_one_and_closes_by_the_same_key() -> None:
    instance = Instance().start()
    assert instance.local(ANNA, "t").page == ""
    instance.moves("A+ 7+")
    local = instance.local(ANNA, "t")
    assert local.page == "table"
    instance.go_on(1)
    assert (local := FACE.follow(local, instance.scene(ANNA))).page == "table"
    assert FACE.press(local, instance.scene(ANNA), "T", EN)[0].page == ""


def test_the_page_of_tricks_goes_with_a_match_that_has_none_yet() -> None:
    instance = Instance().start(target=1).go_on(99).finish()
    local = instance.local(ANNA, "t")
    assert local.page == "table"
    instance.now += 60
    instance.start()
    assert FACE.follow(local, instance.scene(ANNA)).page == ""
