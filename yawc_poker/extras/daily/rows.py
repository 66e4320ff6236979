"""Deals of the day in the bank's books: what is dealt, and what everybody made of it. Moves no CUBE.

Owns the tables `daily_deal` and `daily_play`. Invariants: a day has one deal for each game, whoever asks for it first;
a user begins it on that day, and plays it once: their moves are kept one by one, in order, and a result is never
changed.
"""

import msgspec

from yawc_poker.casino.rankings.periods import day_of
from yawc_poker.casino.store.connection import Connection, Store, read_row, read_rows
from yawc_poker.extras.daily.course import SECONDS, TERMS, Deal


class Play(msgspec.Struct, frozen=True):
    """What somebody has made of a deal so far."""

    began: float
    """Epoch seconds."""
    moves: tuple[str, ...]
    """JSON of each."""
    result: int | None
    """None: it is not over."""
    seconds: int
    """That it took; below zero: it cannot be played on (`give_up`)."""


class Ranked(msgspec.Struct, frozen=True):
    """A line of a day's ranking."""

    user: int
    result: int
    seconds: int


class DayOver(Exception):
    """It is not the day of the deal, which was not begun before: nothing was kept."""


_PLAY = "SELECT began, moves, result, seconds FROM daily_play WHERE day = ? AND kind = ? AND user = ?"


def deal(store: Store, fresh: Deal) -> Deal:
    """Return the deal of a day; `fresh` becomes it if there is none yet. Raise `StoreError`."""
    found = known_deal(store, fresh.day, fresh.kind)
    if found is not None:
        return found
    with store.writing() as books:
        row = (fresh.day, fresh.kind, fresh.order, fresh.secret, fresh.program)
        books.execute(
            "INSERT INTO daily_deal (day, kind, cards, secret, program) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            row,
        )
    return known_deal(store, fresh.day, fresh.kind) or fresh


def known_deal(store: Store, day: int, kind: str) -> Deal | None:
    """Return the deal of a day if anybody has asked for it. Raise `StoreError`."""
    query = "SELECT cards, secret, program FROM daily_deal WHERE day = ? AND kind = ?"
    row = read_row(store, query, (day, kind))
    return None if row is None else Deal(day, kind, str(row[0]), str(row[1]), str(row[2]))


def begin(store: Store, deal: Deal, user: int, now: float) -> Play:
    """Begin to play a deal, or return what was begun. Raise `DayOver` or `StoreError`."""
    with store.writing() as books:
        if day_of(now) == deal.day:
            books.execute(
                "INSERT INTO daily_play (day, kind, user, began, moves, seconds) VALUES (?, ?, ?, ?, '[]', 0)"
                " ON CONFLICT DO NOTHING",
                (deal.day, deal.kind, user, now),
            )
        found = _play(books, deal.day, deal.kind, user)
    if found is None:
        raise DayOver
    return found


def play_of(store: Store, day: int, kind: str, user: int) -> Play | None:
    """Return what a user has made of a deal. Raise `StoreError`."""
    with store.reading() as books:
        return _play(books, day, kind, user)


def _play(books: Connection, day: int, kind: str, user: int) -> Play | None:
    row = books.execute(_PLAY, (day, kind, user)).fetchone()
    if row is None:
        return None
    began, moves, result, seconds = row
    known = None if result is None else int(result)
    return Play(float(began), msgspec.json.decode(moves, type=tuple[str, ...]), known, int(seconds))


def keep_move(store: Store, deal: Deal, user: int, number: int, move: str) -> bool:
    """Keep a user's move as that of this number, from 0; return False if another one is there. Raise `StoreError`."""
    with store.writing() as books:
        row = books.execute(_PLAY + books.for_update, (deal.day, deal.kind, user)).fetchone()
        moves = () if row is None else msgspec.json.decode(row[1], type=tuple[str, ...])
        if row is None or row[2] is not None or len(moves) != number:
            return False
        text = msgspec.json.encode((*moves, move)).decode()
        where = (text, deal.day, deal.kind, user)
        books.execute("UPDATE daily_play SET moves = ? WHERE day = ? AND kind = ? AND user = ?", where)
    return True


def close(store: Store, deal: Deal, user: int, result: int, seconds: int) -> None:
    """Keep a result; one that is there stays. Raise `StoreError`."""
    query = "UPDATE daily_play SET result = ?, seconds = ? WHERE day = ? AND kind = ? AND user = ? AND result IS NULL"
    with store.writing() as books:
        books.execute(query, (result, seconds, deal.day, deal.kind, user))


def give_up(store: Store, day: int, kind: str, user: int) -> None:
    """Note that a play that is not over cannot be played on, nor have a result. Raise `StoreError`."""
    query = "UPDATE daily_play SET seconds = -1 WHERE day = ? AND kind = ? AND user = ? AND result IS NULL"
    with store.writing() as books:
        books.execute(query, (day, kind, user))


def ranking(store: Store, day: int, kind: str) -> list[Ranked]:
    """Return the results of a day, the best first, of equal ones the quickest. Raise `StoreError`."""
    query = "SELECT user, result, seconds FROM daily_play WHERE day = ? AND kind = ? AND result IS NOT NULL"
    found = [Ranked(int(user), int(one), int(seconds)) for user, one, seconds in read_rows(store, query, (day, kind))]
    sign = 1 if TERMS[kind].fewest else -1
    return sorted(found, key=lambda one: (sign * one.result, one.seconds, one.user))


def overdue(store: Store, now: float) -> list[tuple[int, str, int, Play]]:
    """Return day, kind, user and play of the first two whose time is over without a result. Raise `StoreError`.

    Each is played again, which takes up to a second.
    """
    where = "result IS NULL AND seconds >= 0 AND began < ? ORDER BY began LIMIT 2"
    with store.reading() as books:
        rows = books.execute(f"SELECT day, kind, user FROM daily_play WHERE {where}", (now - SECONDS,)).fetchall()
        late = [(int(day), str(kind), int(user)) for day, kind, user in rows]
        plays = [_play(books, *one) for one in late]
    return [(*one, play) for one, play in zip(late, plays, strict=True) if play is not None]


def series(store: Store, user: int, today: int) -> int:
    """Return on how many days in a row, up to today or yesterday, a user has played a deal. Raise `StoreError`."""
    query = "SELECT DISTINCT day FROM daily_play WHERE user = ? AND day <= ? ORDER BY day DESC"
    days = [int(day) for (day,) in read_rows(store, query, (user, today))]
    first = today if today in days else today - 1
    return next((length for length in range(len(days) + 1) if first - length not in days), 0)
