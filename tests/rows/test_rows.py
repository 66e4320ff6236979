"""From a seat's rows alone follows all that its scene shows, in every registered game; and nothing else does.

Random tables, to which people and house players come and go (`test_conformance.Company`): each seat's reader and an
on-looker's must know, after every change, what a look at the table shows. A reader who is kept from one kind of row
does not, or that kind would tell nothing.
"""

import typing
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from random import Random
from typing import Generic, NamedTuple

import msgspec
import pytest

from tests.engine.adapters import DOPPELKOPF_ADAPTER, MAUMAU_ADAPTER, OFFIZIERSSKAT_ADAPTER, POKER_ADAPTER, Adapter
from tests.engine.test_conformance import Company, cash_of
from tests.rows.doppelkopf import Doppelkopf
from tests.rows.knowledge import Knowledge, Known, seen
from tests.rows.maumau import MauMau
from tests.rows.offiziersskat import Offiziersskat
from tests.rows.poker import Poker
from tests.thoroughness import SOAK
from yawc_poker.cards import Card, Rank
from yawc_poker.engine import events
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import AWAY, LogEntry, seat_of, seated
from yawc_poker.games.doppelkopf import events as doppelkopf
from yawc_poker.games.doppelkopf import model as doppelkopf_moves
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


class Subject(NamedTuple, Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game, and what is known of it."""

    adapter: Adapter[StateT, MoveT, EventT, OptionsT]
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]
    knowledge: Callable[[int], Knowledge[ViewT, EventT]]
    seeds: int = 40
    steps: int = 150
    unrest: float = 0.25
    """How often somebody comes or goes, rather than plays."""


def keep_jacks(choice: object, rng: Random) -> maumau.Move:
    """Lay jacks last, so that a hand of jacks is laid at once now and then."""
    if isinstance(choice, maumau.MayPlay):
        others = tuple(card for card in choice.cards if card.rank != Rank.JACK)
        return maumau.PlayCard(rng.choice(others or choice.cards))
    return MAUMAU_ADAPTER.pick(choice, rng)


def reserve(choice: object, rng: Random) -> doppelkopf_moves.Move:
    """Make reservations often, so that there are weddings."""
    if isinstance(choice, doppelkopf_moves.MayReserve) and rng.random() < 0.4:
        return doppelkopf_moves.Reserve()
    return DOPPELKOPF_ADAPTER.pick(choice, rng)


def stay_healthy(choice: object, rng: Random) -> doppelkopf_moves.Move:
    """Make no reservations, so that solos are forced at last."""
    is_asked = isinstance(choice, doppelkopf_moves.MayReserve)
    return doppelkopf_moves.Healthy() if is_asked else DOPPELKOPF_ADAPTER.pick(choice, rng)


POKER = Subject(POKER_ADAPTER, POKER_FACE, Poker)
MAUMAU = Subject(replace(MAUMAU_ADAPTER, pick=keep_jacks), MAUMAU_FACE, MauMau, steps=300, unrest=0.1)
MATCH = doppelkopf_moves.Options(rounds=2, cubes=5)
DOPPELKOPF = Subject(
    replace(DOPPELKOPF_ADAPTER, options=MATCH, pick=reserve), DOPPELKOPF_FACE, Doppelkopf, 12, 400, unrest=0.03
)
OFFIZIERSSKAT = Subject(OFFIZIERSSKAT_ADAPTER, OFFIZIERSSKAT_FACE, Offiziersskat, unrest=0.1)
ONE_ROUND = OFFIZIERSSKAT._replace(
    adapter=replace(OFFIZIERSSKAT_ADAPTER, options=offiziersskat.Options(target=1)), steps=400
)
TOURNAMENT = DOPPELKOPF._replace(
    adapter=replace(DOPPELKOPF_ADAPTER, options=doppelkopf_moves.Options(tournament=True), pick=stay_healthy),
    steps=1600,
    unrest=0.0,
)


class Reader(Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A session that reads a table's rows."""

    def __init__(
        self,
        game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
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
            if kind_of(row) is not self.dropped:
                self.known.learn(row)
        assert self.known.shown == seen(self.game.knowledge(scene.seat), scene, face.usable(scene))
        assert face.usable(scene) == () or self.known.asked is not None
        return list(new)


def kind_of(row: object) -> type:
    return type(row.event) if isinstance(row, LogEntry) else type(row)


def play(
    game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], seed: int, dropped: type | None = None
) -> set[type]:
    """Let a table play, everybody reading; return the kinds of rows that there were."""
    rng = Random(seed)
    company = Company(game.adapter, rng)
    readers = {ONLOOKER: Reader(game, ONLOOKER, dropped)}
    kinds: set[type] = set()
    for _ in range(game.steps):
        if rng.random() < game.unrest or len(seated(company.table)) < company.game.FEWEST:
            company.step()
        else:
            company.go_on()
        here = {who.session for who in company.table.seats if who is not None and who.session != AWAY}
        if here and rng.random() < 0.02:
            grant(company, rng.choice(sorted(here)))
        readers = {session: readers.get(session) or Reader(game, session, dropped) for session in (*here, ONLOOKER)}
        for session in sorted(readers):
            if rng.random() < 0.8:  # others skip a commit
                kinds |= {kind_of(row) for row in readers[session].look(company)}
    return kinds


def grant(company: Company[StateT, MoveT, EventT, OptionsT], session: int) -> None:
    """Let CUBES come to somebody from outside of the game."""
    cash = cash_of(company.table)
    seat = seat_of(company.table, session)
    assert seat is not None
    company.table = tables.fund(company.table, company.game, session, {**cash, seat: cash[seat] + 7})


EACH = {events.SatDown, events.Left, events.Removed, events.NewMaster, events.Started, Asked, Owns}
TESTED = [
    pytest.param(POKER, typing.get_args(poker.Event), id="poker"),
    pytest.param(MAUMAU, typing.get_args(maumau.Event), id="maumau"),
    pytest.param(DOPPELKOPF, typing.get_args(doppelkopf.Event), id="doppelkopf"),
    pytest.param(OFFIZIERSSKAT, typing.get_args(offiziersskat.Event), id="offiziersskat"),
]


@pytest.mark.parametrize(("game", "kinds"), TESTED)
def test_rows_tell_all_that_a_scene_shows(
    game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], kinds: tuple[type, ...]
) -> None:
    found: set[type] = set()
    for seed in range(game.seeds * (10 if SOAK else 1)):
        found |= play(game, seed)
    assert found >= EACH | set(kinds) - RARE


RARE = {offiziersskat.Drawn, doppelkopf.SoloForced}
"""Chance hardly plays them in these games."""
NOTHING_NEW = {poker.SwapMissed, maumau.Skipped, maumau.RoundOver, doppelkopf.Settled, offiziersskat.RoundOver}
"""Kinds that tell how something came about, and nothing else: what they change, other rows tell."""


def is_missed(game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], seed: int, dropped: type) -> bool:
    """Return whether somebody knows less, or something wrong, without rows of a kind."""
    try:
        play(game, seed, dropped)
    except (AssertionError, LookupError, TypeError, ValueError):
        return True
    return False


@pytest.mark.parametrize(("game", "kinds"), TESTED)
def test_no_kind_of_row_may_be_missing(
    game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], kinds: tuple[type, ...]
) -> None:
    for dropped in sorted({*EACH, *kinds} - RARE, key=lambda one: one.__name__):
        seeds = range(game.seeds // (1 if SOAK or dropped not in NOTHING_NEW else 12))
        assert any(is_missed(game, seed, dropped) for seed in seeds) == (dropped not in NOTHING_NEW), dropped


@pytest.mark.parametrize(
    ("game", "seed", "kind"),
    [
        pytest.param(ONE_ROUND, 17, offiziersskat.Drawn, id="drawn"),
        *([pytest.param(TOURNAMENT, 0, doppelkopf.SoloForced, id="solo_forced")] if SOAK else ()),  # ten seconds
    ],
)
def test_neither_may_a_rare_one(
    game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], seed: int, kind: type
) -> None:
    assert kind in play(game, seed)
    assert is_missed(game, seed, kind)


# --- nothing hidden ---------------------------------------------------------------------------------------------------


def hidden_at_poker(state: poker.State, seat: int | None) -> set[Card]:
    hands = [one.hand for at, one in enumerate(state.players) if one is not None and at != seat and not one.shown]
    return {*state.stock, *chain(*hands)}


def hidden_at_maumau(state: maumau.State, seat: int | None) -> set[Card]:
    return {*state.stock, *chain(*(one.hand for one in state.players if one.seat is None or one.seat != seat))}


def hidden_at_offiziersskat(state: offiziersskat.State, seat: int | None) -> set[Card]:
    return {place.covered for one in state.players for place in one.places if place.covered is not None}


def cards_in(value: object) -> Iterator[Card]:
    """All cards in a value, however deep."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, msgspec.Struct):
        yield from chain(*(cards_in(getattr(value, name)) for name in value.__struct_fields__))
    elif isinstance(value, tuple):
        yield from chain(*map(cards_in, value))


ANEW = (maumau.RoundBegins, maumau.Reshuffled, offiziersskat.RoundBegins)
"""Behind them cards that lay open are hidden again."""


@pytest.mark.parametrize(
    ("game", "hidden"),
    [
        pytest.param(POKER, hidden_at_poker, id="poker"),
        pytest.param(MAUMAU, hidden_at_maumau, id="maumau"),
        pytest.param(OFFIZIERSSKAT, hidden_at_offiziersskat, id="offiziersskat"),
    ],
)
def test_hidden_cards_are_in_nobody_elses_rows(
    game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], hidden: Callable[[StateT, int | None], set[Card]]
) -> None:
    told = 0
    for seed in range(10):
        rng = Random(seed)
        company = Company(game.adapter, rng)
        read: dict[int, Read] = {}
        for _ in range(game.steps):
            (company.step if len(seated(company.table)) < company.game.FEWEST else company.go_on)()
            here = [who.session for who in company.table.seats if who is not None and who.session != AWAY]
            for session in (*here, ONLOOKER):
                scene = game.face.scene(company.table, session, 0, company.now)
                read[session], new = rows(game.face, company.table, session, scene, read.get(session, Read()))
                state = company.table.game
                if state is None:
                    continue
                anew = [at for at, row in enumerate(new) if isinstance(row, LogEntry) and isinstance(row.event, ANEW)]
                seen_now = {card for row in new[max(anew, default=0) :] for card in cards_in(row)}
                assert not seen_now & hidden(state, seat_of(company.table, session))
                told += len(seen_now)
    assert told > 100


def test_what_is_hidden_at_doppelkopf_is_concealed() -> None:
    """Each card is there twice, so which of the two was told cannot be seen: the events are looked at."""
    for seed in range(3):
        rng = Random(seed)
        company = Company(DOPPELKOPF.adapter, rng)
        for _ in range(200):
            company.go_on() if len(seated(company.table)) == 4 else company.step()
            for entry in read_log(company.table, company.game, ONLOOKER):
                assert not isinstance(entry.event, doppelkopf.HandDealt) or entry.event.cards is None
