"""Nobody sees a hidden card: whole games by telnet, every byte to every caller kept and read.

What was open to whom is taken from the books afterwards: own hands, and the hands that others had shown by then. Each
caller's bytes are read twice: as they came (cards as text between the control sequences), and as screens (pyte), for a
picture may also come together from pieces.
"""

import re
import time
from pathlib import Path

import msgspec
import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.isolation.stores import bank_in_file
from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.verify import verify
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.tables import table_view

CARD = re.compile(r"(?<![0-9A-Za-z])(?:10|[5-9JQKA])[-#*+](?!\d\d)")
"""No day of October, as 2026-10-05."""
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x1b]*\x1b\\|[()].|.)")
BETS = ("1", "2", "3", "4")
"""No bet of 5 or more: a prompt as ``Bet (5-90)`` would look like a card."""


def cards_in(text: str) -> set[str]:
    return set(CARD.findall(text))


class Watch:
    """All that one caller was sent, cut into stages: a new one begins whenever a card may become open."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.stages: list[tuple[int, int]] = []
        """Game, and shows so far in it that this caller sat through."""
        self.cuts: list[int] = []
        """Where in the bytes each stage began."""
        self.screens: list[tuple[int, str]] = []
        """Stage and text of each screen that was looked at."""

    def begin(self, game: int, shows: int) -> None:
        self.caller.drain()
        if not self.caller.is_open:
            return  # his window shows for ever what it showed last
        self.stages.append((game, shows))
        self.cuts.append(len(self.caller.raw))

    def look(self) -> None:
        self.caller.drain()
        self.screens.append((len(self.stages) - 1, self.caller.text))

    def seen(self) -> list[tuple[tuple[int, int], set[str]]]:
        """Return the cards that were to be seen, for each stage and screen."""
        ends = [*self.cuts[1:], len(self.caller.raw)]
        bytes_of = [bytes(self.caller.raw[start:end]) for start, end in zip(self.cuts, ends, strict=True)]
        texts = [ESCAPES.sub("\0", data.decode("utf-8", "replace")) for data in bytes_of]
        read = [(stage, cards_in(text)) for stage, text in zip(self.stages, texts, strict=True)]
        return read + [(self.stages[stage], cards_in(text)) for stage, text in self.screens]


class Evening:
    """Some games, the callers at the table and beside it, and what each of them was sent."""

    def __init__(self, bbs: Bbs, *callers: Caller) -> None:
        self.segment = Segment.attach(segment_name(bbs.data))
        self.views: list[tuple[tuple[int, int], set[str]]] = []
        """What `yawcctl watch` tells a sysop: game, shows so far in it, cards."""
        self.watches = {caller.name: Watch(caller) for caller in callers}
        self.seated: list[str] = []
        self.game = 0
        self.shows: list[str] = []

    def sits(self, *callers: Caller) -> None:
        for caller in callers:
            caller.sit()
            self.seated.append(caller.name)
        self.all_see("Master:")

    def goes(self, caller: Caller) -> None:
        caller.send("x")
        asks = "leave? (y/n)"  # as long as there is something to lose
        caller.wait(
            lambda: asks in caller.text or caller.prompt.startswith(("Testville", "Casino")),
            "the question or the prompt",
        )
        if asks in caller.text:
            caller.send("y")
        caller.at_prompt()
        self.seated.remove(caller.name)
        self.watches[caller.name].begin(self.game, 0)

    def deals(self, master: Caller) -> None:
        for watch in self.watches.values():
            watch.look()
        self.game, self.shows = self.game + 1, []
        for watch in self.watches.values():
            watch.begin(self.game, 0)
        master.wait(lambda: self._started(master), "the start")
        self.turn(master.name)

    @staticmethod
    def _started(master: Caller) -> bool:
        if master.field("Round:") == "1":
            return True
        master.send("s")
        return False

    def turn(self, name: str, label: str = "Turn:") -> None:
        """Wait until everybody at the table sees that it is his turn, and look at all screens."""
        for seated in self.seated:
            self.watches[seated].caller.until(label, name)
        view = msgspec.json.encode(table_view(self.segment.cells[0], time.monotonic())).decode()
        self.views.append(((self.game, len(self.shows)), cards_in(view)))
        for watch in self.watches.values():
            watch.look()

    def all_see(self, text: str) -> None:
        for seated in self.seated:
            self.watches[seated].caller.see(text)

    def bets(self, caller: Caller, amount: str, then: str, key: str = "b") -> None:
        caller.see("[B]")
        caller.send(f"{key}{amount}\r")
        self.turn(then)

    def swaps(self, caller: Caller, places: str, then: str) -> None:
        caller.see("[D] Done")
        for place in places:
            caller.send(place)
            caller.drain()
        caller.send("d")
        self.turn(then)

    def shows_cards(self, caller: Caller, then: str) -> None:
        caller.see("[R] Show my")
        self.turn(caller.name)
        self.shows.append(caller.name)
        for name in self.seated:
            self.watches[name].begin(self.game, len(self.shows))
        caller.send("r")
        self.turn(then)


def held(played: PastGame, name: str) -> set[str]:
    """All cards that somebody ever held in a game."""
    seats = {line.seat for line in played.lines if line.name == name}
    assert played.proof is not None
    return {card for hand in played.proof.hands if hand.seat in seats for card in hand.cards.split()}


def last_hand(played: PastGame, name: str) -> set[str]:
    seats = {line.seat for line in played.lines if line.name == name}
    assert played.proof is not None
    return set([hand.cards for hand in played.proof.hands if hand.seat in seats][-1].split())


def judge(evening: Evening, games: dict[int, PastGame], shows: dict[int, list[str]]) -> int:
    """Compare what everybody saw with what was open to him; give how many cards of others were seen in all."""
    others = 0
    for name, watch in evening.watches.items():
        for (game, shown), cards in watch.seen():
            own = {card for number in range(1, game + 1) for card in held(games[number], name)} if games else set()
            open_ones = {card for one in shows.get(game, [])[:shown] for card in last_hand(games[game], one)}
            assert cards <= own | open_ones, f"{name}, game {game}, after {shown} shows: {cards - own - open_ones}"
            others += len(cards - own)
    for (game, shown), cards in evening.views:
        assert cards <= {card for one in shows.get(game, [])[:shown] for card in last_hand(games[game], one)}
    return others


def history(bbs: Bbs, last: int) -> dict[int, PastGame]:
    bank = bank_in_file(bbs.data / BANK_FILE, look_only=True)
    games = {number: played for number in range(1, last + 1) if (played := bank.game(number)) is not None}
    bank.close()
    assert len(games) == last
    assert all(verify(played, POKER).verdict == "proven" for played in games.values())
    return games


def test_no_card_is_sent_to_anybody_to_whom_it_was_not_open(bbs: Bbs) -> None:
    names = ("Anna", "Bert", "Carl", "Dora", "Emil", "Zoe")
    anna, bert, carl, dora, emil, zoe = (bbs.call().register(name) for name in names)
    evening = Evening(bbs, anna, bert, carl, dora, emil, zoe)
    shows: dict[int, list[str]] = {}
    evening.sits(anna, bert, carl, dora)

    # One folds and leaves and reads the history of the running game, one sits down in the middle, one is killed.
    evening.deals(anna)
    evening.bets(anna, "1", "Bert")
    bert.send("py")
    evening.turn("Carl")
    evening.goes(bert)
    bert.send("SG")
    bert.see("Which game?")
    bert.send("1\r")
    bert.see("The game is still running.", "-- more")
    bert.send(" ")
    bert.see("-- end")
    bert.send(" \r")
    bert.at_prompt()
    evening.bets(carl, "", "Dora")
    evening.bets(dora, "2", "Anna")
    evening.sits(emil)
    evening.swaps(anna, "12", "Carl")
    zoe.send("w")
    zoe.see("users online")
    evening.swaps(carl, "1345", "Dora")
    evening.swaps(dora, "", "Anna")
    evening.bets(anna, "", "Carl")
    evening.bets(carl, "3", "Dora", key="h")
    evening.bets(dora, "", "Anna")
    evening.turn("SHOWDOWN", "Round:")
    evening.shows_cards(anna, "Carl")
    evening.shows_cards(carl, "Dora")
    bbs.session("Dora").kill()
    dora.ended()
    evening.seated.remove("Dora")
    evening.turn("NO GAME")
    shows[1] = evening.shows

    # Everybody shows, and one looks on who played before. Emil has Bert's old seat, so the privilege is his.
    evening.deals(emil)
    evening.sits(bert)
    evening.bets(emil, "4", "Carl")
    evening.bets(carl, "", "Anna")
    evening.bets(anna, "", "Emil")
    for caller, places, then in ((emil, "234", "Carl"), (carl, "345", "Anna"), (anna, "5", "Emil")):
        evening.swaps(caller, places, then)
    evening.bets(emil, "", "Carl", key="h")
    evening.bets(carl, "", "Anna")
    evening.bets(anna, "", "Emil")
    evening.turn("SHOWDOWN", "Round:")
    for caller, then in ((emil, "Carl"), (carl, "Anna"), (anna, "NO GAME")):
        evening.shows_cards(caller, then)
    shows[2] = evening.shows

    # Won without a showdown: the winner's cards stay his.
    evening.deals(carl)
    evening.bets(carl, "1", "Bert")
    for caller, then in ((bert, "Anna"), (anna, "Emil"), (emil, "NO GAME")):
        evening.goes(caller)
        evening.turn(then)

    seen = judge(evening, history(bbs, 3), shows)
    assert seen > 40, "cards that were shown are found, so the eye is no blind one"
    assert any(len(cards) == 15 for _, cards in evening.views)
    own = [cards for stage, cards in evening.watches["Carl"].seen() if stage[0] == 3]
    assert any(last_hand(history(bbs, 3)[3], "Carl") <= cards for cards in own)
    assert all(not cards for _, cards in evening.watches["Zoe"].seen())


def test_cards_that_time_shows_are_open_and_those_of_who_was_passed_are_not(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("turn_seconds = 60", "turn_seconds = 3")) as bbs:
        anna, bert, carl = (bbs.call().register(name) for name in ("Anna", "Bert", "Carl"))
        evening = Evening(bbs, anna, bert, carl)
        evening.sits(anna, bert, carl)
        evening.deals(anna)
        evening.bets(anna, "1", "Bert")
        evening.turn("Carl")
        evening.bets(carl, "", "Anna")
        evening.turn("Carl")
        evening.swaps(carl, "123", "Anna")
        evening.bets(anna, "2", "Carl", key="h")
        evening.shows = ["Anna", "Carl"]  # from here on a clock may show cards at any moment
        for name in evening.seated:
            evening.watches[name].begin(1, 2)
        evening.bets(carl, "", "Anna")
        evening.turn("NO GAME")
        games = history(bbs, 1)
        assert [line.kind for line in games[1].lines].count("time") >= 3
        assert judge(evening, games, {1: evening.shows}) > 10


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("[10+] [ 5-]", {"10+", "5-"}),
        ("Bet (1-90):", set()),
        ("x5- 15- SHA-256 -> Game-Master", set()),
        ("2026-10-05 20:15", set()),
        ("K*│", {"K*"}),
    ],
)
def test_the_eye_knows_cards_from_other_text(text: str, cards: set[str]) -> None:
    assert cards_in(text) == cards
