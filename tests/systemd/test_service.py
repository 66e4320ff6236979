"""The real unit under a real systemd: what happens to the listener is noticed by nobody who plays.

Each test begins with an empty data directory and ends with `left_over`: no process, shared memory, semaphore or socket
of the BBS is there when its unit has stopped.
"""

import shutil
import time
from itertools import count

import pytest

from tests.end_to_end.bbs import Caller
from tests.ports import free_ports
from tests.systemd.container import Container
from tests.systemd.installation import CONFIG, DOOR, DROPBEAR, PREFIX, SERVICE, SOCKET, WIRE
from tests.systemd.service import DATA, Service
from yawc_poker.extras.maumau_wire.protocol.codec import encode
from yawc_poker.extras.maumau_wire.protocol.messages import Answer, Id

pytestmark = pytest.mark.xdist_group("systemd")  # one container, one after the other

ERROR, WARNING, INFO = 3, 4, 6
AT_ONCE = 8.0
"""Seconds. What takes this long on a machine busy with other tests takes a tenth of it on a quiet one."""


_GUESTS = count(1)


class Game:
    """Two callers at a table, in the first round of a game, who can show that they still play."""

    def __init__(self, service: Service) -> None:
        self.anna, self.bert = service.seat("Anna", "Bert")
        self.anna.send("s")
        self.bert.until("Turn:", "Anna")
        self._pot = 20
        self._said = 0

    def goes_on(self) -> None:
        """Each says a word that the other hears, at once."""
        for speaker, listener in ((self.anna, self.bert), (self.bert, self.anna)):
            self._said += 1
            word = f"word {self._said}"
            began = time.monotonic()
            speaker.send(f".{word}\r")
            listener.hear(word)
            assert time.monotonic() - began < AT_ONCE
            assert listener.is_open

    def bets(self, caller: Caller) -> None:
        """Bet five CUBES; it is his turn."""
        caller.bet("5")
        self._pot += 5
        for one in (self.anna, self.bert):
            one.until("Pot:", f"{self._pot} CUBES")

    def noticed_nothing(self) -> None:
        """Nothing was on either screen that was not of the game."""
        for caller in (self.anna, self.bert):
            assert "closing" not in caller.transcript
            assert "Please call again" not in caller.transcript
            assert "removed" not in caller.transcript


def test_start_play_and_stop(service: Service) -> None:
    assert service.show("ActiveState") == "active"
    assert service.show("ActiveState", SOCKET) == "active"
    game = Game(service)
    game.bets(game.anna)
    game.bets(game.bert)
    game.goes_on()
    service.yawcctl("audit")
    service.stop()
    for caller in (game.anna, game.bert):
        caller.see("The BBS is closing down.")
        caller.ended()
    assert service.left_over() == []
    assert service.show("Result") == "success"
    service.systemctl("start", SERVICE)
    service.call().log_in("Anna").see("You own 100 CUBES.", "your 15 CUBES came back")


def test_the_journal_has_priorities_and_the_line_for_fail2ban(service: Service, container: Container) -> None:
    service.call().register("Anna")
    stranger = service.call()
    stranger.see("Name:")
    stranger.line("Anna")
    stranger.see("Password:")
    stranger.line("a guess")
    assert service.logged("login failed: user Anna from 127.0.0.1") == WARNING
    assert service.logged("'Anna' logged in from 127.0.0.1") == INFO
    assert not any(text.startswith("<") or "a guess" in text for _, text in service.journal())
    if container.attempt("which", "fail2ban-regex").returncode == 0:
        lines = container.run("journalctl", f"--unit={SERVICE}", "--output=short")
        container.run("sh", "-c", "cat >/run/yawc.log", text=lines)
        found = container.run("fail2ban-regex", "/run/yawc.log", "/etc/fail2ban/filter.d/yawc.conf")
        assert "Failregex: 1 total" in found


def test_a_reload_disturbs_nobody(service: Service, container: Container) -> None:
    game = Game(service)
    config = container.run("cat", CONFIG)
    listener = service.listener
    try:
        _write(container, config.replace("Testville", "Newville"))
        service.systemctl("reload", SERVICE)
        service.logged("configuration read again")
        service.call().see("Newville")
        _write(container, config.replace("start_cubes", "start_dice"))
        service.systemctl("reload", SERVICE)
        assert service.logged("configuration not taken over") == ERROR
        service.call().see("Newville")
    finally:
        _write(container, config)
    game.bets(game.anna)
    game.goes_on()
    game.noticed_nothing()
    assert service.listener == listener


def test_the_listener_is_killed_and_back_at_once(service: Service, container: Container) -> None:
    game = Game(service)
    before, sessions = service.listener, service.sessions()
    service.signal("KILL")
    waiting = service.call()
    game.bets(game.anna)
    waiting.see("Name:", deadline=4 * AT_ONCE)
    service.restarted(before)
    game.bets(game.bert)
    game.goes_on()
    game.noticed_nothing()
    assert set(sessions) <= set(service.sessions())
    assert service.logged("the listener was killed, its sessions go on") == WARNING
    for session in sessions:  # in the namespaces of the listener that is no more
        container.run("nsenter", "--mount", f"--target={session}", "--", "sh", "-c", "echo >/tmp/x; rm /tmp/x")
    carl = service.call().register("Carl").sit()
    carl.until("Pot:", "30 CUBES")
    service.stop()
    for caller in (game.anna, game.bert, carl):
        caller.see("The BBS is closing down.")
    assert service.left_over() == []


def test_the_watchdog_restarts_a_listener_that_stands_still(service: Service, container: Container) -> None:
    with service.changed("[Service]\nWatchdogSec=2\n"):
        game = Game(service)
        before = service.listener
        service.signal("STOP")
        waiting = service.call()
        game.bets(game.anna)
        game.goes_on()
        assert service.listener == before
        waiting.see("Name:", deadline=4 * AT_ONCE)
        service.restarted(before)
        game.bets(game.bert)
        game.goes_on()
        game.noticed_nothing()
        service.logged("Watchdog timeout")


def test_a_new_version_takes_over_while_people_play(service: Service, container: Container) -> None:
    game = Game(service)
    listener = service.listener
    carl = service.call().register("Carl")
    modules = container.run("find", PREFIX, "-path", "*/session/caller/endings.py").strip()
    old, new = "come back soon!", "come back soon, to the second edition!"
    assert _farewell(service, old)
    container.run("sed", "-i", f"s/{old}/{new}/", modules)
    try:
        assert "Those who are in play on" in service.yawcctl("upgrade")
        assert _farewell(service, new)
    finally:
        container.run("sed", "-i", f"s/{new}/{old}/", modules)
    assert service.listener == listener
    assert service.show("NRestarts") == "0"
    carl.send("qy")
    carl.see(old)
    game.bets(game.anna)
    game.bets(game.bert)
    game.goes_on()
    game.noticed_nothing()
    service.logged("upgrade: this is version")


def test_a_version_that_cannot_start_is_refused_and_the_old_one_serves_on(
    service: Service, container: Container
) -> None:
    game = Game(service)
    listener = service.listener
    module = container.run("find", PREFIX, "-path", "*/session/caller/endings.py").strip()
    container.run("sed", "-i", "1i raise SystemExit('not ready yet')", module)
    try:
        service.signal("USR2")
        assert service.logged("upgrade refused, this program serves on: not ready yet") == ERROR
    finally:
        container.run("sed", "-i", "1d", module)
    service.call().see("Name:")
    game.goes_on()
    assert service.listener == listener


def test_the_sysop_looks_after_the_bbs_from_outside_the_unit(service: Service, container: Container) -> None:
    game = Game(service)
    assert "2 logged in" in service.yawcctl("status")
    assert "poker 1, seat 2" in service.yawcctl("who")
    assert "Anna (master), Bert" in service.yawcctl("tables")
    assert "game 1" in service.yawcctl("watch", "poker 1", "--once")
    assert f"process {service.listener} (living)" in service.yawcctl("ipc")
    assert b'yawc_sessions{place="table"} 2' in service.metrics()
    service.yawcctl("warn", "Bert", "--reason", "asleep")
    service.yawcctl("kick", "Bert", "--reason", "blocks a seat")
    game.bert.ended()
    game.anna.hear("wins 20 CUBES")
    game.bert.hang_up()
    assert "blocks a seat" in service.yawcctl("acts", "Bert")
    assert service.logged("sysop's act 2: kick 'Bert' by 'yawcctl/yawc': 'blocks a seat'") == INFO
    service.yawcctl("verify", "1")
    assert "clean" in service.yawcctl("audit")


def test_a_backup_is_taken_while_people_play_and_put_back(service: Service, container: Container) -> None:
    game = Game(service)
    folder = "/var/backups/yawc"
    container.run("install", "-d", "-m", "700", "-o", "yawc", "-g", "yawc", folder)
    service.yawcctl("backup", f"{folder}/first.tar")
    game.bets(game.anna)
    service.call().register("Carl")
    service.stop()
    service.yawcctl("restore", f"{folder}/first.tar", "--replace")
    service.systemctl("start", SERVICE)
    anna = service.call().log_in("Anna")
    anna.see("You own 100 CUBES.", "your 10 CUBES came back")
    stranger = service.call()
    stranger.see("Name:")
    stranger.line("Carl")
    stranger.see("(y/n)")
    service.yawcctl("audit")


def test_a_caller_starts_the_bbs_and_stopping_the_socket_stops_it(service: Service) -> None:
    service.systemctl("stop", SERVICE)
    assert service.show("ActiveState") == "inactive"
    service.call().register("Anna")
    assert service.show("ActiveState") == "active"
    service.systemctl("stop", SOCKET)
    assert service.show("ActiveState") == "inactive"
    with pytest.raises(ConnectionRefusedError):
        service.call()


def test_service_comes_back_by_itself_when_the_trouble_is_over(service: Service, container: Container) -> None:
    service.systemctl("stop", SERVICE)
    bank = f"{DATA}/bank.sqlite"
    container.run("mv", bank, "/run/bank.sqlite")
    container.run("mkdir", bank)
    waiting = service.call()
    service.logged("Main process exited, code=exited, status=69")
    container.run("rmdir", bank)
    container.run("mv", "/run/bank.sqlite", bank)
    waiting.see("Name:")
    service.systemctl("is-active", SERVICE)


def test_a_mistake_in_the_configuration_stops_the_start_and_is_named(service: Service, container: Container) -> None:
    service.stop()
    config = container.run("cat", CONFIG)
    try:
        _write(container, config.replace("start_cubes", "start_dice"))
        assert container.attempt("systemctl", "start", SERVICE).returncode != 0
        assert service.show("ExecMainStatus") == "78"
        service.logged("start_dice")
    finally:
        _write(container, config)
    service.systemctl("start", SERVICE)


def test_clients_of_the_wire_wait_for_the_next_listener_too(service: Service) -> None:
    before = service.listener
    service.signal("KILL")
    with service.wire() as client:
        client.sendall(encode(Id("Robot")))
        assert client.recv(1) == encode(Answer(1))
        service.restarted(before)
    service.systemctl("stop", SOCKET)
    assert service.show("ActiveState", WIRE) == "inactive"


def test_sessions_from_outside_the_unit_sit_at_the_same_table(service: Service) -> None:
    anna = service.seat("Anna")[0]
    bert = service.console().register("Bert").sit()
    anna.hear("Bert sits down")
    anna.send("s")
    bert.until("Turn:", "Anna")
    before = service.listener
    service.signal("KILL")
    service.restarted(before)
    anna.bet("5")
    bert.until("Pot:", "25 CUBES")
    service.stop()
    bert.see("The BBS is closing down.")


@pytest.mark.skipif(shutil.which("sshd") is None or shutil.which("ssh") is None, reason="sshd or ssh is not installed")
def test_a_caller_by_ssh_outlives_the_listener_like_the_others(service: Service, container: Container) -> None:
    anna, port = service.seat("Anna")[0], free_ports(1)[0]
    with service.sshd(port):
        bert = service.call_by_ssh(port).register("Bert").sit()
        anna.hear("Bert sits down")
        service.logged("user 'Bert' logged in from 127.0.0.1")
        anna.send("s")
        bert.until("Turn:", "Anna")
        before = service.listener
        service.signal("KILL")
        service.restarted(before)
        anna.bet("5")
        bert.until("Pot:", "25 CUBES")
        service.stop()
        bert.see("The BBS is closing down.")


@pytest.mark.skipif(shutil.which("dropbear") is None or shutil.which("ssh") is None, reason="dropbear or ssh missing")
def test_a_caller_plays_by_a_dropbear_that_may_do_little(service: Service, container: Container) -> None:
    anna, port = service.seat("Anna")[0], free_ports(1)[0]
    with service.dropbear(port):
        bert = service.call_by_ssh(port).register("Bert").sit()
        anna.hear("Bert sits down")
        service.logged("user 'Bert' logged in from 127.0.0.1")
        anna.send("s")
        bert.until("Turn:", "Anna")
        bert.send("xx")
        bert.at_prompt()
        bert.send("qy")
        bert.see("Goodbye")
        assert not container.attempt("systemctl", "--failed", "--plain", "--no-legend", f"{DROPBEAR}@*").stdout
    unit = f"/etc/systemd/system/{DROPBEAR}@.service"
    container.run("systemd-analyze", "security", "--offline=true", "--threshold=25", unit)


def test_the_files_are_what_their_programs_want(service: Service, container: Container) -> None:
    container.run(
        "systemd-analyze", "verify", *(f"/etc/systemd/system/{unit}" for unit in (SERVICE, SOCKET, WIRE, DOOR))
    )
    container.run("systemd-analyze", "security", "--threshold=15", SERVICE)
    assert container.run("stat", "--format=%U %a", DATA).split() == ["yawc", "700"]


def _write(container: Container, config: str) -> None:
    container.run("sh", "-c", f"cat >{CONFIG}", text=config)


def _farewell(service: Service, text: str) -> bool:
    """Make somebody else call and leave, and tell whether that is what he is told."""
    caller = service.call().register(f"Visitor {next(_GUESTS)}")
    caller.send("qy")
    caller.ended()
    return text in caller.text
