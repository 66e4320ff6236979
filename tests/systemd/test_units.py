"""What systemd, OpenSSH and fail2ban think of the files in deploy/, without running anything."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from telnetd.extras.web.settings import WebSettings
from tests.systemd.installation import DEPLOY, DOOR, PREFIX, SERVICE, SOCKET, TLS, WIRE
from yawc_poker.config_file import load
from yawc_poker.extras.maumau_wire.settings import WireSettings
from yawc_poker.registry.games import SETTINGS

CLOSING = tuple([f"closing/yawc-{what}.{kind}" for what in ("closing", "opening") for kind in ("service", "timer")])
UNITS = (*CLOSING, SERVICE, SOCKET, WIRE, TLS, f"ssh/{DOOR}", "ssh/yawc-dropbear.socket", "ssh/yawc-dropbear@.service")
THRESHOLD = 15
"""`systemd-analyze security` in tenths: 1.5."""
FIRST_OFFLINE = 250
"""The systemd that learned to rate a unit file without running it."""

LINES = """\
2026-11-22 03:04:34,420 WARNING [61] login failed: user Anna from 192.0.2.1
2026-11-22 03:04:34,420 WARNING [61] login failed: user Anna from 2001:db8::2
2026-11-22 03:04:35,001 WARNING [61] login failed: user x from 198.51.100.9 from 192.0.2.3
2026-11-22 03:04:35,002 INFO [61] user 'login failed: user x from 198.51.100.9' logged in from 192.0.2.4
2026-11-22 03:04:35,003 WARNING [61] login failed: user Anna from /dev/pts/3
Nov 22 03:04:36 host yawc-telnetd[61]: [61] login failed: user Anna from 192.0.2.5
Nov 22 03:04:36 host other[61]: [61] login failed: user Anna from 192.0.2.6
"""


def _version() -> int:
    done = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[1])


needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
needs_fail2ban = pytest.mark.skipif(shutil.which("fail2ban-regex") is None, reason="fail2ban-regex is not installed")


@needs_systemd
def test_verify_is_clean(tmp_path: Path) -> None:
    for unit in UNITS:
        installed = (DEPLOY / unit).read_text().replace(f"{PREFIX}/bin/yawc-telnetd", sys.executable)
        (tmp_path / Path(unit).name).write_text(installed.replace("/usr/sbin/dropbear", sys.executable))
    command = ["systemd-analyze", "verify", *(str(tmp_path / Path(unit).name) for unit in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_local_network_is_told_the_ports_of_the_sockets() -> None:
    services = ElementTree.parse(DEPLOY / "avahi/yawc.service").iter("service")
    told = {one.findtext("type"): f"ListenStream={one.findtext('port')}\n" for one in services}
    assert told.keys() == {"_telnet._tcp", "_http._tcp"}
    assert told["_telnet._tcp"] in (DEPLOY / SOCKET).read_text()
    assert told["_http._tcp"] in (DEPLOY / "yawc-web.socket").read_text()


@needs_systemd
def test_the_service_is_exposed_little() -> None:
    if _version() < FIRST_OFFLINE:
        pytest.skip(f"systemd-analyze {_version()} does not know --offline")
    command = ["systemd-analyze", "--no-pager", "security", "--offline=true", f"--threshold={THRESHOLD}"]
    done = subprocess.run([*command, DEPLOY / SERVICE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_fail2ban
def test_fail2ban_finds_who_guesses_passwords_and_nobody_else(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LINES)
    command = ["fail2ban-regex", "--verbose", str(log), str(DEPLOY / "fail2ban/filter.d/yawc.conf")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.findall(r"^\| +(\S+)  \w{3} \w{3} \d", done.stdout, re.MULTILINE)
    assert found == ["192.0.2.1", "2001:db8::2", "192.0.2.3", "192.0.2.5"], done.stdout


def test_the_example_configuration_and_the_units_fit_together() -> None:
    config = load(DEPLOY / "yawc.toml", SETTINGS)
    service, socket = (DEPLOY / SERVICE).read_text(), (DEPLOY / SOCKET).read_text()
    assert f"\nListenStream={config.telnet.port}\n" in socket
    assert f"\nListenStream={config.of(WireSettings).port}\n" in (DEPLOY / WIRE).read_text()
    assert f"\nListenStream={config.of(WebSettings).port}\n" in (DEPLOY / "yawc-web.socket").read_text()
    ports = f"\nport = {config.telnet.port},ssh,{config.of(WebSettings).port}\n"
    assert ports in (DEPLOY / "fail2ban/jail.d/yawc.conf").read_text()
    for limit in ("TasksMax", "LimitNOFILE"):
        found = re.search(rf"^{limit}=(\d+)$", service, re.MULTILINE)
        assert found
        assert int(found[1]) > 2 * config.telnet.max_sessions


def test_memory_is_bounded_and_the_listener_goes_last() -> None:
    service = (DEPLOY / SERVICE).read_text()
    assert re.search(r"^MemoryMax=[1-9]\d?%$", service, re.MULTILINE)
    assert re.search(r"^OOMScoreAdjust=-\d+$", service, re.MULTILINE)
