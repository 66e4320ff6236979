"""What followers of events are told of a tournament: each step once, in its place among all that was played."""

from tests.isolation.test_events import ANNA, BERT, hall, instance, play, told
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.extras.live.events import Position, before, next_events
from yawc_poker.extras.tournaments import rows
from yawc_poker.extras.tournaments.rows import Plan

__all__ = ["hall", "instance"]
NOW = 1_800_000_000.0


def test_each_step_is_told_once_and_in_order(instance: Instance) -> None:
    store = instance.bank.store
    plan = Plan("poker", "Friday", 0, NOW, 0, 1, 1, 10, swiss=True)
    with store.writing() as books:
        for _ in range(2):
            rows.call(books, NOW, plan)
    for user in (ANNA, BERT):
        with store.writing() as books:
            rows.enter(books, NOW, 1, user)
    for _ in range(2):
        with store.writing() as books:
            rows.begin(books, NOW, 1, filled=True)
    play(instance, BERT)
    with store.reading() as books:
        one = rows.find(books, 1)
        (bout,) = rows.bouts(books, one)
    with store.writing() as books:
        rows.end_bout(books, NOW, one, bout, {ANNA: 120, BERT: 0}, is_played=False)
    for _ in range(2):
        with store.writing() as books:
            rows.go_on(books, NOW, one, filled=True)
    with store.writing() as books:
        rows.call_off(books, NOW, 2)
    found = next_events(instance, Position())
    assert sorted(told(found.events)) == sorted(
        [
            "tournament 1, poker: called",
            "tournament 2, poker: called",
            "tournament 1, poker: round 1 begins",
            "game 1, poker #4: won by #2, 20 CUBES",
            "tournament 1, poker: won by Anna, 20 CUBES",
            "tournament 2, poker: called off",
        ]
    )
    assert {event.name for event in found.events if event.event == "tournament"} == {"Friday"}
    assert next_events(instance, found.position).events == []
    assert told(next_events(instance, before(instance, 1)).events) == ["tournament 2, poker: called off"]
