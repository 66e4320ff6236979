"""The minutes of games in the bank's books, written inside a transaction that the bank has opened.

Owns how a chronicle (`engine.transcript`) becomes rows; never when (`bank`) nor how they are read (`history`).
Everything is written once: whoever repeats a business writes the same rows again, which changes nothing. What a game
has sealed is written only when the game is closed.
"""

from sqlite3 import Connection

import msgspec

from yawc_poker.engine.transcript import Chronicle, Dealt


def people(chronicle: Chronicle | None) -> frozenset[int]:
    """Give the users who sat there when a game began, from its first deed; nobody if that is not among the waiting."""
    if chronicle is None or not chronicle.deeds or chronicle.deeds[0].kind != "deal":
        return frozenset()
    return frozenset(person.user for person in msgspec.json.decode(chronicle.deeds[0].detail, type=Dealt).people)


def sealing(chronicle: Chronicle | None) -> tuple[str | None, str | None]:
    """Give the seal of a game that is opened, and its words as JSON; None for one without chance."""
    if chronicle is None or not chronicle.seal:
        return None, None
    return chronicle.seal, _json(chronicle.words)


def keep(books: Connection, game: int, chronicle: Chronicle | None) -> None:
    """Write the deeds that wait, and of a closed game the proof.

    A game that the books do not know, or know under another seal (a backup was put in place), gets nothing.
    """
    if chronicle is None:
        return
    found = books.execute("SELECT ifnull(seal, ''), closed FROM game WHERE id = ?", (game,)).fetchone()
    if found is None or found[0] != chronicle.seal:
        return
    rows = [
        (game, deed.number, deed.at, deed.kind, deed.seat, deed.user, deed.detail, _json(deed.cash))
        for deed in chronicle.deeds
    ]
    books.executemany("INSERT OR IGNORE INTO deed VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    if found[1] is not None and chronicle.deck is not None:
        proof = (game, chronicle.deck.order, chronicle.deck.secret, _json(chronicle.held))
        books.execute("INSERT OR IGNORE INTO proof VALUES (?, ?, ?, ?)", proof)


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
