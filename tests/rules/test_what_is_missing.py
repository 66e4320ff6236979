"""Something new that is said in one place only: it works there, or the program says at once what is missing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "yawc_poker"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program that may be changed."""
    return shutil.copytree(PROGRAM, tmp_path / "yawc_poker", ignore=shutil.ignore_patterns("__pycache__"))


def change(module: Path, old: str, new: str) -> None:
    text = module.read_text()
    assert text.count(old) == 1
    module.write_text(text.replace(old, new))


def run(program: Path, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=program.parent, capture_output=True, text=True, check=False)


def test_a_section_of_the_configuration_is_read(program: Path) -> None:
    shop = 'class Shop(Section, frozen=True):\n    """`[shop]`: a shop."""\n\n    price: int = 1\n\n\n'
    change(program / "config.py", "class CommonSections(", f"{shop}class CommonSections(")
    change(program / "config.py", "    bbs: Bbs = Bbs()\n", "    bbs: Bbs = Bbs()\n    shop: Shop = Shop()\n")
    done = run(program, "from yawc_poker.config import parse; print(parse('[shop]\\nprice = 7', 'file').shop.price)")
    assert (done.stdout, done.stderr) == ("7\n", "")


def test_a_language_without_its_facts_is_an_error_at_import(program: Path) -> None:
    change(program / "words.py", 'Literal["en", "de", "nl"]', 'Literal["en", "de", "nl", "fr"]')
    done = run(program, "import yawc_poker.words")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "TypeError: TONGUES and Language differ in fr"


TOLD = """
from yawc_poker.catalogues import all_languages, words
from yawc_poker.table_ui.commands import asked, told_at_table
print(asked("/dance on the table", all_languages()))
print("/dance" in told_at_table(words("de"), house=False).split(", "))
"""


def test_a_command_that_does_nothing_is_an_error_at_import(program: Path) -> None:
    change(
        program / "table_ui" / "commands.py", "COMMANDS: Final = (\n", 'COMMANDS: Final = (\n    Command("/dance"),\n'
    )
    done = run(program, TOLD)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("missing 1 required positional argument: 'wish'")


def test_a_command_is_understood_and_told_by_its_line(program: Path) -> None:
    table = "COMMANDS: Final = (\n"
    change(program / "table_ui" / "commands.py", table, f'{table}    Command("/dance", ChooseOption, ("table",)),\n')
    done = run(program, TOLD)
    assert (done.stdout, done.stderr) == ("ChooseOption(text='on the table')\nTrue\n", "")


def test_a_command_of_an_extra_is_understood_and_told(program: Path) -> None:
    folder = program / "extras" / "party"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "commands.py").write_text(
        "from yawc_poker.table_ui.commands import Command, StartGame\n"
        'ANNOUNCED = (Command("/dance", lambda _: StartGame(), ("table",)),)\n'
    )
    done = run(program, TOLD)
    assert (done.stdout, done.stderr) == ("StartGame()\nTrue\n", "")
