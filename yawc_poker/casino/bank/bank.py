"""The bank: CUBES move between users, the tables' pots, the house and the mint; nowhere else is money kept.

Owns the transactions on `bank.sqlite` (double entry: `ledger`; layout and audit: `books`). Knows no rule of a game, nor
what a table believes of its pot: the pot's account decides what is paid. Users are their ids. Invariants:

* A method is one transaction: it happens as a whole, or raises and has changed nothing.
* Every movement has a key that is used once. Repeating a call after a crash moves nothing twice, so whoever finds a
  half-finished business (purge, start-up, override) just does it again.

Every method may raise `BankUnavailable`; that and every other refusal is a `BankError`.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import Connection, DatabaseError

import msgspec

from yawc_poker.casino.bank import game_log, history, ledger, wagers
from yawc_poker.casino.bank.history import EVERYTHING, Asked, PastGame, Summary
from yawc_poker.casino.bank.ledger import (
    BankError,
    BankUnavailable,
    GameClosed,
    Mismatch,
    NotEnough,
    OpenGame,
    Outdated,
)
from yawc_poker.casino.bank.schema import BOOKS, Figures, figures, problems
from yawc_poker.casino.bank.shares import split
from yawc_poker.casino.store import Clock, Lock, Store, StoreError
from yawc_poker.engine.transcript import Transcript
from yawc_poker.engine.values import Back

__all__ = [
    "Bank",
    "BankError",
    "BankUnavailable",
    "Figures",
    "GameClosed",
    "GameCount",
    "Mismatch",
    "NotEnough",
    "OpenGame",
    "Outdated",
    "Refunded",
    "Settlement",
]

CREDIT_PER_CUBE = 3600
"""Seconds online times CUBES an hour that make one CUBE."""


class Settlement(msgspec.Struct, frozen=True):
    """What the end of a game brought: `amount` is all that the pot held, `paid` what each winner got, by user."""

    amount: int
    paid: dict[int, int]
    """Empty where the house got it."""


class Refunded(msgspec.Struct, frozen=True):
    """A game that was ended for want of a table: what went back to whom."""

    number: int
    table_no: int
    shares: dict[int, int]


class GameCount(msgspec.Struct, frozen=True):
    """Games of one kind in which a user played (but for those that were refunded), and those that they won."""

    kind: str
    played: int
    won: int


class Bank:
    """The bank of one data directory; `lock` is held around every transaction, `clock` gives epoch seconds."""

    def __init__(
        self, path: Path, lock: Lock, clock: Clock = time.time, *, look_only: bool = False, must_exist: bool = False
    ):
        self._store = Store(path, lock, BOOKS, look_only=look_only, must_exist=must_exist, failure=BankUnavailable)
        self._clock = clock

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._store.close()

    # --- users ---------------------------------------------------------------------------------------------------

    def welcome(self, user: int, amount: int) -> bool:
        """Give a new user his starting CUBES; False, and nothing moved, if he ever had them."""
        key = f"welcome:{user}"
        with self._store.reading() as books:
            if ledger.posted(books, key) is not None:
                return False
        with self._store.writing() as books:
            if ledger.posted(books, key) is not None:
                return False
            legs = {ledger.account_id(books, "mint"): -amount, ledger.account_id(books, "user", user): amount}
            ledger.post(books, self._clock(), key, None, legs)
            return True

    def balance(self, user: int) -> int:
        """Give what a user owns; 0 for one without an account."""
        return self.balances([user])[user]

    def balances(self, users: Iterable[int]) -> dict[int, int]:
        """Give what these users own at one moment."""
        with self._store.reading() as books:
            held = ledger.purses(books, wanted := list(users))
            return {user: held[user][1] if user in held else 0 for user in wanted}

    def earn(self, user: int, key: str, seconds: float, per_hour: float) -> int:
        """Pay for time online at `per_hour` CUBES an hour; fractions of a CUBE are kept for the next time.

        `key` names this stretch of time. Returns the CUBES it brought, the same if the user's latest key comes again.
        """
        if seconds < 0 or per_hour < 0:
            raise ValueError(f"{seconds} s at {per_hour} an hour")
        with self._store.writing() as books:
            account = ledger.account_id(books, "user", user)
            full_key = f"online:{user}:{key}"
            known, last_key = ledger.credit(books, account)
            if last_key == key or ledger.posted(books, full_key) is not None:
                return (ledger.posted(books, full_key) or {}).get(account, 0)
            whole, rest = divmod(known + seconds * per_hour, CREDIT_PER_CUBE)
            books.execute("INSERT OR REPLACE INTO online VALUES (?, ?, ?)", (account, rest, key))
            if cubes := int(whole):
                legs = {ledger.account_id(books, "mint"): -cubes, account: cubes}
                ledger.post(books, self._clock(), full_key, None, legs)
            return cubes

    def records(self, user: int) -> list[GameCount]:
        """Count a user's games from the books, by kind."""
        query = """
            SELECT kind, count(*), count(winner.user) FROM player JOIN game ON game.id = player.game
            LEFT JOIN winner ON winner.game = player.game AND winner.user = player.user
            WHERE player.user = ? AND outcome IS NOT 'refunded' GROUP BY kind ORDER BY kind
        """
        with self._store.reading() as books:
            return [GameCount(*row) for row in books.execute(query, (user,))]

    @contextmanager
    def telling(self, user: int) -> Iterator[list[tuple[int, int]]]:
        """Give (game, CUBES) of each refund after a crash that this user was not told of; mark them as told at the end.

        That is when the block has been left without an error: who is killed in it is told again.
        """
        untold = """
            SELECT notice.id, game, amount FROM notice JOIN account ON account.id = notice.account
            WHERE kind = 'user' AND ref = ? AND told IS NULL ORDER BY notice.id
        """
        with self._store.reading() as books:
            rows = books.execute(untold, (user,)).fetchall()
        yield [(int(game), int(amount)) for _, game, amount in rows]
        if rows:
            with self._store.writing() as books:
                books.executemany("UPDATE notice SET told = ? WHERE id = ?", [(self._clock(), row[0]) for row in rows])

    # --- by a sysop ----------------------------------------------------------------------------------------------

    def grant(self, action: int, user: int, amount: int) -> tuple[int, int]:
        """Give a user newly made CUBES; returns how many, and what he owns now. Once for each act of a sysop."""
        with self._store.writing() as books:
            self._move(books, f"grant:{action}", "mint", user, amount)
            return amount, ledger.balance(books, "user", user)

    def take(self, action: int, user: int, amount: int | None) -> tuple[int, int]:
        """Take CUBES from a user, None: all he owns; returns how many, and what is left. Once for each act of a sysop.

        They go to the house. Raises `NotEnough`.
        """
        with self._store.writing() as books:
            key = f"take:{action}"
            if amount is None:
                before = ledger.posted(books, key) or {}
                amount = -before.get(ledger.account_id(books, "user", user), -ledger.balance(books, "user", user))
            if amount:
                self._move(books, key, "house", user, -amount)
            return amount, ledger.balance(books, "user", user)

    def _move(self, books: Connection, key: str, other: ledger.AccountKind, user: int, amount: int) -> None:
        legs = {ledger.account_id(books, other): -amount, ledger.account_id(books, "user", user): amount}
        ledger.post(books, self._clock(), key, None, legs)

    # --- games ---------------------------------------------------------------------------------------------------

    def open_game(
        self, table_no: int, kind: str, stakes: Mapping[int, int], transcript: Transcript | None = None
    ) -> tuple[int, dict[int, int]]:
        """Open a game and take each user's stake into the pot; returns its number and those users' new balances.

        Of its chronicle seal, words and the first deed are kept, so they are safe before anybody can act.
        A game still open at this table was left by a process that died before its table knew of it: its stakes go
        back first. Raises `NotEnough`.
        """
        with self._store.writing() as books:
            now = self._clock()
            for left in ledger.open_games(books, table_no):
                ledger.refund(books, now, left, notify=True)
            row = (table_no, kind, now, *game_log.sealing(transcript))
            opened = books.execute("INSERT INTO game (table_no, kind, opened, seal, words) VALUES (?, ?, ?, ?, ?)", row)
            game = int(opened.lastrowid or 0)
            players = [(user, game) for user in stakes or game_log.people(transcript)]
            books.executemany("INSERT INTO player VALUES (?, ?)", players)
            game_log.keep(books, game, transcript)
            ledger.stake(books, now, f"ante:{game}", OpenGame(game, table_no, 0), stakes, ledger.purses(books, stakes))
            return game, {user: ledger.balance(books, "user", user) for user in stakes}

    def bet(
        self,
        game: int,
        action: int,
        user: int,
        amount: int,
        transcript: Transcript | None = None,
        believed: Mapping[int, int] | None = None,
    ) -> tuple[int, int]:
        """Move a bet into the pot; returns the pot and the user's balance.

        `action` numbers the actions of the game; the same bet again moves nothing, another amount what differs. The
        deeds of a `transcript` of what was before are kept along with it. `believed` is what users were taken to own
        when the bet was allowed; it is looked at first. Raises `NotEnough`, `GameClosed`, `Outdated`.

        Where the commit fails the file is asked whether the bet was booked; if so, it counts. Where even that cannot be
        seen, the error is `maybe_done`: `take_back`, as soon as the bank can be reached, makes sure that it is not.
        """
        try:
            return self._bet(game, action, user, amount, transcript, believed)
        except BankUnavailable as error:
            if not error.maybe_done:
                raise
            try:
                booked, pot, balance = self._booked(game, action, user)
            except StoreError:
                raise error from None
            if booked == amount:
                return pot, balance
            error.maybe_done = False
            raise

    def take_back(self, game: int, action: int, user: int) -> int:
        """Give back what is booked for a bet that its table never took; returns the pot. Raises `GameClosed`."""
        with self._store.writing() as books:
            open_game = ledger.need_open(books, game)
            return open_game.pot + wagers.rebook(
                books, self._clock(), wagers.bet_key(game, action, user), open_game, user, 0
            )

    def _booked(self, game: int, action: int, user: int) -> tuple[int, int, int]:
        """Return what is booked for a bet, the pot and the user's balance."""
        with self._store.reading() as books:
            booked, _ = wagers.booked(books, wagers.bet_key(game, action, user), user)
            return booked, ledger.need_open(books, game).pot, ledger.balance(books, "user", user)

    def _bet(
        self,
        game: int,
        action: int,
        user: int,
        amount: int,
        transcript: Transcript | None,
        believed: Mapping[int, int] | None,
    ) -> tuple[int, int]:
        with self._store.writing() as books:
            done = wagers.bet(books, self._clock(), game, action, user, amount, believed)
            game_log.keep(books, game, transcript)
            return done

    def settle(self, game: int, shares: Mapping[int, int], transcript: Transcript | None = None) -> Settlement:
        """Close a game: all that its pot holds is divided by the users' shares; the rest of its chronicle is kept.

        Where nobody has a share, the house gets it. Again with the same shares, it tells what was paid. Raises
        `GameClosed` where the pot went elsewhere before.
        """
        with self._store.writing() as books:
            outcome = ledger.outcome_of(books, game)
            if outcome is None:
                ledger.pay_out(books, self._clock(), ledger.need_open(books, game), shares)
                game_log.keep(books, game, transcript)
            paid = ledger.received(books, f"payout:{game}")
            pot = ledger.paid_out(books, game)
            due = split(pot, shares)
            won = {user: part for user, part in due.items() if part}
            if outcome not in (None, ledger.ending(shares)) or paid != won:
                raise GameClosed(game, outcome)
            return Settlement(pot, due if any(shares.values()) else {})

    def refund(self, game: int) -> dict[int, int]:
        """Close a game and give everybody back what he put in; returns that, also when repeated.

        Raises `GameClosed` where the pot was paid out.
        """
        with self._store.writing() as books:
            outcome = ledger.outcome_of(books, game)
            if outcome is None:
                return ledger.refund(books, self._clock(), ledger.need_open(books, game), notify=False)
            if outcome != "refunded":
                raise GameClosed(game, outcome)
            return ledger.received(books, f"refund:{game}")

    def give_back(self, game: int, user: int, action: int) -> Back | None:
        """Give a user back what he has paid into a game that goes on without him; None where that is nothing.

        Once in a game; again, it tells what went back. Bets booked with `action` are unknown to the rules: the table
        never saw them. The user finds a notice at his login. Raises `GameClosed`.
        """
        with self._store.writing() as books:
            amount = wagers.give_back(books, self._clock(), ledger.need_open(books, game), user)
            unseen = (ledger.posted(books, wagers.bet_key(game, action, user)) or {}).get(
                ledger.account_id(books, "user", user), 0
            )
            return Back(amount, amount + unseen, ledger.need_open(books, game).pot) if amount else None

    def keep(self, game: int, transcript: Transcript) -> None:
        """Keep a game's deeds; all of its chronicle, if the ledger has closed it already."""
        with self._store.writing() as books:
            game_log.keep(books, game, transcript)

    def pot(self, game: int) -> int:
        """Give what a game's pot holds; 0 once it is closed. Raises `GameClosed` for a game that never was."""
        with self._store.reading() as books:
            return 0 if ledger.outcome_of(books, game) else ledger.need_open(books, game).pot

    def open_games(self) -> list[OpenGame]:
        """Give the games that are not paid out, by table."""
        with self._store.reading() as books:
            return ledger.open_games(books)

    def settle_leftovers(
        self,
        table_no: int | None = None,
        running: int | None = None,
        chronicles: Mapping[int, Transcript] | None = None,
    ) -> list[Refunded]:
        """Refund the open games, or that of one table, but for the game `running`; users find a notice at their login.

        At start-up no table plays anything. Later only who holds a table's lock knows what it plays, so he names it:
        other tables' games begin and end at this very moment. `chronicles`, by game, are what is still known of them.
        """
        with self._store.reading() as books:
            if all(game.number == running for game in ledger.open_games(books, table_no)):
                return []
        with self._store.writing() as books:
            left = [game for game in ledger.open_games(books, table_no) if game.number != running]
            now = self._clock()
            done = [Refunded(g.number, g.table_no, ledger.refund(books, now, g, notify=True)) for g in left]
            for game in left:
                game_log.keep(books, game.number, (chronicles or {}).get(game.number))
            return done

    # --- history -------------------------------------------------------------------------------------------------

    def games(self, asked: Asked = EVERYTHING) -> list[Summary]:
        """Give games, newest first."""
        with self._store.reading() as books:
            return history.games(books, asked)

    def game(self, number: int) -> PastGame | None:
        """Give all that is known of one game; None if there never was one of this number."""
        with self._store.reading() as books:
            return history.game(books, number)

    # --- inspection ----------------------------------------------------------------------------------------------

    def inspect(self) -> tuple[Figures | None, list[str]]:
        """Give the books in numbers (None if they are too damaged to count) and what is wrong with them, line by line.

        Looks at a copy, so that nobody who plays has to wait.
        """
        with closing(self._store.copy()) as books:
            found = problems(books)
            try:
                return figures(books), found
            except DatabaseError:
                return None, found

    def audit(self) -> list[str]:
        """Give what is wrong with the books, one line each; nothing if they are sound."""
        return self.inspect()[1]

    def figures(self) -> Figures:
        """Give the books in numbers."""
        with self._store.reading() as books:
            return figures(books)
