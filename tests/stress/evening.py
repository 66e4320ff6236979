"""The stress test of a tournament: `python -m tests.stress --tournament maumau --callers 40`.

Callers enter a tournament, go wherever they are called, by each way that there is, and play it to its end, while the
faults of one BBS happen to them; the program is replaced by another one once. In the end all books must be sound, and
places and prizes those of an oracle, which reckons them from the games as they are told again from their actions.
"""

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, Protocol

from tests.rules.test_tournament_chips import oracle as chips_oracle
from tests.rules.test_tournament_standings import oracle
from tests.stress.callers import PROMPT, SEATED, Talk, Wish, World
from tests.stress.doors import Calling
from tests.stress.errands import ASLEEP, CASINO, LEAVING, WAITING
from tests.stress.faults import rates
from tests.stress.figures import say
from tests.stress.hosts import (
    DOPPELKOPF_HOST,
    MAUMAU_HOST,
    OFFIZIERSSKAT_HOST,
    OFFIZIERSSKAT_TABLES,
    POKER_HOST,
    Room,
    offiziersskat_keys,
    poker_keys,
)
from tests.stress.rooms import (
    DOPPELKOPF_TABLES,
    Habits,
    RoomCaller,
    RoomTables,
    doppelkopf_keys,
    maumau_keys,
)
from tests.stress.run import ARRIVAL, Asked, Run, configured
from tests.stress.tables import Tables
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import Asked as AskedGames
from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.instance.databases import Databases
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT
from yawc_poker.engine.house import is_house
from yawc_poker.engine.replay import replay
from yawc_poker.engine.reserving import is_idle
from yawc_poker.engine.values import Seat, Table
from yawc_poker.extras.tournaments import chips, rows
from yawc_poker.extras.tournaments.matches import match_of
from yawc_poker.extras.tournaments.standings import PLACES, WIN, Played
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import BetMade, HandDealt
from yawc_poker.registry.games import MAUMAU_TABLES, POKER_TABLES, game_of

MANY: Final = 20
"""From so many callers on there are four rounds, otherwise two."""
FEE: Final = 100
WAIT: Final = 20.0
"""Seconds that a table waits for those who do not come."""
NUMBER: Final = 1
"""The tournament's."""
PLAYED: Final = 0.5
"""Share of all matches that must have been played to their end, in spite of all."""
PRIVATE: Final = 0.1
"""Chance that somebody starts a game of their own, each time that they may."""
SLACK: Final = 15.0  # as many house players as callers may come at one moment, in place of those who do not
STANDSTILL: Final = 90.0
"""Seconds without faults in which a match must come to its end."""
CALLED: Final = "J takes you there"
CALLED_SEATED: Final = "/accept takes you"
LIST: Final = "Tournaments>"
ONE: Final = "Tournament>"
WAY: Final = "[T] "
ENTERED: Final = "you take part"
ONCE: Final = 1e-9
"""A rate of which `faults.row` makes one fault."""
LENGTHS: Final[Mapping[str, int]] = {"poker": 1, "maumau": 1, "doppelkopf": 1, "offiziersskat": 1}
"""Of a match; at poker hands until the ante doubles."""


class Matches(Room, Protocol):
    """The tables where the matches are played."""

    def place_of(self, name: str) -> int | None:
        """Return the table, among those of the game, where somebody sits."""

    def is_done(self, table: int) -> bool:
        """Return whether nobody is waited for there: no game runs, and none is to be played."""

    def reserved(self) -> list[str]:
        """Return by what tables are reserved."""


class MatchTables(RoomTables[StateT, MoveT, EventT, OptionsT]):
    """The tables of the tournament's game."""

    def place_of(self, name: str) -> int | None:
        for table, watched in enumerate(self.watched):
            if watched.value is not None and any(who is not None and who.name == name for who in watched.value.seats):
                return table
        return None

    def is_done(self, table: int) -> bool:
        value = self.watched[table].value
        return value is None or (is_idle(value) and (value.reserved is None or not value.reserved.left))

    def reserved(self) -> list[str]:
        values = [watched.value for watched in self.watched]
        return [value.reserved.mark for value in values if value is not None and value.reserved is not None]

    def _keys(self, value: Table[StateT, EventT], who: Seat) -> str:
        """Return them; between matches some play a game by themselves, and matches wait for its end."""
        return "\r" if value.game is None and self._rng.random() > PRIVATE else super()._keys(value, who)

    def _wanted(self, value: Table[StateT, EventT]) -> list[Seat]:
        """Return them while a game runs; between games everybody may have to wait for somebody who is not here."""
        return [] if value.game is None else super()._wanted(value)


class QuietTables(Tables):
    """The tables of poker, which `MatchTables` looks at if it looks at any."""

    def watch(self) -> None:
        pass


class Entrant(RoomCaller):
    """Somebody who takes part."""

    def __init__(self, number: int, world: World, rng: Random, habits: Habits, matches: Matches) -> None:
        super().__init__(number, world, rng, habits)
        self.name = f"Entrant {number}"
        self.has_entered = False
        self._matches = matches

    def _visit(self) -> Talk:
        yield from self._call()
        if (yield from self._log_in()) == SEATED:
            self._world.figures.did["came back to the seat"] += 1
            yield from self._play(0)
        while True:
            if not self.has_entered:
                yield from self._enter()
            found = yield Wish((CALLED,), self._rng.uniform(1.0, 5.0))
            if found and self._rng.random() < 0.7:
                yield from self._follow("j", "by J")
            elif not self.is_quiet:
                yield from self._go_there()

    def _enter(self) -> Talk:
        """Sign up, unless the line broke behind that."""
        yield from self._ask("s", CASINO)
        if (yield from self._ask("e", ENTERED, LIST)) != ENTERED:
            yield from self._ask(str(NUMBER), ONE)
            yield from self._ask("s", "(y/n)")  # a notice shows the prompt again, which is no answer
            yield from self._ask("y", "You take part.")
            yield from self._ask("q", LIST)
        self.has_entered = True
        yield from self._settle()

    def _go_there(self) -> Talk:
        """Look whether there is a match to go to, and go."""
        yield from self._ask("s", CASINO)
        if (yield from self._ask("e", WAY, LIST)) == WAY:
            yield from self._follow("t", "by E and T")
        else:
            yield from self._settle()

    def _follow(self, key: str, how: str) -> Talk:
        found = yield from self._ask(key, SEATED, WAITING, PROMPT, CASINO, LIST)
        if found == WAITING:  # a house player makes room once no game runs
            found = yield Wish((SEATED,), self._world.nap + self._world.answer)
            if not found:
                self.send(" ")
        elif found != SEATED:
            yield Wish((), 0.1)
        if found == SEATED or self._is_seated:  # a notice may have shown the prompt again before the key was read
            self._world.figures.did[f"went to the table {how}"] += 1
            yield from self._play(0)
        else:
            self._world.figures.did[f"found no seat {how}"] += 1
            yield from self._settle()

    def _play(self, here: int) -> Talk:
        self.has_arrived = True
        try:
            while True:
                self.table = self._matches.place_of(self.name)
                self.is_asleep = self._rng.random() < 0.02 and not self.is_quiet
                rest = 0.1 if self.table is None else self._rest()
                found = yield Wish((ASLEEP, CALLED_SEATED, CASINO, LIST), rest)
                if self.is_quiet:
                    continue
                if found in {CASINO, LIST}:  # shown out, or removed
                    yield Wish((), 0.1)
                    if self._is_seated:  # a notice had shown it again on the way here
                        self._do_something()
                        continue
                    self.table = None
                    yield from self._settle()
                    return
                if found == ASLEEP:
                    self.send(" ")
                elif found == CALLED_SEATED:
                    self.table = None
                    self.send("./accept\r")
                    if (yield Wish((SEATED, CASINO, LIST), 2.0)) == SEATED:
                        self._world.figures.did["went to the table by /accept"] += 1
                elif self.table is not None and self._matches.is_done(self.table) and self._rng.random() < 0.2:
                    yield from self._leave()
                    if not self._is_seated:
                        return
                elif self._rng.random() < 0.3:
                    self._do_something()
        finally:
            self.table, self.is_asleep = None, False

    def _leave(self) -> Talk:
        """Leave by X; the tournaments' menu may be behind the table."""
        self.table = None
        found = yield from self._ask("x", CASINO, LIST, LEAVING, SEATED)
        if found == LEAVING:  # a game begins just now
            yield from self._ask("n", SEATED, CASINO, LIST)
        elif found != SEATED:
            self._world.figures.did["left by X"] += 1
            yield from self._settle()

    @property
    def _is_seated(self) -> bool:
        return self._matches.place_of(self.name) is not None


class Stage(NamedTuple):
    """How far a tournament is."""

    state: str
    round: int
    left: list[tuple[int, int | None]]
    """Board and table of each match that is not over."""

    def __str__(self) -> str:
        return f"{self.state}, round {self.round}, matches {len(self.left)}"


class Evening(Run):
    """A tournament, from the creation of the BBS to its end."""

    def __init__(self, folder: Path, asked: Asked, kind: str) -> None:
        self.kind, self.rounds = kind, 4 if asked.callers >= MANY else 2
        self._looker = ThreadPoolExecutor(1)
        super().__init__(folder, asked)

    # --- who plays what -----------------------------------------------------------------------------------------------

    def _seats(self) -> int:
        return match_of(self.kind).seats or game_of(self.kind).seats

    def _configured(self, callers: int) -> str:
        tables = -(-callers // self._seats())
        many = {kind: tables if kind == self.kind else 1 for kind in LENGTHS}
        told = configured(
            self.pace,
            callers,
            sessions=callers + 200,
            poker=many["poker"],
            maumau=many["maumau"],
            doppelkopf=many["doppelkopf"],
            offiziersskat=many["offiziersskat"],
        )
        return told + f"[tournaments]\nwait_seconds = {WAIT}\n"

    def _look_at_tables(self) -> Tables:
        return QuietTables(self.listener, self.loop, self.figures, Random(self.seed + 1), self.pace, SLACK)

    def _gather(self, callers: int, doors: Calling) -> None:
        names = [f"Entrant {number}" for number in range(callers)]
        known = self.loop, self.figures, doors, 0, self.pace.pace, 2 * self.pace.longest, names
        world = World(*known, lambda table: False, lambda caller: None)
        self.matches, habits = self._match_tables()
        self.rooms = [self.matches]
        rng = Random(self.seed + 2)
        self.entrants = [
            Entrant(number, world, Random(rng.random()), habits, self.matches) for number in range(callers)
        ]
        self.room_callers = [*self.entrants]
        self.matches.callers = {one.name: one for one in self.entrants}

    def _match_tables(self) -> tuple[Matches, Habits]:
        known = self.tables, self.loop, self.figures, Random(self.seed + 3), self.pace
        match self.kind:
            case "poker":
                habits = POKER_HOST._replace(name="poker", aside="")
                return MatchTables(POKER_TABLES, poker_keys, habits, *known), habits
            case "maumau":
                habits = MAUMAU_HOST._replace(name="Mau-Mau")
                return MatchTables(MAUMAU_TABLES, maumau_keys, habits, *known), habits
            case "doppelkopf":
                habits = DOPPELKOPF_HOST._replace(name="Doppelkopf")
                return MatchTables(DOPPELKOPF_TABLES, doppelkopf_keys, habits, *known), habits
            case "offiziersskat":
                short = ("./option points 1\rs",)  # matches wait for the end of a game that was begun before
                habits = OFFIZIERSSKAT_HOST._replace(name="Offiziersskat", starts=short)
                return MatchTables(OFFIZIERSSKAT_TABLES, offiziersskat_keys, habits, *known), habits
            case other:
                raise ValueError(f"nobody here plays {other}")

    def _rates(self, callers: int) -> Mapping[str, float]:
        usual = {kind: rate for kind, rate in rates(callers).items() if not kind.startswith("wire")}
        return usual | {kind: ONCE for kind in ("listener kill", "listener stop", "upgrade", "disk") if kind in usual}

    # --- the evening --------------------------------------------------------------------------------------------------

    def _yawcctl(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "yawc_poker.sysop", "--data", str(self.listener.data), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def _let_in(self) -> None:
        """Call the tournament, have everybody enter it, and let it begin."""
        terms = f"--rounds {self.rounds} --length {LENGTHS[self.kind]} --entry {FEE}"
        self._yawcctl("tournament", "new", self.kind, *terms.split())
        for at, one in enumerate(self.entrants):
            self.loop.after(0.1 * at, one.start)
        until = time.monotonic() + ARRIVAL
        self.loop.run(lambda: time.monotonic() > until or all(one.has_entered for one in self.entrants))
        self._yawcctl("tournament", "begin", str(NUMBER))
        here = sum(one.has_entered for one in self.entrants)
        say(f"{time.monotonic() - self.began:5.0f} s; {here} have entered; {self.seconds:g} s of faults begin")

    def _play(self) -> None:
        self._moved = time.monotonic()
        until = self._moved + self.seconds
        self.loop.run(lambda: time.monotonic() > until or self._is_over())

    def _calm_down(self) -> None:
        """Let it be played to its end."""
        self.loop.run(lambda: self._is_over() or time.monotonic() > self._moved + STANDSTILL)
        super()._calm_down()

    _looked = 0.0
    _look: Future[Stage | None] | None = None
    """One that is under way."""
    _moved = 0.0
    """When a match came to its end, or a table was found for one."""
    _stage: Stage | None = None

    def _is_over(self) -> bool:
        """Return whether the tournament is over, by the newest look into its books.

        Another thread looks, once a second: it may have to wait for a session that is stopped in the middle of a
        transaction, and it is this thread that lets that session go on.
        """
        now = time.monotonic()
        if self._look is None and now >= self._looked + 1.0:
            self._look = self._looker.submit(self._look_up)
        elif self._look is not None and self._look.done():
            found, self._look, self._looked = self._look.result(), None, now
            if found is not None and found != self._stage:
                self._stage, self._moved = found, now
        return self._stage is not None and self._stage.state == "over"

    def _look_up(self) -> Stage | None:
        """Return how far the tournament is by its books, or None if they cannot be read just now."""
        try:
            with closing(self._databases().bank_to_look_at()) as bank, bank.store.reading() as books:
                one = rows.find(books, NUMBER)
                return Stage(one.state, one.round, [(bout.board, bout.place) for bout in rows.bouts(books, one)])
        except StoreError:
            return None

    def _progressed(self) -> str:
        at_tables = sum(one.table is not None for one in self.entrants)
        stage = "" if self._stage is None else str(self._stage)
        return f"at tables {at_tables}, games ended {self.matches.games}, {stage}"

    # --- what is left -------------------------------------------------------------------------------------------------

    def _judge(self, databases: Databases, repeated: int) -> list[str]:
        self.figures.games += self.matches.games
        found = [f"a table is still reserved by {mark}" for mark in self.matches.reserved()]
        bank = databases.bank_to_look_at()
        try:
            with bank.store.reading() as books:
                one = rows.find(books, NUMBER)
                there, played = rows.entrants(books, NUMBER), rows.played(books, NUMBER)
                kept = {each.user: each.rank for each in rows.table_of(books, NUMBER)}
                paid = rows.paid(books, NUMBER)
                done = books.execute("SELECT round, board, place, since FROM bout WHERE is_played = 1").fetchall()
                (matches,) = books.execute("SELECT count(*) FROM bout").fetchone()
            games = games_played(bank, self.kind)
        finally:
            bank.close()
        if one.state != "over":
            found.append(f"the tournament is {one.state}, in round {one.round}: {self._stage!r}")
        is_for_chips = match_of(one.kind).chips
        if len(there) != len(self.entrants) or (not is_for_chips and len(played) != self.rounds * len(there)):
            found.append(f"{len(there)} have entered, and there are {len(played)} results")
        wanted = (chips_by_games if is_for_chips else points_by_games)(played, done, games)
        if is_for_chips:
            held = [sum(each.points for each in played if each.round == number) for number in range(1, one.round + 1)]
            if set(held) != {chips.START * len(there)}:
                found.append(f"the chips of all are {held}, hand by hand")
        found += [
            f"round {each.round}, table {each.board}: user {each.user} has {each.points} points, by its games"
            f" {wanted[each.round, each.user]}"
            for each in played
            if wanted.get((each.round, each.user), each.points) != each.points
        ]
        ranks = (chips_oracle if is_for_chips else oracle)(there, played)
        if kept != ranks:
            found.append(f"the places are {kept}, the oracle's {ranks}")
        found += wrong_prizes(ranks, paid)
        if len(done) < PLAYED * matches:
            found.append(f"only {len(done)} of {matches} matches were played to their end")
        say(f"{'tournament':20}{one.state}, {len(done)} of {matches} matches played to their end, paid {paid}")
        return found


def games_played(bank: Bank, kind: str) -> list[PastGame]:
    """Return all games of a kind that were not broken off, the first one first."""
    numbers = [
        each.number for each in bank.games(AskedGames(limit=10**6)) if each.kind == kind and each.outcome != "refunded"
    ]
    found = [bank.game(number) for number in sorted(numbers)]
    return [game for game in found if game is not None]


def chips_by_games(
    played: Sequence[Played], done: Sequence[Sequence[int]], games: Sequence[PastGame]
) -> dict[tuple[int, int], int]:
    """Return the chips of everybody after each hand that was played, as the bets in its actions say.

    Everybody has what they had, less ante and bets; the pot goes to who has won.
    """
    found: dict[tuple[int, int], int] = {}
    for number, board, place, since in done:
        users = {each.user for each in played if (each.round, each.board) == (number, board)}
        for game in games:
            options = json.loads(bytes(game.lines[0].detail))["options"]
            stacks = dict(options.get("stacks", ()))
            if _is_theirs(game, place, since, users) and users <= stacks.keys():
                break
        else:
            continue
        seats = [user for user, _ in options["stacks"]]
        told = list(replay(rules, game.dealing(), game.actions))
        paid = dict.fromkeys(users, 0)
        for _, step in told:
            for event in step.events:
                if isinstance(event, BetMade):
                    paid[seats[event.seat]] += event.amount
        pot = told[-1][1].state.pot
        won = seats[told[-1][1].state.winner or 0]
        ante = next(event.ante for event in told[0][1].events if isinstance(event, HandDealt))
        for user in users:
            left = stacks[user] - min(ante, stacks[user]) - paid[user]
            found[number, user] = left + (pot if user == won else 0)
    return found


def points_by_games(
    played: Sequence[Played], done: Sequence[Sequence[int]], games: Sequence[PastGame]
) -> dict[tuple[int, int], int]:
    """Return the points of everybody in each round of whom a match was played to its end.

    They follow from what the games' actions say when they are played again: two at a table are compared at a time.
    """
    found: dict[tuple[int, int], int] = {}
    for number, board, place, since in done:
        users = {each.user for each in played if (each.round, each.board) == (number, board)}
        score = _scores(next(game for game in games if _is_theirs(game, place, since, users)))
        for user in users:
            if user not in score:
                found[number, user] = 0
                continue
            others = [each for each in score if each != user]
            halves = sum((score[user] > score[each]) + (score[user] >= score[each]) for each in others)
            found[number, user] = WIN * halves // (2 * len(others))
    return found


def _is_theirs(game: PastGame, place: int, since: int, users: set[int]) -> bool:
    there = {player.user for player in game.game.players}
    return (
        game.game.table == place
        and game.game.number > since
        and bool(there & users)
        and all(user in users or is_house(user) for user in there)
    )


def _scores(first: PastGame) -> dict[int, tuple[bool, int]]:
    """Return what everybody made of a match: whether they won, and how near they came to who did; more is better."""
    users = {player.seat: player.user for player in first.game.players}
    there = {users[each.seat]: each for each in game_of(first.game.kind).results(first).standings if each.seat in users}
    best = next((each.total for each in there.values() if each.won), max(each.total for each in there.values()))
    return {user: (each.won, -abs(each.total - best)) for user, each in there.items()}


def wrong_prizes(ranks: Mapping[int, int], paid: Mapping[int, int]) -> list[str]:
    """Return what is wrong with prizes: everybody has their share of all fees, rounded up or down, and all is paid."""
    pot = FEE * len(ranks)
    weights = next(weights for least, weights in PLACES if len(ranks) >= least)
    level = defaultdict[int, list[int]](list)
    for user, rank in ranks.items():
        level[rank].append(user)
    found = [] if sum(paid.values()) == pot else [f"{sum(paid.values())} CUBES were paid of {pot}"]
    for rank, users in level.items():
        due = Fraction(pot * sum(weights[rank - 1 : rank - 1 + len(users)]), sum(weights) * len(users))
        found += [
            f"user {user} in place {rank} has {paid.get(user, 0)} CUBES, not {float(due):.1f}"
            for user in users
            if abs(paid.get(user, 0) - due) >= 1
        ]
    return found
