"""The loop of a session whose caller sends more than a person types: over a socket pair, with the real clock."""

import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from telnetd.doors.telnet import READ, TelnetLine
from tests.ipc.processes import forked
from tests.waiting import wait_until
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.events import AlarmDue, Key, Resized, Woken
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.loop.cpu_budget import BATCH, FLOOD_SECONDS, SAVED, SHARE, CpuBudget
from yawc_poker.session.loop.loop import TICK, Loop
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.line import FLOODING
from yawc_poker.transport import HUNG_UP, LineClosed, SocketTransport


class Session:
    """A loop and a caller who types into it. Only SIGUSR1 is listened to: SIGALRM is the test runner's."""

    def __init__(self, flood_seconds: float = FLOOD_SECONDS) -> None:
        ours, self.caller = socket.socketpair()
        self.line = TelnetLine(SocketTransport(ours), "somewhere")
        self.inbox = SignalInbox((signal.SIGUSR1,))
        self.display = Display(self.line)
        self.loop = Loop(self.line, self.display, self.inbox, Alarms(arm=lambda seconds, period: None))
        self.loop.meter.flood_seconds = flood_seconds

    def close(self) -> None:
        self.caller.close()
        self.line.close()
        self.inbox.close()

    def exhaust(self) -> None:
        """Make the caller press a key that costs more than the budget."""
        self.caller.sendall(b"!")
        assert self.loop.next() == Key("!")
        self.loop.meter.burden = lambda: 2 * SAVED

    def keys(self, count: int) -> list[str]:
        """Read a number of keys."""
        return [event.name for event in (self.loop.next() for _ in range(count)) if isinstance(event, Key)]


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session()
    yield made
    made.close()


def test_keys_come_at_once_while_there_is_enough(session: Session) -> None:
    session.caller.sendall(b"abc\r")
    began = time.monotonic()
    assert session.keys(4) == ["a", "b", "c", "\r"]
    assert time.monotonic() - began < SAVED / SHARE / 2


def test_nobody_is_told_of_a_tick_that_was_dealt_with() -> None:
    """Run in a child, because the test runner has a timer of its own in this process."""

    def live(say: Callable[[str], None]) -> None:
        ours, caller = socket.socketpair()
        line, alarms = TelnetLine(SocketTransport(ours), "somewhere"), Alarms()
        loop = Loop(line, Display(line), SignalInbox(), alarms)
        told: list[int] = []

        def passes() -> bool:
            told.append(len(told))
            if len(told) == 3:
                caller.sendall(b"a")
            return len(told) < 6

        loop.passes = passes
        alarms.every(TICK, 0.02)
        say(f"{loop.next()} {loop.next()} {len(told)}")

    with forked(live) as child:
        assert child.end() == [f"{Key('a')} {AlarmDue(TICK)} 6"]


class Bill(CpuBudget):
    """A budget that keeps what was spent."""

    def __init__(self) -> None:
        super().__init__(time.monotonic())
        self.costs: list[float] = []

    def spend(self, cost: float, now: float) -> None:
        self.costs.append(cost)
        super().spend(cost, now)


def test_a_key_is_charged_for_what_it_causes_and_for_nothing_before_it(session: Session) -> None:
    cost, bill = [5.0], Bill()
    session.loop.meter.burden = lambda: cost[0]
    session.loop.meter.budget = bill
    session.caller.sendall(b"a")
    assert session.loop.next() == Key("a")
    cost[0] += 0.1
    session.loop.pause(0.0)
    session.caller.sendall(b"b")
    session.loop.pause(1.0)  # more comes while the caller is served
    session.caller.sendall(b"c")
    assert session.keys(2) == ["b", "c"]
    assert 0.1 <= sum(bill.costs) < 0.2


def test_a_tick_that_passes_is_not_charged_to_the_key_that_comes_with_it() -> None:
    def live(say: Callable[[str], None]) -> None:
        ours, caller = socket.socketpair()
        line, alarms, cost, bill = TelnetLine(SocketTransport(ours), "somewhere"), Alarms(), [0.0], Bill()
        inbox = SignalInbox()
        loop = Loop(line, Display(line), inbox, alarms)
        loop.meter.budget, loop.meter.burden = bill, lambda: cost[0]
        ticks: list[float] = []

        def passes() -> bool:
            ticks.append(time.monotonic())
            cost[0] += 1.0
            if len(ticks) == 3:
                caller.sendall(b"b")
            return True

        loop.passes = passes
        alarms.every(TICK, 0.02)
        caller.sendall(b"a")
        wait_until(lambda: bool(select.select([inbox], [], [], 0)[0]))  # so that they come together
        pressed = [loop.next(), loop.next()]
        say(f"{pressed == [Key('a'), Key('b')]} {len(ticks) >= 3} {sum(bill.costs) < 0.5}")

    with forked(live) as child:
        assert child.end() == ["True True True"]


def test_a_caller_who_has_spent_all_waits_for_the_next_key_and_loses_none(session: Session) -> None:
    session.exhaust()
    session.caller.sendall(b"abc")
    began, spent = time.monotonic(), time.process_time()
    assert session.keys(3) == ["a", "b", "c"]
    assert time.monotonic() - began > SAVED / SHARE / 2
    assert time.process_time() - spent < SAVED / 2  # it sleeps


def test_while_keys_wait_a_signal_is_an_event_and_the_screen_is_drawn(session: Session) -> None:
    session.exhaust()
    session.caller.sendall(b"abc")
    signal.raise_signal(signal.SIGUSR1)
    began = time.monotonic()
    assert session.loop.next() == Woken()
    assert time.monotonic() - began < SAVED / SHARE / 2
    assert not session.loop.busy


def test_input_that_is_not_read_stays_on_the_callers_side(session: Session) -> None:
    session.exhaust()
    session.caller.setblocking(False)
    with suppress(BlockingIOError):
        while session.caller.send(b"x" * 65536):
            pass
    session.loop.pause(0.05)
    assert select.select([session.line], [], [], 0)[0]
    assert not select.select([], [session.caller], [], 0)[1]


def test_a_hang_up_is_noticed_while_nothing_is_read(session: Session) -> None:
    session.exhaust()
    session.caller.sendall(b"abc")
    session.caller.shutdown(socket.SHUT_WR)
    began = time.monotonic()
    with pytest.raises(LineClosed, match=HUNG_UP):
        session.loop.next()
    assert time.monotonic() - began < SAVED / SHARE / 2


def test_last_words_sent_with_the_hang_up_are_read(session: Session) -> None:
    session.caller.sendall(b"q")
    session.caller.shutdown(socket.SHUT_WR)
    assert session.loop.next() == Key("q")
    with pytest.raises(LineClosed, match=HUNG_UP):
        session.loop.next()


def kept_busy(session: Session, cost: float = SAVED) -> None:
    """Take keys for ever, each of which costs the caller's whole budget."""
    burden = [0.0]
    session.loop.meter.burden = lambda: burden[0]
    while True:
        session.loop.next()
        burden[0] += cost


@pytest.fixture
def impatient() -> Iterator[Session]:
    """A session in which a flood takes three seconds."""
    made = Session(flood_seconds=3.0)
    yield made
    made.close()


def test_a_line_that_does_not_wait_is_dropped(impatient: Session) -> None:
    def flood(say: Callable[[str], None]) -> None:
        impatient.caller.setblocking(True)
        with suppress(OSError):
            while True:
                impatient.caller.sendall(b"xy" * 2000)

    began = time.monotonic()
    with forked(flood), pytest.raises(LineClosed, match=FLOODING):
        kept_busy(impatient)
    assert time.monotonic() - began > 2.9


@pytest.mark.parametrize("piece", [b"x", b"x" * 30, b"\x1b[1;5A" * 2])
def test_a_caller_who_holds_a_key_is_never_dropped(impatient: Session, piece: bytes) -> None:
    """Their keys come faster than they are taken, for longer than a flood lasts."""

    def hold(say: Callable[[str], None]) -> None:
        until = time.monotonic() + 5.0
        while time.monotonic() < until:
            impatient.caller.sendall(piece)
            select.select([], [], [], 1 / 30)
        impatient.caller.sendall(b"\x15")

    budget = impatient.loop.meter.budget
    with forked(hold) as child:
        began = time.monotonic()
        while time.monotonic() < began + 5.5:
            budget.spend(SAVED, time.monotonic())
            impatient.loop.pause(0.2)
        assert budget.busy_for(time.monotonic()) > 3.0
        child.end()


def test_a_paste_that_takes_long_is_taken_to_its_end(impatient: Session) -> None:
    impatient.caller.sendall(b"xy" * 2000)
    burden, began = [0.0], time.monotonic()
    impatient.loop.meter.burden = lambda: burden[0]
    for _ in range(4000):
        assert isinstance(impatient.loop.next(), Key)
        burden[0] += 0.0002
    assert time.monotonic() - began > 3.0


def test_what_a_held_key_costs_others_is_not_charged(session: Session) -> None:
    burden, bill = [0.0], Bill()
    session.loop.meter.burden = lambda: burden[0]
    session.loop.meter.budget = bill
    for typed, cost in ((b"a", 1.0), (b"a", 0.0), (b"a", 0.0), (b"b", 1.0)):
        session.caller.sendall(typed)
        bill.costs.clear()
        assert session.loop.next() == Key(typed.decode())
        burden[0] += 1.0
        session.loop.pause(0.0)
        session.loop.meter.stop()
        assert sum(bill.costs) == pytest.approx(cost, abs=0.1)


def test_protocol_that_types_nothing_is_paid_for_too(session: Session) -> None:
    spent = [0.0]

    def burden() -> float:
        spent[0] += SAVED  # each look at it costs more than the budget
        return spent[0]

    session.loop.meter.burden = burden
    session.caller.sendall(b"\xff\xf1")
    session.loop.pause(1.0)
    began = time.monotonic()
    session.caller.sendall(b"a")
    assert session.loop.next() == Key("a")
    assert time.monotonic() - began > BATCH / SHARE / 2


def test_a_drawing_that_the_caller_requested_is_charged_to_them(session: Session) -> None:
    session.line.columns = 100  # as NAWS does
    session.caller.sendall(b"\xff\xf1")
    wait_until(lambda: bool(select.select([session.line], [], [], 0)[0]))
    assert session.loop.next() == Resized()
    session.loop.meter.burden = lambda: 2 * SAVED
    session.caller.sendall(b"a")
    began = time.monotonic()
    assert session.loop.next() == Key("a")
    assert time.monotonic() - began > SAVED / SHARE / 2


class Decoding(SocketTransport):
    """A transport that takes all there is at once, as TLS takes a whole record."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        self._decoded = b""

    @property
    def buffered(self) -> bool:
        return bool(self._decoded)

    def _read(self, most: int) -> bytes:
        if not self._decoded:
            self._decoded = super()._read(65536)
        taken, self._decoded = self._decoded[:most], self._decoded[most:]
        return taken


def test_input_that_is_decoded_already_is_read_though_the_descriptor_is_silent() -> None:
    ours, caller = socket.socketpair()
    line, inbox = TelnetLine(Decoding(ours), "somewhere"), SignalInbox((signal.SIGUSR1,))
    loop = Loop(line, Display(line), inbox, Alarms(arm=lambda seconds, period: None))
    text = "x" * 3 * READ + "y"
    caller.sendall(text.encode())
    try:
        first = loop.next()
        assert line.buffered
        assert not select.select([line], [], [], 0)[0]
        rest = [event.name for event in (loop.next() for _ in text[1:]) if isinstance(event, Key)]
        assert (first, "".join(rest)) == (Key("x"), text[1:])
    finally:
        caller.close()
        line.close()
        inbox.close()
