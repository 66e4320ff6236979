"""Who loses the line keeps seat, cards and stake for a while, and comes straight back; sleepers sit out until a key."""

import json
import sys
from collections.abc import Iterator

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller, cut
from tests.end_to_end.browser import Tab
from tests.end_to_end.pty_caller import PtyCaller
from tests.ports import free_port
from tests.waiting import wait_until
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.ipc.semaphore import TIMEOUT

HOLD = FAST.replace("hold_seconds = 0", "hold_seconds = 30").replace("start_cubes = 100", "start_cubes = 1000")
KEPT = "line is gone; the seat is kept for 0:30."


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bbs]:
    config = f"{HOLD}[web]\nresume_seconds = 30\n"
    with Bbs(tmp_path_factory.mktemp("dropped") / "data", config, web_port=free_port()) as running:
        yield running
        running.is_sound()


def comes_back(caller: Caller, name: str) -> Caller:
    """Log in, and be in the seat again without pressing another key."""
    caller.name = name
    caller.see("Name:")
    caller.line(name)
    caller.see("Password:")
    caller.line("secret-1")
    caller.see("Master:", "Pot:")
    return caller


def cards(caller: Caller) -> str:
    """The caller's own cards, as the screen shows them."""
    return caller.left(7, 11)


def place_of(bbs: Bbs, name: str) -> tuple[str, bool] | None:
    people = [json.loads(line) for line in bbs.yawcctl("who", "--json").splitlines()]
    return next(((one["where"], one["line"]) for one in people if one["name"] == name), None)


def leaves(caller: Caller) -> None:
    """Leave the table, whether that is asked about or not."""
    caller.send("x")
    caller.wait(
        lambda: "(y/n)" in caller.text or caller.prompt.startswith(("Testville", "Casino")),
        "the question or the prompt",
    )
    if not caller.prompt.startswith(("Testville", "Casino")):
        caller.send("y")
    caller.at_prompt()


def has_started(master: Caller) -> bool:
    """Press S until the pause is over."""
    if master.field("Round:") == "1":
        return True
    master.send("s")
    return False


def in_game(bbs: Bbs, *names: str) -> list[Caller]:
    people = bbs.seat(*names)
    people[0].wait(lambda: has_started(people[0]), "the start")
    people[0].bet("5")
    people[1].until("Turn:", names[1])
    return people


def test_a_cut_line_keeps_seat_cards_and_stake(town: Bbs) -> None:
    anna, bert = in_game(town, "Anna", "Bert")
    mine = cards(bert)
    cut(bert)
    anna.hear("Bert's " + KEPT)
    anna.see("Bert (no line)")
    wait_until(lambda: place_of(town, "Bert") == ("table", False), "the place without a line")
    anna.send(".are you there?\r")
    anna.hear("are you there?")
    carl = town.call().register("Carl")
    carl.press("w")
    carl.see("no line")
    carl.press("x")
    carl.line("Bert")
    carl.see("Message:")
    carl.line("call again")
    carl.see("Sent to Bert.")
    again = comes_back(town.call(), "Bert")
    again.hear("[Anna] are you there?")
    again.hear("Bert is back.")
    again.see("1 X-message")
    assert (cards(again), again.field("Pot:"), again.field("Turn:")) == (mine, "25 CUBES", "Bert")
    anna.hear("Bert is back.")
    anna.wait(lambda: "(no line)" not in anna.text, "the mark to be gone")
    assert place_of(town, "Bert") == ("table", True)
    again.bet("5")
    anna.until("Turn:", "Anna")
    leaves(again)
    again.see("call again")
    leaves(anna)


def test_a_killed_session_s_seat_waits_for_the_console(town: Bbs) -> None:
    emil, fritz = in_game(town, "Emil", "Frida")
    mine = cards(fritz)
    cut(fritz)
    emil.hear("Frida's " + KEPT)
    old = town.session("Frida")
    old.kill()
    psutil.wait_procs([old], DEADLINE)
    emil.send(".gone?\r")
    emil.hear("gone?")
    assert not any("was removed" in message for message in emil.messages)
    command = [sys.executable, "-m", "yawc_poker", "--data", str(town.data)]
    with PtyCaller(command) as console:
        comes_back(console, "Frida")
        emil.hear("Frida is back.")
        assert (cards(console), console.field("Turn:")) == (mine, "Frida")
        leaves(console)
        leaves(emil)


@pytest.mark.parametrize("state", ["running", "stopped"])
def test_a_second_login_takes_the_seat_of_the_first(town: Bbs, state: str) -> None:
    nora, olga = f"Nora {state}", f"Olga {state}"
    first, other = in_game(town, nora, olga)
    mine = cards(other)
    if state == "stopped":
        town.stopped(olga)
    second = comes_back(town.call(), olga)
    assert (cards(second), second.field("Turn:")) == (mine, olga)
    other.ended()
    second.send(".here\r")
    first.hear("here")
    untrue = ("line is gone", "removed", "is back")
    assert not any(text in message for text in untrue for message in first.messages), "nobody was told that she went"
    leaves(second)
    leaves(first)


def test_a_page_that_loses_its_line_is_told_like_any(town: Bbs) -> None:
    with Tab(town.web_port) as tab:
        tab.register("Willi").sit()
        other = town.call().register("Vera").sit()
        token = tab.has_token()
        cut(tab)
        other.hear("Willi's " + KEPT)
        with Tab(town.web_port, token) as again:
            again.see("Master:")
            other.hear("Willi is back.")
            again.close(1000)
            other.hear("Willi's " + KEPT)
    willi = comes_back(town.call(), "Willi")
    assert willi.field("Master:") == "Vera"
    leaves(willi)
    leaves(other)


def test_a_caller_without_a_screen_comes_back_in_lines(town: Bbs) -> None:
    gerd, hugo = in_game(town, "Gerd", "Hubert")
    cut(hugo)
    gerd.hear("Hubert's " + KEPT)
    back = town.call(kind=b"DUMB")
    back.name = "Hubert"
    back.see("Name:")
    back.line("Hubert")
    back.see("Password:")
    back.line("secret-1")
    back.see("Hubert is back.", "Your turn")
    gerd.hear("Hubert is back.")
    leaves(gerd)
    back.see("wins")
    back.hang_up()


def test_a_session_without_a_line_keeps_nobody_out_and_a_sysop_ends_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Of two lines in all, the one that was lost is another's at once, and whoever lost it comes back all the same."""
    config = HOLD.replace("[telnet]", "[telnet]\nmax_sessions = 2")
    with Bbs(tmp_path_factory.mktemp("full") / "data", config) as bbs:
        anna, bert = in_game(bbs, "Anna", "Bert")
        mine, old = cards(bert), bbs.session("Bert")
        cut(bert)
        anna.hear("Bert's " + KEPT)
        carl = bbs.call(address="127.0.0.3").register("Carl")
        again = comes_back(bbs.call(), "Bert")
        assert cards(again) == mine
        assert psutil.wait_procs([old], DEADLINE)[1] == []
        carl.hang_up()
        leaves(anna)
        anna.send("qy")
        anna.ended()
        cut(again)
        wait_until(lambda: place_of(bbs, "Bert") == ("table", False), "the place without a line")
        bbs.yawcctl("kick", "Bert", "--reason", "is not here")
        wait_until(lambda: place_of(bbs, "Bert") is None, "the session to end")
        assert not any(json.loads(line)["seats"] for line in bbs.yawcctl("tables", "--json").splitlines())
        bbs.is_sound()


def test_who_has_no_line_takes_none_before_the_table_is_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whoever hears that a line is gone, and calls, finds it free."""
    config = HOLD.replace("[engine]", "[engine]\npatience_seconds = 60")
    with Bbs(tmp_path_factory.mktemp("told") / "data", config) as bbs:
        anna, bert = in_game(bbs, "Anna", "Bert")
        with Segment.attach(segment_name(bbs.data)).cells[0].lock:
            cut(bert)
            wait_until(lambda: place_of(bbs, "Bert") == ("table", False), "the place without a line", TIMEOUT / 2)
        anna.hear("Bert's " + KEPT)
        bbs.is_sound()


def test_the_time_is_over(tmp_path_factory: pytest.TempPathFactory) -> None:
    config = HOLD.replace("hold_seconds = 30", "hold_seconds = 1")
    with Bbs(tmp_path_factory.mktemp("over") / "data", config) as bbs:
        anna, bert = in_game(bbs, "Anna", "Bert")
        session = bbs.session("Bert")
        cut(bert)
        anna.hear("the seat is kept for 0:01.")
        anna.hear("Bert was removed from the table.")
        anna.hear("wins")
        assert psutil.wait_procs([session], DEADLINE)[1] == []
        assert "Your seat was kept" not in bbs.call().log_in("Bert").transcript
        bbs.is_sound()


def test_sleepers_sit_out_until_a_key(tmp_path_factory: pytest.TempPathFactory) -> None:
    config = FAST.replace("master_seconds = 60", "master_seconds = 0.4")
    with Bbs(tmp_path_factory.mktemp("sleep") / "data", config) as bbs:
        anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
        anna.hear("Anna is away.")
        bert.hear("Bert is away.")
        carl.until("Master:", "Carl")
        carl.see("Anna (away)", "Bert (away)")
        carl.send("s")
        carl.see("Too few are there")
        bert.see("You sit out")
        bert.send(" ")
        bert.wait(lambda: "You sit out" not in bert.text, "the notice to be gone")
        carl.hear("Bert is back.")
        carl.wait(lambda: "Bert (away)" not in carl.text, "the mark to be gone")
        assert "(away)" in bbs.yawcctl("tables")
        carl.wait(lambda: "Anna (away)" in carl.text, "Anna asleep")

        def they_play() -> bool:
            for one in (bert, carl):
                one.send(" s")
            carl.listen(0.2)
            return carl.field("Pot:") == "20 CUBES"

        wait_until(they_play, "a game of two")
        anna.owns(100)
        bbs.is_sound()
