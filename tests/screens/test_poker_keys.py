"""Keys at a poker table: their effect in each state, that no other key has one, and what ends with the turn."""

import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.screens.poker_pictures import (
    ANNA,
    CARL,
    CLOCKS,
    EN,
    LEFT,
    PICTURES,
    Instance,
    Picture,
    commands,
    master_before_a_game,
    pause,
    region,
    render,
    round_1_own_turn,
    round_3_looks_on,
    round_3_own_turn,
    showdown_own_turn,
    swap_fourth_card,
    waits_for_the_master,
    waits_for_the_turn,
)
from yawc_poker.engine import table as tables
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet, Fold, Show, Swap
from yawc_poker.games.poker.ui.keys import Intent
from yawc_poker.games.poker.ui.scene import usable
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.table_ui.intents import Leave, MakeMove, Say, Start
from yawc_poker.terminal.frame import Frame
from yawc_poker.terminal.keys import BACKSPACE, ENTER, ESCAPE
from yawc_poker.words import LANGUAGES, Language


def keys_in(frame: Frame) -> set[str]:
    """Read the keys off the command area."""
    found = set(re.findall(r"\[(.)\]", "\n".join(commands(frame))))
    return found | ({"2", "3", "4"} if "1" in found else set())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_the_command_area_lists_exactly_the_usable_keys(picture: Callable[[], Picture], language: Language) -> None:
    instance, who, _, _ = picture()
    frame = render((instance, who, "", 0), language)
    assert keys_in(frame) == set(usable(instance.scene(who)))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_no_other_key_does_anything(picture: Callable[[], Picture]) -> None:
    instance, who, _, _ = picture()
    scene, local = instance.scene(who), instance.local(who)
    offered = {key for command in usable(scene) for key in (command.upper(), command.lower())}
    for key in {*map(chr, range(32, 400)), ENTER, ESCAPE, BACKSPACE, "KEY_UP", "KEY_F1", "BP", ""} - offered:
        assert FACE.press(local, scene, key, EN) == (local, None)


KEY_TABLE: list[tuple[Callable[[], Picture], str, Intent | None, str]] = [
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
    (round_1_own_turn, "b\r", MakeMove(Bet(1)), "bet"),
    (round_1_own_turn, "B90\r", MakeMove(Bet(90)), "bet"),
    (round_1_own_turn, "b007\r", MakeMove(Bet(7)), "bet"),
    (round_1_own_turn, "b91\r", None, "bet"),
    (round_1_own_turn, "b0\r", None, "bet"),
    (round_1_own_turn, "b-5\r", None, "bet"),
    (round_1_own_turn, "b\u200b\r", None, "bet"),
    (round_1_own_turn, "b\ufeff\u2060\r", None, "bet"),
    (round_1_own_turn, "b \u200d\x7f\r", MakeMove(Bet(1)), "bet"),
    (round_1_own_turn, "b\u200b7\r", MakeMove(Bet(7)), "bet"),
    (round_1_own_turn, "b1.\r", None, "bet"),
    (round_1_own_turn, "b1.5\r", Say("5"), "bet"),
    (round_1_own_turn, "b1.5\r2\r", MakeMove(Bet(12)), "bet"),
    (round_1_own_turn, "b1.xyz\x1b2\r", MakeMove(Bet(12)), "bet"),
    (round_1_own_turn, "x", None, "leave"),
    (round_1_own_turn, "xy", Leave(), "menu"),
    (round_1_own_turn, "xX", Leave(), "menu"),
    (round_1_own_turn, "xn", None, "menu"),
    (round_1_own_turn, "x\r", None, "menu"),
    (round_1_own_turn, "bx", None, "leave"),
    (round_1_own_turn, "b12xj", Leave(), "bet"),
    (round_1_own_turn, "b12xn\r", MakeMove(Bet(12)), "bet"),
    (round_1_own_turn, "b12x.hi\r", Say("hi"), "leave"),
    (round_1_own_turn, "b12x.hi\rn\r", MakeMove(Bet(12)), "bet"),
    (round_1_own_turn, "b12x.hi\x1by", Leave(), "bet"),
    (round_1_own_turn, "b²\r", None, "bet"),
    (round_1_own_turn, "b३\r", None, "bet"),
    (round_1_own_turn, "babc\r", None, "bet"),
    (round_1_own_turn, "b日\r", None, "bet"),
    (round_1_own_turn, "b5日\r", None, "bet"),
    (round_1_own_turn, "babc\r12\r", MakeMove(Bet(12)), "bet"),
    (round_1_own_turn, "b12\x1b", None, "menu"),
    (round_1_own_turn, "h", None, "menu"),
    (round_1_own_turn, "p", None, "pass"),
    (round_1_own_turn, "pj", MakeMove(Fold()), "menu"),
    (round_1_own_turn, "PJ", MakeMove(Fold()), "menu"),
    (round_1_own_turn, "py", MakeMove(Fold()), "menu"),
    (round_1_own_turn, "pn", None, "menu"),
    (round_1_own_turn, "pz", None, "menu"),
    (round_1_own_turn, "px", None, "leave"),
    (round_1_own_turn, "pxy", Leave(), "pass"),
    (round_1_own_turn, "pxnj", MakeMove(Fold()), "menu"),
    (round_1_own_turn, "p.", None, "chat"),
    (round_1_own_turn, "p.x\r", Say("x"), "pass"),
    (round_1_own_turn, "p.x\rj", MakeMove(Fold()), "menu"),
    (round_1_own_turn, "p\x1b", None, "menu"),
    (round_1_own_turn, "p\r", None, "menu"),
    (round_3_own_turn, "h", None, "see"),
    (round_3_own_turn, "h\r", MakeMove(Bet(5, see=True)), "see"),
    (round_3_own_turn, "h9\r", MakeMove(Bet(9, see=True)), "see"),
    (round_3_own_turn, "h4\r", None, "see"),
    (round_3_own_turn, "b9\r", MakeMove(Bet(9)), "bet"),
    (swap_fourth_card, "d", MakeMove(Swap()), "menu"),
    (swap_fourth_card, "15d", MakeMove(Swap((0, 4))), "menu"),
    (swap_fourth_card, "51d", MakeMove(Swap((0, 4))), "menu"),
    (swap_fourth_card, "11d", MakeMove(Swap()), "menu"),
    (swap_fourth_card, "1234d", MakeMove(Swap((0, 1, 2))), "menu"),
    (swap_fourth_card, "6", None, "menu"),
    (swap_fourth_card, "p", None, "menu"),
    (showdown_own_turn, "r", MakeMove(Show()), "menu"),
    (showdown_own_turn, "b", None, "menu"),
    (round_3_looks_on, "b", None, "menu"),
    (round_3_looks_on, "p", None, "menu"),
    (round_3_looks_on, "x", Leave(), "menu"),
    (pause, "x", Leave(), "menu"),
    (waits_for_the_turn, "p", None, "pass"),
    (waits_for_the_turn, "py", None, "menu"),
    (waits_for_the_turn, "d", None, "menu"),
    (waits_for_the_turn, "xy", Leave(), "menu"),
]


@pytest.mark.parametrize(("picture", "keys", "intent", "mode"), KEY_TABLE)
def test_keys(picture: Callable[[], Picture], keys: str, intent: Intent | None, mode: str) -> None:
    instance, who, _, _ = picture()
    local, scene, last = instance.local(who), instance.scene(who), None
    for key in keys:
        local, last = FACE.press(local, scene, key, EN)
    assert (last, local.mode) == (intent, mode)


def test_a_refused_number_leaves_an_empty_prompt_and_a_reason() -> None:
    instance, who, _, _ = round_1_own_turn()
    local = instance.local(who, "b91\r")
    assert (local.editor.text, local.notice) == ("", "Please type a number from 1 to 90.")
    assert instance.local(who, "b91\r5\r").notice == ""


def test_where_only_one_bet_is_possible_no_range_is_told() -> None:
    instance, who, _, _ = round_1_own_turn()
    scene = instance.scene(who)
    assert scene.game is not None
    scene = replace(scene, game=replace(scene.game, low=200, high=200))
    local = instance.local(who)
    for key in "b7\r":
        local, _ = FACE.press(local, scene, key, EN)
    assert local.notice == "You can only bet 200: press ENTER."
    assert "Bet (200):" in commands(FACE.layout.render(scene, local, EN, 80, 24))


def test_a_fourth_mark_is_refused_with_a_text() -> None:
    instance, who, _, _ = swap_fourth_card()
    local = instance.local(who, "1234")
    assert (local.marks, local.notice) == ((0, 1, 2), "You may change three cards at most.")
    assert instance.local(who, "12341").marks == (1, 2)


# --- the turn ends ---------------------------------------------------------------------------------------------------


def test_the_question_whether_to_leave_outlives_the_turn_but_the_prompt_behind_it_does_not() -> None:
    instance, who, _, _ = round_1_own_turn()
    local = instance.local(who, "b12x")
    instance.play(Bet(5))
    local = FACE.follow(local, instance.scene(who))
    assert local.mode == "leave"
    assert FACE.press(local, instance.scene(who), "n", EN)[0].mode == "menu"
    instance.table = tables.leave(instance.table, rules, 102, instance.now, CLOCKS).table
    assert FACE.follow(local, instance.scene(who)).mode == "leave"
    chats = FACE.press(local, instance.scene(who), ".", EN)[0]
    for session in (103, 104, 105):
        instance.table = tables.leave(instance.table, rules, session, instance.now, CLOCKS).table
    assert instance.table.game is not None
    assert rules.is_over(instance.table.game)  # the last one has won: nothing is lost by leaving
    assert FACE.follow(local, instance.scene(who)).mode == "menu"
    closed, _ = FACE.press(chats, instance.scene(who), "\x1b", EN)
    assert FACE.follow(closed, instance.scene(who)).mode == "menu"


@pytest.mark.parametrize("key", ["b", "p"])
def test_a_prompt_closes_with_the_turn(key: str) -> None:
    instance, who, _, _ = round_1_own_turn()
    local = instance.local(who, key)
    instance.expire()
    assert FACE.follow(local, instance.scene(who)).mode == "menu"


def test_a_prompt_does_not_reach_into_the_next_own_turn() -> None:
    instance, who, _, _ = round_3_own_turn()
    local = instance.local(who, "b7")
    instance.play(Bet(5), Bet(5), Bet(5))
    local, intent = FACE.press(local, instance.scene(who), ENTER, EN)
    assert (local.mode, intent) == ("menu", None)


def test_marks_go_with_the_turn() -> None:
    instance, who, _, _ = swap_fourth_card()
    local = instance.local(who, "12")
    instance.expire()
    local = FACE.follow(local, instance.scene(who))
    assert local.marks == ()
    assert "░" not in "".join(region(FACE.layout.render(instance.scene(who), local, EN, 80, 24), range(6, 11), LEFT))


def test_a_chat_line_outlives_the_turn() -> None:
    instance, who, _, _ = round_1_own_turn()
    local = instance.local(who, ".half a sent")
    instance.expire()
    local, intent = FACE.press(FACE.follow(local, instance.scene(who)), instance.scene(who), ENTER, EN)
    assert intent == Say("half a sent")


def test_an_error_text_goes_with_the_turn_but_the_reason_of_a_removal_stays() -> None:
    instance, who, _, _ = round_1_own_turn()
    local = instance.local(who, "b91\r")
    instance.expire()
    scene = instance.scene(who)
    assert FACE.follow(local, scene).notice == ""
    taken_out = FACE.hear(local, instance.table.log, who, EN)
    assert FACE.follow(taken_out, scene).notice == "Your time is over: you are out of this game."
    assert FACE.hear(FACE.follow(local, scene), instance.table.log, who, EN).notice == taken_out.notice


def test_the_next_game_makes_the_reason_void() -> None:
    instance = Instance(2)
    instance.start()
    instance.expire()
    local = instance.local(ANNA)
    assert local.lasting
    instance.play(Bet(1), Show())
    instance.finish()
    instance.now += 30
    instance.start()
    local = FACE.hear(local, instance.table.log, ANNA, EN)
    assert (local.notice, local.lasting) == ("", False)


def test_a_new_game_that_takes_one_out_at_once_tells_why() -> None:
    instance = Instance(3, cash=10)
    before = instance.local(CARL)
    instance.start()
    assert FACE.follow(FACE.hear(before, instance.table.log, CARL, EN), instance.scene(CARL)).lasting
