"""A sysop's own texts: files in the data directory, in each language, as text or with colours.

Owns which there are, their names and what may stand in them: `KIND.LANGUAGE.ans`, `KIND.LANGUAGE.txt`, `KIND.ans` and
`KIND.txt`, of which a caller gets the first that is there and fits their terminal. A `.txt` is UTF-8; an `.ans` is that
or CP437, may have colours (`ESC [ ... m`), and is for screens only. Whatever is in a file, nothing but characters and
our own styles reaches a terminal; `problems` tells what will not look as it was meant.
"""

import re
import time
from collections.abc import Iterator, Mapping
from typing import Final, Literal, get_args

from yawc_poker.digits import decimal
from yawc_poker.session.caller.caller import Caller
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.text import clean, is_harmless
from yawc_poker.words import LANGUAGES, Language

Kind = Literal["greeting", "motd", "menu", "conduct"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Before the name prompt, in place of the banner; after the login; above the main menu; the help page of that name."""
COLUMNS: Final = 76
LONGEST: Final = 200
"""Characters of a line that are shown."""
MOST: Final = 65536
"""Bytes that are read of a file."""
VARIABLES: Final = ("bbs", "name", "callers", "date", "time")
"""The BBS's name, the caller's (nothing at the greeting), how many are here, today and now, by the BBS's clock."""

_COLOUR: Final = re.compile(r"\x1b\[([0-9;]*)m")
_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~])?")
_VARIABLE: Final = re.compile(r"\{([^{}\s]*)\}")
_STYLES: Final[Mapping[int, Style]] = {
    30: Style.DIM,
    31: Style.RED,
    32: Style.GREEN,
    33: Style.YELLOW,
    34: Style.BLUE,
    35: Style.MAGENTA,
    36: Style.CYAN,
    37: Style.PLAIN,
}
_END: Final = "\x1a"
"""Behind it an artist's program has written about the file (SAUCE)."""

Line = tuple[tuple[str, Style], ...]
"""Pieces of a line with their styles."""


def file_names(kind: Kind, language: Language, *, draws: bool) -> list[str]:
    """Return the names of the files that may have a text for a caller, the first that is there counts."""
    ends = ("ans", "txt") if draws else ("txt",)
    return [f"{kind}{middle}.{end}" for middle in (f".{language}", "") for end in ends]


def read(path: str) -> str | None:
    """Return the text of a file; None: it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST)
    except OSError:
        return None
    return _decoded(data, path[path.rindex(".") :]).rstrip()


def _decoded(data: bytes, suffix: str) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("cp437") if suffix == ".ans" else data.decode(errors="replace")
    return text.partition(_END)[0].replace("\r\n", "\n")


def lines(text: str, values: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines of a text with these values for its variables."""
    style = Style.PLAIN
    for line in text.split("\n"):
        pieces, at = [], 0
        for colour in _COLOUR.finditer(line):
            pieces.append((line[at : colour.start()], style))
            style, at = _after(style, colour[1]), colour.end()
        pieces.append((line[at:], style))
        yield tuple([(clean(_filled(_SEQUENCE.sub("", part), values), LONGEST), one) for part, one in pieces if part])


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)


def _after(style: Style, codes: str) -> Style:
    """Return the style behind a sequence of colours. Grounds are passed over: a caller's own may be light."""
    bold = style in {Style.BOLD, Style.WHITE}
    for code in codes.split(";"):
        number = decimal(code or "0")
        if number == 0:
            style, bold = Style.PLAIN, False
        elif number == 1:
            bold = True
        elif number is not None and number in _STYLES:
            style = _STYLES[number]
    return Style.WHITE if bold and style is Style.PLAIN else style


def problems(name: str, data: bytes) -> Iterator[str]:
    """Yield what will not be shown as it was meant, of a file of this name."""
    kind, *middle, end = name.split(".")
    if kind not in KINDS or end not in {"txt", "ans"} or len(middle) > 1:
        yield f"no such text; there are {', '.join(KINDS)}, as KIND.txt, KIND.LANGUAGE.txt or .ans"
        return
    if middle and middle[0] not in LANGUAGES:
        yield f"there is no language {middle[0]!r}; there are {', '.join(LANGUAGES)}"
    if len(data) > MOST:
        yield f"only the first {MOST} bytes are shown"
    text = _decoded(data, f".{end}")
    if end == "txt" and "\ufffd" in text:
        yield "not UTF-8"
    for number, line in enumerate(text.split("\n"), 1):
        yield from (f"line {number}: {problem}" for problem in _of_line(line, may_colour=end == "ans"))


def _of_line(line: str, *, may_colour: bool) -> Iterator[str]:
    plain = _COLOUR.sub("", line) if may_colour else line
    if "\x1b" in plain:
        yield "escape sequences that are no colours are left out" if may_colour else "colours want a file .ans"
        plain = _SEQUENCE.sub("", plain)
    for found in _VARIABLE.finditer(plain):
        if found[1] not in VARIABLES:
            yield f"no variable {found[0]}; there are {', '.join(f'{{{one}}}' for one in VARIABLES)}"
    if len(plain) > COLUMNS:
        yield f"{len(plain)} characters, and a window may have {COLUMNS}"
    if not is_harmless(plain):
        yield "characters that not every terminal can show"


# --- showing ----------------------------------------------------------------------------------------------------------


def own_text(caller: Caller, kind: Kind) -> list[Line]:
    """Return the lines of the sysop's own text for a caller; none: there is none."""
    for name in file_names(kind, caller.words.language, draws=caller.display.can_draw):
        if (found := read(f"{caller.instance.data}/{name}")) is not None:
            return list(lines(found, _values(caller)))
    return []


def show(caller: Caller, kind: Kind, style: Style = Style.PLAIN) -> bool:
    """Show the sysop's own text, what has no colour in this style; return whether there is one."""
    shown = own_text(caller, kind)
    for line in shown:
        if len(line) > 1 or any(one is not Style.PLAIN for _, one in line):
            caller.console.show(line)
        else:
            caller.console.say("".join(text for text, _ in line), style)
    return bool(shown)


def plain(caller: Caller, kind: Kind) -> str:
    """Return the sysop's own text without its colours; empty: there is none."""
    return "\n".join("".join(text for text, _ in line) for line in own_text(caller, kind))


def _values(caller: Caller) -> dict[str, str]:
    now = time.localtime()
    user = caller.user_or_none
    return {
        "bbs": caller.config.bbs.name,
        "name": "" if user is None else user.name,
        "callers": str(sum(not one.is_house for one in caller.instance.directory.people())),
        "date": time.strftime("%Y-%m-%d", now),
        "time": time.strftime("%H:%M %Z", now),
    }
