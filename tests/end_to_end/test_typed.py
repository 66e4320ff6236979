"""What is typed and cannot be shown or read: a password is what was typed, and no other text takes a question mark."""

import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from tests.end_to_end.bbs import Bbs, Caller
from tests.end_to_end.browser import Tab, a_bbs
from tests.end_to_end.door_program import DoorCaller, lay_out
from tests.end_to_end.pty_caller import PtyCaller
from yawc_poker.casino.users.passwords import as_once_stored, hashed

HAN, OTHER_HAN = "密码密码密码密码", "字母字母字母字母"
EMOJI, OTHER_EMOJI = "🂡🃏😀🎲🎰💰🤖👾", "😀" * 8
FAMILY = "👨‍👩‍👧‍👦❤️🏴‍☠️👨‍👩‍👧‍👦"
NOT_SHOWN = "A character was not understood: not every terminal can show it."
NOT_READ = "A character was not understood; try /utf8 or /cp437."
pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
needs_telnet = pytest.mark.skipif(shutil.which("telnet") is None, reason="no telnet program is installed")


def telnet(bbs: Bbs) -> PtyCaller:
    return PtyCaller(["telnet", "127.0.0.1", str(bbs.port)])


def refused(caller: Caller, password: str) -> None:
    caller.press(f"{password}\r")
    caller.see("Wrong password.")
    caller.at("Password: ")


def gone(caller: Caller) -> None:
    caller.send("qy")
    caller.ended()


def stored_as_before(bbs: Bbs, name: str, password: str) -> None:
    """Store a password as a program did that replaced what it could not show."""
    with sqlite3.connect(bbs.data / "users.sqlite") as users:
        kept = hashed(as_once_stored(password))
        assert users.execute("UPDATE user SET password_hash = ? WHERE name = ?", (kept, name)).rowcount == 1
    users.close()


# --- passwords --------------------------------------------------------------------------------------------------------


@needs_telnet
@pytest.mark.parametrize(
    ("name", "password", "others"),
    [
        ("Han", HAN, (OTHER_HAN, "?" * 8)),
        ("Emoji", EMOJI, (OTHER_EMOJI, "?" * 8)),
        ("Family", FAMILY, (FAMILY.replace("\u200d", ""), as_once_stored(FAMILY))),
        ("Latin", "passwört😀1", ("passwört🎲1", "passwört?1")),
    ],
)
def test_a_password_is_what_was_typed_and_no_other(
    town: Bbs, name: str, password: str, others: tuple[str, str]
) -> None:
    gone(telnet(town).register(name, password))
    caller = telnet(town).at("Name: ")
    caller.line(name)
    caller.at("Password: ")
    for other in others:
        refused(caller, other)
    caller.press(f"{password}\r")
    caller.see(f"Welcome to Testville, {name}!")
    gone(caller.at_prompt())


def test_a_password_is_composed_over_the_whole_line(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.line("Composed")
    caller.see("(y/n)")
    caller.send("y")
    for prompt in ("Password: ", "Repeat the password: "):
        caller.at(prompt)
        for piece in ("gro", "\u0308", "sses", " Glu", "\u0308", "ck\r\n"):  # each may come by itself
            caller.send(piece)
    caller.at_prompt()
    gone(caller)
    town.call().log_in("Composed", "grösses Glück")


def test_bytes_that_mean_nothing_refuse_the_password(town: Bbs) -> None:
    caller = town.call(kind=b"ANSI").at("Name: ")
    caller.line("/ascii")
    caller.line("Bytes")
    caller.see("(y/n)")
    caller.send("y")
    caller.at("Password: ")
    caller.press("geh\u00f6rt-mir\r\n")
    caller.see(NOT_READ)
    caller.at("Password: ")
    caller.send("gehoert-mir\r\n")
    caller.at("Repeat the password: ")
    caller.send("gehoert-mir\r\n")
    gone(caller.at_prompt())
    caller = town.call().at("Name: ")
    caller.line("Bytes")
    caller.at("Password: ")
    caller.press(b"gehoert-mir\xf6\r\n")
    caller.see(NOT_READ)
    caller.at("Password: ")
    caller.send("gehoert-mir\r\n")
    caller.at_prompt()


def test_a_password_that_is_too_long_is_refused_and_not_cut(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.line("Longest")
    caller.see("(y/n)")
    caller.send("y")
    for length in (129, 2000):
        caller.at("Password: ")
        caller.press("ab" * length + "\r\n")
        caller.see("at most" if length == 129 else "That is too long: 1024 characters at most.")
    longest = "ab" * 64
    caller.at("Password: ")
    caller.send(f"{longest}\r\n")
    caller.at("Repeat the password: ")
    caller.send(f"{longest}\r\n")
    gone(caller.at_prompt())
    caller = town.call().at("Name: ")
    caller.line("Longest")
    caller.at("Password: ")
    refused(caller, longest[1:])
    caller.send(f"{longest}\r\n")
    caller.at_prompt()


def test_question_marks_are_no_password(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.line("Marks")
    caller.see("(y/n)")
    caller.send("y")
    caller.at("Password: ")
    caller.send("?????????\r\n")
    caller.see("That is one of the most common passwords")


@pytest.mark.parametrize(
    ("name", "typed"), [("Old Han", HAN), ("Old marks", "?" * 8), ("Old long", "ab" * 70), ("Old mix", "passwört😀1")]
)
def test_who_has_a_password_of_question_marks_must_choose_another_one(town: Bbs, name: str, typed: str) -> None:
    gone(town.call().register(name))
    stored_as_before(town, name, typed)
    caller = town.call().at("Name: ")
    caller.line(name)
    caller.at("Password: ")
    caller.press(f"{typed}\r\n")
    caller.see("An older program kept your password in a simpler form", "Choose a password")
    caller.at("Password: ")
    caller.send("\x1b")
    caller.at("Name: ")
    caller.line(name)
    caller.at("Password: ")
    caller.press(f"{typed}\r\n")
    caller.see("it must be changed now.")
    chosen = typed if typed == HAN else "another-one-1"
    for prompt in ("Password: ", "Repeat the password: "):
        caller.at(prompt)
        caller.send(f"{chosen}\r\n")
    gone(caller.at_prompt())
    caller = town.call().at("Name: ")
    caller.line(name)
    caller.at("Password: ")
    refused(caller, as_once_stored(typed))
    caller.press(f"{chosen}\r\n")
    caller.see("Welcome to Testville")
    assert "An older program" not in caller.transcript


# --- names ------------------------------------------------------------------------------------------------------------


def test_names_that_a_terminal_shows_alike_are_one_and_the_house_has_its_own(town: Bbs) -> None:
    caller = town.call().register("Antön")
    gone(caller)
    caller = town.call().at("Name: ")
    caller.line("Anton")
    caller.see("That looks too much like Antön; please choose another name.")
    for name in ("Sysop Bert", "The Bank", "Bo Testville", "Clara", "Bo (y/n)", "bo@home"):
        caller.press(f"{name}\r\n")
        caller.see("That name is reserved.")
        caller.at("Name: ")
    caller.send("x" * 60 + "\r\n")
    caller.see("A name has at most 20 characters.")


# --- other texts ------------------------------------------------------------------------------------------------------


def test_a_name_that_cannot_be_shown_is_no_name(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.send("密码\r\n")
    caller.see(NOT_SHOWN)
    caller.at("Name: ")
    caller.send(b"Ant\xf6n\r\n")
    caller.see(NOT_READ)
    caller.at("Name: ")
    assert "(y/n)" not in caller.transcript
    caller.press("/cp437\r\n")
    caller.at("Name: ")
    caller.send("Antje öl".encode("cp437") + b"\r\n")
    caller.see("(y/n)")


def test_a_line_that_is_typed_stays_to_be_edited_and_one_that_is_sent_begins_anew(town: Bbs) -> None:
    bert = town.call().register("Reader")
    anna = town.call().register("Writer")
    anna.send("x")
    anna.at("To: ")
    anna.line("Reader")
    anna.at("Message: ")
    for end in range(1, 7):
        anna.send("good 😀"[end - 1])
        anna.at(f"Message: {'good ?'[:end]}")
    anna.send("\r")
    anna.see(NOT_SHOWN)
    anna.at("Message: good ?")
    anna.send("\x7fday\r")
    bert.see("good day")
    anna.at_prompt()
    anna.press("x")
    anna.at("To: ")
    anna.line("Reader")
    anna.at("Message: ")
    anna.send("bad 😀\r\n")
    anna.see(NOT_SHOWN)
    anna.at("Message: ")
    anna.send("/utf8\r\n")
    anna.see("This should look like boxes and umlauts: ┌──┐ ═╬═ äöüß")
    anna.at("Message: ")
    anna.send("x" * 500 + "\r\n")
    anna.see("That is too long: 400 characters at most.")
    anna.at("Message: ")
    anna.send("a second one\r\n")
    bert.see("a second one")
    assert "xxx" not in bert.transcript
    assert "bad" not in bert.transcript


def test_chat_and_word_and_bet_of_what_cannot_be_shown_are_not_taken(town: Bbs) -> None:
    anna, bert = town.seat("Chatter", "Hearer")
    anna.send(".hi 😀 שלום\r")  # an emoji alone is read as signs
    anna.see("A character was not understood")
    anna.wait(lambda: anna.lines[23] == "Chatter:", "an empty chat line")
    anna.send("hello\r")
    bert.hear("hello")
    anna.send("./word 密码\r")
    anna.see("A character was not understood")
    anna.send("./word \x15./word pot\r")
    bert.hear("pot")
    assert "?" not in "".join(bert.messages)
    anna.send("." + "y" * 99)
    anna.wait(lambda: anna.lines[23].endswith("y"), "a full line")
    anna.press("\r")
    anna.see("That is too long")
    anna.send("\r")
    bert.hear("yyy")
    anna.send("s")
    bert.until("Turn:", "Chatter")
    anna.see("[B]")
    owned = anna.cubes
    anna.send("b")
    for bad in ("１２", "0000000003000", "３3"):
        anna.send(f"{bad}\r")
        anna.see("Please type a number from 1 to")
        assert anna.cubes == owned
        anna.send("\x1bb")
        anna.wait(lambda: "Please type" not in anna.text, "a fresh prompt")
    anna.send("3\r")
    anna.owns(owned - 3)


def test_the_charset_is_set_at_a_table_and_at_the_prompt(town: Bbs) -> None:
    (anna,) = town.seat("Setter")
    anna.send("./cp437\r")
    anna.wait(lambda: b"\xda\xc4\xc4\xbf" in anna.raw, "a sample in CP437")
    anna.send("./utf8\r")
    anna.hear("boxes and umlauts: ┌──┐")
    anna.send("x")
    anna.at_prompt()
    anna.send("s")
    anna.see("[2]")
    anna.press("/ascii\r")
    anna.see("boxes and umlauts: +--+")


def test_a_caller_without_a_screen_types_a_refused_line_anew(town: Bbs) -> None:
    bert = town.call().register("Lines B").sit()
    anna = town.call(kind=b"DUMB").register("Lines A")
    anna.send("s")
    anna.see("[2]")
    anna.send("2y")
    anna.see("Master")
    anna.send(".hi שלום\r\n")
    anna.see(NOT_READ)
    anna.send("well then\r\n")
    bert.hear("[Lines A] well then")
    assert not any("hi" in message for message in bert.messages)


def spoken_to(caller: Caller, name: str) -> None:
    """Register with characters that cannot be shown in the password, and write a line with one."""
    caller.register(name, HAN)
    caller.send("x")
    caller.at("To: ")
    caller.send("密码\r")
    caller.see(NOT_SHOWN)
    caller.at("To: ")
    caller.send("\x1b")
    gone(caller.at_prompt())


def test_a_page_says_so_and_its_password_is_what_was_typed(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs:
        with Tab(bbs.web_port) as tab:
            spoken_to(tab, "Page")
            assert NOT_SHOWN in [message.text for message in tab.heard]
        with Tab(bbs.web_port) as tab:
            tab.at("Name: ")
            tab.line("Page")
            tab.at("Password: ")
            refused(tab, OTHER_HAN)


def test_a_console_says_so_and_its_password_is_what_was_typed(town: Bbs) -> None:
    console = [sys.executable, "-m", "yawc_poker", "--data", str(town.data)]
    spoken_to(PtyCaller(console), "Console")
    caller = PtyCaller(console).at("Name: ")
    caller.line("Console")
    caller.at("Password: ")
    refused(caller, OTHER_HAN)
    caller.hang_up()


def test_a_door_program_says_so_and_its_password_is_what_was_typed(town: Bbs, tmp_path: Path) -> None:
    command = lay_out(tmp_path)
    spoken_to(DoorCaller(command, town.data), "Door")
    caller = DoorCaller(command, town.data).at("Name: ")
    caller.line("Door")
    caller.at("Password: ")
    refused(caller, OTHER_HAN)
    caller.hang_up()
