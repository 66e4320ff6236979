"""Telnet in TLS: callers of the real daemon by the encrypted door, beside those of the plain one."""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from telnetd.doors.tls import HINT
from tests.certificates import Files, client_hello, make_certificate, needs_openssl
from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.daemons import records, refused
from tests.end_to_end.manager import Manager
from tests.end_to_end.pty_caller import PtyCaller
from tests.end_to_end.test_daemon_bans import ban
from tests.end_to_end.test_metrics import scrape
from tests.end_to_end.test_upgrade import check, children, upgrade
from tests.end_to_end.tls import NAME, TlsBbs, TlsCaller, section
from tests.thoroughness import SOAK
from tests.waiting import wait_until

pytestmark = [needs_openssl, pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")]


TINTIN = shutil.which("tt++", path=f"{os.environ.get('PATH', '')}:/usr/games")
"""Debian has it among the games."""


def needs(program: str, found: str | None) -> pytest.MarkDecorator:
    return pytest.mark.skipif(found is None, reason=f"{program} is not installed")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return make_certificate(tmp_path_factory.mktemp("certificate"), NAME)


@pytest.fixture
def bbs(tmp_path: Path, files: Files) -> Iterator[TlsBbs]:
    with TlsBbs(tmp_path / "data", files) as running:
        yield running
        running.is_sound()


@pytest.fixture(scope="module")
def town_of(files: Files) -> Callable[[Path], Bbs]:
    """A BBS with both doors."""
    return lambda data: TlsBbs(data, files)


def who(bbs: Bbs) -> dict[str, str]:
    """Return the doors of those who are in, by name."""
    found = [json.loads(line) for line in bbs.yawcctl("who", "--json").splitlines()]
    return {one["name"]: one["door"] for one in found}


# --- callers ----------------------------------------------------------------------------------------------------------


def test_by_either_door_one_comes_to_the_same_table(bbs: TlsBbs) -> None:
    anna, bert = bbs.call().register("Anna"), bbs.call_in_tls().register("Bert")
    assert bert.tls.version() == "TLSv1.3"
    anna.sit()
    bert.sit()
    anna.send("s")
    for caller in (anna, bert):
        caller.bet("5")
        caller.hear(f"{caller.name} bets 5")
    for caller in (anna, bert):
        caller.see("[D] Done")
        caller.send("1d")
    anna.see("[H]")
    anna.send("h5\r")
    bert.bet()
    for caller in (anna, bert):
        caller.see("[R] Show my")
        caller.send("r")
    anna.hear("wins")
    assert who(bbs) == {"Anna": "telnet", "Bert": "tls"}
    assert re.search(r"^Bert .* tls +127\.0\.0\.1 ", bbs.yawcctl("who"), re.MULTILINE)
    shown = scrape(bbs)
    assert [shown("yawc_connections_accepted_total", door=door) for door in ("telnet", "tls")] == [1, 1]


def test_a_window_is_resized_and_much_is_pasted(town: TlsBbs) -> None:
    anna, bert = town.call_in_tls().register("Wanda"), town.call().register("Wim")
    anna.sit()
    bert.sit()
    anna.resize(132, 43)
    anna.screen.reset()
    anna.see("Master: Wanda")
    anna.send("." + "x" * 4000 + "\r")
    anna.see("too long")
    anna.send("xxxxxxxx\r")
    bert.hear("xxxxxxxx")


def test_a_caller_of_1_2_is_served_as_well(town: TlsBbs) -> None:
    with TlsCaller(town.tls_port, town.files.cert, version=ssl.TLSVersion.TLSv1_2) as anna:
        assert anna.tls.version() == "TLSv1.2"
        anna.register("Olli")


def test_who_quits_gets_the_last_word_and_close_notify(town: TlsBbs) -> None:
    anna = town.call_in_tls().register("Quinn")
    anna.send("qy")
    anna.see("Goodbye")
    anna.ended()
    wait_until(lambda: records(town.data) == 0, "the end of the session")


def test_who_hangs_up_is_gone_at_once(town: TlsBbs) -> None:
    anna = town.call_in_tls().register("Harry")
    anna.hang_up()
    wait_until(lambda: records(town.data) == 0, "the end of the session")
    assert "127.0.0.1: hung up" in town.log.read_text()


# --- the others -------------------------------------------------------------------------------------------------------


def test_who_calls_it_by_plain_telnet_is_told(town: TlsBbs) -> None:
    with town.half_open(b"Anna\r\n") as peer:
        assert peer.makefile("rb").read() == HINT
    wait_until(lambda: "127.0.0.1: no session: it speaks no TLS" in town.log.read_text(), "a line in the log")


def test_a_half_open_handshake_ends_in_time_and_takes_no_record(tmp_path: Path, files: Files) -> None:
    with TlsBbs(tmp_path / "data", files, handshake=2) as bbs:
        hello = client_hello()
        with bbs.half_open(hello[:50]) as half, bbs.half_open() as silent, bbs.half_open(hello) as mute:
            wait_until(lambda: len(children(bbs)) == 1, "a process for the one with a whole hello")
            assert records(bbs.data) == 0
            assert half.makefile("rb").read() == b""
            assert silent.makefile("rb").read() == HINT
            assert mute.makefile("rb").read()
        wait_until(lambda: not children(bbs), "their end")
        assert bbs.log.read_text().count("no session: no handshake in time") == 2  # the same address once
        bbs.call_in_tls().register("Anna")


def test_a_hello_that_comes_in_parts_is_heard(bbs: TlsBbs) -> None:
    hello = client_hello()
    with bbs.half_open(hello[:3]) as slow:
        for at in (3, 50):
            bbs.call_in_tls().hang_up()  # meanwhile the listener has looked at the former part
            slow.sendall(hello[at : at + 47] if at == 3 else hello[at:])
        assert slow.recv(1) == b"\x16", "its own record of a handshake"


def test_who_hangs_up_before_the_answer_costs_no_process(bbs: TlsBbs) -> None:
    listener = psutil.Process(bbs.process.pid)
    listener.suspend()
    for _ in range(5):
        bbs.half_open(client_hello()).close()
    listener.resume()
    bbs.call_in_tls().register("Anna")
    assert "no session" not in bbs.log.read_text()


def test_the_bbs_closes_though_handshakes_hang(tmp_path: Path, files: Files) -> None:
    with TlsBbs(tmp_path / "data", files, handshake=3600) as bbs:
        anna = bbs.call_in_tls().register("Anna")
        hanging = [bbs.half_open(client_hello()) for _ in range(5)]
        waiting = [bbs.half_open(client_hello()[:50]) for _ in range(5)]
        wait_until(lambda: len(children(bbs)) == 6, "their processes")
        assert bbs.stop() == 0  # within `DEADLINE`, where a handshake has an hour
        anna.see("The BBS is closing down.")
        anna.ended()
        for peer in waiting:
            assert peer.recv(1) == b""
        for peer in hanging + waiting:
            peer.close()
        assert "killed" not in bbs.log.read_text()
        assert "signal" not in bbs.log.read_text()
        assert bbs.log.read_text().count("no session: the BBS closes") == 5


def test_hundreds_of_half_open_handshakes_leave_room_for_others(tmp_path: Path, files: Files) -> None:
    lines = 100 if SOAK else 30
    most = f"max_per_address = 200\nmax_sessions = {lines}\nmax_logins = {lines}"
    config = FAST.replace("max_per_address = 200", most)
    with TlsBbs(tmp_path / "data", files, config, handshake=8) as bbs:
        anna = bbs.call().register("Anna")
        peers = [bbs.half_open(client_hello(), f"127.0.{at // 250}.{1 + at % 250}") for at in range(3 * lines)]
        wait_until(lambda: len(children(bbs)) >= lines, "as many sessions as there are lines")
        anna.press("w")
        anna.see("1 user online.")
        bbs.call_in_tls().register("Bert")
        wait_until(lambda: len(children(bbs)) == 2, "their end", 60)
        for peer in peers:
            peer.close()


def test_limits_count_callers_of_both_doors_together(tmp_path: Path, files: Files) -> None:
    with TlsBbs(tmp_path / "data", files, FAST.replace("max_per_address = 200", "max_per_address = 2")) as bbs:
        bbs.call().see("Name:")
        bbs.call_in_tls().see("Name:")
        with pytest.raises(ssl.SSLError, match=r"(?i)access denied"):
            bbs.call_in_tls()
        bbs.call().see("too many calls from your address")
        assert "tls: refused 127.0.0.1: too many calls from its address" in bbs.log.read_text()


def test_a_banned_address_is_turned_away_at_this_door_too(bbs: TlsBbs) -> None:
    ban(bbs, {"127.0.0.1": None}, "banned addresses and networks: 1")
    with pytest.raises(ssl.SSLError, match=r"(?i)access denied"):
        bbs.call_in_tls()
    assert not children(bbs)


def test_a_wrong_password_is_logged_with_the_callers_address(town: TlsBbs) -> None:
    town.call().register("Paula")
    caller = town.call_in_tls(address="127.0.0.9")
    caller.see("Name:")
    caller.line("Paula")
    caller.see("Password:")
    caller.line("wrong")
    caller.see("Wrong password")
    assert "login failed: user Paula from 127.0.0.9" in town.log.read_text()


# --- the certificate --------------------------------------------------------------------------------------------------


@pytest.fixture
def own_files(tmp_path: Path) -> Files:
    """A certificate that a test may change."""
    return make_certificate(tmp_path, NAME)


def renew(files: Files, folder: Path) -> Files:
    """Put another certificate in place; return it."""
    folder.mkdir()
    made = make_certificate(folder, NAME)
    for old, new in zip(files, made, strict=True):
        shutil.copy(new, old.with_suffix(".new"))
        old.with_suffix(".new").replace(old)
    return made


def fingerprint(caller: TlsCaller) -> bytes:
    found = caller.tls.getpeercert(binary_form=True)
    assert found
    return found


def test_a_renewed_certificate_is_taken_without_a_restart(tmp_path: Path, own_files: Files) -> None:
    with TlsBbs(tmp_path / "data", own_files) as bbs:
        before = bbs.call_in_tls().register("Anna")
        old = fingerprint(before)
        new = renew(own_files, tmp_path / "new")
        after = bbs.call_in_tls(trusted=new.cert).register("Bert")
        assert fingerprint(after) != old
        before.press("w")
        before.see("2 users online.")
        assert bbs.log.read_text().count("certificate read again") == 1


def test_a_broken_certificate_is_not_taken_and_told_once(tmp_path: Path, own_files: Files) -> None:
    with TlsBbs(tmp_path / "data", own_files) as bbs:
        trusted = tmp_path / "trusted.pem"
        shutil.copy(own_files.cert, trusted)
        own_files.cert.write_text("no certificate\n")
        for name in ("Anna", "Bert"):
            bbs.call_in_tls(trusted=trusted).register(name)
        log = bbs.log.read_text()
        assert log.count("the certificate stays as it was") == 1
        assert str(own_files.cert) in log


def test_a_reload_takes_other_files_and_keeps_the_old_ones_for_broken_ones(tmp_path: Path, own_files: Files) -> None:
    with TlsBbs(tmp_path / "data", own_files) as bbs:
        (tmp_path / "other").mkdir()
        other = make_certificate(tmp_path / "other", NAME)
        bbs.configure(FAST + section(bbs.tls_port, other))
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "certificate read again" in bbs.log.read_text(), "the reload")
        bbs.call_in_tls(trusted=other.cert).register("Anna")
        bbs.configure(FAST + section(bbs.tls_port, Files(other.cert, own_files.key)))
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the certificate stays as it was" in bbs.log.read_text(), "the reload")
        bbs.call_in_tls(trusted=other.cert).register("Bert")
        assert "another address or port" not in bbs.log.read_text()
        bbs.configure(FAST)
        bbs.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "another address or port to listen on waits" in bbs.log.read_text(), "a word")
        bbs.call_in_tls(trusted=other.cert).register("Carl")


def test_the_hook_of_certbot_puts_a_renewed_certificate_in_place(tmp_path: Path, own_files: Files) -> None:
    lineage, place = tmp_path / "live", tmp_path / "place"
    for folder in (lineage, place):
        folder.mkdir()
    for file, name in zip(own_files, ("fullchain.pem", "privkey.pem"), strict=True):
        shutil.copy(file, lineage / name)
    group = subprocess.run(["id", "-gn"], capture_output=True, text=True, check=True).stdout.strip()
    environment = {**os.environ, "RENEWED_LINEAGE": str(lineage), "YAWC_TLS": str(place), "YAWC_GROUP": group}
    hook = Path(__file__).parents[2] / "deploy/certbot-hook"
    subprocess.run([hook], check=True, env=environment)
    placed = Files(place / "cert.pem", place / "key.pem")
    assert (placed.key.stat().st_mode & 0o777, len(list(place.iterdir()))) == (0o640, 2)
    with TlsBbs(tmp_path / "data", placed) as bbs:
        bbs.call_in_tls().register("Anna")
        (tmp_path / "renewed").mkdir()
        renewed = make_certificate(tmp_path / "renewed", NAME)
        for file, name in zip(renewed, ("fullchain.pem", "privkey.pem"), strict=True):
            shutil.copy(file, lineage / name)
        subprocess.run([hook], check=True, env=environment)
        bbs.call_in_tls(trusted=renewed.cert).register("Bert")
        assert "stays as it was" not in bbs.log.read_text()


# --- start, check, upgrade, activation --------------------------------------------------------------------------------


def test_it_is_announced_in_the_log(town: TlsBbs) -> None:
    line = f"telnet in TLS: 127.0.0.1:{town.tls_port}"
    wait_until(lambda: line in town.log.read_text(), line)


def test_a_certificate_that_cannot_be_used_is_one_line_at_the_start(tmp_path: Path, files: Files) -> None:
    config = tmp_path / "bbs.toml"
    config.write_text(section(992, Files(tmp_path / "none.pem", files.key)))
    line = refused("--config", config, "--data", tmp_path / "data", "--host", "127.0.0.1", "--port", "0")
    assert "no certificate for telnet in TLS" in line
    assert "none.pem: No such file or directory" in line
    assert not (tmp_path / "data").exists()
    config.write_text("[tls]\nport = 992\n")
    assert "tls: a port needs a certificate" in refused("--config", config, "--data", tmp_path / "data")


def test_a_used_port_is_one_line_at_the_start(tmp_path: Path, files: Files) -> None:
    config = tmp_path / "bbs.toml"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        config.write_text(section(taken.getsockname()[1], files))
        line = refused("--config", config, "--data", tmp_path / "data", "--host", "127.0.0.1", "--port", "0")
    assert "Address already in use; another port: [tls] port" in line


def test_check_looks_at_the_certificate(tmp_path: Path, files: Files) -> None:
    config = tmp_path / "bbs.toml"
    config.write_text(FAST + section(992, files))
    assert check("--config", config, "--data", tmp_path / "data")[0] == 0
    config.write_text(FAST + section(992, Files(files.cert, tmp_path / "none.pem")))
    code, out, err = check("--config", config, "--data", tmp_path / "data")
    assert (code, out) == (69, "")
    assert "none.pem: No such file or directory" in err
    assert err.count("\n") == 1


def test_an_upgrade_hands_the_door_over_and_disturbs_nobody(bbs: TlsBbs) -> None:
    anna = bbs.call_in_tls().register("Anna").sit()
    half = bbs.half_open(b"\x16")
    upgrade(bbs)
    bert = bbs.call_in_tls().register("Bert").sit()
    anna.hear("Bert sits down")
    anna.send(".still here\r")
    bert.hear("still here")
    assert who(bbs) == {"Anna": "tls", "Bert": "tls"}
    half.close()


def test_a_hello_that_comes_in_parts_outlives_an_upgrade(tmp_path: Path, files: Files) -> None:
    with TlsBbs(tmp_path / "data", files, handshake=3600) as bbs:
        hello = client_hello()
        with bbs.half_open(hello[:1]) as slow:
            bbs.call_in_tls().hang_up()  # behind the other one in the queue
            upgrade(bbs)
            slow.sendall(hello[1:])
            assert slow.recv(1) == b"\x16", "its own record of a handshake"


def test_an_upgrade_with_a_broken_certificate_is_refused(tmp_path: Path, own_files: Files) -> None:
    with TlsBbs(tmp_path / "data", own_files) as bbs:
        shutil.copy(own_files.cert, tmp_path / "trusted.pem")
        anna = bbs.call_in_tls().register("Anna")
        own_files.cert.unlink()
        upgrade(bbs, "upgrade refused, this program serves on")
        assert "No such file or directory" in bbs.log.read_text().splitlines()[-1]
        bbs.call_in_tls(trusted=tmp_path / "trusted.pem").register("Bert")
        anna.press("w")
        anna.see("2 users online.")


def test_who_calls_during_an_upgrade_is_served(bbs: TlsBbs) -> None:
    bbs.process.send_signal(signal.SIGUSR2)
    served = 0
    while "upgrade: this is version" not in bbs.log.read_text():
        caller = bbs.call_in_tls()
        caller.see("Name:")
        caller.hang_up()
        served += 1
    assert served > 1


def test_sessions_outlive_the_listener_and_a_new_one_opens_the_door(bbs: TlsBbs) -> None:
    anna = bbs.call_in_tls().register("Anna")
    bbs.process.kill()
    bbs.close()
    bbs.start()
    bbs.call_in_tls().register("Bert")
    anna.press("w")
    anna.see("2 users online.")


def test_its_socket_may_be_passed_by_a_service_manager(tmp_path: Path, files: Files) -> None:
    manager = Manager(tmp_path)
    manager.config.write_text(FAST + section(0, files))
    with (
        socket.create_server(("127.0.0.1", 0)) as plain,
        socket.create_server(("127.0.0.1", 0)) as encrypted,
        manager.started([plain, encrypted], "telnet:tls"),
        TlsCaller(encrypted.getsockname()[1], files.cert) as anna,
    ):
        anna.register("Anna")
    manager.close()


def test_a_passed_socket_without_a_certificate_is_one_line(tmp_path: Path) -> None:
    manager = Manager(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as encrypted:
        with pytest.raises(AssertionError), manager.started([encrypted], "tls") as daemon:
            daemon.wait()
        assert daemon.returncode == 69
    assert "telnet in TLS wants a certificate: [tls] cert" in manager.log.read_text()
    manager.close()


# --- real clients -----------------------------------------------------------------------------------------------------


def s_client(bbs: TlsBbs, *options: str) -> PtyCaller:
    command = f"openssl s_client -connect 127.0.0.1:{bbs.tls_port} -servername {NAME} -CAfile {bbs.files.cert}"
    return PtyCaller([*command.split(), *options])


def test_openssl_s_client(town: TlsBbs) -> None:
    caller = s_client(town, "-quiet", "-verify_return_error")
    caller.see("Name:")
    caller.line("Sonja")
    caller.see("(y/n)")
    caller.line("y")
    caller.see("Password:")
    caller.hang_up()


def test_s_client_asks_in_vain_for_a_renegotiation(bbs: TlsBbs) -> None:
    caller = s_client(bbs, "-tls1_2")
    caller.see("Name:")
    caller.line("R")
    caller.wait(lambda: "RENEGOTIATING" in caller.transcript, "the request")
    caller.wait(lambda: "no renegotiation" in caller.transcript, "the answer")
    caller.hang_up()
    wait_until(lambda: not children(bbs), "the end of the session")
    assert "bug" not in bbs.log.read_text()


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_s_client_is_refused_with_an_old_version(town: TlsBbs, version: str) -> None:
    command = f"openssl s_client -connect 127.0.0.1:{town.tls_port} {version} -cipher ALL:@SECLEVEL=0"
    done = subprocess.run(command.split(), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode != 0
    assert "Name:" not in done.stdout
    assert "alert protocol version" in done.stderr or "no protocols available" in done.stderr


@needs("tt++", TINTIN)
def test_tintin(town: TlsBbs, tmp_path: Path) -> None:
    script = tmp_path / "bbs.tin"
    script.write_text(f"#ssl bbs 127.0.0.1 {town.tls_port}\n")
    assert TINTIN
    caller = PtyCaller([TINTIN, str(script)])
    caller.see("Name:")
    caller.line("Tina")
    caller.see("(y/n)")
    assert list(who(town).values()) == ["tls"]
    caller.hang_up()


@needs("telnet-ssl", shutil.which("telnet-ssl"))
def test_telnet_ssl(town: TlsBbs) -> None:
    caller = PtyCaller(["telnet-ssl", "-z", "ssl", "127.0.0.1", str(town.tls_port)])
    caller.see("Name:")
    caller.register("Thea")
    assert who(town) == {"Thea": "tls"}
    caller.sit()
    caller.resize(100, 30)
    caller.screen.reset()
    caller.see("Master: Thea")
    caller.hang_up()
    wait_until(lambda: records(town.data) == 0, "the end of the session")
