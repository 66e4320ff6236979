"""The transcripts of games in the bank's books, written inside a transaction that the bank has opened.

Owns how a transcript (`engine.transcript`) becomes rows (its actions are in the table `deed`); never when (`bank`) nor
how they are read (`history`). Everything is written once: repeating it writes the same rows, which changes nothing. The
sealed cards of a game are written only when the game is closed.
"""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine.sealing import Begun, Frozen
from yawc_poker.engine.transcript import Dealt, Transcript


def people(transcript: Transcript | None) -> frozenset[int]:
    """Return the users who sat there when a game began, from its first action; none if that is not waiting."""
    if transcript is None or not transcript.actions or transcript.actions[0].kind != "deal":
        return frozenset()
    return frozenset(person.user for person in msgspec.json.decode(transcript.actions[0].detail, type=Dealt).people)


def last_action(transcript: Transcript | None) -> int:
    """Return the number of the newest action that waits; 0 if none does."""
    return max((action.number for action in transcript.actions), default=0) if transcript is not None else 0


def sealing(transcript: Transcript | None) -> tuple[str | None, str | None, str | None]:
    """Return the seal of a game that is opened, its words and how it began as JSON; None for one without chance."""
    if transcript is None or not transcript.seal:
        return None, None, None
    frozen = _without_sessions(transcript.frozen)
    discarded = tuple(replace(one, frozen=_without_sessions(one.frozen)) for one in transcript.discarded)
    return transcript.seal, _json(transcript.words), _json(Begun(frozen, discarded))


def forfeits(transcript: Transcript | None) -> dict[int, int]:
    """Return the CUBES that users owe the pot of a game that is opened, because they withheld a text at its start."""
    return {} if transcript is None else dict.fromkeys(transcript.forfeits, transcript.forfeit)


def keep_missing(books: Connection, game: int, transcript: Transcript | None) -> None:
    """Write whose text was missing in the deals that came to nothing before a game that is opened."""
    if transcript is not None:
        missing = [one for deal in transcript.discarded for one in deal.missing]
        rows = [(game, number, one.user, one.why) for number, one in enumerate(missing)]
        books.executemany("INSERT INTO unrevealed VALUES (?, ?, ?, ?)", rows)


def _without_sessions(frozen: Sequence[Frozen]) -> tuple[Frozen, ...]:
    """Return the players without the sessions that they had, which are nobody's business later."""
    return tuple(replace(one, session=0) for one in frozen)


def score(books: Connection, game: int, points: Mapping[int, int]) -> None:
    """Write the points of a game, by user. A guest who has no number of their own is kept once."""
    for user, amount in points.items():
        books.later("INSERT INTO points VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (user, game, amount))


def keep(books: Connection, game: int, transcript: Transcript | None) -> None:
    """Write the actions that wait, and of a closed game the proof.

    Nothing is written for a game that the books do not know, or know under another seal (a backup was put in place).
    """
    if transcript is None:
        return
    query = f"SELECT coalesce(seal, ''), closed FROM game WHERE id = ?{books.for_update}"
    found = books.execute(query, (game,)).fetchone()
    if found is not None:
        keep_of(books, game, transcript, seal=found[0], is_closed=found[1] is not None)


def keep_of(books: Connection, game: int, transcript: Transcript | None, *, seal: str, is_closed: bool) -> None:
    """Do the same for a game of which this is known; it is kept so until the transaction ends."""
    if transcript is None or seal != transcript.seal:
        return
    for action in transcript.actions:
        row = (game, action.number, action.at, action.kind, action.seat, action.user, action.detail, _json(action.cash))
        books.later("INSERT INTO deed VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", row)
    if is_closed and transcript.deck is not None:
        proof = (game, transcript.deck.order, transcript.deck.secret, _json(transcript.held))
        books.later("INSERT INTO proof VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", proof)


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
