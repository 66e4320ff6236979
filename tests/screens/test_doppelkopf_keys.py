"""Keys at a Doppelkopf table: their effect in each state."""

import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.screens.doppelkopf_pictures import (
    ANNA,
    BERT,
    CARL,
    DORA,
    EN,
    WEDDING,
    Instance,
    Picture,
    final,
    leave_question,
    looks_on,
    master_before_a_match,
    must_follow,
    naming,
    own_turn_with_calls,
    question,
    reservation,
    solo,
    trick,
)
from yawc_poker.cards import card
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.doppelkopf.model import Call, GameType, GoOn, Healthy, NoSolo, PlayCard, PlaySolo, Reserve
from yawc_poker.games.doppelkopf.ui.screen import FACE
from yawc_poker.table_ui.intents import Leave, Say, Start
from yawc_poker.table_ui.intents import MakeMove as Made
from yawc_poker.table_ui.screen import WIDTH
from yawc_poker.terminal.keys import ENTER, ESCAPE, KEY_LEFT, KEY_RIGHT
from yawc_poker.terminal.widgets import wrap


@pytest.mark.parametrize(
    ("picture", "key", "intent"),
    [
        (master_before_a_match, "s", Start()),
        (master_before_a_match, "x", Leave()),
        (reservation, "g", Made(Healthy())),
        (reservation, "V", None),
        (reservation, "1", None),
        (reservation, "c", None),
        (naming, "1", Made(PlaySolo("queens"))),
        (naming, "7", Made(PlaySolo("aces"))),
        (naming, "8", Made(NoSolo())),
        (naming, "g", None),
        (trick, "9", Made(PlayCard(card("A+")))),
        (trick, "1", Made(PlayCard(card("10#")))),
        (trick, "c", Made(Call("team"))),
        (trick, "d", Made(Call("no90"))),
        (trick, "z", None),
        (own_turn_with_calls, "d", Made(Call("no90"))),
        (own_turn_with_calls, "b", None),
        (must_follow, "b", Made(PlayCard(card("K#")))),
        (solo, "s", None),
        (question, "y", Made(GoOn(True))),
        (question, "j", Made(GoOn(True))),
        (question, "n", Made(GoOn(False))),
        (question, "x", None),
        (looks_on, "x", Leave()),
        (looks_on, "c", None),
        (final, "x", Leave()),
        (final, "y", None),
    ],
)
def test_a_key_does_this(picture: Callable[[], Picture], key: str, intent: object) -> None:
    instance, who, *_ = picture()
    assert FACE.press(instance.local(who), instance.scene(who), key, EN)[1] == intent


def test_a_reservation_that_binds_to_a_solo_is_asked_for_twice() -> None:
    instance, who, *_ = reservation()
    local, intent = FACE.press(instance.local(who), instance.scene(who), "v", EN)
    assert intent is None
    assert "you must play a solo" in local.notice
    assert FACE.press(local, instance.scene(who), "v", EN)[1] == Made(Reserve())
    assert FACE.press(local, instance.scene(who), "g", EN)[1] == Made(Healthy())


def test_with_both_queens_of_clubs_a_reservation_binds_to_nothing() -> None:
    instance = Instance().start(WEDDING).moves(Healthy(), Healthy(), Healthy())
    assert FACE.press(instance.local(ANNA), instance.scene(ANNA), "v", EN)[1] == Made(Reserve())


def test_a_wedding_is_offered_to_nobody_else_and_refused_with_a_reason() -> None:
    instance = Instance().start(WEDDING).moves(Reserve(), Healthy(), Healthy(), Healthy())
    local, scene = instance.local(BERT), instance.scene(BERT)
    assert "8" not in FACE.usable(scene)
    assert FACE.press(local, scene, "8", EN)[1] == Made(NoSolo())
    with pytest.raises(IllegalMove, match="no_wedding"):
        instance.move(BERT - 101, NoSolo())


@pytest.mark.parametrize("key", ["9", "g", "v", "z"])
def test_a_wrong_key_for_a_solo_is_told(key: str) -> None:
    instance, who, *_ = naming()
    local, intent = FACE.press(instance.local(who), instance.scene(who), key, EN)
    assert (local.notice, intent) == ("Choose your solo with [1] to [7].", None)


def test_a_start_is_offered_once_four_are_there_and_refused_before() -> None:
    for people in range(1, 5):
        instance = Instance(people)
        scene = instance.scene(ANNA)
        assert ("S" in FACE.usable(scene)) == (people == 4)
        assert FACE.press(instance.local(ANNA), scene, "s", EN)[1] == Start()


@pytest.mark.parametrize(
    ("moves", "calls"),
    [
        ("", ["11", "10", "9", "8", "7"]),
        ("A+ 9+ K+ A+", ["11", "10", "9", "8", "7"]),
    ],
)
def test_the_help_tells_how_many_cards_a_call_needs(moves: str, calls: list[str]) -> None:
    instance = Instance().start().healthy().moves(moves)
    assert _calls(instance) == calls


@pytest.mark.parametrize(
    ("tricks", "calls"),
    [(1, ["11", "10", "9", "8", "7"]), (2, ["10", "9", "8", "7", "6"]), (3, ["9", "8", "7", "6", "5"])],
)
def test_the_help_knows_when_a_wedding_became_clear(tricks: int, calls: list[str]) -> None:
    """Anna, who has both queens of clubs, takes all tricks but the last of these."""
    instance = Instance().start(WEDDING).moves(Healthy(), Healthy(), Healthy(), Reserve(), NoSolo())
    text = "\n".join(line.text for line in FACE.guide(instance.scene(ANNA), EN).lines)
    assert "two fewer in trick 3" in text
    state = instance.table.game
    assert state is not None
    game = GameType("wedding", 0, clarified=tricks, partner=1)
    instance.table = replace(instance.table, game=replace(state, round=replace(state.round, game=game)))
    assert _calls(instance) == calls


def _calls(instance: Instance) -> list[str]:
    lines = FACE.guide(instance.scene(ANNA), EN).lines
    return [number for line in lines for number in re.findall(r"(?:Contra|90|60|30|black): (\d+)", line.text)]


def test_a_call_can_be_made_out_of_turn() -> None:
    instance = Instance().start().healthy().moves("A+")
    assert FACE.press(instance.local(DORA), instance.scene(DORA), "c", EN)[1] == Made(Call("team"))


@pytest.mark.parametrize(
    ("who", "key", "why"),
    [
        (CARL, "1", "You must follow suit: clubs +."),
        (DORA, "1", "It is not your turn."),
        (ANNA, "d", "Your team must announce Re or Contra first."),
        (DORA, "e", "Your team must announce Re or Contra first."),
    ],
)
def test_a_card_or_a_call_that_is_not_possible_is_refused_with_a_reason(who: int, key: str, why: str) -> None:
    instance = Instance().start().healthy().moves("A+")
    local, scene = instance.local(who), instance.scene(who)
    local, intent = FACE.press(local, scene, key, EN)
    assert isinstance(intent, Made)
    with pytest.raises(IllegalMove) as refused:
        instance.move(who - 101, intent.move)
    local = FACE.refused(local, refused.value, EN)
    assert local.notice == why
    shown = "\n".join(row.text for row in FACE.layout.render(scene, local, EN, 80, 24).rows)
    assert all(line in shown for line in wrap(why, WIDTH - 2))


@pytest.mark.parametrize(
    ("keys", "played"),
    [
        ((), None),
        ((KEY_RIGHT,), "A+"),
        ((KEY_RIGHT, KEY_RIGHT), "10+"),
        ((KEY_RIGHT, KEY_RIGHT, KEY_RIGHT), "A+"),
        ((KEY_LEFT,), "10+"),
        ((KEY_LEFT, KEY_LEFT), "A+"),
    ],
)
def test_the_cursor_chooses_among_the_cards_that_may_be_played(keys: tuple[str, ...], played: str | None) -> None:
    instance, who, *_ = trick()
    intent = FACE.press(instance.local(who, keys), instance.scene(who), ENTER, EN)[1]
    assert intent == (None if played is None else Made(PlayCard(card(played))))


def test_the_choice_goes_with_the_turn() -> None:
    instance = Instance().start().healthy()
    local = instance.local(BERT, [KEY_RIGHT])
    instance.moves("A+ 9+ K+ A+")
    assert FACE.press(local, instance.scene(BERT), ENTER, EN) == (FACE.follow(local, instance.scene(BERT)), None)


def test_the_cursor_keys_do_nothing_out_of_turn() -> None:
    instance = Instance().start().healthy()
    local = instance.local(DORA)
    for key in (KEY_LEFT, KEY_RIGHT, ENTER):
        assert FACE.press(local, instance.scene(DORA), key, EN) == (local, None)


@pytest.mark.parametrize(
    ("key", "intent"), [("y", Leave()), ("j", Leave()), ("x", Leave()), ("n", None), (ESCAPE, None)]
)
def test_a_player_is_asked_before_leaving(key: str, intent: Leave | None) -> None:
    instance, who, keys, *_ = leave_question()
    local, done = FACE.press(instance.local(who, keys), instance.scene(who), key, EN)
    assert (local.mode, done) == ("menu", intent)


def test_the_question_stays_while_others_play_and_goes_with_the_match() -> None:
    instance = Instance().start(rounds=1).healthy()
    local = FACE.follow(instance.local(CARL, "x"), instance.scene(CARL))
    instance.moves("A+")
    local = FACE.follow(local, instance.scene(CARL))
    assert local.mode == "leave"
    instance.cheap().finish()
    assert FACE.follow(local, instance.scene(CARL)).mode == "menu"


def test_chat_works_in_the_question() -> None:
    instance, who, *_ = leave_question()
    local = instance.local(who, "x.hi")
    assert local.mode == "chat"
    local, said = FACE.press(local, instance.scene(who), ENTER, EN)
    assert (local.mode, said) == ("leave", Say("hi"))


def test_the_last_trick_can_be_looked_at_until_the_next_one_is_complete() -> None:
    instance = Instance().start().healthy().moves("A* A* 10* K*")
    assert instance.local(ANNA, "l").page == "", "it still lies there"
    instance.moves("A+")
    local = instance.local(ANNA, "l")
    assert local.page == "last"
    assert FACE.press(local, instance.scene(ANNA), "L", EN)[0].page == ""
    instance.moves("9+ K+")
    assert (local := FACE.follow(local, instance.scene(ANNA))).page == "last"
    instance.moves("10+")
    assert FACE.follow(local, instance.scene(ANNA)).page == ""


def test_the_score_of_a_round_is_shown_where_the_next_one_begins_at_once() -> None:
    instance = Instance().start(tournament=True).healthy()
    dora, carl = instance.local(DORA), instance.local(CARL)
    instance.cheap()
    carl = FACE.follow(carl, instance.scene(CARL))
    assert (carl.page, instance.scene(CARL).turn is None) == ("score", False), "who speaks first reads it, too"
    dora = FACE.follow(dora, instance.scene(DORA))
    assert dora.page == "score"
    assert FACE.press(dora, instance.scene(DORA), "t", EN)[0].page == ""
    assert FACE.follow(instance.local(DORA), instance.scene(DORA)).page == "", "it was not there when it was scored"
    instance.moves(Healthy())
    dora = FACE.follow(dora, instance.scene(DORA))
    assert dora.page == "score", "it is their turn, to speak"
    instance.moves(Healthy(), Healthy(), Healthy())
    assert FACE.follow(dora, instance.scene(DORA)).page == "score"
    carl = FACE.follow(carl, instance.scene(CARL))
    assert (carl.page, instance.scene(CARL).turn is None) == ("", False), "it is their turn, to play"


def test_the_table_of_rounds_makes_way_for_ones_own_turn() -> None:
    instance = Instance().start(rounds=3).healthy().cheap()
    local = instance.local(DORA, "t")
    assert local.page == "table"
    instance.move(0, GoOn(True))
    assert FACE.follow(local, instance.scene(DORA)).page == "table", "answers do not close it"
    instance.expire()
    assert FACE.follow(local, instance.scene(DORA)).page == "", "a new round does"
    local = instance.local(ANNA, "t")
    instance.moves(Healthy())
    assert (local := FACE.follow(local, instance.scene(ANNA))).page == "table"
    instance.moves(Healthy())
    assert FACE.follow(local, instance.scene(ANNA)).page == ""
