"""Guests: who plays at once, what goes with them, what they keep; by telnet."""

import re
import sqlite3
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.waiting import wait_until


@pytest.fixture
def bbs(tmp_path: Path) -> Bbs:
    return Bbs(tmp_path / "data", FAST)


def guest(bbs: Bbs) -> Caller:
    """Call, and come in as a guest."""
    caller = bbs.call()
    caller.see("Name:")
    caller.line("guest")
    return caller.at_prompt()


def owned(bbs: Bbs, name: str) -> int:
    """Return what a user owns."""
    with sqlite3.connect(bbs.data / "users.sqlite") as users:
        (user,) = users.execute("SELECT id FROM user WHERE name = ?", (name,)).fetchone()
    with sqlite3.connect(bbs.data / "bank.sqlite") as books:
        found = books.execute("SELECT balance FROM account WHERE kind = 'user' AND ref = ?", (user,)).fetchone()
    return 0 if found is None else int(found[0])


def is_closed(bbs: Bbs, name: str) -> bool:
    with sqlite3.connect(bbs.data / "users.sqlite") as users:
        found = users.execute("SELECT closed IS NOT NULL FROM user WHERE name = ?", (name,)).fetchone()
    return bool(found == (1,))


def test_a_guest_plays_and_what_they_own_goes_with_them(bbs: Bbs) -> None:
    with bbs:
        caller = guest(bbs)
        caller.see("Guest 1", "You own 100 CUBES")
        anna = bbs.call().register("Anna").sit()
        caller.sit()
        anna.hear("Guest 1 sits down")
        anna.send("s")
        anna.bet("7")
        caller.bet()
        caller.send("x")
        caller.see("(y/n)")
        caller.send("y")
        caller.at_prompt()
        caller.see("You play as a guest")
        assert owned(bbs, "Guest 1") < 100
        caller.send("qy")
        caller.ended()
        wait_until(lambda: is_closed(bbs, "Guest 1"))
        assert owned(bbs, "Guest 1") == 0
        bbs.is_sound()
        second = guest(bbs)
        second.see("Guest 2")
        second.hang_up()
        wait_until(lambda: is_closed(bbs, "Guest 2"))
        bbs.is_sound()


def test_a_guest_keeps_what_they_own_by_a_name_and_a_password(bbs: Bbs) -> None:
    with bbs:
        caller = guest(bbs)
        caller.send("a")
        caller.see("Under which name?")
        caller.line("Dora")
        caller.see("Password:")
        caller.line("secret-1")
        caller.see("Repeat the password:")
        caller.line("secret-1")
        caller.see("You are Dora from now on")
        caller.at_prompt()
        caller.sit()
        caller.see("Dora")
        caller.send("x")
        caller.at_prompt()
        caller.send("qy")
        caller.ended()
        again = bbs.call().log_in("Dora")
        again.see("You own 100 CUBES")
        assert not is_closed(bbs, "Dora")
        bbs.is_sound()


def test_what_a_guest_wrote_and_whom_they_ignore_goes_with_them(bbs: Bbs) -> None:
    with bbs:
        bbs.call().register("Anna")
        caller = guest(bbs)
        caller.press("nwI was here\r")
        caller.see("Guest 1: I was here")
        caller.send("\r")
        caller.at_prompt()
        caller.press("gaanna\r")
        caller.see("You ignore: Anna")
        caller.send("q")
        caller.at_prompt()
        kept = "SELECT (SELECT count(*) FROM wall), (SELECT count(*) FROM ignored), (SELECT count(*) FROM familiar)"
        with sqlite3.connect(bbs.data / "users.sqlite") as users:
            assert users.execute(kept).fetchone() == (1, 1, 2)
            caller.hang_up()
            wait_until(lambda: is_closed(bbs, "Guest 1"))
            assert users.execute(kept).fetchone() == (0, 0, 1)


def test_a_guest_has_no_letters_and_neither_password_nor_key(bbs: Bbs) -> None:
    with bbs:
        caller = guest(bbs)
        caller.send("m")
        caller.see("[A]")
        assert "[B] Box" not in caller.text
        assert "[K]" not in caller.text
        caller.press("p\r")
        caller.see("Registered:")
        caller.at_prompt()
        assert "Change the password" not in caller.text
        other = bbs.call()
        other.see("Name:")
        other.line("Guest 1")
        other.see("is a guest, whom no password lets in")
        other.line("Guest 77")
        other.see("That name is reserved")


def test_a_guest_who_was_killed_goes_at_the_next_login(bbs: Bbs) -> None:
    with bbs:
        caller = guest(bbs)
        found = re.search(r"Guest \d+", caller.text)
        assert found
        with sqlite3.connect(bbs.data / "users.sqlite") as users:
            users.execute("UPDATE user SET created = created - 3600")
        bbs.session(found[0]).kill()
        caller.ended()
        assert not is_closed(bbs, found[0])
        bbs.call().register("Anna")
        wait_until(lambda: is_closed(bbs, found[0]))
        assert owned(bbs, found[0]) == 0
        bbs.is_sound()


def test_a_bbs_may_let_no_guests_in(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("[bbs]", "[bbs]\nguests = false")) as bbs:
        caller = bbs.call()
        caller.see("Name:")
        caller.line("guest")
        caller.see("Guests are not let in here")


def test_guests_count_as_registrations(tmp_path: Path) -> None:
    config = FAST.replace("registrations_per_hour = 0", "registrations_per_hour = 1")
    with Bbs(tmp_path / "data", config) as bbs:
        guest(bbs)
        caller = bbs.call()
        caller.see("Name:")
        caller.line("guest")
        caller.see("Too many new names from your network")
