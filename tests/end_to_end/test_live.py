"""A game that is played is in the rankings, the profiles and the events; `yawcctl top` shows it while it runs."""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from tests.end_to_end.bbs import DEADLINE, Bbs
from tests.end_to_end.pty_caller import PtyCaller
from tests.end_to_end.test_sysop import entered
from tests.end_to_end.test_yawcctl import command, ok, play_a_game, refused, rows
from tests.waiting import wait_until
from yawc_poker.casino.users.sysop_log import SysopAction, write_sysop_action

UNREAD = 12_000
"""Events that nobody reads; if they were kept, they would take twice `ROOM`."""
ROOM = 4_000_000
"""Bytes by which the process that tells them may grow."""
READS = re.compile(r"\[(\d+)\] yawcctl/\S+ reads the events")


class Hook:
    """A program that follows the events."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def next(self) -> dict[str, object]:
        assert self.process.stdout is not None
        told: dict[str, object] = json.loads(self.process.stdout.readline())
        return told

    def hear(self, event: str, **fields: object) -> str:
        """Read the next event, which must be this one; return its position."""
        told = self.next()
        assert told["event"] == event, told
        assert {name: told.get(name) for name in fields} == fields, told
        return str(told["position"])


@contextmanager
def hooked(bbs: Bbs, *arguments: str) -> Iterator[Hook]:
    program = command(bbs, "events", "--follow", "--json", *arguments)
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield Hook(process)
        finally:
            process.kill()


def test_a_game_is_told_to_hooks_and_stands_in_the_rankings(bbs: Bbs) -> None:
    with hooked(bbs, "--after", "0.0.0") as hook:
        anna, bert = bbs.seat("Anna", "Bert")
        hook.hear("login", name="Anna")
        hook.hear("login", name="Bert")
        play_a_game(anna, bert)
        before = hook.hear(
            "game", game="poker", number=1, table=1, outcome="won", pot=25, players=["Anna", "Bert"], winners=["Anna"]
        )
        ok(bbs, "warn", "Bert", "--reason", "sleeps")
        hook.hear("sysop", act="warn", target="Bert", reason="sleeps")
        bbs.session("Bert").kill()
        hook.hear("logout", name="Bert", gone=True)

        anna.send("x")
        anna.at_prompt()
        anna.press("t")
        anna.at("Rankings> ")
        assert "Rankings: All games, " in anna.text
        assert re.search(r"^ +1\. Anna +\+10 +1 +1 +- +1$", anna.text, re.MULTILINE), anna.text
        assert "Bert" not in anna.text
        anna.press("g")
        anna.at("Rankings> ")
        assert "Rankings: Poker, " in anna.text
        anna.press("p")
        anna.see("by: Points", "- Anna")
        anna.press("h")
        anna.see("Hall of fame: Poker", "No month is over yet")
        anna.press(" ")
        anna.at("Rankings> ").press("q")
        anna.at_prompt()
        anna.press("p\r")
        anna.see("Poker: 1 played, 1 won, +10 CUBES, won in a row: 1")
        anna.see("Your CUBES since", "highest 110, now 110")
        assert re.search(r"^ +110 │", anna.text, re.MULTILINE), anna.text
        anna.send("qy")
        anna.ended()
        hook.hear("logout", name="Anna", gone=None)
        with hooked(bbs, "--after", before) as other:
            other.hear("sysop", act="warn")
            other.hear("logout", name="Bert", gone=True)
            position = other.hear("logout", name="Anna")
            assert bbs.stop() == 0
            assert other.process.wait(DEADLINE) == 2
            assert other.process.stderr is not None
            assert f"--after {position} goes on" in other.process.stderr.read()
    bbs.close()
    bbs.start()
    assert [one["event"] for one in rows(bbs, "events", "--after", before)] == ["sysop", "logout", "logout"]
    assert [one["event"] for one in rows(bbs, "events", "--limit", "4")] == ["game", "sysop", "logout", "logout"]
    assert re.search(r"  game 1, poker 1: won by Anna, 25 CUBES\n", ok(bbs, "events"))
    assert "not a position" in refused(bbs, "events", "--after", "x", code=2)


def test_top_shows_callers_and_tables_until_q(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    sysop = PtyCaller(command(bbs, "top", "--every", "0.2"))
    sysop.see("Testville, ", "2 of 500 callers", "locks: ", "[Q] leaves")
    assert re.search(r"^poker 1 +0  no game +0  - .*Anna \(master\), Bert$", sysop.text, re.MULTILINE), sysop.text
    assert re.search(r"^Bert +poker 1, seat 2 ", sysop.text, re.MULTILINE), sysop.text
    anna.send("s")
    sysop.see("bet 1", "1 game", "a second")
    sysop.resize(100, 12)
    sysop.see("1 game", "Anna")
    sysop.wait(lambda: sysop.lines[11] == "[Q] leaves", "the foot of the smaller window")
    bbs.call().see("Name:")
    sysop.see("1 logging in")
    sysop.send("q")
    assert sysop.exit_code() == 0
    assert sysop.raw.count(b"\x1b[?25l") == sysop.raw.count(b"\x1b[?25h"), "the cursor is shown again"
    printed = ok(bbs, "top")
    assert "2 of 500 callers, 1 logging in; 1 of 4 tables, 1 game\n" in printed
    (row,) = rows(bbs, "top", "--once")
    callers = row["callers"]
    assert isinstance(callers, list)
    assert [one["name"] for one in callers] == ["Anna", "Bert", ""]
    assert bert.is_open
    assert "no BBS runs" in refused(bbs.data.parent, "top", code=2)


def test_a_hook_that_does_not_read_holds_up_nobody_and_loses_nothing_without_a_word(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    with hooked(bbs, "--after", "0.0.0") as hook:
        wait_until(lambda: READS.search(bbs.log.read_text()) is not None, "the events to be asked for")
        control = psutil.Process(int(READS.findall(bbs.log.read_text())[0]))
        before = control.memory_full_info().uss
        with entered(bbs) as instance, instance.accounts.store.writing() as users:
            for number in range(UNREAD):
                reason = f"{number} {'x' * 180}"
                write_sysop_action(
                    users, SysopAction(0, "unban", None, "192.0.2.7", None, None, reason, "Root", 0.0), pending=False
                )
        ok(bbs, "warn", "Anna", "--reason", "a test")
        anna.see("Warning from the sysops: a test")
        anna.press("w")
        anna.see("Anna")
        wait_until(lambda: rows(bbs, "status")[0]["holders"] == [], "no lock is held for a moment")
        assert most_of(control) < before + ROOM
        assert "did not read for 10 seconds" in bbs.log.read_text()
        told, said = hook.process.communicate(timeout=DEADLINE)
        assert hook.process.returncode == 2
        heard = [json.loads(line) for line in told.splitlines()]
        found = re.search(r"; --after (\S+) goes on\n$", said)
        assert found, said
        assert found[1] == heard[-1]["position"]
        assert 0 < len(heard) < UNREAD
        rest = rows(bbs, "events", "--after", found[1])
        acts = [one for one in (*heard, *rest) if one["event"] == "sysop"]
        assert [str(one["reason"]).partition(" ")[0] for one in acts] == [*map(str, range(UNREAD)), "a"]


def most_of(process: psutil.Process) -> int:
    """Wait for the end of a process, and return how many bytes it had for itself at most."""
    most, until = 0, time.monotonic() + 2 * DEADLINE
    while time.monotonic() < until:
        try:
            most = max(most, process.memory_full_info().uss)
            process.wait(0.25)
        except psutil.TimeoutExpired:
            continue
        except psutil.NoSuchProcess:
            break
        return most
    assert not process.is_running(), "it waits for ever"
    return most
