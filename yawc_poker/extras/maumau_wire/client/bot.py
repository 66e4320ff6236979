"""Bots: several clients in one process that play one game after another, each of them to the end.

Owns a game's course from the outside: all connect, one after the other so that ids are in their order, play until the
server closes, and compare their totals. `maumau_wire.protocol.client` knows which moves are legal; one is chosen as a
house player of the level normal would choose who remembers no card.
"""

import selectors
import time
from collections.abc import Callable, Sequence
from random import Random

import msgspec

from yawc_poker.engine.house import SealedChance
from yawc_poker.extras.maumau_wire.client.connection import Connection, ServerGone
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.client import Known, hear, view
from yawc_poker.games.maumau.player.choose import choose

PATIENCE = 60.0
"""Seconds without a word from the server, beyond the time of a turn, after which a game is given up."""


class Disagreement(Exception):
    """Two clients were told different totals, or a game ended before its end. `str()` says which."""


class GameResult(msgspec.Struct, frozen=True):
    """The result of a game, as all its clients were told."""

    game: int
    """From 1, of this run."""
    rounds: int
    totals: tuple[int, ...]
    """By id."""
    actions: int
    """Of all clients."""
    seconds: float


def patience(known: Known) -> float | None:
    """Return how many seconds the server may say nothing now; None: for ever.

    A game begins when enough have come, and a turn without a limit may take any time.
    """
    if known.expects == "round" and not known.turn:
        return None
    if known.expects == "move":
        return known.milliseconds / 1000 + PATIENCE if known.milliseconds else None
    return PATIENCE


class Bot:
    """One client of one game."""

    def __init__(self, host: str, port: int, name: str, rng: Random) -> None:
        """Connect and say who it is; raise `ServerGone`."""
        self.connection = Connection(host, port)
        self.known = Known()
        self.actions = 0
        self._rng = rng
        self._acted = 0
        self.connection.send(messages.Id(name))

    def look(self) -> None:
        """Take what the server says, and act if it is asked to. Raise `ServerGone` and `Confused`."""
        for message in self.connection.receive():
            self.known, _ = hear(self.known, message)
        if self.known.is_mine and self.known.turn != self._acted:
            self._acted = self.known.turn
            self.actions += 1
            seen = view(self.known)
            assert seen is not None, "it is asked in a game that it does not see"
            chance = SealedChance(f"{self._rng.getrandbits(64):x}")
            self.connection.send(choose(seen, "normal", chance))


def play_games(
    host: str, port: int, clients: int, games: int, rng: Random, tell: Callable[[GameResult], None], name: str = "Bot"
) -> None:
    """Play games, each by fresh clients: "Bot 1", "Bot 2". Raise `ServerGone`, `Confused`, `Disagreement`."""
    for number in range(1, games + 1):
        began = time.monotonic()
        bots: list[Bot] = []
        try:
            for at in range(clients):
                bots.append(Bot(host, port, f"{name} {at + 1}", rng))
                _wait_for_id(bots[-1])
            _play(bots)
            tell(_result(number, bots, time.monotonic() - began))
        finally:
            for bot in bots:
                bot.connection.close()


def _wait_for_id(bot: Bot) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(bot.connection, selectors.EVENT_READ)
        while bot.known.expects == "answer":
            if not selector.select(PATIENCE):
                raise ServerGone("the server does not answer the handshake")
            bot.look()


def _play(bots: Sequence[Bot]) -> None:
    """Serve all until the server has closed every connection, as it does at the end of a game."""
    with selectors.DefaultSelector() as selector:
        for one in bots:
            selector.register(one.connection, selectors.EVENT_READ, one)
        while selector.get_map():
            ready = selector.select(_patience_of([key.data for key in selector.get_map().values()]))
            if not ready:
                raise ServerGone("the server says nothing any more")
            for key, _ in ready:
                bot: Bot = key.data
                try:
                    bot.look()
                except ServerGone:
                    if bot.known.expects != "closed" or bot.known.is_out:
                        raise
                    selector.unregister(bot.connection)


def _patience_of(bots: Sequence[Bot]) -> float | None:
    limits = [patience(bot.known) for bot in bots]
    return None if None in limits else max(filter(None, limits), default=PATIENCE)


def _result(number: int, bots: Sequence[Bot], seconds: float) -> GameResult:
    told = {bot.known.totals for bot in bots}
    if len(told) != 1:
        raise Disagreement(f"game {number}: the clients were told {sorted(told)}")
    one = bots[0].known
    actions = sum(bot.actions for bot in bots)
    return GameResult(number, one.round, one.totals, actions, round(seconds, 3))
