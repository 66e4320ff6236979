"""How a closed game went for each player: their scores, and who was better than whom.

Owns which score counts: points, where a game has given them to everybody, else what somebody gained of the pot.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from yawc_poker.casino.bank.ledger import PLAYERS
from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine.house import HOUSE_USERS

_PLAYERS: Final = f"""
SELECT player.user, winner.user IS NOT NULL, points.points,
(SELECT sum(entry.amount) FROM txn
CROSS JOIN entry ON entry.txn = txn.id CROSS JOIN account ON account.id = entry.account
WHERE txn.game = player.game AND txn.kind <> 'house' AND {PLAYERS} AND account.ref = player.user)
FROM player LEFT JOIN winner ON winner.game = player.game AND winner.user = player.user
LEFT JOIN points ON points.user = player.user AND points.game = player.game
WHERE player.game = ? ORDER BY player.user
"""
"""Who played, who won, their points, and what they gained of the pot, whether or not it went back as won for fun."""


class Scores(NamedTuple):
    """The scores of a game by user; without guests of Mau-Mau's protocol, who come back as others."""

    scores: dict[int, int]
    winners: list[int]

    @property
    def ranks(self) -> dict[int, int]:
        """Everybody's rank from 0, the best."""
        return ranked(self.scores, self.winners)


def scores_of(books: Connection, game: int) -> Scores:
    """Return the scores of a game that is closed."""
    rows = [row for row in books.execute(_PLAYERS, (game,)) if int(row[0]) < HOUSE_USERS.stop]
    with_points = all(points is not None for _, _, points, _ in rows)
    scores = {int(user): int(points if with_points else cubes or 0) for user, _, points, cubes in rows}
    return Scores(scores, [int(user) for user, won, _, _ in rows if won])


def ranked(scores: Mapping[int, int], winners: Sequence[int]) -> dict[int, int]:
    """Return the ranks of players by what they scored: winners first, then whoever came nearest to their score.

    That holds where many points are good and where few are. Without a winner, as in a match that is drawn, those with
    the same score share a rank, and many are good.
    """
    if not scores:
        return {}
    best = next((scores[user] for user in winners if user in scores), max(scores.values()))
    apart = {user: (user not in winners if winners else False, abs(score - best)) for user, score in scores.items()}
    order = sorted(set(apart.values()))
    return {user: order.index(distance) for user, distance in apart.items()}
