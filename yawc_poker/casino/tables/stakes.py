"""Stakes: a table's dealings with the bank.

Owns the way from a value of the table and a change of it to the ledger's transactions, and the log lines of a bank that
fails. Never commits a value, calls no rule, takes no lock of a table: `transaction` owns the order, and holds the
table's lock around every method here. Each method that takes a table's value returns it updated with the ledger's
answer, but not yet committed. If the process dies before that, the ledger is right already and the table is behind.

What happened in a game is noted in its value (`engine.transcript`) and goes to the bank with its other transactions:
the first action and the seal with the antes, more with a bet once there are enough, the rest with the payout. A bet
takes along only committed actions, so a process that repeats it, or carries on without it, writes the same rows.

Every method may raise `BankUnavailable`, a `StoreError`, unless its docstring allows for a bank that fails.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import GameClosed, NotEnough, Settlement
from yawc_poker.casino.store.connection import Store, StoreError
from yawc_poker.config import House
from yawc_poker.engine import transcript
from yawc_poker.engine.against_house import EVERYBODY, LEAST, PURSE, AgainstHouse
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyChange, AnyTable, Back

log = logging.getLogger(__name__)

_USUAL: Final = House()


def known_cash(table: AnyTable) -> dict[int, int]:
    """Return what the table knows each seat owns."""
    return {seat: who.cash for seat, who in enumerate(table.seats) if who is not None}


class Stakes:
    """The bank, as one table with its kind of game uses it."""

    __slots__ = ("_bank", "_house", "_name", "_number", "_unsure")  # a session has one for every table it came by

    def __init__(self, bank: Bank, number: int, name: str, house: House = _USUAL) -> None:
        """`name` is the table's, which begins with the kind of its game."""
        self._bank = bank
        self._number = number
        self._name = name
        self._house = house
        self._unsure: tuple[int, int, int] | None = None
        """Game, action and user of a bet of which this session could not see whether the bank has booked it."""

    @property
    def store(self) -> Store:
        """The database in which the bank keeps its books."""
        return self._bank.store

    # --- what people own ----------------------------------------------------------------------------------------------

    def balance(self, user: int) -> int:
        """Return what a user owns."""
        return self._bank.balance(user)

    def cash(self, table: AnyTable) -> dict[int, int]:
        """Return what the bank says each seat owns."""
        users = {seat: who.user for seat, who in enumerate(table.seats) if who is not None}
        balances = self._bank.balances(users.values())
        return {seat: balances.get(user, 0) for seat, user in users.items()}

    def cash_or_known(self, table: AnyTable) -> dict[int, int]:
        """Return what the bank says each seat owns, or what the table last knew if the bank cannot say."""
        try:
            return self.cash(table)
        except StoreError:
            return known_cash(table)

    # --- what people and house players play for ---------------------------------------------------------------------

    def lend(self, house: Sequence[int], ante: int) -> None:
        """Fill the purses of these house players who own too little for a game that takes so many CUBES."""
        owned = self._bank.balances(house)
        for user in house:
            if owned[user] < LEAST * ante:
                self._bank.fill_purse(user, PURSE * ante)

    def agree(self, game: AgainstHouse) -> AgainstHouse:
        """Return who of those in a game that begins plays for fun with house players."""
        return self._bank.agree(game, self.share_of)

    def share_of(self, share: str) -> int:
        """Return how many CUBES a share (`Person.shares`) has on a day."""
        return self._house.daily_cubes if share == EVERYBODY else self._house.daily_share

    # --- while a game runs --------------------------------------------------------------------------------------------

    def pay(self, before: AnyTable, change: AnyChange, known: Mapping[int, int] | None) -> AnyTable:
        """Move the money of a change, antes or bets, and return the table with its game's number and its pot.

        `known` is what each seat was taken to own when the change was allowed. Raise `IllegalMove` if a player has not
        enough, `Outdated` if one does not own what is `known`, and `GameClosed`; then nothing has changed.
        """
        table = change.table
        stakes = {_user(before, payment.seat): payment.amount for payment in change.payments}
        if before.game is None and table.game is not None:
            try:
                number, _ = self._bank.open_game(self._number, self._name.partition(" ")[0], stakes, table.transcript)
            except NotEnough:
                raise IllegalMove("ante_gone") from None
            if table.transcript is not None and table.transcript.forfeit:
                table = replace(table, pot=self._bank.pot(number))
            return replace(table, number=number, transcript=transcript.opened(table.transcript))
        if not stakes:
            return self._relieved(before, table)
        due = transcript.due(before.transcript)
        believed = known and {who.user: known[seat] for seat, who in enumerate(before.seats) if who is not None}
        ((user, amount),) = stakes.items()  # `engine.game.Step`: several pay at the deal or at the end
        try:
            pot, _ = self._bank.bet(before.number, before.action, user, amount, due, believed)
        except NotEnough as refusal:
            raise IllegalMove("not_enough", cubes=refusal.balance) from None
        except StoreError as error:
            self._unsure = (before.number, before.action, user) if error.maybe_done else None
            raise
        return replace(table, pot=pot, transcript=transcript.without(table.transcript, due))

    @property
    def is_unsure(self) -> bool:
        """Whether a bet of this session may be booked that its table never took."""
        return self._unsure is not None

    def clear_up(self, table: AnyTable) -> AnyTable:
        """Make the bank take back a bet that it did not confirm and that did not count, if it was booked at all."""
        if self._unsure is None:
            return table
        game, action, user = self._unsure
        try:
            pot = self._bank.take_back(game, action, user)
        except GameClosed:
            pot = table.pot
        self._unsure = None
        return replace(table, pot=pot) if table.game is not None and table.number == game else table

    def take_back_unseen(self, table: AnyTable, seat: int) -> AnyTable:
        """Make the bank take back a bet of the player in a seat that the table never took, if there is one.

        For a seat whose session changes: the old one may have died between ledger and commit. If the bank cannot, the
        next bet brings what was booked to its own amount, or the pot keeps it, as that of any player who died so.
        """
        if table.game is None:
            return table
        try:
            return replace(table, pot=self._bank.take_back(table.number, table.action, _user(table, seat)))
        except GameClosed:
            return table  # the table learns so at the next bet or payout
        except StoreError as error:
            log.error("table %s: a bet that may be booked was not looked for: %s", self._name, error)
            return table

    def _relieved(self, before: AnyTable, table: AnyTable) -> AnyTable:
        """Write the actions of a game without bets to the bank once they are many; if it fails, the game goes on."""
        due = transcript.due(before.transcript, transcript.MANY)
        if due is None:
            return table
        try:
            self._bank.keep(before.number, due)
        except StoreError as error:
            log.error("table %s: what is done in game %d waits for the bank: %s", self._name, before.number, error)
            return table
        return replace(table, transcript=transcript.without(table.transcript, due))

    def written(self, table: AnyTable) -> AnyTable:
        """Write the actions to the bank once they are many: players may come and go without a bet."""
        due = transcript.due(table.transcript)
        if due is None:
            return table
        self._bank.keep(table.number, due)
        return replace(table, transcript=transcript.without(table.transcript, due))

    def give_back(self, table: AnyTable, seat: int) -> Back | None:
        """Refund what the player in a seat paid into the running game; return None if that is nothing.

        This comes before the seat is freed: if the process dies in between, the next one finds the seat and does it
        again, and the bank pays once only.
        """
        try:
            return self._bank.give_back(table.number, _user(table, seat), table.action)
        except GameClosed:
            return None  # the table learns so at the next bet or payout

    # --- when it ends -------------------------------------------------------------------------------------------------

    def settle(self, table: AnyTable) -> Settlement | None:
        """Pay the pot of a decided game out by its shares and return how, or None if the bank cannot yet.

        What users still owe the pot is taken in the same transaction, and what people and house players won of each
        other for fun goes back.
        Shares are by user here, in the order of `Game.payouts`; `engine.table.split` divides the pot by them.
        Raise `GameClosed`.
        """
        shares = {due.user: due.share for due in table.due}
        debts = {debt.user: debt.amount for debt in table.debts}
        points = {one.user: one.amount for one in table.points}
        winners = [due.user for due in table.due if due.won]
        try:
            against = table.against_house
            return self._bank.settle(
                table.number, shares, table.transcript, debts, points, winners, against, self.share_of
            )
        except GameClosed:
            raise
        except StoreError as error:
            log.error("table %s: game %d cannot be paid out yet: %s", self._name, table.number, error)
            return None

    def keep_rest(self, table: AnyTable) -> None:
        """Write the rest of a game that the ledger has closed already to the bank; log it if that fails."""
        if table.transcript is None:
            return
        try:
            self._bank.keep(table.number, table.transcript)
        except StoreError as error:
            log.error("table %s: the history of game %d ends here: %s", self._name, table.number, error)

    def refund(self, table: AnyTable) -> None:
        """Refund the stakes of the game that a table plays: nobody plays it any more. Once only, as `settle`."""
        rest = {} if table.transcript is None else {table.number: table.transcript}
        for left in self._bank.settle_leftovers(self._number, transcripts=rest):
            log.warning("table %s: stakes of the unfinished game %d went back", self._name, left.number)

    def refund_unknown(self, table: AnyTable) -> None:
        """Refund the stakes of a game in the ledger that this table does not know; log it if that fails.

        This comes before the seat of its master is freed: if the process dies in between, the next one finds the seat
        and does it again.
        """
        running = table.number if table.game is not None else None
        try:
            for left in self._bank.settle_leftovers(self._number, running):
                log.warning("table %s: stakes of the unfinished game %d went back", self._name, left.number)
        except StoreError as error:
            log.error("table %s: stakes of an unfinished game could not go back yet: %s", self._name, error)


def _user(table: AnyTable, seat: int) -> int:
    who = table.seats[seat]
    assert who is not None, f"seat {seat} pays, but nobody sits there"
    return who.user
