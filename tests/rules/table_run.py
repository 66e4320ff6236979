"""A casino in memory for tests: a table, a bank of plain numbers, and a clock that the test moves.

Every operation goes through `engine.table` as a session's would: payments are booked, a game that is over is paid out
and finished, and all properties of spec/poker.md 19 are checked after each. A game's actions are recorded as
`casino.tables.game_table` has the bank record them, and a game that ends is replayed from that record.
"""

from collections.abc import Iterator
from random import Random

import msgspec
from msgspec.structs import replace

from tests.engine.stacked import stacked
from tests.engine.words import draw_word, start
from yawc_poker.cards import Card, Rank, deck
from yawc_poker.engine import absence, sealing, transcript, values
from yawc_poker.engine import table as tables
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.events import NewMaster, Notice
from yawc_poker.engine.game import Chance, Payment
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.replay import replay
from yawc_poker.engine.table import split
from yawc_poker.engine.transcript import Action, Transcript
from yawc_poker.engine.values import Change, Clocks, LogEntry, Seat, Table, seat_of
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Event, Move, Options, State, View

CODEC: Codec[State, Event] = Codec(Table[State, Event])
CELL = 26_000
"""Bytes into which every table must fit."""
DECK = frozenset(deck(Rank))


class TableRun:
    """A table with people and their money; people are called by name."""

    def __init__(self, rng: Chance | None = None, clocks: Clocks | None = None, first: str = "") -> None:
        """`first` are cards to be dealt first."""
        self.rng: Chance = rng or Random(11)
        self.rules = stacked(POKER, first) if first else POKER
        self.clocks = clocks or Clocks()
        self.options = Options()
        self.now = 1000.0
        self.table: Table[State, Event] = tables.empty(POKER)
        self.cash: dict[str, int] = {}
        self.system = 0
        self.pot = 0
        self.outside = 0
        self.entries: list[LogEntry[Event]] = []
        self._sessions = 0
        self._bets: tuple[int, int] = (0, 0)
        self.actions: list[Action] = []
        """The actions of the running or else the last game that a bank would have."""
        self.replayed = 0
        """The number of replayed games."""
        self._meddled = False

    # looking

    @property
    def game(self) -> State:
        """The game that runs, or else the last one."""
        game = self.table.game or self.table.last
        assert game is not None
        return game

    @property
    def running(self) -> bool:
        return self.table.game is not None

    @property
    def left(self) -> float:
        """Seconds until the clock ends."""
        assert self.table.deadline is not None
        return self.table.deadline - self.now

    def name(self, seat: int | None) -> str | None:
        who = None if seat is None else self.table.seats[seat]
        return None if who is None else who.name

    @property
    def master(self) -> str | None:
        return self.name(self.table.master)

    @property
    def current(self) -> str | None:
        return self.name(self.game.current)

    @property
    def active(self) -> str:
        """Names of the active players, one letter each in the usual tests."""
        return "".join(str(self.name(seat)) for seat, player in enumerate(self.game.players) if player)

    @property
    def events(self) -> list[Event | Notice]:
        return [entry.event for entry in self.entries]

    def seat(self, name: str) -> int:
        seat = seat_of(self.table, self.session(name))
        assert seat is not None, name
        return seat

    def hand(self, name: str) -> tuple[Card, ...]:
        player = self.game.players[self.seat(name)]
        assert player is not None, name
        return player.hand

    def view(self, name: str | None) -> View:
        return rules.view(self.game, None if name is None else self.seat(name))

    def money(self) -> dict[int, int]:
        return {seat: self.cash[who.name] for seat, who in enumerate(self.table.seats) if who is not None}

    def people(self) -> list[str]:
        return [who.name for who in self.table.seats if who is not None]

    # doing

    def sit(self, name: str, cash: int = 100) -> None:
        if name not in self.cash:
            self.cash[name] = cash
            self.outside += cash
        self._sessions += 1
        user = list(self.cash).index(name) + 1
        self._keep(transcript.due(self.table.transcript))
        person = Seat(self._sessions, user, name, self.cash[name])
        self._commit(tables.sit(self.table, POKER, person, self.now, self.clocks))
        self._commit(draw_word(self.table, person.session, self.rng))

    def leave(self, name: str, removed: bool = False) -> None:
        session = self.session(name)
        self._change(tables.leave(self.table, POKER, session, self.now, self.clocks, removed, self.money()))

    def start(self, name: str) -> None:
        self._change(
            start(
                self.table, self.rules, self.session(name), self.money(), self.rng, self.now, self.options, self.clocks
            )
        )

    def do(self, name: str, move: Move) -> None:
        self._change(
            tables.play(self.table, POKER, self.session(name), move, self.money(), self.rng, self.now, self.clocks)
        )

    def chat(self, name: str, text: str) -> None:
        self._commit(tables.chat(self.table, self.session(name), text))

    def wake(self, name: str) -> None:
        self._commit(absence.wake(self.table, self.session(name), self.now, self.clocks))

    def wait(self, seconds: float) -> None:
        """Let time pass and handle each clock as it runs out."""
        end = self.now + seconds
        while self.table.deadline is not None and self.table.deadline <= end:
            self.now = self.table.deadline
            self.expire()
        self.now = end

    def expire(self) -> bool:
        change = tables.expire(self.table, POKER, self.now, self.rng, self.money(), self.clocks)
        if change is not None:
            self._change(change)
        return change is not None

    def give(self, name: str, amount: int) -> None:
        """Change somebody's cash from outside the game (1.4)."""
        self.cash[name] += amount
        self.outside += amount

    def set_game(self, **changes: object) -> None:
        """Put the running game into a state that would take too long to reach."""
        assert self.table.game is not None
        self._meddled = True
        self.table = replace(self.table, game=replace(self.table.game, **changes))

    # inside

    def session(self, name: str) -> int:
        """Return somebody's session, that of nobody if they do not sit here."""
        return next((who.session for who in self.table.seats if who is not None and who.name == name), 10**9)

    def _forfeit(self, book: Transcript | None) -> None:
        """Take an ante from those who withheld a text. The bank adds it to the pot, which the rules do not know."""
        if book is None:
            return
        names = list(self.cash)
        for user in set(book.forfeits):
            paid = min(book.forfeit, self.cash[names[user - 1]])
            self.cash[names[user - 1]] -= paid
            self.system += paid

    def _change(self, change: Change[State, Event]) -> None:
        self._book(change.payments)
        kept = transcript.due(self.table.transcript) if change.payments else None
        if self.table.game is None and change.table.game is not None:
            self.actions, self._meddled, kept = [], False, change.table.transcript
            self._forfeit(kept)
        self._commit(change.table)
        self._keep(kept)
        game = self.table.game
        if game is not None and rules.is_over(game):
            self._close(game)
        assert all(who is None or who.cash == self.cash[who.name] for who in self.table.seats)

    def _keep(self, kept: Transcript | None) -> None:
        """Record what a bank would record with a transaction."""
        self.actions += () if kept is None else kept.actions
        self.table = replace(self.table, transcript=transcript.without(self.table.transcript, kept))

    def _book(self, payments: tuple[Payment, ...]) -> None:
        for payment in payments:
            name = self.name(payment.seat)
            assert name is not None
            assert 0 < payment.amount <= self.cash[name]
            self.cash[name] -= payment.amount
            self.pot += payment.amount

    def _close(self, game: State) -> None:
        assert self.table.deadline is None
        self._replay(game)
        users = list(self.cash)
        assert len(self.table.due) <= 1
        assert sum(due.share for due in self.table.due) == sum(rules.payouts(game).values())
        for user, part in split(self.pot, {due.user: due.share for due in self.table.due}).items():
            self.cash[users[user - 1]] += part
            self.pot -= part
        self.system += self.pot
        self.pot = 0
        self._commit(tables.finish(self.table, POKER, self.now, self.clocks, self.money()))
        for who in self.table.seats:
            self._commit(draw_word(self.table, who.session if who else 0, self.rng))

    def _replay(self, game: State) -> None:
        """Replay the game from its record: order, moves, and money from outside."""
        book = self.table.transcript
        assert book is not None
        assert book.deck is not None
        assert sealing.seal(book.deck) == book.seal
        self._keep(book)
        if not self._meddled:
            assert [action.number for action in self.actions] == list(range(len(self.actions)))
            *_, (_, step) = replay(self.rules, sealing.dealing(book.deck, book.words), self.actions)
            assert step.state == game
            self.replayed += 1

    def _commit(self, table: Table[State, Event]) -> None:
        table = prepared(table, POKER, self.rng)
        data = CODEC.encode(table)
        assert len(data) <= CELL
        assert CODEC.decode(data) == table
        fresh = [entry for entry in table.log if entry.number > self.table.logged]
        assert [entry.number for entry in fresh] == list(range(self.table.logged + 1, table.logged + 1))
        if table.master is not None and self.table.master not in {None, table.master}:
            assert NewMaster(table.master) in [entry.event for entry in fresh], "every pass of the privilege is told"
        self.entries += fresh
        self.table = table
        self.check()

    def check(self) -> None:
        """Check all properties of section 19 that hold at any moment."""
        table = self.table
        assert (table.transcript is None) == (table.game is None)
        assert table.next_deck is None or table.game is None
        assert table.next_deck is not None or table.game is not None or not values.seated(table)
        if table.next_deck is not None:
            assert {one.seat for one in table.next_deck.commitments} <= set(values.seated(table))
        assert table.transcript is None or len(table.transcript.actions) < transcript.MANY + 8
        assert sum(self.cash.values()) + self.pot + self.system == self.outside
        assert min(self.cash.values(), default=0) >= 0
        assert table.pot == self.pot
        seated = set(values.seated(table))
        assert (table.master is None) == (not seated)
        if table.game is not None:
            self._check_game(table.game, seated)
        else:
            assert table.pot == 0
            assert table.master is None or table.master in seated
            assert (table.deadline is None) == (not seated)
        if table.last is not None:
            assert table.last.phase == "over"
            assert {seat for seat, player in enumerate(table.last.players) if player} <= seated
            _check_views(table.last)

    def check_clock(self) -> None:
        """Check that no clock has run out unhandled and that a finished game has been closed."""
        assert self.table.deadline is None or self.table.deadline > self.now
        assert self.table.game is None or not rules.is_over(self.table.game)

    def _check_game(self, game: State, seated: set[int]) -> None:
        active = {seat for seat, player in enumerate(game.players) if player is not None}
        assert game.pot == self.pot
        there = active | set(game.watchers)
        assert there == seated or (rules.is_over(game) and there <= seated), "decided by the deal, without sleepers"
        assert not active & set(game.watchers)
        _check_cards(game)
        _check_views(game)
        assert [seat for seat in range(rules.SEATS) if rules.legal_moves(game, seat)] == (
            [] if game.current is None else [game.current]
        )
        number, bet = self._bets
        assert number != self.table.number or bet <= game.previous_bet
        self._bets = (self.table.number, game.previous_bet)
        if rules.is_over(game):
            assert game.winner is None or game.winner in active
            return
        assert game.master in active
        assert self.table.master == game.master
        assert game.current in active
        assert len(active) > 1 or game.watchers  # otherwise 8.1 or 8.2 would have ended it
        assert self.table.deadline is not None
        assert game.phase != "bet" or game.low <= game.high


def cards_in(value: object) -> Iterator[Card]:
    """Yield every card anywhere in a value."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from cards_in(getattr(value, field))
    elif isinstance(value, tuple):
        for part in value:
            yield from cards_in(part)


def _check_cards(game: State) -> None:
    held = [card for player in game.players if player is not None for card in player.hand] + list(game.stock)
    assert len(held) == len(set(held))
    assert set(held) <= DECK
    assert all(len(player.hand) == 5 for player in game.players if player is not None)
    assert all(list(player.hand) == sorted(player.hand) for player in game.players if player is not None)


def _check_views(game: State) -> None:
    """Check that each view's cards are the viewer's own or shown."""
    shown = {card for player in game.players if player is not None and player.shown for card in player.hand}
    for seat in (*range(rules.SEATS), None):
        player = None if seat is None else game.players[seat]
        view = rules.view(game, seat)
        assert view.hand == (player and player.hand)
        assert all(set(other.cards) <= shown for other in view.opponents if other.cards is not None)
        assert set(cards_in(view)) <= shown | set(player.hand if player is not None else ())
