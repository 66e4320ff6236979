"""The recipes of `deploy/ssh/`, each tried with the real server: OpenSSH without a password and with keys, dropbear."""

import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.end_to_end.bbs import DEADLINE
from tests.end_to_end.pty_caller import PtyCaller
from tests.end_to_end.ssh_servers import ACTIVATE, DROPBEAR, SSH, SSHD, Ground, call, ground, missing, ssh
from tests.ports import free_port
from tests.waiting import wait_until
from yawc_poker.config import TelnetSettings

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
needs_sshd = pytest.mark.skipif(bool(missing(SSHD)), reason=missing(SSHD))
needs_dropbear = pytest.mark.skipif(
    bool(missing(DROPBEAR, "dropbearkey", ACTIVATE)), reason=missing(DROPBEAR, "dropbearkey", ACTIVATE)
)


@pytest.fixture(scope="module")
def town() -> Iterator[Ground]:
    with ground() as made:
        yield made
        made.bbs.audit()


@pytest.fixture
def port() -> int:
    return free_port()


def new_key(folder: Path, name: str) -> Path:
    key = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    return key


def play(caller: PtyCaller, town: Ground, name: str) -> None:
    """Register, sit down with a telnet caller, change the window, leave, and go."""
    caller.register(name)
    caller.sit()
    other = town.bbs.call().register(f"Beside {name}").sit()
    caller.hear(f"Beside {name} sits down")
    caller.send("s")
    other.until("Turn:", name)
    caller.bet("3")
    other.until("Pot:", "23 CUBES")
    assert "127.0.0.1" in next(line for line in town.bbs.yawcctl("who").splitlines() if line.startswith(f"{name} "))
    caller.resize(60, 20)
    caller.see("Your window has 60x20 characters")
    caller.resize(80, 24)
    caller.until("Pot:", "23 CUBES")
    caller.send("xx")
    caller.at_prompt()
    caller.send("qy")
    caller.see("Goodbye")
    assert caller.exit_code() == 0
    assert f"user '{name}' logged in from 127.0.0.1" in town.bbs.log.read_text()
    other.send("x")
    other.hang_up()


def refused(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=DEADLINE
    )


def check_what_is_refused(town: Ground, port: int, account: str, key: Path | None = None) -> None:
    """No terminal, a command: one line each, and no session. A strange terminal, a window without a size will do."""
    for options in (["-T"], ["-T", "--", "ls", "-l"], ["-T", "--", "internal-sftp"]):
        done = refused(ssh(port, account, *options, key=key))
        assert (done.returncode, done.stdout) == (2, ""), (options, done)
        assert done.stderr.splitlines()[-1].startswith("The BBS needs a terminal"), done
        assert len(done.stderr.splitlines()) == 1
    with call(port, account, "-tt", "--", "ls", "-l", key=key) as caller:
        caller.see("takes no commands")
        assert caller.exit_code() == 2
    with call(port, account, "-tt", key=key, kind="wonder") as caller:
        caller.see("Testville")
    with PtyCaller(ssh(port, account, "-tt", key=key), size=(0, 0)) as caller:
        caller.see("Testville")


def check_forwarding(town: Ground, port: int, account: str, key: Path | None = None) -> None:
    """Neither towards the BBS nor back."""
    done = refused(ssh(port, account, "-W", f"127.0.0.1:{town.bbs.port}", key=key))
    assert done.returncode != 0
    assert "Name:" not in done.stdout
    back = ssh(port, account, "-N", "-o", "ExitOnForwardFailure=yes", "-R", f"0:127.0.0.1:{town.bbs.port}", key=key)
    done = refused(back)
    assert done.returncode != 0
    assert "forwarding failed" in done.stderr


def check_sftp(port: int, account: str, key: Path | None = None) -> None:
    if shutil.which("sftp") is None:
        return
    options = ssh(port, account, key=key)[1:-1]
    place = options.index("-p")
    command = ["sftp", *options[:place], "-P", str(port), f"{account}@127.0.0.1"]
    done = refused(command)
    assert done.returncode != 0
    assert "Connection closed" in done.stderr


# --- OpenSSH ----------------------------------------------------------------------------------------------------------


@needs_sshd
@pytest.mark.parametrize("pam", [False, True], ids=["shadow", "pam"])
def test_openssh_without_a_password(town: Ground, port: int, pam: bool) -> None:
    with town.sshd(port, "sshd-bbs.conf", pam=pam) as log:
        with call(port, "bbs") as caller:
            play(caller, town, f"Anna {port}")
        check_what_is_refused(town, port, "bbs")
        check_forwarding(town, port, "bbs")
        check_sftp(port, "bbs")
        for account in ("root", "bbs-key"):
            done = refused(ssh(port, account, "-o", "BatchMode=yes"))
            assert (done.returncode, done.stdout) == (255, ""), log.read_text()


@needs_sshd
def test_a_caller_by_ssh_who_hangs_up_leaves_the_table(town: Ground, port: int) -> None:
    with town.sshd(port, "sshd-bbs.conf"), call(port, "bbs") as caller:
        caller.register("Carl")
        caller.sit()
        witness = town.bbs.call().register("Witness").sit()
        caller.hang_up()
        witness.hear("Carl was removed from the table")
        wait_until(lambda: "Carl" not in town.bbs.yawcctl("who"), "the end of the session")
        witness.hang_up()


@needs_sshd
def test_openssh_with_keys(town: Ground, port: int, tmp_path: Path) -> None:
    mine, other = new_key(tmp_path, "mine"), new_key(tmp_path, "other")
    with town.sshd(port, "sshd-bbs-key.conf"):
        with call(port, "bbs-key", key=mine) as dora:
            dora.register("Dora")
            dora.press("k")
            dora.see("Tie it to your account")
            dora.send("y")
            dora.see("The key is tied to your account.")
            dora.send("\r")
            dora.at_prompt()
            dora.send("qy")
            assert dora.exit_code() == 0
        with call(port, "bbs-key", key=mine) as dora:
            dora.at_prompt()
            dora.see("Welcome to Testville, Dora!", "from 127.0.0.1")
            assert "Password:" not in dora.transcript
            dora.send("qy")
            assert dora.exit_code() == 0
        with call(port, "bbs-key", key=other) as emil:
            play(emil, town, "Emil")
        check_what_is_refused(town, port, "bbs-key", mine)
        check_forwarding(town, port, "bbs-key", mine)
        check_sftp(port, "bbs-key", mine)
        done = refused(ssh(port, "bbs-key", "-o", "BatchMode=yes"))
        assert done.returncode == 255, "let in without a key"


@needs_sshd
@pytest.mark.parametrize("account", ["bbs", "bbs-key"])
def test_who_asks_openssh_for_no_session_is_let_go(town: Ground, port: int, tmp_path: Path, account: str) -> None:
    """Such a one holds two processes, and the BBS knows nothing of it; a caller who plays stays."""
    recipe = {"bbs": "sshd-bbs.conf", "bbs-key": "sshd-bbs-key.conf"}[account]
    key = new_key(tmp_path, "key") if account == "bbs-key" else None
    shorter = ("UnusedConnectionTimeout 20", "UnusedConnectionTimeout 1")
    with town.sshd(port, recipe, shorter=shorter) as log, call(port, account, key=key) as caller:
        caller.see("Name:")
        done = refused(ssh(port, account, "-N", key=key))
        assert done.returncode == 255, log.read_text()
        caller.register(f"Gustav {port}")
        caller.send("qy")
        assert caller.exit_code() == 0


@needs_sshd
def test_an_address_that_only_knocks_at_openssh_keeps_no_others_out(town: Ground, port: int) -> None:
    with town.sshd(port, "sshd-bbs.conf"), ExitStack() as stack:
        heard = []
        for _ in range(12):
            silent = stack.enter_context(socket.create_connection(("127.0.0.1", port), DEADLINE, ("127.0.0.66", 0)))
            heard.append(silent.recv(4))
        assert heard.count(b"SSH-") == 5, heard
        with call(port, "bbs") as caller:
            caller.see("Name:")


# --- dropbear ---------------------------------------------------------------------------------------------------------


@needs_dropbear
def test_dropbear_by_socket_activation(town: Ground, port: int) -> None:
    with town.dropbear(port) as log:
        with call(port, "bbs") as caller:
            play(caller, town, "Frida")
        check_what_is_refused(town, port, "bbs")
        check_forwarding(town, port, "bbs")
        check_sftp(port, "bbs")
        done = refused(ssh(port, "root", "-o", "BatchMode=yes"))
        assert done.returncode == 255, log.read_text()


@needs_dropbear
def test_who_asks_dropbear_for_no_session_is_let_go(town: Ground, port: int) -> None:
    with town.dropbear(port, shorter=("-I 1900", "-I 1")) as log:
        done = refused(ssh(port, "bbs", "-N"))
        assert done.returncode == 255, log.read_text()


def test_dropbear_lets_callers_be_silent_for_as_long_as_the_bbs_does() -> None:
    idle = re.search(r" -I (\d+) ", (SSH / "yawc-dropbear@.service").read_text())
    assert idle
    assert int(idle[1]) > TelnetSettings().idle_seconds
