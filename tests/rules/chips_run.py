"""Hands of poker for chips, played by random moves at a table without processes; and what a bank would keep of them."""

from collections.abc import Mapping
from random import Random

from msgspec.structs import replace

from tests.engine.words import draw_word, start
from yawc_poker.engine import table as tables
from yawc_poker.engine.house import is_house
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.transcript import Transcript
from yawc_poker.engine.values import Change, Clocks, Seat, Table
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import (
    Bet,
    Event,
    Fold,
    MayBet,
    MayFold,
    MayShow,
    MaySwap,
    Move,
    Options,
    Show,
    State,
    Swap,
)

PURSE = 7
"""CUBES of everybody who sits there, which mean nothing."""


class Hand:
    """A hand among these users by seat, by these options, whose stacks are in any order."""

    def __init__(self, users: Mapping[int, int], options: Options, rng: Random) -> None:
        self.rng, self.clocks, self.now = rng, Clocks(), 1000.0
        self.cash = dict.fromkeys(users, PURSE)
        self.opened: Transcript | None = None
        table: Table[State, Event] = tables.empty(POKER)
        for seat, user in users.items():
            program = "normal 1" if is_house(user) else ""
            who = Seat(user, user, f"P{user}", PURSE, program=program)
            table = replace(table, seats=(*table.seats[:seat], who, *table.seats[seat + 1 :]))
        leader = min(seat for seat, user in users.items() if not is_house(user))
        table = replace(prepared(table, POKER, rng), master=leader, deadline=self.now + 60)
        for user in users.values():
            table = draw_word(table, user, rng)
        self.table = table
        self._take(start(table, POKER, users[leader], self.cash, rng, self.now, options, self.clocks))
        self.opened = self.table.transcript

    @property
    def state(self) -> State:
        assert self.table.game is not None
        return self.table.game

    @property
    def is_over(self) -> bool:
        return rules.is_over(self.state)

    def step(self) -> None:
        """Make a move, or let the time pass, or somebody go, or come."""
        chance, seat = self.rng.random(), rules.to_move(self.state)
        assert seat is not None
        if chance < 0.04:
            assert self.table.deadline is not None
            self.now = self.table.deadline
            change = tables.expire(self.table, POKER, self.now, self.rng, self.cash, self.clocks)
            assert change is not None
            self._take(change)
        elif chance < 0.07:
            going = self.rng.choice([who.session for who in self.table.seats if who is not None])
            cash = dict.fromkeys(self.cash, self.rng.randint(0, 99))
            self._take(tables.leave(self.table, POKER, going, self.now, self.clocks, cash=cash))
        elif chance < 0.1 and None in self.table.seats:
            newcomer = self.rng.randint(1000, 10**6)
            person = Seat(newcomer, newcomer, f"P{newcomer}", 3)
            self._take(Change(tables.sit(self.table, POKER, person, self.now, self.clocks)))
        else:
            who = self.table.seats[seat]
            assert who is not None
            move = legal(self.state, seat, self.rng)
            self._take(tables.play(self.table, POKER, who.session, move, self.cash, self.rng, self.now, self.clocks))

    def play(self) -> "Hand":
        while not self.is_over:
            self.step()
        return self

    def _take(self, change: Change[State, Event]) -> None:
        assert not change.payments, "no CUBES move"
        self.table = change.table
        assert self.table.pot == 0


def legal(state: State, seat: int, rng: Random) -> Move:
    """Return a move; who is rich or bold raises."""
    match rng.choice(rules.legal_moves(state, seat)):
        case MayBet(low, high, see):
            return Bet(rng.choice((low, low, rng.randint(low, high), high)), see and rng.random() < 0.4)
        case MayFold():
            return Fold()
        case MaySwap(most):
            return Swap(tuple(rng.sample(range(5), rng.randint(0, most))))
        case MayShow():
            return Show()
