"""The BBS around the table: the main prompt's keys, who is online, X-messages, notices, profiles, help, the casino."""

import re
import time
from collections.abc import Callable

import pytest

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller, ask, at_main_prompt, main_prompt
from tests.waiting import wait_until
from yawc_poker.catalogues import words
from yawc_poker.config import parse
from yawc_poker.registry.games import SETTINGS
from yawc_poker.session.menus.help import filled, help_pages

WARNING = "The games draw with terminal escape sequences"
KEYS = {
    "s": "[2] Poker",
    "m": "[S] Casino",
    "w": "user online",
    "x": "To:",
    "p": "Whose profile?",
    "t": "Rankings: All games",
    "h": "[1]",
    "?": "[1]",
    "l": "[D] Deutsch",
}


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_a_key_acts_at_once_in_either_case(town: Bbs, case: Callable[[str], str]) -> None:
    caller = town.call().register(f"key {case.__name__}")
    assert at_main_prompt(caller)
    for key, answer in KEYS.items():
        caller.press(case(key))
        caller.see(answer)
        if key != "w":
            caller.send("\r")
        main_prompt(caller)
    caller.press(case("qy"))
    caller.see("Goodbye")
    caller.ended()


def test_who_presses_q_is_asked_and_may_stay(town: Bbs) -> None:
    caller = town.call().register("Not Yet")
    for no in ("n", "\x1b", "\r", "q", "Q"):
        caller.press("q")
        caller.see("Leave the BBS? (y/n)")
        caller.press(no)
        main_prompt(caller)
    caller.press("QQQ")  # back, wherever one is
    caller.wait(lambda: caller.text.count("(y/n)") == 2 and "(y/n) no" in caller.text, "the second question")
    caller.press("y")
    caller.see("Goodbye")
    caller.ended()


@pytest.mark.parametrize("way", ["s", "l", "h", "p", "x"])
def test_q_leads_back_from_everywhere(town: Bbs, way: str) -> None:
    caller = town.call().register(f"Back from {way}")
    caller.press(way)
    caller.press("q\r\n" if way in {"p", "x"} else "q")
    main_prompt(caller)
    assert "no user" not in caller.text
    assert "Nobody" not in caller.text
    assert caller.is_open


def test_the_casino_says_which_sign_is_which_suit(town: Bbs) -> None:
    caller = town.call().register("Suited")
    caller.press("s")
    caller.see("+ clubs, * spades, # hearts, - diamonds")


def test_a_name_that_is_pasted_with_its_enter_is_shown(town: Bbs) -> None:
    caller = town.call().register("Paster")
    caller.press("x")
    caller.at("To: ").send("Nobody Else\r\n")
    caller.see("To: Nobody Else")


def test_a_key_that_means_nothing_does_nothing(town: Bbs) -> None:
    caller = town.call().register("Nobody Special")
    for key in ("z", "2", "\r", "\t", " ", "ä", "\x03", "\x1b[A", "\x1bOP"):
        caller.press(key)
        main_prompt(caller)
        assert "Special" not in caller.text
    caller.press("\x1b")
    main_prompt(caller)


def test_the_main_menu_lists_the_keys_and_takes_them(town: Bbs) -> None:
    caller = town.call().register("Menu Reader")
    caller.press("m")
    caller.wait(lambda: caller.prompt.startswith("Testville") and "menu" in caller.prompt, "the menu's prompt")
    for key in "SWIXBNYGPHLQ":
        assert f"[{key}] " in caller.text
    caller.press("S")
    caller.see(WARNING, "[2] Poker")
    caller.send("2")
    caller.see("Nobody is using the game", "(y/n)")
    caller.send("y")
    caller.see("Master:")
    caller.send("x")
    caller.at_prompt()
    caller.press("mW")
    caller.see("1 user online.")


# --- who is online ----------------------------------------------------------------------------------------------------


def seconds(idle: str) -> int:
    """Return how long somebody has been idle, as it is shown."""
    minutes, _, rest = idle.partition(":")
    return 60 * int(minutes) + int(rest)


def test_who_is_online_where_and_how_long_idle(town: Bbs) -> None:
    began = time.monotonic()
    player, watcher = town.call().register("Zoe Player"), town.call().register("adam watcher")
    player.sit()
    rows = re.compile(r"(.*\d:\d\d)$", re.MULTILINE)
    watcher.press("w")  # others' comings and goings may be told before the answer
    watcher.wait(lambda: at_main_prompt(watcher) and len(rows.findall(watcher.text)) == 2, "who is online")
    names = [line.split() for line in rows.findall(watcher.text)]
    assert [row[:-1] for row in names] == [["adam", "watcher", "Main", "prompt"], ["Zoe", "Player", "Poker", "table"]]
    assert all(seconds(row[-1]) <= time.monotonic() - began for row in names)
    assert "2 users online." in watcher.text
    assert "Name" in watcher.text
    assert "Idle" in watcher.text
    until = time.monotonic() + DEADLINE
    while not re.search(r"Zoe Player +Poker table +0:0[1-9]", ask(watcher, "w")):
        assert time.monotonic() < until, watcher.text
    pressed = time.monotonic()
    player.send("x")
    player.at_prompt()
    found = re.search(r"Zoe Player +Main prompt +(\d+:\d\d)", ask(watcher, "w"))
    assert found
    assert seconds(found[1]) <= time.monotonic() - pressed, "a key counts"
    player.send("qy")
    player.ended()
    watcher.see("Zoe Player has just logged out.")
    assert "Zoe" not in ask(watcher, "w")


def test_who_has_not_logged_in_is_not_online(town: Bbs) -> None:
    town.call().see("Name:")
    assert "1 user online." in ask(town.call().register("Only One"), "w")


# --- X-messages -------------------------------------------------------------------------------------------------------


def test_an_x_message_reaches_the_prompt_at_once_and_spares_what_is_typed(town: Bbs) -> None:
    sender, reader = town.call().register("Xenia"), town.call().register("Yannick")
    main_prompt(sender)
    reader.press("p")
    reader.see("Whose profile?")
    reader.send("xen")
    reader.wait(lambda: reader.prompt.endswith(") xen"), "the typed text")
    sender.press("xYANNICK\r")
    sender.at("Message: ")
    reader.see("Xenia is about to send you a message.")
    assert reader.prompt.endswith(") xen")
    sender.send("hello there\r")
    sender.see("Sent to Yannick.")
    reader.see("X-message from Xenia at", "hello there")
    assert reader.prompt.endswith("own) xen"), reader.text
    reader.send("ia\r")
    reader.see("CUBES: 100")
    main_prompt(reader)


def test_an_x_message_to_nobody_is_not_asked_for(town: Bbs) -> None:
    sender = town.call().register("Xerxes")
    assert "Nobody called Hamlet is online." in ask(sender, "xHamlet\r")
    assert "Message:" not in sender.text
    assert "To:" in ask(sender, "x\r")
    assert "Message:" in ask(sender, "xXerxes\r\r")
    assert "Sent" not in sender.text


def test_an_x_message_to_a_player_is_counted_and_read_after_leaving(town: Bbs) -> None:
    sender, player = town.call().register("Writer"), town.call().register("Player One")
    player.sit()
    sender.see("Player One waits at the poker table")
    assert "X-message" not in player.lines[5]
    for number, text in enumerate(("number one", "second"), 1):
        told = ask(sender, f"xplayer one\r{text}\r")
        assert "Player One is playing at the moment and may answer late." in told
        assert "Sent to Player One." in told
        counter = f"{number} X-message" + "s" * (number > 1)
        player.see(f"┤ {counter} ├")
    assert "number one" not in player.transcript
    player.send("x")
    player.at_prompt()
    assert [
        text for text in ("number one", "second") if re.search(rf"from Writer at \d\d:\d\d \S+: {text}", player.text)
    ] == [
        "number one",
        "second",
    ]
    player.sit()
    assert "X-message" not in player.lines[5]
    player.send("x")
    player.at_prompt()
    assert "from Writer" not in player.text


def test_an_x_message_to_somebody_who_has_just_left_waits_for_him(town: Bbs) -> None:
    sender, reader = town.call().register("Late Writer"), town.call().register("Early Leaver")
    sender.press("xEarly Leaver\r")
    sender.at("Message: ")
    reader.send("qy")
    reader.ended()
    wait_until(lambda: "Early Leaver" not in town.yawcctl("who"), "the end of the session")
    assert sender.prompt == "Message: "
    assert "will read it at the next login" in ask(sender, "are you there?\r")
    town.call().log_in("Early Leaver").see("from Late Writer at", "are you there?")


# --- notices ----------------------------------------------------------------------------------------------------------


def test_who_came_before_the_login_is_no_news(town: Bbs) -> None:
    late = town.call().at("Name: ")
    early = town.call().register("Early Bird")
    late.line("Late Bird")
    late.see("(y/n)")
    late.send("y")
    for prompt in ("Password: ", "Repeat the password: "):
        late.at(prompt).line("secret-1")
    late.at_prompt()
    early.press("plate bird\r")
    late.see("Early Bird has just looked at your profile.")
    assert "has just logged in" not in late.text


def test_notices_are_seen_at_the_prompt_but_not_at_the_table(town: Bbs) -> None:
    watcher, player = town.call().register("Watcher"), town.call().register("Deep in Play")
    player.sit()
    guest = town.call().register("Guest One")
    watcher.see("Guest One has just logged in.")
    assert at_main_prompt(watcher)
    for name in ("watcher", "deep in play"):
        ask(guest, f"p{name}\r")
    watcher.see("Guest One has just looked at your profile.")
    guest.send("qy")
    guest.ended()
    wait_until(lambda: "Guest One" not in town.yawcctl("who"), "the end of the session")
    main_prompt(watcher)
    assert "logged out" not in watcher.transcript, "that is told once a minute"
    ask(watcher, "xDeep in Play\rover\r")
    player.see("1 X-message")
    assert "Guest One" not in player.transcript
    assert "about to send" not in player.transcript
    player.send("x")
    player.at_prompt()
    assert "Guest One" not in player.text


# --- profiles ---------------------------------------------------------------------------------------------------------


def test_profiles_count_games_and_cubes(town: Bbs) -> None:
    anna, bert = town.seat("Prof Anna", "Prof Bert")
    anna.hear("Prof Bert sits down")
    anna.send("s")
    bert.until("Pot:", "20 CUBES")
    anna.send("xx")
    anna.at_prompt()
    bert.hear("Prof Bert wins 20 CUBES")
    own = ask(anna, "p\r")
    assert "CUBES: 90" in own
    assert "Poker: 1 played, 0 won" in own
    assert re.search(r"Registered: \d{4}-\d\d-\d\d", own)
    other = ask(anna, "pprof BERT\r")
    assert "Prof Bert" in other
    assert "CUBES: 110" in other
    assert "Poker: 1 played, 1 won" in other
    assert "Online now" in other
    assert "There is no user called Prof Carl." in ask(anna, "pProf Carl\r")
    bert.send("x")
    bert.at_prompt()
    bert.send("qy")
    bert.ended()
    wait_until(lambda: "Prof Bert" not in town.yawcctl("who"), "the end of the session")
    assert "Last login: 20" in ask(anna, "pProf Bert\r")


# --- help -------------------------------------------------------------------------------------------------------------


def read_page(caller: Caller, key: str) -> str:
    """Read a help page with the pager to its end, as it stands on the screen; the caller is left at the help menu."""
    seen: list[str] = []
    caller.press(key)
    while True:
        caller.answered().wait(lambda: caller.prompt.startswith("-- "), "the pager")
        seen += caller.lines
        is_last = caller.prompt.startswith("-- end")
        caller.press(" ")
        if is_last:
            caller.at("Help> ")
            return "\n".join(seen)
        assert len(seen) < 40 * 24


def test_help_has_all_pages_and_a_pager(town: Bbs) -> None:
    low = town.call().register("Low Window")
    low.press("?")
    low.at("Help> ")
    assert len(re.findall(r"\[[1-9A-Z]\] ", low.text)) == len(help_pages("en")) + 1, "all of them fit"
    low.hang_up()
    caller = town.call(80, 40).register("Help Reader")
    caller.press("?")
    caller.at("Help> ")
    titles = re.findall(r"\[([1-9A-PR-Z])\] (.+)", caller.text)
    assert "".join(key for key, _ in titles) == "123456789ABCDEFGIJKLMNOPRSTU"[: len(help_pages("en"))]
    texts = [read_page(caller, key) for key, _ in titles]
    whole, config = "\n".join(texts), parse(town.config, "town", SETTINGS)
    for (_, title), text, page in zip(titles, texts, help_pages("en"), strict=True):
        page = filled(page, config, words("en"))
        assert title in text
        assert [line for line in page.text.split("\n") if line.rstrip() not in text.split("\n")] == []
    for fact in ("FULL HOUSE BEATS THE FLUSH", "32699", "40 cards", "[H]", "X-message"):
        assert fact in whole
    assert all(len(line) < 80 for line in re.split(r"[\r\n]+", whole))
    caller.press("q")
    main_prompt(caller)


def test_the_pager_shows_a_windowful_and_stops_on_q(town: Bbs) -> None:
    caller = town.call(80, 10).register("Pager Stopper")
    caller.press("h")
    caller.wait(lambda: caller.prompt.startswith("-- more"), "the menu, a windowful at a time")
    caller.press("3")
    caller.see("Getting there")
    caller.wait(lambda: caller.prompt.startswith("-- more"), "the pager")
    assert "Poker: how to play" in caller.text or "Poker: how to play" in caller.transcript
    assert caller.screen.cursor.y == 9
    caller.press("q")
    caller.wait(lambda: caller.prompt.startswith("-- more"), "the menu")
    caller.press(" ")
    caller.at("Help> ")


def test_in_40_columns_help_is_set_anew_and_nothing_scrolls_away(town: Bbs) -> None:
    caller = town.call(40, 25).register("Narrow Nora")
    caller.press("h")
    caller.wait(lambda: caller.prompt.startswith("-- more"), "the menu, a windowful at a time")
    caller.see("[1]", "[2]")
    caller.press("3")
    caller.see("Poker: how to play", "At the main prompt press S for the")
    caller.wait(lambda: caller.prompt.startswith("-- more"), "the pager")
    caller.hang_up()


# --- the casino -------------------------------------------------------------------------------------------------------


def test_the_casino_warns_and_tells_who_sits_there_before_asking(town: Bbs) -> None:
    first, second = town.call().register("Kasimir A"), town.call().register("Kasimir B")
    second.press("s")
    second.see(WARNING, "[2] Poker")
    second.send("2")
    second.see("Nobody is using the game at the moment.", "wait until others join", "(y/n)")
    second.send("n")
    main_prompt(second)
    first.sit()
    second.press("s2")
    second.see("(y/n)")
    assert re.search(r"At the poker table:\n +Kasimir A\n.*\(y/n\)", second.text)
    second.send("J")
    second.see("Master:")
    assert second.field("Master:") == "Kasimir A"
    assert "Kasimir A" in second.left(1, 5)


def test_the_sixth_is_told_that_the_table_is_full(town: Bbs) -> None:
    names = [f"Full {letter}" for letter in "ABCDE"]
    seated = town.seat(*names)
    sixth = town.call().register("Full F")
    told = ask(sixth, "s2")
    assert all(f"  {name}\n" in told for name in names)
    assert "The table is full" in told
    assert "(y/n)" not in told
    seated[2].send("x")
    sixth.see("Testville")
    seated[2].at_prompt()
    sixth.sit()
    assert [line.split()[1] for line in sixth.left(2, 5).split("\n")] == list("ABDE")


def outcome(rival: Caller) -> None:
    rival.wait(lambda: "Master:" in rival.text or "is full" in rival.text, "the outcome")


def test_a_seat_that_is_taken_while_the_question_stands_is_not_given_twice(town: Bbs) -> None:
    town.seat("Race A", "Race B", "Race C", "Race D")
    rivals = [town.call().register("Race E"), town.call().register("Race F")]
    for rival in rivals:
        rival.press("s2")
        rival.see("(y/n)")
    for rival in rivals:
        rival.send("y")
    for rival in rivals:
        outcome(rival)
    assert sorted("Master:" in rival.text for rival in rivals) == [False, True]
