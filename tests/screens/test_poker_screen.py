"""The poker screen: the content of each region in each state.

The golden screens in `golden/` are read by people: after a wanted change, `YAWC_GOLDEN=1 pytest` writes them anew.
"""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from tests.screens.golden import agrees, but_clock, drawn
from tests.screens.poker_pictures import (
    ANNA,
    CARL,
    CLOCKS,
    EMIL,
    EN,
    LARGE,
    LEFT,
    LONG,
    LONGEST,
    PICTURES,
    RIGHT,
    Instance,
    Picture,
    pause,
    region,
    render,
    round_3_own_turn,
    showdown_own_turn,
    swap_fourth_card,
)
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.game import POKER
from yawc_poker.games.poker.model import Bet, View
from yawc_poker.games.poker.ui.scene import Local, Scene
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.session.table.render_cache import SceneCache
from yawc_poker.table_ui.definition import plain
from yawc_poker.table_ui.intents import Say
from yawc_poker.table_ui.keys import chat_limit
from yawc_poker.table_ui.scene import STEP, may_pass, next_change
from yawc_poker.table_ui.screen import CLOCK, STATUS_ROW, shows_table
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, LineEditor
from yawc_poker.words import LANGUAGES, Language

GOLDEN = Path(__file__).parent / "golden"


# --- the golden screens ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_a_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    agrees(drawn(render(picture(), language)), GOLDEN / f"{picture.__name__}.{language}.txt")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", LARGE, ids=lambda picture: picture.__name__)
def test_a_large_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    agrees(drawn(render(picture(), language, 132, 43)), GOLDEN / f"{picture.__name__}.large.{language}.txt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_high_screen_is_the_golden_one(language: Language) -> None:
    agrees(drawn(render(round_3_own_turn(), language, 80, 50)), GOLDEN / f"round_3_own_turn.high.{language}.txt")


LETTERS = dict(zip(Style, ".dBrgybmcw^!=RKb-NRK^N", strict=True)) | {Style.CARD_BACK: "#", Style.BLUE: "u"}


@pytest.mark.parametrize("picture", [swap_fourth_card, showdown_own_turn], ids=lambda picture: picture.__name__)
def test_colours_are_the_golden_ones(picture: Callable[[], Picture]) -> None:
    frame = render(picture(), "en")
    styles = ["".join(LETTERS[Style(style)] for style in row.styles) for row in frame.rows]
    agrees("".join(line.rstrip(".") + "\n" for line in styles), GOLDEN / f"{picture.__name__}.styles.txt")


def test_every_golden_file_belongs_to_a_screen() -> None:
    wanted = {f"{picture.__name__}.{language}.txt" for picture in PICTURES for language in LANGUAGES}
    large = {f"{picture.__name__}.large.{language}.txt" for picture in LARGE for language in LANGUAGES}
    high = {f"round_3_own_turn.high.{language}.txt" for language in LANGUAGES}
    assert {path.name for path in GOLDEN.iterdir()} == wanted | large | high | {
        "swap_fourth_card.styles.txt",
        "showdown_own_turn.styles.txt",
    }


# --- regions ---------------------------------------------------------------------------------------------------------


def test_the_last_column_of_the_last_line_stays_blank_in_a_long_chat() -> None:
    instance = Instance(5)
    local = instance.local(LONG, "." + "x" * 200)
    frame = FACE.layout.render(instance.scene(LONG), local, EN, 80, 24)
    assert frame.rows[23].text[79] == " "
    assert frame.cursor is not None
    assert frame.cursor[0] < 79


def test_a_chat_line_of_full_length_fits_a_message_line() -> None:
    instance = Instance(5)
    longer = instance.local(LONG, "." + "x" * (chat_limit(LONGEST) + 1))
    assert FACE.press(longer, instance.scene(LONG), ENTER, EN) == (longer, None), "nothing is cut"
    local, said = FACE.press(instance.local(LONG, "." + "x" * chat_limit(LONGEST)), instance.scene(LONG), ENTER, EN)
    assert isinstance(said, Say)
    assert len(said.text) == chat_limit(LONGEST)
    instance.table = tables.chat(instance.table, LONG, said.text)
    frame = FACE.layout.render(instance.scene(LONG), FACE.hear(local, instance.table.log, LONG, EN), EN, 80, 24)
    assert f"-> [{LONGEST}] {said.text} " in drawn(frame) + " " or f"-> [{LONGEST}] {said.text}\n" in drawn(frame)


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
    scene = replace(Instance(2).scene(ANNA), deadline=1000.0, now=1000.0 - left, running=running, pause_until=0.0)
    assert next_change(scene, waits) == 1000.0 - shown_until


@pytest.mark.parametrize(
    ("left", "running", "waits", "passes"),
    [
        (180.0, False, False, True),
        (41.0, False, False, True),
        (40.0, False, False, False),  # the next tick may be too late for the seconds of the last half minute
        (30.0, False, False, False),
        (180.0, False, True, False),
        (60.0, True, False, False),
    ],
)
def test_only_the_step_of_a_coarse_clock_waits_for_the_tick(
    left: float, running: bool, waits: bool, passes: bool
) -> None:
    scene = replace(Instance(2).scene(ANNA), deadline=1000.0, now=1000.0 - left, running=running, pause_until=0.0)
    change = next_change(scene, waits)
    assert change is not None
    assert may_pass(scene, waits, change, STEP) is passes
    assert not may_pass(scene, waits, change, STEP + 0.1)
    assert not may_pass(replace(scene, pause_until=scene.now + 1), waits, change, STEP)


def shown(left: float, running: bool) -> str:
    """Return what the viewer's clock shows with `left` seconds left."""
    scene = replace(Instance(2).scene(ANNA), deadline=1000.0, now=1000.0 - left, running=running, pause_until=0.0)
    return FACE.layout.render(scene, Local(), EN, 80, 24).rows[STATUS_ROW].text[-CLOCK:].strip()


def test_the_masters_clock_goes_down_evenly() -> None:
    """Each value of the five-second steps is shown for five seconds, the first one being right."""
    tenths = [left / 10 for left in range(1800, -1, -1)]
    values = [shown(left, running=False) for left in tenths]
    steps = list(dict.fromkeys(values))
    assert steps[:4] == ["3:00", "2:55", "2:50", "2:45"]
    assert steps[28:33] == ["0:40", "0:35", "0:30", "0:29", "0:28"]
    assert steps[-1] == "0:00"
    for step in steps[1:29]:
        assert values.count(step) == 50, step
    assert shown(179.99, running=False) == "3:00"


def test_a_turns_clock_goes_by_seconds() -> None:
    assert [shown(left, running=True) for left in (60.0, 59.01, 59.0, 58.3, 0.2, 0.0, -7.0)] == [
        "1:00", "1:00", "0:59", "0:59", "0:01", "0:00", "0:00",
    ]  # fmt: skip


def test_no_clock_is_put_on_a_screen_that_shows_no_table() -> None:
    for columns, rows in ((79, 24), (80, 22), (20, 5)):
        assert not shows_table(FACE.layout.render(Instance(3).scene(ANNA), Local(), EN, columns, rows))


def test_time_alone_changes_nothing_without_a_clock_or_a_pause() -> None:
    scene = replace(Instance(2).scene(ANNA), deadline=None, now=1000.0, pause_until=0.0)
    assert next_change(scene, waits=False) is None
    assert next_change(replace(scene, pause_until=1002.5), waits=False) == 1002.5


def test_only_the_own_clock_is_shown() -> None:
    instance = Instance(3)
    assert instance.scene(ANNA).deadline is not None
    assert instance.scene(CARL).deadline is None
    instance.start()
    instance.play(Bet(1))
    assert instance.scene(ANNA).deadline is None
    assert instance.scene(LONG).deadline is not None


def test_the_counter_shows_only_with_messages() -> None:
    instance = Instance(2)
    frames = [FACE.layout.render(instance.scene(ANNA, waiting), Local(), EN, 80, 24) for waiting in (0, 1, 2)]
    lines = [frame.rows[5].text for frame in frames]
    assert "X-message" not in lines[0]
    assert "1 X-message " in lines[1]
    assert "2 X-messages " in lines[2]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
@pytest.mark.parametrize("size", [(132, 43), (120, 24), (80, 30), (80, 60)])
def test_a_larger_window_keeps_the_regions_at_the_top_left(
    picture: Callable[[], Picture], size: tuple[int, int]
) -> None:
    small, big = render(picture(), "en"), render(picture(), "en", *size)
    assert [row.text[:80] for row in big.rows[:24]] == [row.text for row in small.rows]
    assert [row.styles[:80] for row in big.rows[:24]] == [row.styles for row in small.rows]
    assert big.cursor == small.cursor


def test_a_clock_that_moves_on_leaves_the_rest_of_a_large_screen() -> None:
    instance, who, _, _ = round_3_own_turn()
    scene, local = instance.scene(who), instance.local(who)
    later = replace(scene, now=scene.now + 40)
    shown = FACE.layout.render(scene, local, EN, 132, 43)
    assert but_clock(shown) == but_clock(FACE.layout.render(later, local, EN, 132, 43))


def test_no_window_makes_a_frame_larger_than_what_is_to_be_shown() -> None:
    for size in ((500, 500), (500, 1), (1, 500), (79, 500), (119, 29), (500, 23), (500, 22)):
        frame = FACE.layout.render(Instance(2).scene(ANNA), Local(), EN, *size)
        assert frame.columns <= 132
        assert len(frame.rows) <= 60
    assert frame.columns == 80


def test_own_cards_close_with_the_pause_and_shown_ones_stay() -> None:
    instance, _, _, _ = pause()
    frame = FACE.layout.render(instance.scene(CARL), Local(), EN, 80, 24)
    assert "░" not in "".join(region(frame, range(6, 11), LEFT))
    instance.now += 18
    frame = FACE.layout.render(instance.scene(CARL), Local(), EN, 80, 24)
    assert region(frame, range(7, 8), LEFT)[0].count("░░░░") == 5
    assert "10" in region(frame, range(1, 5), LEFT)[1]


def test_a_leaver_vanishes() -> None:
    instance, _, _, _ = pause()
    instance.table = tables.leave(instance.table, rules, LONG, instance.now, CLOCKS).table
    assert [person.name for person in instance.scene(ANNA).people] == ["Carl"]


def test_without_a_seat_there_is_no_scene() -> None:
    with pytest.raises(IllegalMove, match="not_seated"):
        Instance(2).scene(EMIL)


def test_the_last_round_but_one_shows_its_number() -> None:
    instance, _, _, _ = round_3_own_turn()
    assert instance.table.game is not None
    instance.table = replace(instance.table, game=replace(instance.table.game, round=32699))
    frame = FACE.layout.render(instance.scene(ANNA), Local(), EN, 80, 24)
    assert region(frame, range(4, 5), RIGHT) == ["Round:  32699"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_behind_the_longest_bounds_the_cursor_is_still_on_the_screen(language: Language) -> None:
    bounds = View(0, "bet", 1, 0, 0, 0, None, False, (), low=-(10**10), high=-(10**11), winner=None, showdown=False)
    seen = Scene(0, "", 0, (), "", None, 0, bounds, True, False, None, 0.0, 0, 0.0)
    frame = FACE.layout.render(seen, Local(mode="bet", editor=LineEditor("1234567890")), words(language), 132, 50)
    assert frame.cursor is not None
    assert frame.cursor[0] < 80


def test_a_win_stands_for_two_seconds_where_the_pot_was() -> None:
    instance, who, *_ = pause()
    scene, local = instance.scene(who), instance.local(who)
    pots = []
    for ended in (scene.now, scene.now - 1.9, scene.now - 2.0):
        frame = FACE.layout.render(replace(scene, ended=ended), local, EN, 80, 24)
        pots.append(frame.rows[3].text[42:].rstrip())
    game = scene.game
    assert game is not None
    assert game.winner is not None
    won = f"Pot:    {scene.names[game.winner][:14]} +{game.pot} CUBES"
    assert pots == [won, won, "Pot:    NO GAME"]
    assert next_change(replace(scene, ended=scene.now - 1), False) == scene.now + 1
    assert not may_pass(replace(scene, ended=scene.now - 1, pause_until=0.0), False, scene.now + 1, 1.0)


def test_only_who_has_seen_a_game_end_sees_its_win() -> None:
    instance, who, *_ = pause()
    over, running = cast(AnyTable, instance.table), cast(AnyTable, replace(instance.table, game=instance.table.last))
    late = SceneCache(plain(POKER).face, who, over)
    late.take(over, instance.now)
    assert not late.look(instance.now, waits=False).is_win_new
    there = SceneCache(plain(POKER).face, who, running)
    there.take(over, instance.now)
    assert there.look(instance.now, waits=False).is_win_new
    assert there.look(instance.now + 1.9, waits=False).is_win_new
    assert not there.look(instance.now + 2, waits=False).is_win_new
