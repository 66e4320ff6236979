"""The output of `yawcctl`: words and columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from yawc_poker.casino.moderation.procedure import Done
from yawc_poker.casino.snapshot import Memory, Overview, RingState, SeatView, TableView, Visitor
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.durations import clock
from yawc_poker.extras.live.picture import FOOT
from yawc_poker.extras.live.picture import picture as screen
from yawc_poker.extras.live.protocol import Glance, Load
from yawc_poker.sysop.actions import sentence
from yawc_poker.sysop.command import columns, count
from yawc_poker.sysop.status import picture, state

ANNA = SeatView(1, "Anna", master=True, on_turn=False, plays=True, cards=["A+", "10*"])
BERT = SeatView(2, "Bertram the Very Lon", master=False, on_turn=True, plays=True, cards=None, hidden=5)
CARL = SeatView(5, "Carl", master=False, on_turn=False, plays=False, cards=None)
TABLE = TableView(
    3, "poker", [ANNA, BERT, CARL], 17, True, "bet", 4, 120, 41.5, False, 99, ["[Carl] hello"], table_name="poker 3"
)


def test_columns_are_as_wide_as_what_is_in_them() -> None:
    assert columns("NAME >CUBES", [("Anna", "5"), ("Bo", "1000000")]) == [
        "NAME    CUBES",
        "Anna        5",
        "Bo    1000000",
    ]


def test_columns_that_do_not_fit_are_cut_in_the_order_given() -> None:
    rows = [("Anna", "2001:db8:1111:2222::1", "a long reason for it")]
    assert columns("NAME ADDRESS REASON", rows, 2, 1, room=30) == [
        "NAME  ADDRESS         REASON",
        "Anna  2001:db8:1111>  a long >",
    ]


@given(st.lists(st.tuples(st.text("ab", max_size=4), st.text("ab", max_size=60), st.text("ab", max_size=60))))
def test_no_line_is_wider_than_the_terminal(rows: list[tuple[str, str, str]]) -> None:
    assert all(len(line) <= 30 for line in columns("A B C", rows, 2, 1, room=30))


def test_a_table_is_drawn_with_open_cards_and_backs() -> None:
    lines = list(picture(TABLE, 0))
    assert lines[0].startswith("Table poker 3, game 17, bet 4; pot 120 CUBES   1970-01-01")
    assert lines[2:6] == [
        "  1  Anna                  master           [A+] [10*]",
        "  2  Bertram the Very Lon             0:41  [?] [?] [?] [?] [?]",
        "  5  Carl",
        "",
    ]
    assert lines[6] == "  [Carl] hello"
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("hidden", "shown"), [(0, ""), (2, "  [?] [?]"), (10, "  " + " ".join(["[?]"] * 10)), (11, "  [?] x 11")]
)
def test_a_table_without_stakes_has_no_pot_and_any_number_of_cards(hidden: int, shown: str) -> None:
    lines = list(
        picture(replace(TABLE, game="maumau", table_name="maumau 1", pot=0, seats=[replace(BERT, hidden=hidden)]), 0)
    )
    assert lines[0].startswith("Table maumau 1, game 17, bet 4   1970-01-01")
    assert lines[2] == f"  2  Bertram the Very Lon             0:41{shown}"


def test_between_games_the_masters_clock_is_shown() -> None:
    calm = replace(TABLE, running=False, phase="", seats=[replace(ANNA, cards=None, plays=False), CARL])
    assert list(picture(calm, 0))[2] == "  1  Anna                  master     0:41"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "bet 4"),
        ({"phase": "swap"}, "swap"),
        ({"phase": "showdown"}, "showdown"),
        ({"closing": True}, "paying out"),
        ({"running": False}, "no game"),
        ({"running": False, "seats": []}, "empty"),
    ],
)
def test_what_goes_on_is_said_in_two_words(changes: dict[str, object], text: str) -> None:
    assert state(replace(TABLE, **changes)) == text


def done(kind: str, **more: object) -> Done:
    act = SysopAction(7, kind, 1, "Bert", None, None, "because", "yawcctl/root", 0.0)
    mine = {key: more.pop(key) for key in list(more) if key in SysopAction.__struct_fields__}
    return replace(Done(replace(act, **mine)), **more)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        (done("say"), "Said to everybody who is logged in."),
        (done("kick", ended=1), "Bert was disconnected; 1 session ended."),
        (done("kick", killed=1), "Bert was disconnected; 1 session ended, 1 of them killed."),
        (done("kick", freed=1), "Bert was disconnected; 1 kept seat freed."),
        (done("ban"), "Bert is banned for ever."),
        (done("unban"), "Bert may call again."),
        (done("warn", warnings=2, online=True), "Bert is warned, at once. Warnings so far: 2."),
        (done("warn", warnings=1), "Bert is warned, at the next login. Warnings so far: 1."),
        (done("twit"), "Bert may not write to others for ever; told at the next login."),
        (done("untwit", online=True), "Bert may write to others again; told at once."),
        (
            done("delete", cubes=85, ended=1),
            "The account of Bert is closed; 1 session ended; 85 CUBES went to the house.",
        ),
        (done("grant", cubes=1, balance=101), "Bert was given 1 CUBES and owns 101 now."),
        (done("take", cubes=5, balance=95), "5 CUBES taken from Bert, who owns 95 now."),
        (done("wall"), "A line of Bert is off the wall; told at the next login."),
        (done("sysop"), "Bert is a sysop now."),
        (done("nosysop"), "Bert is no sysop any more."),
    ],
)
def test_every_sysop_action_has_a_sentence(what: Done, text: str) -> None:
    assert sentence(what) == text


def test_clocks_and_numbers() -> None:
    assert [clock(seconds) for seconds in (-3.0, 0.0, 59.9, 61.0, 3661.0)] == [
        "0:00",
        "0:00",
        "0:59",
        "1:01",
        "1:01:01",
    ]
    assert (count(1, "game"), count(0, "game")) == ("1 game", "0 games")


# --- top --------------------------------------------------------------------------------------------------------------


def glance(at: float, callers: int, tables: int, moves: int = 0) -> Glance:
    ring = RingState(5, 64, 0, 0, 0, "", 0)
    whole = Overview(
        "Testville", "1", 0, 7, 0, False, callers, 0, 500, 9, tables, 0, "timed", ring, 7, [], Memory(0, 0, 0, None)
    )
    visitors = [Visitor(f"User {n}", n, "prompt", None, None, 0, 1, "::1", n, True, "ssh") for n in range(callers)]
    load = Load((0.1, 0.2, 0.3), 2, moves, 0, 0, 0)
    return Glance(at, whole, visitors, [replace(TABLE, table=n + 1) for n in range(tables)], load)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 50), st.integers(20, 200))
def test_a_screen_of_top_is_filled_and_what_is_left_out_is_counted(
    callers: int, tables: int, high: int, wide: int
) -> None:
    rows = screen(glance(1, callers, tables), None, wide, high)
    assert len(rows) == high
    assert rows[-1][0] == FOOT
    if high < 12:
        return
    text = "\n".join(row for row, _ in rows)
    for noun, number in (("User ", callers), ("poker", tables)):
        more = number - text.count(noun) if wide >= 80 else 0
        assert more == 0 or f"... and {more} more" in text


def test_top_tells_what_happens_in_a_second() -> None:
    rows = screen(glance(3, 1, 1, moves=30), glance(1, 1, 1, moves=10), 80, 24)
    assert rows[1][0] == "load 0.10 0.20 0.30 on 2 cores; 10.0 moves, 0.0 commands, 0.0 games a second"
