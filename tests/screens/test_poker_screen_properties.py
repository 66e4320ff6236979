"""The poker screen of any scene: a full frame, and no hidden card."""

import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.screens.golden import drawn
from tests.screens.poker_pictures import EN, Instance
from tests.thoroughness import sampled
from yawc_poker.cards import Card, Rank, deck
from yawc_poker.catalogues import words
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet, Fold, MayBet, MayFold, MaySwap, Move, Opponent, Show, State, Swap, View
from yawc_poker.games.poker.ui.scene import Local, Scene
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.table_ui.guide import SealLine, laid_over
from yawc_poker.table_ui.scene import Ahead, Occupant
from yawc_poker.table_ui.screen import is_narrow, is_too_small
from yawc_poker.table_ui.screen import size as table_size
from yawc_poker.terminal.keys import BACKSPACE, ENTER, ESCAPE, LineEditor
from yawc_poker.terminal.text import is_harmless
from yawc_poker.words import LANGUAGES, Language

ANY_CARD = st.sampled_from(deck(Rank))
ANY_HAND = st.none() | st.lists(ANY_CARD, max_size=7).map(tuple)
ANY_NAME = st.text(max_size=25)
ANY_NUMBER = st.integers(-(2**40), 2**40)
ANY_TIME = st.floats(-1e6, 1e9)
ANY_VIEW = st.builds(
    View,
    seat=st.integers(0, 4),
    phase=st.sampled_from(["bet", "swap", "showdown", "over"]),
    round=st.sampled_from([1, 2, 3, 32699]),
    master=st.integers(0, 4),
    current=st.none() | st.integers(0, 4),
    pot=ANY_NUMBER,
    hand=ANY_HAND,
    shown=st.booleans(),
    opponents=st.lists(st.builds(Opponent, st.integers(0, 4), st.booleans(), ANY_HAND), max_size=5).map(tuple),
    low=ANY_NUMBER,
    high=ANY_NUMBER,
    winner=st.none() | st.integers(0, 4),
    showdown=st.booleans(),
)
ANY_SCENE = st.builds(
    Scene,
    seat=st.integers(0, 4),
    name=ANY_NAME,
    cash=ANY_NUMBER,
    people=st.lists(st.builds(Occupant, st.integers(0, 4), ANY_NAME), max_size=4).map(tuple),
    master=ANY_NAME,
    current=st.none() | ANY_NAME,
    pot=st.none() | ANY_NUMBER,
    game=st.none() | ANY_VIEW,
    running=st.booleans(),
    is_master=st.booleans(),
    deadline=st.none() | ANY_TIME,
    pause_until=ANY_TIME,
    waiting=st.integers(0, 2**40),
    now=ANY_TIME,
    turn=st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)),
    number=st.integers(0, 2),
)
ANY_LOCAL = st.builds(
    Local,
    mode=st.sampled_from(["menu", "bet", "see", "pass", "leave", "chat"]),
    editor=st.builds(LineEditor, text=st.text(max_size=90)),
    marks=st.lists(st.integers(0, 4), max_size=5, unique=True).map(tuple),
    notice=st.text(max_size=300),
    waits=st.booleans(),
    ahead=st.none() | st.builds(Ahead, st.sampled_from("PDR"), st.integers(0, 2), st.sampled_from(["bet 1", "swap 2"])),
)
ANY_KEY = st.sampled_from([*".xsbphdr12345jy0", ENTER, ESCAPE, BACKSPACE, "KEY_LEFT"]) | st.characters()
SIZES = st.sampled_from([(80, 24), (80, 24), (132, 50), (1, 1), (79, 24), (80, 23)]) | st.tuples(
    st.integers(1, 140), st.integers(1, 60)
)


@settings(max_examples=sampled(150))
@given(ANY_SCENE, ANY_LOCAL, SIZES, st.sampled_from(LANGUAGES), st.lists(ANY_KEY, max_size=6))
def test_any_scene_gives_a_full_frame(
    scene: Scene, local: Local, size: tuple[int, int], language: Language, keys: list[str]
) -> None:
    for key in keys:
        local, _ = FACE.press(local, scene, key, words(language))
    frame = FACE.layout.render(scene, local, words(language), *size)
    most = 48 if is_narrow(*size) else 24
    columns, rows = (min(size[0], 80), min(size[1], most)) if is_too_small(*size) else table_size(*size)
    assert (frame.columns, len(frame.rows)) == (columns, min(rows, size[1]))
    told = SealLine("Next seal", "f" * 64)
    helped = laid_over(frame, FACE.full_guide(scene, local, words(language)), told, words(language))
    assert (helped.columns, len(helped.rows)) == (frame.columns, len(frame.rows))
    for row in frame.rows:
        assert len(row.text) == len(row.styles) == frame.columns
        assert is_harmless(row.text)
    if size == (80, 24):
        assert frame.rows[23].text[79] == " "
        assert {row.text[40] for row in frame.rows[:11]} <= set("┬│┼")
    if size[0] >= 80 and size[1] >= 24 and frame.cursor is not None:
        assert frame.cursor[0] < 80
        assert frame.cursor[1] in {7, 23}


def some_move(choice: object, rng: random.Random) -> Move:
    match choice:
        case MayBet(low=low, high=high, see=see):
            return Bet(rng.randint(low, min(high, low + 3)), see=see and rng.random() < 0.3)
        case MayFold():
            return Fold()
        case MaySwap(most=most):
            return Swap(tuple(rng.sample(range(5), rng.randint(0, most))))
    return Show()


def hidden_from(state: State, seat: int) -> list[Card]:
    own = state.players[seat]
    others = [player for at, player in enumerate(state.players) if at != seat and player is not None]
    kept = [card for player in others if not player.shown for card in player.hand]
    assert not set(kept) & set(own.hand if own is not None else ())
    return [*kept, *state.stock]


@settings(max_examples=sampled(25))
@given(st.randoms(use_true_random=False), st.integers(2, 5))
def test_hidden_cards_never_show(rng: random.Random, people: int) -> None:
    instance = Instance(people, cash=60)
    instance.rng = rng
    instance.start()
    for _ in range(40):
        state = instance.table.game
        assert state is not None
        for seat in range(people):
            session = 101 + seat
            frame = FACE.layout.render(instance.scene(session), instance.local(session), EN, 80, 24)
            text = drawn(frame)
            assert [
                card for card in hidden_from(state, seat) if re.search(rf"(?<!\d){re.escape(str(card))}", text)
            ] == []
        if state.current is None:
            break
        choices = rules.legal_moves(state, state.current)
        instance.play(some_move(choices[0] if rng.random() < 0.9 else choices[-1], rng))
