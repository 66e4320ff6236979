"""Windows that are too small for a table or one line short, and the earlier messages that a newcomer sees."""

from tests.screens.golden import drawn
from tests.screens.poker_pictures import ANNA, CARL, CLOCKS, EN, LONG, PICTURES, Instance, round_3_own_turn
from yawc_poker.engine import table as tables
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet
from yawc_poker.games.poker.ui.scene import Local
from yawc_poker.games.poker.ui.screen import FACE


def test_a_small_window_says_both_sizes() -> None:
    text = drawn(FACE.layout.render(Instance(2).scene(ANNA), Local(), EN, 39, 24))
    assert "39x24" in text
    assert "80x23" in text


def test_a_small_window_says_whose_turn_it_is_and_what_can_be_done() -> None:
    instance, who, _, _ = round_3_own_turn()
    instance.now += 15
    scene = instance.scene(who)
    assert scene.game is not None
    assert scene.game.hand is not None
    assert drawn(FACE.layout.render(scene, Local(), EN, 60, 20)).splitlines()[:7] == [
        "Turn: Anna  0:45",
        "[.] Chat   [X] Leave the table",
        "[B] Bet (5 or more)   [P] Pass",
        "[H] See the cards!",
        " ".join(map(str, scene.game.hand)),
        "Your window has 60x20 characters, the table needs 80x23.",
        "",
    ]
    assert drawn(FACE.layout.render(instance.scene(CARL), Local(), EN, 60, 20)).startswith("Turn: Anna\n[.] Chat")
    assert drawn(FACE.layout.render(Instance(2).scene(ANNA), Local(), EN, 60, 20)).startswith("Turn: NO GAME  3:00\n")
    assert drawn(FACE.layout.render(scene, Local(), EN, 31, 2)) == "Turn: Anna  0:45\n[.] Chat   [X] Leave the table\n"


def test_a_small_window_has_the_prompts_the_chat_line_and_the_newest_messages() -> None:
    instance, who, _, _ = round_3_own_turn()
    frame = FACE.layout.render(instance.scene(who), instance.local(who, "b12"), EN, 60, 20)
    lines = drawn(frame).rstrip().splitlines()
    assert lines[3] == "Bet (5-85): 12"
    assert frame.cursor == (14, 3)
    assert "[SYSTEM]" in lines[-1] or "[INFO]" in lines[-1]
    frame = FACE.layout.render(instance.scene(who), instance.local(who, ".hello"), EN, 60, 20)
    assert drawn(frame).splitlines()[-1] == "Anna: hello"
    assert frame.cursor == (11, 19)


def test_a_window_of_23_lines_shows_the_whole_table_without_the_lower_line() -> None:
    for picture in PICTURES:
        instance, who, keys, waiting = picture()
        scene, local = instance.scene(who, waiting), instance.local(who, keys)
        whole, short = (FACE.layout.render(scene, local, EN, 80, rows) for rows in (24, 23))
        assert short.rows == (*whole.rows[:22], whole.rows[23])
        at = whole.cursor
        assert short.cursor == (at if at is None or at[1] < 22 else (at[0], 22))


def test_a_newcomer_sees_the_earlier_messages() -> None:
    instance = Instance(2)
    instance.table = tables.chat(instance.table, ANNA, "is anybody there?")
    instance.start()
    instance.play(Bet(5))
    instance.expire()  # the other is out by the clock
    for number in range(5):
        instance.table = tables.chat(instance.table, ANNA, f"line {number}")
    instance.sit(2)
    local = instance.local(CARL)
    said = [text for text, _ in local.talk.latest(10)]
    assert len(said) == 10
    assert said[-1] == "[INFO] Carl sits down at the table."
    assert said[-2] == "[Anna] line 4"
    assert not local.notice
    assert local.talk.newest == 9
    came_first = Instance(1).local(ANNA)
    told = [text for text, _ in came_first.talk.latest(10)]
    assert told[0] == "[INFO] Anna sits down at the table."
    assert [text[:32] for text in told[1:]] == ["[SYSTEM] Seal for the next game:"]


def test_the_reason_for_an_earlier_removal_is_no_notice_after_sitting_down_again() -> None:
    instance = Instance(3)
    instance.start()
    instance.play(Bet(5))
    instance.expire()
    instance.table = tables.leave(instance.table, rules, LONG, instance.now, CLOCKS).table
    instance.sit(1)
    local = instance.local(LONG)
    assert not local.notice
    assert any("is out of the game" in text for text, _ in local.talk.latest(10))
