"""The Debian package under a real dpkg and systemd: installed, upgraded with callers inside, removed, purged.

Building it takes a minute and the network, so `make systemd` alone does it.
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST
from tests.ports import free_port
from tests.systemd.conftest import WANTED, why_not
from tests.systemd.container import Container
from tests.systemd.installation import SERVICE, SOCKET, SOURCE
from tests.systemd.service import Service
from tests.waiting import wait_until

pytestmark = [pytest.mark.xdist_group("systemd"), pytest.mark.timeout(600)]

WEB = "yawc-web.socket"
VERSIONS = ("1.0.0", "1.0.1")


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    """A machine with two versions of the package in /packages, a configuration, and a port for callers."""
    if not os.environ.get(WANTED):
        pytest.skip("make systemd builds the package")
    reason = why_not() or ("" if shutil.which("dpkg-deb") else "no dpkg-deb")
    assert not reason
    folder = tmp_path_factory.mktemp("debian")
    files = folder / "files"
    packages = files / "packages"
    former = {**os.environ, "VERSION": VERSIONS[0]}
    subprocess.run(["sh", "release/deb.sh", sys.prefix, str(packages)], cwd=SOURCE, env=former, check=True)
    renumber(next(packages.iterdir()), folder / "unpacked", *VERSIONS)
    config = files / "etc/yawc/yawc.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"{FAST}[web]\nport = 0\n[maumau]\nport = 0\n")
    dropin = files / f"etc/systemd/system/{SOCKET}.d/port.conf"
    dropin.parent.mkdir(parents=True)
    dropin.write_text(f"[Socket]\nListenStream=\nListenStream=127.0.0.1:{free_port()}\n")
    for path in (files, *files.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    with Container(folder, files) as machine:
        yield machine


def renumber(package: Path, folder: Path, old: str, new: str) -> None:
    """Make of a package the same one of another version, beside it."""
    subprocess.run(["dpkg-deb", "--raw-extract", package, folder], check=True)
    control = folder / "DEBIAN/control"
    control.write_text(control.read_text().replace(f"Version: {old}", f"Version: {new}"))
    made = package.with_name(package.name.replace(old, new))
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", folder, made], check=True)


def install(debian: Container, version: str) -> str:
    """Install a version and return what is said."""
    (package,) = Path(f"{debian.root}/packages").glob(f"*_{version}_*.deb")
    return debian.run("dpkg", "--force-confold", "--install", f"/packages/{package.name}")


def test_a_package_is_installed_upgraded_with_callers_inside_and_removed(debian: Container) -> None:
    install(debian, VERSIONS[0])
    assert debian.run("systemctl", "is-enabled", SOCKET) == "enabled\n"
    wait_until(lambda: debian.attempt("systemctl", "is-active", SERVICE).stdout == "active\n", "the service")
    service = Service(debian)
    anna = service.call().register("Anna")
    listener = service.listener
    assert "Anna" in debian.run("yawcctl", "who")
    assert "yawcctl" in debian.run("sh", "-c", "man -w yawcctl || ls /usr/share/man/man8")
    folders = {Path(line).parts[1] for line in debian.run("dpkg", "--listfiles", "yawc-poker").split()[1:]}
    assert folders == {"etc", "opt", "usr"}  # /lib is another name for /usr/lib, of which dpkg knows nothing

    assert "The listener is version" in install(debian, VERSIONS[1])
    debian.run("sh", "-c", "echo '[nobody]' >>/etc/yawc/yawc.toml")
    assert "The former program serves on" in install(debian, VERSIONS[0])
    debian.run("sed", "-i", "/nobody/d", "/etc/yawc/yawc.toml")
    assert service.listener == listener
    anna.press("w")
    anna.see("1 user online.")
    bert = service.call().register("Bert")

    debian.run("dpkg", "--remove", "yawc-poker")
    for caller in (anna, bert):
        caller.ended()
        caller.hang_up()
    assert service.left_over() == []
    assert debian.run("ls", "/etc/yawc", "/var/lib/yawc")
    assert debian.attempt("ls", "/opt/yawc").stdout == ""


def test_a_package_that_was_removed_opens_again_and_one_that_is_stopped_does_not(debian: Container) -> None:
    install(debian, VERSIONS[1])
    debian.run("systemctl", "enable", WEB)
    debian.run("dpkg", "--remove", "yawc-poker")
    install(debian, VERSIONS[0])
    wait_until(lambda: debian.attempt("systemctl", "is-active", SERVICE).stdout == "active\n", "the service")

    debian.run("systemctl", "stop", SOCKET)
    install(debian, VERSIONS[1])
    assert debian.attempt("systemctl", "is-active", SOCKET, SERVICE).stdout == "inactive\ninactive\n"

    debian.run("dpkg", "--purge", "yawc-poker")
    assert debian.attempt("ls", "/etc/yawc", "/var/lib/yawc", "/opt/yawc").stdout == ""
    assert debian.run("find", "/etc/systemd/system", "-name", WEB) == ""


def test_a_package_is_installed_where_a_port_is_taken_and_says_that_the_bbs_did_not_open(debian: Container) -> None:
    with socket.create_server(("", 0)) as taken:
        config = f"{FAST}[web]\nport = 0\n[maumau]\nport = {taken.getsockname()[1]}\n"
        debian.run("sh", "-c", "mkdir -p /etc/yawc && cat >/etc/yawc/yawc.toml", text=config)
        assert "The BBS did not open" in install(debian, VERSIONS[0])
    assert "install ok installed" in debian.run("dpkg", "--status", "yawc-poker")
    debian.run("systemctl", "reset-failed", SERVICE)
    debian.run("systemctl", "start", SERVICE)
    debian.run("dpkg", "--purge", "yawc-poker")
