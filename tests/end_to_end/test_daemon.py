"""The listener's life: closing down, being killed and replaced, reloading, and its limits."""

import os
import re
import resource
import signal
import socket
import sys
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pexpect
import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller
from tests.end_to_end.daemons import (
    greeted,
    kill_all,
    kill_listener,
    lives,
    owns,
    records,
    semaphores,
    shared_memory,
    telnetd,
)
from tests.kernel import semaphore_exists
from tests.processes import serving
from tests.waiting import wait_until
from yawc_poker.ipc.segment import Segment, segment_name

CLOSING = 20.0
"""Seconds that a close takes at most on a busy machine; what waits for one that has stopped never ends."""
SLOW = FAST.replace("tick_seconds = 0.2", "tick_seconds = 50").replace("duty_seconds = 0.5", "duty_seconds = 50")
"""Ticks and duties so rare that only a bell can be the reason of what happens."""


# --- closing down -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_whole_group_closes_in_good_order(tmp_path: Path, number: signal.Signals) -> None:
    with Bbs(tmp_path / "data") as bbs:
        callers = bbs.seat("Anna", "Bert", "Carl")
        callers[0].send("s")
        for caller in callers:
            caller.until("Pot:", "30 CUBES")
        os.killpg(bbs.process.pid, number)
        for caller in callers:
            caller.see("The BBS is closing down.")
            caller.ended()
        bbs.close()
        assert bbs.process.returncode == 0
        bbs.is_sound()
        bbs.start()
        for name in ("Anna", "Bert", "Carl"):
            owns(bbs.call().log_in(name), 100)


@pytest.mark.usefixtures("afresh")
def test_whoever_asks_for_the_end_again_and_again_gets_the_same_end(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        while bbs.process.poll() is None:
            bbs.process.send_signal(signal.SIGTERM)
        assert bbs.process.returncode == 0


@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
def test_the_window_it_was_started_in_is_closed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    window = pexpect.spawn(
        sys.executable, ["-m", "telnetd", "--data", str(data), "--host", "127.0.0.1", "--port", "0"], timeout=DEADLINE
    )
    window.expect("listening on")
    listener = psutil.Process(window.pid)
    os.close(window.child_fd)
    wait_until(lambda: not lives(listener), "the listener's end")
    assert not shared_memory(data).exists()


def test_a_hang_up_of_the_group_is_a_reload_and_ends_nobody(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna = bbs.call().register("Anna")
        os.killpg(bbs.process.pid, signal.SIGHUP)
        wait_until(lambda: "configuration read again" in bbs.log.read_text(), "the reload")
        anna.press("w")
        anna.see("1 user online.")


def test_closing_down_in_a_game_tells_everybody_and_gives_the_stakes_back(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        carl = bbs.call().register("Carl")
        dora = bbs.call()
        dora.see("Name:")
        anna.send("s")
        anna.bet("5")
        bert.until("Pot:", "25 CUBES")
        keys, file = semaphores(bbs.data), shared_memory(bbs.data)
        assert len(keys) == 7  # directory, bank, broadcast, a table of each game
        assert file.stat().st_mode & 0o777 == 0o600
        sessions = serving(bbs.process.pid)
        assert len(sessions) == 4
        began = time.monotonic()
        assert bbs.stop() == 0
        assert time.monotonic() - began < CLOSING
        for caller in (anna, bert, carl, dora):
            caller.see("The BBS is closing down.")
            caller.ended()
        assert bbs.process.stdout is not None
        assert bbs.process.stdout.read() == ""
        bbs.close()
        assert not file.exists()
        assert not any(semaphore_exists(key) for key in keys)
        assert not any(lives(session) for session in sessions)
        assert "bug" not in bbs.log.read_text()
        bbs.is_sound()
        bbs.start()
        anna = bbs.call().log_in("Anna")
        owns(anna, 100)
        anna.see("your 15 CUBES came back")
        owns(bbs.call().log_in("Bert"), 100)


def test_closing_down_does_not_wait_for_a_stopped_session(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        bert.until("Pot:", "20 CUBES")
        keys, file = semaphores(bbs.data), shared_memory(bbs.data)
        stopped = bbs.stopped("Anna")
        began = time.monotonic()
        assert bbs.stop() == 0
        assert time.monotonic() - began < CLOSING
        bert.see("The BBS is closing down.")
        anna.ended()
        assert not lives(stopped)
        assert not file.exists()
        assert not any(semaphore_exists(key) for key in keys)
        bbs.is_sound()


def test_callers_who_come_while_it_closes_do_not_keep_it(tmp_path: Path) -> None:
    """All are told that it closes. A machine that is busy may need longer for twenty of them than they are given."""
    assert any(_ends_with_many(tmp_path / f"try-{number}") for number in range(3))


def _ends_with_many(data: Path) -> bool:
    """Stop a BBS while many call; return whether all have ended by themselves."""
    with Bbs(data) as bbs, ExitStack() as stack:
        calls = [
            stack.enter_context(socket.create_connection(("127.0.0.1", bbs.port), timeout=DEADLINE)) for _ in range(20)
        ]
        assert calls[0].recv(1)
        assert bbs.stop() == 0
        for call in calls:
            _read_out(call)
        said = bbs.log.read_text()
        assert "bug" not in said
        return "did not end" not in said


def _read_out(call: socket.socket) -> None:
    """Read until the other side has hung up."""
    with call:
        try:
            while call.recv(4096):
                pass
        except ConnectionError:
            pass


def test_told_to_end_before_it_listens_it_leaves_nothing(tmp_path: Path) -> None:
    with telnetd("--data", tmp_path, "--port", "0", "--host", "127.0.0.1") as daemon:
        wait_until(shared_memory(tmp_path).exists, "the segment")
        daemon.send_signal(signal.SIGTERM)
        daemon.communicate(timeout=DEADLINE)
    assert daemon.returncode == 0
    assert not shared_memory(tmp_path).exists()


def test_told_to_end_while_it_loads_it_closes_what_a_killed_one_left(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna = bbs.call().register("Anna")
        kill_listener(bbs)
        with telnetd(*bbs.options()) as daemon:
            wait_until(lambda: holds_back(daemon.pid, signal.SIGTERM), "the first thing it does")
            daemon.send_signal(signal.SIGTERM)
            anna.see("The BBS is closing down.")
            anna.ended()
            daemon.communicate(timeout=DEADLINE)
        assert daemon.returncode == 0
        assert not shared_memory(bbs.data).exists()


def holds_back(pid: int, number: int) -> bool:
    """Return whether this process has a signal blocked."""
    found = re.search(r"^SigBlk:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return found is not None and bool(int(found[1], 16) >> number - 1 & 1)


# --- killed -----------------------------------------------------------------------------------------------------------


def test_all_killed_in_a_game_the_next_start_gives_the_stakes_back(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        anna.bet("5")
        bert.until("Pot:", "25 CUBES")
        keys = semaphores(bbs.data)
        kill_all(bbs)
        assert shared_memory(bbs.data).exists()
        bbs.start()
        assert not any(semaphore_exists(key) for key in keys)
        assert set(semaphores(bbs.data)).isdisjoint(keys)
        assert "the BBS was killed; it is replaced" in bbs.log.read_text()
        assert "game 1 was broken off" in bbs.log.read_text()
        bbs.is_sound()
        anna, bert = bbs.call().log_in("Anna"), bbs.call().log_in("Bert")
        owns(anna, 100)
        owns(bert, 100)
        anna.see("Game 1 was broken off; your 15 CUBES came back.")
        bert.see("Game 1 was broken off; your 10 CUBES came back.")
        anna.send("qy")
        anna.ended()
        again = bbs.call().log_in("Anna")
        assert "broken off" not in again.text


def test_the_listener_killed_alone_sessions_play_on_and_a_new_one_takes_over(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        anna.bet("5")
        bert.until("Turn:", "Bert")
        keys = semaphores(bbs.data)
        orphans = kill_listener(bbs)
        bert.bet("5")
        anna.until("Pot:", "30 CUBES")
        anna.send("d")
        bert.until("Turn:", "Bert")
        port = bbs.port
        bbs.start()
        assert bbs.port == port
        assert semaphores(bbs.data) == keys
        assert "the listener was killed, its sessions go on" in bbs.log.read_text()
        carl = bbs.call().register("Carl").sit()
        carl.until("Pot:", "30 CUBES")
        bert.hear("Carl sits down")
        bert.send("d")
        anna.bet("5")
        carl.until("Pot:", "35 CUBES")
        began = time.monotonic()
        assert bbs.stop() == 0
        assert time.monotonic() - began < CLOSING
        for caller in (anna, bert, carl):
            caller.see("The BBS is closing down.")
            caller.ended()
        assert not any(lives(orphan) for orphan in orphans)
        assert not shared_memory(bbs.data).exists()
        assert not any(semaphore_exists(key) for key in keys)
        bbs.close()
        bbs.is_sound()
        bbs.start()
        owns(bbs.call().log_in("Anna"), 100)


def test_the_death_of_a_session_is_told_at_once(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", SLOW) as bbs:
        _, bert = bbs.seat("Anna", "Bert")
        bbs.session("Anna").kill()
        bert.hear("Anna was removed")
        bert.until("Master:", "Bert")


@pytest.mark.parametrize("name", ["directory", "broadcast"])
def test_the_listener_waits_for_no_lock(tmp_path: Path, name: str) -> None:
    """A session dies while somebody holds a lock: the listener goes on meanwhile, and tells of the death after it."""
    with Bbs(tmp_path / "data", SLOW) as bbs:
        _, bert = bbs.seat("Anna", "Bert")
        segment = Segment.attach(segment_name(bbs.data))
        try:
            with next(lock for lock in segment.locks if lock.name == name):
                session = bbs.session("Anna")
                session.kill()
                wait_until(lambda: not session.is_running(), "the session's end")
                bbs.process.send_signal(signal.SIGHUP)
                wait_until(lambda: "configuration read again" in bbs.log.read_text(), "the reload")
                carl = bbs.call()
                wait_until(lambda: len(serving(bbs.process.pid)) == 2, "Bert's process and Carl's")
            carl.see("Name:")
            bert.hear("Anna was removed")
            wait_until(lambda: records(bbs.data) == 2, "the record of the dead")
        finally:
            segment.close()


def _let_wake(session: psutil.Process, times: int) -> None:
    enough = session.num_ctx_switches().voluntary + times
    wait_until(lambda: session.num_ctx_switches().voluntary >= enough, f"{times} wakes")


def test_a_death_that_nobody_tells_of_is_seen_at_a_tick(tmp_path: Path) -> None:
    """Also after ticks at which nothing was new, which look at little."""
    with Bbs(tmp_path / "data", FAST.replace("duty_seconds = 0.5", "duty_seconds = 3600")) as bbs:
        _, bert, _ = bbs.seat("Anna", "Bert", "Carl")
        kill_listener(bbs)
        ticking = bbs.session("Bert")
        for name in ("Anna", "Carl"):
            _let_wake(ticking, 10)
            bbs.session(name).kill()
            bert.hear(f"{name} was removed")
        bert.until("Master:", "Bert")
        bbs.start()


def test_the_death_of_an_adopted_session_is_told_at_once(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", SLOW) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        bert.until("Turn:", "Anna")
        kill_listener(bbs)
        bbs.start()
        bbs.session("Anna").kill()
        bert.hear("Anna was removed")
        bert.hear("wins 20 CUBES")
        wait_until(lambda: records(bbs.data) == 1, "the record of the dead")


def test_adopted_sessions_count_for_the_limits(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("max_per_address = 200", "max_per_address = 2")) as bbs:
        anna, bert = (bbs.call().register(name) for name in ("Anna", "Bert"))
        kill_listener(bbs)
        bbs.start()
        refused_one = bbs.call()
        refused_one.see("too many calls from your address")
        refused_one.ended()
        bert.hang_up()
        wait_until(lambda: records(bbs.data) == 1, "the end of the session that was left")
        wait_until(lambda: greeted("127.0.0.1", bbs.port), "a free line")
        anna.send("w")
        anna.see("1 user online.")


def test_a_session_killed_by_an_unusual_signal_does_not_take_the_listener_along(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    bbs.session("Anna").send_signal(signal.SIGRTMIN + 6)
    anna.ended()
    wait_until(lambda: "ended with signal 40" in bbs.log.read_text(), "a word in the log")
    bbs.call().log_in("Anna")


def test_of_two_who_call_again_at_once_the_one_replaced_is_told(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        bbs.call().register("Anna")
        bbs.stopped("Anna")
        two = [bbs.call(), bbs.call()]
        for caller in two:
            caller.see("Name:")
            caller.line("Anna")
            caller.see("Password:")
            caller.line("secret-1")
        wait_until(lambda: _drained(two), "the end of one of the two")
        loser, winner = sorted(two, key=lambda caller: caller.is_open)
        assert "You logged in from another place" in loser.text
        winner.at_prompt()
        assert winner.is_open


def _drained(callers: list[Caller]) -> bool:
    """Read what has come to these callers; True if one of them is cut off."""
    for caller in callers:
        caller.drain()
    return not all(caller.is_open for caller in callers)


# --- unlock = "timed" -------------------------------------------------------------------------------------------------


def test_a_whole_game_under_the_originals_unlock(tmp_path: Path) -> None:
    timed = FAST + 'unlock = "timed"\nunlock_ms = 100\n'
    with Bbs(tmp_path / "data", timed) as bbs:
        people = anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        for caller in people:
            caller.bet("5")
        for caller in people:
            caller.see("[D] Done")
            caller.send("1d")
        anna.see("[H]")
        anna.send("h5\r")
        bert.bet()
        for caller in people:
            caller.see("[R] Show my")
            caller.send("r")
        for caller in people:
            caller.hear("wins 40 CUBES")
            caller.until("Pot:", "NO GAME")
            caller.until("Master:", "Bert")
        assert sorted(caller.cubes for caller in people) == [80, 120]
        bbs.is_sound()


# --- reload -----------------------------------------------------------------------------------------------------------


def test_a_new_configuration_holds_for_new_callers_and_a_broken_one_does_not(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        config = tmp_path / "data.toml"
        before = bbs.call().register("Anna")
        config.write_text(FAST.replace("Testville", "Newtown"))
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "configuration read again" in bbs.log.read_text(), "the reload")
        after = bbs.call()
        after.see("Newtown", "Name:")
        config.write_text("[poker]\nante = -1\n")
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "configuration not taken over" in bbs.log.read_text(), "the refusal")
        assert "poker.ante" in bbs.log.read_text()
        bbs.call().see("Newtown", "Name:")
        before.send("w")
        before.see("Anna", "1 user online.")
        before.at_prompt()


def test_a_reload_names_what_waits_for_a_restart(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        more = FAST.replace("[poker]", "[poker]\ntables = 3").replace("[telnet]", "[telnet]\nmax_sessions = 600")
        (tmp_path / "data.toml").write_text(more + "unlock_ms = 200\n")
        bbs.process.send_signal(signal.SIGHUP)
        said = "until the BBS is stopped and started: telnet.max_sessions, poker.tables, engine.unlock_ms\n"
        wait_until(lambda: said in bbs.log.read_text(), "the warning")
        bbs.call().register("Anna")


# --- many callers, few descriptors ------------------------------------------------------------------------------------


def test_fifty_callers_leave_nothing_behind(bbs: Bbs) -> None:
    listener = psutil.Process(bbs.process.pid)
    bbs.call().see("Name:")
    bbs.everybody_out()
    wait_until(lambda: records(bbs.data) == 0, "an empty directory")
    descriptors = listener.num_fds()
    callers = [bbs.call() for _ in range(50)]
    for caller in callers:
        caller.see("Name:")
    assert len(serving(listener.pid)) == records(bbs.data) == 50
    for number, caller in enumerate(callers):
        if number % 3 == 0:
            caller.line("/quit")
            caller.ended()
        else:
            caller.hang_up()
    wait_until(lambda: not serving(listener.pid), "the end of all sessions, none left as a zombie")
    assert records(bbs.data) == 0
    assert listener.num_fds() == descriptors
    assert "bug" not in bbs.log.read_text()


def test_a_session_inherits_neither_listening_socket_nor_listeners_pipe(bbs: Bbs) -> None:
    bbs.call().register("Anna")
    bbs.call().register("Bert")
    session = bbs.session("Bert")
    sockets = [one for one in session.net_connections("all") if one.type == socket.SOCK_STREAM]
    assert [one.status for one in sockets] == [psutil.CONN_ESTABLISHED]


def test_without_descriptors_it_rests_and_then_goes_on(bbs: Bbs) -> None:
    listener = psutil.Process(bbs.process.pid)
    _, hard = listener.rlimit(resource.RLIMIT_NOFILE)
    listener.rlimit(resource.RLIMIT_NOFILE, (3, hard))  # too few for the spare one, too
    caller = bbs.call()
    wait_until(lambda: bbs.log.read_text().count("cannot accept") >= 3, "three tries")
    tries = re.findall(r"^(\S+ \S+),(\d+) ERROR.*cannot accept", bbs.log.read_text(), re.MULTILINE)
    moments = [datetime.fromisoformat(second).timestamp() + int(rest) / 1000 for second, rest in tries]
    assert moments[2] - moments[0] > 0.8, "it tries again and again without a rest"
    listener.rlimit(resource.RLIMIT_NOFILE, (hard, hard))
    caller.see("Name:")
