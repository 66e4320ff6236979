"""Starting the listener: what it refuses to start with, and where it listens."""

import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import FAST, Bbs, further_ports
from tests.end_to_end.daemons import greeted, opened, refused, shared_memory
from tests.kernel import semaphore_exists
from tests.ports import free_port
from yawc_poker.ipc.layout import Layout
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.session.prefork.allocator import environment_without_cache


@pytest.fixture
def at_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The option for a configuration without a rehearsal, which takes longer than all else of a start."""
    file = tmp_path_factory.mktemp("at-once") / "yawc.toml"
    file.write_text("[engine]\nrehearse = false\n")
    return "--config", file


# --- refusing to start ------------------------------------------------------------------------------------------------


def test_a_data_directory_has_one_listener(bbs: Bbs) -> None:
    line = refused("--data", bbs.data, "--host", "127.0.0.1", "--port", "0")
    assert "another listener serves it" in line
    assert str(bbs.data) in line
    bbs.call().register("Anna")


@pytest.mark.usefixtures("afresh")
def test_what_was_rehearsed_is_not_in_the_log(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("rehearse = false\n", "")) as bbs:
        bbs.call().register("Anna")
        log = bbs.log.read_text()
    assert "user 'Anna' logged in" in log
    assert "rehearsal" not in log


def test_whoever_starts_it_at_a_terminal_reads_how_to_call_and_how_to_close_it(tmp_path: Path) -> None:
    outer, inner = os.openpty()
    port, web = free_port(), free_port()
    pages = "--web-port=0" in further_ports(0, 0)
    command = f"-m telnetd --data {tmp_path / 'data'} --host 127.0.0.1 --port {port}"
    options = [*command.split(), *further_ports(0, web if pages else 0)]
    with subprocess.Popen([sys.executable, *options], stdout=inner, stderr=subprocess.DEVNULL) as daemon:
        os.close(inner)
        with os.fdopen(outer, "rb") as terminal:
            said = [terminal.readline().decode().rstrip() for _ in range(5 + pages)]
            daemon.terminate()
    assert said[:-3] == [
        f"listening on 127.0.0.1:{port}",
        f"  call:               telnet 127.0.0.1 {port}",
        *([f"  call:               http://127.0.0.1:{web}/"] if pages else []),
    ]
    assert said[-3].endswith(f"yawc-poker --data {tmp_path / 'data'}")
    assert said[-2].endswith(f"yawcctl --data {tmp_path / 'data'} who")
    assert said[-1].endswith("Ctrl-C")


def test_a_demonstration_leaves_nothing(tmp_path: Path) -> None:
    command = ["-m", "telnetd", "--demo", "--host", "127.0.0.1", "--port", "0", *further_ports(0, 0)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as demo:
        assert demo.stdout is not None
        port = int(demo.stdout.readline().rpartition(b":")[2])
        (folder,) = tmp_path.iterdir()
        assert (folder / "bank.sqlite").exists()
        greeted("127.0.0.1", port)
        demo.terminate()
    assert demo.returncode == 0
    assert not list(tmp_path.iterdir())
    assert not shared_memory(folder).exists()


def test_a_demonstration_has_no_other_data(tmp_path: Path) -> None:
    assert "--demo" in refused("--demo", "--data", tmp_path)


def test_a_used_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused("--data", tmp_path, "--host", "127.0.0.1", "--port", str(port))
    assert str(port) in line
    assert "Address already in use" in line
    assert not shared_memory(tmp_path).exists()


@pytest.mark.parametrize(
    ("text", "key", "rule"),
    [
        ("[poker]\nantes = 5", "[poker]", "unknown field `antes`"),
        ("[pokre]\nante = 5", "top level", "unknown field `pokre`"),
        ('[poker]\nante = "five"', "poker.ante", "Expected `int`, got `str`"),
        ("[poker]\nante = 0", "poker.ante", ">= 1"),
        ("[poker]\nante = 2.5", "poker.ante", "Expected `int`, got `float`"),
        ("[poker]\nturn_seconds = -1", "poker.turn_seconds", "> 0.0"),
        ("[telnet]\nport = 70000", "telnet.port", "<= 65535"),
        ('[engine]\nunlock = "never"', "engine.unlock", "never"),
        ('[bbs]\nlanguage = "xx"', "bbs.language", "xx"),
        ('[bbs]\nname = "a\\u001bb"', "bbs.name", "matching"),
        ("[poker\n", "", "not valid TOML"),
        ("ante = 5", "top level", "unknown field `ante`"),
    ],
)
def test_a_broken_configuration_names_file_key_and_rule(tmp_path: Path, text: str, key: str, rule: str) -> None:
    file = tmp_path / "bbs.toml"
    file.write_text(text)
    line = refused("--config", file, "--data", tmp_path / "data", "--port", "0")
    assert str(file) in line
    assert key in line
    assert rule in line
    assert not (tmp_path / "data").exists()


def test_no_configuration_file(tmp_path: Path) -> None:
    line = refused("--config", tmp_path / "none.toml", "--data", tmp_path, "--port", "0")
    assert "none.toml" in line
    assert "No such file" in line


@pytest.mark.parametrize("name", ["bank.sqlite", "users.sqlite"])
@pytest.mark.parametrize("damage", ["directory", "garbage", "half"])
def test_a_database_that_is_none(tmp_path: Path, name: str, damage: str) -> None:
    if damage == "directory":
        (tmp_path / name).mkdir()
    elif damage == "garbage":
        (tmp_path / name).write_bytes(secrets.token_bytes(8192))
    else:
        (tmp_path / name).write_bytes(b"SQLite format 3\0" + bytes(200))
    before = (tmp_path / name).stat().st_size
    line = refused("--data", tmp_path, "--host", "127.0.0.1", "--port", "0")
    assert name in line
    assert not shared_memory(tmp_path).exists()
    assert (tmp_path / name).stat().st_size == before


@pytest.mark.parametrize("name", ["running.json", "listener.lock"])
def test_a_data_directory_it_cannot_use(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert str(tmp_path) in refused("--data", tmp_path, "--host", "127.0.0.1", "--port", "0")
    assert not shared_memory(tmp_path).exists()


def test_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    assert str(tmp_path / "data") in refused("--data", tmp_path / "data", "--host", "127.0.0.1", "--port", "0")


def test_a_segment_of_another_layout_is_left_alone(tmp_path: Path) -> None:
    segment = Segment.create(segment_name(tmp_path), Layout(sessions=4, tables=1))
    try:
        segment.head.version = 99
        before = bytes(segment.memory)
        keys = [lock.key for lock in segment.locks]
        line = refused("--data", tmp_path, "--host", "127.0.0.1", "--port", "0")
        assert "layout 99" in line
        assert "yawcctl ipc --remove" in line
        assert bytes(segment.memory) == before
        assert not segment.is_orphaned
        assert all(semaphore_exists(key) for key in keys)
    finally:
        segment.close()
        Segment.destroy(segment_name(tmp_path))


# --- where it listens -------------------------------------------------------------------------------------------------


def has_ipv6() -> bool:
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize(
    ("given", "expected"),
    [("", "glibc.malloc.tcache_count=0"), ("glibc.malloc.tcache_count=5", "glibc.malloc.tcache_count=5")],
)
def test_the_c_library_keeps_no_freed_blocks_for_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, expected: str
) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", given)
    with Bbs(tmp_path / "data") as bbs:
        bbs.call().see("Name:")
        listener = psutil.Process(bbs.process.pid)
        assert listener.environ()["GLIBC_TUNABLES"] == expected
        assert listener.cmdline()[1:3] == ["-m", "telnetd"]


def test_other_tunables_of_the_c_library_stay() -> None:
    environment = {"LANG": "C", "GLIBC_TUNABLES": "glibc.malloc.check=0"}
    without = {"LANG": "C", "GLIBC_TUNABLES": "glibc.malloc.check=0:glibc.malloc.tcache_count=0"}
    assert environment_without_cache(environment) == without
    assert environment_without_cache(without) is None


def test_two_instances_side_by_side(tmp_path: Path) -> None:
    with Bbs(tmp_path / "one") as one, Bbs(tmp_path / "two") as two:
        assert one.port != two.port
        first = one.call().register("Anna")
        second = two.call().register("Anna")
        second.sit()
        first.send("w")
        first.see("Main prompt", "1 user online.")
        assert one.stop() == 0
        first.ended()
        second.send("s")
        second.see("alone")
        assert shared_memory(two.data).exists()
        assert not shared_memory(one.data).exists()


@needs_ipv6
def test_on_an_ipv6_address(tmp_path: Path, at_once: tuple[str, Path]) -> None:
    with opened(*at_once, "--data", tmp_path, "--host", "::1", "--port", "0") as (_, host, port):
        assert host == "[::1]"
        assert greeted("::1", port)


@needs_ipv6
def test_everywhere_by_either_protocol(tmp_path: Path, at_once: tuple[str, Path]) -> None:
    with opened(*at_once, "--data", tmp_path, "--port", "0") as (_, host, port):
        assert host == "0.0.0.0"
        assert greeted("127.0.0.1", port)
        assert greeted("::1", port)


def test_by_name(tmp_path: Path, at_once: tuple[str, Path]) -> None:
    with opened(*at_once, "--data", tmp_path, "--host", "localhost", "--port", "0") as (_, _, port):
        assert greeted("localhost", port)
        assert greeted("127.0.0.1", port)
