"""Kinds of terminals: what a terminal's name says about it, and which charset it shows. Pure.

Owns the table of terminal names and the names of charsets. A line looks up what the caller's side says, and decides
which source it believes.
"""

from collections.abc import Mapping
from typing import Final, Literal

Charset = Literal["utf-8", "cp437", "cp850", "latin-1", "ascii"]

_PAPER: Final = (
    *("tty33", "tty35", "tty37", "tty40", "tty43", "asr33", "asr35", "teletype", "glasstty", "glass-tty"),
    *("la30", "la36", "la120", "la180", "decwriter", "ti700", "ti733", "ti735", "ti745", "ti800", "dtc300", "diablo"),
    *("printer", "lpr", "line-printer", "paper", "hardcopy", "braille", "brltty"),
)
"""Terminals that print on paper or feel like it, and glass ones as simple: none of them can address its cursor."""
_TELETYPES: tuple[tuple[str, str, Charset], ...] = tuple([(name, "dumb", "ascii") for name in _PAPER])

# Terminal names, as telnet's TTYPE or $TERM give them, by their beginning; the longest that fits counts.
#
# A kind must be one of `OWN_KINDS`, or one that blessed has capabilities for: it silently treats any other as
# xterm-256color, which knows sequences that a plainer terminal prints as text. Families whose members differ only in
# what is never sent here (colours beyond 16, queries) share one kind, so that few kinds need to be prepared before the
# fork.
#
# Charsets: a terminal that says ANSI is a BBS program or Windows' telnet, both on IBM's code page. Emulators of the
# xterm age are UTF-8. A DEC terminal may be a real one or a program on any code page: what it says in ASCII is legible.
_TERMINALS: tuple[tuple[str, str, Charset], ...] = (
    ("syncterm", "syncterm", "cp437"),
    ("cterm", "syncterm", "cp437"),  # SyncTERM's own name for its emulation
    ("ansi", "ansi-bbs", "cp437"),  # ansi, ansi-bbs, ansi.sys, ansi-256color (NetRunner), ansi-mono
    ("pcansi", "ansi-bbs", "cp437"),
    ("avatar", "ansi-bbs", "cp437"),
    ("scoansi", "ansi-bbs", "cp437"),
    ("cons25", "ansi-bbs", "cp437"),
    ("xterm", "xterm-256color", "utf-8"),  # also xterm-kitty, xterm-ghostty, xterm-direct
    ("screen", "screen-256color", "utf-8"),
    ("tmux", "tmux-256color", "utf-8"),
    ("linux", "linux", "utf-8"),
    ("putty", "putty-256color", "utf-8"),
    ("rxvt", "rxvt-256color", "utf-8"),
    ("vtwin10", "xterm-256color", "utf-8"),
    ("vtnt", "ansi-bbs", "cp437"),  # Windows' telnet; it reads VT sequences all the same
    ("vt52", "vt52", "ascii"),
    ("vt100", "vt100", "ascii"),
    ("vt102", "vt102", "ascii"),
    ("vt", "vt220", "ascii"),  # vt200, vt220, vt320, vt420, vt525
    ("dec-vt", "vt220", "ascii"),  # the names RFC 1091 means
    ("dumb", "dumb", "ascii"),  # moves no cursor: text only, never a sequence
    *_TELETYPES,
    ("alacritty", "xterm-256color", "utf-8"),
    ("contour", "xterm-256color", "utf-8"),
    ("foot", "xterm-256color", "utf-8"),
    ("ghostty", "xterm-256color", "utf-8"),
    ("gnome", "xterm-256color", "utf-8"),
    ("iterm", "xterm-256color", "utf-8"),
    ("kitty", "xterm-256color", "utf-8"),
    ("konsole", "xterm-256color", "utf-8"),
    ("mintty", "xterm-256color", "utf-8"),
    ("mlterm", "xterm-256color", "utf-8"),
    ("ms-terminal", "xterm-256color", "utf-8"),
    ("nsterm", "xterm-256color", "utf-8"),
    ("st-", "xterm-256color", "utf-8"),
    ("vscode", "xterm-256color", "utf-8"),
    ("vte", "xterm-256color", "utf-8"),
    ("wezterm", "xterm-256color", "utf-8"),
)

_BEGINNINGS = tuple(beginning for beginning, _, _ in _TERMINALS)
_NAMELESS = frozenset({"", "unknown", "network", "dialup", "none"})

SILENT: tuple[str, Charset] = ("ansi", "ascii")
"""Kind and charset where no terminal name is told: legible everywhere, with the plainest sequences."""
_STRANGE: tuple[str, Charset] = ("ansi", "utf-8")  # a MUD client or a young emulator; these are UTF-8

DUMB: Final = "dumb"
"""The kind that is sent no escape sequence: it can show lines, but no table."""
VT52: Final = "vt52"
"""The kind from before ANSI X3.64, with sequences of its own."""
OWN_KINDS: Final = frozenset({DUMB, VT52})
"""Kinds whose sequences are this program's own (`terminal.sequences`), not blessed's."""
MODE_KINDS: Final = frozenset({"xterm-256color", "screen-256color", "tmux-256color", "putty-256color", "rxvt-256color"})
"""Kinds with xterm's private modes, to mark what is pasted and report the mouse, or that pass over them in silence."""
PC_KINDS: Final = frozenset({"ansi-bbs", "syncterm"})
"""Kinds that show the whole code page of a PC. To others of its bytes 0x80 to 0x9F may be controls, as to a VT."""
KINDS: Final = frozenset({kind for _, kind, _ in _TERMINALS} | {SILENT[0], _STRANGE[0]})
"""Every terminal kind a line may have."""


def terminal(name: str) -> tuple[str, Charset]:
    """Return the kind, one of `KINDS`, and the likely charset of the terminal of this name, in any case.

    The charset is a guess: what the caller's side says of it (CHARSET, LANG) overrules it, and the caller that.
    """
    lower = name.strip().lower()
    fitting = [row for row in _TERMINALS if lower.startswith(row[0])]
    if fitting:
        _, kind, charset = max(fitting, key=lambda row: len(row[0]))
        return kind, charset
    return SILENT if lower in _NAMELESS else _STRANGE


def shows_umlauts(kind: str, charset: Charset) -> bool:
    """Return whether umlauts reach a terminal of this kind as such."""
    return charset in {"utf-8", "latin-1"} or (charset in {"cp437", "cp850"} and kind in PC_KINDS)


def is_known(name: str) -> bool:
    """Return whether `terminal` has this name in its table, and does not guess."""
    return name.strip().lower().startswith(_BEGINNINGS)


_CHARSETS: dict[str, Charset] = {
    "utf8": "utf-8",
    "cp437": "cp437",
    "ibm437": "cp437",
    "437": "cp437",
    "cp850": "cp850",
    "ibm850": "cp850",
    "850": "cp850",
    "iso88591": "latin-1",
    "latin1": "latin-1",
    "l1": "latin-1",
    "cp1252": "latin-1",
    "windows1252": "latin-1",
    "usascii": "ascii",
    "ascii": "ascii",
    "ansix3.41968": "ascii",
}


def charset(name: str) -> Charset | None:
    """Return the charset of this name (IANA's, or a locale's: `UTF-8`, `utf8`, `IBM437`), or None if it is another.

    Windows' code page 1252 is Latin-1 in all that is sent: its other characters are where Latin-1 has controls.
    """
    return _CHARSETS.get(name.strip().lower().replace("-", "").replace("_", ""))


LOCALE: Final = ("LC_ALL", "LC_CTYPE", "LANG")
"""The variables that name a locale's charset; the first that is set counts."""


def charset_of_locale(variables: Mapping[str, str]) -> Charset | None:
    """Return the charset that the first set of `LOCALE` names; ASCII is legible in one that is not ours.

    None: none is set, or the one that is names no charset.
    """
    _, dot, codeset = next((value for name in LOCALE if (value := variables.get(name))), "").partition(".")
    return (charset(codeset.partition("@")[0]) or "ascii") if dot else None
