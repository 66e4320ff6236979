"""The names of terminals and of character sets."""

import pytest
from blessed.terminal import Terminal

from yawc_poker.terminal.kinds import KINDS, OWN_KINDS, Charset, charset, is_known, terminal


@pytest.mark.parametrize(
    ("name", "kind", "shows"),
    [
        ("XTERM", "xterm-256color", "utf-8"),
        ("xterm-kitty", "xterm-256color", "utf-8"),
        ("PuTTY", "putty-256color", "utf-8"),
        ("linux", "linux", "utf-8"),
        ("tmux-256color", "tmux-256color", "utf-8"),
        ("VT52", "vt52", "ascii"),
        ("rio", "ansi", "utf-8"),
        ("dtterm", "ansi", "utf-8"),
        ("VT100", "vt100", "ascii"),
        ("vt320", "vt220", "ascii"),
        ("DEC-VT220", "vt220", "ascii"),
        ("vte-256color", "xterm-256color", "utf-8"),
        ("VTNT", "ansi-bbs", "cp437"),
        ("ANSI", "ansi-bbs", "cp437"),
        ("ansi-256color", "ansi-bbs", "cp437"),
        ("pcansi-25", "ansi-bbs", "cp437"),
        ("scoansi", "ansi-bbs", "cp437"),
        ("cterm", "syncterm", "cp437"),
        ("dumb", "dumb", "ascii"),
        ("TTY33", "dumb", "ascii"),
        ("tty5420", "ansi", "utf-8"),
        ("Teletype", "dumb", "ascii"),
        ("network", "ansi", "ascii"),
        ("", "ansi", "ascii"),
        ("MUSHclient", "ansi", "utf-8"),
    ],
)
def test_terminal_names(name: str, kind: str, shows: Charset) -> None:
    assert terminal(name) == (kind, shows)


@pytest.mark.parametrize("kind", sorted(KINDS - OWN_KINDS))
def test_blessed_has_every_kind_we_give(kind: str) -> None:
    term = Terminal(kind=kind, force_styling=True)
    assert term.kind == kind
    assert not [error for error in term.errors if "setupterm" in error or "Failed" in error]
    assert term.move_yx(3, 4) == "\x1b[4;5H"


def test_a_kind_is_a_known_name_of_itself() -> None:
    for kind in KINDS - {"ansi"}:
        assert is_known(kind)
        assert terminal(kind)[0] == kind


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("UTF-8", "utf-8"),
        ("utf8", "utf-8"),
        ("IBM437", "cp437"),
        ("cp437", "cp437"),
        ("US-ASCII", "ascii"),
        ("ANSI_X3.4-1968", "ascii"),
        ("ISO-8859-1", "latin-1"),
        ("IBM850", "cp850"),
        ("windows-1252", "latin-1"),
        ("KOI8-R", None),
        ("", None),
    ],
)
def test_charset_names(name: str, ours: Charset | None) -> None:
    assert charset(name) == ours
