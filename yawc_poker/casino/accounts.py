"""Accounts: who may call himself what, and prove it.

Owns the users in `users.sqlite` (layout: `rolls`): names, passwords, languages, last calls, and what became of them by
a sysop's act (`office`). Never knows money (`bank`). Invariants:

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
from argon2.exceptions import HashingError, InvalidHashError, VerificationError, VerifyMismatchError

from yawc_poker.casino.rolls import USERS
from yawc_poker.casino.store import Lock, Store
from yawc_poker.terminal.line import Charset
from yawc_poker.terminal.text import clean, is_harmless
from yawc_poker.words import Language

NAME_LENGTHS = range(2, 21)
PASSWORD_LENGTHS = range(4, 129)
PUNCTUATION = frozenset(" !#$&'()*+,-./=?@_~")
RESERVED = frozenset({"system", "info", "sysop", "sysops", "the sysops", "die sysops", "guest", "gast", "new", "neu"})
"""Case-folded names that speak for the house or mean something at the login prompt."""
SCRIPTS = ("LATIN ", "GREEK ", "CYRILLIC ")
"""How Unicode's names of letters begin; each of the three is its own, in a word."""
VARIANTS = (range(0x250, 0x370), range(0x1D00, 0x1E00), range(0x2C60, 0x110000))
"""Where Unicode keeps letters that are written in no name: phonetic ones, and what was added for scholars."""
_LOOKALIKES = str.maketrans("αβεηικμνορτυχавеѕіјкмнорстухһı", "abehikmnoptyxabesijkmhopctyxhi")
"""Case-folded letters of the other scripts, some of them for their capitals' sake."""
PEER_LENGTH = 64

NameFault: TypeAlias = Literal["too_short", "too_long", "bad_character", "reserved"]
PasswordFault: TypeAlias = Literal["too_short", "too_long", "bad_character"]

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
    sysop: bool = False
    twit_until: float = 0.0
    """Until then he may not write to others; infinite: for ever, 0: he may."""
    closed: float | None = None
    """When the account was closed: its name stays taken, nobody logs in."""


def bad_name(name: str) -> NameFault | None:
    """Say what keeps a text from being a name: 2 to 20 characters, all harmless on every screen, one a letter or digit.

    Brackets are left to the prefixes of messages, a slash in front to commands; spaces stand single, inside. Nobody
    shall pass for the house or for another user by letters that only look like theirs.
    """
    name = unicodedata.normalize("NFC", name)
    if len(name) not in NAME_LENGTHS:
        return "too_short" if len(name) < NAME_LENGTHS.start else "too_long"
    if not is_harmless(name) or not all(character.isalnum() or character in PUNCTUATION for character in name):
        return "bad_character"
    if name != " ".join(name.split()) or name.startswith("/") or not any(map(str.isalnum, name)):
        return "bad_character"
    if not all(map(_is_of_one_script, name.split())):
        return "bad_character"
    return "reserved" if name_key(name).translate(_LOOKALIKES) in RESERVED else None


def _is_of_one_script(word: str) -> bool:
    """Say whether a word's letters are all Latin, all Greek or all Cyrillic, and none a variant (bold, raised, IPA)."""
    letters = [character for character in word if character.isalnum() and not character.isascii()]
    if any(
        unicodedata.normalize("NFKC", one) != one or any(ord(one) in block for block in VARIANTS) for one in letters
    ):
        return False
    names = [unicodedata.name(letter, "") for letter in letters]
    if any(character.isascii() and character.isalpha() for character in word):
        names.append(SCRIPTS[0])
    return any(all(name.startswith(script) for name in names) for script in SCRIPTS)


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

    def __init__(
        self, path: Path, lock: Lock, clock: Callable[[], float] = time.time, *, look_only: bool = False
    ) -> None:
        self.store = Store(path, lock, USERS, look_only=look_only)
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
        return self.enrol(name, hashed(password), language)

    def enrol(self, name: str, password_hash: str, language: Language) -> User:
        """Make an account with a hash from `hashed`. Raises `BadName`, `NameTaken`."""
        if name_fault := bad_name(name):
            raise BadName(name_fault)
        name = unicodedata.normalize("NFC", name)
        row = (name, name_key(name), password_hash, language, self.clock())
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
        newest = verified(self.stored(user), password)
        if newest:
            self.renew(user, newest)
        return newest is not None

    def stored(self, user: int) -> str:
        """Give what is kept of a password, for `verified`; empty for nobody's and for a closed account's."""
        with self.store.reading() as users:
            found = users.execute("SELECT password_hash FROM user WHERE id = ?", (user,)).fetchone()
        return "" if found is None else str(found[0])

    def renew(self, user: int, password_hash: str) -> None:
        """Keep a newer hash of the same password, unless the account was closed meanwhile."""
        with self.store.writing() as users:
            row = (password_hash, user)
            users.execute("UPDATE user SET password_hash = ? WHERE id = ? AND closed IS NULL", row)

    def complete(self, beginning: str, limit: int = 10) -> list[str]:
        """Give the names that begin so, in any case, in their order; `limit` at most. Closed accounts are left out."""
        key = name_key(beginning)
        query = "SELECT name FROM user WHERE substr(name_key, 1, ?) = ? AND closed IS NULL ORDER BY name_key LIMIT ?"
        with self.store.reading() as users:
            return [str(name) for (name,) in users.execute(query, (len(key), key, limit))]

    def sysops(self) -> list[str]:
        """Give the names of the sysops, in their order."""
        with self.store.reading() as users:
            return [str(name) for (name,) in users.execute("SELECT name FROM user WHERE sysop = 1 ORDER BY name_key")]

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
        if found is None:
            return None
        return msgspec.convert(dict(zip(User.__struct_fields__, found, strict=True)), User, strict=False)

    def _set(self, column: Literal["language", "charset"], user: int, value: str | None) -> None:
        with self.store.writing() as users:
            users.execute(f"UPDATE user SET {column} = ? WHERE id = ?", (value, user))


def write_sysop(users: sqlite3.Connection, user: int, sysop: bool) -> None:
    """Make a user a sysop, or no sysop any more, in the transaction that does it."""
    users.execute("UPDATE user SET sysop = ? WHERE id = ?", (int(sysop), user))


def write_twit(users: sqlite3.Connection, user: int, until: float) -> None:
    """Keep until when a user may not write to others, in the transaction that does it."""
    users.execute("UPDATE user SET twit_until = ? WHERE id = ?", (until, user))


def write_closed(users: sqlite3.Connection, user: int, now: float) -> None:
    """Close an account, in the transaction that does it: no password opens it any more, the name stays taken."""
    users.execute("UPDATE user SET closed = ?, password_hash = '', sysop = 0 WHERE id = ?", (now, user))
    for table in ("familiar", "attempt"):
        users.execute(f"DELETE FROM {table} WHERE user = ?", (user,))


def verified(stored: str, password: str) -> str | None:
    """Say whether a password fits what is stored: None, it does not; else the hash to keep instead, empty: none.

    Takes some 20 ms and 19 MB, and touches no database: it may run in another process. Raises `MemoryError`.
    """
    if bad_password(password):
        return None
    try:
        _hasher.verify(stored, unicodedata.normalize("NFC", password))
    except (VerifyMismatchError, InvalidHashError):
        return None
    except VerificationError as error:  # it could not be looked at, which says nothing about the password
        raise MemoryError(str(error)) from error
    return hashed(password) if _hasher.check_needs_rehash(stored) else ""


def hashed(password: str) -> str:
    """Hash a password in its composed form: terminals differ in how they send an umlaut. As costly as `verified`."""
    try:
        return _hasher.hash(unicodedata.normalize("NFC", password))
    except HashingError as error:
        raise MemoryError(str(error)) from error
