"""From the first byte to the main prompt: names, passwords, registration, one session a user, limits."""

import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller
from tests.kernel import time_slice
from tests.processes import serving
from yawc_poker.session.menus.help import key_of
from yawc_poker.session.prefork.slices import LONG_SLICE, SHORT_SLICE

LONG = "x" * 21


def see_one_of(caller: Caller, *texts: str) -> None:
    caller.wait(lambda: any(text in caller.text for text in texts), f"one of {texts}")


def telnet(*settings: str) -> str:
    return FAST.replace("[telnet]", "\n".join(["[telnet]", *settings]))


def goes_first(caller: Caller, session: int) -> None:
    """Press a key that means nothing, now and then, until the caller's session goes first on a processor.

    A session that sleeps looks at its budget when it wakes.
    """
    began = next_key = time.monotonic()
    while time_slice(session) != SHORT_SLICE:
        assert time.monotonic() < began + DEADLINE, caller.text
        if time.monotonic() >= next_key:
            caller.send("z")
            next_key = time.monotonic() + 0.5
        caller.listen(0.1)


def awake_until(caller: Caller, gone: str) -> None:
    """Press a key that means nothing, again and again, until somebody is off the table."""
    until = time.monotonic() + DEADLINE
    while gone in caller.left(1, 5):
        assert time.monotonic() < until, caller.text
        caller.send("z")
        caller.listen(0.1)


@pytest.mark.skipif(time_slice(os.getpid()) is None, reason="the kernel does not tell of slices")
def test_who_has_logged_in_preempts_who_has_not(town: Bbs) -> None:
    """The kernel lets a process that wakes preempt one with a longer slice at once."""
    before = {child.pid for child in serving(town.process.pid)}
    caller = town.call().at("Name: ")
    (session,) = {child.pid for child in serving(town.process.pid)} - before
    assert time_slice(session) == LONG_SLICE
    caller.register("Slicer")
    goes_first(caller, session)
    assert time_slice(town.process.pid) not in {SHORT_SLICE, LONG_SLICE}, "the listener is as any other program"


@pytest.mark.skipif(time_slice(os.getpid()) is None, reason="the kernel does not tell of slices")
def test_a_flood_lets_others_go_first(town: Bbs) -> None:
    before = {child.pid for child in serving(town.process.pid)}
    caller = town.call().register("Flooder")
    (session,) = {child.pid for child in serving(town.process.pid)} - before
    goes_first(caller, session)
    until = time.monotonic() + DEADLINE
    while time_slice(session) != LONG_SLICE:
        assert time.monotonic() < until
        caller.send("w" * 10)
        caller.listen(0.1)


# --- registration -----------------------------------------------------------------------------------------------------


def test_a_new_name_is_registered_by_the_fixed_prompts(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.line("Aurelia")
    caller.wait(lambda: caller.prompt.rstrip().endswith("(y/n)"), "the question")
    assert "Aurelia" in caller.prompt
    caller.send("y")
    caller.at("Password: ")
    caller.line("secret-1")
    caller.at("Repeat the password: ")
    caller.line("secret-1")
    caller.at_prompt()
    assert "Welcome to Testville, Aurelia!" in caller.text
    assert "You own 100 CUBES." in caller.text
    assert "Last login" not in caller.text


def test_a_known_name_is_asked_for_the_password_and_told_the_last_login(town: Bbs) -> None:
    first = town.call().register("Berta")
    first.send("qy")
    first.ended()
    caller = town.call().at("Name: ")
    caller.line("Berta")
    caller.at("Password: ")
    caller.line("secret-1")
    caller.at_prompt()
    assert re.search(r"Last login: \d{4}-\d\d-\d\d \d\d:\d\d \S+ from 127\.0\.0\.1", caller.text)
    assert "You own 100 CUBES." in caller.text


def test_a_name_is_one_name_in_any_case(town: Bbs) -> None:
    town.call().register("Cecil").send("qy")
    caller = town.call().at("Name: ")
    caller.line("cEcIL")
    caller.at("Password: ")
    caller.line("secret-1")
    caller.at_prompt()
    caller.see("Welcome to Testville, Cecil!")


def test_a_registration_may_be_given_up_or_fail_and_be_tried_again(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.press("Dorian\r\ny")
    caller.see("8 characters or more")
    caller.at("Password: ").press("abcdefg\r\n")
    caller.see("at least 8 characters")
    caller.at("Password: ").press("dorian42\r\n")
    caller.see("too much like the name")
    caller.at("Password: ").press("Passwort\r\n")
    caller.see("one of the most common passwords")
    caller.at("Password: ").press("secret-1\r\n")
    caller.at("Repeat the password: ").press("secret-2\r\n")
    caller.see("The two passwords differ")
    caller.at("Password: ").press("secret-1\r\n")
    caller.at("Repeat the password: ").press("\x1b")
    caller.at("Name: ")
    caller.press("Dorian\r\ny")
    caller.at("Password: ").press("\x1b")
    caller.at("Name: ")
    caller.press("Dorian\r\nn")
    caller.see("no")
    caller.at("Name: ")
    caller.press("Dorian\r\n")
    caller.see("no user Dorian yet")


def test_an_enter_behind_the_y_is_no_empty_password(town: Bbs) -> None:
    caller = town.call().at("Name: ")
    caller.press("Dorothea\r\ny\r\n\r\n")  # of the two the first only belongs to the y
    caller.see("Dorothea", "Please type something; ESC: back.")
    caller.at("Password: ").press("secret-1\r\n")
    caller.at("Repeat the password: ").press("\r\n")
    caller.see("Please type something; ESC: back.")
    caller.at("Repeat the password: ").press("secret-1\r\n")
    caller.see("Welcome to Testville, Dorothea!")


def test_a_network_registers_so_many_names_an_hour_and_the_later_ones_wait(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("registrations_per_hour = 0", "registrations_per_hour = 2")) as bbs:
        bbs.call(address="127.0.0.1").register("First").hang_up()
        with closing(sqlite3.connect(bbs.data / "users.sqlite")) as users, users:
            users.execute("UPDATE registration SET at = at + 60")  # of the future, it counts as one of now
        second = bbs.call(address="127.0.0.9").register("Second")
        assert "yours follows in 1 second." in second.transcript
        third = bbs.call(address="127.0.0.2").at("Name: ")
        third.line("Third")
        third.see("Too many new names from your network; please try again in 60 minutes.")
        third.at("Name: ").line("Second")
        third.at("Password: ").line("secret-1")
        third.at_prompt()
        bbs.call(address="127.1.0.1").register("Elsewhere")


def test_two_who_register_one_name_at_once_do_not_share_it(town: Bbs) -> None:
    rivals = [town.call(), town.call()]
    for rival in rivals:
        rival.at("Name: ").line("Edgar")
        rival.see("(y/n)")
        rival.send("y")
        rival.at("Password: ")
        rival.line(f"secret-{rivals.index(rival)}")
        rival.at("Repeat the password: ")
    for rival in rivals:
        rival.line(f"secret-{rivals.index(rival)}")
    for rival in rivals:
        see_one_of(rival, "Welcome", "just registered")
    assert sorted("Welcome" in rival.text for rival in rivals) == [False, True]
    loser = next(rival for rival in rivals if "Welcome" not in rival.text)
    assert "Somebody else has just registered the name Edgar." in loser.text
    loser.at("Name: ")


def test_a_name_that_looks_like_another_users_is_refused_with_that_name(town: Bbs) -> None:
    town.call().register("OTTO").send("qy")
    caller = town.call().at("Name: ")
    for name in ("ОТТО", "0tto", "Otto."):
        caller.press(f"{name}\r\n")
        caller.see("That looks too much like OTTO; please choose another name.")
        caller.at("Name: ")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("A", "at least 2 characters"),
        (LONG, "at most 20 characters"),
        ("[Frieda]", "letters, digits, single spaces and simple punctuation"),
        ("{name}", "letters, digits, single spaces and simple punctuation"),
        ("a  b", "letters, digits, single spaces and simple punctuation"),
        ("...", "letters, digits, single spaces and simple punctuation"),
        ("System", "reserved"),
        ("SYSOP", "reserved"),
        ("info", "reserved"),
        ("SYS0P", "reserved"),
        ("no game", "reserved"),
        ("testviIIe", "reserved"),
    ],
)
def test_a_bad_name_is_refused_with_a_reason(town: Bbs, name: str, reason: str) -> None:
    caller = town.call().at("Name: ")
    caller.press(f"{name}\r\n")
    caller.see(reason)
    caller.at("Name: ")


def test_the_longest_and_the_shortest_name_are_taken(town: Bbs) -> None:
    for name in ("Gy", "G" * 20):
        town.call().register(name).see(f"Welcome to Testville, {name}!")


# --- passwords --------------------------------------------------------------------------------------------------------


def test_two_more_wrong_passwords_are_allowed(town: Bbs) -> None:
    town.call().register("Helga").send("qy")
    lucky, unlucky = town.call().at("Name: "), town.call().at("Name: ")
    for caller, tries in ((lucky, 2), (unlucky, 3)):
        caller.line("Helga")
        for _ in range(tries):
            caller.at("Password: ")
            caller.press("wrong-one\r\n")
            caller.see("Wrong password.")
    lucky.at("Password: ")
    lucky.line("secret-1")
    lucky.at_prompt()
    unlucky.see("one wrong password too many")
    unlucky.ended()


def test_an_empty_password_is_asked_for_again_and_escape_leads_back_and_forgives_nothing(town: Bbs) -> None:
    town.call().register("Hedwig").send("qy")
    caller = town.call().at("Name: ")
    for _ in range(2):
        caller.line("Hedwig")
        caller.at("Password: ").press("wrong-one\r\n")
        caller.see("Wrong password.")
        for _ in range(4):  # no tries
            caller.at("Password: ").press("\r\n")
            caller.see("Please type something; ESC: back.")
        caller.at("Password: ").press("\x1b")
        caller.at("Name: ")
    caller.line("Hedwig")
    caller.at("Password: ").press("wrong-one\r\n")
    caller.see("one wrong password too many")
    caller.ended()


def test_passwords_are_never_echoed_nor_kept(town: Bbs) -> None:
    password = "Correct-Horse-9"
    caller = town.call().register("Ida", password)
    caller.send("qy")
    caller.ended()
    again = town.call().at("Name: ")
    again.line("Ida")
    for typed, answer in ((f"{password}!", "Wrong password."), (password, "Welcome to Testville, Ida!")):
        again.at("Password: ")
        before = len(again.raw)
        again.press(typed[:-1] + "?\x7f" + typed[-1] + "\r\n")
        again.see(answer)
        assert again.raw[before:].startswith(b"\r\n"), "something was echoed before the line's end"
    again.at_prompt()
    for seen in (
        bytes(caller.raw),
        bytes(again.raw),
        *(path.read_bytes() for path in town.data.iterdir() if path.is_file()),
        town.log.read_bytes(),
    ):
        assert b"Horse" not in seen


# --- the message of the day -------------------------------------------------------------------------------------------


def test_the_message_of_the_day_is_shown_in_the_callers_language(town: Bbs) -> None:
    english, german = town.data / "motd.txt", town.data / "motd.de.txt"
    try:
        english.write_text("Tournament on Friday\n\x1b[2Jall welcome\n")
        german.write_text("Turnier am Freitag, für alle\n", encoding="utf-8")
        caller = town.call().register("Jona")
        assert "Tournament on Friday" in caller.text
        assert "all welcome" in caller.text
        assert "Welcome to Testville" in caller.text, "the message cleared the screen"
        assert b"\x1b[2J" not in caller.raw
        other = town.call().at("Name: ")
        other.line("/de")
        other.see("Gib deinen Namen ein")
        other.line("Judith")
        other.see("(j/n)")
        other.send("j")
        for prompt in ("Passwort: ", "Passwort wiederholen: "):
            other.at(prompt).press("secret-1\r\n")
        other.at_prompt()
        assert "Turnier am Freitag, für alle" in other.text
        assert "Tournament" not in other.text
    finally:
        for path in (english, german):
            path.unlink(missing_ok=True)


def test_a_sysop_has_greeting_menu_art_and_rules_of_conduct_of_their_own(town: Bbs) -> None:
    texts = {
        "greeting.ans": b"\x1b[31mWelcome\x1b[0m to {bbs}\r\n",
        "menu.txt": b"Hello, {name}!",
        "conduct.txt": b"House rules\n\nBe kind.",
    }
    try:
        for name, data in texts.items():
            (town.data / name).write_bytes(data)
        caller = town.call()
        caller.see("Welcome to Testville")
        assert "YAWC" not in caller.text, "the banner as well"
        caller.register("Gloria")
        caller.send("m")
        caller.see("Hello, Gloria!")
        caller.send("h")
        caller.see("Help>")
        caller.send(key_of("conduct"))
        caller.see("Be kind.")
        caller.send("  q")
    finally:
        for name in texts:
            (town.data / name).unlink(missing_ok=True)


# --- one session a user -----------------------------------------------------------------------------------------------


def test_a_second_login_ends_the_first(town: Bbs) -> None:
    first = town.call().register("Katja")
    second = town.call().log_in("Katja")
    first.see("You logged in from another place")
    first.ended()
    second.see("Your older session has been ended.")
    second.press("w")
    second.at_prompt()
    assert len(re.findall(r"Katja\b", second.text)) == 1


def test_a_wrong_password_does_nothing_to_the_first(town: Bbs) -> None:
    first = town.call().register("Ludwig")
    other = town.call().at("Name: ")
    other.line("Ludwig")
    for _ in range(3):
        other.at("Password: ")
        other.press("guess-it\r\n")
        other.see("Wrong password.")
    other.ended()
    first.drain()
    assert "another place" not in first.text
    first.press("w")
    first.see("1 user online")
    assert first.is_open


def test_a_second_login_ends_even_a_stopped_first(town: Bbs) -> None:
    first = town.call().register("Martha")
    stopped = town.stopped("Martha")
    town.call().log_in("Martha").see("Your older session has been ended.")
    first.ended()
    assert psutil.wait_procs([stopped], DEADLINE)[1] == []


@pytest.mark.parametrize("state", ["running", "stopped"])
def test_a_second_login_frees_the_seat_of_the_first(town: Bbs, state: str) -> None:
    old, witness = f"Nora {state}", f"Olga {state}"
    first, other = town.seat(old, witness)
    other.wait(lambda: old in other.left(1, 5), "the other at the table")
    if state == "stopped":
        town.stopped(old)
    second = town.call().log_in(old)
    other.wait(lambda: old not in other.left(1, 5), "the seat to be free")
    other.until("Master:", witness)
    first.ended()
    second.sit()
    other.wait(lambda: old in other.left(1, 5), "him to be back")


# --- limits -----------------------------------------------------------------------------------------------------------


def test_an_idle_caller_is_warned_and_then_disconnected(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", telnet("idle_seconds = 3")) as bbs:
        at_table, witness = bbs.seat("Paula", "Quentin")
        at_prompt = bbs.call().register("Rosa")
        awake_until(witness, "Paula")
        at_prompt.see("You are idle. Press a key within", "You have been idle for too long")
        at_prompt.ended()
        assert b"\a" in at_prompt.raw
        at_table.see("You have been idle for too long")
        at_table.ended()
        assert "You are idle. Press a key" in at_table.transcript
        witness.until("Master:", "Quentin")


def test_a_key_after_the_warning_keeps_the_caller(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", telnet("idle_seconds = 2")) as bbs:
        caller = bbs.call().register("Sarah")
        for _ in range(2):
            caller.see("You are idle.")
            caller.press("z")
            caller.at_prompt()
        assert caller.is_open


def test_who_does_not_log_in_is_disconnected(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", telnet("login_seconds = 0.8")) as bbs:
        silent, typing = bbs.call(), bbs.call()
        typing.send("Theod")
        for caller in (silent, typing):
            caller.see("You took too long to log in.")
            caller.ended()


@pytest.mark.parametrize(
    ("limit", "address", "reason"),
    [
        ("max_sessions = 1", "127.0.0.9", "all lines of this BBS are busy"),
        ("max_per_address = 2", "127.0.0.1", "too many calls from your address"),
    ],
)
def test_one_caller_too_many_gets_a_clear_line(tmp_path: Path, limit: str, address: str, reason: str) -> None:
    config = FAST.replace("max_per_address = 200", limit)
    with Bbs(tmp_path / "data", config) as bbs:
        first = bbs.call().at("Name: ")
        (session,) = serving(bbs.process.pid)
        second = bbs.call().at("Name: ")
        if "sessions" in limit:
            first.register("Roman")
        refused = bbs.call(address=address)
        refused.ended()
        assert reason in refused.text
        assert bytes(refused.raw).endswith(b"\r\n")
        assert refused.raw.count(b"\n") == 1
        first.hang_up()
        assert psutil.wait_procs([session], DEADLINE)[1] == []
        assert bbs.call().at("Name: ").is_open
        second.line("Sonja")
        second.see("no user Sonja yet")


def test_who_hangs_up_leaves_no_session_behind(town: Bbs) -> None:
    town.call().at("Name: ")
    half = town.call().at("Name: ")
    half.line("Viktor")
    half.see("(y/n)")
    town.call().register("Wilma")
    town.everybody_out()
    caller = town.call().register("Xaver")
    caller.press("w")
    caller.see("1 user online.")
