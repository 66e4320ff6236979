"""Passwords under attack: growing waits, one line of the log for each failure, and nobody else who notices."""

import fcntl
import os
import re
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller
from tests.end_to_end.daemons import shared_memory
from tests.end_to_end.pty_caller import PtyCaller
from tests.end_to_end.test_sysop import entered
from tests.isolation import sysops as actions
from tests.processes import serving
from tests.waiting import wait_until
from yawc_poker.casino.instance.instance import ERRANDS_FILE
from yawc_poker.casino.users.login_attempts import ACCOUNT, AHEAD
from yawc_poker.casino.users.passwords import hashed

WAIT = re.compile(r"yours will be checked in (\d+) second")
ANSWER = re.compile(rf"Wrong password|{WAIT.pattern}|Too many wrong passwords")
YAWC_POKER = (sys.executable, "-m", "yawc_poker")
_addresses = (f"127.0.1.{last}" for last in count(1))


@pytest.fixture
def far() -> str:
    """An address from which nobody has called, so that nobody waits for what another test has guessed."""
    return next(_addresses)


def at_password(bbs: Bbs, name: str, address: str = "127.0.0.1") -> Caller:
    caller = bbs.call(address=address).at("Name: ")
    caller.line(name)
    return caller.at("Password: ")


def guess(caller: Caller, password: str = "wrong-one") -> None:
    """Guess, and wait for the answer, however long that takes."""
    caller.press(f"{password}\r\n")
    caller.see("Wrong password.")


def answered(caller: Caller) -> bool:
    return ANSWER.search(caller.text) is not None


def told_to_wait(caller: Caller) -> None:
    caller.wait(lambda: WAIT.search(caller.text) is not None, "to be told of the wait")


def just_now(bbs: Bbs) -> None:
    """Let all that was guessed count as of this moment, as if the clock had been set back.

    On a busy machine the second that the third guess waits for is over before that guess is made.
    """
    with closing(sqlite3.connect(bbs.data / "users.sqlite")) as users, users:
        users.execute("UPDATE guess SET at = at + 60")


def member(bbs: Bbs, name: str) -> None:
    """Register somebody who has logged in from 127.0.0.1 and is gone again."""
    caller = bbs.call().register(name)
    caller.send("qy")
    caller.ended()


# --- waits ------------------------------------------------------------------------------------------------------------


def test_the_third_guess_waits_and_other_calls_wait_with_it(town: Bbs, far: str) -> None:
    member(town, "Alma")
    one = at_password(town, "Alma", far)
    for _ in range(2):
        started = time.monotonic()
        guess(one)
        assert not WAIT.search(one.text)
        one.at("Password: ")
    other = at_password(town, "Alma", "127.0.0.98")
    just_now(town)
    other.send("wrong-one\r\n")
    told_to_wait(other)
    other.see("Wrong password.")
    assert time.monotonic() - started > 0.8
    one.press("secret-1\r\n")
    told_to_wait(one)
    one.at_prompt()
    again = at_password(town, "Alma", far)
    guess(again)
    assert not WAIT.search(again.text), "a success forgets"


def test_a_stranger_who_guesses_keeps_nobody_out(town: Bbs, far: str) -> None:
    member(town, "Berta")
    for _ in range(2):
        stranger = at_password(town, "Berta", far)
        guess(stranger)
        stranger.hang_up()
    stranger = at_password(town, "Berta", far)
    just_now(town)
    stranger.send("wrong-one\r\n")
    told_to_wait(stranger)
    berta = at_password(town, "Berta")
    berta.press("secret-1\r\n")
    berta.at_prompt()
    assert not WAIT.search(berta.text)
    stranger.see("Wrong password.")


def test_with_many_connections_a_stranger_gets_no_more_tries_and_keeps_nobody_out(town: Bbs, far: str) -> None:
    member(town, "Zita")
    strangers = [at_password(town, "Zita", far) for _ in range(16)]
    for stranger in strangers:
        stranger.send("wrong-one\r\n")
    for stranger in strangers:
        stranger.wait(partial(answered, stranger), "an answer")
    waits = [int(found[1]) for one in strangers if (found := WAIT.search(one.text))]
    assert all(wait <= AHEAD + ACCOUNT.most for wait in waits)
    refused = [one for one in strangers if "Too many wrong passwords" in one.text]
    assert len(refused) >= 6
    assert town.log.read_text().count(f"login failed: user Zita from {far}") <= 5, "of those who need not wait long"
    assert f"no more tries now: user Zita from {far}" in town.log.read_text()
    elsewhere = at_password(town, "Zita", "127.0.0.98")
    elsewhere.send("secret-1\r\n")
    told_to_wait(elsewhere)
    zita = at_password(town, "Zita")
    zita.press("secret-1\r\n")
    zita.at_prompt()
    assert not WAIT.search(zita.text)


def test_who_waits_hears_the_end_of_the_call_and_keeps_what_he_typed(town: Bbs, far: str) -> None:
    member(town, "Carola")
    for _ in range(2):
        guesser = at_password(town, "Carola", far)
        guess(guesser)
        guesser.hang_up()
    leaver, patient = at_password(town, "Carola", far), at_password(town, "Carola", far)
    just_now(town)
    leaver.send("wrong-one\r\n")
    told_to_wait(leaver)
    sessions = {child.pid for child in serving(town.process.pid)}
    leaver.hang_up()
    wait_until(lambda: len(serving(town.process.pid)) < len(sessions), "the end of his session")
    patient.send("secret-1\r\nw")
    told_to_wait(patient)
    patient.see("Welcome to Testville, Carola!", "1 user online.")


def test_a_neighbour_who_guesses_at_the_same_account_makes_one_wait_once_and_costs_no_time_to_log_in(
    tmp_path: Path,
) -> None:
    with Bbs(tmp_path / "data", FAST.replace("[telnet]", "[telnet]\nlogin_seconds = 2.7")) as bbs:
        member(bbs, "Dora")
        for _ in range(2):
            neighbour = at_password(bbs, "Dora")
            guess(neighbour)
            neighbour.hang_up()
        first = at_password(bbs, "Dora")
        just_now(bbs)
        first.send("wrong-one\r\n")
        told_to_wait(first)
        dora = at_password(bbs, "Dora")
        dora.send("secret-1\r\n")
        told_to_wait(dora)
        later = [at_password(bbs, "Dora") for _ in range(3)]
        for neighbour in later:
            neighbour.send("wrong-one\r\n")
            told_to_wait(neighbour)
        dora.see("Welcome to Testville, Dora!")
        assert WAIT.findall(dora.transcript) in (["3"], ["2"]), "once, for what is left of 2.7 s"
        first.see("Wrong password.")
        first.see("You took too long to log in.")


# --- another password -------------------------------------------------------------------------------------------------


def at_own_profile(caller: Caller) -> Caller:
    caller.press("p\r")
    caller.see("[C] Change the password")
    return caller.at_prompt()


def test_one_changes_ones_password_where_ones_profile_stands(town: Bbs) -> None:
    caller = at_own_profile(town.call().register("Martha"))
    caller.press("c")
    caller.at("Old password: ").press("wrong-one\r")
    caller.see("Wrong password.")
    caller.at_prompt()
    at_own_profile(caller).press("c")
    caller.at("Old password: ").press("secret-1\r")
    for new, told in (
        ("short", "at least 8 characters"),
        ("martha99", "like the name"),
        ("secret-1", "the old password"),
    ):
        caller.at("Password: ").press(f"{new}\r")
        caller.see(told)
    caller.at("Password: ").press("another-one\r")
    caller.at("Repeat the password: ").press("another-one\r")
    caller.see("Your password has been changed.")
    caller.at_prompt().send("qy")
    caller.ended()
    old = at_password(town, "Martha")
    guess(old, "secret-1")
    old.at("Password: ").press("another-one\r\n")
    old.at_prompt()
    assert "another-one" not in caller.transcript + old.transcript


def test_who_logs_in_by_the_old_password_at_that_very_moment_does_not_get_in(town: Bbs, far: str) -> None:
    town.call().register("Paula")
    town.stopped("Paula")  # it is waited for, as long as it may take to end
    thief = at_password(town, "Paula", far)
    with entered(town) as instance:
        paula = instance.accounts.find("Paula")
        assert paula is not None
        stored, new = instance.accounts.stored(paula.id), hashed("another-one")
        thief.send("secret-1\r\n")
        wait_until(lambda: f"user 'Paula' called again from {far}" in town.log.read_text(), "the thief to be known")
        assert instance.accounts.change_password(paula.id, stored, new, "127.0.0.1")
    thief.see("The password was changed at this moment; please call again.")
    thief.ended()


def test_the_key_that_changes_it_is_one_of_the_prompt_behind_ones_own_profile_alone(town: Bbs) -> None:
    town.call().register("Nadja's Friend").hang_up()
    caller = town.call().register("Nadja")
    for keys, asked in (("c", 0), ("p\rhqc", 0), ("pNadja's Friend\rc", 0), ("p\rcwrong\x1b\x1bc", 1)):
        caller.press(f"{keys}w")
        caller.see("user", "Place")
        caller.at_prompt()
        assert caller.transcript.count("Old password") == asked
    caller.press("mp\rc")
    caller.at("Old password: ")


def test_a_change_may_be_given_up(town: Bbs) -> None:
    caller = town.call().register("Oda")
    for keys in ("\x1b", "secret-1\r\x1b", "secret-1\ranother-one\r\x1b"):
        at_own_profile(caller).press("c")
        caller.at("Old password: ").press(keys)
        caller.at_prompt()
        assert "changed" not in caller.text
    caller.send("qy")
    caller.ended()
    town.call().log_in("Oda")


# --- callers by ssh ---------------------------------------------------------------------------------------------------


@contextmanager
def by_ssh(bbs: Bbs, address: str) -> Iterator[PtyCaller]:
    """Call as sshd lets somebody in, with `yawc-poker` as the forced command."""
    caller = PtyCaller(
        ["env", f"SSH_CONNECTION={address} 50022 192.0.2.1 22", *YAWC_POKER, "--data", str(bbs.data)],
    )
    try:
        yield caller
    finally:
        caller.hang_up()


def test_callers_by_ssh_are_told_apart_by_their_address(town: Bbs) -> None:
    member(town, "Lotte")
    with by_ssh(town, "198.51.100.7") as lotte:
        lotte.log_in("Lotte").send("qy")
        assert lotte.exit_code() == 0
    with by_ssh(town, "203.0.113.9") as stranger:
        stranger.see("Name:")
        stranger.line("Lotte")
        for _ in range(2):
            stranger.at("Password: ").press("wrong-one\r")
            stranger.see("Wrong password.")
        stranger.at("Password: ")
        just_now(town)
        stranger.press("wrong-one\r")
        told_to_wait(stranger)
        with by_ssh(town, "198.51.100.7") as lotte:
            lotte.log_in("Lotte")
            assert not WAIT.search(lotte.transcript)
            assert re.search(r"Last login: .+ from 198\.51\.100\.7", lotte.transcript)


# --- the log ----------------------------------------------------------------------------------------------------------


def test_a_failure_is_one_fixed_line_with_the_callers_address(town: Bbs) -> None:
    for name in ("Else", "x from 1.2.3"):
        member(town, name)
        caller = at_password(town, name, "127.0.0.42")
        guess(caller)
        caller.hang_up()
    lines = [line for line in town.log.read_text().splitlines() if "login failed" in line and "127.0.0.42" in line]
    assert [line.partition("login failed: ")[2] for line in lines] == [
        "user Else from 127.0.0.42",
        "user x_from_1_2_3 from 127.0.0.42",
    ]
    assert all("WARNING" in line for line in lines)


def test_a_password_is_in_no_memory_that_is_shared_and_in_no_file(town: Bbs, far: str) -> None:
    secret = "Zwetschgenknödel-7"
    caller = town.call().register("Frida", secret)
    caller.send("qy")
    caller.ended()
    caller = at_password(town, "Frida", far)
    for wrong in (f"{secret}!", f"{secret}?"):
        guess(caller, wrong)
        caller.at("Password: ")
    caller.press(f"{secret}\r\n")
    caller.at_prompt()
    seen = [shared_memory(town.data), town.log, *(path for path in town.data.iterdir() if path.is_file())]
    for path in seen:
        content = path.read_bytes()
        assert b"knoedel" not in content
        assert "knödel".encode() not in content
    assert b"Frida" in shared_memory(town.data).read_bytes()
    children = psutil.Process(town.process.pid).children(recursive=True)
    assert all("knödel" not in " ".join(child.cmdline()) for child in children)
    assert "knödel" not in caller.transcript


# --- looking at a password is an errand -------------------------------------------------------------------------------


@contextmanager
def queue_held(bbs: Bbs, queue: str = ERRANDS_FILE) -> Iterator[None]:
    """Take all the places at which passwords are looked at, or what waits in another queue is worked out."""
    file = os.open(bbs.data / queue, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(file)


def errands(bbs: Bbs) -> list[psutil.Process]:
    found = []
    for session in serving(bbs.process.pid):
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            found += session.children()
    return found


def test_while_passwords_queue_sessions_hear_and_others_play(town: Bbs) -> None:
    member(town, "Grete")
    member(town, "Hanna")
    anna, bert = town.seat("Queue Anna", "Queue Bert")
    leaver, stayer = at_password(town, "Grete"), at_password(town, "Hanna")
    with queue_held(town):
        for caller in (leaver, stayer):
            caller.send("secret-1\r\n")
        wait_until(lambda: len(errands(town)) == 2, "two errands")
        nice = psutil.Process(town.process.pid).nice()
        wait_until(lambda: all(child.nice() == nice + 5 for child in errands(town)), "their lower priority")
        anna.send("s")
        bert.until("Pot:", "20 CUBES")
        leaver.hang_up()
        wait_until(lambda: len(errands(town)) == 1, "the end of the errand of who hung up")
    stayer.at_prompt()
    wait_until(lambda: not errands(town), "the end of all errands")


@pytest.mark.parametrize("act", ["ban", "delete"])
def test_who_is_shut_out_while_he_logs_in_does_not_get_in(town: Bbs, act: str) -> None:
    name = f"Late {act}"
    member(town, name)
    caller = at_password(town, name)
    with queue_held(town), entered(town) as instance:
        caller.send("secret-1\r\n")
        wait_until(lambda: len(errands(town)) == 1, "the errand")
        if act == "ban":
            actions.ban(instance, name, None, by="Root", reason="too late")
        else:
            actions.delete(instance, name, by="Root", reason="too late")
    caller.see({"ban": "You are banned from this BBS: too late", "delete": f"The account {name} is closed."}[act])
    caller.ended()


def test_an_errand_that_is_killed_is_done_at_home(town: Bbs) -> None:
    member(town, "Ilse")
    caller = at_password(town, "Ilse")
    with queue_held(town):
        caller.send("secret-1\r\n")
        wait_until(lambda: len(errands(town)) == 1, "the errand")
        errands(town)[0].kill()
        caller.at_prompt()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_session_that_ends_leaves_no_errand_behind(bbs: Bbs, number: int) -> None:
    member(bbs, "Jutta")
    caller = at_password(bbs, "Jutta")
    wait_until(lambda: len(serving(bbs.process.pid)) == 1, "one session")
    (session,) = serving(bbs.process.pid)
    with queue_held(bbs):
        caller.send("secret-1\r\n")
        wait_until(lambda: len(errands(bbs)) == 1, "the errand")
        (errand,) = errands(bbs)
        session.send_signal(number)
        caller.ended()
        if number == signal.SIGTERM:
            assert psutil.wait_procs([errand], DEADLINE)[1] == []
    assert psutil.wait_procs([errand], DEADLINE)[1] == []


def test_an_errand_heeds_the_signals_its_session_holds_back(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        member(bbs, "Klara")
        caller = at_password(bbs, "Klara")
        with queue_held(bbs):
            caller.send("secret-1\r\n")
            wait_until(lambda: len(errands(bbs)) == 1, "the errand")
            (errand,) = errands(bbs)
            errand.terminate()
            assert psutil.wait_procs([errand], DEADLINE)[1] == []


def test_a_bbs_that_closes_does_not_wait_for_passwords(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        member(bbs, "Klara")
        caller = at_password(bbs, "Klara")
        with queue_held(bbs):
            caller.send("secret-1\r\n")
            wait_until(lambda: len(errands(bbs)) == 1, "the errand")
            assert bbs.stop() == 0
        caller.see("The BBS is closing down.")
