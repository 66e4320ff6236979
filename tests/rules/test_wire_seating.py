"""The table that a guest chooses, and the seat it wants there."""

from random import Random

import pytest

from tests.engine.stacked import dealing
from yawc_poker.casino.presence.directory import GUESTS
from yawc_poker.engine import company
from yawc_poker.engine import table as tables
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.values import Clocks, Seat, Table
from yawc_poker.extras.maumau_wire.seating import Waiting, better, has_host, lingers, waiting, wanted
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Event, Options, State


def at(number: int, *stay: int, persons: tuple[int, ...] = ()) -> Waiting:
    free = tuple(seat for seat in range(5) if seat not in (*stay, *persons))
    return Waiting(number, tuple(sorted((*stay, *persons))), stay, free)


@pytest.mark.parametrize(
    ("here", "others", "seat", "goes"),
    [
        (at(1, 0), [at(2)], 0, None),
        (at(1, 0), [at(2, 1)], 0, None),  # the one at the first table stays
        (at(2, 1), [at(1, 0)], 1, 1),
        (at(2, 0), [at(1, 0)], 0, None),  # the seat that is its id is taken
        (at(1, 0), [at(2, 1, 2)], 0, 2),  # two outweigh one
        (at(1, 0, 1), [at(2, 2, 3, 4)], 0, None),  # not alone
        (at(2, 1), [at(1, persons=(0,))], 1, 1),
        (at(2, 1), [at(1, 0), at(3, 2, 3)], 1, 3),
        (at(1, 0), [at(2, 0)], None, 2),  # neither has been told its id: the one that sees the other starts again
        (at(1, 0), [at(2, *range(5))], None, None),
    ],
)
def test_where_a_lone_guest_goes(here: Waiting, others: list[Waiting], seat: int | None, goes: int | None) -> None:
    found = better([here, *others], here, seat)
    assert (found and found.number) == goes


def test_two_lone_guests_never_pass_each_other_by() -> None:
    one, other = at(1, 0), at(2, 1)
    assert better([one, other], one, 0) is None
    assert better([one, other], other, 1) == one


def test_a_seat_that_no_waiting_guest_has_elsewhere_is_wanted() -> None:
    assert wanted([at(1), at(2)], at(1)) == 0
    assert wanted([at(1), at(2, 0, 1)], at(1)) == 2
    assert wanted([at(1, 0), at(2, 1)], at(1, 0)) == 2
    assert wanted([at(1), at(2, *range(5))], at(1)) is None


def test_a_guest_about_to_leave_does_not_count_as_waiting() -> None:
    value: Table[State, Event] = tables.empty(rules)
    for seat in range(3):
        user = 7 if seat == 2 else GUESTS + seat
        value = tables.sit(value, rules, Seat(seat + 1, user, f"N{seat}", 0), 0.0, Clocks())
    assert waiting(0, value) == Waiting(0, (0, 1, 2), (0, 1), (3, 4))
    over = rules.leave(
        rules.leave(rules.deal(dict.fromkeys(range(3), 0), 0, dealing(rules, Random(1)), Options()).state, 0).state, 2
    )
    value = tables.leave(value, rules, 1, 0.0, Clocks()).table
    value = Table(value.seats, value.master, last=over.state)
    assert lingers(value, 1)
    assert not lingers(value, 2)
    assert waiting(0, value) == Waiting(0, (2,), (), (0, 3, 4))


def test_a_guest_waits_on_for_a_person_and_not_for_a_house_player() -> None:
    """A house player starts no game: a guest left alone with one would wait for ever."""
    value: Table[State, Event] = tables.sit(tables.empty(rules), rules, Seat(1, GUESTS, "Mau^", 0), 0.0, Clocks())
    value = tables.sit(value, rules, Seat(2, 7, "Anna", 0), 0.0, Clocks())
    house = Seat(3, HOUSE_USERS[0], "Ada*", 0, program="normal 1")
    value = tables.sit(company.invite(value, 2, "normal"), rules, house, 0.0, Clocks())
    assert has_host(value)
    assert not has_host(tables.leave(value, rules, 2, 0.0, Clocks()).table)
