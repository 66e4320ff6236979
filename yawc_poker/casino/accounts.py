"""Accounts: who may call himself what, and prove it.

Owns `users.sqlite`: its layout, users' names, passwords, languages, last calls. Never knows money (`bank`). Invariants:

* A name is a name only once, whatever its case: its key is the case-folded NFC form, and the table keeps keys unique.
* A password is only ever stored as an Argon2id hash, which no value handed out carries.
"""

import sqlite3
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from yawc_poker.casino.store import Lock, Schema, Store
from yawc_poker.terminal.line import Charset
from yawc_poker.terminal.text import clean, is_harmless
from yawc_poker.words import Language

NAME_LENGTHS = range(2, 21)
PASSWORD_LENGTHS = range(4, 129)
PUNCTUATION = frozenset(" !#$&'()*+,-./=?@_~")
RESERVED = frozenset({"system", "info", "sysop", "guest", "gast", "new", "neu"})
"""Case-folded names that speak for the house or mean something at the login prompt."""
PEER_LENGTH = 64

NameFault: TypeAlias = Literal["too_short", "too_long", "bad_character", "reserved"]
PasswordFault: TypeAlias = Literal["too_short", "too_long", "bad_character"]

_FIRST = """
CREATE TABLE user (
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again: the bank knows users by it
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    language TEXT NOT NULL,
    charset TEXT,
    created REAL NOT NULL,
    last_login REAL,
    last_from TEXT
) STRICT;

CREATE TABLE message (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    from_id INTEGER NOT NULL REFERENCES user (id),
    from_name TEXT NOT NULL,
    to_id INTEGER NOT NULL REFERENCES user (id),
    text TEXT NOT NULL,
    sent REAL NOT NULL,
    read REAL
) STRICT;
CREATE INDEX message_unread ON message (to_id) WHERE read IS NULL;
"""
USERS = Schema(application=0x59415755, steps=(_FIRST,))

_hasher = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)


class NameTaken(Exception):
    """Somebody has that name already."""


class BadName(Exception):
    """That cannot be a name; `reason` says why."""

    def __init__(self, reason: NameFault) -> None:
        super().__init__(reason)
        self.reason = reason


class BadPassword(Exception):
    """That cannot be a password; `reason` says why. The password itself is in no message."""

    def __init__(self, reason: PasswordFault) -> None:
        super().__init__(reason)
        self.reason = reason


class User(msgspec.Struct, frozen=True):
    """A user; times are epoch seconds, None before the first call."""

    id: int
    name: str
    language: Language
    charset: Charset | None
    """What he chose for his terminal; None: whatever his terminal says."""
    created: float
    last_login: float | None
    last_from: str | None


def bad_name(name: str) -> NameFault | None:
    """Say what keeps a text from being a name: 2 to 20 characters, all harmless on every screen, one a letter or digit.

    Brackets are left to the prefixes of messages, a slash in front to commands; spaces stand single, inside.
    """
    name = unicodedata.normalize("NFC", name)
    if len(name) not in NAME_LENGTHS:
        return "too_short" if len(name) < NAME_LENGTHS.start else "too_long"
    if not is_harmless(name) or not all(character.isalnum() or character in PUNCTUATION for character in name):
        return "bad_character"
    if name != " ".join(name.split()) or name.startswith("/") or not any(map(str.isalnum, name)):
        return "bad_character"
    return "reserved" if name_key(name) in RESERVED else None


def bad_password(password: str) -> PasswordFault | None:
    """Say what keeps a text from being a password: 4 to 128 printable characters."""
    if len(password) not in PASSWORD_LENGTHS:
        return "too_short" if len(password) < PASSWORD_LENGTHS.start else "too_long"
    return None if password.isprintable() else "bad_character"


def name_key(name: str) -> str:
    """Give what two spellings of one name have in common."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class Accounts:
    """The users of one data directory; users are given by id. Every method may raise `StoreError`."""

    def __init__(self, path: Path, lock: Lock, clock: Callable[[], float] = time.time) -> None:
        self.store = Store(path, lock, USERS)
        self.clock = clock

    def find(self, name: str) -> User | None:
        """Look a user up by name, in any case."""
        return self._one("name_key = ?", name_key(name))

    def by_id(self, user: int) -> User | None:
        """Look a user up by id."""
        return self._one("id = ?", user)

    def register(self, name: str, password: str, language: Language) -> User:
        """Make an account. Raises `BadName`, `BadPassword`, `NameTaken`; takes some 20 ms for the hash."""
        if name_fault := bad_name(name):
            raise BadName(name_fault)
        if password_fault := bad_password(password):
            raise BadPassword(password_fault)
        name = unicodedata.normalize("NFC", name)
        row = (name, name_key(name), _hash(password), language, self.clock())
        with self.store.writing() as users:
            try:
                made = users.execute(
                    "INSERT INTO user (name, name_key, password_hash, language, created) VALUES (?, ?, ?, ?, ?)", row
                )
            except sqlite3.IntegrityError:
                raise NameTaken(name) from None
        return User(int(made.lastrowid or 0), name, language, None, row[-1], None, None)

    def check(self, user: int, password: str) -> bool:
        """Tell whether that is the user's password; an old hash is renewed. Takes some 20 ms, without any lock."""
        with self.store.reading() as users:
            found = users.execute("SELECT password_hash FROM user WHERE id = ?", (user,)).fetchone()
        if found is None or bad_password(password):
            return False
        try:
            _hasher.verify(found[0], unicodedata.normalize("NFC", password))
        except (VerificationError, InvalidHashError):
            return False
        if _hasher.check_needs_rehash(found[0]):
            self._set("password_hash", user, _hash(password))
        return True

    def seen(self, user: int, peer: str) -> tuple[float, str] | None:
        """Note a login from `peer`; returns when and from where the one before was, None at the first."""
        row = (self.clock(), clean(peer, PEER_LENGTH), user)
        with self.store.writing() as users:
            before = users.execute("SELECT last_login, last_from FROM user WHERE id = ?", (user,)).fetchone()
            users.execute("UPDATE user SET last_login = ?, last_from = ? WHERE id = ?", row)
        return None if before is None or before[0] is None else (float(before[0]), str(before[1]))

    def set_language(self, user: int, language: Language) -> None:
        """Keep the language a user chose."""
        self._set("language", user, language)

    def set_charset(self, user: int, charset: Charset | None) -> None:
        """Keep the character set a user chose for his terminal; None: believe the terminal."""
        self._set("charset", user, charset)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.store.close()

    def _one(self, condition: str, value: str | int) -> User | None:
        query = f"SELECT {', '.join(User.__struct_fields__)} FROM user WHERE {condition}"
        with self.store.reading() as users:
            found = users.execute(query, (value,)).fetchone()
        return None if found is None else User(*found)

    def _set(self, column: Literal["language", "charset", "password_hash"], user: int, value: str | None) -> None:
        with self.store.writing() as users:
            users.execute(f"UPDATE user SET {column} = ? WHERE id = ?", (value, user))


def _hash(password: str) -> str:
    """Hash the composed form: terminals differ in how they send an umlaut."""
    return _hasher.hash(unicodedata.normalize("NFC", password))
