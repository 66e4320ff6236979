"""The sysop's desk, by its keys."""

import re
from collections.abc import Iterator

import pytest

from tests.end_to_end.bbs import Bbs, Caller
from tests.end_to_end.test_sysop import entered
from tests.isolation import sysops as actions
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.session.menus.sysop import menu

KEYS = "".join(menu().keys)
DESK = "Sysop's desk> "


@pytest.fixture
def instance(town: Bbs) -> Iterator[Instance]:
    with entered(town) as instance:
        yield instance


def sysop(bbs: Bbs, instance: Instance, name: str) -> Caller:
    """Somebody at the desk."""
    caller = bbs.call().register(name)
    actions.set_sysop(instance, name, True, by="Root")
    caller.see("You are a sysop now")
    caller.press("!")
    return desk(caller)


def desk(caller: Caller) -> Caller:
    caller.wait(lambda: caller.prompt == DESK, "the desk")
    return caller


def do(caller: Caller, key: str, *answers: str) -> str:
    """Press a key at the desk, answer what is asked, and return all that is told until the desk is back.

    What somebody else does may show the desk again before the key is seen; so the first question is waited for.
    """
    caller.press(key)
    if answers:
        caller.wait(lambda: caller.prompt not in {"", DESK}, "a question")
        caller.send("".join(answer if answer in {"y", "n"} else f"{answer}\r" for answer in answers))
    return desk(caller).text


def test_the_desk_is_for_sysops_alone(town: Bbs, instance: Instance) -> None:
    caller = town.call().register("Plain User")
    for keys in ("!", "m!"):
        caller.press(keys)
        caller.at_prompt()
        assert "desk" not in caller.text
    sysop(town, instance, "First Chief").press("q")
    other = town.call().log_in("First Chief")
    other.press("m")
    other.see("[!] Sysop's desk")
    other.press("!")
    desk(other)
    assert "".join(re.findall(r"\[(\w)\]", other.text)) == KEYS + "Q"


def test_who_is_no_sysop_any_more_is_sent_away(town: Bbs, instance: Instance) -> None:
    caller = sysop(town, instance, "Fallen Chief")
    actions.set_sysop(instance, "Fallen Chief", False, by="Root")
    caller.see("You are no longer a sysop.")
    caller.press("w")
    caller.wait(lambda: caller.prompt.startswith("Testville ("), "the main prompt")
    assert "Name:" not in caller.text


def test_warn_completes_names_counts_and_shows(town: Bbs, instance: Instance) -> None:
    warned, _ = town.call().register("Wanda Waller"), town.call().register("Wanda Zeller")
    caller = sysop(town, instance, "Warner Chief")
    assert "Which one? Wanda Waller, Wanda Zeller" in do(caller, "w", "wanda", "wanda w", "slept twice")
    assert "Done; Wanda Waller has been told." in caller.text
    assert "Wanda Waller has had 1 warning." in caller.text
    warned.see("*** Warning from the sysops: slept twice")
    shown = do(caller, "a", "wanda w")
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d \S+, Warning, Warner Chief: slept twice", shown)
    assert "Wanda Waller has had 1 warning." in shown


@pytest.mark.parametrize(
    ("key", "answers", "text"),
    [
        ("w", ["Nobody At All"], "There is no user called Nobody At All."),
        ("w", [""], "Nothing was done."),
        ("w", ["Careful Victim", ""], "Nothing was done."),
        ("t", ["Careful Victim", "soon", ""], "That is not a length of time."),
        ("b", ["Careful Victim", "2h", "because", "n"], "Nothing was done."),
        ("d", ["Careful Victim", "because", "n"], "Nothing was done."),
        ("b", ["0.0.0.0/0"], "0.0.0.0/0 is too wide a network."),
        ("b", ["127.0.0.0/8"], "You are calling from there yourself."),
        ("u", ["Careful Victim"], "Careful Victim is not banned."),
        ("g", ["Careful Victim", "many"], "That is not a number of CUBES."),
        ("g", ["Careful Victim", "0", "because"], "That is not a number of CUBES."),
        ("c", ["Careful Victim", "101", "because"], "Careful Victim has only 100 CUBES."),
        ("w", ["Careful Chief"], "Careful Chief is a sysop: that can only be done with yawcctl."),
        ("b", ["Careful Chief"], "Careful Chief is a sysop: that can only be done with yawcctl."),
        ("v", [], "Nobody is banned."),
    ],
)
def test_what_cannot_be_done_is_said_and_the_desk_stays(
    bbs_with_desk: tuple[Caller, Instance], key: str, answers: list[str], text: str
) -> None:
    caller, instance = bbs_with_desk
    assert text in do(caller, key, *answers)
    assert [action.kind for action in actions.sysop_actions(instance)] == ["sysop"]


@pytest.fixture(scope="module")
def bbs_with_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Caller, Instance]]:
    with Bbs(tmp_path_factory.mktemp("desk") / "data") as bbs, entered(bbs) as instance:
        bbs.call().register("Careful Victim")
        yield sysop(bbs, instance, "Careful Chief"), instance


def test_twit_and_its_lifting(town: Bbs, instance: Instance) -> None:
    victim = town.call().register("Twitted Tim")
    caller = sysop(town, instance, "Twit Chief")
    assert "Done; Twitted Tim has been told." in do(caller, "t", "twitt", "3d", "spam")
    victim.see("taken your right to write to others until")
    assert "Done" in do(caller, "l", "Twitted Tim")
    victim.see("You may write to others again.")


def test_a_new_password_is_shown_once_and_ends_the_session(town: Bbs, instance: Instance) -> None:
    victim = town.call().register("Forgetful Fred")
    caller = sysop(town, instance, "Password Chief")
    assert "Nothing was done." in do(caller, "p", "forgetful", "forgot it", "n")
    told = do(caller, "p", "forgetful", "forgot it", "y")
    found = re.search(r"New password of Forgetful Fred: (\S+)", told)
    assert found
    assert "It is shown only now" in told
    assert "1 session has ended." in told
    victim.see("A sysop has given you a new password; please ask for it. (forgot it)")
    victim.ended()
    assert "New password given, Password Chief: forgot it" in do(caller, "a", "forgetful fred")
    assert found[1] not in town.log.read_text()


def test_kick_ban_and_its_lifting(town: Bbs, instance: Instance) -> None:
    caller = sysop(town, instance, "Ban Chief")
    victim = town.call().register("Banned Bob")
    assert "1 session has ended." in do(caller, "k", "banned", "noise")
    victim.see("A sysop has ended this session. (noise)")
    victim.ended()
    victim = town.call().log_in("Banned Bob")
    told = do(caller, "b", "Banned Bob", "forever", "more noise", "y")
    assert "Banned Bob is banned for ever." in told
    assert "1 session has ended." in told
    victim.see("You are banned from this BBS: more noise")
    assert "banned bob, for ever, Ban Chief: more noise" in do(caller, "v")
    assert "Banned Bob is not banned any more." in do(caller, "u", "Banned Bob")
    assert "2001:db8::/32 is banned until" in do(caller, "b", "2001:db8::5/32", "2h", "a nest", "y")
    assert "2001:db8::/32 is not banned any more." in do(caller, "u", "2001:db8::/32")


def test_money_and_the_end_of_an_account(town: Bbs, instance: Instance) -> None:
    caller = sysop(town, instance, "Money Chief")
    town.call().register("Paid Paul")
    assert "Paid Paul now has 150 CUBES." in do(caller, "g", "Paid", "50", "a prize")
    assert "Paid Paul now has 30 CUBES." in do(caller, "c", "Paid", "120", "a fine")
    told = do(caller, "d", "Paid", "enough", "y")
    assert "The account Paid Paul is closed; 30 CUBES went to the house." in told
    assert "1 session has ended." in told
    assert "The account Paid Paul is closed." in do(caller, "w", "Paid Paul", "again")
    shown = do(caller, "a", "Paid Paul")
    assert "CUBES taken, 120 CUBES, Money Chief: a fine" in shown
    assert town.audit()["clean"] is True


def test_what_is_said_is_heard_by_the_sayer_too(town: Bbs, instance: Instance) -> None:
    caller = sysop(town, instance, "Saying Chief")
    other = town.call().register("Hearing User")
    assert "*** The sysops say: all is well" in do(caller, "s", "all is well")
    other.see("*** The sysops say: all is well")


def test_the_desk_in_german(town: Bbs, instance: Instance) -> None:
    caller = sysop(town, instance, "Deutscher Chief")
    caller.press("q")
    caller.at_prompt()
    caller.press("ld\r")
    caller.at_prompt()
    caller.press("!")
    caller.wait(lambda: caller.prompt == "Schreibtisch des Sysops> ", "the desk")
    assert "[B] Namen oder Adresse sperren" in caller.text
    assert all(len(line) < 80 for line in caller.lines)
    caller.press("b203.0.113.7\rimmer\rflood\rj")
    caller.see("203.0.113.7 sperren? (j/n)")
    caller.wait(lambda: caller.prompt == "Schreibtisch des Sysops> ", "the desk")
    caller.press("u203.0.113.7\r")
    caller.wait(lambda: caller.prompt == "Schreibtisch des Sysops> ", "the desk")
