"""The moments in a table's value, which every host has by its own clock."""

from collections.abc import Iterator
from random import Random

import msgspec
import pytest
from msgspec import inspect
from msgspec.structs import replace

from tests.rules.table_run import TableRun
from yawc_poker.engine import absence
from yawc_poker.engine import table as tables
from yawc_poker.engine.values import Clocks, Table, moved, not_before
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.maumau.game import MAUMAU
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.poker.game import POKER, RULES
from yawc_poker.games.poker.model import Event, State

MOMENTS = {"Seat.held", "Table.deadline", "Table.pause_until", "Transcript.began"}
LENGTHS = {"Seat.grace", "Action.at"}
LATER = 4096.5
"""Seconds; added to any moment here it gives an exact number."""


def numbers(kind: inspect.Type, name: str, seen: set[type]) -> Iterator[str]:
    """Yield the fields of a type that are no whole numbers, as "Struct.field"."""
    match kind:
        case inspect.FloatType():
            yield name
        case inspect.StructType():
            if kind.cls not in seen:
                seen.add(kind.cls)
                for field in kind.fields:
                    yield from numbers(field.type, f"{kind.cls.__name__}.{field.name}", seen)
        case inspect.UnionType():
            for one in kind.types:
                yield from numbers(one, name, seen)
        case inspect.TupleType():
            for one in kind.item_types:
                yield from numbers(one, name, seen)
        case inspect.VarTupleType() | inspect.ListType() | inspect.SetType() | inspect.FrozenSetType():
            yield from numbers(kind.item_type, name, seen)
        case inspect.DictType():
            yield from numbers(kind.key_type, name, seen)
            yield from numbers(kind.value_type, name, seen)


def test_every_number_in_a_table_that_may_be_a_moment_is_known() -> None:
    """A new one belongs to MOMENTS, and into `moved`, or to LENGTHS."""
    for table in (POKER.table, MAUMAU.table, DOPPELKOPF.table, OFFIZIERSSKAT.table):
        assert {*numbers(inspect.type_info(table), "", set())} == MOMENTS | LENGTHS


@pytest.fixture
def run() -> TableRun:
    """A game in which somebody has lost the line."""
    run = TableRun()
    for name in "ABC":
        run.sit(name)
    run.start("A")
    session = next(who.session for who in run.table.seats if who is not None and who.name == "B")
    run.table = absence.hold(run.table, session, run.now, run.now + 50, Clocks())
    return run


def test_all_moments_move_and_nothing_else(run: TableRun) -> None:
    table = replace(run.table, pause_until=999.25)
    later = moved(table, LATER)
    assert table.deadline is not None
    assert table.transcript is not None
    assert (later.deadline, later.pause_until) == (table.deadline + LATER, 999.25 + LATER)
    assert later.transcript == replace(table.transcript, began=table.transcript.began + LATER)
    holds = [who.held for who in table.seats if who is not None]
    assert [who.held for who in later.seats if who is not None] == [held and held + LATER for held in holds]
    assert moved(later, -LATER) == table
    same = replace(later, seats=table.seats, deadline=table.deadline, pause_until=999.25, transcript=table.transcript)
    assert same == table


def test_what_is_none_stays_none() -> None:
    table: Table[State, Event] = tables.empty(RULES)
    assert moved(table, LATER) == table
    assert msgspec.msgpack.encode(moved(table, LATER)) == msgspec.msgpack.encode(table)
    assert moved(replace(table, deadline=float("inf")), LATER).deadline == float("inf")
    assert moved(replace(table, pause_until=LATER), -LATER).pause_until > 0


def test_a_game_goes_on_by_another_clock_as_it_would_have(run: TableRun) -> None:
    here, there = run.table, moved(run.table, LATER)
    for _ in range(40):
        if here.game is None or here.deadline is None:
            break
        now = here.deadline
        ours = tables.expire(here, RULES, now, Random(1), {}, Clocks())
        theirs = tables.expire(there, RULES, now + LATER, Random(1), {}, Clocks())
        assert ours is not None
        assert theirs is not None
        here, there = ours.table, theirs.table
        assert there == moved(here, LATER)
    assert here.deadline is None


def test_clocks_that_would_have_run_out_wait(run: TableRun) -> None:
    table = run.table
    assert table.deadline is not None
    assert not_before(table, run.now) is table
    until = table.deadline + 30
    waits = not_before(table, until)
    assert waits.deadline == until
    assert [who.held for who in waits.seats if who is not None] == [0.0, until, 0.0]
    assert not_before(waits, until) is waits
    assert not_before(replace(table, deadline=None), until).deadline is None
