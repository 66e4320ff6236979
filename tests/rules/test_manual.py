"""Man pages and completion, made from the parsers: of every program, and what is typed is completed."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.systemd.installation import SOURCE

NEEDS = "every extra"
PROGRAMS = {"yawc-telnetd", "yawcctl", "yawc-poker", "yawc-maumau", "yawc-door"}

pytestmark = pytest.mark.skipif(
    find_spec("shtab") is None or find_spec("argparse_manpage") is None, reason="`make manual` installs what makes them"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("manual")
    subprocess.run([sys.executable, "-m", "release.manual", made], cwd=SOURCE, check=True)
    return made


def test_each_program_has_a_page_and_completion_for_both_shells(folder: Path) -> None:
    assert {page.stem for page in folder.glob("man/man*/*")} == PROGRAMS
    assert {file.name for file in folder.glob("bash-completion/completions/*")} == PROGRAMS
    assert {file.name for file in folder.glob("zsh/vendor-completions/*")} == {f"_{name}" for name in PROGRAMS}


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("yawcctl doc", "doctor"),
        ("yawcctl users --b", "--by"),
        ("yawc-telnetd --dem", "--demo"),
        ("yawc-poker --d", "--data"),
    ],
)
def test_bash_completes_what_is_typed(folder: Path, typed: str, completed: str) -> None:
    words = typed.split()
    script = (
        f"source {folder}/bash-completion/completions/{words[0]}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1};"
        f" _shtab_{words[0].replace('-', '_')} {words[0]} {words[-1]}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert completed in done.stdout.split(), done.stderr
