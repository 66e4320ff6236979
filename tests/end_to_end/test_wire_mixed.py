"""Mau-Mau among callers by telnet and clients of the wire: one game, and all are told the same; yawc-maumau at a
terminal of its own."""

import json
import re
import selectors
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.end_to_end.bbs import DEADLINE, Bbs, Caller
from tests.end_to_end.pty_caller import PtyCaller
from tests.end_to_end.test_played import read_page
from tests.end_to_end.test_wire import clients, sit_at_maumau, step
from tests.end_to_end.test_wire import known as known_to
from tests.end_to_end.wire import a_bbs, totals
from tests.waiting import wait_until
from yawc_poker.extras.maumau_wire.client.bot import Bot
from yawc_poker.extras.maumau_wire.client.connection import ServerGone

KEY = re.compile(r"\[(.)\]")
HELD = re.compile(r"(\S[^│]*?) +(\d+) cards?\b")


class Game:
    """Callers by telnet on the first seats, bots by the wire behind them."""

    def __init__(self, bbs: Bbs, callers: Sequence[Caller], bots: Sequence[Bot]) -> None:
        self.bbs, self.callers, self.bots = bbs, callers, bots
        self.compared = 0

    def play(self) -> None:
        """Play to the end of the game, comparing what all see whenever a caller is on turn."""
        while not self.is_over():
            self._look(0.2)
            for caller in self.callers:
                if caller.field("Turn:") == caller.name and not self.is_over():
                    self._compare()
                    act(caller)

    def is_over(self) -> bool:
        return all(bot.known.expects == "closed" for bot in self.bots)

    def _look(self, seconds: float) -> None:
        with selectors.DefaultSelector() as selector:
            for one in self.callers:
                selector.register(one, selectors.EVENT_READ)
            for bot in self.bots:
                if bot.known.expects != "closed":
                    selector.register(bot.connection, selectors.EVENT_READ)
            for key, _ in selector.select(seconds):
                for caller in self.callers:
                    if key.fileobj is caller:
                        caller.drain()
                for bot in self.bots:
                    if key.fileobj is bot.connection:
                        self._let_act(bot)

    @staticmethod
    def _let_act(bot: Bot) -> None:
        try:
            bot.look()
        except ServerGone:
            assert bot.known.expects == "closed"

    def _compare(self) -> None:
        """Wait until all see the same: whose turn it is, the open card, how many cards everybody holds."""

        def agreed() -> bool:
            self._look(0.05)
            return self._agree()

        wait_until(agreed, "all to see the same")
        self.compared += 1

    def _agree(self) -> bool:
        known = self.bots[0].known
        if known.current is None or any(bot.known.counts != known.counts for bot in self.bots):
            return False
        names = [caller.name for caller in self.callers]
        turn = names[known.current] if known.current < len(names) else ""
        for place, caller in enumerate(self.callers):
            others = [count for at, count in enumerate(known.counts) if at != place]
            shown = [int(found[2]) for line in caller.left(2, 5).split("\n") if (found := HELD.match(line))]
            if (caller.field("Turn:"), caller.field("Open:").split(" ")[0]) != (turn, str(known.top)):
                return False
            if shown != others:
                return False
        return True


def act(caller: Caller) -> None:
    """Press what one may, and wait until the table has answered."""
    before = caller.messages
    caller.send(key_for(caller))
    caller.wait(lambda: caller.messages != before, "an answer")


def key_for(caller: Caller) -> str:
    """What may be pressed now, by the caller's own screen."""
    commands = caller.right(7, 11)
    if "[T]" in commands:
        return "t"
    if "[+]" in commands:
        return "+"
    found = KEY.search(caller.left(7, 11))
    assert found, caller.text
    return found[1]


@contextmanager
def mixed(data: Path) -> Iterator[Game]:
    """Anna and Bert by telnet, two bots by the wire."""
    with a_bbs(data, players=4, rounds=3) as bbs:
        callers = [bbs.call().register(name) for name in ("Anna", "Bert")]
        for caller in callers:
            sit_at_maumau(caller)
        rng = Random(11)
        bots = []
        try:
            for number in (1, 2):
                bots.append(Bot("127.0.0.1", bbs.wire_port, f"Robot {number}", rng))
                callers[0].see(f"Robot {number}^")
            yield Game(bbs, callers, bots)
        finally:
            for bot in bots:
                bot.connection.close()
        bbs.is_sound()


def test_two_by_telnet_and_two_by_the_wire_play_one_game(tmp_path: Path) -> None:
    with mixed(tmp_path / "data") as game:
        carl = game.bbs.call().register("Carl")
        carl.press("garobot 1^\r")
        carl.see("You ignore: Robot 1^")
        carl.send("dRobot 1^\r")
        carl.see("You ignore nobody.")
        carl.hang_up()
        game.callers[0].send("s")
        game.callers[0].see("[ENTER] alone: 3")
        game.callers[0].send("2\r")
        game.play()
        assert game.compared > 3
        (points,) = {bot.known.totals for bot in game.bots}
        assert totals(game.bbs.data) == [points]
        for caller, own in zip(game.callers, points, strict=False):
            caller.hear("wins the game")
            assert f" {own} point" in caller.lines[11]
        look_up(game, points)


def look_up(game: Game, points: tuple[int, ...]) -> None:
    """The casino's list and page, and yawcctl, tell the game so that it can be read."""
    anna = game.callers[0]
    anna.send("x")
    anna.at_prompt()
    anna.press("SG")
    anna.see("Mau-Mau", "Bert, Robot 1^, Robot 2^", "Which game?")
    anna.press("1\r")
    text = read_page(anna)
    for name, own in zip(("Anna", "Bert", "Robot 1^", "Robot 2^"), points, strict=True):
        assert re.search(rf"Seat \d +{re.escape(name)} +{own} points?$", text, re.MULTILINE), text
    assert "Won by: " in text
    assert "CUBES" not in text.partition("The seal (SHA256), announced")[0]
    assert text.count(" is dealt ") == 8
    assert re.search(r"takes a card\. \((?:10|[789JQKA])[-#*+]\)", text) or "takes" not in text
    assert "has the most points" in text
    assert re.search(r"wins the game with \d+ points\.$", text, re.MULTILINE)
    assert "Checked just now: seal, cards and moves agree." in text
    anna.line("")
    listed = game.bbs.yawcctl("history", "--user", "Anna")
    assert re.search(r"maumau .* 0 +\S.* won +Anna, Bert, Robot 1\^, Robot 2\^", listed)
    told = game.bbs.yawcctl("history", "1")
    assert re.search(r"Anna +lays (?:10|[789JQKA])[-#*+]", told), told
    assert "Card" not in told
    assert re.search(r"^SEAT +NAME +POINTS +ROUNDS +RESULT$", told, re.MULTILINE)
    for name, own in zip(("Anna", "Bert", "Robot 1^", "Robot 2^"), points, strict=True):
        assert re.search(rf"^ +\d +{re.escape(name)} +{own} +\d+ \d+", told, re.MULTILINE), told
    assert "Round 2 of 2: " in told
    assert told.count(" has no card left and wins round ") == 2
    whole = json.loads(game.bbs.yawcctl("history", "1", "--json"))
    assert [one["total"] for one in whole["standings"]] == list(points)
    assert all(sum(one["rounds"]) == one["total"] for one in whole["standings"])
    assert next(one["total"] for one in whole["standings"] if one["lost"]) == max(points)
    (first, *_) = (one["seat"] for one in whole["standings"] if one["won"])
    assert whole["game"]["winner"]["seat"] == first
    assert whole["hands_cut"] == ("CARDS are kept of the first 40 hands only" in told)
    assert "SEAT  NAME" in told
    assert "ANTE" not in told  # there are no stakes
    assert "Game 1 is proven." in game.bbs.yawcctl("verify", "1")


def test_who_leaves_a_running_game_is_asked_and_named_the_loser(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs:
        anna, bert = (bbs.call().register(name) for name in ("Anna", "Bert"))
        for caller in (anna, bert):
            sit_at_maumau(caller)
        anna.send("s\r")
        anna.hear("Round 1 of 1")
        anna.send("x")
        anna.see("Who leaves now loses the game.", "(y/n)")
        anna.send("n")
        anna.see("[.] Send a chat message")  # which the question does not offer: it is closed, and that is drawn
        anna.press("x")
        anna.see("(y/n)")
        anna.send("y")
        anna.at_prompt()
        bert.hear("[SYSTEM] Anna has left the running game and loses it.")
        bert.hear("[SYSTEM] Bert is the only one left and wins the game.")
        bert.see("everybody else")
        assert "you have lost" not in bert.text


# --- yawc-maumau at a terminal ----------------------------------------------------------------------------------------


@contextmanager
def person(port: int, *options: str) -> Iterator[PtyCaller]:
    caller = PtyCaller(
        [
            sys.executable,
            "-m",
            "yawc_poker.extras.maumau_wire.client",
            "127.0.0.1",
            str(port),
            "--name",
            "Anna",
            *options,
        ]
    )
    try:
        yield caller
    finally:
        caller.hang_up()


def test_a_person_plays_by_the_wire(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs, person(bbs.wire_port) as anna:
        anna.see("Waiting for the other players.")
        rng = Random(1)
        with clients(bbs, 1) as (other,):
            own = 2 - other.id  # Anna's seat: whoever of the two is served first has the other one
            while known_to(other).expects != "closed":
                if known_to(other).is_mine:
                    step(other, rng)
                elif anna.field("Turn:") == "Anna" and known_to(other).current == own:
                    anna.send(key_for(anna))  # of a screen that may be half drawn: then nothing comes of it
                    other.read(1)
                    anna.drain()
                else:
                    anna.listen(0.05)
                    other.read(0.05)
        anna.see("Press any key.")
        assert "The game is over" in anna.text
        anna.send("y")
        assert anna.exit_code() == 0


def test_a_person_leaves_and_his_terminal_is_as_before(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs, person(bbs.wire_port, "--language", "de") as anna:
        anna.see("Warte auf die Mitspieler", "[X]")
        assert "[.]" not in anna.text
        anna.send(".hallo")  # there is no chat by the wire
        anna.send("x")
        assert anna.exit_code() == 0
        assert not anna.screen.cursor.hidden


def test_a_person_changes_the_size_of_his_window(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs, person(bbs.wire_port) as anna:
        anna.see("Waiting for the other players.")
        anna.resize(70, 20)
        anna.see("Your window has 70x20 characters")
        anna.resize(80, 24)
        anna.see("Waiting for the other players.")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"", "no free seat"),
        (b"\x01", "closed the connection"),
        (b"\x01\xff", "does not speak"),
        (b"\x01\x72\x05\x01", "round 5 of 1"),
        (b"SSH-2.0-OpenSSH_9.2p1\r\n", "does not speak"),
        (b"\x01" + b"\x69" + b"\x31\x07\x01" * 300, "does not speak"),
    ],
)
def test_a_bad_server_is_told_clearly(said: bytes, told: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(DEADLINE)
                connection.recv(100)
                connection.sendall(said)

        server = threading.Thread(target=serve)
        server.start()
        with person(int(listening.getsockname()[1])) as anna:
            anna.see(told)
            anna.see("Press any key.")
            anna.send("y")
            assert anna.exit_code() == 0
            assert not anna.screen.cursor.hidden
        server.join()


def test_nobody_there_and_no_terminal() -> None:
    with person(1) as anna:
        anna.see("yawc-maumau: 127.0.0.1, port 1: Connection refused")
        assert anna.exit_code() == 69
