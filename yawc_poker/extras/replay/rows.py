"""Who may look at a finished game: those who sat at its table, those who watched it, and all, if it was laid open.

Owns the tables `watched` and `laid_open` of the bank's books. Invariant: whoever lays a game open was dealt into it;
what the others then see beside what everybody saw are that player's cards.
"""

from collections.abc import Sequence

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.store.connection import Connection, Store, read_rows
from yawc_poker.session.menus.history import was_there

LISTED = 8


def note_watched(store: Store, user: int, game: int) -> None:
    """Note that somebody looks on at a game; it may be noted again. Raise `StoreError`."""
    with store.writing() as books:
        books.execute("INSERT INTO watched (user, game) VALUES (?, ?) ON CONFLICT DO NOTHING", (user, game))


def lay_open(store: Store, user: int, game: int) -> None:
    """Lay a game open to all, as far as this player may see it; once it is, it stays so. Raise `StoreError`."""
    with store.writing() as books:
        books.execute("INSERT INTO laid_open (game, user) VALUES (?, ?) ON CONFLICT DO NOTHING", (game, user))


def seats_open(store: Store, played: PastGame, user: int) -> frozenset[int] | None:
    """Return the seats whose cards are known to somebody who looks at a game; None: they may not. Raise `StoreError`.

    These are their own, and those of players who have laid it open.
    """
    number = played.game.number
    with store.reading() as books:
        openers = _openers(books, number)
        watched = books.execute("SELECT 1 FROM watched WHERE user = ? AND game = ?", (user, number)).fetchone()
    if not openers and watched is None and not was_there(played, user):
        return None
    return frozenset(one.seat for one in played.game.players if one.seat is not None and one.user in {user, *openers})


def has_opened(store: Store, user: int, game: int) -> bool:
    """Return whether somebody has laid a game open. Raise `StoreError`."""
    with store.reading() as books:
        return user in _openers(books, game)


def others_games(store: Store, user: int) -> Sequence[int]:
    """Return the newest games that somebody watched, or that others have laid open. Raise `StoreError`."""
    query = """
        SELECT game FROM watched WHERE user = :user UNION SELECT game FROM laid_open WHERE user <> :user
        ORDER BY game DESC LIMIT :limit
    """
    return [int(game) for (game,) in read_rows(store, query, {"user": user, "limit": LISTED})]


def _openers(books: Connection, game: int) -> set[int]:
    return {int(user) for (user,) in books.execute("SELECT user FROM laid_open WHERE game = ?", (game,))}
