"""The Doppelkopf screen: its content in each state, and what it never shows.

The golden screens in `golden_doppelkopf/` are read by people: after a wanted change, `YAWC_GOLDEN=1 pytest` writes them
anew.
"""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.adapters import hide_doppelkopf, pick_doppelkopf
from tests.screens.doppelkopf_pictures import (
    ANNA,
    BERT,
    CARL,
    DORA,
    EN,
    GOLDEN,
    PICTURES,
    Instance,
    Picture,
    one_has_left,
    own_turn_with_calls,
)
from tests.screens.eye import Eye, MemoryLine
from tests.screens.golden import agrees, but_clock, drawn
from tests.thoroughness import sampled
from yawc_poker.catalogues import words
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.model import GoOn, MayAnswer, Move, State
from yawc_poker.games.doppelkopf.ui.scene import usable
from yawc_poker.games.doppelkopf.ui.screen import FACE
from yawc_poker.games.doppelkopf.ui.speech import sentences
from yawc_poker.table_ui.intents import MakeMove
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import LANGUAGES, Language, is_yes

ASCII = "own_turn_with_calls.ascii.txt"
SIZES = ((80, 24), (80, 23), (132, 43), (120, 24), (80, 31), (80, 60), (79, 24), (40, 10), (1, 1), (500, 500))


def render(picture: Picture, language: Language) -> Frame:
    instance, who, keys, columns, rows, earlier = picture
    local = instance.local(who, keys, language, earlier)
    return FACE.layout.render(instance.scene(who), local, words(language), columns, rows)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_a_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    agrees(drawn(render(picture(), language)), GOLDEN / f"{picture.__name__}.{language}.txt")


def test_a_terminal_with_nothing_but_ascii_shows_it_all() -> None:
    """Through a display and pyte: a VT100 that knows neither colours nor box characters."""
    line, eye = MemoryLine("vt100", "ascii"), Eye(charset="cp437")
    Display(line).draw(render(own_turn_with_calls(), "en"))
    eye.see(line.take())
    agrees("".join(row.rstrip() + "\n" for row in eye.rows), GOLDEN / ASCII)
    assert (GOLDEN / ASCII).read_bytes().isascii()


def test_what_is_played_on_for_one_who_has_left_is_told_by_their_name() -> None:
    instance = one_has_left().instance.cheap(3)
    told = [text for entry in instance.table.log for text, _ in sentences(entry, words("en"))]
    leaver = instance.table.names[CARL - ANNA]
    assert any(f"{leaver} plays " in text for text in told)
    assert not any("Seat " in text for text in told)


def test_there_are_no_other_golden_screens() -> None:
    wanted = {f"{picture.__name__}.{language}.txt" for picture in PICTURES for language in LANGUAGES} | {ASCII}
    assert {path.name for path in GOLDEN.iterdir()} == wanted


def test_a_clock_that_moves_on_leaves_the_rest_of_a_wide_screen() -> None:
    instance = Instance().start().healthy().cheap(7)
    scene = instance.scene(BERT)
    assert scene.deadline is not None
    shown = FACE.layout.render(scene, instance.local(BERT), EN, 132, 43)
    later = replace(scene, now=scene.now + 53)
    assert but_clock(shown) == but_clock(FACE.layout.render(later, instance.local(BERT), EN, 132, 43))


def test_a_team_is_shown_to_others_only_once_it_has_been_shown_to_all() -> None:
    instance = Instance().start().healthy()
    before = drawn(FACE.layout.render(instance.scene(DORA), instance.local(DORA), EN, 80, 24))
    assert "Anna      ?" in before
    assert "Anna      Re" in drawn(FACE.layout.render(instance.scene(ANNA), instance.local(ANNA), EN, 80, 24))
    instance.moves("A* A* 10* K*", "9- K- 9- Q+")
    assert "Anna      Re" in drawn(FACE.layout.render(instance.scene(DORA), instance.local(DORA), EN, 80, 24))


# --- whatever happens -------------------------------------------------------------------------------------------------


@settings(max_examples=sampled(4))
@given(st.integers(0, 2**32), st.booleans())
def test_random_play_can_always_be_drawn_and_shows_no_hidden_card(seed: int, tournament: bool) -> None:
    rng, instance = Random(seed), Instance()
    instance.start(rounds=3, tournament=tournament)
    for _ in range(120):
        game = instance.table.game
        if game is None or rules.is_over(game):
            break
        draw_for_all(instance, rng)
        seat = rng.choice([seat for seat in range(4) if rules.legal_moves(game, seat)])
        instance.move(seat, a_move(game, seat, rng))
    draw_for_all(instance, rng)


def a_move(game: State, seat: int, rng: Random) -> Move:
    choice = rng.choice(rules.legal_moves(game, seat))
    return GoOn(True) if isinstance(choice, MayAnswer) else pick_doppelkopf(choice, rng)


def draw_for_all(instance: Instance, rng: Random) -> None:
    """Draw the table for everybody in a window and with a key by chance; hidden cards change nothing of it."""
    for session in range(101, 105):
        scene, language = instance.scene(session), rng.choice(LANGUAGES)
        local = instance.local(session, rng.choice(["", "l", "t", "x", "."]), language)
        frame = FACE.layout.render(scene, local, words(language), *rng.choice(SIZES))
        assert all(len(row.text) == len(row.styles) == frame.columns for row in frame.rows)
        if instance.table.game is not None:
            hidden = replace(instance.table, game=hide_doppelkopf(instance.table.game, session - 101, rng))
            assert FACE.scene(hidden, session, 0, instance.now) == scene


@settings(max_examples=sampled(4))
@given(st.integers(0, 2**32))
def test_every_key_that_is_shown_does_something_and_no_other_changes_the_game(seed: int) -> None:
    rng, instance = Random(seed), Instance()
    instance.start(rounds=2)
    for _ in range(70):
        game = instance.table.game
        if game is None or rules.is_over(game):
            break
        for session in range(101, 105):
            check_keys(instance, session)
        seat = rng.choice([seat for seat in range(4) if rules.legal_moves(game, seat)])
        instance.move(seat, a_move(game, seat, rng))


def check_keys(instance: Instance, session: int) -> None:
    scene, local = instance.scene(session), instance.local(session)
    offered = usable(scene)
    assert len(set(offered)) == len(offered)
    for key in {*offered, *"0123456789abcdefghijklmnopqrstuvwxyz"} - {"."}:
        after, intent = FACE.press(local, scene, key, EN)
        is_offered = bool({key, key.upper()} & set(offered)) or (is_yes(key) and "Y" in offered)
        if isinstance(intent, MakeMove):
            assert is_offered == is_legal(instance.game, session - 101, intent.move), key
        else:
            changed = replace(after, notice=local.notice, offered=local.offered)  # a notice says that the key is none
            assert is_offered == (intent is not None or changed != local), key


def is_legal(game: State, seat: int, move: Move) -> bool:
    """Return whether a move is; one that is not is refused with a reason that has a sentence of its own."""
    refusal = ""
    try:
        rules.play(game, seat, move, Random(0))
    except IllegalMove as illegal:
        refusal = FACE.refusal(illegal, EN)
    assert refusal != "That is not possible now."
    return not refusal
