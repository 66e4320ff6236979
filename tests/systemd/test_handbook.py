"""The sysop's handbook says what each line of the log means: every one, at its level, and none that there is not."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.systemd.installation import SOURCE
from yawc_poker.doors import kinds
from yawc_poker.sysop.__main__ import parser

HANDBOOK = SOURCE / "docs/sysop.md"
LEVELS = {"error": "error", "exception": "error", "warning": "warning", "info": "info"}


class Line(NamedTuple):
    """A line that the program may log; `form` matches it however it is filled in."""

    where: str
    level: str
    form: re.Pattern[str]
    fixed: int
    """Letters that are always the same."""


def logged() -> Iterator[Line]:
    for path in sorted([*SOURCE.glob("telnetd/**/*.py"), *SOURCE.glob("yawc_poker/**/*.py")]):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="log"), attr=level), args=[ast.Constant(value=str(text)), *_]
                ) if level in LEVELS:
                    yield _line(path, node.lineno, LEVELS[level], text)
    for kind in kinds().values():
        if kind.announcement:
            yield _line(Path("doors"), 0, LEVELS["info"], kind.announcement.replace("{}", "%s"))


def _line(path: Path, number: int, level: str, text: str) -> Line:
    pieces = re.split(r"%[.\d]*[a-z]", text)
    form = re.compile(".+".join(map(re.escape, pieces)))
    return Line(f"{path.name}:{number}", level, form, sum(map(str.isalpha, "".join(pieces))))


def explained() -> Iterator[tuple[str, str]]:
    """Return level and line of all that the handbook explains."""
    chapter = HANDBOOK.read_text().partition("## What the log says\n")[2].partition("\n## ")[0]
    level = ""
    for row in chapter.splitlines():
        if found := re.match(r"\*\*(\w+)\*\*: ", row):
            level = found[1]
        if row.startswith("| `"):
            yield from ((level, line) for line in re.findall(r"`([^`]+)`", row.split("|")[1]))


def test_every_line_of_the_log_is_explained() -> None:
    known = list(explained())
    for line in logged():
        assert any(level == line.level and line.form.fullmatch(text) for level, text in known), line


BY_SUBJECT = {
    "PEER: REASON",
    "REASON",
    "wire client ADDRESS: REASON",
    "wire client ADDRESS cannot be served: REASON",
    "wire session of ADDRESS ended by a bug",
    "house player at table N: REASON",
    "no house player for table N: REASON",
    "a house player at table N ended by a bug",
}
"""Lines whose beginning says what it is about, so it is no fixed text of a log line (`serve_callerless`)."""


def test_no_line_is_explained_that_is_not_logged() -> None:
    lines = list(logged())
    for level, text in explained():
        if text not in BY_SUBJECT:
            assert any(line.level == level and line.fixed > 3 and line.form.fullmatch(text) for line in lines), text


def test_every_command_is_shown() -> None:
    handbook = HANDBOOK.read_text()
    commands = re.findall(r"^    (\w+) ", parser().format_help(), re.MULTILINE)
    assert len(commands) > 1
    for command in commands:
        assert f"yawcctl {command}" in handbook, command
