import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import msgspec
import pytest

from tests.ipc.processes import Child, forked
from tests.waiting import wait_until
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import ADDRESSEES, Command, Kind, NewCommands, Ring
from yawc_poker.ipc.layout import POSTED, Layout
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.segment import Segment

Say = Callable[[str], None]


@pytest.fixture
def ring(segment: Segment) -> Ring:
    return Ring(segment)


def _join(segment: Segment, index: int, identity: Identity | None = None) -> Record:
    record = segment.records[index]
    record.claim(identity or process.me(), 1000 + index, "")
    return record


def _table(sender: Record | None = None, payload: bytes = b"") -> Command:
    return Command(Kind.TABLE, 0, sender.token if sender else 0, sender.index if sender else None, payload)


@contextmanager
def _child_in(segment: Segment, index: int, work: Callable[[Say], None]) -> Iterator[Child]:
    """Run a session in a child, which claims a record and works; the block begins when it is in the directory."""

    def live(say: Say) -> None:
        _join(segment, index)
        say("in")
        work(say)

    with forked(live) as child:
        assert child.hear() == "in"
        yield child


def _sleep(say: Say) -> None:
    signal.pause()


def _timed(action: Callable[[], object]) -> float:
    started = time.monotonic()
    action()
    return time.monotonic() - started


def test_a_command_reaches_its_addressees_only(segment: Segment, ring: Ring) -> None:
    sender, reader, other = (_join(segment, index) for index in range(3))
    before = time.monotonic()
    number = ring.post(Command(Kind.TABLE, 1, sender.token, 0, b"look"), [1])
    reading = ring.read(reader)
    assert not reading.overrun
    [command] = reading.commands
    assert before - 0.001 <= command.posted_at <= time.monotonic()
    assert msgspec.structs.replace(command, posted_at=0.0) == Command(Kind.TABLE, 1, sender.token, 0, b"look", number)
    assert ring.read(other).commands == ()
    assert ring.read(reader).commands == ()
    assert reader.cursor == other.cursor == number == ring.posted == 1


def test_an_ordinary_message_reaches_all_but_its_sender(segment: Segment, ring: Ring) -> None:
    sender, *others = (_join(segment, index) for index in range(4))
    ring.post(Command(Kind.NOTICE, None, sender.token, 0), None)
    assert [len(ring.read(record).commands) for record in (sender, *others)] == [0, 1, 1, 1]


def test_a_command_of_no_session_and_of_a_foreign_kind(segment: Segment, ring: Ring) -> None:
    reader = _join(segment, 0)
    ring.post(Command(2**64 - 1, payload=bytes(64)), [0])
    [command] = ring.read(reader).commands
    assert (command.kind, command.table, command.sender, command.record) == (2**64 - 1, None, 0, None)
    assert command.payload == bytes(64)


def test_what_does_not_fit_into_a_slot_is_refused(ring: Ring) -> None:
    with pytest.raises(ValueError, match="65 bytes"):
        ring.post(Command(Kind.TABLE, payload=bytes(65)), None)
    with pytest.raises(ValueError, match="17 sessions"):
        ring.post(_table(), range(ADDRESSEES + 1))
    with pytest.raises(ValueError, match="no such records"):
        ring.post(_table(), [0, 8])
    assert ring.posted == 0


def test_a_newcomer_hears_nothing_that_was_said_before(segment: Segment, ring: Ring) -> None:
    _join(segment, 0)
    for _ in range(3):
        ring.post(_table(), [0])
    segment.records[0].free()
    newcomer = _join(segment, 0)
    reading = ring.read(newcomer)
    assert (reading.commands, reading.overrun) == ((), False)


def test_a_reader_that_was_overrun_is_told_and_gets_the_rest(segment: Segment, ring: Ring) -> None:
    reader = _join(segment, 0)
    for number in range(11):
        ring.post(_table(payload=bytes([number])), None)
    reading = ring.read(reader)
    assert reading.overrun
    assert [command.payload[0] for command in reading.commands] == list(range(3, 11))
    assert segment.head.overruns == 1
    assert not ring.read(reader).overrun


def test_exactly_a_ring_full_is_no_overrun(segment: Segment, ring: Ring) -> None:
    reader = _join(segment, 0)
    for _ in range(8):
        ring.post(_table(), None)
    reading = ring.read(reader)
    assert (len(reading.commands), reading.overrun) == (8, False)


def test_five_readers_lose_nothing(name: str) -> None:
    count = 3000
    segment = Segment.create(name, Layout(sessions=8, tables=1, slots=16, half=4096), unlock_ms=20_000)
    ring = Ring(segment)

    def read_all(index: int) -> Callable[[Say], None]:
        def work(say: Say) -> None:
            got: list[int] = []

            def look() -> bool:
                reading = ring.read(segment.records[index])
                assert not reading.overrun
                got.extend(int.from_bytes(command.payload, "little") for command in reading.commands)
                return len(got) >= count

            wait_until(look, seconds=30)
            assert got == list(range(count))
            say(f"all {len(got)}")

        return work

    with ExitStack() as stack:
        readers = [stack.enter_context(_child_in(segment, index, read_all(index))) for index in range(5)]
        for number in range(count):
            ring.post(_table(payload=number.to_bytes(4, "little")), range(5))
        assert [reader.end() for reader in readers] == [[f"all {count}"]] * 5
    assert (segment.head.expired, segment.head.overruns) == (0, 0)
    assert segment.head.waits > 0  # 16 slots for 3000 commands: the sender only had to wait
    segment.close()


def test_several_senders_share_the_numbers(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 20_000
    reader = _join(segment, 0)

    def send(index: int) -> Callable[[Say], None]:
        def work(say: Say) -> None:
            for number in range(200):
                ring.post(_table(segment.records[index], bytes([index, number])), [0])

        return work

    got: list[tuple[int, bytes]] = []

    def look() -> bool:
        reading = ring.read(reader)
        assert not reading.overrun
        got.extend((command.number, command.payload) for command in reading.commands)
        return len(got) >= 600

    with _child_in(segment, 1, send(1)), _child_in(segment, 2, send(2)), _child_in(segment, 3, send(3)):
        wait_until(look, seconds=30)
    assert [number for number, _ in got] == list(range(1, 601))
    for index in (1, 2, 3):
        assert [payload[1] for _, payload in got if payload[0] == index] == list(range(200))


def test_a_stopped_reader_holds_a_slot_for_the_unlock_time_and_is_told(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 350

    def read_when_rung(say: Say) -> None:
        wait_until(lambda: segment.head.closing == 1)
        reading = ring.read(segment.records[0])
        say(f"{reading.overrun} {len(reading.commands)}")

    with _child_in(segment, 0, read_when_rung) as reader:
        reader.stop()
        started = time.monotonic()
        for _ in range(8):
            ring.post(_table(), [0])
        assert segment.head.waits == 0
        ring.post(_table(), [0])
        assert time.monotonic() - started >= 0.35
        assert (segment.head.waits, segment.head.expired) == (1, 1)
        segment.head.closing = 1
        reader.signal(signal.SIGCONT)
        assert reader.end() == ["True 8"]


def test_a_slot_is_released_as_soon_as_it_is_read(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 20_000

    def read_late(say: Say) -> None:
        wait_until(lambda: segment.head.closing == 1)
        say(str(len(ring.read(segment.records[0]).commands)))

    with _child_in(segment, 0, read_late) as reader:
        for _ in range(8):
            ring.post(_table(), [0])

        def post_one_more(say: Say) -> None:
            ring.post(_table(), [0])
            say("posted")

        with forked(post_one_more) as sender:
            segment.head.closing = 1
            assert sender.end() == ["posted"]
        assert reader.hear() in ("8", "9")
    assert segment.head.expired == 0


def test_a_killed_reader_slows_nobody(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 20_000
    with _child_in(segment, 0, _sleep) as reader:
        ring.post(_table(), [0])
        reader.die_unreaped()
        assert _timed(lambda: [ring.post(_table(), [0]) for _ in range(50)]) < 10
        assert (segment.head.waits, segment.head.expired) == (0, 0)


def test_nobody_waits_for_a_freed_record_its_successor_or_himself(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 20_000
    sender = _join(segment, 1)
    _join(segment, 0)

    def fill() -> None:
        for _ in range(8):
            ring.post(_table(sender), [0, 1])

    fill()
    segment.records[0].free()
    assert _timed(lambda: ring.post(_table(sender), [0, 1])) < 10
    _join(segment, 0)
    assert _timed(lambda: ring.post(_table(sender), [1])) < 10
    assert segment.head.waits == 0


def test_ordinary_messages_never_wait(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 20_000
    _join(segment, 0)
    assert _timed(lambda: [ring.post(_table(), None) for _ in range(50)]) < 10
    assert segment.head.waits == 0


def test_timed_mode_locks_its_one_slot_for_the_whole_time(segment: Segment, ring: Ring) -> None:
    segment.head.timed, segment.head.unlock_ms = 1, 300
    reader = _join(segment, 0)
    started = time.monotonic()
    ring.post(_table(), [0])
    assert len(ring.read(reader).commands) == 1  # read, but still locked
    ring.post(_table(), [0])
    assert 0.3 <= time.monotonic() - started < 5
    assert segment.head.waits == 1
    assert segment.head.expired == 0


def test_timed_mode_an_ordinary_message_unlocks_at_once_but_waits_for_a_game_command(
    segment: Segment, ring: Ring
) -> None:
    segment.head.timed, segment.head.unlock_ms = 1, 20_000
    _join(segment, 0)
    assert _timed(lambda: [ring.post(_table(), None) for _ in range(20)]) < 10
    segment.head.unlock_ms = 120
    assert 0.12 <= _timed(lambda: [ring.post(_table(), to) for to in ([0], None)]) < 5


def test_timed_mode_loses_what_a_slow_reader_has_not_read_and_tells_him(segment: Segment, ring: Ring) -> None:
    segment.head.timed, segment.head.unlock_ms = 1, 20
    reader = _join(segment, 0)
    for number in range(3):
        ring.post(_table(payload=bytes([number])), [0])
    reading = ring.read(reader)
    assert reading.overrun
    assert [command.payload for command in reading.commands] == [b"\2"]
    assert segment.head.expired == 2


def test_a_slot_its_sender_did_not_finish_is_used_anew(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 20_000
    reader = _join(segment, 0)
    ring.post(_table(payload=b"last"), [0])
    ring.post(_table(payload=b"half"), [0])
    segment.head.posted = 1  # as if its sender had been killed between number and head
    assert [command.payload for command in ring.read(reader).commands] == [b"last"]
    assert _timed(lambda: ring.post(_table(payload=b"next"), [0])) < 10
    assert [command.payload for command in ring.read(reader).commands] == [b"next"]
    assert segment.head.waits == 0


def test_a_half_written_slot_is_skipped_and_noticed(segment: Segment, ring: Ring) -> None:
    reader = _join(segment, 0)
    ring.post(_table(payload=b"lost"), [0])
    ring.post(_table(payload=b"kept"), [0])
    at = bytes(segment.memory).index(b"lost")
    segment.memory[at] ^= 1
    reading = ring.read(reader)
    assert reading.overrun
    assert [command.payload for command in reading.commands] == [b"kept"]


def test_killing_senders_at_random_leaves_the_ring_whole(segment: Segment, ring: Ring) -> None:
    segment.head.unlock_ms = 1
    rng = random.Random(5)
    reader = _join(segment, 0)

    def post_for_ever(say: Say) -> None:
        say("now")
        while True:
            ring.post(_table(payload=os.urandom(4) * 8), [0])

    last = 0
    for _ in range(100):
        with forked(post_for_ever) as sender:
            sender.hear()
            time.sleep(rng.random() / 500)
            sender.kill()
        for command in ring.read(reader).commands:
            assert command.number > last
            assert command.payload == command.payload[:4] * 8
            last = command.number
        number = ring.post(_table(payload=b"alive"), [0])
        assert number >= last + 1
        [command] = ring.read(reader).commands
        assert (command.number, command.payload) == (number, b"alive")
        last = number
    assert last > 200


@pytest.mark.parametrize("junk", [b"\xff" * 8, b"\x07" * 8], ids=["ones", "sevens"])
@pytest.mark.parametrize("damaged", ["slots", "number", "both"])
def test_a_damaged_ring_is_begun_again(
    segment: Segment, ring: Ring, junk: bytes, damaged: str, caplog: pytest.LogCaptureFixture
) -> None:
    sender, reader = (_join(segment, index) for index in range(2))
    for _ in range(3):
        ring.post(_table(sender), [1])
    start, end = segment.layout.ring_at, segment.layout.ring_at + segment.layout.slot_bytes * segment.layout.slots
    if damaged != "number":
        segment.memory[start:end] = junk * ((end - start) // 8)
    if damaged != "slots":
        segment.words[POSTED] = int.from_bytes(junk, "little")
    ring.post(_table(sender, b"after"), [1])
    reading = ring.read(reader)
    assert reading.overrun
    assert [command.payload for command in reading.commands] == [b"after"]
    assert ring.read(reader) == NewCommands((), overrun=False)
    ring.post(_table(sender, b"and on"), [1])
    assert [command.payload for command in ring.read(reader).commands] == [b"and on"]
    assert [one.getMessage() for one in caplog.records] == ["the ring of commands was damaged and begins again"]


def test_a_reader_heals_from_a_damaged_number(segment: Segment, ring: Ring) -> None:
    sender, reader = (_join(segment, index) for index in range(2))
    for junk in (2**64 - 1, 0, 12345):
        segment.words[POSTED] = junk
        assert ring.read(reader).overrun
        ring.post(_table(sender), [1])
        assert len(ring.read(reader).commands) == 1
