"""What `yawc-door` becomes while it waits: its shell script, in each shell that is `/bin/sh` somewhere on Linux."""

import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tests.waiting import wait_until
from yawc_poker.extras.ssh_door.program.hello import answer
from yawc_poker.extras.ssh_door.program.program import CONNECTION, RELAY

SECONDS = 20.0
SHELLS = (["/bin/sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"])
LOST = ["echo", "lost"]


@pytest.fixture(params=SHELLS, ids=" ".join)
def shell(request: pytest.FixtureRequest) -> Sequence[str]:
    command: Sequence[str] = request.param
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    return command


@contextmanager
def relay(shell: Sequence[str]) -> Iterator[tuple[subprocess.Popen[str], socket.socket]]:
    """Run the script; it has told of the window once when this is entered."""
    ours, its = socket.socketpair()
    ours.settimeout(SECONDS)

    moved = f"import os, sys; os.dup2({its.fileno()}, {CONNECTION}); os.execvp(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-I", "-S", "-c", moved, *shell, "-c", RELAY, "relay", *LOST]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=[its.fileno()])
    its.close()
    with process, ours:
        try:
            assert ours.recv(1) == b"w"
            yield process, ours
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    told, _ = process.communicate(timeout=SECONDS)
    return process.returncode, told


def resize(process: subprocess.Popen[str], ours: socket.socket) -> None:
    """Signal until it is told: a shell that is about to wait may miss one."""

    def is_told() -> bool:
        process.send_signal(signal.SIGWINCH)
        return bool(select.select([ours], [], [], 0.1)[0])

    wait_until(is_told, "the window to be told of")
    assert ours.recv(1) == b"w"


def test_a_change_of_the_window_is_told(shell: Sequence[str]) -> None:
    with relay(shell) as (process, ours):
        for _ in range(3):
            resize(process, ours)
        ours.sendall(answer("", 0))
        assert ended(process) == (0, "")


def test_the_line_is_written_and_the_code_is_its_exit_code(shell: Sequence[str]) -> None:
    text = r"Ä line with \n, %s, $HOME, `x`, 'y' and  two blanks"
    with relay(shell) as (process, ours):
        ours.sendall(answer(text, 69))
        assert ended(process) == (69, " ".join(text.split()) + "\n")


@pytest.mark.parametrize("signals", [0, 2])
def test_an_end_without_a_code_is_a_loss(shell: Sequence[str], signals: int) -> None:
    with relay(shell) as (process, ours):
        for _ in range(signals):
            resize(process, ours)
        ours.close()
        assert ended(process) == (0, "lost\n")


def test_a_hang_up_ends_it(shell: Sequence[str]) -> None:
    with relay(shell) as (process, ours):
        process.send_signal(signal.SIGHUP)
        assert ours.recv(1) == b""
        assert ended(process)[0] in {-signal.SIGHUP, 128 + signal.SIGHUP}
