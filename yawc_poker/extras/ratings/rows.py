"""Ratings in the bank's books: games rated in the order in which that was done, and what each made of whose rating.

Owns the tables `rated` and `rating`. Invariant: reckoning all games of `rated` anew, in the order of their numbers,
gives the rows of `rating` (`untrue`; the audit does it). A closed game never changes, so nothing is ever rated again.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from yawc_poker.casino.bank.results import scores_of
from yawc_poker.casino.store.connection import Connection, Store, read_rows
from yawc_poker.engine.hints import HINT
from yawc_poker.engine.house import is_house, read_program
from yawc_poker.engine.transcript import Dealt
from yawc_poker.extras.ratings.reckoning import NEW, Rating, Result, corrected

PIECE: Final = 32
"""Games rated in one transaction, which takes some twenty milliseconds."""
OPEN: Final = 10_000
"""Games that may begin while one of them is played: an older one that is closed later is not rated."""

_CLOSED = """
SELECT id, kind FROM game WHERE closed IS NOT NULL AND outcome <> 'refunded'
AND id > (SELECT coalesce(max(game), 0) FROM rated) - :open AND id NOT IN (SELECT game FROM rated)
ORDER BY closed, id LIMIT :limit
"""
_KEEP = "INSERT INTO rating (kind, user, number, mu, sigma, games) VALUES (?, ?, ?, ?, ?, ?)"
_LATEST = """
SELECT user, mu, sigma, games FROM rating WHERE kind = :kind
AND (user, number) IN (SELECT user, max(number) FROM rating WHERE kind = :kind GROUP BY user)
"""


def rate(store: Store) -> bool:
    """Rate the next games that are over; return whether more may wait. Raise `StoreError`.

    It may be done by any process, at any time, and again.
    """
    with store.writing() as books:
        games = books.execute(_CLOSED, {"open": OPEN, "limit": PIECE}).fetchall()
        (last,) = books.execute("SELECT coalesce(max(number), 0) FROM rated").fetchone()
        for number, (game, kind) in enumerate(games, int(last) + 1):
            books.execute("INSERT INTO rated (number, game) VALUES (?, ?)", (number, game))
            found = results(books, int(game))
            known = {one.user: _before(books, str(kind), one.user) for one in found if one.level is None}
            rows = [(str(kind), user, number, *_row(rating)) for user, rating in corrected(found, known).items()]
            books.executemany(_KEEP, rows)
    return len(games) == PIECE


def results(books: Connection, game: int) -> list[Result]:
    """Return how a game went for each player; without guests of Mau-Mau's protocol, who come back as others.

    A game that was won with hints went for nobody; whoever took them and did not win has lost as without them.
    """
    ranks = scores_of(books, game).ranks
    helped = books.execute("SELECT user FROM deed WHERE game = ? AND kind = ?", (game, HINT))
    if any(ranks.get(int(user)) == 0 for (user,) in helped):
        return []
    levels = {}
    if any(map(is_house, ranks)):
        query = "SELECT detail FROM deed WHERE game = ? AND number = 0"
        for (detail,) in books.execute(query, (game,)):
            people = msgspec.json.decode(detail, type=Dealt).people
            levels = {one.user: program[0] for one in people if (program := read_program(one.program)) is not None}
    return [
        Result(user, rank, levels.get(user)) for user, rank in ranks.items() if not is_house(user) or user in levels
    ]


def _before(books: Connection, kind: str, user: int) -> Rating:
    query = "SELECT mu, sigma, games FROM rating WHERE kind = ? AND user = ? ORDER BY number DESC LIMIT 1"
    found = books.execute(query, (kind, user)).fetchone()
    return NEW if found is None else Rating(*found)


def _row(rating: Rating) -> tuple[float, float, int]:
    return rating.mu, rating.sigma, rating.games


class Place(NamedTuple):
    """A line of the ladder."""

    user: int
    rating: Rating


def ladder(store: Store, kind: str) -> list[Place]:
    """Return everybody whose rating of a kind of game is shown, the strongest first. Raise `StoreError`.

    The order is by what somebody's strength is at least, very likely: two standard errors below the rating.
    """
    found = [Place(int(user), Rating(*row)) for user, *row in read_rows(store, _LATEST, {"kind": kind})]
    shown = [one for one in found if one.rating.is_shown]
    return sorted(shown, key=lambda one: (2 * one.rating.sigma - one.rating.mu, one.user))


def of_user(store: Store, user: int) -> dict[str, Rating]:
    """Return somebody's ratings by kind of game. Raise `StoreError`."""
    query = "SELECT kind, mu, sigma, games FROM rating WHERE user = ? ORDER BY number"
    return {str(kind): Rating(*row) for kind, *row in read_rows(store, query, (user,))}


def course(store: Store, kind: str, user: int, most: int) -> list[Rating]:
    """Return somebody's ratings of a kind of game behind each of the last games, oldest first. Raise `StoreError`."""
    query = "SELECT mu, sigma, games FROM rating WHERE kind = ? AND user = ? ORDER BY number DESC LIMIT ?"
    return [Rating(*row) for row in read_rows(store, query, (kind, user, most))][::-1]


def untrue(books: Connection) -> list[str]:
    """Return each rated game whose ratings are not what its result says, as a line; for the audit."""
    known: dict[tuple[str, int], Rating] = {}
    kept: dict[int, dict[int, Rating]] = {}
    for number, user, *row in books.execute("SELECT number, user, mu, sigma, games FROM rating"):
        kept.setdefault(int(number), {})[int(user)] = Rating(*row)
    query = "SELECT number, game, kind FROM rated JOIN game ON game.id = rated.game ORDER BY number"
    wrong = []
    for number, game, kind in books.execute(query).fetchall():
        found = results(books, int(game))
        before = {one.user: known.get((kind, one.user), NEW) for one in found}
        after = corrected(found, before)
        if not _same(after, kept.pop(number, {})):
            wrong.append(f"the ratings of game {game} are not what its result says")
        known |= {(kind, user): rating for user, rating in after.items()}
    return [*wrong, *(f"a rating belongs to no rated game: number {number}" for number in kept)]


def _same(one: Mapping[int, Rating], other: Mapping[int, Rating]) -> bool:
    """Return whether ratings are the same, but for what another machine's arithmetic may differ by."""
    return one.keys() == other.keys() and all(_is_near(one[user], other[user]) for user in one)


def _is_near(one: Rating, other: Rating) -> bool:
    return one.games == other.games and max(abs(one.mu - other.mu), abs(one.sigma - other.sigma)) < 1e-6
