"""Control processes without a daemon: forked with one end of a socket pair, as the listener forks them."""

import os
import pwd
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ipc.processes import Child, forked
from tests.isolation.sessions import Hall
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import USERS_FILE
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.procedure import Done
from yawc_poker.casino.snapshot import Holder, Overview, TableView, Visitor
from yawc_poker.control.connection import ControlLine, Gone
from yawc_poker.control.protocol import (
    LONGEST_REQUEST,
    AnswerLine,
    AnyRequest,
    BadRequest,
    ListTables,
    Status,
    SysopRequest,
    WatchTable,
    Who,
    read_answer,
    sysop_request,
    write_request,
)
from yawc_poker.control.requests import read_request
from yawc_poker.control.server import REQUESTS, serve_control
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import Header
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.caller.endings import Dismissed

ME = f"yawcctl/{pwd.getpwuid(os.geteuid()).pw_name}"
T = TypeVar("T")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall


class Control:
    """A control process, and the sysop's end of its connection."""

    def __init__(self, socket: socket.socket, child: Child) -> None:
        self.socket, self.child = socket, child
        self._lines = socket.makefile("rb")

    def next(self) -> AnswerLine:
        return read_answer(self._lines.readline())

    def rest(self) -> list[AnswerLine]:
        return [read_answer(line) for line in self._lines]

    def view(self) -> TableView:
        return row(self.next(), TableView)

    def close(self) -> None:
        self._lines.close()
        self.socket.close()


@contextmanager
def controlled(hall: Hall, request: bytes | AnyRequest = b"") -> Iterator[Control]:
    """A control process that has been sent a request; its exit code must be 0, and it must leave no place taken."""
    ours, theirs = socket.socketpair()
    before = taken(hall)

    def open_instance() -> Instance:
        return hall.foundation.instance(hall.config)

    def serve(say: object) -> None:
        ours.close()
        assert serve_control(theirs, "control", open_instance) == 0

    with ours, forked(serve) as child:
        theirs.close()
        ours.settimeout(20)
        ours.sendall(request if isinstance(request, bytes) else write_request(request))
        control = Control(ours, child)
        try:
            yield control
        finally:
            control.close()
        child.end()
    assert taken(hall) == before


def serve_one(hall: Hall, request: AnyRequest) -> None:
    """Run as a control process."""
    ours, theirs = socket.socketpair()
    ours.sendall(write_request(request))
    serve_control(theirs, "control", lambda: hall.foundation.instance(hall.config))


def ask(hall: Hall, request: bytes | AnyRequest) -> list[AnswerLine]:
    with controlled(hall, request) as control:
        return control.rest()


def row(answer: AnswerLine, kind: type[T]) -> T:
    assert isinstance(answer.row, msgspec.Raw), answer
    return msgspec.json.decode(answer.row, type=kind)


def rows(answers: list[AnswerLine], kind: type[T]) -> list[T]:
    assert answers[-1] == AnswerLine(end=0)
    return [row(answer, kind) for answer in answers[:-1]]


def error(answers: list[AnswerLine], code: int = 2) -> str:
    (answer,) = answers
    assert answer.end == code
    return answer.error


def taken(hall: Hall) -> int:
    return sum(1 for record in hall.foundation.segment.records if record.token)


# --- looking ----------------------------------------------------------------------------------------------------------


def test_the_status_counts_what_there_is(hall: Hall) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    (status,) = rows(ask(hall, Status()), Overview)
    assert (status.callers, status.arriving, status.occupied, status.games, status.tables) == (2, 0, 1, 1, 2)
    assert (status.listener, status.closing, status.holders, status.locks) == (os.getpid(), False, [], 5)
    assert status.ring.head == hall.foundation.segment.head.posted
    assert (status.ring.slowest, status.ring.behind) != ("", 0)
    assert status.memory.measured == 2
    assert status.memory.sessions > 10**6


def test_a_held_lock_is_told_with_its_holder_and_keeps_nobody_from_looking(hall: Hall) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    anna.doomed("after bet", "bet", 5, by=signal.SIGSTOP)
    with hall.foundation.segment.directory_lock:
        (status,) = rows(ask(hall, Status()), Overview)
        assert [one.name for one in rows(ask(hall, Who()), Visitor)] == ["Anna", "Bert"]
    assert status.holders == [Holder("directory", os.getpid(), ""), Holder("poker 1", anna.pid, "Anna")]


def test_who_tells_everybody_where_he_is(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    hall.session(2, "bert")
    first, second = rows(ask(hall, Who()), Visitor)
    assert (first.name, first.user, first.pid, first.address, first.alive) == ("Anna", 1, anna.pid, "test", True)
    assert (second.name, second.where, second.table) == ("bert", "login", None)


def test_tables_show_what_everybody_may_know(hall: Hall) -> None:
    assert rows(ask(hall, ListTables()), TableView) == []
    empty, other = rows(ask(hall, ListTables(all=True)), TableView)
    assert (empty.game, other.game) == ("poker", "maumau")
    assert (empty.table, empty.seats, empty.running, empty.seconds) == (1, [], False, None)
    anna, _ = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    (view,) = rows(ask(hall, ListTables()), TableView)
    assert (view.number, view.running, view.phase, view.round, view.pot) == (1, True, "bet", 1, 20)
    assert [(one.seat, one.name, one.master, one.on_turn, one.plays, one.cards) for one in view.seats] == [
        (1, "Anna", True, True, True, None), (2, "Bert", False, False, True, None)
    ]  # fmt: skip
    assert view.seconds is not None
    assert 50 < view.seconds <= 60
    assert view.messages[-2] == "[INFO] Anna starts a game."


def test_a_watched_table_is_told_whenever_it_changes_until_the_watcher_leaves(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    with controlled(hall, WatchTable("poker 1")) as watch:
        assert watch.view().messages[-2] == "[INFO] Anna starts a game."
        assert anna("bet", 5) == "ok"
        view = watch.view()
        assert (view.pot, view.messages[-1]) == (25, "[INFO] Anna bets 5 CUBES.")
        assert view.commit == hall.commits
        assert bert("say", "hello") == "ok"
        assert watch.view().messages[-1] == "[Bert] hello"


def test_a_watched_table_never_shows_a_hidden_card(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    state = hall.table.game
    assert state is not None
    hands = {str(card) for player in state.players if player is not None for card in player.hand}
    with controlled(hall, WatchTable("poker 1")) as watch:
        for player, words in ((anna, "bet 5"), (bert, "bet 5"), (anna, "swap"), (bert, "swap"), (anna, "see 5")):
            first = watch.next()
            assert isinstance(first.row, msgspec.Raw)
            assert not any(f'"{card}"'.encode() in bytes(first.row) for card in hands)
            assert player(*words.split()) == "ok"
        watch.next()
        assert bert("bet", 5) == "ok"
        watch.next()
        assert anna("show") == "ok"
        opened, hidden = watch.view().seats
        assert (len(opened.cards or []), hidden.cards) == (5, None)


def test_a_watcher_may_look_once(hall: Hall) -> None:
    (view,) = rows(ask(hall, WatchTable("poker 1", once=True)), TableView)
    assert view.table == 1


def test_a_table_that_is_not_there_cannot_be_watched(hall: Hall) -> None:
    assert error(ask(hall, WatchTable("poker 7")), 1) == "there is no table poker 7; there are poker 1, maumau 1"


def test_a_watcher_who_has_finished_sending_still_watches(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    with controlled(hall, WatchTable("poker 1")) as watch:
        watch.socket.shutdown(socket.SHUT_WR)
        assert watch.view().seats[0].name == "Anna"
        assert anna("say", "hello") == "ok"
        assert watch.view().messages[-1] == "[Anna] hello"


def test_a_table_that_cannot_be_read_is_told(hall: Hall) -> None:
    cell = hall.foundation.segment.cells[0]
    cell.commit(Header(), b"not a table")
    assert "table poker 1: its value cannot be read" in error(ask(hall, WatchTable("poker 1")))


def test_a_watcher_is_told_when_the_bbs_closes(hall: Hall) -> None:
    with controlled(hall, WatchTable("poker 1")) as watch:
        watch.view()
        hall.foundation.segment.head.closing = 1
        assert error(watch.rest()) == "the BBS is closing down"


def test_sigterm_ends_a_watcher(hall: Hall) -> None:
    with controlled(hall, WatchTable("poker 1")) as watch:
        watch.view()
        watch.child.signal(signal.SIGTERM)
        assert error(watch.rest()) == "the BBS is closing down"


# --- acting -----------------------------------------------------------------------------------------------------------


def test_acts_bear_the_name_that_the_kernel_knows(hall: Hall) -> None:
    instance = hall.foundation.instance(hall.config)
    user = instance.accounts.register("Anna", "secret-1", "en").id
    (done,) = rows(ask(hall, sysop_request("grant", name="anna", cubes=50, reason="a prize")), Done)
    assert (done.action.by, done.action.reason, done.action.cubes, done.balance) == (ME, "a prize", 50, 50)
    assert instance.bank.balance(user) == 50
    instance.bank.close()
    instance.accounts.close()


def test_what_the_office_refuses_is_told(hall: Hall) -> None:
    assert error(ask(hall, sysop_request("kick", name="Nobody", reason="why not")), 1) == "there is no user 'Nobody'"


def test_while_it_acts_a_control_process_is_in_the_directory_and_no_caller(hall: Hall) -> None:
    instance = hall.foundation.instance(hall.config)
    instance.accounts.register("Anna", "secret-1", "en")
    with controlled(hall, sysop_request("grant", name="Anna", cubes=1, reason="x")) as control:
        with hall.foundation.segment.bank_lock:
            wait_until(lambda: taken(hall) == 1)
            (status,) = rows(ask(hall, Status()), Overview)
            assert (status.callers, status.arriving) == (0, 0)
            assert rows(ask(hall, Who()), Visitor) == []
        assert rows(control.rest(), Done)[0].balance == 1


def test_killed_while_it_acts_it_is_buried_like_a_session(hall: Hall) -> None:
    instance = hall.foundation.instance(hall.config)
    with (
        hall.foundation.segment.bank_lock,
        forked(lambda say: serve_one(hall, sysop_request("grant", name="Anna", cubes=1, reason="x"))) as child,
    ):
        wait_until(lambda: taken(hall) == 1)
        child.kill()
    instance.maintain_all()
    assert taken(hall) == 0


def test_a_database_that_cannot_be_used_is_told(hall: Hall) -> None:
    hall.foundation.instance(hall.config).accounts.register("Anna", "secret-1", "en")
    journal = hall.data / f"{USERS_FILE}-journal"  # none can be written where a directory lies
    journal.unlink(missing_ok=True)
    journal.mkdir()
    assert "users.sqlite" in error(ask(hall, sysop_request("warn", name="Anna", reason="x")))


def test_a_full_directory_is_told_and_may_be_looked_at(hall: Hall) -> None:
    records = hall.foundation.segment.records
    for record in records:
        record.claim(process.me(), 1 << 63 | record.index, "test")
    assert "has no room" in error(ask(hall, sysop_request("grant", name="Anna", cubes=1, reason="x")))
    assert len(rows(ask(hall, Who()), Visitor)) == len(records)


def test_nothing_is_done_for_a_bbs_that_closes(hall: Hall) -> None:
    hall.foundation.segment.head.closing = 1
    assert error(ask(hall, sysop_request("grant", name="Anna", cubes=1, reason="x"))) == "the BBS is closing down"


# --- hostile ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_bytes", "answer"),
    [
        (b"\n", "not a request"),
        (b"GET / HTTP/1.1\r\n\r\n", "not a request"),
        (bytes(range(256)) + b"\n", "not a request"),
        (b"\xff\xf4\xff\xfd\x06\n", "not a request"),
        (b"[" * 60000 + b"\n", "not a request"),
        (b'{"do":"ban","args":{"target":"Anna","reason":"x","seconds":1e308}}\n', "not a request"),
        (b'{"do":"watch","args":' + b"[" * 60000 + b"\n", "not a request"),
        (b'{"do":"dance"}\n', "no such order: 'dance'; there are status, who, "),
        (b'{"do":"\\u001b[2J"}\n', r"no such order: '\x1b[2J'"),
        (b'{"do":"watch"}\n', "missing required field `table`"),
        (b'{"do":"watch","args":{"table":1}}\n', "Expected `str`, got `int` - at `$.table`"),
        (b'{"do":"watch","args":{"table":""}}\n', "Expected `str` of length >= 1 - at `$.table`"),
        (b'{"do":"watch","args":{"table":99999999999999999999}}\n', "at `$.table`"),
        (b'{"do":"watch","args":{"table":"poker 1","all":1}}\n', "unknown field `all`"),
        (b'{"do":"grant","args":{"name":"Anna","cubes":1.5,"reason":"x"}}\n', "Expected `int`, got `float`"),
        (b'{"do":"kick","args":{"name":"","reason":"x"}}\n', "length >= 1 - at `$.name`"),
        (b'{"do":"say","args":{"text":"' + b"x" * 1001 + b'"}}\n', "length <= 1000 - at `$.text`"),
        (b'{"do":"backup"}\n', "needs the descriptor"),
        (b"x" * LONGEST_REQUEST, "longer than 65536 bytes"),
        (b"x" * (LONGEST_REQUEST - 1) + b"\n", "not a request"),
    ],
)
def test_nonsense_is_answered_with_what_is_wrong(hall: Hall, request_bytes: bytes, answer: str) -> None:
    assert answer in error(ask(hall, request_bytes))


def test_whoever_says_nothing_is_told_so_in_time(hall: Hall) -> None:
    started = time.monotonic()
    assert error(ask(hall, b'{"do":')) == "the request did not come within 5 seconds"
    assert 4 < time.monotonic() - started < 15


def test_whoever_hangs_up_at_once_costs_nothing(hall: Hall) -> None:
    with controlled(hall):
        pass
    assert "bug" not in hall.log


def test_half_a_request_is_none_though_nothing_more_can_come(hall: Hall) -> None:
    with controlled(hall, b'{"do":"sta') as control:
        control.socket.shutdown(socket.SHUT_WR)
        assert "not a request" in error(control.rest())


def test_a_request_needs_no_end_of_line_where_nothing_more_can_come(hall: Hall) -> None:
    with controlled(hall, write_request(Status()).rstrip()) as control:
        control.socket.shutdown(socket.SHUT_WR)
        assert control.rest()[-1] == AnswerLine(end=0)


def test_a_request_may_come_byte_by_byte(hall: Hall) -> None:
    with controlled(hall) as control:
        for byte in write_request(Status()):
            control.socket.send(bytes([byte]))
        assert control.rest()[-1] == AnswerLine(end=0)


def test_what_comes_after_the_request_is_left_alone(hall: Hall) -> None:
    with controlled(hall, write_request(WatchTable("poker 1")) + b"x" * 100000) as control:
        control.view()


def test_descriptors_that_nobody_asked_for_are_closed(hall: Hall) -> None:
    reading, writing = os.pipe()
    with controlled(hall) as control:
        for byte in write_request(Status()):
            socket.send_fds(control.socket, [bytes([byte])], [writing, writing])
        assert control.rest()[-1] == AnswerLine(end=0)
        os.close(writing)
        assert os.read(reading, 1) == b""
    os.close(reading)


@contextmanager
def control_line() -> Iterator[tuple[ControlLine, socket.socket]]:
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    inbox = SignalInbox()
    with ours, ControlLine(theirs, inbox) as line:
        yield line, ours
    inbox.close()


def test_whoever_does_not_read_is_given_up() -> None:
    with control_line() as (line, _), pytest.raises(Gone, match=r"did not read for 0\.1 seconds"):
        line.send(b"x" * 10**6, 0.1)


def test_whoever_reads_slowly_gets_it_all() -> None:
    with control_line() as (line, ours), forked(lambda say: say(str(count(ours, 10**6)))) as child:
        line.send(b"x" * 10**6)
        assert child.end() == [str(10**6)]


def count(connection: socket.socket, wanted: int) -> int:
    """Read so many bytes, few at a time."""
    read = 0
    while read < wanted:
        read += len(connection.recv(1000))
    return read


def last_byte(connection: socket.socket) -> str:
    """Read, few bytes at a time, up to the first full stop."""
    while not (read := connection.recv(1000)).endswith(b"."):
        pass
    return read[-1:].decode()


def test_while_it_waits_for_a_reader_it_can_be_ended() -> None:
    with control_line() as (line, _):
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Dismissed):
            line.send(b"x" * 10**6)


def test_its_last_word_may_wait_for_the_reader_after_it_was_told_to_end() -> None:
    with control_line() as (line, ours):
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Dismissed):
            line.pause(10)
        with pytest.raises(Gone):
            line.send(b"x" * 10**6, 0.01)
        with forked(lambda say: say(last_byte(ours))) as child:
            line.send(b"the last word.", 10)
            assert child.end() == ["."]


def test_while_it_waits_a_hang_up_is_noticed() -> None:
    with control_line() as (line, ours):
        line.pause(0.01)
        ours.close()
        with pytest.raises(Gone):
            line.pause(60)


def test_an_answer_to_nobody_is_given_up() -> None:
    with control_line() as (line, ours):
        ours.close()
        with pytest.raises(Gone, match="Broken pipe"):
            line.send(b"x")


def test_every_order_survives_the_wire() -> None:
    for request in (
        WatchTable("poker 3"),
        WatchTable("maumau 1", once=True),
        Status(),
        sysop_request("kick", name="Anna", reason='says "no"\n'),
        sysop_request("grant", name="Bert", cubes=5, reason="\x00ü"),
    ):
        row, arguments = read_request(write_request(request), REQUESTS)
        sent = request.arguments if isinstance(request, SysopRequest) else request
        assert (row.word, arguments) == (request.word, sent)


@given(st.binary(max_size=300))
def test_any_bytes_are_an_order_or_a_bad_one(data: bytes) -> None:
    try:
        row, arguments = read_request(data, REQUESTS)
    except BadRequest:
        return
    assert isinstance(arguments, row.arguments)
