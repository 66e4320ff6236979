"""Friends are told of, challenges wait for both, and a private table takes only those who are invited."""

from tests.end_to_end.bbs import Bbs

NEEDS = "yawc_poker.extras.friends"


def test_a_friend_is_told_of_at_the_prompt_and_at_a_table_and_invited_by_a_number(town: Bbs) -> None:
    anna, bert, carl = (town.call().register(name) for name in ("Fan Anna", "Fan Bert", "Fan Carl"))
    for caller in (bert, carl):
        caller.send("qy")
        caller.ended()
    anna.press("f")
    anna.see("You have no friends on the list yet.")
    anna.press("afan bert\r")
    anna.see("You are told when Fan Bert comes.", "Your friends:")
    anna.press("afan carl\r")
    anna.see("You are told when Fan Carl comes.", "Your friends:")
    anna.send("q")
    anna.at_prompt()
    bert = town.call().log_in("Fan Bert")
    anna.see("*** Your friend Fan Bert has come: F")
    assert "Fan Bert has just logged in" not in anna.text, "it is told once"
    anna.sit()
    town.call().log_in("Fan Carl")
    anna.hear("Your friend Fan Carl has come.")
    anna.send("x")
    anna.at_prompt()
    anna.press("f1\r")
    anna.see("To which game?")
    anna.send("2")
    anna.see("Fan Bert has been invited.")
    bert.see("J takes you there")
    bert.press("j")
    bert.see("Master:")


def test_a_challenge_waits_until_both_are_there_and_seats_them(town: Bbs) -> None:
    anna = town.call().register("Bold Anna")
    bert = town.call().register("Slow Bert")
    bert.send("qy")
    bert.ended()
    anna.press("fcslow bert\r")
    anna.see("To which game?")
    anna.send("3")
    anna.see("The challenge waits for Slow Bert", "You challenge Slow Bert: Mau-Mau.")
    anna.send("q")
    anna.at_prompt()
    bert = town.call().log_in("Slow Bert")
    assert "Bold Anna challenges you: Mau-Mau. F" in bert.text
    anna.see("*** Slow Bert is here, and a challenge waits for you both: F")
    bert.press("f")
    bert.see("Bold Anna challenges you: Mau-Mau.  Main prompt")
    bert.press("1\r")
    bert.see("Bold Anna has been invited.")
    anna.see("Slow Bert invites you: Mau-Mau table")
    anna.press("j")
    anna.see("Master:", "Slow Bert")
    anna.send("x")
    anna.at_prompt()
    anna.press("f")
    anna.see("You have no friends on the list yet.")


def test_a_private_table_takes_only_those_who_are_invited(town: Bbs) -> None:
    anna, bert = town.call().register("Shy Anna").sit(), town.call().register("Loud Bert")
    anna.send("./private\r")
    anna.see("As long as you sit here, only those")
    bert.press("s2y")
    bert.see("Here only those sit down whom somebody invites; Shy Anna wants it so.")
    anna.send("./invite Loud Bert\r")
    bert.see("J takes you there")
    bert.press("j")
    bert.see("Master:", "Pot:")
    carl = town.call().register("Late Carl")
    bert.send("./private off\r")
    bert.see("Somebody else here has made the")
    anna.send("x")
    anna.at_prompt()
    carl.press("s2y")
    carl.see("Master:", "Pot:")


def test_who_may_not_write_asks_nobody_and_loses_no_challenge(town: Bbs) -> None:
    anna, bert = town.call().register("Firm Anna"), town.call().register("Mute Bert")
    anna.press("fcmute bert\r")
    anna.see("To which game?")
    anna.send("3")
    anna.see("You challenge Mute Bert: Mau-Mau.")
    bert.see("*** Firm Anna is here, and a challenge waits")
    town.yawcctl("twit", "Mute Bert", "--for", "1h", "--reason", "noise")
    bert.see("The sysops have taken your right to write to others until")
    bert.press("f1\r")
    bert.see("The sysops have taken your right to write to others until")
    bert.wait(lambda: bert.text.count("Firm Anna challenges you: Mau-Mau.") == 2, "the list as before")
