"""Clients for MUDs that are told of their tables by GMCP, against the real daemon."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.end_to_end.bbs import DO, FAST, IAC, SB, SE, WILL, Bbs, TelnetCaller, connected
from tests.end_to_end.pty_caller import PtyCaller

NEEDS = "yawc_poker.extras.gmcp"
GMCP = 201
"""The protocol's own number, not the one that the program has."""
TINTIN = shutil.which("tt++", path=f"{os.environ.get('PATH', '')}:/usr/games")


class Card(msgspec.Struct):
    card: str


class Hand(msgspec.Struct):
    cards: list[Card] = []


class Key(msgspec.Struct):
    key: str


class Turn(msgspec.Struct):
    yours: bool = False
    seconds: int | None = None
    keys: list[Key] = []


class Event(msgspec.Struct):
    event: str


class Player(msgspec.Struct):
    name: str


class Table(msgspec.Struct):
    running: bool = False
    seat: int | None = None
    master: str = ""
    players: list[Player] = []
    events: list[Event] = []


class MudClient(TelnetCaller):
    """A caller whose client understands GMCP."""

    def __init__(self, bbs: Bbs) -> None:
        super().__init__(connected(bbs.port))
        self.is_offered = False
        self.heard: list[bytes] = []
        self.hand, self.turn, self.table = Hand(), Turn(), Table()
        self.events: set[str] = set()
        bbs.called(self)

    def say(self, text: bytes) -> None:
        self.send(bytes([IAC, SB, GMCP]) + text.replace(b"\xff", b"\xff\xff") + bytes([IAC, SE]))

    def agree(self) -> None:
        self.send(bytes([IAC, DO, GMCP]))

    def has_hand(self, cards: int) -> None:
        """Wait until a hand of so many cards was told."""
        self.wait(lambda: len(self.hand.cards) == cards, f"a hand of {cards}")

    def hears_of(self, event: str) -> None:
        """Wait until an event of this kind was told."""
        self.wait(lambda: event in self.events, f"event {event}")

    def _command(self, data: bytes) -> int:
        length = super()._command(data)
        if length and data[1:3] == bytes([WILL, GMCP]):
            self.is_offered = True
        if length and data[1:3] == bytes([SB, GMCP]):
            self.heard.append(data[3 : length - 2])
            name, _, body = self.heard[-1].partition(b" ")
            match name:
                case b"Game.Hand":
                    self.hand = msgspec.json.decode(body, type=Hand)
                case b"Game.Turn":
                    self.turn = msgspec.json.decode(body, type=Turn)
                case _:
                    self.table = msgspec.json.decode(body, type=Table)
                    self.events |= {one.event for one in self.table.events}
        return length


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data") as running:
        yield running
        running.is_sound()


def at_table(bbs: Bbs, *names: str) -> list[MudClient]:
    clients = [MudClient(bbs) for _ in names]
    for client, name in zip(clients, names, strict=True):
        client.agree()
        client.register(name)
        client.sit()
    return clients


def test_two_clients_are_told_of_a_game_and_each_of_its_own_hand(bbs: Bbs) -> None:
    anna, bert = at_table(bbs, "Anna", "Bert")
    anna.wait(lambda: len(anna.table.players) == 2, "Bert at the table")
    assert anna.table.master == "Anna"
    anna.send("s")
    for client in (anna, bert):
        client.has_hand(5)
    hands = [{one.card for one in client.hand.cards} for client in (anna, bert)]
    assert not hands[0] & hands[1]
    anna.wait(lambda: anna.turn.yours, "the turn of Anna, who has started the game")
    assert anna.turn.seconds
    assert "p" in [one.key for one in anna.turn.keys]
    anna.send("py")
    bert.wait(lambda: bert.turn.yours, "the turn of Bert")
    for client, others in ((anna, hands[1]), (bert, hands[0])):
        client.hears_of("Passed")
        assert client.table.running
        assert not any(f'"{card}"'.encode() in message for card in others for message in client.heard)
    anna.send("x")
    anna.wait(lambda: not anna.table.players, "that there is no table any more")
    assert not anna.hand.cards
    bert.wait(lambda: len(bert.table.players) == 1, "that Anna has left")


def test_who_does_not_agree_or_supports_other_modules_is_told_nothing(bbs: Bbs) -> None:
    silent, other = MudClient(bbs), MudClient(bbs)
    other.agree()
    other.say(b'Core.Hello {"client": "Other", "version": "1"}')
    other.say(b'Core.Supports.Set ["Char 1"]')
    for client, name in ((silent, "Sil"), (other, "Otto")):
        client.register(name)
        client.sit()
        client.see("Pot:")
        assert client.is_offered
        assert not client.heard
    other.say(b'Core.Supports.Add ["Game 1"]')
    other.send(".hello\r")
    other.wait(lambda: bool(other.heard), "a message")
    silent.hear("[Otto] hello")
    assert not silent.heard


def test_whatever_a_client_says_the_session_goes_on(bbs: Bbs) -> None:
    client = MudClient(bbs)
    client.say(b"too early")
    client.agree()
    for said in (b"", b"\0", b"Core.Supports.Set " + b"[" * 400, b"x" * 100_000, bytes(range(255)), b"Core.Hello"):
        client.say(said)
    client.register("Hella")
    client.sit()
    client.wait(lambda: client.table.seat == 1, "a message")


def test_it_is_not_offered_where_the_sysop_does_not_want_it(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", f"{FAST}[gmcp]\noffer = false\n") as bbs:
        client = MudClient(bbs)
        client.agree()
        client.register("Norma")
        client.sit()
        client.see("Pot:")
        assert not client.is_offered
        assert not client.heard


@pytest.mark.skipif(TINTIN is None, reason="tt++ is not installed")
@pytest.mark.filterwarnings("ignore:.*forkpty:DeprecationWarning")
def test_tintin_is_told_by_the_example_of_the_handbook(bbs: Bbs, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "mud-clients.md").read_text()
    found = re.search(r"```tintin\n(.*?)```", page, re.DOTALL)
    assert found
    script = tmp_path / "bbs.tin"
    script.write_text(found[1].replace("HOST 2323", f"127.0.0.1 {bbs.port}"))
    assert TINTIN
    with PtyCaller([TINTIN, str(script)]) as caller:
        caller.register("Tin Tina").sit()
        caller.wait(lambda: "GMCP table: {game}{poker}" in caller.transcript, "that the table is told")
