"""The bank: CUBES move between users, the tables' pots, the house and the mint; nowhere else is money kept.

Owns the transactions on its books (double entry: `ledger`; layout: `store.books`). Knows no rule of a game, nor what a
table believes of its pot: the pot's account decides what is paid. Users are their ids. Invariants:

* A method is one transaction: it happens as a whole, or raises and has changed nothing.
* Every movement has a key that is used once. Repeating a call after a crash moves nothing twice, so a process that
  finds a half-finished business (purge, start-up, override) does it again.

Every method may raise `BankUnavailable`; that and every other refusal is a `BankError`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.bank import allowance, game_log, history, ledger, wagers, winnings
from yawc_poker.casino.bank.audit import Figures, figures, problems
from yawc_poker.casino.bank.history import EVERYTHING, Asked, PastGame, Summary
from yawc_poker.casino.bank.ledger import (
    BankUnavailable,
    GameClosed,
    OpenGame,
    Settlement,
)
from yawc_poker.casino.bank.wagers import Refunded
from yawc_poker.casino.bank.winnings import Shares
from yawc_poker.casino.store.connection import FAILURES, Connection, Store, StoreError, read_row, read_rows
from yawc_poker.engine.against_house import NOBODY, AgainstHouse, agreed
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.transcript import Transcript
from yawc_poker.engine.values import Back

CREDIT_PER_CUBE = 3600
"""Seconds online times CUBES an hour that make one CUBE."""
_PIECE: Final = 64
"""Games of the history that are read in one transaction."""


class GameCount(msgspec.Struct, frozen=True):
    """Games of one kind that a user played (but for those that were refunded), those that they won, their points."""

    kind: str
    played: int
    won: int
    points: int | None = None
    """The sum of all games, or None if the game counts none, or did not keep them yet."""


class Bank:
    """The bank of one BBS."""

    def __init__(self, books: Store) -> None:
        self.store = books

    def close(self) -> None:
        """Close the books; the next use opens them again."""
        self.store.close()

    # --- users ---------------------------------------------------------------------------------------------------

    def welcome(self, user: int, amount: int) -> bool:
        """Pay a new user their starting CUBES; return False, and move nothing, if they ever had them."""
        key = f"welcome:{user}"
        with self.store.reading() as books:
            if ledger.posted(books, key) is not None:
                return False
        with self.store.writing() as books:
            if ledger.posted(books, key) is not None:
                return False
            return ledger.move(books, self.store.clock(), key, "mint", user, amount, ledger.mint_of(user))

    def balance(self, user: int) -> int:
        """Return what a user owns; 0 for one without an account."""
        return self.balances([user])[user]

    def balances(self, users: Iterable[int]) -> dict[int, int]:
        """Return what these users own at one moment; 0 for one without an account."""
        wanted = list(users)
        with self.store.reading() as books:
            held = ledger.purses(books, wanted)
        return {user: held[user][1] if user in held else 0 for user in wanted}

    def earn(self, user: int, key: str, seconds: float, per_hour: float) -> int:
        """Pay for time online at `per_hour` CUBES an hour; fractions of a CUBE are kept for the next time.

        `key` names this stretch of time. Return the CUBES it brought, the same if the user's latest key comes again.
        """
        if seconds < 0 or per_hour < 0:
            raise ValueError(f"{seconds} s at {per_hour} an hour")
        full_key = f"online:{user}:{key}"
        with self.store.writing() as books:
            now = self.store.clock()
            ledger.hold_purse(books, user)
            account = ledger.purse(books, user)
            known, last_key = ledger.credit(books, account)
            if last_key == key or ledger.posted(books, full_key) is not None:
                return (ledger.posted(books, full_key) or {}).get(account, 0)
            whole, rest = divmod(known + seconds * per_hour, CREDIT_PER_CUBE)
            books.execute(
                "INSERT INTO online (account, credit, last_key) VALUES (?, ?, ?)"
                " ON CONFLICT (account) DO UPDATE SET credit = excluded.credit, last_key = excluded.last_key",
                (account, rest, key),
            )
            if cubes := int(whole):
                ledger.move(books, now, full_key, "mint", user, cubes, ledger.mint_of(user))
            return cubes

    def unmake(self, user: int) -> int:
        """Move all that a guest owns back to the mint, which welcomed them; return how much.

        Repeating it moves nothing.
        """
        with self.store.writing() as books:
            ledger.hold_purses(books, (user,))
            amount, number = ledger.owned(books, user), 1
            while ledger.posted(books, key := f"welcome:{user}:back:{number}") is not None:
                number += 1
            if amount:
                ledger.move(books, self.store.clock(), key, "mint", user, -amount, ledger.mint_of(user))
            return amount

    def at_stake(self, user: int) -> int:
        """Return what a user has paid into the pots of games that are not over."""
        with self.store.reading() as books:
            return wagers.at_stake(books, user)

    def records(self, user: int) -> list[GameCount]:
        """Count a user's games, by kind."""
        query = """
            SELECT kind, count(*), count(winner.user), sum(points.points)
            FROM player JOIN game ON game.id = player.game
            LEFT JOIN winner ON winner.game = player.game AND winner.user = player.user
            LEFT JOIN points ON points.game = player.game AND points.user = player.user
            WHERE player.user = ? AND coalesce(outcome, '') <> 'refunded' GROUP BY kind ORDER BY kind
        """
        return [GameCount(*row) for row in read_rows(self.store, query, (user,))]

    def withheld(self, user: int) -> int:
        """Return how many texts a user has withheld when a game was to begin."""
        query = "SELECT count(*) FROM unrevealed WHERE user = ? AND why = 'withheld'"
        return int(read_row(self.store, query, (user,))[0])

    @contextmanager
    def telling(self, user: int) -> Iterator[list[tuple[int, int]]]:
        """Yield (game, CUBES) of each refund after a crash that this user was not told of, the oldest first.

        They count as told when the block ends without an error: if the process is killed in it, the user is told again.
        """
        query = """
            SELECT notice.id, game, amount FROM notice JOIN account ON account.id = notice.account
            WHERE kind = 'user' AND ref = ? AND told IS NULL ORDER BY notice.id
        """
        untold = read_rows(self.store, query, (user,))
        yield [(game, cubes) for _, game, cubes in untold]
        if untold:
            with self.store.writing() as books:
                now = self.store.clock()
                books.executemany("UPDATE notice SET told = ? WHERE id = ?", [(now, number) for number, *_ in untold])

    # --- house players ---------------------------------------------------------------------------------------------

    def fill_purse(self, user: int, upto: int) -> int:
        """Move CUBES from the house to a house player who owns fewer than `upto`; return what they own now.

        What the house does not have is newly made. Repeating it moves nothing.
        """
        with self.store.writing() as books:
            now = self.store.clock()
            ledger.hold_purse(books, user)
            ledger.hold_house(books)
            if (amount := upto - ledger.owned(books, user)) > 0:
                ledger.give(books, now, _next_key(books, user, int(now // ledger.DAY)), user, amount)
            return ledger.owned(books, user)

    def agree(self, game: AgainstHouse, shares: Shares) -> AgainstHouse:
        """Return who of those in a game that begins plays for fun with house players: a share of theirs is used up."""
        with self.store.reading() as books:
            day = int(self.store.clock() // ledger.DAY)
            return agreed(game, winnings.used_up(books, game, day, shares), day)

    def allow(self, user: int, amount: int, least: int) -> int:
        """Pay a user the allowance of the day if they own less than `least`, property included; return what they got.

        Once on each day of the BBS's local calendar.
        """
        if not amount:
            return 0
        with self.store.reading() as books:
            if not allowance.is_due(books, self.store.clock(), user, least):
                return 0
        with self.store.writing() as books:
            return allowance.give(books, self.store.clock(), user, amount, least)

    # --- by a sysop ----------------------------------------------------------------------------------------------

    def grant(self, action: int, user: int, amount: int) -> tuple[int, int]:
        """Pay a user newly made CUBES; return how many, and what they own now. Once for each sysop action."""
        with self.store.writing() as books:
            ledger.move(books, self.store.clock(), f"grant:{action}", "mint", user, amount)
            return amount, ledger.owned(books, user)

    def take(self, action: int, user: int, amount: int | None) -> tuple[int, int]:
        """Move CUBES from a user to the house, None: all they own; return how many, and what is left.

        Once for each sysop action. Raise `NotEnough`.
        """
        key = f"take:{action}"
        with self.store.writing() as books:
            ledger.hold_purses(books, (user,))
            if amount is None:
                before = ledger.posted(books, key) or {}
                amount = -before.get(ledger.purse(books, user), -ledger.owned(books, user))
            if amount:
                ledger.move(books, self.store.clock(), key, "house", user, -amount)
            return amount, ledger.owned(books, user)

    # --- games ---------------------------------------------------------------------------------------------------

    def open_game(
        self, table_no: int, kind: str, stakes: Mapping[int, int], transcript: Transcript | None = None
    ) -> tuple[int, dict[int, int]]:
        """Open a game and take each user's stake into the pot; return its number and those users' new balances.

        Of its transcript what was before the deal, and the first action, are kept, so they are safe before the first
        move. Who withheld a text at its start pays what they owe the pot for that, as far as they own it.
        A game still open at this table was left by a process that died before its table knew of it: its stakes go
        back first. Raise `NotEnough`.
        """
        with self.store.writing() as books:
            now = self.store.clock()
            left = ledger.open_games(books, table_no)
            owing = game_log.forfeits(transcript)
            ledger.hold_stakes(books, left, {*stakes, *owing})
            for other in left:
                ledger.refund(books, now, other, notify=True)
            game = ledger.new_game(books, (table_no, kind, now, *game_log.sealing(transcript)))
            players = [(user, game) for user in stakes or game_log.people(transcript)]
            books.executemany("INSERT INTO player VALUES (?, ?)", players)
            game_log.keep(books, game, transcript)
            game_log.keep_missing(books, game, transcript)
            held, pot = ledger.purses(books, {*stakes, *owing}), OpenGame(game, table_no, 0)
            ledger.stake(books, now, f"ante:{game}", pot, stakes, held)
            for user, amount in owing.items():
                if (paid := min(amount, held.get(user, (0, 0))[1])) > 0:
                    ledger.stake(books, now, f"ante:{game}:{user}", pot, {user: paid}, held)
            return game, {user: ledger.owned(books, user) for user in stakes}

    def bet(
        self,
        game: int,
        action: int,
        user: int,
        amount: int,
        transcript: Transcript | None = None,
        believed: Mapping[int, int] | None = None,
    ) -> tuple[int, int]:
        """Move a bet into the pot; return the pot and the user's balance.

        `action` numbers the actions of the game; the same bet again moves nothing, another amount the difference. The
        earlier actions in `transcript` are kept along with it. `believed` is what users were taken to own when the bet
        was allowed; it is compared first. Raise `NotEnough`, `GameClosed`, `Outdated`.

        If the commit fails, the books are asked whether the bet was booked; if so, it counts. If even that cannot be
        seen, the error is `maybe_done`: `take_back`, as soon as the bank can be reached, makes sure that it is not.
        """
        try:
            with self.store.writing() as books:
                open_game, balance = wagers.bet(books, self.store.clock(), game, action, user, amount, believed)
                game_log.keep_of(books, game, transcript, seal=open_game.seal, is_closed=False)
                return open_game.pot, balance
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
        """Move back what is booked for a bet that its table never took; return the pot. Raise `GameClosed`."""
        with self.store.writing() as books:
            open_game = ledger.need_open(books, game)
            return open_game.pot + wagers.rebook(
                books, self.store.clock(), wagers.bet_key(game, action, user), open_game, user, 0
            )

    def _booked(self, game: int, action: int, user: int) -> tuple[int, int, int]:
        """Return what is booked for a bet, the pot and the user's balance."""
        with self.store.checking() as books:
            pot = ledger.need_open(books, game).pot
            booked, _ = wagers.booked(books, wagers.bet_key(game, action, user), user)
            return booked, pot, ledger.owned(books, user)

    def settle(
        self,
        game: int,
        shares: Mapping[int, int],
        transcript: Transcript | None = None,
        debts: Mapping[int, int] | None = None,
        points: Mapping[int, int] | None = None,
        winners: Collection[int] | None = None,
        against: AgainstHouse = NOBODY,
        limits: Shares = winnings.unlimited,
    ) -> Settlement:
        """Close a game: all that its pot holds is divided by the users' shares; the rest of its transcript is kept.

        Before that users pay their debts into the pot, each at most what they own; all of it happens as a whole. The
        users' points are kept, and the winners (None: all with a share). If nobody has a share, the house gets the pot.
        What people and house players, `against` each other, won for fun or beyond the `limits` of a day goes back.
        A repeated call with the same shares returns what was paid. Raise `GameClosed` if the pot went elsewhere before.
        """
        with self.store.writing() as books:
            now, last = self.store.clock(), game_log.last_action(transcript)
            try:
                users = {*(debts or ()), *shares, *against.users}
                found = ledger.opened(books, game, users, wagers.debts_key(game, last))
            except GameClosed as closed:
                if closed.outcome is None:
                    raise
                done = wagers.settlement(books, game, shares)
                return replace(done, back=ledger.received(books, winnings.back_key(game)))
            owed = wagers.owed(debts or {}, found)
            before = winnings.paid(books, game, owed) if against.house else {}
            open_game = wagers.collect(books, now, found.game, last, owed, found)
            settled = ledger.pay_out(books, now, open_game, shares, found.held, winners)
            if against.house:
                back = winnings.give_back(books, now, found, against, before, settled.paid, limits)
                settled = replace(settled, back=back)
            ledger.close(books, now, game, ledger.ending(shares))
            game_log.score(books, game, points or {})
            game_log.keep_of(books, game, transcript, seal=open_game.seal, is_closed=True)
            return settled

    def refund(self, game: int) -> dict[int, int]:
        """Close a game and move everybody's stakes back; return them by user, also when repeated.

        Raise `GameClosed` if the pot was paid out.
        """
        with self.store.writing() as books:
            outcome = ledger.outcome_of(books, game)
            if outcome is None:
                return ledger.refund(books, self.store.clock(), ledger.need_open(books, game), notify=False)
            if outcome != "refunded":
                raise GameClosed(game, outcome)
            return ledger.received(books, f"refund:{game}")

    def give_back(self, game: int, user: int, action: int) -> Back | None:
        """Move back what a user has paid into a game that goes on without them; return None if that is nothing.

        Once in a game; a repeated call returns what went back. Bets booked with `action` are unknown to the rules: the
        table never saw them. The user finds a notice at their login. Raise `GameClosed`.
        """
        with self.store.writing() as books:
            amount = wagers.give_back(books, self.store.clock(), ledger.need_open(books, game), user)
            unseen = (ledger.posted(books, wagers.bet_key(game, action, user)) or {}).get(ledger.purse(books, user), 0)
            return Back(amount, amount + unseen, ledger.need_open(books, game).pot) if amount else None

    def keep(self, game: int, transcript: Transcript) -> None:
        """Keep a game's waiting actions; all of its transcript, if the ledger has closed it already."""
        with self.store.writing() as books:
            game_log.keep(books, game, transcript)

    def pot(self, game: int) -> int:
        """Return what a game's pot holds; 0 once it is closed. Raise `GameClosed` for a game that never was."""
        with self.store.reading() as books:
            return 0 if ledger.outcome_of(books, game) else ledger.need_open(books, game).pot

    def open_games(self) -> list[OpenGame]:
        """Return the games that are not paid out, by table."""
        with self.store.reading() as books:
            return ledger.open_games(books)

    def settle_leftovers(
        self,
        table_no: int | None = None,
        running: int | None = None,
        transcripts: Mapping[int, Transcript] | None = None,
    ) -> list[Refunded]:
        """Refund the open games, or that of one table, but for the game `running`; users find a notice at their login.

        At start-up no table plays anything. Later only the process that holds a table's lock knows what it plays, so it
        names that table: other tables' games begin and end at this very moment. `transcripts`, by game, hold what is
        still known of them.
        """
        with self.store.reading() as books:
            if all(game.number == running for game in ledger.open_games(books, table_no)):
                return []
        with self.store.writing() as books:
            left = [game for game in ledger.open_games(books, table_no) if game.number != running]
            ledger.hold_stakes(books, left)
            now = self.store.clock()
            done = [Refunded(g.number, g.table_no, ledger.refund(books, now, g, notify=True)) for g in left]
            for game in left:
                game_log.keep(books, game.number, (transcripts or {}).get(game.number))
            return done

    # --- history -------------------------------------------------------------------------------------------------

    def games(self, asked: Asked = EVERYTHING) -> list[Summary]:
        """Return games, newest first. They are read in pieces, between which others get at the books."""
        found: list[Summary] = []
        while (wanted := min(_PIECE, asked.limit - len(found))) > 0:
            before = found[-1].number if found else asked.before
            with self.store.reading() as books:
                piece = history.games(books, replace(asked, before=before, limit=wanted))
            found += piece
            if len(piece) < wanted:
                break
        return found

    def game(self, number: int) -> PastGame | None:
        """Return all that is known of one game; None if there never was one of this number."""
        with self.store.reading() as books:
            return history.game(books, number)

    # --- inspection ----------------------------------------------------------------------------------------------

    def inspect(self) -> tuple[Figures | None, list[str]]:
        """Return the books in numbers (None if they are too damaged to count) and each problem with them as a line.

        Looks at a copy, so that no player has to wait.
        """
        with closing(self.store.copy()) as books:
            found = problems(books)
            try:
                return figures(books), found
            except FAILURES:
                return None, found

    def audit(self) -> list[str]:
        """Return each problem with the books as a line; none if they are sound."""
        return self.inspect()[1]

    def figures(self) -> Figures:
        """Return the books in numbers."""
        with self.store.reading() as books:
            return figures(books)


def _next_key(books: Connection, user: int, day: int) -> str:
    """Return the key of the next filling of a purse: `house:NUMBER:DAY:N`."""
    start = f"house:{HOUSE_USERS.index(user) + 1}:{day}"
    query = "SELECT count(*) FROM txn WHERE key > ? || ':' AND key < ? || ';'"
    return f"{start}:{books.execute(query, (start, start)).fetchone()[0] + 1}"
