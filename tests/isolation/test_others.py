"""What one caller hears of the others: once a minute of a table that waits, nothing of those who are ignored."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.isolation.sessions import Hall
from tests.screens.eye import MemoryLine
from yawc_poker.appearance.preferences import Preferences
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.catalogues import words
from yawc_poker.engine.events import Chat, OnlookerChat, SatDown
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import AnyTable, LogEntry
from yawc_poker.ipc.broadcast import Command, Kind
from yawc_poker.registry.games import POKER_TABLES
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.appearance import Appearance
from yawc_poker.session.caller.attention import Attention
from yawc_poker.session.caller.console import Console
from yawc_poker.session.caller.others import MOST_REMEMBERED, QUIET_SECONDS, SUMMONS_SECONDS, Others
from yawc_poker.session.menus.presence import MOST_NAMES, online
from yawc_poker.terminal.display import Display

EN = words("en")
ANNA, BERT = 1, 2


def others(instance: Instance, tables: Tables) -> Others:
    line = MemoryLine()
    display = Display(line)
    attention = Attention(display, Appearance(line, display, "en"), "Testville")
    return Others(instance, tables, Console(line, display), attention)


class Pair:
    """Anna, who hears, and Bert, who is online and at a table or not."""

    def __init__(self, hall: Hall) -> None:
        self.houses = [Instance(hall.data, hall.config, hall.foundation.segment) for _ in range(2)]
        for instance, name in zip(self.houses, ("Anna", "Bert"), strict=True):
            instance.enter("test")
            user = instance.accounts.enrol(name, "no hash", "en").id
            instance.bank.welcome(user, 100)
            instance.directory.claim_name(instance.notifier.index, user, name)
        self.mine, self.bert = self.houses
        self.berts_tables = Tables(self.bert)
        self.others = others(self.mine, Tables(self.mine))
        self.table = next(cell.index for cell in hall.foundation.segment.cells if cell.game == "poker")

    def heard(self, payload: str, now: float = 0.0, table: int | None = None, meet: bool = True) -> str:
        command = Command(Kind.NOTICE, table, 0, self.bert.notifier.index, payload.encode())
        found = self.others.hear(command, Preferences(meet=meet), now, EN)
        return "" if found is None else found.text


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with Hall(tmp_path / "data") as hall:
        found = Pair(hall)
        yield found
        for instance in found.houses:
            instance.leave()


def test_a_table_that_waits_is_told_of_once_a_minute(pair: Pair) -> None:
    first = pair.heard("waits 2 Bert", 100.0, pair.table)
    assert first.startswith("*** Bert waits at the poker table: S 2")
    assert pair.heard("waits 2 Bert", 100.0 + QUIET_SECONDS - 1, pair.table) == ""
    assert pair.heard("waits 2 Bert", 100.0 + QUIET_SECONDS, pair.table) == first
    assert pair.heard("waits 2 Bert", 900.0, 999) == "", "a table that there is not"
    assert pair.heard("waits", 900.0, pair.table) != "", "damaged, but harmless"


def test_notices_can_be_switched_off_but_not_those_for_the_caller_alone(pair: Pair) -> None:
    for payload in ("waits 2 Bert", "login Bert", "logout Bert"):
        assert pair.heard(payload, 1.0, pair.table, meet=False) == ""
    assert "Bert has just looked at your profile." in pair.heard("profile Bert", meet=False)
    assert "A letter from Bert" in pair.heard("letter Bert", meet=False)
    assert "Bert invites you" in pair.heard("summons 2 Bert", 1.0, pair.table, meet=False)


def test_of_somebody_ignored_nothing_is_heard(pair: Pair) -> None:
    pair.others.ignore({BERT: "Bert"})
    for payload in ("waits 2 Bert", "summons 2 Bert", "writing Bert", "profile Bert", "login Bert", "logout Bert"):
        assert pair.heard(payload, 1.0, pair.table) == ""
    assert pair.others.standing(1.0) is None
    assert pair.heard("login Carl", 1.0) == "Carl has just logged in."
    pair.others.ignore({})
    assert pair.heard("login Bert", 1.0) == "Bert has just logged in."
    assert "about to send" in pair.heard("writing Bert")


def test_who_comes_and_goes_is_heard_once_a_minute(pair: Pair) -> None:
    heard = [pair.heard(f"{what} Bert", when) for when in range(100, 220) for what in ("login", "logout")]
    assert [text for text in heard if text] == ["Bert has just logged in."] * 2
    assert pair.heard("logout Carl", 219.0) == "Carl has just logged out."
    assert pair.heard("logout Bert", 161.0 + QUIET_SECONDS) == "Bert has just logged out."


def test_of_many_who_come_only_the_last_are_remembered(pair: Pair) -> None:
    for number in range(3 * MOST_REMEMBERED):
        assert pair.heard(f"login User {number}", 100.0 + number) != ""
    assert pair.heard(f"logout User {number}", 100.0 + number) == ""
    assert len(pair.others._came_or_went) <= MOST_REMEMBERED + QUIET_SECONDS


def told(pair: Pair) -> list[bytes]:
    """What everybody at a prompt is told of Bert since the last look."""
    return [command.payload for command in pair.mine.notifier.read().commands if command.kind == Kind.NOTICE]


@pytest.fixture
def bert(pair: Pair) -> Others:
    """Bert's session; Anna is at no prompt, where a signal would wake her: both are in this process."""
    return others(pair.bert, pair.berts_tables)


def test_who_logs_in_again_and_again_wakes_nobody(pair: Pair, bert: Others) -> None:
    bert.tell_coming("Bert", math.inf, 100.0)
    bert.tell_going("Bert", 101.0)
    assert told(pair) == [b"login Bert", b"logout Bert"]
    bert.tell_coming("Bert", QUIET_SECONDS - 1, 102.0)
    bert.tell_going("Bert", 103.0)
    assert told(pair) == []
    bert.tell_going("Bert", 102.0 + QUIET_SECONDS)
    assert told(pair) == [b"logout Bert"]
    for seconds in (QUIET_SECONDS, -10.0):
        bert.tell_coming("Bert", seconds, 300.0)
        assert told(pair) == [b"login Bert"], "also with a clock that was set back"


def test_of_somebody_who_may_not_write_nobody_is_told(pair: Pair, bert: Others) -> None:
    pair.bert.own.muted_until = math.inf
    bert.tell_coming("Bert", math.inf, 100.0)
    bert.tell_going("Bert", 900.0)
    assert told(pair) == []
    pair.bert.own.muted_until = 0.0
    bert.tell_going("Bert", 900.0)
    assert told(pair) == [b"logout Bert"]


def test_a_summons_stands_two_minutes_and_is_shown_once(pair: Pair) -> None:
    assert "*** Bert invites you: " in pair.heard("summons 2 Bert", 10.0, pair.table)
    assert pair.heard("summons 2 Bert", 11.0, pair.table) == ""
    standing = pair.others.standing(11.0 + SUMMONS_SECONDS - 1)
    assert standing is not None
    assert (standing.table, standing.user, standing.name) == (pair.table, BERT, "Bert")
    assert pair.others.taken_up(11.0 + SUMMONS_SECONDS) is None
    pair.heard("summons 2 Bert", 500.0, pair.table)
    assert pair.others.taken_up(501.0) is not None
    assert pair.others.taken_up(501.0) is None


def test_what_came_while_the_caller_sat_is_told_at_the_next_prompt(pair: Pair) -> None:
    def seated(payload: str, table: int | None = None) -> bool:
        command = Command(Kind.NOTICE, table, 0, None, payload.encode())
        return pair.others.hear_seated(command, 10.0, EN) is not None

    assert not seated("waits 2 Bert", pair.table)
    assert not seated("login Bert")
    assert not seated("letter Bert")
    assert seated("summons 2 Bert", pair.table)
    assert not seated("summons 2 Bert", pair.table)
    assert "letter from Bert" in pair.others.late(EN)  # the summons was read at the table
    assert pair.others.late(EN) == ""


def test_chat_of_somebody_ignored_is_not_audible_and_all_else_is(pair: Pair) -> None:
    entries = (
        LogEntry[GameEvent](1, 7, "Bert", SatDown(0), 0),
        LogEntry[GameEvent](2, 7, "Bert", Chat(0, "insult"), 0),
        LogEntry[GameEvent](3, 8, "Carl", Chat(1, "hello"), 1),
        LogEntry[GameEvent](4, 7, "Bert", OnlookerChat("insult")),
        LogEntry[GameEvent](5, 9, "Emil", OnlookerChat("hello")),
    )
    table = AnyTable(seats=(None,) * 5, log=entries)
    assert pair.others.audible(table) is table
    pair.others.ignore({9: "Dora"})
    assert pair.others.audible(table) is table
    pair.others.ignore({BERT: "Bert"})
    assert [entry.number for entry in pair.others.audible(table).log] == [1, 3, 5]
    assert (pair.others.hears("Bert"), pair.others.hears("Carl")) == (False, True)


def test_a_guest_is_ignored_as_long_as_the_session_lives(pair: Pair) -> None:
    token = pair.bert.notifier.token
    entries = (
        LogEntry[GameEvent](1, token, "Bot^", Chat(0, "insult"), 0),
        LogEntry[GameEvent](2, 8, "Bot^", Chat(1, "hello"), 1),
    )
    table = AnyTable(seats=(None,) * 5, log=entries)
    pair.others.ignore_guest(token, "Bot^")
    pair.others.ignore_guest(8, "Gone^")
    assert pair.others.ignored_guests() == ["Bot^"], "there is no session 8"
    assert [entry.number for entry in pair.others.audible(table).log] == [2], "another guest of that name is heard"
    pair.others.ignore({BERT: "Bert"})
    assert pair.others.ignored_guests() == ["Bot^"]
    assert not pair.others.hear_guest("Bert")
    assert pair.others.hear_guest("bot^")
    assert pair.others.ignored_guests() == []


def told_by_bert(pair: Pair) -> list[tuple[int | None, bytes]]:
    return [(one.table, one.payload) for one in pair.mine.notifier.read().commands if one.kind == Kind.NOTICE]


def test_who_sits_down_alone_is_told_to_all_once_a_minute(pair: Pair) -> None:
    bert, seat = others(pair.bert, pair.berts_tables), POKER_TABLES.at(pair.bert, pair.table)
    pair.mine.notifier.read()
    bert.tell_who_waits(pair.table, 0.0)
    assert told_by_bert(pair) == []
    seat.sit(BERT, "Bert")
    bert.tell_who_waits(pair.table, 1.0)
    bert.tell_who_waits(pair.table, 2.0)
    assert told_by_bert(pair) == [(pair.table, b"waits 2 Bert")]
    bert.tell_who_waits(pair.table, 1.0 + QUIET_SECONDS)
    assert told_by_bert(pair) == [(pair.table, b"waits 2 Bert")]
    seat.leave()
    bert.tell_who_waits(pair.table, 900.0)
    assert told_by_bert(pair) == []


@given(st.lists(st.text("abcXYZ -", min_size=2, max_size=20), max_size=40), st.integers(40, 140))
def test_who_is_online_is_one_line(names: list[str], room: int) -> None:
    line = online(names, room, EN)
    assert len(line) <= room
    assert sum(f"{name}" in line for name in names) or not names
    if len(names) > MOST_NAMES:
        assert " more" in line
