"""Under a service manager: sockets that it opened, what it is told, its watchdog."""

import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import TelnetCaller, connected
from tests.end_to_end.daemons import greeted
from tests.end_to_end.manager import Manager
from tests.processes import serving
from tests.thoroughness import few
from tests.waiting import wait_until


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    found = Manager(tmp_path)
    yield found
    found.close()


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        yield opened


def port_of(listening: socket.socket) -> int:
    return int(listening.getsockname()[1])


# --- passed sockets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", few(["yawc-telnetd.socket", "unknown:unknown", "", "telnet"], 2))
def test_callers_come_in_by_a_socket_that_was_passed(manager: Manager, listening: socket.socket, names: str) -> None:
    with manager.started([listening], names):
        manager.hear("READY=1")
        assert greeted("127.0.0.1", port_of(listening))
        assert f"listening on 127.0.0.1:{port_of(listening)}" in manager.log.read_text()


def test_a_caller_who_connects_before_it_is_started_waits(manager: Manager, listening: socket.socket) -> None:
    with TelnetCaller(connected(port_of(listening))) as early, manager.started([listening], "telnet"):
        early.register("Anna")


def test_two_passed_sockets_are_both_served(manager: Manager, listening: socket.socket) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, manager.started([listening, other], "telnet:telnet"):
        manager.hear("READY=1")
        assert greeted("127.0.0.1", port_of(listening))
        assert greeted("127.0.0.1", port_of(other))


def test_the_socket_lives_on_when_the_listener_is_killed_or_stopped(manager: Manager, listening: socket.socket) -> None:
    with manager.started([listening], "telnet"), TelnetCaller(connected(port_of(listening))) as anna:
        anna.register("Anna")
    anna_again = TelnetCaller(connected(port_of(listening)))
    with anna_again, manager.started([listening], "telnet"):
        anna_again.log_in("Anna")


def test_a_session_does_not_inherit_the_passed_socket(manager: Manager, listening: socket.socket) -> None:
    with manager.started([listening], "telnet") as daemon, TelnetCaller(connected(port_of(listening))) as anna:
        anna.register("Anna")
        (session,) = serving(daemon.pid)
        sockets = [one for one in session.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
        assert not sockets


@pytest.mark.parametrize("variables", few([{"LISTEN_PID": "1"}, {"LISTEN_FDS": "some"}, {"LISTEN_FDS": ""}], 2))
def test_variables_that_are_not_meant_for_it(
    manager: Manager, listening: socket.socket, variables: dict[str, str]
) -> None:
    with manager.started(environ={"LISTEN_FDS": "1", **variables}) as daemon:
        manager.hear("READY=1")
        assert f"127.0.0.1:{port_of(listening)}" not in manager.log.read_text()
        assert psutil.Process(daemon.pid).is_running()


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_what_does_not_listen_is_refused(manager: Manager, kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as silent:
        silent.bind(("127.0.0.1", 0))
        with pytest.raises(AssertionError), manager.started([silent], "telnet") as daemon:
            daemon.wait()
    assert daemon.returncode == 69
    assert "descriptor 3 was passed, but it is no listening stream socket" in manager.log.read_text()
    assert not manager.data.exists()


# --- what it says -----------------------------------------------------------------------------------------------------


def test_readiness_status_reload_and_end_are_told(manager: Manager, listening: socket.socket) -> None:
    with manager.started([listening], "telnet") as daemon:
        manager.hear("READY=1")
        manager.hear("STATUS=callers: 0")
        with TelnetCaller(connected(port_of(listening))) as anna:
            anna.register("Anna")
            manager.hear("STATUS=callers: 1")
        manager.hear("STATUS=callers: 0")
        before = time.monotonic_ns() // 1000
        daemon.send_signal(signal.SIGHUP)
        said = manager.hear("READY=1")
        reloading = said.index("RELOADING=1")
        moment = int(said[reloading + 1].removeprefix("MONOTONIC_USEC="))
        assert before <= moment <= time.monotonic_ns() // 1000
        daemon.send_signal(signal.SIGTERM)
        manager.hear("STOPPING=1")
    assert not any(line.startswith("WATCHDOG") for line in manager.said)


def test_the_watchdog_hears_of_a_loop_that_goes_round(manager: Manager) -> None:
    with manager.started(environ={"WATCHDOG_USEC": "200000"}) as daemon:
        manager.hear("READY=1")
        before = time.monotonic()
        manager.quiet(0)  # of beats that were not read yet, ten come at once
        for _ in range(10):
            manager.hear("WATCHDOG=1", deadline=5)
        assert time.monotonic() - before > 0.5, "half the period apart"
        assert psutil.Process(daemon.pid).cpu_times().user < 5


def test_the_watchdog_hears_nothing_from_a_stopped_listener(manager: Manager) -> None:
    with manager.started(environ={"WATCHDOG_USEC": "100000"}) as daemon:
        manager.hear("READY=1")
        daemon.send_signal(signal.SIGSTOP)
        wait_until(lambda: psutil.Process(daemon.pid).status() == psutil.STATUS_STOPPED, "the stop")
        manager.quiet()
        assert manager.quiet(), "somebody else beats for it"
        daemon.send_signal(signal.SIGCONT)
        manager.hear("WATCHDOG=1")


def test_the_watchdog_is_fed_while_the_bbs_closes(manager: Manager, listening: socket.socket) -> None:
    with (
        manager.started([listening], "telnet", {"WATCHDOG_USEC": "200000"}) as daemon,
        TelnetCaller(connected(port_of(listening))) as anna,
    ):
        anna.register("Anna")
        (session,) = serving(daemon.pid)
        session.suspend()  # it will not say goodbye, so that the end takes seconds
        manager.quiet(0)  # what nobody reads fills the socket until nothing more can be said
        daemon.send_signal(signal.SIGTERM)
        manager.hear("STOPPING=1")
        for _ in range(5):
            manager.hear("WATCHDOG=1")  # said before its end, which is not until the session is given up


def test_nobody_listens_at_the_managers_address(manager: Manager) -> None:
    with manager.started(environ={"NOTIFY_SOCKET": "/nowhere/at/all", "WATCHDOG_USEC": "100000"}) as daemon:
        wait_until(lambda: "could not be told" in manager.log.read_text(), "a word in the log")
        wait_until(lambda: "listening on" in manager.log.read_text(), "the start")
        daemon.send_signal(signal.SIGHUP)
        wait_until(lambda: "configuration read again" in manager.log.read_text(), "the reload")
        assert manager.log.read_text().count("could not be told") == 1
