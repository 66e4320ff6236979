"""The positions of a finished game are those that its table had: each seat sees there what its screen showed then.

Random tables, to which people and house players come and go (`test_conformance.Company`): what each seat and an
on-looker saw behind each action, and which rows they read by it, is compared with the game played again.
"""

from random import Random
from typing import Generic

import msgspec
import pytest
from msgspec.structs import replace

from tests.engine.test_conformance import Company
from tests.rows.test_rows import DOPPELKOPF, MAUMAU, OFFIZIERSSKAT, POKER, Subject
from tests.thoroughness import SOAK
from yawc_poker.engine import sealing
from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.replay import Position, positions
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import AWAY, Table, seated
from yawc_poker.table_ui.scene import NO_SEAT, ONLOOKER, LocalT, Scene


class Saw(msgspec.Struct, Generic[ViewT, EventT], frozen=True):
    """What somebody saw behind an action."""

    scene: Scene[ViewT]
    events: tuple[EventT, ...]
    """The game's own that they read by it, and by those before it since they looked last."""


def bare(scene: Scene[ViewT]) -> Scene[ViewT]:
    """Return a scene without what is no part of a game: clocks, who is here, options of games to come."""
    people = tuple(replace(person, absent=None) for person in scene.people)
    return replace(
        scene, people=people, deadline=None, pause_until=0.0, waiting=0, now=0.0, options="", sits_out=False, out=0
    )


def sessions(table: Table[StateT, EventT]) -> dict[int, int]:
    """Return the sessions of those who look, by seat."""
    found = {seat: who.session for seat, who in enumerate(table.seats) if who is not None and who.session != AWAY}
    return {NO_SEAT: ONLOOKER, **found}


class Witnessed(Company[StateT, MoveT, EventT, OptionsT], Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A table whose seats look after each action, and compare that with the game played again."""

    def __init__(self, subject: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], rng: Random) -> None:
        super().__init__(subject.adapter, rng)
        self.face = subject.face
        self.saw: dict[int, dict[int, Saw[ViewT, EventT]]] = {}
        """By the number of the action, and by seat."""
        self.read = 0
        self.compared = 0

    def events(self, table: Table[StateT, EventT], session: int, since: int) -> tuple[EventT, ...]:
        found = read_log(table, self.game, session, since)
        return tuple(entry.event for entry in found if not isinstance(entry.event, Notice))

    def look(self, table: Table[StateT, EventT], since: int) -> dict[int, Saw[ViewT, EventT]]:
        return {
            seat: Saw(bare(self.face.scene(table, session, 0, 0.0)), self.events(table, session, since))
            for seat, session in sessions(table).items()
        }

    def keep_actions(self) -> None:
        known = len(self.actions)
        super().keep_actions()
        if self.table.game is None:
            self.saw = {}
        elif len(self.actions) > known:
            self.saw[self.actions[-1].number] = self.look(self.table, self.read)
        self.read = self.table.logged

    def replay(self) -> None:
        super().replay()
        book = self.table.transcript
        assert book is not None
        assert book.deck is not None
        found = list(
            positions(self.game, sealing.dealing(book.deck, book.words), self.actions, number=self.table.number)
        )
        assert found[-1].table.game == self.table.game
        assert found[-1].table.due == self.table.due
        assert found[-1].table.points == self.table.points
        logged, first = 0, found[0].table.game
        if first is None or self.game.is_over(first):
            return  # over at its deal, after which nothing is written down: not even who sits beside it
        for position in found:
            if (saw := self.saw.get(position.action.number)) is not None:
                self.compare(position, saw, logged)
                logged = position.table.logged
        self.saw = {}

    def compare(self, position: Position[StateT, EventT], saw: dict[int, Saw[ViewT, EventT]], since: int) -> None:
        shown = self.look(position.table, since)
        assert shown.keys() == saw.keys()
        for seat, one in saw.items():
            assert shown[seat].scene == one.scene, (position.action, seat)
            assert shown[seat].events == one.events, (position.action, seat)
            self.compared += 1


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(POKER, id="poker"),
        pytest.param(MAUMAU, id="maumau"),
        pytest.param(DOPPELKOPF, id="doppelkopf"),
        pytest.param(OFFIZIERSSKAT, id="offiziersskat"),
    ],
)
def test_positions_are_those_that_each_seat_saw(
    game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
    compared, seen = 0, set[str]()
    for seed in range(game.seeds * (10 if SOAK else 1)):
        rng = Random(seed)
        company = Witnessed(game, rng)
        for _ in range(game.steps):
            if rng.random() < game.unrest or len(seated(company.table)) < company.game.FEWEST:
                company.step()
            else:
                company.go_on()
        compared += company.compared
        seen |= company.seen
    assert compared > 1000
    assert seen >= {"finished", "leave"}
