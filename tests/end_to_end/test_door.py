"""`yawc-door` hands its terminal to the running BBS, as sshd and dropbear run it; what is refused; what may break."""

import base64
import grp
import json
import os
import pwd
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import termios
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from release import door
from tests.end_to_end import daemons
from tests.end_to_end.bbs import DEADLINE, FAST, Bbs
from tests.end_to_end.door_program import SSHD, DoorCaller, lay_out
from tests.end_to_end.pty_caller import PtyCaller
from tests.isolation.stores import in_file
from tests.waiting import wait_until
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.keys import Keys, fingerprint

HOME, AWAY = "198.51.100.7", "203.0.113.9"
CONFIG = FAST + f'[door]\nkey_users = ["{pwd.getpwuid(os.getuid()).pw_name}"]\n'

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("program"))


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data", CONFIG) as running:
        yield running
        running.is_sound()


def public_key(number: int) -> str:
    kind = b"ssh-ed25519"
    blob = struct.pack(">I", len(kind)) + kind + struct.pack(">I", 32) + bytes([number]) * 32
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


def told_by_sshd(folder: Path, key: str) -> Path:
    """Write what sshd's ExposeAuthInfo leaves for a caller with this key."""
    file = folder / f"sshauth.{abs(hash(key))}"
    file.write_text(f"publickey {key}\n")
    return file


@contextmanager
def bbs_accounts(bbs: Bbs) -> Iterator[Accounts]:
    """The accounts of a BBS that runs."""
    with closing(Accounts(in_file(bbs.data / "users.sqlite"))) as accounts:
        yield accounts


def visitors(bbs: Bbs) -> list[dict[str, object]]:
    return [json.loads(line) for line in bbs.yawcctl("who", "--json").splitlines()]


# --- a call -----------------------------------------------------------------------------------------------------------


def test_a_caller_by_ssh_plays_at_the_same_table_as_a_telnet_caller(bbs: Bbs, command: Path) -> None:
    with DoorCaller(command, bbs.data, HOME) as local:
        local.register("Sshd")
        assert "╔═══ YAWC Poker" in local.transcript
        local.sit()
        remote = bbs.call().register("Remote").sit()
        local.hear("Remote sits down")
        local.send("s")
        remote.until("Turn:", "Sshd")
        local.bet("3")
        remote.until("Pot:", "23 CUBES")
        local.resize(60, 20)
        local.see("Your window has 60x20 characters")
        local.resize(132, 43)
        local.see("Master: Sshd")
        local.resize(80, 24)
        local.until("Pot:", "23 CUBES")
        assert {one["name"]: (one["door"], one["address"]) for one in visitors(bbs)} == {
            "Sshd": ("ssh", HOME),
            "Remote": ("telnet", "127.0.0.1"),
        }
        local.send("xx")
        local.at_prompt()
        remote.hear("wins 23 CUBES")
        local.send("qy")
        local.see("Goodbye")
        assert local.exit_code() == 0
    assert f"user 'Sshd' logged in from {HOME}" in bbs.log.read_text()
    assert "ended with" not in bbs.log.read_text()


def test_the_session_is_a_child_of_the_listener_and_the_door_has_no_part_of_the_program(
    bbs: Bbs, command: Path
) -> None:
    with DoorCaller(command, bbs.data) as local:
        local.register("Console")
        assert bbs.session("Console").ppid() == bbs.process.pid
        (visitor,) = visitors(bbs)
        assert visitor["door"] == "console"
        assert str(visitor["address"]).startswith("/dev/")
        mapped = Path(f"/proc/{local.program.pid}/maps").read_text()
        assert "python" not in mapped, "it waits as a shell"


def test_what_the_door_loads_is_written_in_c(command: Path) -> None:
    python, packages = command.parent / "python", next(command.parents[1].glob("lib/*/site-packages"))
    program = "yawc_poker.extras.ssh_door.program"
    code = f"import sys; sys.path.append({str(packages)!r}); before = set(sys.modules); import {program}.program"
    told = subprocess.run(
        [python, "-I", "-S", "-c", code + "; print(*sorted(set(sys.modules) - before))"],
        capture_output=True,
        text=True,
        check=True,
    )
    parents = {"yawc_poker", "yawc_poker.extras", "yawc_poker.extras.ssh_door", program}
    ours = {*parents, f"{program}.hello", f"{program}.program"}
    assert ours <= set(told.stdout.split()) <= ours | {"_socket", "posix", "termios"}


def test_installed_by_make_no_shell_starts_it_and_by_pip_one_does(bbs: Bbs, command: Path, tmp_path: Path) -> None:
    assert command.read_text().startswith(f"#!{command.parent}/python -IS\n''':'\n")
    by_pip = lay_out(tmp_path / "there", by_shell=True)
    assert by_pip.read_text().startswith("#!/bin/sh\n''':'\n")
    (tmp_path / "there").rename(tmp_path / "elsewhere")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere" / "bin" / "yawc-door")
    with DoorCaller(link, bbs.data) as local:
        local.see("Name:")
        local.line("/quit")
        assert local.exit_code() == 0


def test_the_terminal_is_as_before_when_the_caller_has_left(bbs: Bbs, command: Path) -> None:
    script = f"stty -g; {command} --data {bbs.data}; stty -g; echo done"
    with PtyCaller(["env", *(f"--unset={name}" for name in SSHD), "sh", "-c", script]) as local:
        local.see("Name:")
        local.line("/quit")
        local.see("done")
        before, after = re.findall(r"^[0-9a-f]+:[0-9a-f:]+", local.transcript, re.MULTILINE)
        assert before == after


# --- what is refused --------------------------------------------------------------------------------------------------


def run(command: Path, data: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name not in SSHD}
    return subprocess.run(
        [command, *(options or ("--data", str(data)))],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
        env=environ | variables,
    )


def test_without_a_terminal_it_is_refused_in_one_line(bbs: Bbs, command: Path) -> None:
    done = run(command, bbs.data)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "needs a terminal" in done.stderr
    assert run(command, bbs.data, "--nonsense").returncode == 2
    assert run(command, bbs.data, "--nonsense").stderr == door.parser().format_usage()


def test_a_command_is_refused_though_there_is_a_terminal(bbs: Bbs, command: Path) -> None:
    with PtyCaller(["env", "SSH_ORIGINAL_COMMAND=ls -l", str(command), "--data", str(bbs.data)]) as local:
        local.see("takes no commands")
        assert local.exit_code() == 2


@pytest.mark.parametrize("kind", ["rio", "dtterm", ""])
def test_an_unknown_terminal_gets_what_every_terminal_shows(bbs: Bbs, command: Path, kind: str) -> None:
    with PtyCaller(["env", f"TERM={kind}", str(command), "--data", str(bbs.data)]) as local:
        local.see("Name:")
        local.register(f"On {kind or 'none'}").sit().press("x")
        local.at_prompt()
        assert b"\x1b[?2004h" not in local.raw
        local.send("qy")
        assert local.exit_code() == 0


def test_a_window_without_a_size_is_80x24(bbs: Bbs, command: Path) -> None:
    with PtyCaller([str(command), "--data", str(bbs.data)], size=(0, 0)) as local:
        local.see("Name:")
        local.register("Sizeless").sit()
        assert "[X]" in local.text
        assert "Your window has" not in local.text


def test_without_a_bbs_it_says_so(tmp_path: Path, command: Path) -> None:
    with DoorCaller(command, tmp_path / "nowhere") as local:
        local.see("The BBS is not open at the moment")
        assert local.exit_code() == 69
    assert not (tmp_path / "nowhere").exists()


def test_a_banned_address_is_refused_and_those_inside_are_sent_away(bbs: Bbs, command: Path) -> None:
    with DoorCaller(command, bbs.data, AWAY) as inside:
        inside.register("Inside")
        bbs.yawcctl("ban", AWAY, "--for", "1d", "--reason", "flood")
        inside.see("flood")
        inside.ended()
    wait_until(lambda: "banned addresses and networks: 1" in bbs.log.read_text(), "the ban at the door")
    with DoorCaller(command, bbs.data, AWAY) as banned:
        banned.see("calls from your address are not taken")
        assert banned.exit_code() == 69
    assert f"terminal: refused {AWAY}: its address is banned" in bbs.log.read_text()
    with DoorCaller(command, bbs.data, HOME) as other:
        other.see("Name:")


def test_callers_by_ssh_count_as_callers_by_telnet_do(tmp_path: Path, command: Path) -> None:
    few = FAST.replace("max_per_address = 200", "max_per_address = 1\nmax_sessions = 2")
    with Bbs(tmp_path / "data", few) as bbs, DoorCaller(command, bbs.data, HOME) as first:
        first.see("Name:")
        with DoorCaller(command, bbs.data, HOME) as second:
            second.see("too many calls from your address")
        first.register("First")
        with DoorCaller(command, bbs.data, AWAY) as third:
            third.register("Third")
            with DoorCaller(command, bbs.data, "192.0.2.99") as fourth:
                fourth.see("all lines of this BBS are busy")
            bbs.call().see("all lines of this BBS are busy")
            with DoorCaller(command, bbs.data) as console:  # a terminal of this machine has a place of another kind
                console.see("Name:")


# --- what may break ---------------------------------------------------------------------------------------------------


def test_a_caller_who_hangs_up_leaves_the_table(bbs: Bbs, command: Path) -> None:
    with DoorCaller(command, bbs.data, HOME) as local:
        local.register("Cut")
        local.sit()
        witness = bbs.call().register("Witness").sit()
        session = bbs.session("Cut")
        local.hang_up()
        witness.hear("Cut was removed from the table")
        wait_until(lambda: not session.is_running(), "the end of the session")
    assert "ended with" not in bbs.log.read_text()


def test_a_door_that_is_killed_is_a_caller_who_hangs_up(bbs: Bbs, command: Path) -> None:
    """Also while somebody else keeps the terminal open."""
    with PtyCaller(["sh", "-c", f"set -m; {command} --data {bbs.data}; echo code $?; cat"]) as local:
        local.register("Killed")
        (door,) = [one for one in psutil.Process(local.program.pid).children() if one.name() != "cat"]
        session = bbs.session("Killed")
        door.kill()
        wait_until(lambda: not session.is_running(), "the end of the session")
        local.see("code 137")


def test_a_door_that_is_killed_at_a_table_gives_the_terminal_back_at_once(tmp_path: Path, command: Path) -> None:
    """The session goes on for the seat's sake, and has nothing to do with the terminal any more."""
    config = FAST.replace("hold_seconds = 0", "hold_seconds = 60")
    with Bbs(tmp_path / "data", config) as bbs:
        script = f"set -m; read line; {command} --data {bbs.data}; echo code $?; cat"
        with PtyCaller(["env", *(f"--unset={name}" for name in SSHD), "sh", "-c", script]) as local:
            before = termios.tcgetattr(local.fileno())
            local.line("go")
            local.register("Killed").sit()
            (door,) = [one for one in psutil.Process(local.program.pid).children() if one.name() != "cat"]
            session = bbs.session("Killed")
            door.kill()
            local.wait(lambda: "code 137" in local.transcript, "the shell")  # the session may clear the screen then
            wait_until(lambda: termios.tcgetattr(local.fileno()) == before, "the terminal's settings")
            local.line("the shell's")
            local.see("the shell's")
            assert session.is_running()
            shown = len(local.raw)
            bbs.call().comes_back("Killed").hear("Killed is back")
            wait_until(lambda: not session.is_running(), "the end of the session")
            assert termios.tcgetattr(local.fileno()) == before
            local.line("still")
            local.see("still")
            assert not local.raw[shown:].replace(b"the shell's", b"").replace(b"still", b"").strip()
        bbs.is_sound()


def test_a_session_that_is_killed_gives_the_terminal_back(bbs: Bbs, command: Path) -> None:
    script = f"stty -g; {command} --data {bbs.data}; echo code $?; stty -g; echo done"
    with PtyCaller(["env", *(f"--unset={name}" for name in SSHD), "sh", "-c", script]) as local:
        local.register("Shot")
        bbs.session("Shot").kill()
        local.see("The connection to the BBS was lost", "code 70", "done")
        before, after = re.findall(r"^[0-9a-f]+:[0-9a-f:]+", local.transcript, re.MULTILINE)
        assert before == after
    again = bbs.call().log_in("Shot")
    assert "older session" not in again.text


def test_the_listener_may_be_killed_or_replaced_while_a_caller_plays(bbs: Bbs, command: Path) -> None:
    with DoorCaller(command, bbs.data, HOME) as local:
        local.register("Stays")
        local.sit()
        assert "The listener is version" in bbs.yawcctl("upgrade")
        with DoorCaller(command, bbs.data, AWAY) as later:
            later.register("Later")
            later.sit()
            local.hear("Later sits down")
            local.send("s")
            later.until("Turn:", "Stays")
            bbs.process.kill()
            bbs.process.wait(DEADLINE)
            local.bet("5")
            later.until("Pot:", "25 CUBES")
            local.resize(60, 20)
            local.see("Your window has 60x20 characters")
            with DoorCaller(command, bbs.data, AWAY) as nobody:
                nobody.see("The BBS is not open at the moment")
            bbs.close()
            bbs.start()
            with DoorCaller(command, bbs.data, AWAY) as new:
                new.see("Name:")
            local.resize(80, 24)
            local.send("xx")
            local.at_prompt()


def test_the_caller_is_told_when_the_bbs_closes(tmp_path: Path, command: Path) -> None:
    with Bbs(tmp_path / "data") as bbs, DoorCaller(command, bbs.data, HOME) as local:
        local.register("Last One")
        bbs.process.send_signal(signal.SIGTERM)
        local.see("The BBS is closing down.")
        assert local.exit_code() == 0
        assert bbs.process.wait(DEADLINE) == 0


# --- the socket -------------------------------------------------------------------------------------------------------


def connected(data: Path) -> socket.socket:
    line = socket.socket(socket.AF_UNIX)
    line.settimeout(DEADLINE)
    at = os.open(data, os.O_PATH)
    line.connect(f"/proc/self/fd/{at}/door.sock")
    os.close(at)
    return line


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b'{"do": "kick", "args": {"name": "Anna"}}\n', "told nothing within"),
        (b"TERM=xterm\0\0", "brought no descriptor"),
        (b"x" * 100_000, "told more than"),
        (b"TERM=xterm", "hung up in the middle of a word"),
    ],
)
def test_what_is_no_door_is_let_go_and_harms_nobody(bbs: Bbs, sent: bytes, told: str) -> None:
    anna = bbs.call().register("Anna")
    with connected(bbs.data) as line:
        try:
            line.sendall(sent)
            if "kick" not in str(sent):
                line.shutdown(socket.SHUT_WR)
            assert line.recv(4096).endswith(b"=69\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was let go before it had sent all
    wait_until(lambda: f"terminal /dev/tty: {told}" in bbs.log.read_text(), "the line in the log")
    anna.press("w")
    anna.see("1 user online.")


def test_a_file_is_no_terminal(bbs: Bbs) -> None:
    with connected(bbs.data) as line, open(os.devnull, "rb") as file:
        socket.send_fds(line, [b"TERM=xterm\0\0"], [file.fileno()])
        assert line.recv(4096).endswith(b"=69\n")
    assert "cannot be used" in bbs.log.read_text()


def test_descriptors_that_were_not_asked_for_are_closed(bbs: Bbs) -> None:
    master, slave = os.openpty()
    termios.tcsetwinsize(slave, (24, 80))
    reading, writing = os.pipe()
    try:
        with connected(bbs.data) as line:
            socket.send_fds(line, [b"TERM=xterm\0\0"], [slave, writing])
            os.close(writing)
            writing = -1
            assert os.read(reading, 1) == b"", "somebody keeps the pipe open"
            assert b"Name:" in shown(master, b"Name:")
    finally:
        for descriptor in (master, slave, reading, writing):
            if descriptor >= 0:
                os.close(descriptor)


def shown(master: int, text: bytes) -> bytes:
    data = bytearray()

    def look() -> bool:
        os.set_blocking(master, False)
        try:
            data.extend(os.read(master, 65536))
        except BlockingIOError:
            pass
        return text in data

    wait_until(look, repr(text))
    return bytes(data)


def test_the_socket_is_its_owners_alone_or_a_groups(tmp_path: Path, command: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        assert stat.S_IMODE((bbs.data / "door.sock").stat().st_mode) == 0o600
    assert not (bbs.data / "door.sock").exists()
    own = tmp_path / "elsewhere.sock"
    group = next((one for one in os.getgroups() if one), os.getgid())
    name = grp.getgrgid(group).gr_name
    with Bbs(tmp_path / "other", FAST + f'[door]\nsocket = "{own}"\ngroup = "{name}"\n') as bbs:
        assert stat.S_IMODE(own.stat().st_mode) == 0o660
        assert own.stat().st_gid == group
        with PtyCaller([str(command), "--socket", str(own)]) as local:
            local.see("Name:")
    assert not own.exists()


def test_a_file_in_the_place_of_the_socket_is_kept(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    config = tmp_path / "config.toml"
    config.write_text(FAST + f'[door]\nsocket = "{precious}"\n')
    options = ("--config", config, "--data", tmp_path / "data", "--host", "127.0.0.1", "--port", "0")
    assert "precious: File exists" in daemons.refused(*options)
    assert precious.read_text() == "kept"


# --- keys -------------------------------------------------------------------------------------------------------------


def tie(caller: PtyCaller) -> None:
    caller.press("k")
    caller.see("Tie it to your account")
    caller.send("y")
    caller.see("The key is tied to your account.", "the key of this call")
    caller.send("\r")
    caller.at_prompt()


def test_a_key_that_is_tied_opens_the_account_without_a_password(bbs: Bbs, command: Path, tmp_path: Path) -> None:
    key, other = public_key(1), public_key(2)
    with DoorCaller(command, bbs.data, HOME, told_by_sshd(tmp_path, key)) as anna:
        anna.register("Anna")
        tie(anna)
        anna.send("qy")
        assert anna.exit_code() == 0
    with DoorCaller(command, bbs.data, AWAY, told_by_sshd(tmp_path, key)) as anna:
        anna.at_prompt()
        anna.see("Welcome to Testville, Anna!", f"from {HOME}")
        assert "Password:" not in anna.transcript
    with DoorCaller(command, bbs.data, AWAY, told_by_sshd(tmp_path, other)) as bert:
        bert.register("Bert")
        bert.press("k")
        bert.see(fingerprint(other), "Tie it to your account")
        bert.send("n")
        bert.see("No key is tied to your account.")
        bert.at_prompt()
    with DoorCaller(command, bbs.data, AWAY, told_by_sshd(tmp_path, key)) as anna:
        anna.at_prompt()
        anna.press("k")
        anna.see(fingerprint(key), ">[1]")
        anna.send("1")
        anna.see("not tied to your account any more", "No key is tied")
        anna.send("qy")
        anna.ended()
    with DoorCaller(command, bbs.data, AWAY, told_by_sshd(tmp_path, key)) as anna:
        anna.see("Name:")
    assert f"user 'Anna' is known by the key {fingerprint(key)} from {AWAY}" in bbs.log.read_text()


def test_a_thief_s_key_does_not_survive_the_new_password_of_the_owner_who_was_told(
    bbs: Bbs, command: Path, tmp_path: Path
) -> None:
    mine, other, stolen = (public_key(number) for number in range(4, 7))

    def call(address: str, key: str) -> DoorCaller:
        return DoorCaller(command, bbs.data, address, told_by_sshd(tmp_path, key))

    def leave(caller: PtyCaller) -> None:
        caller.at_prompt()
        caller.send("qy")
        assert caller.exit_code() == 0

    with call(HOME, mine) as anna:
        anna.register("Anna")
        tie(anna)
        leave(anna)
    with call(HOME, other) as anna:
        anna.log_in("Anna")
        tie(anna)
        leave(anna)
    with call(AWAY, stolen) as thief:
        thief.log_in("Anna")
        tie(thief)
        leave(thief)
    with call(AWAY, stolen) as thief:
        thief.see("Since your last call:", fingerprint(stolen))
        leave(thief)
    with call(HOME, mine) as anna:
        anna.see("Since your last call:", fingerprint(stolen), "the first login", AWAY, "If that was not you")
        assert fingerprint(mine) not in anna.text, "that was told before"
        anna.at_prompt()
        anna.press("pAnna\r")
        anna.at_prompt()
        anna.press("c")
        anna.at("Old password: ").press("secret-1\r")
        anna.at("Password: ").press("another-one\r")
        anna.at("Repeat the password: ").press("another-one\r")
        anna.see(">[1] " + fingerprint(mine), "[2] " + fingerprint(other), "[3] " + fingerprint(stolen))
        anna.press("4\r")
        anna.press("1, 2\r")
        anna.see("Your password has been changed.")
        leave(anna)
    with call(AWAY, stolen) as thief:
        thief.at("Name: ").press("Anna\r")
        thief.at("Password: ").press("secret-1\r")
        thief.see("Wrong password.")
    for key in (mine, other):
        with call(HOME, key) as anna:
            anna.at_prompt()
            assert "Password:" not in anna.transcript
            leave(anna)
    with bbs_accounts(bbs) as accounts, accounts.store.reading() as users:
        places = users.execute("SELECT place FROM familiar ORDER BY place").fetchall()
        assert places == [(HOME,)], "where the thief called from is forgotten"


def test_who_keeps_no_key_has_none(bbs: Bbs, command: Path, tmp_path: Path) -> None:
    told = told_by_sshd(tmp_path, public_key(7))
    with DoorCaller(command, bbs.data, HOME, told) as anna:
        anna.register("Anna")
        tie(anna)
        anna.press("p\r")
        anna.at_prompt()
        anna.press("c")
        anna.at("Old password: ").press("secret-1\r")
        anna.at("Password: ").press("another-one\r")
        anna.at("Repeat the password: ").press("another-one\r")
        anna.see("Numbers of keys to keep")
        anna.press("\r")
        anna.see("Your password has been changed.")
        anna.at_prompt()
    with DoorCaller(command, bbs.data, HOME, told) as anna:
        anna.see("Name:")


def test_who_calls_by_a_key_that_is_untied_at_that_very_moment_does_not_get_in(
    bbs: Bbs, command: Path, tmp_path: Path
) -> None:
    told = told_by_sshd(tmp_path, public_key(8))
    with DoorCaller(command, bbs.data, HOME, told) as anna:
        anna.register("Anna")
        tie(anna)
        bbs.stopped("Anna")  # it is waited for, as long as it may take to end
        with DoorCaller(command, bbs.data, AWAY, told) as thief:
            wait_until(lambda: f"user 'Anna' called again from {AWAY}" in bbs.log.read_text(), "the thief to be known")
            with bbs_accounts(bbs) as accounts:
                assert Keys(accounts.store).untie(1, fingerprint(public_key(8)))
            thief.see("The password was changed at this moment; please call again.")


def test_a_key_belongs_to_one_account_and_a_new_password_unties_it(bbs: Bbs, command: Path, tmp_path: Path) -> None:
    told = told_by_sshd(tmp_path, public_key(3))
    with DoorCaller(command, bbs.data, HOME, told) as carl:
        carl.register("Carl")
        tie(carl)
        dora = bbs.call().register("Dora")
        dora.press("k")
        dora.see("call by ssh with that key", "No key is tied to your account.")
        dora.at_prompt()
        bbs.yawcctl("password", "Carl", "--reason", "has forgotten it")
        carl.ended()
    with DoorCaller(command, bbs.data, HOME, told) as dora:
        dora.log_in("Dora")
        tie(dora)
    with DoorCaller(command, bbs.data, HOME, told) as dora:
        dora.at_prompt()
        dora.see("Welcome to Testville, Dora!")
        bbs.yawcctl("delete", "Dora", "--reason", "abuse", "--yes")
        dora.ended()
    with DoorCaller(command, bbs.data, HOME, told) as nobody:
        nobody.see("Name:")


def test_a_key_counts_only_if_whoever_tells_it_is_believed(tmp_path: Path, command: Path) -> None:
    told = told_by_sshd(tmp_path, public_key(4))
    with Bbs(tmp_path / "data", CONFIG) as bbs, DoorCaller(command, bbs.data, HOME, told) as anna:
        anna.register("Anna")
        tie(anna)
    with Bbs(tmp_path / "data", FAST) as bbs, DoorCaller(command, bbs.data, HOME, told) as anna:
        anna.log_in("Anna")
        anna.press("k")
        anna.see("call by ssh with that key", "[1]")


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
@pytest.mark.parametrize("kind", [["ed25519"], ["rsa", "-b", "2048"], ["ecdsa"]], ids=lambda kind: str(kind[0]))
def test_a_fingerprint_is_openssh_s_own(tmp_path: Path, kind: Sequence[str]) -> None:
    file = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", *kind, "-N", "", "-C", "a comment", "-f", file], check=True)
    told = subprocess.run(["ssh-keygen", "-l", "-f", file], capture_output=True, text=True, check=True).stdout
    assert fingerprint(Path(f"{file}.pub").read_text()) == told.split()[1]
