"""What calls a caller: bytes for the window and the desktop, which terminals are sent them, and the reasons to call."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.screens.eye import Eye, MemoryLine
from yawc_poker.appearance import osc
from yawc_poker.appearance.preferences import Preferences
from yawc_poker.catalogues import words
from yawc_poker.session.caller.appearance import Appearance
from yawc_poker.session.caller.attention import Attention, TableAttention
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.kinds import Charset

EN = words("en")
SHIPPED = Preferences()
ONE_COMMAND = re.compile(
    rb"\x1b\](?:0;[^\x00-\x1f\x7f]*|9;[^0-9\x00-\x1f\x7f][^\x00-\x1f\x7f]*|777;notify;[^;\x00-\x1f\x7f]*;[^;\x00-\x1f\x7f]*)\x1b\\"
)
NASTY = "\x1b]0;x\a\x1b\\\x9c\x9b6n;9;4;1\n\u202e\x7f"
SILENT = [
    "", "linux", "LINUX-16COLOR", "vt52", "vt100", "VT220", "dec-vt100", "ansi", "ANSI-BBS", "pcansi", "syncterm",
    "cterm", "avatar", "scoansi", "vtnt", "dumb", "unknown", "network", "MUDLET", "ZMUD", "s", "cons25",
]  # fmt: skip


# --- bytes ------------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=200) | st.text().map(lambda text: text.encode("utf-8", "replace")), st.binary(max_size=99))
@example(NASTY.encode(), b"4;1;50")
@example(b"9;" + b"\xc3" * 300, b"")
def test_any_text_makes_one_command(heading: bytes, text: bytes) -> None:
    for command in (osc.title(text), osc.notice("osc9", heading, text), osc.notice("osc777", heading, text)):
        assert ONE_COMMAND.fullmatch(command), command
        assert len(command) < 200


def test_the_commands() -> None:
    assert osc.title(b"My turn") == b"\x1b]0;My turn\x1b\\"
    assert osc.title(b"") == b"\x1b]0;\x1b\\"
    assert osc.notice("osc9", b"Testville", b"My turn") == b"\x1b]9;Testville: My turn\x1b\\"
    assert osc.notice("osc9", b"4;1", b"x") == b"\x1b]9;* 4;1: x\x1b\\", "not ConEmu's command 4"
    assert osc.notice("osc777", b"A;B", b"x;y") == b"\x1b]777;notify;A,B;x,y\x1b\\"
    assert osc.title("ä".encode() * 60) == b"\x1b]0;" + "ä".encode() * 40 + b"\x1b\\"
    assert osc.title(b"x" + "ä".encode() * 60).endswith("ä".encode() + b"\x1b\\"), "no half a character"


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("XTERM-256COLOR", (True, "osc9")), ("xterm", (True, "osc9")), ("xterm-kitty", (True, "osc9")),
        ("xterm-ghostty", (True, "osc9")), ("iTerm2.app", (True, "osc9")), ("wezterm", (True, "osc9")),
        ("foot-extra", (True, "osc777")), ("rxvt-unicode-256color", (True, "osc777")), ("konsole", (True, "osc777")),
        ("putty-256color", (True, None)), ("screen.xterm-256color", (True, None)), ("tmux-256color", (True, None)),
        *((name, (False, None)) for name in SILENT),
    ],
)  # fmt: skip
def test_only_terminals_that_are_known_to_take_it_are_sent_anything(
    name: str, takes: tuple[bool, osc.Notice | None]
) -> None:
    assert osc.takes(name)[:2] == takes
    line = MemoryLine()
    line.terminal_name = name
    display = Display(line)
    display.title("My turn")
    assert bool(line.take()) is takes[0]
    display.notice("Testville", "My turn")
    assert bool(line.take()) is (takes[1] is not None)


def test_which_terminals_keep_their_own_title() -> None:
    keep = ("xterm-256color", "iTerm2.app", "foot", "gnome-256color", "alacritty", "mintty", "tmux-256color")
    others = ("wezterm", "konsole", "rxvt-unicode", "putty", "ms-terminal", "screen.xterm-256color", *SILENT)
    assert all(osc.takes(name).stack for name in keep)
    assert not any(osc.takes(name).stack for name in others)


# --- the display ------------------------------------------------------------------------------------------------------


def xterm(charset: Charset = "utf-8", name: str = "xterm-256color") -> tuple[MemoryLine, Display]:
    line = MemoryLine("xterm-256color", charset)
    line.terminal_name = name
    return line, Display(line)


def test_a_title_is_sent_once_and_given_back_at_the_end() -> None:
    line, display = xterm()
    eye = Eye()
    display.title("My turn")
    display.title("My turn")
    eye.see(line.take())
    display.restore()
    display.restore()
    eye.see(line.take())
    assert eye.actions == [
        "its icon is called 'My turn'",
        "is called 'My turn'",
        "its icon is called ''",
        "is called ''",
    ]
    line, display = xterm()
    display.restore()
    assert b"\x1b]" not in line.take(), "a title that was never set is nobody's business"


def test_a_window_keeps_its_own_title_meanwhile_where_it_can() -> None:
    line, display = xterm()
    for _ in range(2):
        display.title("My turn")
        display.title("Testville")
        display.title("")
        display.title("")
        assert line.take() == b"".join(
            [osc.KEEP, osc.title(b"My turn"), osc.title(b"Testville"), osc.title(b""), osc.GIVE_BACK]
        )
    display.title("My turn")
    line.take()
    line.terminal_name = "putty"
    display.restore()
    assert line.take().startswith(osc.title(b"") + osc.GIVE_BACK), "what was put aside is given back"
    line, display = xterm(name="putty")
    display.title("My turn")
    display.title("")
    assert line.take() == osc.title(b"My turn") + osc.title(b"")


@pytest.mark.parametrize("charset", ["utf-8", "cp437", "ascii"])
def test_no_name_gets_out_of_its_title(charset: Charset) -> None:
    line, display = xterm(charset)
    display.title(NASTY + "£ü漢")
    display.notice(NASTY, NASTY + "£ü漢")
    sent = line.take().removeprefix(osc.KEEP)
    assert len(ONE_COMMAND.findall(sent)) == 2
    assert not ONE_COMMAND.sub(b"", sent)
    if charset != "utf-8":
        assert sent.isascii()
    eye = Eye()
    eye.see(sent)
    assert eye.rows == [" " * 80] * 24


# --- calls ------------------------------------------------------------------------------------------------------------


class Seat:
    """Somebody who sits at a table, before a terminal that takes everything and keeps no title."""

    def __init__(self, preferences: Preferences = SHIPPED, *, has_page: bool = False) -> None:
        self.line, display = xterm(name="wezterm")
        self.appearance = Appearance(self.line, display, "en")
        self.appearance.prefer(preferences)
        self.attention = Attention(display, self.appearance, "Testville")
        self.table = TableAttention(self.attention, has_page=has_page)
        self.line.take()

    def sees(self, turn: tuple[int, int] | None, *company: str, at_keys: bool = False) -> bytes:
        """Look at the table; return what it makes the terminal be sent."""
        self.table.look(turn, company, EN, at_keys=at_keys)
        return self.line.take()


TURN = b"\a\x1b]0;It is your turn! - Testville\x1b\\\x1b]9;Testville: It is your turn!\x1b\\"
CALM = b"\x1b]0;Testville\x1b\\"


def test_the_turn_calls_once_until_it_has_passed() -> None:
    seat = Seat()
    assert seat.sees(None, "Bert", at_keys=True) == b""
    assert seat.sees((1, 1), "Bert") == TURN
    assert seat.attention.is_open
    assert seat.sees((1, 1), "Bert") == b""
    assert seat.sees(None, "Bert") == CALM, "the clock has played"
    assert seat.sees((1, 3), "Bert") == TURN
    seat.attention.answered()
    assert seat.line.take() == CALM
    seat.attention.answered()
    assert seat.line.take() == b""
    assert seat.sees((1, 4), "Bert") == TURN, "a turn that follows another one"
    seat.attention.end()
    assert seat.line.take() == b"\x1b]0;\x1b\\"


def test_who_has_just_pressed_a_key_is_not_called_to_what_follows_from_it() -> None:
    seat = Seat()
    assert seat.sees((1, 1), "Bert", at_keys=True) == b""
    assert seat.sees((1, 2), "Bert", at_keys=True) == b""
    assert not seat.attention.is_open
    assert seat.sees((1, 2), "Bert") == b"", "the same turn"


def test_somebody_at_an_empty_table_calls_and_one_more_does_not() -> None:
    seat = Seat()
    assert seat.sees(None, at_keys=True) == b""
    called = seat.sees(None, "Bert")
    assert called.startswith(b"\a\x1b]0;Bert sits down at the table. - Testville\x1b\\")
    seat.attention.answered()
    seat.line.take()
    assert seat.sees(None, "Bert", "Carl") == b""
    assert seat.sees(None) == b""
    assert seat.sees(None, "Dora").startswith(b"\a")
    newcomer = Seat()
    assert newcomer.sees(None, "Bert", at_keys=True) == b"", "who comes to a table with people knows of them"


def test_messages_call_when_their_number_grows() -> None:
    seat = Seat()
    seat.table.messages(0, 0, EN)
    assert seat.line.take() == b""
    seat.table.messages(0, 2, EN)
    assert seat.line.take().startswith(b"\a\x1b]0;2 X-messages - Testville\x1b\\")
    seat.table.messages(2, 2, EN)
    assert seat.line.take() == b""


def test_what_is_switched_off_is_not_sent() -> None:
    for preferences, sent in (
        (Preferences(bell=False), TURN.removeprefix(b"\a")),
        (Preferences(title=False), TURN.replace(b"\x1b]0;It is your turn! - Testville\x1b\\", b"")),
        (Preferences(notice=False), TURN.partition(b"\x1b]9")[0]),
        (Preferences(bell=False, title=False, notice=False), b""),
    ):
        seat = Seat(preferences)
        assert seat.sees((1, 1), "Bert") == sent
        assert seat.attention.is_open, "the status line calls in any case"
    seat = Seat()
    seat.sees((1, 1))
    seat.appearance.prefer(Preferences(title=False))
    assert seat.line.take() == b"\x1b]0;\x1b\\", "a title that stands is taken back"


def test_a_page_rings_by_itself_when_it_is_ones_turn() -> None:
    seat = Seat(has_page=True)
    seat.line.terminal_name = ""
    assert seat.sees(None, at_keys=True) == b""
    assert seat.sees((1, 1)) == b""
    assert seat.sees(None) == b""
    assert seat.sees(None, "Bert") == b"\a"
