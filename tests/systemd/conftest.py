"""One container for all tests of this folder, with the program installed and its port where a test may call it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NoReturn

import pytest

from tests.end_to_end.bbs import FAST
from tests.ports import free_ports
from tests.systemd.container import Container, NoContainer
from tests.systemd.installation import install, python_fits
from tests.systemd.service import Service

WANTED = "YAWC_SYSTEMD"
"""Set by `make systemd`: what would be skipped fails."""


@pytest.fixture(scope="package")
def container(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    folder = tmp_path_factory.mktemp("systemd")
    reason = why_not()
    if reason:
        _none(reason)
    (folder / "files").mkdir(mode=0o755)
    install(folder / "files", f"{FAST}[web]\nport = 0\n", *free_ports(2))
    with ExitStack() as stack:
        try:
            machine = stack.enter_context(Container(folder, folder / "files"))
        except NoContainer as error:
            _none(str(error))
        yield machine


@pytest.fixture
def service(container: Container) -> Iterator[Service]:
    """The BBS as a unit that runs; stopped afterwards, with nothing left over."""
    with Service(container) as running:
        yield running


def why_not() -> str:
    if os.geteuid() != 0:
        return "only root can boot a container"
    missing = [name for name in ("systemd-nspawn", "nsenter", "unshare", "setpriv") if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} missing (Debian: systemd-container, util-linux)"
    if not python_fits():
        return "the system's Python cannot run what is installed for this one"
    return ""


def _none(reason: str) -> NoReturn:
    if os.environ.get(WANTED):
        pytest.fail(f"no container: {reason}")
    pytest.skip(f"no container: {reason}")
