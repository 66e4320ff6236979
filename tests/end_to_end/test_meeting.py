"""Meeting others: who is here and who waits, invitations, the ignore list, letters, the wall, the last callers."""

import json
import re

from tests.end_to_end.bbs import Bbs, Caller, ask, main_prompt
from tests.waiting import wait_until


def out(caller: Caller) -> None:
    caller.press("qy")
    caller.ended()


# --- who waits --------------------------------------------------------------------------------------------------------


def test_who_waits_is_told_at_the_prompt_and_by_the_welcome(town: Bbs) -> None:
    alone = town.call().register("Early Emil")
    assert "Nobody else is online." in alone.text
    player = town.call().register("Waiting Wim").sit()
    alone.see("*** Waiting Wim waits at the poker table: S 2")
    main_prompt(alone)
    late = town.call().register("Late Lena")
    assert "Online: Early Emil, Waiting Wim" in late.text
    assert "\nWaiting Wim waits at the poker table: S 2" in late.text
    ask(alone, "gmq")
    late.press("s3")
    late.see("(y/n)")
    late.send("y")
    late.see("Master")
    late.send("x")
    late.at_prompt()
    assert "Sent to" in ask(late, "xEarly Emil\rover\r")
    alone.see("X-message from Late Lena", "over")
    assert "Late Lena waits" not in alone.transcript, "it is switched off"
    assert "Late Lena waits" not in player.transcript, "who sits is not told"
    alone.press("s2y")
    alone.see("Master:", "Pot:")
    player.hear("Early Emil sits down")
    player.send("x")
    player.at_prompt()
    late.see("*** Early Emil waits at the poker table: S 2")


# --- invitations ------------------------------------------------------------------------------------------------------


def test_an_invitation_is_followed_by_one_key_from_the_prompt_and_from_a_table(town: Bbs) -> None:
    anna, bert, carl = (town.call().register(f"Host {name}") for name in ("Anna", "Bert", "Carl"))
    carl.press("s3")
    carl.see("(y/n)")
    carl.send("y")
    carl.see("Master")
    assert "Nobody has invited you" in ask(bert, "j")
    assert "Nobody called Hamlet is online." in ask(anna, "iHamlet\r")
    assert "You are here yourself." in ask(anna, "ihost anna\r")
    anna.press("ihost bert\r")
    anna.see("[2] Poker", "To which game? (ENTER: Poker)")
    anna.send("2")
    anna.see("Master:", "Host Bert has been invited.")
    bert.see("*** Host Anna invites you: Poker table. J takes you there within two minutes.")
    main_prompt(bert)
    bert.press("j")
    bert.see("Master:", "Pot:")
    anna.hear("Host Bert sits down")
    anna.send("./invite\r")
    anna.see("Whom? As in /invite Anna.")
    anna.send("./invite host bert\r")
    anna.see("Host Bert sits here already.")
    anna.send("./invite Host Carl\r")
    anna.see("Host Carl is playing at the moment,", "and has been invited.")
    carl.see("Host Anna invites you: Poker table. /accept")
    carl.send("./accept\r")
    anna.hear("Host Carl sits down")
    carl.until("Master:", "Host Anna")


def test_an_invitation_is_followed_from_every_menu_also_where_its_key_means_something_else(town: Bbs) -> None:
    anna, bert = (town.call().register(f"Kind {name}") for name in ("Anna", "Bert"))
    anna.press("s2y")
    anna.see("Master:")
    for keys, prompt in (("s", "Casino> "), ("t", "Rankings> "), ("h", "Help> ")):
        bert.press(keys)
        bert.at(prompt)
        anna.send("./invite kind bert\r")
        bert.see("J takes you there")
        bert.at(prompt)
        bert.press("j")
        bert.see("Master:", "Pot:")
        anna.hear("Kind Bert sits down")
        bert.send("x")
        bert.at_prompt()
        anna.hear("Kind Bert leaves the table")


# --- the ignore list --------------------------------------------------------------------------------------------------


def test_nothing_that_an_ignored_user_writes_arrives_and_they_do_not_learn_of_it(town: Bbs) -> None:
    anna, bore, carl = (town.call().register(name) for name in ("Calm Anna", "Big Bore", "Calm Carl"))
    anna.press("gaBIG bore\r")
    anna.see("You ignore: Big Bore")
    anna.send("q")
    main_prompt(anna)
    assert "Sent to Calm Anna." in ask(bore, "xCalm Anna\rbuy my soap\r")
    ask(bore, "nwsoap for all\r\r")
    bore.press("iCalm Anna\r")
    bore.see("To which game?")
    bore.send("2")
    bore.see("Calm Anna has been invited.")
    anna.press("s2y")
    anna.see("Master:")
    carl.press("s2y")
    carl.see("Master:")
    anna.hear("Calm Carl sits down")
    bore.send(".who wants soap?\r")
    carl.hear("who wants soap?")
    carl.send(".good evening\r")
    anna.hear("good evening")
    anna.send("x")
    anna.at_prompt()
    assert "Nobody has invited you" in ask(anna, "j")
    assert "soap" not in ask(anna, "n\r")
    assert "Big Bore" in ask(anna, "w"), "the name stays in the list"
    assert "soap" not in anna.transcript
    assert "about to send you" not in anna.transcript
    anna.press("gdbig bore\r")
    anna.see("You ignore nobody.")
    anna.send("q")
    main_prompt(anna)
    assert "soap" in ask(anna, "n\r")
    town.yawcctl("sysop", "Calm Carl", "on")
    assert "Calm Carl is a sysop, and must be heard." in ask(anna, "gaCalm Carl\rq")


# --- letters ----------------------------------------------------------------------------------------------------------


def test_a_letter_waits_for_a_user_who_is_not_online_and_is_answered(town: Bbs) -> None:
    anna, reader = town.call().register("Writing Anna"), town.call().register("Away Ali")
    out(reader)
    anna.press("xaway ali\r")
    anna.see("Away Ali is not online. Leave a letter? (y/n)")
    anna.send("y")
    anna.at("> ").line("Shall we play tonight?")
    anna.at("> ").line("At nine?")
    anna.at("> ").send("\r")
    anna.see("The letter lies in the box of Away Ali.")
    main_prompt(anna)
    reader = town.call().log_in("Away Ali")
    reader.see("You have 1 new letter: B")
    reader.press("b")
    reader.see("Letters: 1 of 100, new: 1", "1 >", "Writing Anna", "Shall we play tonight?...")
    reader.send("1\r")
    reader.see("From Writing Anna, 20", "    Shall we play tonight?\n    At nine?")
    reader.send("a")
    reader.at("> ").line("Yes!")
    reader.at("> ").send("\r")
    reader.see("The letter lies in the box of Writing Anna.")
    anna.see("*** A letter from Away Ali has come: B")
    main_prompt(anna)
    reader.see("new: 0")
    reader.press("1\r")
    reader.see("[D] delete")
    reader.send("d")
    reader.see("The letter is gone.", "Letters: 0 of 100, new: 0")
    reader.send("\r")
    main_prompt(reader)
    town.yawcctl("twit", "Away Ali", "--for", "1h", "--reason", "a test")
    reader.see("taken your right to write")
    for keys in ("bwWriting Anna\r\r", "nw\r", "i", "x"):
        told = ask(reader, keys)
        assert "taken your right to write" in told, keys


# --- the wall, the last callers ---------------------------------------------------------------------------------------


def test_the_wall_and_the_last_callers(town: Bbs) -> None:
    anna, carl = town.call().register("Poet Anna"), town.call().register("Judge Carl")
    anna.press("nwroses are red\r")
    anna.see("Poet Anna: roses are red")
    anna.send("wviolets are blue\r")
    anna.see("Poet Anna: violets are blue")
    anna.send("\r")
    main_prompt(anna)
    guest = town.call().register("Guest Gerd")
    assert "Last on the wall (N: more):" in guest.text
    assert "\n  Poet Anna: violets are blue" in guest.text
    guest.press("n")
    guest.see("[W] write")
    number = next(line.split()[0] for line in guest.lines if "roses are red" in line)
    guest.send(f"d{number}\r")
    guest.see("You may take off your own lines only.")
    guest.send("\r")
    main_prompt(guest)
    town.yawcctl("sysop", "Judge Carl", "on")
    carl.see("You are a sysop now")
    carl.press(f"nd{number}\r")
    carl.see("The line is gone.")
    carl.send("\r")
    main_prompt(carl)
    anna.see('A sysop has taken a line of yours off the wall. ("roses are red")')
    told = ask(anna, "n\r")
    assert "violets are blue" in told
    assert "roses are red" not in told
    listed = town.yawcctl("wall").splitlines()
    assert [line.split()[0] for line in listed][:1] == ["N"]
    number = next(line.split()[0] for line in listed if "violets are blue" in line)
    (line,) = (json.loads(one) for one in town.yawcctl("wall", "--json").splitlines() if "violets" in one)
    assert (str(line["id"]), line["name"]) == (number, "Poet Anna")
    assert town.yawcctl("wall", "--remove", number, "--reason", "old") == (
        "A line of Poet Anna is off the wall; told at once.\n"
    )
    anna.see('A sysop has taken a line of yours off the wall. ("violets are blue": old)')
    assert "violets" not in town.yawcctl("wall")
    assert [one.split()[3] for one in town.yawcctl("acts", "Poet Anna").splitlines()[1:]] == ["wall", "wall"]
    anna.press("nwviolets are blue\r")
    anna.see("Poet Anna: violets are blue")
    anna.send("\r")
    main_prompt(anna)
    out(guest)
    wait_until(lambda: "Guest Gerd" not in town.yawcctl("who"), "the end of the session")
    calls = ask(anna, "y")
    assert re.search(r"\n  20\d\d-\d\d-\d\d \d\d:\d\d  Guest Gerd +0:00\n", calls)
    assert re.search(r"\d\d:\d\d  Poet Anna +is here\n", calls)
    assert calls.index("Guest Gerd") < calls.index("Judge Carl") < calls.index("Poet Anna")
    assert "127.0.0.1" not in calls
