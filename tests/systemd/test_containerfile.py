"""The Containerfile, built on a system that was just made, and the BBS of the image started, asked and ended."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.thoroughness import SOAK

ROOT: Final = Path(__file__).parents[2]
SUITE: Final = "stable"
BASE, IMAGE = "localhost/yawc-test-base", "localhost/yawc-test"
TRIED: Final = f"""
FROM {IMAGE}
RUN yawc-telnetd --config /etc/yawc/yawc.toml --port 0 --web-port 0 --wire-port 0 & \\
    until yawcctl --timeout 5 status; do kill -0 $! && sleep 0.2 || exit; done; \\
    test "$(id -un)" = yawc && kill -TERM $! && wait $!
"""
"""Starts the BBS as the image's user, until it is healthy, and ends it."""
ENVIRONMENT: Final[Mapping[str, str]] = {"BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": "vfs"}
"""What works in a container, too, where tests may run."""
MINUTES: Final = 60


@pytest.fixture
def builder() -> Iterator[str]:
    """A program that builds images, and knows one of Debian's freshly made system."""
    program = shutil.which("buildah") or shutil.which("podman")
    if not SOAK or program is None or shutil.which("debootstrap") is None or os.geteuid() != 0:
        pytest.skip("an image is built by `make soak`, as root, where there are debootstrap and buildah or podman")
    yield program
    subprocess.run([program, "rmi", "--force", f"{IMAGE}:tried", IMAGE, BASE], capture_output=True, check=False)


def build(builder: str, tag: str, containerfile: Path, folder: Path, *options: str) -> str:
    command = [builder, "build", "--network=host", f"--tag={tag}", f"--file={containerfile}", *options, str(folder)]
    done = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.timeout(15 * MINUTES)
def test_an_image_is_built_and_its_bbs_opens_as_a_user_of_its_own(builder: str, tmp_path: Path) -> None:
    system = tmp_path / "system"
    command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE, str(system)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout[-2000:]
    old = system / "etc/apt/apt.conf.d/99old"
    old.write_text('Acquire::Check-Valid-Until "false";\n')  # a mirror may stand still
    # Where packages come from, and whom to believe, is this machine's to say.
    shutil.rmtree(system / "etc/ssl/certs")
    shutil.copytree("/etc/ssl/certs", system / "etc/ssl/certs", symlinks=True)
    for file in (Path("/etc/pip.conf"), Path.home() / ".config/pip/pip.conf"):
        if file.exists():
            there = system / file.relative_to("/")
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, there)
    first = tmp_path / "Containerfile"
    first.write_text("FROM scratch\nCOPY . /\n")
    build(builder, BASE, first, system)
    build(builder, IMAGE, ROOT / "Containerfile", ROOT, f"--build-arg=BASE={BASE}")
    last = tmp_path / "tried"
    last.write_text(TRIED)
    assert "callers   0 logged in" in build(builder, f"{IMAGE}:tried", last, tmp_path)
