"""People who look on: what they say, to whom, and what becomes of it. By the rules of a table alone."""

import pytest

from tests.rules.table_run import TableRun
from yawc_poker.engine.events import OnlookerChat, OnlookersMay
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import let_speak, murmur, speak
from yawc_poker.engine.values import CHAT, GALLERY
from yawc_poker.games.poker.game import POKER
from yawc_poker.table_ui.scene import NO_SEAT, ONLOOKER, look

DORA, EMIL = 901, 902
"""Sessions that look on."""


def hall(*names: str) -> TableRun:
    run = TableRun()
    for name in names:
        run.sit(name)
    return run


def session(run: TableRun, name: str) -> int:
    who = run.table.seats[run.seat(name)]
    assert who is not None
    return who.session


def test_only_the_master_lets_them_speak_to_the_table() -> None:
    run = hall("A", "B")
    with pytest.raises(IllegalMove, match="gallery_closed"):
        speak(run.table, DORA, "Dora", "hello")
    for other, reason in ((session(run, "B"), "not_master"), (DORA, "not_seated")):
        with pytest.raises(IllegalMove, match=reason):
            let_speak(run.table, other, on=True)
    table = let_speak(run.table, session(run, "A"), on=True)
    assert table.log[-1].event == OnlookersMay(0, True)
    table = speak(table, DORA, "Dora", "x" * 200)
    entry = table.log[-1]
    assert (entry.session, entry.name, entry.seat) == (DORA, "Dora", None)
    assert entry.event == OnlookerChat("x" * CHAT)
    assert table.logged == run.table.logged + 2
    assert speak(table, DORA, "Dora", "") is table
    table = let_speak(table, session(run, "A"), on=False)
    with pytest.raises(IllegalMove, match="gallery_closed"):
        speak(table, DORA, "Dora", "hello")


def test_the_permission_outlives_its_master_but_not_the_last_person() -> None:
    run = hall("A", "B")
    run.table = let_speak(run.table, session(run, "A"), on=True)
    run.leave("A")
    assert (run.master, run.table.open_gallery) == ("B", True)
    run.leave("B")
    assert not run.table.open_gallery


def test_what_they_say_to_each_other_is_kept_for_a_while_and_changes_nothing_else() -> None:
    run = hall("A", "B")
    table = run.table
    for number in range(GALLERY + 3):
        table = murmur(table, (DORA, EMIL)[number % 2], "Dora", f"line {number}")
    assert [line.number for line in table.gallery] == list(range(4, GALLERY + 4))
    assert table.gallery[-1].text == f"line {GALLERY + 2}"
    assert (table.log, table.logged, table.seats, table.deadline) == (
        run.table.log, run.table.logged, run.table.seats, run.table.deadline,
    )  # fmt: skip
    assert murmur(table, DORA, "Dora", "") is table


def test_somebody_who_looks_on_has_no_seat_no_clock_no_turn_and_no_cards() -> None:
    run = hall("A", "B", "C")
    for running in (False, True):
        if running:
            run.start("A")
        seen = look(POKER.rules, POKER.rules.view, run.table, ONLOOKER, 0, run.now)
        assert (seen.seat, seen.looks_on, seen.is_master, seen.turn, seen.deadline) == (
            NO_SEAT,
            True,
            False,
            None,
            None,
        )
        assert [one.name for one in seen.people] == ["A", "B", "C"]
        assert seen.master == "A"
    empty = TableRun().table
    assert look(POKER.rules, POKER.rules.view, empty, ONLOOKER, 0, 0.0).deadline is None
    with pytest.raises(IllegalMove, match="not_seated"):
        look(POKER.rules, POKER.rules.view, run.table, DORA, 0, run.now)
