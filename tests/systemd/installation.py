"""The program and its unit as deploy/README.md installs them, laid out in a folder that is to become a root directory.

The real way asks a package index and a compiler; here the packages are copied from the environment that runs the tests.
That fits the system's Python as long as both have the same version.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

SOURCE = Path(__file__).parents[2]
DEPLOY = SOURCE / "deploy"
PYTHON = Path("/usr/bin/python3")
PREFIX = Path("/opt/yawc")
UNITS = Path("/etc/systemd/system")
SERVICE = "yawc-telnetd.service"
SOCKET = "yawc-telnetd.socket"
WIRE = "yawc-wire.socket"
DOOR = "yawc-door.socket"
TLS = "yawc-tls.socket"
DROPBEAR = "yawc-dropbear"
CONFIG = Path("/etc/yawc/yawc.toml")

_FILES = (
    (SERVICE, "/etc/systemd/system"),
    (SOCKET, "/etc/systemd/system"),
    (WIRE, "/etc/systemd/system"),
    ("yawc-web.socket", "/etc/systemd/system"),
    ("yawcctl", "/usr/local/sbin"),
    ("sysusers.d/yawc.conf", "/etc/sysusers.d"),
    ("sysusers.d/yawc-ssh.conf", "/etc/sysusers.d"),
    ("ssh/sshd-bbs.conf", "/etc/ssh/sshd_config.d"),
    ("ssh/yawc-door.socket", "/etc/systemd/system"),
    (f"ssh/{DROPBEAR}.socket", "/etc/systemd/system"),
    (f"ssh/{DROPBEAR}@.service", "/etc/systemd/system"),
    ("fail2ban/filter.d/yawc.conf", "/etc/fail2ban/filter.d"),
)

_SCRIPT = "#!{python}\nimport sys\nfrom {module} import main\nsys.exit(main())\n"


def python_fits() -> bool:
    """Return whether the system's Python can run what was compiled for the present one."""
    if not PYTHON.exists():
        return False
    command = [str(PYTHON), "-c", "import sys, sqlite3, venv; print(sys.version_info[:2])"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout == f"{sys.version_info[:2]}\n"


def install(root: Path, config: str, port: int, wire_port: int) -> None:
    """Lay everything out below `root`; callers shall come by these ports of 127.0.0.1."""
    _program(root)
    for name, folder in _FILES:
        _put(root, Path(folder, Path(name).name), (DEPLOY / name).read_text(), (DEPLOY / name).stat().st_mode & 0o777)
    _put(root, CONFIG, config)
    for unit, number in ((SOCKET, port), (WIRE, wire_port)):
        _put(root, UNITS / f"{unit}.d/port.conf", f"[Socket]\nListenStream=\nListenStream=127.0.0.1:{number}\n")
    wanted = root / UNITS.relative_to("/") / f"{SOCKET}.wants"  # what `systemctl enable` does
    wanted.mkdir()
    for unit in (WIRE, DOOR):
        (wanted / unit).symlink_to(UNITS / unit)


def _put(root: Path, path: Path, text: str, mode: int = 0o644) -> None:
    target = root / path.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    target.chmod(mode)


def _program(root: Path) -> None:
    """A virtual environment of the system's Python with the program, what it needs, and its commands."""
    place = root / PREFIX.relative_to("/")
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", place], check=True)
    packages = next((place / "lib").glob("python*")) / "site-packages"
    for package in ("yawc_poker", "telnetd"):
        shutil.copytree(SOURCE / package, packages / package, ignore=shutil.ignore_patterns("__pycache__"))
    for needed in _needed("yawc-poker", {}).values():
        _copy(needed, packages)
    for command in distribution("yawc-poker").entry_points.select(group="console_scripts"):
        text = _SCRIPT.format(python=PREFIX / "bin/python", module=command.module)
        _put(root, PREFIX / "bin" / command.name, text, 0o755)
    _put(
        root,
        PREFIX / "bin" / "yawc-door",
        (SOURCE / "yawc_poker/extras/ssh_door/program/yawc-door.sh").read_text(),
        0o755,
    )


def _needed(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Add a distribution and all it needs here; what is not installed is for other systems."""
    if name in found:
        return found
    try:
        found[name] = distribution(name)
    except PackageNotFoundError:
        return found
    for requirement in found[name].requires or []:
        if "extra ==" not in requirement:
            _needed(_name(requirement), found)
    return found


def _name(requirement: str) -> str:
    matched = re.match(r"[\w.-]+", requirement)
    assert matched, requirement
    return matched[0]


def _copy(needed: Distribution, packages: Path) -> None:
    for path in _own_files(needed):
        source = Path(str(needed.locate_file(path)))
        (packages / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, packages / path)


def _own_files(needed: Distribution) -> Iterator[Path]:
    """Return what a distribution has in site-packages; of an editable one its description only."""
    for file in needed.files or []:
        path = Path(str(file))
        if ".." not in path.parts and path.suffix != ".pth" and path.suffix != ".pyc":
            yield path
