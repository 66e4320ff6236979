"""What sysops do, seen by those it is done to: at the prompt, at the table, at the next login."""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller
from tests.isolation import sysops as actions
from tests.waiting import wait_until
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.procedure import Refused
from yawc_poker.casino.users.sysop_log import SysopAction, write_sysop_action
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.registry.games import SETTINGS
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.notices import LINES

BY, WHY = "Root", "it was enough"


@contextmanager
def entered(bbs: Bbs) -> Iterator[Instance]:
    """The BBS's house, entered as a control process does."""
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    instance = Instance.attach(bbs.data, SETTINGS)
    instance.tables = Tables(instance)
    instance.enter("control")
    try:
        yield instance
    finally:
        instance.leave()
        signal.signal(signal.SIGUSR1, before)


@pytest.fixture
def instance(town: Bbs) -> Iterator[Instance]:
    with entered(town) as instance:
        yield instance


def refused(caller: Caller, name: str, text: str) -> None:
    """A right password does not help: he is told why, and the line ends."""
    caller.at("Name: ")
    caller.line(name)
    caller.at("Password: ")
    caller.line("secret-1")
    caller.see(*text.split("|"))
    caller.ended()


def chat(caller: Caller, text: str) -> None:
    caller.send(f".{text}\r")


# --- warnings ---------------------------------------------------------------------------------------------------------


def test_a_warning_is_read_at_once_at_the_prompt_and_at_the_table(town: Bbs, instance: Instance) -> None:
    (player,) = town.seat("Warned Player")
    waiter = town.call().register("Warned Waiter")
    waiter.send("p")
    waiter.at("Whose profile? (ENTER: your own) ").send("Warn")
    for name in ("Warned Player", "Warned Waiter"):
        assert actions.warn(instance, name, by=BY, reason=WHY).online
    waiter.see(f"*** Warning from the sysops: {WHY}")
    waiter.at("Whose profile? (ENTER: your own) Warn")
    player.hear(f"[SYSTEM] Warning from the sysops: {WHY}")
    assert b"\a" in player.raw
    assert b"\a" in waiter.raw


def test_a_warning_waits_for_the_next_login_and_is_told_once(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Warned Later")
    caller.send("qy")
    caller.ended()
    assert not actions.warn(instance, "Warned Later", by=BY, reason=WHY).online
    caller = town.call().log_in("Warned Later")
    assert f"*** Warning from the sysops: {WHY}" in caller.text
    caller.send("qy")
    caller.ended()
    assert "Warning" not in town.call().log_in("Warned Later").text


def test_a_long_warning_at_the_table_takes_several_lines(town: Bbs, instance: Instance) -> None:
    (player,) = town.seat("Long Warned")
    actions.warn(instance, "Long Warned", by=BY, reason="word " * 38 + "the end")
    player.hear("the end")
    assert len([line for line in player.messages if "word word" in line]) >= 2


def test_a_warning_in_german(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Gewarnter")
    caller.press("ld\r")
    caller.at_prompt()
    actions.warn(instance, "Gewarnter", by=BY, reason="geschlafen")
    caller.see("*** Ermahnung durch die Sysops: geschlafen")


# --- silence ----------------------------------------------------------------------------------------------------------


def test_who_is_twitted_may_not_write_but_all_else(town: Bbs, instance: Instance) -> None:
    twit, other = town.seat("Twit", "Not Twit")
    actions.twit(instance, "Twit", 3600, by=BY, reason=WHY)
    twit.hear("The sysops have taken your right to write to others until")
    chat(twit, "can you hear me?")
    twit.see("The sysops have taken your right")
    chat(other, "a line that comes through")
    twit.hear("a line that comes through")
    assert "can you hear me?" not in other.transcript
    twit.send("s")
    other.hear("Twit starts a game")
    twit.send("xx")
    twit.at_prompt()
    twit.press("x")
    twit.at_prompt()
    twit.see("The sysops have taken your right to write to others until")
    assert "To:" not in twit.text
    town.call().register("Somebody Else").send("qy")
    twit.see("Somebody Else has just logged in.")
    third = town.call().register("Third")
    watcher = town.call().register("Twit Watcher")
    twit.send("qy")
    twit.ended()
    town.call().log_in("Twit")
    third.send("qy")
    watcher.see("Third has just logged out.")
    assert "Twit has just" not in watcher.transcript


def test_a_twit_holds_at_the_next_login_and_is_lifted_at_once(town: Bbs, instance: Instance) -> None:
    town.call().register("Mute").send("qy")
    wait_until(lambda: instance.directory.named("Mute") is None)
    actions.twit(instance, "Mute", None, by=BY, reason=WHY)
    caller = town.call().log_in("Mute")
    caller.see("The sysops have taken your right to write to others.", WHY)
    caller.press("x")
    caller.at_prompt()
    caller.see("The sysops have taken your right")
    actions.untwit(instance, "Mute", by=BY)
    caller.see("You may write to others again.")
    caller.press("x")
    caller.at("To: ")


def test_a_twit_ends_by_its_time(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Short Mute")
    actions.twit(instance, "Short Mute", 0.5, by=BY, reason=WHY)
    caller.see("taken your right")

    def may_write() -> bool:
        caller.press("x")
        caller.wait(lambda: "To:" in caller.prompt or "taken" in caller.text, "an answer")
        return "To:" in caller.prompt

    wait_until(may_write, "the right to write")


def test_who_chats_too_fast_is_told_and_not_heard(town: Bbs) -> None:
    fast, other = town.seat("Fast Chatter", "Slow Reader")
    for number in range(7):
        chat(fast, f"line {number}")
    fast.see("Not so fast")
    other.hear("line 4")
    assert "line 5" not in other.transcript
    fast.send("x")
    fast.at_prompt()
    fast.send("xSlow Reader\r")
    fast.at("Message: ").send("by another way\r")
    fast.see("Not so fast")


# --- out of the house -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["prompt", "table"])
def test_who_is_kicked_is_told_why_and_may_come_back(town: Bbs, instance: Instance, place: str) -> None:
    name, witness = f"Kicked {place}", f"Witness {place}"
    caller = town.call().register(name)
    if place == "table":
        caller.sit()
        (other,) = town.seat(witness)
    done = actions.kick(instance, name, by=BY, reason=WHY)
    assert (done.ended, done.killed) == (1, 0)
    caller.see("A sysop has ended this session.", WHY)
    caller.ended()
    if place == "table":
        other.hear(f"[SYSTEM] {name} was removed from the table.")
        other.wait(lambda: name not in other.left(1, 5), "the seat to be free")
    town.call().log_in(name)


def test_a_stopped_session_is_kicked_by_force(town: Bbs, instance: Instance) -> None:
    caller, other = town.seat("Stopped One", "Stopped Witness")
    session = town.stopped("Stopped One")
    done = actions.kick(instance, "Stopped One", by=BY, reason=WHY)
    assert (done.ended, done.killed) == (0, 1)
    caller.ended()
    other.hear("Stopped One was removed")
    assert psutil.wait_procs([session], DEADLINE)[1] == []


def test_a_banned_name_is_ended_refused_and_let_in_again(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Banned")
    done = actions.ban(instance, "Banned", 3600, by=BY, reason=WHY)
    assert done.ended == 1
    caller.see("You are banned from this BBS until", WHY)
    caller.ended()
    refused(town.call(), "Banned", f"You are banned from this BBS until|{WHY}")
    stranger = town.call().at("Name: ")
    stranger.line("Banned")
    stranger.at("Password: ").line("not his")
    stranger.see("Wrong password.")
    assert "banned" not in stranger.text
    actions.unban(instance, "Banned", by=BY)
    town.call().log_in("Banned")


def test_a_ban_ends_by_its_time(town: Bbs, instance: Instance) -> None:
    town.call().register("Short Ban")
    actions.ban(instance, "Short Ban", 3600, by=BY, reason=WHY)
    refused(town.call(), "Short Ban", "You are banned")
    actions.ban(instance, "Short Ban", 0.3, by=BY, reason=WHY)  # which replaces the former one
    wait_until(lambda: not instance.bans.all(), "the end of the ban")
    town.call().log_in("Short Ban")


def test_a_banned_address_ends_who_is_in_and_keeps_others_out(town: Bbs, instance: Instance) -> None:
    inside = town.call(address="127.0.0.9").register("From Nine")
    at_login = town.call(address="127.0.0.9").at("Name: ")
    here = town.call().register("From One")
    done = actions.ban(instance, "127.0.0.8/29", None, by=BY, reason=WHY)
    assert done.ended == 2
    for caller in (inside, at_login):
        caller.see("You are banned from this BBS", WHY)
        caller.ended()

    def let_in() -> bool:
        caller = town.call(address="127.0.0.9")
        caller.wait(lambda: "Name:" in caller.text or "not taken by this BBS" in caller.text, "an answer")
        return "Name:" in caller.text

    wait_until(lambda: not let_in(), "the listener to know")
    here.press("w")
    here.see("1 user online.")
    actions.unban(instance, "127.0.0.8/29", by=BY)
    wait_until(let_in, "the listener to forget")


def test_an_address_the_listener_does_not_know_of_is_refused_at_the_login(town: Bbs, instance: Instance) -> None:
    town.call().register("At Seven").send("qy")
    wait_until(lambda: instance.directory.named("At Seven") is None)
    caller = town.call(address="127.0.0.17").at("Name: ")
    with instance.accounts.store.writing() as users:
        users.execute("INSERT INTO ban VALUES ('address', '127.0.0.17', 9e999, 'by hand', 'me', 0)")
    refused(caller, "At Seven", "You are banned from this BBS: by hand")
    actions.unban(instance, "127.0.0.17", by=BY)


def test_a_deleted_account_is_gone_for_good(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Deleted")
    house_had = instance.bank.figures().house
    done = actions.delete(instance, "Deleted", by=BY, reason=WHY)
    assert (done.ended, done.action.cubes) == (1, 100)
    caller.see("Your account has been closed by the sysops", WHY)
    caller.ended()
    again = town.call().at("Name: ")
    again.line("dELETED")
    again.see("The account Deleted is closed.")
    again.at("Name: ")
    assert instance.bank.figures().house == house_had + 100
    town.is_sound()


def test_who_is_deleted_in_mid_game_leaves_his_stake_in_the_pot(town: Bbs, instance: Instance) -> None:
    anna, bert = town.seat("Pot Anna", "Pot Bert")
    anna.send("s")
    bert.until("Pot:", "20 CUBES")
    actions.delete(instance, "Pot Anna", by=BY, reason=WHY)
    bert.hear("Pot Bert wins 20 CUBES")
    bert.owns(110)
    assert town.audit()["clean"] is True


def test_who_looks_or_begins_to_write_is_noticed_at_the_pace_of_lines_and_not_at_all_when_twitted(
    town: Bbs, instance: Instance
) -> None:
    victim, nosy = town.call().register("Looked At"), town.call().register("Nosy")
    nosy.send("pLooked At\r" * 12)
    nosy.send("xLooked At\r\x1bw")
    nosy.see("Message:", "users online.")
    victim.send("w")
    victim.see("users online")
    assert victim.transcript.count("Nosy has just looked at your profile.") == LINES
    assert "Nosy is about to send you a message." not in victim.transcript
    actions.twit(instance, "Nosy", 3600, by=BY, reason=WHY)
    nosy.see("taken your right to write")
    twitted = town.call().register("Other")
    actions.twit(instance, "Other", 3600, by=BY, reason=WHY)
    twitted.see("taken your right to write")
    twitted.press("pLooked At\r")
    twitted.see("Online now")
    twitted.at_prompt()
    victim.press("w")
    victim.see("users online")
    assert "Other has just looked" not in victim.transcript


# --- CUBES ------------------------------------------------------------------------------------------------------------


def test_cubes_given_and_taken_are_seen_at_the_table_at_once(town: Bbs, instance: Instance) -> None:
    anna, bert = town.seat("Rich Anna", "Poor Bert")
    assert actions.grant(instance, "Rich Anna", 55, by=BY, reason="a prize").balance == 155
    anna.hear("[SYSTEM] The sysops gave you 55 CUBES: a prize")
    anna.owns(155)
    anna.send("s")
    bert.until("Pot:", "20 CUBES")
    assert actions.take(instance, "Poor Bert", 60, by=BY, reason="a fine").balance == 30
    bert.hear("[SYSTEM] The sysops took 60 CUBES from you: a fine")
    bert.owns(30)
    anna.owns(145)
    with pytest.raises(Refused, match="has only 30 CUBES"):
        actions.take(instance, "Poor Bert", 31, by=BY, reason="too much")
    assert town.audit()["clean"] is True


def test_cubes_are_told_of_at_the_prompt_and_at_the_next_login(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Paid Prompt")
    actions.grant(instance, "Paid Prompt", 7, by=BY, reason="for help")
    caller.see("*** The sysops gave you 7 CUBES: for help")
    assert "CUBES: 107" in caller_profile(caller)
    caller.send("qy")
    caller.ended()
    actions.take(instance, "Paid Prompt", 100, by=BY, reason="by mistake")
    caller = town.call().log_in("Paid Prompt")
    caller.see("You own 7 CUBES.", "*** The sysops took 100 CUBES from you: by mistake")


def caller_profile(caller: Caller) -> str:
    caller.press("p\r")
    caller.see("Registered:")
    return caller.text


# --- to everybody -----------------------------------------------------------------------------------------------------


def test_what_is_said_to_all_is_read_by_all_while_they_play(town: Bbs, instance: Instance) -> None:
    anna, bert = town.seat("Say Anna", "Say Bert")
    anna.send("s")
    anna.see("[B]")
    anna.send("b1")
    waiter, writer = town.call().register("Say Waiter"), town.call().register("Say Writer")
    at_login = town.call().at("Name: ")
    writer.send("p")
    writer.at("Whose profile? (ENTER: your own) ").send("Some")
    actions.say(instance, "The BBS closes at ten.", by=BY)
    for player in (anna, bert):
        player.hear("[SYSTEM] The sysops say: The BBS closes at ten.")
    for other in (waiter, writer):
        other.see("*** The sysops say: The BBS closes at ten.")
    writer.at("Whose profile? (ENTER: your own) Some")
    anna.send("2\r")
    bert.hear("Say Anna bets 12 CUBES")
    actions.say(instance, "Now.", by=BY)
    waiter.see("The sysops say: Now.")
    assert waiter.transcript.count("closes at ten") == 1
    at_login.drain()
    assert "sysops" not in at_login.text


def test_what_an_overrun_reader_missed_is_read_all_the_same(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Overrun Reader")
    session = town.stopped("Overrun Reader")
    actions.say(instance, "before the flood", by=BY)
    actions.warn(instance, "Overrun Reader", by=BY, reason="also before")
    for number in range(300):
        if number % 100 == 0:
            actions.say(instance, f"wave {number}", by=BY)
        else:
            instance.notifier.tell_all(Kind.NOTICE, b"login Nobody")
    os.kill(session.pid, signal.SIGCONT)
    caller.wait(lambda: "wave 200" in caller.transcript, "the last saying")
    assert re.findall(r"(?:say|sysops): (\S+ \S+)", caller.transcript) == [
        "before the",
        "also before",
        "wave 0",
        "wave 100",
        "wave 200",
    ]


def test_an_act_whose_command_was_lost_is_told_at_the_next_prompt(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Deaf Reader")
    user = instance.accounts.find("Deaf Reader")
    assert user is not None
    lost = SysopAction(0, "warn", user.id, user.name, None, None, "nobody rang for this", BY, 0.0)
    with instance.accounts.store.writing() as users:
        instance.latest_sysop_action = write_sysop_action(users, lost, pending=False).id
    caller.press("z")
    caller.see("*** Warning from the sysops: nobody rang for this")


def test_a_new_user_is_told_of_the_rules_of_conduct(town: Bbs) -> None:
    caller = town.call().register("Newcomer")
    caller.see("Be kind to each other: H 5 has the rules of conduct.")
    caller.press("h5")
    caller.see("Manners at the table")
