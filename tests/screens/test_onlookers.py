"""The screen of those who look on, in every game: the golden one, nothing hidden, and who is named as looking on."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple, cast

import pytest
from msgspec.structs import replace

from tests.engine.adapters import (
    DOPPELKOPF_ADAPTER,
    HIGHEST_ADAPTER,
    MAUMAU_ADAPTER,
    OFFIZIERSSKAT_ADAPTER,
    POKER_ADAPTER,
    Adapter,
)
from tests.engine.test_conformance import CLOCKS, cash_of, table_of, with_other_secrets
from tests.made_up_game.game import HIGHEST
from tests.screens import doppelkopf_pictures, maumau_pictures, offiziersskat_pictures, poker_pictures
from tests.screens.golden import agrees, drawn
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import AnyTable, Table
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.maumau.game import MAUMAU
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.poker.game import POKER
from yawc_poker.session.table.render_cache import SceneCache
from yawc_poker.table_ui.definition import Definition, plain
from yawc_poker.table_ui.onlookers import called, changes, watching
from yawc_poker.table_ui.scene import ONLOOKER, LocalT
from yawc_poker.terminal.frame import Frame
from yawc_poker.words import LANGUAGES, Language

GOLDEN = Path(__file__).parent / "golden_onlookers"
WINDOWS = ((80, 24), (132, 43))
WATCHING = ("Dora", "Emil", "Zoe")


def frame_of(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    table: Table[StateT, EventT],
    usual: OptionsT,
    now: float,
    language: Language = "en",
    size: tuple[int, int] = (80, 24),
    keys: str = "S,",
) -> Frame:
    """Return what somebody sees who has just come to look on."""
    speech = words(language)
    seen = game.face.scene(table, ONLOOKER, 0, now)
    seen = replace(seen, name=called("Dora", speech), watching=WATCHING)
    local = game.face.follow(game.face.hear(game.face.fresh(usual), table.log, ONLOOKER, speech), seen)
    return game.face.layout.render(seen, replace(local, house=keys), speech, *size)


# --- golden screens ---------------------------------------------------------------------------------------------------


class Picture(NamedTuple):
    """A table as somebody sees it who looks on."""

    name: str
    draw: Callable[[Language, tuple[int, int]], Frame]


def poker(name: str, made: Callable[[], poker_pictures.Picture]) -> Picture:
    instance = made()[0]
    options = POKER_ADAPTER.options
    return Picture(name, lambda language, size: frame_of(POKER, instance.table, options, instance.now, language, size))


def full_poker() -> poker_pictures.Picture:
    return poker_pictures.round_1_own_turn()


def maumau(name: str, made: Callable[[], tuple[maumau_pictures.Instance, int, str]]) -> Picture:
    instance, options = made()[0], MAUMAU_ADAPTER.options
    return Picture(name, lambda language, size: frame_of(MAUMAU, instance.table, options, instance.now, language, size))


def doppelkopf(name: str, made: Callable[[], doppelkopf_pictures.Picture]) -> Picture:
    instance, options = made().instance, DOPPELKOPF_ADAPTER.options
    return Picture(
        name, lambda language, size: frame_of(DOPPELKOPF, instance.table, options, instance.now, language, size)
    )


def offiziersskat(name: str, made: Callable[[], offiziersskat_pictures.Picture]) -> Picture:
    instance, options = made().instance, OFFIZIERSSKAT_ADAPTER.options
    return Picture(
        name, lambda language, size: frame_of(OFFIZIERSSKAT, instance.table, options, instance.now, language, size)
    )


PICTURES = (
    poker("poker_before_a_game", poker_pictures.master_before_a_game),
    poker("poker_full_table", full_poker),
    poker("poker_showdown", poker_pictures.showdown_own_turn),
    maumau("maumau_running", maumau_pictures.own_turn),
    doppelkopf("doppelkopf_waits", doppelkopf_pictures.two_wait),
    doppelkopf("doppelkopf_trick", doppelkopf_pictures.trick),
    offiziersskat("offiziersskat_running", offiziersskat_pictures.trick_taken),
)


def file_of(picture: Picture, language: Language, size: tuple[int, int]) -> Path:
    window = "" if size == WINDOWS[0] else f".{size[0]}x{size[1]}"
    return GOLDEN / f"{picture.name}{window}.{language}.txt"


SHOWN = [(language, WINDOWS[0]) for language in LANGUAGES] + [("en", WINDOWS[1])]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: str(picture.name))
def test_a_screen_is_the_golden_one(picture: Picture) -> None:
    for language in LANGUAGES:
        agrees(drawn(picture.draw(language, WINDOWS[0])), file_of(picture, language, WINDOWS[0]))
    agrees(drawn(picture.draw("en", WINDOWS[1])), file_of(picture, "en", WINDOWS[1]))


def test_every_golden_file_belongs_to_a_screen() -> None:
    wanted = {file_of(picture, language, WINDOWS[0]) for picture in PICTURES for language in LANGUAGES}
    assert set(GOLDEN.iterdir()) == wanted | {file_of(picture, "en", WINDOWS[1]) for picture in PICTURES}


# --- nothing hidden ---------------------------------------------------------------------------------------------------


def check_nothing_hidden(
    adapter: Adapter[StateT, MoveT, EventT, OptionsT],
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
    """Play at random; at each state change all that is hidden from everybody: not a cell of the screen may change."""
    rules, differ = adapter.game, 0
    for seed in range(6):
        rng = Random(seed)
        table = table_of(adapter, rng)
        for _ in range(12):
            if table.game is None or rules.is_over(table.game):
                break
            other = with_other_secrets(adapter, table, None, rng)
            differ += other != table
            size = WINDOWS[seed % 2]
            assert frame_of(game, other, adapter.options, 0.0, size=size) == frame_of(
                game, table, adapter.options, 0.0, size=size
            )
            mover = rules.to_move(table.game)
            assert mover is not None
            move = adapter.pick(rules.legal_moves(table.game, mover)[0], rng)
            table = tables.play(table, rules, 10 + mover, move, cash_of(table), rng, 0.0, CLOCKS).table
    assert differ


@pytest.mark.parametrize(
    "check",
    [
        lambda: check_nothing_hidden(POKER_ADAPTER, POKER),
        lambda: check_nothing_hidden(MAUMAU_ADAPTER, MAUMAU),
        lambda: check_nothing_hidden(DOPPELKOPF_ADAPTER, DOPPELKOPF),
        lambda: check_nothing_hidden(OFFIZIERSSKAT_ADAPTER, OFFIZIERSSKAT),
        lambda: check_nothing_hidden(HIGHEST_ADAPTER, HIGHEST),
    ],
    ids=["poker", "maumau", "doppelkopf", "offiziersskat", "highest"],
)
def test_the_screen_depends_on_nothing_hidden(check: Callable[[], None]) -> None:
    check()


def test_no_key_of_play_is_shown_and_none_asks_for_a_move() -> None:
    instance = poker_pictures.round_1_own_turn()[0]
    speech, face = words("en"), POKER.face
    seen = replace(face.scene(instance.table, ONLOOKER, 0, instance.now), name="Dora, watching")
    local = face.follow(face.fresh(POKER_ADAPTER.options), seen)
    assert "[B]" not in drawn(face.layout.render(seen, local, speech, 80, 24))
    for key in "sbphdr12345y\r":
        local, intent = face.press(local, seen, key, speech)
        assert (local.mode, intent) == ("menu", None)


# --- who looks on -----------------------------------------------------------------------------------------------------


def test_those_who_look_on_are_named_as_far_as_there_is_room() -> None:
    speech = words("en")
    assert watching((), 60, speech) == ""
    assert watching(("Dora", "Emil"), 60, speech) == "Watching: Dora, Emil"
    many = tuple(f"Somebody {number}" for number in range(20))
    text = watching(many, 60, speech)
    assert len(text) <= 60
    assert text == "Watching: Somebody 0, Somebody 1, Somebody 2 and 17 more"


def test_comings_and_goings_are_told() -> None:
    speech = words("en")
    assert changes(("Dora",), ("Dora", "Emil"), speech) == ["Emil is watching."]
    assert changes(("Dora", "Emil"), ("Emil",), speech) == ["Dora is not watching any more."]
    assert changes((), ("A", "B", "C", "D"), speech) == ["Watching: A, B, C, D"]
    assert changes(("A", "B", "C", "D"), (), speech) == ["Nobody is watching any more."]


def test_one_who_comes_and_goes_all_the_time_is_told_a_few_times_a_minute() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    scenes = SceneCache(plain(POKER).face, who, cast(AnyTable, instance.table))
    speech = words("en")

    def told(now: float) -> list[str]:
        names = () if scenes.watching else ("Dora",)
        return scenes.show_onlookers(names, speech, now)

    assert told(0.0) == ["Dora is watching."]
    assert told(1.0) == ["Dora is not watching any more."]
    assert [bool(told(2.0 + turn)) for turn in range(8)] == [True] * 4 + [False] * 4
    assert told(59.9) == []
    assert told(60.5) == ["Dora is not watching any more."]
    assert told(60.6) == []


def test_those_who_sit_read_who_looks_on_in_the_lower_line() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    seen = replace(instance.scene(who), watching=("Dora", "Emil"))
    frame = POKER.face.layout.render(seen, instance.local(who), words("en"), 80, 24)
    assert "Watching: Dora, Emil" in frame.rows[22].text
    small = POKER.face.layout.render(seen, instance.local(who), words("en"), 40, 20)
    assert "Watching: Dora, Emil" in drawn(small)
