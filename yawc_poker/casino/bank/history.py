"""Past games as the bank's books have them: players, actions, payments, results and the proof.

Owns reading them, inside a transaction of `bank`; `casino.bank.game_log` writes them, `casino.bank.verify` checks them.
Nothing hidden is read of a running game: only players, seal, words and bets, which everybody at its table knows. The
same is left of a game that was broken off with its table; its deck is lost.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from yawc_poker.casino.bank.ledger import PLAYERS, Outcome
from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine import sealing
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.sealing import Begun, Deck, PlayerWord
from yawc_poker.engine.transcript import Action, ActionKind, Dealt, Held, Joined

_NOTHING = msgspec.Raw(b"null")


class Asked(msgspec.Struct, frozen=True):
    """A query for games: of a table (numbered from 0), of a user, before a game."""

    table: int | None = None
    user: int | None = None
    before: int | None = None
    limit: int = 20


EVERYTHING = Asked()


class PastPlayer(msgspec.Struct, frozen=True):
    """A player or onlooker of a game. Amounts in CUBES."""

    user: int
    name: str
    """Their name then; empty for a game from before there was a history."""
    seat: int | None
    """From 0; None if unknown."""
    ante: int = 0
    """0: they looked on, or the game has no stakes."""
    paid: int = 0
    """Ante and bets."""
    got: int = 0
    """The pot, or the stake back."""
    back: int = 0
    """The part of it that is the stake, given back while the game went on for others."""


def place_of(kind: str, table: int, called: str) -> str:
    """Return what the table of a past game is called, as `poker 2`, given what the table of this number is called now.

    Where that plays another game by now, it is told by its number among all.
    """
    return called if called.partition(" ")[0] == kind else f"{kind} #{table + 1}"


class Summary(msgspec.Struct, frozen=True):
    """A game in short."""

    number: int
    table: int
    """From 0."""
    kind: str
    opened: float
    """Epoch seconds."""
    closed: float | None
    outcome: Outcome | None
    """None: the game still runs."""
    seal: str | None
    """SHA-256 in hex digits; None for a game that was not sealed."""
    words: tuple[PlayerWord, ...] | None
    """The words that the sealed deck was dealt by; None for a game from before there were words."""
    players: tuple[PastPlayer, ...]
    """All who paid, and all who looked on when it began, by seat."""
    pot: int
    """All payments, less the stakes that went back while the game went on."""
    winner: PastPlayer | None
    """The first of `winners`, or None if nobody has won, or nobody yet."""
    winners: tuple[PastPlayer, ...] = ()
    """All who won, by seat."""


class GameLine(msgspec.Struct, frozen=True):
    """An action, or what only the ledger has: a "bet", or a "debt" that was paid when the game was closed.

    The process of such a bet's player died before the table was committed, or the table's transcript is lost.
    """

    number: int
    at: float
    """Epoch seconds."""
    kind: ActionKind | Literal["bet", "debt"]
    seat: int | None
    user: int
    name: str
    detail: msgspec.Raw = _NOTHING
    """JSON: a `Dealt`, a `Joined`, a `GivenBack` or the move."""
    amount: int = 0
    """CUBES paid with it."""
    cards: str = ""
    """The hand from then on, if it changed and is known."""


class Proof(msgspec.Struct, frozen=True):
    """The sealed deck, and the hands dealt from it."""

    order: str
    """The deck by position; of a game without words, as it was dealt, followed by the seed of later decks."""
    secret: str
    """The secret that gives all salts; of a game without words, the one salt."""
    hands: tuple[Held, ...]


class PastGame(msgspec.Struct, frozen=True, rename={"actions": "deeds"}):
    """One game with everything known of it. In JSON the actions are called `deeds`, as they always were."""

    game: Summary
    lines: tuple[GameLine, ...]
    proof: Proof | None
    """None while the game runs, and if it is lost."""
    actions: tuple[Action, ...]
    """The source of the lines; with the proof they replay the game."""
    begun: Begun | None
    """What the players were committed to, and the deals before it that came to nothing; None for a game from before
    players were committed to anything."""

    def dealing(self) -> Dealing:
        """Return the dealing; raise `ValueError` if it is not known, or not yet."""
        if self.proof is None:
            raise ValueError("what was sealed is not known")
        if self.game.words is None:
            return sealing.former_dealing(self.proof.order)
        return sealing.dealing(Deck(self.proof.secret, self.proof.order), self.game.words)


_Booked: TypeAlias = dict[tuple[int, int], tuple[float, int]]
"""When what was paid, by the number of an action and by user."""
_GAME = "SELECT id, table_no, kind, opened, closed, outcome, seal, words, commitments FROM game"
_Row = tuple[int, int, str, float, float | None, Outcome | None, str | None, str | None, str | None]
_GAME_OF_USER = _GAME.replace("FROM game", "FROM player CROSS JOIN game ON game.id = player.game")
"""In the order of `player`'s key, so that the newest games are found without reading the others."""


def games(books: Connection, asked: Asked) -> list[Summary]:
    """Return games, newest first."""
    number = "id" if asked.user is None else "player.game"
    wanted = {"user": "user = :user", "table": "table_no = :table", "before": f"{number} < :before"}
    where = [text for name, text in wanted.items() if getattr(asked, name) is not None] or ["1 = 1"]
    source = _GAME if asked.user is None else _GAME_OF_USER
    query = f"{source} WHERE {' AND '.join(where)} ORDER BY {number} DESC LIMIT :limit"
    rows = books.execute(query, msgspec.structs.asdict(asked)).fetchall()
    return [_summary(books, row) for row in rows]


def game(books: Connection, number: int) -> PastGame | None:
    """Return one game; None if there never was one of this number."""
    row = books.execute(f"{_GAME} WHERE id = ?", (number,)).fetchone()
    if row is None:
        return None
    summary, actions = _summary(books, row), _actions(books, number)
    proof = _proof(books, number)
    told = tuple(action for action in actions if summary.outcome is not None or action.kind == "deal")
    lines = sorted(_lines(books, summary, told, proof), key=lambda line: (line.number, line.kind in {"bet", "debt"}))
    return PastGame(summary, tuple(lines), proof, told, _begun(row[-1]))


def _summary(books: Connection, row: _Row) -> Summary:
    number, table, kind, opened, closed, outcome, seal, given, commitments = row
    words = None if given is None else msgspec.json.decode(given, type=tuple[PlayerWord, ...])
    players = tuple(_players(books, number, _begun(commitments)))
    won = {user for (user,) in books.execute("SELECT user FROM winner WHERE game = ?", (number,))}
    winners = tuple(player for player in players if player.user in won)
    pot = sum(player.paid - player.back for player in players)
    winner = winners[0] if winners else None
    return Summary(number, table, kind, opened, closed, outcome, seal, words, players, pot, winner, winners)


def _begun(commitments: str | None) -> Begun | None:
    return None if commitments is None else msgspec.json.decode(commitments, type=Begun)


def _players(books: Connection, number: int, begun: Begun | None) -> list[PastPlayer]:
    """Return players and onlookers, and who paid for a text that they withheld.

    CROSS JOIN keeps SQLite from starting with all users and all their entries."""
    query = f"""
        SELECT ref,
            -coalesce(sum(amount) FILTER (WHERE txn.kind = 'ante'), 0),
            -coalesce(sum(amount) FILTER (WHERE txn.kind IN ('ante', 'bet')), 0),
            coalesce(sum(amount) FILTER (WHERE txn.kind IN ('payout', 'refund')), 0),
            coalesce(sum(amount) FILTER (WHERE txn.kind = 'refund' AND txn.key <> 'refund:' || txn.game), 0)
        FROM txn CROSS JOIN entry ON txn.id = entry.txn CROSS JOIN account ON account.id = account
        WHERE game = ? AND {PLAYERS} GROUP BY ref
    """
    money = {user: sums for user, *sums in books.execute(query, (number,))}
    found = books.execute("SELECT detail FROM deed WHERE game = ? AND number = 0", (number,)).fetchone()
    people = msgspec.json.decode(found[0], type=Dealt).people if found else ()
    seated = [PastPlayer(one.user, one.name, one.seat, *money.pop(one.user, (0, 0, 0, 0))) for one in people]
    missing = {one.user: one.name for deal in (begun.discarded if begun else ()) for one in deal.missing}
    return seated + [PastPlayer(user, missing.get(user, ""), None, *sums) for user, sums in money.items()]


def _actions(books: Connection, number: int) -> tuple[Action, ...]:
    query = "SELECT number, at, kind, seat, user, detail, cash FROM deed WHERE game = ? ORDER BY number"
    return tuple(
        Action(number, at, kind, seat, user, detail, cash and msgspec.json.decode(cash, type=dict[int, int]))
        for number, at, kind, seat, user, detail, cash in books.execute(query, (number,))
    )


def _proof(books: Connection, number: int) -> Proof | None:
    found = books.execute("SELECT sealed, salt, hands FROM proof WHERE game = ?", (number,)).fetchone()
    if found is None:
        return None
    order, secret, hands = found
    return Proof(order, secret, msgspec.json.decode(hands, type=tuple[Held, ...]))


def _lines(books: Connection, summary: Summary, actions: tuple[Action, ...], proof: Proof | None) -> Iterator[GameLine]:
    booked, debts = _booked(books, summary.number)
    bets = {paid: (at, amount) for paid, (at, amount) in sorted(booked.items()) if amount}
    names = _names(summary, actions)
    hands = {(held.number, held.seat): held.cards for held in (proof.hands if proof else ())}
    for action in actions:
        _, amount = bets.pop((action.number, action.user), (0.0, 0)) if action.kind == "move" else (0.0, 0)
        detail = msgspec.Raw(action.detail.encode()) if action.detail else _NOTHING
        at, cards = (
            summary.opened + action.at,
            "" if action.kind == "deal" else hands.get((action.number, action.seat), ""),
        )
        yield GameLine(
            action.number, at, action.kind, action.seat, action.user, names.get(action.user, ""), detail, amount, cards
        )
    seats = {player.user: player.seat for player in summary.players}
    for (number, user), (at, amount) in bets.items():
        yield GameLine(number, at, "bet", seats.get(user), user, names.get(user, ""), amount=amount)
    for (number, user), (at, amount) in debts.items():
        yield GameLine(number, at, "debt", seats.get(user), user, names.get(user, ""), amount=amount)


def _names(summary: Summary, actions: tuple[Action, ...]) -> Mapping[int, str]:
    joined = {
        action.user: msgspec.json.decode(action.detail, type=Joined).name
        for action in actions
        if action.kind in {"join", "stand_in"}
    }
    return {**joined, **{player.user: player.name for player in summary.players}}


def _booked(books: Connection, number: int) -> tuple[_Booked, _Booked]:
    """Return the bets of a game, and the debts that were paid when it was closed.

    A bet has its user in the key. It may have been booked in steps, and taken back (`wagers.rebook`): the sum counts.
    """
    query = f"""
        SELECT key, at, ref, -amount
        FROM txn CROSS JOIN entry ON txn.id = entry.txn CROSS JOIN account ON account.id = account
        WHERE game = ? AND txn.kind = 'bet' AND {PLAYERS}
    """
    bets: _Booked = {}
    debts: _Booked = {}
    for key, at, user, amount in books.execute(query, (number,)):
        _, _, action, *of_user = key.split(":")
        found, paid = bets if of_user else debts, (int(action), int(user))
        since, before = found.get(paid, (float(at), 0))
        found[paid] = (min(since, float(at)), before + int(amount))
    return bets, debts
