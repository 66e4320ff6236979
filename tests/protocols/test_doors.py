"""The listener's doors and roster: Unix sockets and their files, and who counts as a caller."""

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from telnetd.doors.sockets import ListenError, listen_at
from telnetd.listener.connections import Connection, Connections
from tests.doors import door as door_of
from yawc_poker.doors import CONTROL


def connects(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as caller:
        try:
            caller.connect(os.fsencode(path))
        except ConnectionRefusedError:
            return False
    return True


def test_a_unix_socket_is_its_owners_alone_and_leaves_with_its_door(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    before = os.umask(0)
    try:
        door = door_of(CONTROL, listen_at(path), file=path)
        assert os.umask(0) == 0, "the umask is put back"
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert connects(path)
    door.remove()
    assert not path.exists()
    door.remove()


def test_a_stale_unix_socket_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    for listening in listen_at(path):
        listening.close()
    assert not connects(path)
    door = door_of(CONTROL, listen_at(path), file=path)
    assert connects(path)
    door.close()
    assert path.exists(), "another process may serve it still"
    door.remove()


def test_a_unix_socket_at_the_end_of_a_long_path(tmp_path: Path) -> None:
    folder = tmp_path / ("f" * 120)
    folder.mkdir()
    door = door_of(CONTROL, listen_at(folder / "control.sock"), file=folder / "control.sock")
    descriptor = os.open(folder, os.O_PATH)
    try:
        assert connects(Path(f"/proc/self/fd/{descriptor}/control.sock"))
    finally:
        os.close(descriptor)
    door.remove()
    assert not list(folder.iterdir())


def test_where_no_unix_socket_can_be(tmp_path: Path) -> None:
    (tmp_path / "control.sock").mkdir()
    with pytest.raises(ListenError, match=r"control\.sock: Is a directory"):
        listen_at(tmp_path / "control.sock")
    with pytest.raises(ListenError, match=r"none/control\.sock: No such file"):
        listen_at(tmp_path / "none" / "control.sock")


def test_the_roster_counts_callers_by_address_and_everybody_by_door() -> None:
    connections = Connections()
    connections.enter(10, Connection("telnet", "192.0.2.1"))
    connections.enter(11, Connection("telnet", "192.0.2.1"))
    connections.enter(12, Connection("wire", "192.0.2.2"))
    connections.enter(13, Connection("control", ""))
    assert (
        connections.callers,
        connections.of("192.0.2.1"),
        connections.of("192.0.2.2"),
        connections.of("192.0.2.3"),
    ) == (3, 2, 1, 0)
    assert (connections.at("telnet"), connections.at("control"), connections.at("metrics")) == (2, 1, 0)
    assert connections.leave(10) == Connection("telnet", "192.0.2.1")
    assert connections.leave(13) == Connection("control", "")
    assert connections.leave(99) is None
    assert (connections.callers, connections.of("192.0.2.1"), connections.at("control")) == (2, 1, 0)
    assert 11 in connections
    assert 10 not in connections


def test_a_pid_that_comes_again_before_its_end_was_noticed_counts_once() -> None:
    connections = Connections()
    connections.enter(10, Connection("", "192.0.2.1"))
    connections.enter(10, Connection("telnet", "192.0.2.2"))
    assert (connections.callers, connections.of("192.0.2.1"), connections.of("192.0.2.2")) == (1, 0, 1)


def test_a_process_without_a_line_counts_for_no_address_until_it_has_one_again() -> None:
    connections = Connections()
    for pid in (11, 12):
        connections.enter(pid, Connection("telnet", "192.0.2.1"))
    connections.without_line({11, 99})
    connections.without_line({11})
    assert (connections.of("192.0.2.1"), connections.callers, connections.at("telnet")) == (1, 1, 2)
    connections.without_line(set())
    assert (connections.of("192.0.2.1"), connections.callers) == (2, 2)
    connections.without_line({12})
    connections.leave(12)
    connections.without_line(set())
    assert (connections.of("192.0.2.1"), connections.callers, 12 in connections) == (1, 1, False)


def test_a_process_whose_line_came_back_from_elsewhere_counts_there() -> None:
    connections = Connections()
    connections.enter(11, Connection("web", "192.0.2.1"))
    connections.enter(12, Connection("web", ""))
    for pid in (11, 12, 99):
        connections.moved(pid, "192.0.2.2")
    assert (connections.of("192.0.2.1"), connections.of("192.0.2.2"), connections.callers) == (0, 1, 1)
    assert (connections[11], connections[12]) == (Connection("web", "192.0.2.2"), Connection("web", ""))


def test_an_address_of_a_link_keeps_its_scope() -> None:
    """In a network of its own, which has such an address."""
    script = (
        "from telnetd.doors.sockets import address_of, listen; (one,) = listen('fe80::77%d0', 4023, '--port');"
        " print(one.getsockname()[0], one.getsockname()[3] > 0, address_of(one))"
    )
    shell = f"""
        ip link add d0 type veth peer name d1 && ip link set d0 up && ip link set d1 up &&
        ip -6 addr add fe80::77/64 dev d0 nodad && exec {sys.executable} -c "{script}"
    """
    run = subprocess.run(["unshare", "--net", "sh", "-c", shell], capture_output=True, text=True, check=False)
    if "Operation not permitted" in run.stderr or "not found" in run.stderr:
        pytest.skip("wants root and iproute2")
    assert run.stdout == "fe80::77 True [fe80::77%d0]:4023\n", run.stderr
