"""Real clients and odd ones: windows, line ends, telnet's commands, inetutils' telnet, telnetlib3, the console."""

import asyncio
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import telnetlib3

from tests.end_to_end.bbs import DEADLINE, FAST, IAC, Bbs, TelnetCaller, connected
from tests.end_to_end.pty_caller import PtyCaller
from tests.ipc.processes import forked
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.entrances import TERMINALS, Entrance
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.games import SETTINGS

AYT, EC, NOP = 246, 247, 241
TRIES = 10
CLEARS = re.compile(rb"\x1b\[[0-3]?J")

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
needs_telnet = pytest.mark.skipif(shutil.which("telnet") is None, reason="no telnet program is installed")


def console(data: Path, locale: Mapping[str, str] | None = None) -> PtyCaller:
    return PtyCaller([sys.executable, "-m", "yawc_poker", "--data", str(data)], locale=locale)


# --- windows ----------------------------------------------------------------------------------------------------------


def test_a_changed_window_is_drawn_anew(town: Bbs) -> None:
    anna, bert = town.seat("Window A", "Window B")
    anna.send("s")
    bert.until("Turn:", "Window A")
    bert.send(".half a line")
    bert.wait(lambda: "half a line" in bert.lines[23], "the chat line")
    bert.resize(132, 43)
    bert.screen.reset()
    bert.see("Master: Window A", "20 CUBES", "half a line")
    assert "half a line" in bert.lines[23]
    for columns, rows in ((79, 24), (80, 22), (40, 25), (40, 22)):
        bert.resize(columns, rows)
        bert.screen.reset()
        bert.see("Master: Window A", "20 CUBES", "half a line", "[ESC] Back", "90 CUBES")
        assert "half a line" in bert.lines[rows - 1]
    for columns, rows in ((79, 20), (80, 21), (60, 20), (40, 12), (10, 3)):
        bert.resize(columns, rows)
        bert.screen.reset()
        bert.wait(lambda: "Turn:" in bert.text, "whose turn it is")
        assert "Master:" not in bert.text
        if columns > 40:
            assert "Turn: Window A" in bert.text
            assert "[X] Leave the table" in bert.text
            assert f"Your window has {columns}x{rows} characters" in bert.text
            assert "80x23" in bert.text
        if rows > 3:
            assert "half a line" in bert.lines[rows - 1]
    bert.resize(80, 23)
    bert.screen.reset()
    bert.see("Master: Window A", "20 CUBES", "half a line")
    assert "half a line" in bert.lines[22]
    anna.bet("5")
    bert.resize(80, 24)
    bert.screen.reset()
    bert.until("Turn:", "Window B")
    bert.until("Pot:", "25 CUBES")
    assert "half a line" in bert.lines[23]
    assert "Your window" not in bert.text


def test_the_prompt_survives_a_change_of_the_window(town: Bbs) -> None:
    caller = town.call().register("Window C")
    caller.resize(100, 30)
    caller.press("w")
    caller.see("1 user online.")
    caller.at_prompt()


@pytest.mark.parametrize("kind", ["VT100", "VT220", "LINUX", "SCREEN", "ANSI", "PUTTY", "MUDLET", "a\x1b[2Jb"])
def test_every_kind_of_terminal_shows_the_table(town: Bbs, kind: str) -> None:
    name = "Kind " + "".join(filter(str.isalnum, kind))
    caller = town.call(kind=kind.encode()).register(name)
    caller.sit()
    caller.see("[S] Start a game")
    assert caller.field("Master:") == name
    assert caller.field("Pot:") == "NO GAME"
    assert caller.cubes == 100
    caller.send("x")
    caller.at_prompt()


def test_a_dumb_terminal_gets_text_and_its_tables_in_lines(town: Bbs) -> None:
    caller = town.call(kind=b"DUMB").register("Dumb")
    other = town.call().register("Beside the dumb")
    caller.send("w")
    caller.see("2 users online")
    caller.send("S2")
    caller.see("Your terminal moves no cursor. Tables are told in lines.", "(y/n)")
    caller.send("y")
    caller.see("Turn: NO GAME", "[S] Start a game")
    caller.send("x")
    caller.at_prompt()
    caller.send("h1")
    caller.see("-- more: any key")
    caller.send("qq")
    other.send("xDumb\r")
    other.see("Message:")
    other.line("hello")
    caller.see("hello")
    assert b"\x1b" not in caller.raw


# --- telnet's own -----------------------------------------------------------------------------------------------------


def test_who_never_answers_negotiation_gets_the_name_prompt_within_a_second(town: Bbs) -> None:
    for _ in range(TRIES):  # others may have the processors for a moment
        start = time.monotonic()
        caller = town.call(kind=b"").at("Name: ")
        if (seconds := time.monotonic() - start) < 1.0:
            break
    assert seconds < 1.0
    caller.register("Silent")
    caller.sit()
    caller.see("[S] Start a game")
    assert caller.raw.isascii()


def test_are_you_there_is_answered(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.send(bytes([IAC, AYT]))
    caller.see("[Yes]")
    caller.register("There").sit()
    caller.send(".typing")
    caller.wait(lambda: caller.lines[23] == "There: typing", "the chat line")
    before, seen = caller.text, len(caller.raw)
    caller.send(bytes([IAC, AYT]))
    caller.wait(lambda: b"[Yes]" in caller.raw[seen:] and caller.text == before, "the table drawn anew")


@pytest.mark.parametrize("ending", [b"\r\0", b"\r\n", b"\r", b"\n"], ids=ascii)
def test_every_line_end_is_one_enter(town: Bbs, ending: bytes) -> None:
    caller = town.call().at("Name: ")
    name = f"Line {ending.hex()}"
    caller.send(name.encode() + ending)
    caller.see(f"no user {name} yet", "(y/n)")
    caller.send("y")  # a second ENTER would have meant no
    for prompt in ("Password: ", "Repeat the password: "):
        caller.at(prompt)
        caller.send(b"secret-1" + ending)
    caller.at_prompt()
    caller.see(f"Welcome to Testville, {name}!")


@pytest.mark.parametrize("erase", [b"\x08", b"\x7f", bytes([IAC, EC])], ids=ascii)
def test_every_erase_key_erases(town: Bbs, erase: bytes) -> None:
    caller = town.call().at("Name: ")
    caller.send(b"Erased!?" + erase + erase)
    caller.at("Name: Erased")
    caller.send(erase * 20 + b"Other\r\0")
    caller.see("no user Other yet")


def test_broken_subnegotiation_harms_nobody(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.send(bytes.fromhex("fffa4501") + b"A" * 5000 + b"\xff\xf0")
    caller.send(bytes.fromhex("fffa45014d5344500241ff") + b"\xff\xf0")
    caller.send(b"\xff\xfa\x1f\xff\xff\xf0" + b"\xff\xfd\x7f\xff\xfb\x7f" * 200)
    caller.register("Survivor")


def test_a_silent_line_is_probed(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("[telnet]", "[telnet]\nkeepalive_seconds = 0.2")) as bbs:
        caller = bbs.called(TelnetCaller(connected(bbs.port))).at("Name: ")
        received = bytes(caller.raw)
        caller.wait(lambda: caller.commands.count(NOP) >= 3, "three NOPs")
        assert caller.raw == received
        caller.register("Probed").sit()
        caller.see("[S] Start")
        seen, shown = caller.commands.count(NOP), caller.text
        caller.wait(lambda: caller.commands.count(NOP) >= seen + 2, "two more")
        assert re.sub(r"\d:\d\d", "", caller.text) == re.sub(r"\d:\d\d", "", shown)


# --- traffic ----------------------------------------------------------------------------------------------------------


def test_a_watcher_is_sent_only_differences(town: Bbs) -> None:
    anna, bert, carl = town.seat("Traffic A", "Traffic B", "Traffic C")
    anna.send("s")
    carl.until("Turn:", "Traffic A")
    carl.drain()
    for caller, following, amount in ((anna, "Traffic B", 5), (bert, "Traffic C", 7)):
        before = len(carl.raw)
        caller.bet(str(amount))
        carl.until("Turn:", following)
        carl.hear(f"bets {amount} CUBES")
        sent = bytes(carl.raw[before:])
        assert 0 < len(sent) < 400, sent
        assert not CLEARS.search(sent)


def test_nothing_is_sent_while_nothing_happens(town: Bbs) -> None:
    anna, bert = town.seat("Quiet A", "Quiet B")
    carl = town.call().register("Quiet C")
    anna.send("s")
    bert.until("Turn:", "Quiet A")
    for caller in (bert, carl):
        caller.drain()
    assert not bert.listen(1.2), "sent to a watcher although nothing happened"
    assert not carl.listen(0), "sent to a caller at the prompt although nothing happened"
    anna.drain()
    before = len(anna.raw)
    clock = anna.lines[11]
    anna.wait(lambda: anna.lines[11] != clock, "the clock")
    assert len(anna.raw) - before < 60


# --- other people's clients -------------------------------------------------------------------------------------------


@needs_telnet
def test_inetutils_telnet_registers_sits_down_leaves_and_quits(town: Bbs) -> None:
    with PtyCaller(["telnet", "127.0.0.1", str(town.port)]) as caller:
        caller.see("Connected to")
        caller.register("Inetutils")
        assert "╔═══ YAWC Poker" in caller.transcript
        caller.sit()
        caller.see("[S] Start a game", "┌────┐")
        assert caller.field("Master:") == "Inetutils"
        other = town.call().register("Beside him").sit()
        caller.hear("Beside him sits down")
        caller.send("s")
        caller.until("Turn:", "Inetutils")
        other.until("Turn:", "Inetutils")
        caller.send(".hello\r")
        other.hear("[Inetutils] hello")
        caller.resize(60, 20)
        caller.see("Your window has 60x20 characters")
        caller.resize(80, 24)
        caller.until("Round:", "1")
        caller.send("xx")
        caller.at_prompt()
        other.hear("wins 20 CUBES")
        caller.press("qy")
        caller.see("Goodbye", "Connection closed")
        caller.ended()


async def _log_in_with_telnetlib3(port: int) -> str:
    reader, writer = await telnetlib3.open_connection("127.0.0.1", port, term="xterm", rows=24, encoding="utf8")
    assert isinstance(writer, telnetlib3.TelnetWriterUnicode)
    heard = ""
    try:
        for expected, answer in (
            ("Name:", "Library\r"),
            ("(y/n)", "y"),
            ("Password:", "secret-1\r"),
            ("Repeat the password:", "secret-1\r"),
            ("Testville (", "w"),
            ("1 user online.", "qy"),
            ("Goodbye", ""),
        ):
            start = len(heard)
            while expected not in heard[start:]:
                piece = await reader.read(4096)
                assert piece, f"connection ended before {expected!r}: {heard}"
                heard += str(piece)
            writer.write(answer)
    finally:
        writer.close()
    return heard


def test_telnetlib3s_client_logs_in(town: Bbs) -> None:
    heard = asyncio.run(asyncio.wait_for(_log_in_with_telnetlib3(town.port), DEADLINE))
    assert "Welcome to Testville, Library!" in heard
    assert "╔═══ YAWC Poker" in heard


# --- the console ------------------------------------------------------------------------------------------------------


def test_the_console_plays_at_the_same_table_as_a_telnet_caller(town: Bbs) -> None:
    with console(town.data) as local:
        local.register("Console")
        assert "╔═══ YAWC Poker" in local.transcript
        local.sit()
        remote = town.call().register("Remote").sit()
        local.hear("Remote sits down")
        local.send("s")
        remote.until("Turn:", "Console")
        local.bet("3")
        remote.bet("4")
        for caller in (local, remote):
            caller.see("[D] Done")
            caller.send("d")
        local.see("[H]")
        local.send("h\r")
        remote.bet()
        for caller in (local, remote):
            caller.see("[R] Show my")
            caller.send("r")
        for caller in (local, remote):
            caller.hear("wins 35 CUBES")
            caller.until("Pot:", "NO GAME")
        assert local.cubes + remote.cubes == 200
        local.resize(60, 20)
        local.see("Your window has 60x20 characters")
        local.resize(80, 24)
        local.until("Pot:", "NO GAME")
        local.send("x")
        local.at_prompt()
        remote.hear("Console leaves")
        local.press("w")
        local.see("2 users online.")
        local.send("qy")
        local.see("Goodbye")
        assert local.exit_code() == 0


def test_a_console_speaks_the_locales_language_and_charset_until_the_user_chose_another(town: Bbs) -> None:
    town.call().register("Englander").send("qy")
    with console(town.data, {"LANG": "de_DE.ISO-8859-1"}) as local:
        local.see("Name:", "Gib deinen Namen ein.")
        local.line("Anglophone")
        local.see("Es gibt noch keinen User", "(j/n)")
        local.send("n")
        local.line("Englander")
        local.see("Passwort:")
        local.line("secret-1")
        local.see("You own 100 CUBES.")
        local.at_prompt()
        assert "Français".encode("latin-1") in local.raw
    with console(town.data, {"LC_ALL": "en_US.UTF-8", "LANG": "de_DE.UTF-8"}) as local:
        local.see("Name:", "Type your name.")
    with console(town.data, {"LANG": "nl_NL.UTF-8"}) as local:
        local.see("Naam:", "Typ je naam.")


def test_a_killed_console_is_removed_from_the_table(town: Bbs) -> None:
    with console(town.data) as local:
        local.register("Shot")
        local.sit()
        witness = town.call().register("Witness").sit()
        local.program.kill(signal.SIGKILL)
        witness.hear("Shot was removed from the table")
        witness.until("Master:", "Witness")
    again = town.call().log_in("Shot")
    assert "older session" not in again.text


def test_the_listener_has_a_lone_killed_console_removed_at_once(tmp_path: Path) -> None:
    slow = FAST.replace("duty_seconds = 0.5", "duty_seconds = 3600").replace(
        "tick_seconds = 0.2", "tick_seconds = 3600"
    )
    with Bbs(tmp_path / "data", slow) as bbs, console(bbs.data) as local:
        local.register("Shot")
        local.sit()
        witness = bbs.call().register("Witness").sit()
        local.program.kill(signal.SIGKILL)
        witness.hear("Shot was removed from the table")


def test_the_console_is_told_when_the_bbs_closes(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs, console(bbs.data) as local:
        local.register("Last One")
        bbs.process.send_signal(signal.SIGTERM)
        local.see("The BBS is closing down.")
        assert local.exit_code() == 0
        assert bbs.process.wait(DEADLINE) == 0


def test_who_does_not_log_in_at_the_console_is_sent_away(tmp_path: Path) -> None:
    config = FAST.replace("[telnet]", "[telnet]\nlogin_seconds = 0.3")
    with Bbs(tmp_path / "data", config) as bbs, console(bbs.data) as local:
        local.see("You took too long to log in.")
        assert local.exit_code() == 0


def test_terminals_that_do_not_log_in_keep_nobody_else_out(tmp_path: Path) -> None:
    config = FAST.replace("[telnet]", "[telnet]\nmax_sessions = 2")
    with Bbs(tmp_path / "data", config) as bbs:
        anna = bbs.call().register("Anna")

        def sit_at_terminals(say: Callable[[str], None]) -> None:
            inbox = SignalInbox()
            for _ in range(TERMINALS):
                Instance.attach(bbs.data, SETTINGS).enter("pts", Entrance.TERMINAL)
            say("seated")
            while signal.SIGTERM not in inbox.drain():
                select.select([inbox], [], [])

        with forked(sit_at_terminals) as others:
            assert others.hear() == "seated"
            with console(bbs.data) as late:
                late.see("All lines are busy.")
                late.ended()
            bbs.call().register("Bert")
            bbs.yawcctl("say", "Good evening.")
            anna.see("Good evening.")
            bbs.yawcctl("kick", "Anna", "--reason", "enough")
            anna.ended()
        with console(bbs.data) as local:  # whoever was killed there has left room
            local.see("Name:")


def test_the_console_says_that_no_bbs_runs(tmp_path: Path) -> None:
    with console(tmp_path / "nowhere") as local:
        local.wait(lambda: "The BBS is not running" in local.text, "the reason")
        assert local.exit_code() not in {0, None}
    assert not (tmp_path / "nowhere").exists()


_EARLY = """
import os, signal, sys
from importlib.abc import MetaPathFinder
class Impatient(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "yawc_poker.casino.instance.instance":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Impatient())
from yawc_poker.__main__ import main
sys.exit(main())
"""
"""`yawc-poker`, interrupted while it loads."""

_POOR = """
import resource, sys
from yawc_poker.bbs.at_terminal import run
resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
sys.exit(run([]))
"""
"""`yawc-poker` without a descriptor to be had for its terminal."""


def test_an_early_interrupt_leaves_no_trace() -> None:
    done = subprocess.run([sys.executable, "-c", _EARLY], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_the_console_without_descriptors() -> None:
    with PtyCaller([sys.executable, "-c", _POOR]) as local:
        local.ended()
        assert local.text.strip() == "yawc-poker: this terminal cannot be used: Too many open files"


def test_the_console_wants_a_terminal(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "yawc_poker", "--data", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )
    assert done.returncode != 0
    assert done.stderr.count("\n") == 1
    assert "terminal" in done.stderr
