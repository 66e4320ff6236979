import gc
import os
import random
import re
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sysv_ipc

from tests.ipc.processes import forked
from tests.kernel import semaphore_exists
from yawc_poker.casino.presence import entrances
from yawc_poker.ipc import process
from yawc_poker.ipc.layout import (
    HEAD_BYTES,
    LAYOUT_VERSION,
    METRIC_HEAD_BYTES,
    METRIC_WORDS,
    USER_WORDS,
    Layout,
    user_words,
)
from yawc_poker.ipc.segment import (
    BadSegment,
    HalfCreated,
    NoSegment,
    Segment,
    SegmentError,
    SegmentExists,
    WrongLayout,
    segment_name,
)
from yawc_poker.ipc.semaphore import LockGone, held

Say = Callable[[str], None]


def _file(name: str) -> Path:
    return Path("/dev/shm") / name[1:]


def _keys(segment: Segment) -> list[int]:
    return [lock.key for lock in segment.locks]


def test_the_name_follows_the_real_directory(tmp_path: Path) -> None:
    data, other, link = tmp_path / "data", tmp_path / "other", tmp_path / "link"
    data.mkdir()
    link.symlink_to(data)
    assert segment_name(link) == segment_name(data) != segment_name(other)
    assert len(segment_name(data)) == len("/yawc-") + 16


def test_what_one_process_writes_another_reads(name: str, small: Layout) -> None:
    def create(say: Say) -> None:
        segment = Segment.create(name, small, timed=True, unlock_ms=123)
        segment.head.listener = process.me()
        segment.head.user[63] = 2**64 - 1
        segment.head.closing = 7
        say(f"{os.getpid()} {segment.head.boot_id.hex()}")

    with forked(create) as child:
        pid, boot_id = child.end()[0].split()
    segment = Segment.attach(name)  # the segment survives its creator
    assert segment.layout == small
    assert segment.head.boot_id.hex() == boot_id
    assert (segment.head.timed, segment.head.unlock_ms, segment.head.closing) == (1, 123, 7)
    assert segment.head.listener is not None
    assert segment.head.listener.pid == int(pid)
    assert not process.is_alive(segment.head.listener)
    assert segment.head.user[63] == 2**64 - 1
    assert abs(segment.head.created - time.time()) < 60
    segment.head.listener = None
    assert segment.head.listener is None
    segment.close()


def test_its_locks_hold_between_processes_and_are_free_at_the_start(segment: Segment) -> None:
    assert [lock.name for lock in segment.locks] == ["directory", "bank", "broadcast", "table 1", "table 2"]
    with segment.directory_lock, segment.cells[1].lock, segment.bank_lock, segment.broadcast_lock:
        assert held() == ("directory", "table 2", "bank", "broadcast")
        other = Segment.attach(segment.name)
        assert [lock.is_held for lock in other.locks] == [True, True, True, False, True]
        other.close()


def test_keys_are_what_the_kernel_takes_them_for(segment: Segment) -> None:
    assert [sysv_ipc.Semaphore(key).key for key in _keys(segment)] == _keys(segment)


def test_only_the_owner_can_open_it(segment: Segment) -> None:
    assert _file(segment.name).stat().st_mode & 0o777 == 0o600


def test_no_segment(name: str) -> None:
    with pytest.raises(NoSegment, match=name):
        Segment.attach(name)
    with pytest.raises(NoSegment, match=name):
        Segment.destroy(name)


def test_a_second_segment_of_the_same_name_is_refused(segment: Segment, small: Layout) -> None:
    with pytest.raises(SegmentExists):
        Segment.create(segment.name, small)
    Segment.attach(segment.name).close()


def test_two_segments_differ_in_boot_id_and_keys(segment: Segment, small: Layout) -> None:
    name = segment.name + "b"
    other = Segment.create(name, small)
    try:
        assert other.head.boot_id != segment.head.boot_id
        assert not set(_keys(other)) & set(_keys(segment))
    finally:
        other.close()
        Segment.destroy(name)


def test_another_layout_is_refused_with_both_versions(segment: Segment) -> None:
    segment.head.version = 99
    with pytest.raises(WrongLayout, match="layout 99") as caught:
        Segment.attach(segment.name)
    assert (caught.value.found, caught.value.expected) == (99, LAYOUT_VERSION)


def test_rights_that_are_not_ours_are_refused(segment: Segment) -> None:
    _file(segment.name).chmod(0o666)
    with pytest.raises(BadSegment, match="mode 666"):
        Segment.attach(segment.name)
    with pytest.raises(BadSegment):
        Segment.destroy(segment.name)
    _file(segment.name).chmod(0o600)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_foreign_owner_is_refused(segment: Segment) -> None:
    os.chown(_file(segment.name), 12345, -1)
    with pytest.raises(BadSegment, match="belongs to user 12345"):
        Segment.attach(segment.name)
    os.chown(_file(segment.name), os.geteuid(), -1)


def test_a_segment_cut_short_is_refused(segment: Segment, small: Layout) -> None:
    os.truncate(_file(segment.name), small.size - 4096)
    with pytest.raises(BadSegment, match=f"its head says {small.size}"):
        Segment.attach(segment.name)


def test_a_head_whose_counts_do_not_make_its_size_is_refused(segment: Segment) -> None:
    segment.words[3] += 1
    with pytest.raises(BadSegment):
        Segment.attach(segment.name)
    segment.words[3] -= 1


def test_a_segment_of_another_program_is_left_alone(segment: Segment) -> None:
    magic = segment.head.magic
    segment.head.magic = 1
    with pytest.raises(BadSegment, match="another program"):
        Segment.attach(segment.name)
    with pytest.raises(BadSegment, match="another program"):
        Segment.destroy(segment.name)
    assert all(semaphore_exists(key) for key in _keys(segment))
    segment.head.magic = magic


def test_a_segment_without_its_semaphores_is_refused(segment: Segment) -> None:
    segment.cells[1].lock.remove()
    with pytest.raises(HalfCreated, match="table 2"):
        Segment.attach(segment.name)
    segment.records[0].claim(process.me(), 1, "test")
    with pytest.raises(BadSegment, match=f"table 2.*processes {os.getpid()} are still in it"):
        Segment.attach(segment.name)


def test_destroy_removes_segment_and_semaphores(segment: Segment) -> None:
    keys = _keys(segment)
    assert len(set(keys)) == 5
    assert all(semaphore_exists(key) for key in keys)
    Segment.destroy(segment.name)
    assert not any(semaphore_exists(key) for key in keys)
    assert not _file(segment.name).exists()
    with pytest.raises(LockGone):
        segment.directory_lock.acquire()


def test_a_process_still_attached_sees_that_the_segment_is_orphaned(segment: Segment, small: Layout) -> None:
    before = segment.is_orphaned
    Segment.destroy(segment.name)
    successor = Segment.create(segment.name, small)
    assert (before, segment.is_orphaned, successor.is_orphaned) == (False, True, False)
    successor.close()


@pytest.mark.parametrize("version", [LAYOUT_VERSION, 99])
def test_destroy_cleans_up_half_created_ones_and_other_versions(segment: Segment, version: int) -> None:
    keys = _keys(segment)
    segment.head.version = version
    segment.head.magic = 0
    segment.cells[1].lock.remove()  # as if its creator had died before making the semaphore of this key
    with pytest.raises(HalfCreated):
        Segment.attach(segment.name)
    Segment.destroy(segment.name)
    assert not any(semaphore_exists(key) for key in keys)
    assert not _file(segment.name).exists()


def test_destroy_takes_a_segment_without_a_head(segment: Segment) -> None:
    keys = _keys(segment)
    os.truncate(_file(segment.name), 0)
    with pytest.raises(HalfCreated):
        Segment.attach(segment.name)
    Segment.destroy(segment.name)
    assert not _file(segment.name).exists()
    for key in keys:  # only this test still knows them
        sysv_ipc.Semaphore(key).remove()


def test_a_creator_that_fails_leaves_nothing(name: str, small: Layout) -> None:
    gc.collect()  # garbage of earlier tests
    descriptors = os.listdir("/proc/self/fd")
    with pytest.raises(ValueError, match="Q"):
        Segment.create(name, small, unlock_ms=-1)
    assert not _file(name).exists()
    gc.collect()
    assert os.listdir("/proc/self/fd") == descriptors


def test_too_little_memory_is_said_at_once_and_leaves_nothing(name: str, small: Layout) -> None:
    def create(say: Say) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        with pytest.raises(SegmentError, match=f"cannot make segment {name}"):
            Segment.create(name, small)

    with forked(create) as child:
        child.end()
    assert not _file(name).exists()


def test_a_killed_creator_leaves_nothing_that_destroy_does_not_find(name: str, small: Layout) -> None:
    rng = random.Random(7)
    unfinished = 0

    def create_and_vanish(say: Say) -> None:
        say("now")
        while True:
            Segment.create(name, small).close()
            Segment.destroy(name)

    for _ in range(60):
        with forked(create_and_vanish) as child:
            child.hear()
            time.sleep(rng.random() / 1000)
            child.kill()
        try:
            raw = _file(name).read_bytes()
        except FileNotFoundError:
            continue
        named = _named_in(raw, small)
        try:
            Segment.attach(name).close()
        except (HalfCreated, BadSegment):
            unfinished += 1
        Segment.destroy(name)
        assert not any(semaphore_exists(key) for key in named)
        assert not _file(name).exists()
    assert unfinished > 0


def _named_in(raw: bytes, layout: Layout) -> list[int]:
    if len(raw) < HEAD_BYTES:
        return []
    words = memoryview(raw).cast("Q")
    cells = [(layout.tables_at + index * layout.cell_bytes) // 8 + 1 for index in range(layout.tables)]
    return [words[at] for at in (11, 12, 13, *cells) if words[at]]


@pytest.mark.parametrize(
    "build",
    [
        lambda: Layout(sessions=0),
        lambda: Layout(tables=0),
        lambda: Layout(slots=0),
        lambda: Layout(sessions=70000),
        lambda: Layout(payload=7),
        lambda: Layout(half=64),
        lambda: Layout(seats=0),
    ],
)
def test_layouts_that_cannot_be_are_refused(build: Callable[[], Layout]) -> None:
    with pytest.raises(ValueError, match=r"laid out|whole words"):
        build()


def test_the_parts_of_a_layout_do_not_overlap() -> None:
    layout = Layout(sessions=3, tables=2, slots=5, payload=8, half=4096, seats=3)
    assert layout.directory_at == HEAD_BYTES
    assert layout.ring_at == HEAD_BYTES + 3 * 512
    assert layout.tables_at >= layout.ring_at + 5 * layout.slot_bytes
    assert layout.metrics_at >= layout.tables_at + 2 * layout.cell_bytes
    assert layout.size == layout.metrics_at + layout.metrics_bytes
    assert layout.metrics_bytes == METRIC_HEAD_BYTES + 5 * METRIC_WORDS * 8
    assert layout.metrics_at % 4096 == 0
    assert layout.tables_at % 64 == layout.slot_bytes % 8 == layout.cell_bytes % 8 == 0


def test_a_word_of_the_head_has_one_owner() -> None:
    assert user_words(entrances.__name__, (2, 3)) == (2, 3)
    with pytest.raises(ValueError, match=f"word 2 of the head is {re.escape(entrances.__name__)}"):
        user_words("made up", [2])
    with pytest.raises(ValueError, match="word 64 of the head is not there"):
        user_words("made up", [USER_WORDS])
