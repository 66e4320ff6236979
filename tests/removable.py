"""Take extras off a copy of this checkout, and test what is left: `python -m tests.removable [--all-at-once]`.

Once without each of them, then without all. What is left must pass the type checker, keep to the layers and pass its
tests; those of an extra that is not there are not collected (`tests.absent`). Which extras there are, the folders say.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.absent import ROOT

ROOTS = (ROOT / "yawc_poker" / "extras", ROOT / "telnetd" / "extras")
TESTS = [
    *(f"tests/rules/test_{name}.py" for name in ("config", "extras", "structure", "game_folders", "what_is_missing")),
    *(f"tests/protocols/test_{name}.py" for name in ("doors", "telnet_line", "tls")),
    *(f"tests/isolation/test_{name}.py" for name in ("places", "prompts", "tables")),
    *(f"tests/end_to_end/test_{name}.py" for name in ("daemon_start", "login", "poker", "sysop", "yawcctl")),
]
"""What is tested without one of them, besides the types of all tests: the places that extras add to, and a game."""


def extras() -> list[Path]:
    """Return the folders of all extras, relative to the checkout."""
    return sorted(
        one.parent.relative_to(ROOT) for root in ROOTS for one in root.glob("*/__init__.py") if one.parent.is_dir()
    )


def is_left_sound(removed: Sequence[Path], folder: Path) -> bool:
    """Return whether what is left without these passes its tests, in a copy below a folder."""
    copy = folder / "-".join(one.name for one in removed)
    ignored = shutil.ignore_patterns(".git", ".venv*", "var", "build", "dist", "__pycache__", ".pytest_cache")
    shutil.copytree(ROOT, copy, ignore=ignored, symlinks=True)
    for one in removed:
        shutil.rmtree(copy / one)
    _say(f"--- without {', '.join(one.name for one in removed)}")
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    left = "from tests.absent import *; print(*(one for one in ROOT.glob('tests/**/*.py') if not missing(one)))"
    modules = _output([sys.executable, "-c", left], copy, environment).split()
    commands = [
        [sys.executable, "-m", "mypy", "yawc_poker", "telnetd", *modules],
        [str(Path(sys.executable).with_name("lint-imports"))],
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            "--dist",
            "loadgroup",
            *(one for one in TESTS if (copy / one).exists()),
        ],
    ]
    done = [subprocess.run(command, cwd=copy, env=environment, check=False).returncode == 0 for command in commands]
    shutil.rmtree(copy)
    return all(done)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _output(command: Sequence[str], folder: Path, environment: dict[str, str]) -> str:
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Return 0 if everything that is left is sound."""
    parser = argparse.ArgumentParser(prog="python -m tests.removable")
    parser.add_argument("--all-at-once", action="store_true", help="only without all of them")
    found = extras()
    sets = [found] if parser.parse_args().all_at_once else [*([one] for one in found), found]
    with tempfile.TemporaryDirectory(prefix="yawc-removable-") as folder:
        failed = [removed for removed in sets if not is_left_sound(removed, Path(folder))]
    for removed in failed:
        _say(f"not sound without {', '.join(map(str, removed))}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
