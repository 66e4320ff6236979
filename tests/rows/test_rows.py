"""From a seat's rows alone follows all that its scene shows, in every registered game; and nothing else does.

Random tables, to which people and house players come and go (`test_conformance.Company`): each seat's reader and an
on-looker's must know, after every change, what a look at the table shows. A reader who is kept from one kind of row does
not, or that kind would tell nothing.
"""

import typing
from collections.abc import Callable
from random import Random
from typing import Generic, NamedTuple

import pytest

from tests.engine.adapters import DOPPELKOPF_ADAPTER, MAUMAU_ADAPTER, OFFIZIERSSKAT_ADAPTER, POKER_ADAPTER, Adapter
from tests.engine.test_conformance import Company
from tests.rows.doppelkopf import Doppelkopf
from tests.rows.knowledge import Knowledge, Known, seen
from tests.rows.maumau import MauMau
from tests.rows.offiziersskat import Offiziersskat
from tests.rows.poker import Poker
from yawc_poker.engine import events
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import AWAY, LogEntry
from yawc_poker.games.doppelkopf import events as doppelkopf
from yawc_poker.games.doppelkopf.ui.screen import FACE as DOPPELKOPF_FACE
from yawc_poker.games.maumau import model as maumau
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU_FACE
from yawc_poker.games.offiziersskat import model as offiziersskat
from yawc_poker.games.offiziersskat.ui.screen import FACE as OFFIZIERSSKAT_FACE
from yawc_poker.games.poker import model as poker
from yawc_poker.games.poker.ui.screen import FACE as POKER_FACE
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.rows import Asked, Missed, Owns, Read, Row, rows
from yawc_poker.table_ui.scene import ONLOOKER, LocalT


class Tested(NamedTuple, Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game, and what is known of it."""

    adapter: Adapter[StateT, MoveT, EventT, OptionsT]
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]
    knowledge: Callable[[int], Knowledge[ViewT, EventT]]


POKER = Tested(POKER_ADAPTER, POKER_FACE, Poker)
MAUMAU = Tested(MAUMAU_ADAPTER, MAUMAU_FACE, MauMau)
DOPPELKOPF = Tested(DOPPELKOPF_ADAPTER, DOPPELKOPF_FACE, Doppelkopf)
OFFIZIERSSKAT = Tested(OFFIZIERSSKAT_ADAPTER, OFFIZIERSSKAT_FACE, Offiziersskat)


class Reader(Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A session that reads a table's rows."""

    def __init__(
        self,
        game: Tested[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
        session: int,
        dropped: type | None,
    ) -> None:
        self.game, self.session, self.dropped = game, session, dropped
        self.read = Read()
        self.known: Known[ViewT, EventT] | None = None

    def look(self, company: Company[StateT, MoveT, EventT, OptionsT]) -> list[Row[EventT]]:
        """Read what is new, check that all is known by it that a look shows, and return it."""
        face, table = self.game.face, company.table
        scene = face.scene(table, self.session, 0, company.now)
        self.read, new = rows(face, table, self.session, scene, self.read)
        if self.known is None or any(isinstance(row, Missed) for row in new):
            self.known = self.known or Known(self.game.knowledge(scene.seat), scene.seat)
            self.known.look(scene)
            new = tuple(row for row in new if not isinstance(row, LogEntry))
        for row in new:
            if kind(row) is not self.dropped:
                self.known.learn(row)
        assert self.known.shown == seen(self.game.knowledge(scene.seat), scene, face.usable(scene))
        assert face.usable(scene) == () or self.known.asked is not None
        return list(new)


def kind(row: object) -> type:
    return type(row.event) if isinstance(row, LogEntry) else type(row)


def play(
    game: Tested[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], seed: int, steps: int, dropped: type | None = None
) -> set[type]:
    """Let a table play, everybody reading; return the kinds of rows that there were."""
    rng = Random(seed)
    company = Company(game.adapter, rng)
    readers = {ONLOOKER: Reader(game, ONLOOKER, dropped)}
    kinds: set[type] = set()
    for _ in range(steps):
        if rng.random() < 0.25:
            company.step()
        else:
            company.go_on()
        here = {who.session for who in company.table.seats if who is not None and who.session != AWAY}
        readers = {session: readers.get(session) or Reader(game, session, dropped) for session in (*here, ONLOOKER)}
        for session in sorted(readers):
            if rng.random() < 0.8:  # others skip a commit
                kinds |= {kind(row) for row in readers[session].look(company)}
    return kinds


EACH = {events.SatDown, events.Left, events.Removed, events.NewMaster, events.Started, Asked, Owns}
TESTED = [
    pytest.param(POKER, typing.get_args(poker.Event), id="poker"),
    pytest.param(MAUMAU, typing.get_args(maumau.Event), id="maumau"),
    pytest.param(DOPPELKOPF, typing.get_args(doppelkopf.Event), id="doppelkopf"),
    pytest.param(OFFIZIERSSKAT, typing.get_args(offiziersskat.Event), id="offiziersskat"),
]


@pytest.mark.parametrize(("game", "kinds"), TESTED)
def test_rows_tell_all_that_a_scene_shows(
    game: Tested[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], kinds: tuple[type, ...]
) -> None:
    found: set[type] = set()
    for seed in range(40):
        found |= play(game, seed, 150)
    assert found >= EACH | set(kinds)


NOTHING_NEW = {
    poker.SwapMissed,
    maumau.Skipped,
    maumau.RoundOver,
    maumau.Lost,
    maumau.Won,
    maumau.GaveUp,
    doppelkopf.Settled,
    offiziersskat.RoundOver,
}
"""Kinds that tell how something came about, and nothing else: what they change, a scene does not show."""


@pytest.mark.parametrize(("game", "kinds"), TESTED)
def test_no_kind_of_row_may_be_missing(
    game: Tested[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], kinds: tuple[type, ...]
) -> None:
    for dropped in sorted({*EACH, *kinds} - NOTHING_NEW, key=lambda one: one.__name__):
        with pytest.raises(AssertionError):
            for seed in range(40):
                play(game, seed, 150, dropped)
            pytest.fail(f"nobody misses a {dropped.__name__}", pytrace=False)
