"""A night of scripts against house players: `make night`, or `python -m tests.stress --night`.

Some scripts play poker, tight and aggressive, some name solos at Doppelkopf for CUBES, and some only ask house players
to come and to go. Nobody disturbs them, all clocks are short, and house players move at once, so that a few minutes
have as many games as a night. In the end nobody, and all of them together, who call from one network, may have won more
from house players than a share of a day; no house player that played no game may have borrowed; and all books must be
sound.
"""

from collections import defaultdict
from collections.abc import Mapping
from random import Random
from typing import Final, assert_never

from benchmarks.players.doppelkopf import free
from benchmarks.players.poker import baseline, tight_aggressive
from tests.stress.callers import World
from tests.stress.doors import Calling
from tests.stress.evening import QuietTables
from tests.stress.figures import say
from tests.stress.hosts import DOPPELKOPF_HOST, POKER_HOST, HostCaller
from tests.stress.rooms import DOPPELKOPF_TABLES, RoomTables
from tests.stress.run import LONG, Run, configured
from tests.stress.tables import Tables
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import DAY
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.house import SealedChance
from yawc_poker.engine.values import Seat, Table
from yawc_poker.games.doppelkopf import model as doppelkopf
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.doppelkopf.ui import scene as keys
from yawc_poker.games.poker import model as poker
from yawc_poker.games.poker.game import POKER
from yawc_poker.registry.games import POKER_TABLES

SHARE: Final = 50
"""CUBES that an account and a network can win on a day: a quarter of the usual, so that it is used up soon."""
HOUSE: Final = f"[house]\nplayers = 100\ndaily_share = {SHARE}\n"
TIGHT: Final = POKER_HOST._replace(name="Tight")
SOLO: Final = DOPPELKOPF_HOST._replace(name="Solo", starts=("./option cubes 5\rs",), aside="")
CHANGING: Final = POKER_HOST._replace(name="Changing")
WON: Final = f"""
    SELECT account.ref, CAST(game.opened / {DAY} AS INTEGER), sum(amount)
    FROM entry JOIN txn ON txn.id = entry.txn JOIN account ON account.id = entry.account JOIN game ON game.id = txn.game
    WHERE account.kind = 'user' AND account.ref > 0 GROUP BY 1, 2
"""
"""What each user won in games, by day: all others in them were house players."""
LENT: Final = """
    SELECT account.ref FROM entry JOIN txn ON txn.id = entry.txn JOIN account ON account.id = entry.account
    WHERE account.kind = 'house' AND account.ref > 0 GROUP BY 1 HAVING count(txn.game) = 0
"""
"""House players who had CUBES and played no game."""
CHANCE: Final = SealedChance("night")
"""What the scripts choose by, of which nothing is proven."""


class Script(HostCaller):
    """A script at a table of its own, where it stays."""

    def _has_enough(self) -> bool:
        return False

    def _do_something(self) -> None:
        self._world.figures.did["house players asked"] += 1
        self.send(self._rng.choice("+-") if self._habits is CHANGING else "+")

    def _rest(self) -> float:
        return self._rng.expovariate(1 / ((1 if self._habits is CHANGING else 60) * self._world.pace))


class ScriptTables(RoomTables[StateT, MoveT, EventT, OptionsT]):
    """The tables of a game, at each of which a script plays."""

    lazy = 0.0

    def _wanted(self, value: Table[StateT, EventT]) -> list[Seat]:
        """Return them while a game runs: not all scripts start one."""
        return [] if value.game is None else super()._wanted(value)


class Night(Run):
    """The night, from the creation of the BBS to its end."""

    def _configured(self, callers: int) -> str:
        told = configured(self.pace, callers, callers + 200, poker=callers + 1, maumau=1, doppelkopf=callers + 1)
        return told.replace("[house]\npace = [0.05, 0.5]\n", HOUSE + "pace = [0.0, 0.0]\n")

    def _look_at_tables(self) -> Tables:
        return QuietTables(self.listener, self.loop, self.figures, Random(self.seed + 1), self.pace, self.asked.slack)

    def _gather(self, callers: int, doors: Calling) -> None:
        """Make the scripts: half of them play poker, a third Doppelkopf, and the others only change their company."""
        names: list[str] = []
        known = self.loop, self.figures, doors, 0, self.pace.pace, 2 * self.pace.longest, names
        world, rng = World(*known, lambda table: False, lambda caller: None), Random(self.seed + 2)
        places: dict[str, int] = defaultdict(int)
        scripts: list[Script] = []
        for number in range(callers):
            habits = (TIGHT, SOLO, TIGHT, SOLO, TIGHT, CHANGING)[number % 6]
            places[habits.key] += 1
            there = world._replace(tables=1 + places[habits.key])  # nobody comes to the first table
            scripts.append(Script(number, there, Random(rng.random()), habits))
        self.room_callers = [*scripts]
        names += [one.name for one in scripts]
        others = self.tables, self.loop, self.figures, rng, self.pace
        tight = ScriptTables(POKER_TABLES, poker_keys, TIGHT, *others)
        tight.callers = {one.name: one for one in scripts if one.name.startswith(TIGHT.name)}
        solo = ScriptTables(DOPPELKOPF_TABLES, doppelkopf_keys, SOLO, *others)
        solo.callers = {one.name: one for one in scripts if one.name.startswith(SOLO.name)}
        self.rooms = [tight, solo]

    def _rates(self, callers: int) -> Mapping[str, float]:
        return {}

    def _progressed(self) -> str:
        return f"games {', '.join(f'{room.games}' for room in self.rooms)}"

    def _judge(self, databases: Databases, repeated: int) -> list[str]:
        bank = databases.bank_to_look_at()
        try:
            return self._judge_books(bank)
        finally:
            bank.close()

    def _judge_books(self, bank: Bank) -> list[str]:
        """Print what was won; return who won more than a share, and to whom was lent for nothing."""
        with bank.store.reading() as books:
            rows = books.execute(WON).fetchall()
            lent = [int(user) for (user,) in books.execute(LENT)]
        together: dict[int, int] = defaultdict(int)
        for _, day, cubes in rows:
            together[int(day)] += int(cubes)
        won = [(f"user {user}", int(cubes)) for user, _, cubes in rows]
        won += [("a network", cubes) for cubes in together.values()]
        found = [f"{who} won {cubes} CUBES from house players on a day" for who, cubes in won if cubes > SHARE]
        found += [f"house player {user} borrowed and played no game" for user in lent]
        games = sum(room.games for room in self.rooms)
        most = max((cubes for _, cubes in won), default=0)
        say(f"{'the night':20}games {games}, on a day won at most {most} of {SHARE}, together {[*together.values()]}")
        if self.seconds >= LONG and games < len(self.room_callers):
            found.append(f"{games} games are no night")
        return found


def poker_keys(value: Table[poker.State, poker.Event], session: int, now: float) -> tuple[str, ...]:
    """Return what a script types at poker, where it is asked for something."""
    view = POKER.face.scene(value, session, 0, now).playing
    if view is None:
        return ("S",)
    match baseline(tight_aggressive, view, CHANCE):
        case poker.Bet(amount, see):
            return (f"{'h' if see else 'b'}{amount}\r",)
        case poker.Fold():
            return ("py",)
        case poker.Swap(places):
            return ("".join(f"{at + 1}" for at in places) + "d",)
        case poker.Show():
            return ("r",)
        case _ as never:
            assert_never(never)


def doppelkopf_keys(value: Table[doppelkopf.State, Event], session: int, now: float) -> tuple[str, ...]:
    """Return what a script types at Doppelkopf, where it is asked for something."""
    view = DOPPELKOPF.face.scene(value, session, 0, now).playing
    if view is None:
        return ("S",)
    match free(view, CHANCE, "easy"):
        case doppelkopf.Healthy():
            return (keys.HEALTHY_KEY,)
        case doppelkopf.Reserve():
            return (2 * keys.RESERVE_KEY,)  # without a wedding a question comes before
        case doppelkopf.PlaySolo(kind):
            return (keys.SOLO_KEYS[doppelkopf.SOLOS.index(kind)],)
        case doppelkopf.NoSolo():
            return (keys.WEDDING_KEY,)
        case doppelkopf.PlayCard(card):
            return (keys.CARD_KEYS[(view.hand or ()).index(card)],)
        case doppelkopf.Call(level):
            return (keys.CALL_KEYS[doppelkopf.LEVELS.index(level)],)
        case doppelkopf.GoOn():
            return ("y",)
        case _ as never:
            assert_never(never)
