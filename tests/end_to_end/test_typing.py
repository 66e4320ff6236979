"""Where keys come from: what is pasted is no key, and the ENTER that ends a line with one key in it is none."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from tests.end_to_end.bbs import Bbs, Caller, TelnetCaller, connected
from tests.end_to_end.browser import Tab, a_bbs
from tests.end_to_end.pty_caller import PtyCaller

ECHO, DONT, WILL = 1, 254, 251
MARKS, MARKS_NOT = b"\x1b[?2004h", b"\x1b[?2004l"
TINTIN = shutil.which("tt++", path=f"{os.environ.get('PATH', '')}:/usr/games")


def playing(bbs: Bbs, caller: Caller, other: str) -> Caller:
    """Let a caller, who is logged in, sit down and start a game of poker; return the other player."""
    caller.sit()
    opposite = bbs.call().register(other).sit()
    caller.hear(f"{other} sits down")
    caller.send("s")
    caller.until("Turn:", caller.name)
    return opposite


def chat(caller: Caller) -> None:
    """Open the chat line, and wait until it stands there."""
    caller.send(".")
    caller.wait(lambda: caller.lines[23].startswith(f"{caller.name}:"), "the chat line")


# --- a terminal that marks nothing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [b"VT220", b"ANSI", b"XTERM-256COLOR"])
@pytest.mark.parametrize("first", ["ok", "o" * 30, "o" * 900], ids=["short", "long", "longer than a read"])
def test_a_paste_of_several_lines_into_the_chat_line_plays_no_hand(town: Bbs, kind: bytes, first: str) -> None:
    name = f"P {kind.decode()[:3]} {len(first)}"
    caller = town.call(kind=kind).register(name)
    other = playing(town, caller, f"O {kind.decode()[:3]} {len(first)}")
    chat(caller)
    caller.send(f"{first}\r py\rx\ry\rpy")
    if len(first) < 70:
        other.hear(f"[{name}] {first}")
        caller.send(".second\r")
    else:  # it is refused, and the line stays open
        caller.see("too long")
        caller.send("second\r")
    other.hear(f"[{name}] second")
    assert caller.field("Turn:") == other.field("Turn:") == name
    caller.see("[P]")
    caller.send("py")  # typed, and so it is a key
    other.hear(f"{name} passes")
    caller.hang_up()
    other.hang_up()


def test_what_is_typed_ahead_is_taken_where_no_chat_line_is(town: Bbs) -> None:
    caller = town.call(kind=b"VT220").register("Ahead Ada")
    other = playing(town, caller, "Ahead Ole")
    caller.send("b5\r.behind\r")
    other.hear("Ahead Ada bets 5")
    other.hear("[Ahead Ada] behind")
    caller.hang_up()
    other.hang_up()


def test_the_rest_of_a_message_that_was_pasted_is_no_key(town: Bbs) -> None:
    reader = town.call().register("Reader Rob")
    caller = town.call(kind=b"VT220").register("Writer Wim")
    caller.send("xReader Rob\r")
    caller.see("Message:")
    caller.press("first\rqyqy")
    caller.see("Sent to Reader Rob")
    caller.at_prompt()
    caller.send("nw")
    caller.see("On the wall:")
    caller.press("first\rqqyqy")
    caller.see("Writer Wim: first", "(ENTER: back)")
    caller.press("qbwReader Rob\r")
    caller.see("an empty line ends the letter")
    caller.at("> ")
    caller.press("".join(f"line {n}\r" for n in range(40)) + "qqyqy")
    caller.see("line 9")
    caller.wait(lambda: caller.prompt != "> ", "the letter's end")
    caller.press("q\x0c")
    assert caller.is_open
    reader.see("X-message from Writer Wim", "first")
    caller.hang_up()
    reader.hang_up()


# --- a terminal that marks it -----------------------------------------------------------------------------------------


def pasted(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


def check_pastes(caller: Caller, other: Caller) -> None:
    """Check that a paste is text where a line is open, and nothing where none is."""
    caller.send(pasted("py\r"))
    caller.send(".")
    caller.wait(lambda: caller.lines[23].startswith(f"{caller.name}:"), "the chat line")
    caller.send(pasted("ok\r\npy\r") + "!")
    caller.wait(lambda: caller.lines[23].rstrip() == f"{caller.name}: ok py!", "one line")
    caller.send("\r")
    other.hear(f"[{caller.name}] ok py!")
    assert caller.field("Turn:") == other.field("Turn:") == caller.name
    caller.send("py")
    other.hear(f"{caller.name} passes")


def test_a_terminal_is_asked_to_mark_what_is_pasted_until_the_end(town: Bbs) -> None:
    caller = town.call().register("Bracket Bea")
    assert caller.raw.count(MARKS) == 1
    other = playing(town, caller, "Bracket Ben")
    check_pastes(caller, other)
    caller.send("x")
    caller.at_prompt()
    caller.send(pasted("qy"))
    caller.send("w")
    caller.see("Who is online")
    assert MARKS_NOT not in caller.raw
    caller.press("qy")
    caller.ended()
    assert caller.raw.endswith(MARKS_NOT)
    other.hang_up()


@pytest.mark.parametrize("kind", [b"VT220", b"ANSI", b"VT52", b"DUMB", b"MUSHCLIENT"])
def test_no_other_terminal_is_asked(town: Bbs, kind: bytes) -> None:
    caller = town.call(kind=kind).register(f"No {kind.decode()}")
    caller.press("qy")
    caller.ended()
    assert b"2004" not in caller.raw


def test_who_is_told_lines_is_sent_no_sequence_for_it(town: Bbs) -> None:
    caller = town.call()
    caller.see("Name:")
    caller.line("/linear")
    caller.see("told in lines")
    assert caller.raw.count(MARKS) == caller.raw.count(MARKS_NOT) == 1
    behind = len(caller.raw)
    caller.register("Linear Lea")
    assert b"\x1b" not in caller.raw[behind:]
    caller.hang_up()


def test_a_password_is_pasted_with_the_end_of_its_line(town: Bbs) -> None:
    town.call().register("Keeper Kay").hang_up()
    caller = town.call()
    caller.see("Name:")
    caller.send(pasted("Keeper Kay\n") + "\r")
    caller.see("Password:")
    caller.send(pasted("secret-1\r\n") + "\r")
    caller.at_prompt()
    caller.hang_up()


# --- a page -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Bbs]:
    with a_bbs(tmp_path / "data", "resume_seconds = 60\n") as running:
        yield running


def test_a_page_pastes_as_a_terminal_does_also_when_its_line_came_back(web: Bbs) -> None:
    tab = Tab(web.web_port)
    tab.register("Page Pia")
    token = tab.has_token()
    assert tab.raw.count(MARKS) == 1
    other = playing(web, tab, "Telnet Tom")
    check_pastes(tab, other)
    again = Tab(web.web_port, token=token)
    again.wait(lambda: MARKS in again.raw, "the wish for marks")
    again.hang_up()
    tab.hang_up()


# --- callers whose side sends whole lines -----------------------------------------------------------------------------


class LineCaller(TelnetCaller):
    """A caller whose side sends nothing but whole lines, as telnet in its mode "line"."""

    alone: ClassVar[int] = 0
    """Characters of each line that are sent before the rest."""

    def send(self, data: bytes | str) -> None:
        text = data if isinstance(data, bytes) else data.encode()
        is_whole = not text or text.endswith(b"\r\n") or text[0] == 255
        at = 0 if text[:1] == b"\xff" else self.alone
        super().send(text[:at])
        super().send(text[at:] if is_whole else text[at:] + b"\r\n")


class HastyLineCaller(LineCaller):
    """One whose side sends the first character of a line by itself, as tintin++ does with a line that comes at once."""

    alone = 1


def walk_to_a_table(caller: Caller, town: Bbs, other: str) -> None:
    """Reach a seat, play and leave by lines of one key each."""
    caller.send("S")
    caller.see("Casino>", "[2]")
    caller.send("2")
    caller.see("(y/n)")
    caller.send("y")
    caller.see("Master:", "Pot:")
    opposite = town.call().register(other).sit()
    caller.hear(f"{other} sits down")
    caller.send("s")
    caller.until("Turn:", caller.name)
    caller.send("b5")
    opposite.hear(f"{caller.name} bets 5")
    caller.send(".hello")
    opposite.hear(f"[{caller.name}] hello")
    caller.send("x")
    caller.see("(y/n)")
    caller.send("y")
    caller.at_prompt()
    opposite.hang_up()


def test_whoever_sends_lines_reaches_a_table_by_the_menus(town: Bbs) -> None:
    with LineCaller(connected(town.port)) as caller:
        caller.register("Line Lou")
        walk_to_a_table(caller, town, "Line Lin")
        caller.send("/")
        caller.send("join poker")
        caller.see("Master:", "Pot:")
        caller.send("X")
        caller.at_prompt()
        caller.send("H")
        caller.see("[1]", "Help>")
        caller.line("")
        caller.at_prompt()


def test_a_line_is_one_if_its_first_character_comes_by_itself(town: Bbs) -> None:
    with HastyLineCaller(connected(town.port)) as caller:
        caller.register("Hasty Hal").sit()
        caller.send("x")
        caller.at_prompt()


def test_an_enter_of_somebody_who_sends_keys_is_a_key(town: Bbs) -> None:
    caller = town.call().register("Key Kim")
    caller.press("S\r")
    caller.see("Casino>")
    caller.at_prompt()  # ENTER leads back
    caller.hang_up()


@pytest.mark.skipif(TINTIN is None, reason="tt++ is not installed")
@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
def test_tintin_reaches_a_table(town: Bbs, tmp_path: Path) -> None:
    script = tmp_path / "bbs.tin"
    script.write_text(f"#session bbs 127.0.0.1 {town.port}\n")
    assert TINTIN
    with PtyCaller([TINTIN, str(script)]) as caller:
        caller.register("Tin Tina").sit()
        caller.see("Pot:", "[S] Start")


# --- callers whose side shows what is typed ---------------------------------------------------------------------------


SEEN = "what you type now will be seen"


@pytest.mark.skipif(shutil.which("telnet") is None, reason="no telnet program is installed")
@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
def test_telnet_in_its_mode_line_shows_each_name_once_and_no_password(town: Bbs) -> None:
    with PtyCaller(["telnet", "127.0.0.1", str(town.port)]) as caller:
        caller.see("Name:")
        caller.send("\x1d")
        caller.see("telnet>")
        caller.send("mode line\r")
        caller.send("/linear\r")
        caller.see("told in lines")
        caller.line("Mode Mia")
        caller.see("(y/n)")
        caller.line("y")
        for prompt in ("Password:", "Repeat the password:"):
            caller.see(prompt)
            caller.wait(lambda: not caller.program.getecho(), "that telnet hides what is typed")
            caller.line("secret-1")
        caller.see("Welcome to Testville, Mode Mia!")
        caller.wait(caller.program.getecho, "that telnet shows again what is typed")
        asked, _, _ = caller.transcript.partition("There is no user")
        assert asked.rpartition("Name:")[2].split() == ["Mode", "Mia"]
        assert "secret-1" not in caller.transcript
        assert SEEN not in caller.transcript
        caller.line("X")
        caller.see("To:")
        caller.line("Mode Mia")
        caller.see("Message:")
        caller.hang_up()


class Refusing(LineCaller):
    """A caller whose side never leaves echoing to anybody else."""

    def _command(self, data: bytes) -> int:
        length = super()._command(data)
        if data[1:3] == bytes([WILL, ECHO]) and length == 3:
            self.send(bytes([255, DONT, ECHO]))
        return length


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", SEEN), ("de", "Was du jetzt tippst, wird zu sehen sein"), ("nl", "wat je nu typt, zal te zien zijn")],
)
def test_who_cannot_hide_a_password_is_told_before(town: Bbs, language: str, told: str) -> None:
    with Refusing(connected(town.port)) as caller:
        caller.see("Name:")
        caller.line(f"/{language}")
        caller.wait(lambda: caller.prompt in {"Name: ", "Naam: "}, "the prompt in this language")
        caller.line(f"Open {language}")
        caller.see(f"Open {language}", "/n)")
        caller.line("y")
        caller.wait(lambda: told in " ".join(caller.transcript.split()), told)
        caller.wait(lambda: caller.prompt.endswith(": "), "the prompt behind it")
        caller.line("secret-1")
        caller.wait(lambda: " ".join(caller.transcript.split()).count(told) == 2, "the same once more")
        caller.line("secret-1")
        caller.wait(lambda: f"Testville, Open {language}" in caller.transcript, "the welcome")
        assert f": Open {language}" not in caller.transcript, "it is echoed"
        assert "secret-1" not in caller.transcript


def test_who_never_answers_is_echoed(town: Bbs) -> None:
    caller = town.call(kind=b"")
    caller.at("Name: ").line("Silent Sid")
    caller.see("Name: Silent Sid")
    caller.hang_up()
