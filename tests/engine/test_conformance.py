"""The contract of `engine.game`, checked with every registered game by random play."""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Generic

import pytest
from msgspec.structs import replace

from tests.engine.adapters import ADAPTERS, REGISTERED, Adapter
from tests.engine.stacked import dealing
from yawc_poker.casino.tables.table_cell import header_of
from yawc_poker.catalogues import words
from yawc_poker.engine import absence, sealing, values
from yawc_poker.engine import company as house_company
from yawc_poker.engine import kept as kept_seats
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import NewMaster, Voided
from yawc_poker.engine.game import EventT, IllegalMove, MoveT, OptionsT, StateT, Step
from yawc_poker.engine.house import HOUSE_USERS, LEVELS
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.replay import replay as replayed
from yawc_poker.engine.transcript import Action, without
from yawc_poker.engine.values import AWAY, Clocks, Seat, Table, persons, seated
from yawc_poker.registry.games import GAMES
from yawc_poker.table_ui import speech
from yawc_poker.table_ui.scene import ONLOOKER, look

games = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: str(adapter.game.KIND))


class Run:
    """What a random game came to, and whether its money stays together."""

    def __init__(self, cash: dict[int, int]) -> None:
        self.cash = dict(cash)
        self.pot = 0
        self.dealt = False

    def take(self, step: Step[StateT, EventT]) -> StateT:
        assert len(step.payments) < 2 or not self.dealt, "several pay at the deal or when it is over"
        self.dealt = True
        for payment in step.payments:
            assert 0 < payment.amount <= self.cash[payment.seat]
            self.cash[payment.seat] -= payment.amount
            self.pot += payment.amount
        return step.state


def dealt(adapter: Adapter[StateT, MoveT, EventT, OptionsT], rng: Random) -> tuple[Run, StateT]:
    game = adapter.game
    seats = rng.sample(range(game.SEATS), rng.randint(game.FEWEST, game.SEATS))
    run = Run({seat: rng.choice((0, 10, 15, 100, 2000)) for seat in seats})
    return run, run.take(game.deal(run.cash, seats[0], dealing(game, rng), adapter.options))


def random_step(adapter: Adapter[StateT, MoveT, EventT, OptionsT], state: StateT, rng: Random) -> Step[StateT, EventT]:
    """Make a legal move, out of turn too where the game allows it; now and then the clock or somebody going instead."""
    game = adapter.game
    mover = game.to_move(state)
    assert mover is not None
    others = [seat for seat in range(game.SEATS) if adapter.interrupts and game.legal_moves(state, seat)]
    seat = rng.choice(others) if others and rng.random() < 0.2 else mover
    chance = rng.random()
    if chance < 0.03:
        return game.leave(state, seat)
    if chance < 0.1:
        return game.timeout(state, rng)
    choices = game.legal_moves(state, seat)
    assert choices
    return game.play(state, seat, adapter.pick(choices[0] if chance < 0.9 else rng.choice(choices), rng), rng)


def played(adapter: Adapter[StateT, MoveT, EventT, OptionsT], rng: Random) -> Iterator[tuple[Run, StateT]]:
    """Yield every state of a random game, the last one being over."""
    run, state = dealt(adapter, rng)
    yield run, state
    for _ in range(5000):
        if adapter.game.is_over(state):
            return
        state = run.take(random_step(adapter, state, rng))
        yield run, state
    raise AssertionError("random play does not end")


def test_every_registered_game_is_checked() -> None:
    assert {adapter.game.KIND for adapter in REGISTERED} == {game.kind for game in GAMES}
    assert all(1 <= game.fewest <= game.seats for game in GAMES)
    assert all(game.kind == game.settings.section for game in GAMES), "the segment's tables are compared by it"
    assert len({game.key for game in GAMES}) == len(GAMES)


@games
def test_random_play_ends_and_conserves_cards_and_money(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    for seed in range(adapter.runs):
        rng = Random(seed)
        known: Counter[str] | None = None
        deck = Counter(adapter.game.DECK)
        total = None
        for run, state in played(adapter, rng):
            cards = Counter(map(str, adapter.cards(state)))
            assert cards <= deck
            assert known is None or cards <= known
            known = cards
            assert total is None or sum(run.cash.values()) + run.pot == total
            total = sum(run.cash.values()) + run.pot
        payouts = adapter.game.payouts(state)
        assert all(amount >= 0 for amount in payouts.values())
        assert not run.pot or sum(payouts.values()) in {0, run.pot}
        debts = adapter.game.debts(state)
        assert all(amount >= 0 for amount in debts.values())
        assert not debts or payouts, "what is paid in the end is for somebody"


@games
def test_somebody_moves_until_it_is_over(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    game = adapter.game
    for seed in range(adapter.runs):
        for _, state in played(adapter, Random(seed)):
            mover = game.to_move(state)
            assert (mover is None) == game.is_over(state)
            able = {seat for seat in range(game.SEATS) if game.legal_moves(state, seat)}
            assert able >= {mover} - {None} if adapter.interrupts else able == {mover} - {None}
            assert not (able and game.is_over(state))
            assert game.is_over(state) or not (game.payouts(state) or game.debts(state))


@games
def test_an_illegal_move_raises_and_changes_nothing(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    game = adapter.game
    refused: Counter[str] = Counter()
    for seed in range(adapter.runs):
        rng = Random(seed)
        for _, state in played(adapter, Random(seed)):
            before = adapter.codec.encode(Table(seats=(), game=state))
            for seat in range(game.SEATS):
                try:
                    game.play(state, seat, adapter.moves(rng), rng)
                except IllegalMove as error:
                    refused[error.reason] += 1
                else:
                    assert seat == game.to_move(state) or (adapter.interrupts and game.legal_moves(state, seat))
            assert adapter.codec.encode(Table(seats=(), game=state)) == before
    assert len(refused) > 1


@games
def test_the_clock_cannot_move_in_a_game_that_is_over(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    for seed in range(min(20, adapter.runs)):
        *_, (_, state) = played(adapter, Random(seed))
        with pytest.raises(IllegalMove):
            adapter.game.timeout(state, Random(seed))


@games
def test_values_survive_encoding(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    for seed in range(adapter.runs):
        for _, state in played(adapter, Random(seed)):
            table: Table[StateT, EventT] = Table(seats=(None,) * adapter.game.SEATS, game=state, last=state)
            assert adapter.codec.decode(adapter.codec.encode(table)) == table


@games
def test_hidden_cards_are_in_no_view(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    game = adapter.game
    differ = 0
    for seed in range(adapter.runs):
        rng = Random(seed)
        for _, state in played(adapter, Random(seed)):
            for seat in (*range(game.SEATS), None):
                other = adapter.hide(state, seat, rng)
                differ += other != state
                assert game.view(other, seat) == game.view(state, seat)
    assert differ


@games
def test_what_is_sealed_and_hidden_is_in_nothing_that_a_seat_gets(
    adapter: Adapter[StateT, MoveT, EventT, OptionsT],
) -> None:
    """Two tables that differ in hidden cards, order, secret and hands only: the same scene for all, the same header.

    So it is for somebody who looks on, for whom everybody's cards are hidden.
    """
    game, differ = adapter.game, 0
    for seed in range(min(60, adapter.runs)):
        rng = Random(seed)
        table = table_of(adapter, rng)
        for _ in range(20):
            if table.game is None or game.is_over(table.game):
                break
            for seat in (*range(game.SEATS), None):
                other = with_other_secrets(adapter, table, seat, rng)
                differ += other != table
                if seat is None or table.seats[seat] is not None:
                    session = ONLOOKER if seat is None else 10 + seat
                    scenes = [look(game, game.view, one, session, 0, 0.0) for one in (table, other)]
                    assert scenes[0] == scenes[1]
                assert header_of(other, game) == header_of(table, game)
                assert (other.log, other.seats, other.due) == (table.log, table.seats, table.due)
            mover = game.to_move(table.game)
            assert mover is not None
            move = adapter.pick(game.legal_moves(table.game, mover)[0], rng)
            table = tables.play(table, game, 10 + mover, move, cash_of(table), rng, 0.0, CLOCKS).table
    assert differ


CLOCKS = Clocks()


def table_of(adapter: Adapter[StateT, MoveT, EventT, OptionsT], rng: Random) -> Table[StateT, EventT]:
    """Return a table with a game that has just begun; whoever sits in a seat has the session 10 + seat."""
    table: Table[StateT, EventT] = tables.empty(adapter.game)
    for seat in range(rng.randint(adapter.game.FEWEST, adapter.game.SEATS)):
        person = Seat(10 + seat, seat + 1, f"P{seat}", 1000)
        table = tables.sit(table, adapter.game, person, 0.0, CLOCKS)
    return tables.start(table, adapter.game, 10, cash_of(table), rng, 0.0, adapter.options, CLOCKS).table


def cash_of(table: Table[StateT, EventT]) -> dict[int, int]:
    return {seat: who.cash for seat, who in enumerate(table.seats) if who is not None}


def with_other_secrets(
    adapter: Adapter[StateT, MoveT, EventT, OptionsT], table: Table[StateT, EventT], seat: int | None, rng: Random
) -> Table[StateT, EventT]:
    """Change all that this seat must not see: others' cards, and of the chronicle all but seal and words.

    None: of all that somebody must not see who looks on.
    """
    assert table.game is not None
    assert table.transcript is not None
    book = replace(
        table.transcript,
        deck=sealing.shuffle(adapter.game.DECK, rng),
        held=tuple(replace(held, cards=held.cards[::-1]) for held in table.transcript.held),
        actions=tuple(replace(action, detail="") for action in table.transcript.actions),
    )
    return replace(table, game=adapter.hide(table.game, seat, rng), transcript=book)


@games
def test_a_move_out_of_turn_leaves_the_turn_as_it_is(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    game, made = adapter.game, 0
    for seed in range(adapter.runs):
        rng = Random(seed)
        for _, state in played(adapter, Random(seed)):
            mover = game.to_move(state)
            for seat in range(game.SEATS):
                for choice in game.legal_moves(state, seat) if seat != mover else ():
                    after = game.play(state, seat, adapter.pick(choice, rng), rng).state
                    assert (after.turn, game.to_move(after)) == (state.turn, mover)
                    made += 1
    assert bool(made) == adapter.interrupts


@games
def test_a_turn_has_its_own_number(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    game = adapter.game
    for seed in range(adapter.runs):
        before: StateT | None = None
        for _, state in played(adapter, Random(seed)):
            if before is not None and not game.is_over(state):
                same = state.turn == before.turn
                assert not same or (not adapter.passes and game.to_move(state) == game.to_move(before))
            before = state


@games
def test_joining_and_going_are_no_turns_of_others(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    game = adapter.game
    joined = 0
    for seed in range(adapter.runs):
        rng = Random(seed)
        run, state = dealt(adapter, rng)
        free = [seat for seat in range(game.SEATS) if seat not in run.cash]
        if not free and game.FEWEST == game.SEATS:  # then a seat is free once a player has left
            free = [next(seat for seat in run.cash if seat != game.to_move(state))]
            state = game.leave(state, free[0]).state
        if game.is_over(state) or not free:
            continue
        with_him = game.join(state, free[0], 100).state
        assert (with_him.turn, game.to_move(with_him)) == (state.turn, game.to_move(state))
        assert not game.legal_moves(with_him, free[0])
        without = game.leave(with_him, free[0]).state
        assert game.to_move(without) == game.to_move(state)
        joined += 1
    assert bool(joined) != adapter.full


@games
def test_the_same_chance_gives_the_same_game(adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    one, other = ([state for _, state in played(adapter, Random(7))] for _ in range(2))
    assert one == other


@games
def test_a_game_that_the_ledger_has_closed_is_called_off_without_a_word_about_stakes(
    adapter: Adapter[StateT, MoveT, EventT, OptionsT],
) -> None:
    event = tables.void(table_of(adapter, Random(1)), "ledger", 0.0, CLOCKS).log[-1].event
    assert isinstance(event, Voided)
    assert "stakes" not in speech.system(event, "", words("en"))


# --- with house players -----------------------------------------------------------------------------------------------


class Company(Generic[StateT, MoveT, EventT, OptionsT]):
    """A table to which people and house players come at random, and where they play, leave, are put out, and come back.

    Seats are kept for a while, or to the end of the game, or not at all.
    """

    def __init__(self, adapter: Adapter[StateT, MoveT, EventT, OptionsT], rng: Random) -> None:
        self.adapter, self.rng = adapter, rng
        self.game = adapter.game
        self.table: Table[StateT, EventT] = tables.empty(adapter.game)
        self.now = 0.0
        self.sessions = 0
        self.actions: list[Action] = []
        self.keeps = rng.choice(
            (
                None,
                Keeps[StateT](lambda state: 0, left=True),
                Keeps[StateT](lambda state: state.turn // 2, left=rng.random() < 0.5),
            )
        )
        self.master: int | None = None
        """The master after the last step."""
        self.seen: set[str] = set()
        """What has happened."""

    def step(self) -> None:
        self.now += 1
        coming = (self.sit, self.join, self.come_back, self.call_again)
        going = (self.leave, self.start, self.wait, self.lose_line if self.rng.random() < 0.5 else self.press)
        self.attempt(self.rng.choice((*coming, *going, *[self.move] * 8)))

    def go_on(self) -> None:
        """Play, and start where nothing is played."""
        self.now += 1
        self.attempt(self.start if self.table.game is None else self.rng.choice((*[self.move] * 9, self.wait)))

    def attempt(self, done: Callable[[], None]) -> None:
        try:
            done()
            self.seen.add(done.__name__)
        except IllegalMove as refusal:
            self.seen.add(refusal.reason)
        while (change := kept_seats.given_up(self.table, self.game, self.keeps, self.now, CLOCKS)) is not None:
            self.table = change.table
            self.seen.add("given up")
        self.keep_actions()
        if tables.is_closing(self.table, self.game):
            self.replay()
            self.table = tables.finish(self.table, self.game, self.now, CLOCKS)
            self.seen.add("finished")
        self.check()

    def keep_actions(self) -> None:
        """Take the actions out of the transcript, as the bank does."""
        book = self.table.transcript
        if book is not None:
            self.actions += book.actions
            self.table = replace(self.table, transcript=without(book, book))

    def replay(self) -> None:
        book = self.table.transcript
        assert book is not None
        assert book.deck is not None
        *_, (_, step) = replayed(self.game, sealing.dealing(book.deck, book.words), self.actions)
        assert step.state == self.table.game

    def check(self) -> None:
        table, people = self.table, persons(self.table)
        if table.game is not None:
            assert table.master == table.game.master, "whoever has a line, sleeps, or is a house player"
            self.seen |= {"passed by"} if people and table.master not in people else set()
        else:
            assert table.master in (people or seated(table) or (None,))
        if self.master not in {None, table.master} and table.master is not None:
            masters = [entry.event for entry in table.log if isinstance(entry.event, NewMaster)]
            assert masters[-1:] == [NewMaster(table.master)], "every pass of the privilege is told"
        self.master = table.master
        assert len(table.invited) <= table.seats.count(None)
        assert people or not table.invited
        assert (table.deadline is None) == (not seated(table))
        assert table.game is not None or not table.kept
        assert people or not table.kept
        away = {seat for seat, who in enumerate(table.seats) if who is not None and who.session == AWAY}
        assert away <= {one.seat for one in table.kept}
        assert all(table.seats[one.seat] is not None for one in table.kept)
        assert header_of(table, self.game).invited == len(away) + len(table.invited)
        self.seen |= {"no people"} if not people and seated(table) else set()
        here = [seat for seat in values.here(table) if seat in people]
        if here and table.game is None:
            assert table.master in here
        if table.game is not None:
            self.seen |= {"looks on" for seat in values.here(table) if not table.players[seat]}

    def sit(self, program: str = "") -> None:
        self.sessions += 1
        user = HOUSE_USERS[self.sessions] if program else self.sessions
        person = Seat(self.sessions, user, f"P{self.sessions}", 1000, program=program)
        self.table = tables.sit(self.table, self.game, person, self.now, CLOCKS)

    def join(self) -> None:
        if self.rng.random() < 0.3:
            self.table = house_company.dismiss(self.table, self.someone())
            return
        if self.rng.random() < 0.5:
            self.table = house_company.invite(self.table, self.someone(), self.rng.choice(LEVELS))
        if kept_seats.wanted(self.table) and self.rng.random() < 0.8:
            self.sit(f"{self.rng.choice(kept_seats.wanted(self.table))} 1")

    def come_back(self) -> None:
        for kept in self.table.kept:
            self.sessions += 1
            person = replace(kept.holder, session=self.sessions)
            self.table = tables.sit(self.table, self.game, person, self.now, CLOCKS)
            self.seen.add("came back")
            return

    def press(self) -> None:
        self.table = absence.wake(self.table, self.someone(), self.now, CLOCKS)

    def lose_line(self) -> None:
        self.table = absence.hold(self.table, self.someone(), self.now, self.now + 60, CLOCKS)

    def call_again(self) -> None:
        """Those whose line was lost come back, as another session; or their time is over."""
        for who in self.table.seats:
            if who is not None and who.held and not tables.is_closing(self.table, self.game):
                self.sessions += 1
                if self.rng.random() < 0.3:
                    change = tables.leave(self.table, self.game, who.session, self.now, CLOCKS, True, keeps=self.keeps)
                    self.table = change.table
                else:
                    self.table = absence.take_over(self.table, who.user, self.sessions, self.now, CLOCKS)
                    self.seen.add("took over")

    def leave(self) -> None:
        session, removed = self.someone(), self.rng.random() < 0.5
        self.table = tables.leave(self.table, self.game, session, self.now, CLOCKS, removed, keeps=self.keeps).table
        self.seen |= {"kept"} if self.table.kept else set()

    def start(self) -> None:
        self.now += CLOCKS.pause
        self.actions = [] if self.table.game is None else self.actions
        self.table = tables.start(
            self.table, self.game, self.someone(), cash_of(self.table), self.rng, self.now, self.adapter.options, CLOCKS
        ).table

    def move(self) -> None:
        state = self.table.game
        mover = None if state is None else self.game.to_move(state)
        who = None if mover is None else self.table.seats[mover]
        if state is not None and mover is not None and who is not None and who.session != AWAY:
            choices = self.game.legal_moves(state, mover)
            move = self.adapter.pick(choices[0] if self.rng.random() < 0.9 else self.rng.choice(choices), self.rng)
            cash = cash_of(self.table)
            self.table = tables.play(
                self.table, self.game, who.session, move, cash, self.rng, self.now, CLOCKS, self.table
            ).table

    def wait(self) -> None:
        if self.table.deadline is not None:
            self.now = self.table.deadline
            change = tables.expire(self.table, self.game, self.now, self.rng, cash_of(self.table), CLOCKS)
            self.table = self.table if change is None else change.table

    def someone(self) -> int:
        """Return the session of somebody who sits here; that of nobody now and then."""
        return self.rng.choice([who.session for who in self.table.seats if who is not None] or [0])


@games
def test_the_rules_name_the_master_and_a_person_leads_between_games(
    adapter: Adapter[StateT, MoveT, EventT, OptionsT],
) -> None:
    seen: set[str] = set()
    for seed in range(300):
        company = Company(adapter, Random(seed))
        for _ in range(75):
            company.step()
        seen |= company.seen
    assert seen >= {"sit", "join", "leave", "start", "move", "wait", "not_master", "not_seated", "no people"}
    assert seen >= {"finished", "passed by", "kept", "came back", "took over"}
    assert "given up" in seen or adapter.game.SEATS == 2, "of two, nobody is left to keep a seat for"
