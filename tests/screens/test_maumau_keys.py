"""Keys at a Mau-Mau table: their effect in each state."""

from collections.abc import Callable

import pytest

from tests.screens.maumau_pictures import (
    ANNA,
    BERT,
    EN,
    Instance,
    Picture,
    after_the_game,
    jacks_only,
    leave_question,
    looks_on,
    others_turn,
    own_turn,
    play,
    sevens,
    take_one,
    wish,
    wished,
)
from yawc_poker.cards import cards
from yawc_poker.games.maumau.model import Finish, MayPlay, Options, PlayCard, Take, Wish
from yawc_poker.games.maumau.ui.scene import Local, shown_hand, usable
from yawc_poker.games.maumau.ui.screen import FACE
from yawc_poker.table_ui.intents import Leave, Say, Start
from yawc_poker.table_ui.intents import MakeMove as Move
from yawc_poker.terminal.keys import ENTER, ESCAPE


def test_a_cards_key_lays_it_and_one_that_does_not_fit_has_none() -> None:
    instance, who, _ = own_turn()
    scene, local = instance.scene(who), instance.local(who)
    assert scene.game is not None
    hand = shown_hand(scene.game)
    laid = []
    for key, card in zip("1234567", hand, strict=True):
        _, intent = FACE.press(local, scene, key, EN)
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
    assert FACE.press(instance.local(who), instance.scene(who), key, EN)[1] == intent


@pytest.mark.parametrize(
    ("key", "intent"), [("y", Leave()), ("j", Leave()), ("x", Leave()), ("n", None), (ESCAPE, None)]
)
def test_a_player_is_asked_before_leaving(key: str, intent: Leave | None) -> None:
    instance, who, keys = leave_question()
    local, done = FACE.press(instance.local(who, keys), instance.scene(who), key, EN)
    assert (local.mode, done) == ("menu", intent)


def test_only_the_keys_of_cards_that_fit_are_named() -> None:
    instance = Instance(2)
    instance.start(1)
    instance.hold("K+ J- Q#", "7+ 8+", top="K*")
    keys = [key for key in usable(instance.scene(ANNA)) if key not in {".", "X"}]
    assert 1 <= len(keys) < 3
    shown = [row.text[42:].rstrip() for row in FACE.layout.render(instance.scene(ANNA), Local(), EN, 80, 24).rows[6:11]]
    assert " ".join(f"[{key}]" for key in keys) + " Lay the card" in shown


def test_chat_and_x_work_in_every_prompt() -> None:
    instance, who, keys = leave_question()
    local = instance.local(who, keys + ".hi")
    assert local.mode == "chat"
    local, said = FACE.press(local, instance.scene(who), ENTER, EN)
    assert (local.mode, said) == ("leave", Say("hi"))
    instance = Instance(2)
    local = instance.local(ANNA, "s1.ab")
    local, said = FACE.press(local, instance.scene(ANNA), ENTER, EN)
    assert (local.mode, local.editor.text, said) == ("rounds", "1", Say("ab"))
    assert FACE.press(local, instance.scene(ANNA), "x", EN)[1] == Leave()


def test_the_question_stays_while_others_play_and_goes_with_the_game() -> None:
    instance = Instance(3)
    instance.start(1)
    instance.hold("K+ J-", "7+ 8+", "10# Q#", top="K*")
    local = instance.local(BERT, "x")
    instance.play(play("K+"))
    local = FACE.follow(local, instance.scene(BERT))
    assert local.mode == "leave"
    instance.hold("J-", "7+ 8+", "10# Q+", top="K+")
    instance.play(play("7+"), Take(2), play("Q+"), play("J-"))
    instance.finish()
    assert FACE.follow(local, instance.scene(BERT)).mode == "menu"


@pytest.mark.parametrize(("keys", "start"), [("", Start()), ("1", Start(Options(1))), ("255", Start(Options(255)))])
def test_the_master_chooses_the_number_of_rounds(keys: str, start: Start[Options]) -> None:
    instance = Instance(2)
    local, intent = FACE.press(instance.local(ANNA, f"s{keys}"), instance.scene(ANNA), ENTER, EN)
    assert (local.mode, intent) == ("menu", start)


def test_a_lone_master_is_not_asked_for_rounds() -> None:
    instance = Instance(1)
    local, intent = FACE.press(instance.local(ANNA), instance.scene(ANNA), "s", EN)
    assert (local.mode, intent) == ("menu", Start())


def test_the_prompt_names_the_number_of_rounds_that_enter_alone_takes() -> None:
    instance = Instance(2)
    local, _ = FACE.press(FACE.fresh(Options(rounds=7)), instance.scene(ANNA), "s", EN)
    frame = FACE.layout.render(instance.scene(ANNA), local, EN, 80, 24)
    assert "[ENTER] alone: 7   [ESC] Back" in "\n".join(row.text for row in frame.rows)


@pytest.mark.parametrize("keys", ["0", "256", "999"])
def test_too_many_rounds_are_refused(keys: str) -> None:
    instance = Instance(2)
    local, intent = FACE.press(instance.local(ANNA, f"s{keys}"), instance.scene(ANNA), ENTER, EN)
    assert (local.mode, intent) == ("rounds", None)
    assert "255" in local.notice
    assert FACE.press(local, instance.scene(ANNA), ESCAPE, EN)[0].mode == "menu"
