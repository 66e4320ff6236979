"""The bank against a model in plain dictionaries; the audit is clean after every step."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.isolation.books import postgres_books
from tests.isolation.sessions import told
from tests.isolation.stores import open_store, with_clock
from tests.postgres import Server
from tests.thoroughness import sampled
from yawc_poker.casino.bank.bank import Bank, GameCount
from yawc_poker.casino.bank.ledger import BankUnavailable, GameClosed, NotEnough, OpenGame
from yawc_poker.casino.rankings.days import NONE, keep_past_days, of_user
from yawc_poker.casino.rankings.periods import day_of
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.connection import NO_LOCK
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.table import split

ADA = HOUSE_USERS[2]
"""A house player."""
USERS = (1, 2, 3, ADA)
TABLES = range(3)
users = st.sampled_from(USERS)
tables = st.sampled_from(TABLES)
amounts = st.integers(0, 60)


class Model(RuleBasedStateMachine):
    def __init__(self, server: Server | None = None) -> None:
        super().__init__()
        self.stack = ExitStack()
        folder = self.stack.enter_context(TemporaryDirectory(prefix="bank-"))
        url = "" if server is None else self.stack.enter_context(postgres_books(server))
        books = open_store(BOOKS, url, Path(folder) / "bank.sqlite", NO_LOCK, BankUnavailable)
        self.bank = Bank(with_clock(books, lambda: 1e9))
        self.cash = dict.fromkeys(USERS, 0)
        self.credit = dict.fromkeys(USERS, 0)
        self.latest: dict[int, tuple[str, int]] = {}
        self.stretches = 0
        self.welcomed: set[int] = set()
        self.minted = 0
        self.house = 0
        self.tables: dict[int, int] = {}
        """Table to its open game."""
        self.paid: dict[int, dict[int, int]] = {}
        """What each user paid into each game."""
        self.bets: dict[tuple[int, int, int], int] = {}
        self.antes: dict[int, set[int]] = {}
        self.ended: dict[int, tuple[str, dict[int, int], int]] = {}
        """How, what each winner got, and what the pot held."""
        self.winners: dict[int, set[int]] = {}
        self.notices: dict[int, list[tuple[int, int]]] = {user: [] for user in USERS}

    def teardown(self) -> None:
        self.bank.close()
        self.stack.close()

    def give_back(self, table: int, *, notify: bool) -> dict[int, int]:
        game = self.tables.pop(table)
        shares = {user: amount for user, amount in self.paid[game].items() if amount}
        for user, amount in shares.items():
            self.cash[user] += amount
            if notify and user != ADA:
                self.notices[user].append((game, amount))
        self.ended[game] = ("refunded", {}, 0)
        return shares

    @rule(user=users, amount=amounts)
    def welcome(self, user: int, amount: int) -> None:
        assert self.bank.welcome(user, amount) == (user not in self.welcomed)
        if user not in self.welcomed:
            self.welcomed.add(user)
            self.cash[user] += amount
            self.minted += amount

    @initialize()
    def some_have_cubes(self) -> None:
        for user in USERS[:3]:
            self.welcome(user, 200)
        self.open_game(0, {1: 5, 2: 5})

    @rule(upto=st.integers(0, 400))
    def fill_purse(self, upto: int) -> None:
        amount = max(0, upto - self.cash[ADA])
        made = max(0, amount - self.house)
        self.cash[ADA] += amount
        self.house -= amount - made
        self.minted += made
        for _ in range(2):
            assert self.bank.fill_purse(ADA, upto) == self.cash[ADA]

    @rule(user=users, minutes=st.integers(0, 20))
    def earn(self, user: int, minutes: int) -> None:
        self.stretches += 1
        key = f"stretch {self.stretches}"
        cubes, self.credit[user] = divmod(self.credit[user] + minutes * 10, 60)
        assert self.bank.earn(user, key, minutes * 60, 10) == cubes
        self.latest[user] = (key, cubes)
        self.cash[user] += cubes
        self.minted += cubes

    @precondition(lambda self: self.latest)
    @rule(data=st.data())
    def earn_again(self, data: st.DataObject) -> None:
        user = data.draw(st.sampled_from(sorted(self.latest)))
        key, cubes = self.latest[user]
        assert self.bank.earn(user, key, 1200, 10) == cubes

    @rule(table=tables, stakes=st.dictionaries(users, amounts))
    def open_game(self, table: int, stakes: dict[int, int]) -> None:
        before = self.tables.get(table)
        back = self.paid[before] if before else {}
        if any(stake > self.cash[user] + back.get(user, 0) for user, stake in stakes.items()):
            with pytest.raises(NotEnough):
                self.bank.open_game(table, "poker", stakes)
            return
        game, balances = self.bank.open_game(table, "poker", stakes)
        if before:
            self.give_back(table, notify=True)
        for user, stake in stakes.items():
            self.cash[user] -= stake
        assert balances == {user: self.cash[user] for user in stakes}
        self.tables[table] = game
        self.paid[game] = dict.fromkeys(USERS, 0) | stakes
        self.antes[game] = set(stakes)

    @precondition(lambda self: self.paid)
    @rule(data=st.data(), action=st.integers(0, 3), user=users, amount=amounts)
    def bet(self, data: st.DataObject, action: int, user: int, amount: int) -> None:
        game = data.draw(st.sampled_from(sorted(self.paid)))
        known = self.bets.get((game, action, user))
        if game in self.ended:
            with pytest.raises(GameClosed):
                self.bank.bet(game, action, user, amount)
        elif amount - (known or 0) > self.cash[user]:
            with pytest.raises(NotEnough):
                self.bank.bet(game, action, user, amount)
        else:
            self.cash[user] -= amount - (known or 0)
            self.paid[game][user] += amount - (known or 0)
            self.bets[game, action, user] = amount
            assert self.bank.bet(game, action, user, amount) == (sum(self.paid[game].values()), self.cash[user])

    @precondition(lambda self: self.bets)
    @rule(data=st.data())
    def bet_again(self, data: st.DataObject) -> None:
        running = sorted(bet for bet in self.bets if bet[0] not in self.ended)
        game, action, user = data.draw(st.sampled_from(running or sorted(self.bets)))
        amount = self.bets[game, action, user]
        if running:
            assert self.bank.bet(game, action, user, amount) == (sum(self.paid[game].values()), self.cash[user])
        else:
            with pytest.raises(GameClosed):
                self.bank.bet(game, action, user, amount)

    @precondition(lambda self: self.paid)
    @rule(data=st.data(), shares=st.dictionaries(users, st.integers(0, 3), max_size=3))
    def settle(self, data: st.DataObject, shares: dict[int, int]) -> None:
        game = data.draw(st.sampled_from(sorted(self.paid)))
        outcome = "won" if any(shares.values()) else "lost"
        if game not in self.ended:
            table = next(number for number, open_game in self.tables.items() if open_game == game)
            del self.tables[table]
            pot = sum(self.paid[game].values())
            parts = {user: part for user, part in split(pot, shares).items() if part}
            self.ended[game] = (outcome, parts, pot)
            self.winners[game] = {user for user, share in shares.items() if share} & self.antes[game]
            self.house += pot - sum(parts.values())
            for user, part in parts.items():
                self.cash[user] += part
        how, parts, pot = self.ended[game]
        if how == outcome and parts == {user: part for user, part in split(pot, shares).items() if part}:
            settlement = self.bank.settle(game, shares)
            assert settlement.amount == pot
            assert {user: part for user, part in settlement.paid.items() if part} == parts
        else:
            with pytest.raises(GameClosed):
                self.bank.settle(game, shares)

    @precondition(lambda self: self.paid)
    @rule(data=st.data())
    def refund(self, data: st.DataObject) -> None:
        game = data.draw(st.sampled_from(sorted(self.paid)))
        shares = {user: amount for user, amount in self.paid[game].items() if amount}
        if game not in self.ended:
            self.give_back(next(t for t, open_game in self.tables.items() if open_game == game), notify=False)
        if self.ended[game][0] == "refunded":
            assert self.bank.refund(game) == shares
        else:
            with pytest.raises(GameClosed):
                self.bank.refund(game)

    @rule(table=st.none() | tables, knows=st.booleans())
    def leftovers(self, table: int | None, knows: bool) -> None:
        running = self.tables.get(table) if knows and table is not None else None
        found = self.bank.settle_leftovers(table, running)
        left = sorted(one for one, game in self.tables.items() if table in (None, one) and game != running)
        assert [refunded.number for refunded in found] == [self.tables[table] for table in left]
        assert [refunded.shares for refunded in found] == [self.give_back(table, notify=True) for table in left]

    @rule(user=users)
    def notice(self, user: int) -> None:
        assert told(self.bank, user) == self.notices[user]
        self.notices[user] = []

    @rule()
    def keep_the_rankings_of_the_day(self) -> None:
        keep_past_days(self.bank.store, day_of(1e9) + 1)

    @rule()
    def open_the_file_anew(self) -> None:
        self.bank.close()

    @invariant()
    def the_books_are_sound_and_say_what_the_model_says(self) -> None:
        assert self.bank.audit() == []
        assert self.bank.balances(USERS) == self.cash
        open_games = [
            OpenGame(game, table, sum(self.paid[game].values())) for table, game in sorted(self.tables.items())
        ]
        assert self.bank.open_games() == open_games
        figures = self.bank.figures()
        house = self.house + self.cash[ADA]
        cash = sum(self.cash.values()) - self.cash[ADA]
        assert (figures.minted, figures.house, figures.cash) == (self.minted, house, cash)

    @invariant()
    def records_follow(self) -> None:
        for user in USERS:
            played = sum(user in self.antes[g] and self.ended.get(g, ("",))[0] != "refunded" for g in self.paid)
            won = sum(user in self.winners.get(game, ()) for game in self.ended)
            assert self.bank.records(user) == ([GameCount("poker", played, won)] if played else [])
            tally = of_user(self.bank.store, user).get("poker", NONE)
            running = sum(user in self.antes[game] for game in self.tables.values())
            assert (tally.games, tally.won) == ((0, 0) if user == ADA else (played - running, won))


TestModel = Model.TestCase
TestModel.settings = settings(max_examples=sampled(40), stateful_step_count=50)


def test_so_it_is_in_a_database(postgres: Server) -> None:
    class InDatabase(Model):
        def __init__(self) -> None:
            super().__init__(postgres)

    run_state_machine_as_test(InDatabase, settings=settings(max_examples=sampled(4), stateful_step_count=25))
