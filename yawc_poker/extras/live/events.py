"""Events in order, read from what the databases keep: logins and logouts, games that are over, sysop actions.

Owns what an event tells, and positions: how far a reader has read in each source. What happens in extras is among the
ledger's transactions, and told as they say it (`casino.instance.happenings`). As the sources are durable, a reader may
stop and go on at a position, whatever happened meanwhile, also to the BBS: every event is told at least once. Where
something is not there any more, an event "lost" says so. Nothing here waits; each look takes four short transactions.
"""

from collections.abc import Iterable
from heapq import merge
from typing import Final, Literal, NamedTuple, Self

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.bank import history
from yawc_poker.casino.bank.history import Asked, PastPlayer, Summary
from yawc_poker.casino.instance import happenings
from yawc_poker.casino.instance.happenings import HappeningKind
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.actions import finish_pending
from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import numbers_given
from yawc_poker.casino.users import visits
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.casino.users.visits import Visit, open_logins, write_gone

PENDING_SECONDS: Final = 60.0
"""How long a sysop action may wait for its CUBES until they are moved here: its process was killed."""
BATCH: Final = 50
"""Events of each source in one look."""

EventKind = Literal["login", "logout", "game", "sysop", "lost"] | HappeningKind


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event; fields that mean nothing for its kind are left out."""

    event: EventKind
    at: float
    """Epoch seconds."""
    position: str
    """Of a reader who has read this one."""
    name: str = ""
    """Who came or went; what a tournament is called."""
    gone: bool = False
    """The session was killed, so it could not log out; the time is when that was noticed."""
    game: str = ""
    """The game's short name."""
    number: int = 0
    """In the history of games; a tournament's."""
    table: int = 0
    """From 1, among all tables."""
    table_name: str = ""
    """What the table is called, as `poker 2`."""
    outcome: str = ""
    """won, lost (to the house), or refunded: broken off."""
    pot: int = 0
    """In CUBES."""
    players: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()
    act: str = ""
    """The kind of a sysop action; what became of a tournament."""
    target: str = ""
    by: str = ""
    reason: str = ""
    cubes: int | None = None
    until: float | None = None
    count: int | None = None
    """How many visits are lost; left out where nobody knows. A tournament's round."""


class Position(NamedTuple):
    """How far a reader has read: the number of the last visit, ledger transaction and sysop action."""

    visit: int = 0
    txn: int = 0
    act: int = 0

    def __str__(self) -> str:
        return ".".join(map(str, self))

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a position as `str` wrote it. Raise `ValueError`."""
        numbers = text.split(".")
        if len(numbers) != len(cls._fields) or not all(one.isascii() and one.isdecimal() for one in numbers):
            raise ValueError(f"not a position: {text[:40]!r}")
        return cls(*(min(int(one[:19]), 2**62) for one in numbers))


class NextEvents(NamedTuple):
    """What was found behind a position."""

    events: list[Event]
    position: Position
    """Behind all of them."""
    is_all: bool
    """There was no more at that moment."""
    pending_since: float | None
    """Since when a sysop action waits for its CUBES to move (epoch seconds): later ones wait behind it."""


class _Found(NamedTuple):
    """An event, and the position in its own source."""

    event: Event
    source: Literal["visit", "txn", "act"]
    number: int


def newest(instance: Instance) -> Position:
    """Return the position behind everything that happened. Raise `StoreError`."""
    txn, visit = _settled(instance.bank.store, "txn"), _settled(instance.accounts.store, "visit")
    with instance.bank.store.reading() as books:
        txn = min(txn, _highest(books, "txn"))
    with instance.accounts.store.reading() as users:
        return Position(min(visit, _highest(users, "visit")), txn, _highest(users, "act"))


def before(instance: Instance, events: int) -> Position:
    """Return a position with so many events of each source behind it. Raise `StoreError`."""
    upto = _settled(instance.bank.store, "txn")
    with instance.bank.store.reading() as books:
        txn = _nth_last(books, f"txn WHERE id <= {upto} AND ({_IS_OVER} OR {happenings.condition()})", events)
    upto = _settled(instance.accounts.store, "visit")
    with instance.accounts.store.reading() as users:
        visit = _nth_last(users, f"visit WHERE id <= {upto}", events)
        return Position(visit, txn, _nth_last(users, "act WHERE pending = 0", events))


_IS_OVER: Final = "(game IS NOT NULL AND (kind = 'payout' OR (kind = 'refund' AND key = 'refund:' || game)))"
"""SQL: a transaction that closes a game. Every game that is closed has one, also without CUBES."""


def _settled(store: Store, table: Literal["visit", "txn"]) -> int:
    """Return a number up to which no row appears any more after those that a later transaction finds."""
    with store.reading() as database:
        return numbers_given(database, table)


def _nth_last(database: Connection, source: str, events: int) -> int:
    found = database.execute(f"SELECT id FROM {source} ORDER BY id DESC LIMIT 1 OFFSET ?", (events,)).fetchone()
    return 0 if found is None else int(found[0])


def _highest(database: Connection, table: str) -> int:
    return int(database.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0])


def next_events(instance: Instance, position: Position) -> NextEvents:
    """Return the next events behind a position, in the order of their times. Raise `StoreError`."""
    came_and_went, actions, position, lost, pending_since = _of_users(instance.accounts.store, position)
    games, behind = _of_bank(instance, position.txn)
    if behind < position.txn:
        lost = [*(one for one in lost if one is not None), None]
        position = position._replace(txn=behind)
    sources = (map(_visit, came_and_went), games, map(_action, actions))
    told = [Event("lost", instance.accounts.store.clock(), str(position), count=count) for count in lost]
    reached = position
    for found in merge(*sources, key=lambda one: one.event.at):
        reached = reached._replace(**{found.source: found.number})
        told.append(replace(found.event, position=str(reached)))
    is_all = max(len(came_and_went), len(actions), len(games)) < BATCH
    return NextEvents(told, reached._replace(txn=max(reached.txn, behind)), is_all, pending_since)


# --- following --------------------------------------------------------------------------------------------------------


class Follower:
    """One reader. Every method may raise `StoreError`."""

    def __init__(self, instance: Instance, position: Position) -> None:
        self.position = position
        self._instance = instance

    def news(self) -> tuple[list[Event], bool]:
        """Return the next events, and whether there were no more."""
        found = next_events(self._instance, self.position)
        self.position = found.position
        since = found.pending_since
        # Also of the future, as after a clock was set back: else it would wait until then.
        if since is not None and abs(self._instance.accounts.store.clock() - since) > PENDING_SECONDS:
            finish_pending(self._instance.sysop_log, self._instance.bank)
        return found.events, found.is_all

    def note_gone(self) -> None:
        """Note the users whose sessions are not in any host's directory any more, though they never logged out.

        The logins are read before the directory, and a session writes its logout before it leaves that: so a login that
        nothing came after is one whose session was killed.
        """
        with self._instance.accounts.store.reading() as users:
            logins = open_logins(users)
        here = self._instance.other_hosts.users(self._instance)
        gone = {user: login for user, login in logins.items() if user not in here}
        if gone:
            with self._instance.accounts.store.writing() as users:
                write_gone(users, gone, self._instance.accounts.store.clock())


# --- sources ----------------------------------------------------------------------------------------------------------


def _of_users(
    store: Store, position: Position
) -> tuple[list[Visit], list[SysopAction], Position, list[int | None], float | None]:
    """Return visits, sysop actions, the position looked from, what is lost, and what is pending (as `NextEvents`)."""
    lost: list[int | None] = []
    upto = _settled(store, "visit")
    with store.reading() as users:
        top = (_highest(users, "visit"), _highest(users, "act"))
        if position.visit > top[0] or position.act > top[1]:  # a backup was put back: its numbers are given again
            lost.append(None)
            position = position._replace(visit=min(position.visit, top[0]), act=min(position.act, top[1]))
        found = visits.visits_after(users, position.visit, upto, BATCH)
        if forgotten := visits.forgotten_after(users, position.visit):
            lost.append(forgotten)
        columns = ", ".join(SysopAction.__struct_fields__)
        pending = users.execute("SELECT id, at FROM act WHERE pending = 1 AND id > ? ORDER BY id", (position.act,))
        end, since = pending.fetchone() or (top[1] + 1, None)
        query = f"SELECT {columns} FROM act WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
        actions = [SysopAction(*row) for row in users.execute(query, (position.act, end, BATCH))]
    return found, actions, position, lost, since


def _of_bank(instance: Instance, txn: int) -> tuple[list[_Found], int]:
    """Return games closed, and what happened in extras, after a transaction, and the last one that was looked at."""
    store = instance.bank.store
    upto = _settled(store, "txn")
    with store.reading() as books:
        highest = _highest(books, "txn")
        top = min(upto, highest)
        if txn > highest:
            return [], top
        query = f"""
            SELECT id, at, game, key FROM txn WHERE id > ? AND id <= ? AND ({_IS_OVER} OR {happenings.condition()})
            ORDER BY id LIMIT ?
        """
        rows = books.execute(query, (txn, top, BATCH)).fetchall()
        games = {game: history.games(books, Asked(before=game + 1, limit=1))[0] for _, _, game, _ in rows if game}
    found = [
        _game(instance, number, at, games[game]) if game else _happening(instance, number, at, key)
        for number, at, game, key in rows
    ]
    return found, max(txn, top) if len(found) < BATCH else found[-1].number


def _visit(visit: Visit) -> _Found:
    kind: EventKind = "login" if visit.kind == "login" else "logout"
    return _Found(Event(kind, visit.at, "", name=visit.name, gone=visit.kind == "gone"), "visit", visit.id)


def _game(instance: Instance, txn: int, at: float, game: Summary) -> _Found:
    cells = instance.segment.cells
    called = cells[game.table].name if game.table < len(cells) else ""
    return _Found(
        Event(
            "game",
            at,
            "",
            game=game.kind,
            number=game.number,
            table=game.table + 1,
            table_name=history.place_of(game.kind, game.table, called),
            outcome=game.outcome or "",
            pot=game.pot,
            players=_names(game.players),
            winners=_names(game.winners),
        ),
        "txn",
        txn,
    )


def _happening(instance: Instance, txn: int, at: float, key: str) -> _Found:
    kind, one = happenings.told(instance, key)
    event = Event(
        kind, at, "", one.name, game=one.game, number=one.number, act=one.act, pot=one.pot, winners=one.winners
    )
    return _Found(replace(event, count=one.round), "txn", txn)


def _names(players: Iterable[PastPlayer]) -> tuple[str, ...]:
    return tuple([player.name or f"#{player.user}" for player in players])


def _action(action: SysopAction) -> _Found:
    told = Event(
        "sysop",
        action.at,
        "",
        act=action.kind,
        target=action.target,
        by=action.by,
        reason=action.reason,
        cubes=action.cubes,
        until=action.until,
    )
    return _Found(told, "act", action.id)
