"""A shell's job that is stopped and goes on: the terminal is the shell's meanwhile, and the program's again behind."""

import os
import shutil
import signal
import sys
import termios
import time
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import Bbs
from tests.end_to_end.door_program import lay_out
from tests.end_to_end.pty_caller import PtyCaller
from tests.waiting import wait_until

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
SHELLS = [["bash", "--norc", "--noprofile", "-i"], ["dash", "-i"]]
STOPPED = {"bash TSTP": (SHELLS[0], signal.SIGTSTP), "dash STOP": (SHELLS[1], signal.SIGSTOP)}
"""Each shell, and each way in which a job is stopped."""
LOCAL = termios.ICANON | termios.ECHO | termios.ISIG
_PATIENCE = 0.2
"""Seconds between two prompts that are asked for."""


class Shell(PtyCaller):
    """An interactive shell on a terminal, and the program that it runs."""

    def __init__(self, shell: list[str]) -> None:
        super().__init__(["env", "PS1=ready% ", *shell])
        self.see("ready%")

    def start(self, command: str) -> None:
        self.send(f"{command}\r")

    def job(self, named: str) -> psutil.Process:
        """The shell's child, as soon as it has taken the terminal."""
        found: list[psutil.Process] = []

        def is_there() -> bool:
            found[:] = [one for one in psutil.Process(self.program.pid).children() if named in one.cmdline()]
            return bool(found) and not self.flags & LOCAL

        wait_until(is_there, f"{named} on the terminal")
        return found[0]

    @property
    def flags(self) -> int:
        flags = termios.tcgetattr(self.program.fileno())[3]
        assert isinstance(flags, int)
        return flags

    def stop(self, job: psutil.Process, number: signal.Signals) -> None:
        """Stop the job, and press Enter until a prompt is seen: what is drawn then may stand over the first."""
        self.drain()
        self.screen.reset()
        job.send_signal(number)
        wait_until(lambda: job.status() == psutil.STATUS_STOPPED, "the stop")

        def shows_prompt() -> bool:
            self.send("\n")
            self.listen(_PATIENCE)
            return "ready%" in self.text

        wait_until(shows_prompt, "the shell's prompt")

    def spoil(self) -> None:
        """Leave the terminal as no program for a screen can use it."""
        self.send("stty sane; printf '\\r\\nspoi''lt\\r\\n'\n")
        self.see("spoilt")

    def go_on(self, job: psutil.Process) -> None:
        self.send("fg\n")
        wait_until(lambda: not self.flags & LOCAL, "the terminal's mode")


def needs(shell: list[str]) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"{shell[0]} is not installed")


@pytest.mark.parametrize(("shell", "number"), STOPPED.values(), ids=STOPPED)
def test_yawc_poker_stops_and_hides_the_password_when_it_goes_on(
    town: Bbs, shell: list[str], number: signal.Signals
) -> None:
    needs(shell)
    name = f"{shell[0]} {number.name[3:6]}"
    with Shell(shell) as caller:
        caller.start(f"{sys.executable} -m yawc_poker --data {town.data}")
        job = caller.job("yawc_poker")
        caller.see("Name:")
        caller.line(name)
        caller.see("(y/n)")
        caller.send("y")
        caller.see("Password:")
        if number == signal.SIGTSTP:
            caller.raw.clear()
        caller.stop(job, number)
        if number == signal.SIGTSTP:
            assert b"\x1b[?2004l" in caller.raw
        caller.spoil()
        caller.screen.reset()
        caller.go_on(job)
        caller.see("Password:")
        caller.line("secret-1")
        caller.see("Repeat the password:")
        caller.line("secret-1")
        caller.see(f"Welcome to Testville, {name}!")
        assert "secret-1" not in caller.transcript
        caller.at_prompt().sit()
        caller.see("sits down", "Seal for the next game")  # all that is drawn of itself
        caller.stop(job, number)
        caller.spoil()
        caller.screen.reset()
        caller.go_on(job)
        caller.see("Master:", "Pot:", "[S] Start")  # all of it, though nothing has changed
        caller.send("x")
        caller.at_prompt()
        caller.send("qy")
        caller.see("Goodbye", "ready%")


@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP])
def test_yawcctl_top_stops_and_goes_on(town: Bbs, number: signal.Signals) -> None:
    shell = SHELLS[1]
    needs(shell)
    with Shell(shell) as caller:
        caller.start(f"{sys.executable} -m yawc_poker.sysop --data {town.data} top")
        job = caller.job("yawc_poker.sysop")
        caller.see("Testville")
        caller.stop(job, number)
        caller.spoil()
        caller.screen.reset()
        caller.go_on(job)
        caller.see("Testville", "callers")
        caller.send("q")
        caller.see("ready%")


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("there"))


@pytest.mark.parametrize(("shell", "number"), STOPPED.values(), ids=STOPPED)
def test_yawc_door_stops_and_the_session_reads_nothing_meanwhile(
    town: Bbs, door: Path, shell: list[str], number: signal.Signals
) -> None:
    needs(shell)
    name = f"D {shell[0]} {number.name[3:6]}"
    with Shell(shell) as caller:
        caller.start(f"env -u SSH_CONNECTION -u SSH_CLIENT {door} --data {town.data}")
        caller.see("Name:")
        caller.line(name)
        caller.see("(y/n)")
        (relay,) = psutil.Process(caller.program.pid).children()
        caller.stop(relay, number)
        caller.spoil()
        for _ in range(3):  # every letter of it is the shell's
            caller.screen.reset()
            caller.send("echo so$((6*7))me '  yyyyyyyyyyyyyyyyyyy'\n")
            caller.see("so42me   yyyyyyyyyyyyyyyyyyy")
        caller.screen.reset()
        caller.go_on(relay)
        caller.see("(y/n)")
        caller.send("y")
        caller.see("Password:")
        caller.line("secret-1")
        caller.see("Repeat the password:")
        caller.line("secret-1")
        caller.at_prompt().sit()
        caller.see("sits down", "Seal for the next game")  # all that is drawn of itself
        caller.stop(relay, number)
        other = town.call().register(f"{name} other").sit()  # what it shows meanwhile is not written over the shell
        caller.spoil()
        assert other.name not in caller.text
        caller.screen.reset()
        caller.go_on(relay)
        caller.see("Master:", "Pot:", f"{name} other")
        assert "secret-1" not in caller.transcript
        caller.send("x")
        caller.at_prompt()
        caller.send("qy")
        caller.see("ready%")
        other.hang_up()


def test_a_session_that_does_not_wait_for_its_terminal_leaves_the_shell_one_that_does(town: Bbs, door: Path) -> None:
    """Or else the shell, which clears the flag before it reads, may leave the session in the middle of a wait."""
    with Shell(SHELLS[0]) as caller:
        shell = Path(f"/proc/{caller.program.pid}/fdinfo/0")
        caller.start(f"env -u SSH_CONNECTION -u SSH_CLIENT {door} --data {town.data}")
        caller.see("Name:")
        told = dict(line.split(":") for line in shell.read_text().splitlines())
        assert not int(told["flags"], 8) & os.O_NONBLOCK


def test_xon_and_xoff_stop_the_output_and_let_it_go_on(town: Bbs) -> None:
    with PtyCaller([sys.executable, "-m", "yawc_poker", "--data", str(town.data)]) as caller:
        caller.register("Xavier")
        caller.send("\x13")
        caller.send("w")
        until = time.monotonic() + 0.5
        while caller.listen(until - time.monotonic()):
            pass
        assert "Who is online" not in caller.text
        caller.send("\x11")
        caller.see("Who is online", "Xavier")


def test_a_terminal_without_xon_and_xoff_keeps_it_so(town: Bbs) -> None:
    command = f"stty -ixon; exec {sys.executable} -m yawc_poker --data {town.data}"
    with PtyCaller(["sh", "-c", command]) as caller:
        caller.see("Name:")
        caller.send("\x13")
        caller.line("/de")
        caller.see("Gib deinen Namen ein")


def test_a_job_that_nobody_can_continue_does_not_stop(town: Bbs) -> None:
    """Its process group is an orphan: there is no shell that could let it go on."""
    with PtyCaller([sys.executable, "-m", "yawc_poker", "--data", str(town.data)]) as caller:
        caller.see("Name:")
        caller.raw.clear()
        psutil.Process(caller.program.pid).send_signal(signal.SIGTSTP)
        caller.wait(lambda: b"Name:" in caller.raw, "the prompt anew")
        caller.line("/quit")
        assert caller.exit_code() == 0
