"""Who sits out reads so as long as it lasts, in all games: on the screen, in a small window, and in lines."""

from random import Random
from typing import Generic

import pytest
from msgspec.structs import replace

from yawc_poker.catalogues import words
from yawc_poker.engine import absence
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import Clocks, Seat, Table, seated
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.maumau.game import MAUMAU
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.poker.game import POKER
from yawc_poker.registry.games import DEFAULTS, GAMES
from yawc_poker.table_ui.definition import Definition
from yawc_poker.table_ui.linear import Moment, Told, known, news, state
from yawc_poker.table_ui.scene import LocalT, Scene
from yawc_poker.terminal.frame import Frame

EN = words("en")
CLOCKS = Clocks()
TEXT = "You sit out"
SLEEPER = 1
"""The seat, and one less than the session, of who sleeps."""

games = pytest.mark.parametrize("game", [POKER, MAUMAU, DOPPELKOPF, OFFIZIERSSKAT], ids=lambda one: one.rules.KIND)


def test_these_are_all_games() -> None:
    assert {one.kind for one in GAMES} == {one.rules.KIND for one in (POKER, MAUMAU, DOPPELKOPF, OFFIZIERSSKAT)}


class Caller(Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A table at which the second person sleeps, as they see it."""

    def __init__(self, game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], people: int) -> None:
        self.game = game
        self.usual = game.options(DEFAULTS)
        self.table: Table[StateT, EventT] = tables.empty(game.rules)
        for session in range(1, people + 1):
            person = Seat(session, session, f"P{session}", 1000)
            self.table = tables.sit(self.table, game.rules, person, 0.0, CLOCKS)
        sleeper = self.table.seats[SLEEPER]
        assert sleeper is not None
        seats = (*self.table.seats[:SLEEPER], replace(sleeper, missed=2), *self.table.seats[SLEEPER + 1 :])
        self.table = replace(self.table, seats=seats)
        self.local = game.face.fresh(self.usual)
        self.told = Told()

    def start(self) -> None:
        cash = dict.fromkeys(seated(self.table), 1000)
        started = tables.start(self.table, self.game.rules, 1, cash, Random(3), 0.0, self.usual, CLOCKS)
        self.table = started.table

    def expire(self) -> None:
        assert self.table.deadline is not None
        cash = dict.fromkeys(seated(self.table), 900)
        change = tables.expire(self.table, self.game.rules, self.table.deadline, Random(3), cash, CLOCKS)
        assert change is not None
        self.table = change.table

    def wake(self) -> None:
        self.table = absence.wake(self.table, SLEEPER + 1, 1.0, CLOCKS)

    def looks(self) -> Scene[ViewT]:
        """Take over the table, as after each commit."""
        scene = self.game.face.scene(self.table, SLEEPER + 1, 0, 100.0)
        self.local = self.game.face.hear(self.local, self.table.log, SLEEPER + 1, EN)
        self.local = self.game.face.follow(self.local, scene)
        return scene

    def drawn(self, columns: int = 80, rows: int = 24) -> Frame:
        return self.game.face.layout.render(self.looks(), self.local, EN, columns, rows)

    def hears(self) -> tuple[str, ...]:
        scene = self.looks()
        moment = Moment(self.game.face.layout.small(scene, self.local, EN))
        self.told, new = news(self.told, scene, self.local, EN, moment)
        return (*new.said, *new.asked)


def places(frame: Frame) -> tuple[bool, bool]:
    """Return whether regions 3 and 4 say that one sits out."""
    rows = [row.text for row in frame.rows[6:11]]
    return any(TEXT in row[:40] for row in rows), any(TEXT in row[40:] for row in rows)


@games
def test_who_sits_out_reads_so_between_games_until_a_key(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
    caller = Caller(game, 2)
    for text in ("hello", "somebody there?", "well"):
        assert places(caller.drawn()) == (True, True)
        assert any(TEXT in row.text for row in caller.drawn(60, 14).rows)
        caller.table = tables.chat(caller.table, 1, text)
    caller.wake()
    assert places(caller.drawn()) == (False, False)
    assert not any(TEXT in row.text for row in caller.drawn(60, 14).rows)


@pytest.mark.parametrize("game", [POKER, MAUMAU], ids=lambda one: one.rules.KIND)
def test_who_sits_out_of_a_game_reads_so_instead_of_when_they_can_play(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
    caller = Caller(game, 4)
    caller.start()
    for _ in range(2):
        frame = caller.drawn()
        assert places(frame) == (True, True)
        assert not any("You can play in" in row.text for row in frame.rows)
        caller.expire()
    caller.wake()
    frame = caller.drawn()
    assert places(frame) == (False, False)
    assert any("You can play in" in row.text for row in frame.rows)


@games
def test_who_has_withheld_a_text_reads_for_how_many_games(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
    """No key brings them back, and they cannot play in the next game."""
    caller, text = Caller(game, 2), "You sit out 2 more games."
    withholder = caller.table.seats[SLEEPER]
    assert withholder is not None
    barred = replace(withholder, missed=0, out=2)
    caller.table = replace(caller.table, seats=(caller.table.seats[0], barred, *caller.table.seats[2:]))
    assert any(text in row.text[:40] for row in caller.drawn().rows[6:11])
    scene = caller.looks()
    assert text in state(scene, EN, Moment(game.face.layout.small(scene, caller.local, EN)), ())
    assert not any("Any key" in row.text for row in caller.drawn().rows)


def test_who_has_withheld_a_text_does_not_read_that_they_can_play_next() -> None:
    caller = Caller(POKER, 4)
    withholder = caller.table.seats[SLEEPER]
    assert withholder is not None
    barred = replace(withholder, missed=0, out=2)
    caller.table = replace(caller.table, seats=(caller.table.seats[0], barred, *caller.table.seats[2:]))
    caller.start()
    text = "\n".join(row.text for row in caller.drawn().rows)
    assert "You sit out" in text
    assert "You can play in" not in text


def test_a_sleeper_s_own_cards_are_not_hidden_by_it() -> None:
    caller = Caller(POKER, 3)
    caller.wake()
    caller.start()
    before = [row.text[:40] for row in caller.drawn().rows[6:11]]
    sleeper = caller.table.seats[SLEEPER]
    assert sleeper is not None
    caller.table = replace(
        caller.table, seats=(caller.table.seats[0], replace(sleeper, missed=2), *caller.table.seats[2:])
    )
    frame = caller.drawn()
    assert [row.text[:40] for row in frame.rows[6:11]] == before
    assert places(frame) == (False, True)


@games
def test_in_lines_it_is_told_once_and_by_the_state_as_long_as_it_lasts(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
    caller = Caller(game, 2)
    assert [line for line in caller.hears() if TEXT in line] == [
        "You sit out: your time ran out. Any key brings you back."
    ]
    caller.table = tables.chat(caller.table, 1, "hello")
    assert not any(TEXT in line for line in caller.hears())
    for sleeps in (True, False):
        scene = caller.looks()
        moment = Moment(game.face.layout.small(scene, caller.local, EN))
        assert any(TEXT in line for line in state(scene, EN, moment, ())) == sleeps
        assert known(scene).sits_out == sleeps
        caller.wake()
    assert not any(TEXT in line for line in caller.hears())
