"""What sessions count, over several processes, and how it reads as text."""

import math
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exposition import Text
from tests.isolation.sessions import Hall, Session, clocks
from tests.waiting import wait_until
from yawc_poker.casino import counters
from yawc_poker.casino.counters import METRICS, CountReading, read_metrics
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.snapshot import Snapshot
from yawc_poker.extras.live import metrics
from yawc_poker.extras.live.metrics import GAUGES, exposition
from yawc_poker.ipc.broadcast import Command, Kind, Ring
from yawc_poker.ipc.layout import LAYOUT_VERSION
from yawc_poker.ipc.semaphore import LockLevel

PAGE = Path(metrics.__file__).parent / "README.md"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data") as hall:
        yield hall


def read(hall: Hall) -> CountReading:
    return read_metrics(hall.foundation.segment)


def text(hall: Hall) -> Text:
    return Text(exposition(Snapshot.of(hall.foundation.segment)))


def a_game(*people: Session) -> None:
    assert people[0]("start") == "ok"
    for person in people:
        assert person("bet", 5) == "ok"
    for person in people:
        assert person("swap") == "ok"
    assert people[0]("see", 5) == "ok"
    for person in people[1:]:
        assert person("bet", 5) == "ok"
    for person in people:
        assert person("show") == "ok"


# --- the table of metrics ---------------------------------------------------------------------------------------------


def test_the_words_of_this_layout_are_these() -> None:
    """A session of an older program may count into the same segment: what differs here takes another version."""
    assert LAYOUT_VERSION == 8
    words = {metric.title: metric.word for metric in METRICS}
    assert list(words.values()) == sorted(words.values())
    assert {title: word for title, word in words.items() if METRICS[list(words).index(title)].kind == "histogram"} == {
        "yawc_transaction_seconds": 25,
        "yawc_bell_to_screen_seconds": 47,
        "yawc_key_to_screen_seconds": 69,
        'yawc_lock_wait_seconds{lock="directory"}': 91,
        'yawc_lock_wait_seconds{lock="table"}': 113,
        'yawc_lock_wait_seconds{lock="bank"}': 135,
        'yawc_lock_wait_seconds{lock="broadcast"}': 157,
    }
    assert [title for title, word in words.items() if word < 25] == [
        "yawc_sessions_started_total",
        "yawc_registrations_total",
        "yawc_logins_total",
        "yawc_logins_failed_total",
        "yawc_deliveries_overrun_total",
        "yawc_games_started_total",
        "yawc_games_finished_total",
        "yawc_games_called_off_total",
        "yawc_moves_total",
        "yawc_clocks_expired_total",
        "yawc_seats_purged_total",
        "yawc_chat_lines_total",
        "yawc_xmessages_total",
        *(
            f'yawc_connections_accepted_total{{door="{door}"}}'
            for door in ("telnet", "control", "metrics", "wire", "other")
        ),
        *(
            f'yawc_connections_refused_total{{reason="{reason}"}}'
            for reason in ("full", "address", "banned", "no_process", "other")
        ),
        "yawc_sessions_died_total",
        "yawc_upgrades_total",
    ]
    assert [title for title, word in words.items() if word >= 179] == [
        f'yawc_commands_posted_total{{kind="{kind}"}}'
        for kind in ("table", "xmessage", "notice", "end", "purge", "sysop")
    ] + [f'yawc_connections_accepted_total{{door="{door}"}}' for door in ("terminal", "tls", "web", "rlogin")]


def test_the_manual_lists_every_metric_and_no_other() -> None:
    chapter = PAGE.read_text()
    listed = re.findall(r"^\| `(yawc_[a-z_]+)`", chapter, flags=re.MULTILINE)
    assert sorted(listed) == sorted({metric.name for metric in METRICS} | {gauge.name for gauge in GAUGES})


def test_every_command_and_every_lock_has_its_word() -> None:
    assert set(counters.COMMANDS) == {int(kind) for kind in Kind}
    assert set(counters.LOCK_WAIT) == {int(level) for level in LockLevel}


# --- counting ---------------------------------------------------------------------------------------------------------


def of_session(hall: Hall, session: Session) -> CountReading:
    segment = hall.foundation.segment
    return CountReading(segment.counts.of(segment.records[index_of(session.token)]))


def test_a_game_is_counted_by_those_who_played_it(hall: Hall) -> None:
    anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
    before = read(hall)
    a_game(anna, bert, carl)
    assert anna("say", "well played") == "ok"
    now = read(hall)
    assert now.counter(counters.STARTED) == now.counter(counters.FINISHED) == 1
    assert (now.counter(counters.MOVES), now.counter(counters.CHAT)) == (12, 1)
    told = now.counter(counters.COMMANDS[Kind.TABLE]) - before.counter(counters.COMMANDS[Kind.TABLE])
    assert told == 17 - 2, "of a revealed text nobody is told but of the last one"
    transactions = now.histogram(counters.TRANSACTION)
    assert transactions.count - before.histogram(counters.TRANSACTION).count == 17
    assert 0 < transactions.seconds < 17 * 20
    of_anna = of_session(hall, anna)
    assert (of_anna.counter(counters.STARTED), of_anna.counter(counters.MOVES)) == (1, 4)


def test_a_refused_move_is_no_move(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    assert bert("bet", 5) == "not_your_turn"
    assert anna("start") != "ok"
    assert (read(hall).counter(counters.MOVES), read(hall).counter(counters.STARTED)) == (0, 1)


def test_the_dead_are_counted_and_what_they_counted_is_kept(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == anna("bet", 5) == "ok"
    anna.kill()
    before = text(hall)
    assert (before("yawc_moves_total"), before("yawc_games_running")) == (1, 1)
    hall.foundation.gone(anna.pid)
    assert hall.foundation.tidy()
    assert bert("look after") == "ok"
    now = text(hall)
    assert (now("yawc_moves_total"), now("yawc_games_started_total"), now("yawc_games_finished_total")) == (1, 1, 1)
    assert (now("yawc_sessions_died_total"), now("yawc_seats_purged_total")) == (1, 1)
    assert all(now.counts()[key] >= value for key, value in before.counts().items())
    assert hall.foundation.segment.counts.folds == 1


def test_who_leaves_leaves_his_counts(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    a_game(anna, bert)
    moves = read(hall).counter(counters.MOVES)
    assert anna("leave") == anna("vanish") == "ok"
    assert read(hall).counter(counters.MOVES) == moves == 8
    carl = hall.session(3, "Carl")  # takes Anna's record
    assert index_of(carl.token) == index_of(anna.token)
    assert of_session(hall, carl).counter(counters.MOVES) == 0


def test_a_wait_for_a_lock_is_timed_by_its_class(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    before = read(hall).histogram(counters.LOCK_WAIT[LockLevel.TABLE])
    with hall.table_held():
        anna.order("say", "hello")
        records = hall.foundation.segment.records
        wait_until(lambda: any(record.token and math.isinf(record.last_wait) for record in records))
    assert anna.answer() == "ok"
    waits = read(hall).histogram(counters.LOCK_WAIT[LockLevel.TABLE])
    assert waits.count == before.count + 1
    assert waits.seconds > before.seconds
    assert read(hall).histogram(counters.LOCK_WAIT[LockLevel.DIRECTORY]).count <= 1


def test_a_lock_that_is_not_waited_for_is_no_wait(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    bert.kill()
    before = read(hall).histogram(counters.LOCK_WAIT[LockLevel.TABLE]).count
    with hall.table_held():
        assert anna("duty") == "ok"
    assert hall.names() == ["Anna", "Bert"], "left for the next time"
    assert read(hall).histogram(counters.LOCK_WAIT[LockLevel.TABLE]).count == before


def test_a_reader_that_was_overrun_counts_it(hall: Hall) -> None:
    segment = hall.foundation.segment
    (anna,) = hall.seat("Anna")
    ring = Ring(segment)
    for _ in range(segment.layout.slots + 1):
        ring.post(Command(Kind.NOTICE, payload=b"login nobody"), None)
    assert text(hall)("yawc_ring_lag") >= segment.layout.slots + 1
    assert anna("read").startswith("overrun")
    assert read(hall).counter(counters.OVERRUNS) == 1
    assert text(hall)("yawc_ring_lag") == 0


def test_clocks_that_ran_out_are_counted(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", clocks(turn=0.05)) as hall:
        anna, bert = hall.seat("Anna", "Bert")
        assert anna("start") == "ok"
        wait_until(lambda: hall.phase() == "none" or bert("look after") != "ok", "the end of the game")
        now = read(hall)
        assert (now.counter(counters.TIMEOUTS) > 0, now.counter(counters.FINISHED)) == (True, 1)


# --- as text ----------------------------------------------------------------------------------------------------------


def test_an_empty_bbs_has_every_metric(hall: Hall) -> None:
    shown = text(hall)
    assert set(shown.kinds) == {metric.name for metric in METRICS} | {gauge.name for gauge in GAUGES}
    assert shown("yawc_listener_up") == 1
    assert shown("yawc_tables", state="empty") == 2
    assert shown("yawc_segment_bytes") == hall.foundation.segment.layout.size
    assert not any(value for value in shown.counts().values())


def test_gauges_tell_what_goes_on_now(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    hall.session(3, "Carl")
    assert text(hall)("yawc_tables", state="waiting") == 1
    assert anna("start") == "ok"
    shown = text(hall)
    assert (shown("yawc_tables", state="playing"), shown("yawc_games_running")) == (1, 1)
    assert sum(shown("yawc_sessions", place=place) for place in ("login", "prompt", "table")) == 3
    assert bert("leave") == "ok"
    assert text(hall)("yawc_games_running") == 0


def test_a_lock_and_a_closing_whose_session_was_stopped_are_seen(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    anna.doomed("before bet", "bet", 5, by=signal.SIGSTOP)
    shown = text(hall)
    assert (shown("yawc_locks_held", lock="table"), shown("yawc_locks_held", lock="bank")) == (1, 0)
    wait_until(lambda: text(hall)("yawc_lock_held_seconds", lock="table") >= 1, "a second")
    anna.go_on()
    assert anna.answer() == "ok"
    assert text(hall)("yawc_locks_held", lock="table") == 0
    bert.doomed("before settle", "leave", by=signal.SIGSTOP)
    shown = text(hall)
    assert (shown("yawc_tables", state="closing"), shown("yawc_games_running")) == (1, 1)


def test_a_segment_that_is_destroyed_meanwhile_can_still_be_told_of(tmp_path: Path) -> None:
    with Hall(tmp_path / "data") as hall:
        hall.foundation.demolish()
        assert text(hall)("yawc_locks_held", lock="table") == 0
