"""`locks/python.sh` finds the newest interpreter that will do, among some that will not."""

import subprocess
import sys
from pathlib import Path

import pytest

CHOICE = Path(__file__).parents[2] / "locks" / "python.sh"
GOOD = ""
NO_VENV = "sys.modules['ensurepip'] = None"
NO_HEADERS = "import sysconfig; sysconfig.get_path = lambda name: '/nowhere'"
SHIM = "print('pyenv: command not found', file=sys.stderr); sys.exit(127)"


def named(version: int) -> str:
    """Return what makes an interpreter one of Python 3.`version`."""
    return f"import sysconfig; sys.version_info = (3, {version}, 0)"  # sysconfig keeps the real one


OLD = named(10)


def install(folder: Path, **interpreters: str) -> str:
    """Make fake interpreters, each this one with a change before its code runs; return the folder, for PATH."""
    folder.mkdir(exist_ok=True)
    for name, change in interpreters.items():
        fake = folder / name.replace("_", ".")
        program = f"import sys; {change}\ndel sys.argv[1]; exec(sys.argv.pop(1))"
        fake.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{program}" "$@"\n')
        fake.chmod(0o755)
    return str(folder)


def chosen(path: str, *without: str) -> str:
    """Return the name of the interpreter that is chosen with this PATH; empty: none, and the reason is told."""
    done = subprocess.run(
        ["/bin/sh", CHOICE, *without], env={"PATH": path}, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == (done.stderr == "")
    return done.stdout.strip()


def test_fakes_answer_as_an_interpreter_does(tmp_path: Path) -> None:
    fake = f"{install(tmp_path, python3_13=named(13))}/python3.13"
    program = "import sys; print(sys.version_info[:2], sys.argv[1:])"
    assert subprocess.run([fake, "-c", program, "a b"], capture_output=True, check=True).stdout == b"(3, 13) ['a b']\n"


def test_the_newest_is_taken(tmp_path: Path) -> None:
    path = install(tmp_path, python3_11=GOOD, python3=GOOD, python3_12=named(12), python3_13=named(13))
    assert chosen(path) == f"{path}/python3.13"


@pytest.mark.parametrize("trouble", [OLD, NO_VENV, NO_HEADERS, SHIM], ids=["old", "no venv", "no headers", "shim"])
def test_one_that_will_not_do_is_passed_over(tmp_path: Path, trouble: str) -> None:
    path = install(tmp_path, python3=GOOD, python3_12=GOOD, python3_13=trouble)
    assert chosen(path) == f"{path}/python3.12"
    assert chosen(install(tmp_path, python3_12=trouble)) == f"{path}/python3"


def test_a_shim_does_not_hide_the_interpreter_behind_it(tmp_path: Path) -> None:
    shims = install(tmp_path / "shims", python3=GOOD, python3_13=SHIM)
    versions = install(tmp_path / "3.13.0 of a user", python3_13=named(13))
    assert chosen(f"{shims}:{versions}") == f"{versions}/python3.13"


def test_a_version_that_is_not_wanted_is_passed_over(tmp_path: Path) -> None:
    path = install(tmp_path, python3=named(13), python3_13=named(13), python3_11=named(11))
    assert chosen(path, "3.13") == f"{path}/python3.11"
    assert chosen(path, "3.11") == f"{path}/python3.13"


def test_without_any_the_reason_is_told(tmp_path: Path) -> None:
    assert chosen(install(tmp_path, python3=OLD, python3_12=SHIM)) == ""


def test_a_default_that_is_newer_than_those_known_is_taken_if_there_is_no_other(tmp_path: Path) -> None:
    path = install(tmp_path, python3=named(16), python3_16=named(16))
    assert chosen(path) == f"{path}/python3"
    assert chosen(install(tmp_path, python3_12=named(12))) == f"{path}/python3.12"
