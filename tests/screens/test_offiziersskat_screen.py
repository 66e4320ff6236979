"""The Offiziersskat screen: its content in each state, and what it never shows.

The golden screens in `golden_offiziersskat/` are read by people: after a wanted change, `YAWC_GOLDEN=1 pytest` writes
them anew.
"""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.screens.eye import Eye, MemoryLine
from tests.screens.golden import agrees, but_clock, drawn
from tests.screens.offiziersskat_pictures import (
    ANNA,
    BERT,
    EN,
    GOLDEN,
    PICTURES,
    Instance,
    Picture,
    chosen,
    must_follow,
)
from tests.thoroughness import sampled
from yawc_poker.cards import Suit
from yawc_poker.catalogues import words
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import Move, Place, State
from yawc_poker.games.offiziersskat.ui.scene import places, usable
from yawc_poker.games.offiziersskat.ui.screen import FACE
from yawc_poker.table_ui.intents import MakeMove
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.words import LANGUAGES, Language

ASCII = "must_follow.ascii.txt"
SIZES = ((80, 24), (80, 23), (132, 43), (120, 24), (80, 31), (80, 60), (79, 24), (40, 10), (1, 1), (500, 500))


def render(picture: Picture, language: Language) -> Frame:
    instance, who, keys, columns, rows = picture
    return FACE.layout.render(instance.scene(who), instance.local(who, keys, language), words(language), columns, rows)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_a_screen_is_the_golden_one(picture: Callable[[], Picture], language: Language) -> None:
    agrees(drawn(render(picture(), language)), GOLDEN / f"{picture.__name__}.{language}.txt")


def test_a_terminal_with_nothing_but_ascii_shows_it_all() -> None:
    """Through a display and pyte: a VT100 that knows neither colours nor box characters."""
    line, eye = MemoryLine("vt100", "ascii"), Eye(charset="cp437")
    Display(line).draw(render(must_follow(), "en"))
    eye.see(line.take())
    agrees("".join(row.rstrip() + "\n" for row in eye.rows), GOLDEN / ASCII)
    assert (GOLDEN / ASCII).read_bytes().isascii()


def test_there_are_no_other_golden_screens() -> None:
    wanted = {f"{picture.__name__}.{language}.txt" for picture in PICTURES for language in LANGUAGES} | {ASCII}
    assert {path.name for path in GOLDEN.iterdir()} == wanted


def test_a_clock_that_moves_on_leaves_the_rest_of_a_wide_screen() -> None:
    instance = Instance().start().go_on(1, 5)
    who = 101 + (instance.game.current or 0)
    scene = instance.scene(who)
    shown = FACE.layout.render(scene, instance.local(who), EN, 132, 43)
    later = replace(scene, now=scene.now + 53)
    assert but_clock(shown) == but_clock(FACE.layout.render(later, instance.local(who), EN, 132, 43))


@pytest.mark.parametrize("trump", [*Suit, None])
def test_the_trump_stands_between_both_sides_in_the_colour_of_its_suit(trump: Suit | None) -> None:
    instance = Instance().start(trump)
    row = FACE.layout.render(instance.scene(ANNA), instance.local(ANNA), EN, 80, 24).rows[4]
    assert row.text[19:22] == (" J " if trump is None else f" {'-#*+'[trump]} ")
    coloured = {
        Suit.HEARTS: Style.CARD_RED,
        Suit.DIAMONDS: Style.CARD_DIAMONDS,
        Suit.CLUBS: Style.CARD_CLUBS,
        Suit.SPADES: Style.CARD_BLACK,
    }
    assert set(row.styles[19:22]) == {Style.CARD_BLACK if trump is None else coloured[trump]}


def test_a_player_whose_seat_is_empty_for_a_while_keeps_the_name() -> None:
    instance = Instance().start().moves("A+")
    scene = replace(instance.scene(ANNA), people=(), names=("", "Bodo"))
    assert drawn(FACE.layout.render(scene, instance.local(ANNA), EN, 80, 24)).startswith("─ Bodo ─")


def test_a_card_that_may_not_be_played_is_dim_and_has_no_key() -> None:
    frame = render(must_follow(), "en")
    assert [key for key in "12345678" if f"[{key}]" in drawn(frame)] == ["3", "5", "6"]
    top = frame.rows[6]
    assert top.styles[top.text.index("10*")] == Style.DIM
    assert top.styles[top.text.index("9#")] == Style.CARD_RED


@pytest.mark.parametrize(("trump", "told"), [(Suit.SPADES, "Trump spades *   Anna: "), (None, "Grand   Anna: ")])
def test_a_small_window_tells_the_trump(trump: Suit | None, told: str) -> None:
    instance = Instance().start(trump)
    frame = FACE.layout.render(instance.scene(BERT), instance.local(BERT), EN, 70, 20)
    assert any(row.text.startswith(told) for row in frame.rows)


def test_the_chosen_card_is_marked() -> None:
    frame = render(chosen(), "en")
    assert ">8# <" in frame.rows[9].text
    assert "[ENTER] Play 8#" in drawn(frame)


# --- whatever happens -------------------------------------------------------------------------------------------------


@settings(max_examples=sampled(4))
@given(st.integers(0, 2**32), st.sampled_from([*Suit, None]))
def test_random_play_can_always_be_drawn_and_shows_no_covered_card(seed: int, trump: Suit | None) -> None:
    rng, instance = Random(seed), Instance()
    instance.start(trump)
    for _ in range(80):
        draw_for_both(instance, rng)
        instance.moves(str(rng.choice(rules.legal_moves(instance.game, instance.game.current or 0)[0].cards)))
    draw_for_both(instance, rng)


def draw_for_both(instance: Instance, rng: Random) -> None:
    """Draw the table for both in a window and with a key by chance; covered cards change nothing of it."""
    for session in (ANNA, BERT):
        scene, language = instance.scene(session), rng.choice(LANGUAGES)
        local = instance.local(session, rng.choice(["", "t", "x", "."]), language)
        frame = FACE.layout.render(scene, local, words(language), *rng.choice(SIZES))
        assert all(len(row.text) == len(row.styles) == frame.columns for row in frame.rows)
        hidden = replace(instance.table, game=shuffled(instance.game, rng))
        assert FACE.scene(hidden, session, 0, instance.now) == scene


def shuffled(state: State, rng: Random) -> State:
    """Return a state in which the covered cards of both lie otherwise."""
    covered = [place.covered for player in state.players for place in player.places if place.covered is not None]
    rng.shuffle(covered)
    first, second = (
        replace(
            player,
            places=tuple(
                place if place.covered is None else Place(place.open, covered.pop()) for place in player.places
            ),
        )
        for player in state.players
    )
    return replace(state, players=(first, second))


@settings(max_examples=sampled(4))
@given(st.integers(0, 2**32))
def test_every_key_that_is_shown_does_something_and_no_other_changes_the_game(seed: int) -> None:
    rng, instance = Random(seed), Instance()
    instance.start()
    for _ in range(40):
        for session in (ANNA, BERT):
            check_keys(instance, session)
        instance.moves(str(rng.choice(rules.legal_moves(instance.game, instance.game.current or 0)[0].cards)))


def check_keys(instance: Instance, session: int) -> None:
    scene, local = instance.scene(session), instance.local(session)
    offered = usable(scene)
    assert len(set(offered)) == len(offered)
    assert bool(places(scene)) == (scene.turn is not None)
    for key in {*offered, *"0123456789abcdefghijklmnopqrstuvwxyz"} - {"."}:
        after, intent = FACE.press(local, scene, key, EN)
        is_offered = bool({key, key.upper()} & set(offered))
        if isinstance(intent, MakeMove):
            assert is_offered == is_legal(instance.game, session - 101, intent.move), key
        else:
            assert is_offered == (intent is not None or after != local), key


def is_legal(game: State, seat: int, move: Move) -> bool:
    """Return whether a move is; one that is not is refused with a reason that has a sentence of its own."""
    refusal = ""
    try:
        rules.play(game, seat, move, Random(0))
    except IllegalMove as illegal:
        refusal = FACE.refusal(illegal, EN)
    assert refusal != "That is not possible now."
    return not refusal
