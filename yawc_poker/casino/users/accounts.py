"""Accounts: the users, their names and passwords.

Owns the users in `users.sqlite`: names, passwords, languages, last calls, and the marks of sysop
actions (`moderation.actions`). Never knows money (`bank`). Invariants:

* A name is used only once, whatever its case, and no new one looks like another: the table keeps both keys of a name
  unique (`names`). Accounts older than that rule may have no second key.
* A password is only ever stored as an Argon2id hash, which no value handed out carries.
"""

import logging
import unicodedata
from collections.abc import Collection
from typing import Literal

import msgspec

from yawc_poker.appearance.preferences import Preferences, read_preferences, written
from yawc_poker.casino.store.connection import Connection, Store, read_row, read_rows, struct_of
from yawc_poker.casino.store.turns import Turn, take_turn
from yawc_poker.casino.users.familiar import forget_places, place_of, write_alert
from yawc_poker.casino.users.names import GUEST, NameFault, alike, bad_name, is_reserved, look_key, look_keys, name_key
from yawc_poker.casino.users.passwords import PasswordFault, bad_password, hashed, verified
from yawc_poker.casino.users.visits import write_login, write_logout
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.text import clean
from yawc_poker.words import Language

PEER_LENGTH = 64
LOOK_RULE = "2:"
"""Begins each stored look key, with the number of the rule that it was made by. Older ones begin with a letter."""
_BEHIND_RULE = "2;"
"""Comes behind all that begin so."""

log = logging.getLogger(__name__)


class NameTaken(Exception):
    """Somebody has that name already."""


class NameAlike(Exception):
    """Somebody has a name that looks like that: `name`."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


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


class Listed(msgspec.Struct, frozen=True):
    """An account, as all of them are gone through."""

    id: int
    name: str
    is_first: bool
    """No older account has a name that looks alike."""


class User(msgspec.Struct, frozen=True):
    """A user; times are epoch seconds, None before the first call."""

    id: int
    name: str
    language: Language
    charset: Charset | None
    """The character set that the user chose, or None for the terminal's own."""
    created: float
    last_login: float | None
    last_from: str | None
    sysop: bool = False
    twit_until: float = 0.0
    """Until then the user may not write to others; infinite: for ever, 0: no limit."""
    closed: float | None = None
    """When the account was closed: its name stays taken, nobody logs in."""
    must_change: bool = False
    """A sysop gave a new password, which is changed before anything else is done."""
    guest: bool = False
    """No password opens the account, and it ends with its session."""


class Accounts:
    """The users of one BBS; users are given by id. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def find(self, name: str) -> User | None:
        """Return a user by name, in any case, or None if there is none."""
        return self._one("name_key = ?", name_key(name))

    def by_id(self, user: int) -> User | None:
        """Return a user by id, or None if there is none."""
        return self._one("id = ?", user)

    def register(self, name: str, password: str, language: Language) -> User:
        """Make an account; takes some 20 ms for the hash. Raise what `enrol` raises, and `BadPassword`."""
        if name_fault := bad_name(name):
            raise BadName(name_fault)
        if password_fault := bad_password(password, name):
            raise BadPassword(password_fault)
        return self.enrol(name, hashed(password), language)

    def enrol(self, name: str, password_hash: str, language: Language) -> User:
        """Make an account with a hash from `hashed`. Raise `BadName`, `NameTaken`, `NameAlike`."""
        if name_fault := bad_name(name):
            raise BadName(name_fault)
        name = unicodedata.normalize("NFC", name)
        row = (name, name_key(name), stored_look(name), password_hash, language, self.store.clock())
        with self.store.writing() as users:
            if found := _alike(users, name):
                raise _taken(name, found)
            made = users.execute(
                "INSERT INTO user (name, name_key, look_key, password_hash, language, created)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
                row,
            ).fetchone()
            if made is None:  # another process, at this very moment
                raise _taken(name, _alike(users, name))
        return User(int(made[0]), name, language, None, row[-1], None, None)

    def enrol_guest(self, language: Language) -> User:
        """Make an account for a guest, named by the next number, which no password opens."""
        with self.store.writing() as users:
            take_turn(users, Turn.REGISTRATIONS)
            number = int(users.execute("SELECT count(*) FROM user WHERE guest = 1").fetchone()[0]) + 1
            while _alike(users, name := f"{GUEST} {number}"):
                number += 1
            row = (name, name_key(name), stored_look(name), language, self.store.clock())
            made = users.execute(
                "INSERT INTO user (name, name_key, look_key, password_hash, language, created, guest)"
                " VALUES (?, ?, ?, '', ?, ?, 1) RETURNING id",
                row,
            ).fetchone()
        return User(int(made[0]), name, language, None, row[-1], None, None, guest=True)

    def keep_guest(self, user: int, name: str, password_hash: str) -> User:
        """Make a guest a user by a name and a hash from `hashed`. Raise `BadName`, `NameTaken`, `NameAlike`."""
        if name_fault := bad_name(name):
            raise BadName(name_fault)
        name = unicodedata.normalize("NFC", name)
        statement = "UPDATE user SET name = ?, name_key = ?, look_key = ?, password_hash = ?, guest = 0"
        with self.store.writing() as users:
            take_turn(users, Turn.REGISTRATIONS)
            if found := _alike(users, name, user):
                raise _taken(name, found)
            row = (name, name_key(name), stored_look(name), password_hash, user)
            if not users.execute(f"{statement} WHERE id = ? AND guest = 1 AND closed IS NULL", row).rowcount:
                raise NameTaken(name)
        kept = self.by_id(user)
        assert kept is not None, "a user who was there is gone"
        return kept

    def guests(self, older_than: float) -> list[int]:
        """Return the guests whose accounts are open, and older than so many seconds."""
        query = "SELECT id FROM user WHERE guest = 1 AND closed IS NULL AND created < ? ORDER BY id"
        return [int(user) for (user,) in read_rows(self.store, query, (self.store.clock() - older_than,))]

    def alike(self, name: str, beside: int = 0) -> str | None:
        """Return the name, also of a closed account, that this one would be taken for, or None if there is none.

        The account of the very same name goes first. `beside` is an account that does not count.
        """
        with self.store.reading() as users:
            return _alike(users, name, beside)

    def listed(self) -> list[Listed]:
        """Return all accounts that are not closed, the oldest first."""
        query = "SELECT id, name, look_key IS NOT NULL FROM user WHERE closed IS NULL ORDER BY id"
        return [Listed(int(row[0]), str(row[1]), bool(row[2])) for row in read_rows(self.store, query)]

    def renew_look_keys(self) -> None:
        """Make the keys of names that were made by an older rule anew. Raise what a statement raises.

        Of accounts that look alike by the new rule only the oldest has the key; all of them go on as before.
        """
        older = f"look_key < '{LOOK_RULE}' OR look_key >= '{_BEHIND_RULE}'"
        with self.store.reading() as users:
            if users.execute(f"SELECT 1 FROM user WHERE {older} LIMIT 1").fetchone() is None:
                return
        with self.store.writing() as users:
            take_turn(users, Turn.REGISTRATIONS)  # another host may begin at this moment
            rows = users.execute(f"SELECT id, name FROM user WHERE {older} ORDER BY id").fetchall()
            kept = users.execute(f"SELECT look_key FROM user WHERE look_key IS NOT NULL AND NOT ({older})")
            taken = {str(key) for (key,) in kept}
            alike = 0
            for user, name in rows:
                key: str | None = stored_look(str(name))
                if key in taken:
                    key, alike = None, alike + 1
                else:
                    taken.add(str(key))
                users.execute("UPDATE user SET look_key = ? WHERE id = ?", (key, user))
        reserved = sum(is_reserved(str(name)) for _, name in rows)
        if alike:
            log.warning("names of older accounts that look like others' (they stay): %d", alike)
        if reserved:
            log.warning("names of older accounts that are reserved by now (they stay): %d", reserved)

    def check(self, user: int, password: str) -> bool:
        """Return whether that is the user's password; an old hash is renewed. Takes some 20 ms, without any lock."""
        stored = self.stored(user)
        newest = verified(stored, password)
        if newest:
            self.renew(user, stored, newest)
        return newest is not None

    def stored(self, user: int) -> str:
        """Return the hash that is stored, for `verified`; empty without a user and for a closed account."""
        found = read_row(self.store, "SELECT password_hash FROM user WHERE id = ?", (user,))
        return "" if found is None else str(found[0])

    def renew(self, user: int, before: str, password_hash: str) -> None:
        """Keep a newer hash of the same password, unless another one is kept by now or the account was closed."""
        with self.store.writing() as users:
            _replace(users, user, before, password_hash, "")

    def change_password(
        self, user: int, before: str, password_hash: str, origin: str, kept: Collection[str] = ()
    ) -> bool:
        """Keep the hash of the password a user chose, if what is stored is still `before`; return whether it was.

        With the old password goes what was had by it: keys of ssh, but for those that are `kept`, given by fingerprint;
        the places where the user is known, but for the one they call from; tries at the old password.
        """
        with self.store.writing() as users:
            if not _replace(users, user, before, password_hash, ", must_change = 0"):
                return False
            stay = ("", *kept)  # PostgreSQL takes no empty list
            users.execute(
                f"DELETE FROM key WHERE user = ? AND fingerprint NOT IN ({', '.join('?' * len(stay))})", (user, *stay)
            )
            _forget_tries(users, user)
            forget_places(users, user, place_of(origin))
            write_alert(users, user, "password", origin, self.store.clock())
            return True

    def complete(self, beginning: str, limit: int = 10) -> list[str]:
        """Return the names that begin so, in any case, sorted; `limit` at most. Closed accounts are left out."""
        key = name_key(beginning)
        query = "SELECT name FROM user WHERE substr(name_key, 1, ?) = ? AND closed IS NULL ORDER BY name_key LIMIT ?"
        return [str(name) for (name,) in read_rows(self.store, query, (len(key), key, limit))]

    def lasting(self) -> dict[int, str]:
        """Return the names of the users who are no guests, and whose accounts are not closed."""
        query = "SELECT id, name FROM user WHERE guest = 0 AND closed IS NULL"
        return {int(user): str(name) for user, name in read_rows(self.store, query)}

    def names(self, users: Collection[int]) -> dict[int, str]:
        """Return the names of those of these users, a thousand at most, whose accounts are not closed."""
        if not users:
            return {}
        asked = [*users]
        asked += asked[:1] * ((1 << (len(asked) - 1).bit_length()) - len(asked))  # so there are eleven such statements
        query = f"SELECT id, name FROM user WHERE id IN ({', '.join('?' * len(asked))}) AND closed IS NULL"
        return {int(user): str(name) for user, name in read_rows(self.store, query, asked)}

    def seen(self, user: int, peer: str) -> tuple[float, str] | None:
        """Note a login from `peer`; return when and from where the one before was, None at the first."""
        row = (self.store.clock(), clean(peer, PEER_LENGTH), user)
        with self.store.writing() as users:
            write_login(users, user, row[0])  # first: it keeps the user's row, so nobody else notes a login of theirs
            before = users.execute("SELECT last_login, last_from FROM user WHERE id = ?", (user,)).fetchone()
            users.execute("UPDATE user SET last_login = ?, last_from = ? WHERE id = ?", row)
        return None if before is None or before[0] is None else (float(before[0]), str(before[1]))

    def left(self, user: int) -> None:
        """Note that a user logged out, before their session leaves the directory."""
        with self.store.writing() as users:
            write_logout(users, user, self.store.clock())

    def set_language(self, user: int, language: Language) -> None:
        """Keep the language a user chose."""
        self._set("language", user, language)

    def set_charset(self, user: int, charset: Charset | None) -> None:
        """Keep the character set a user chose, or None for the terminal's own."""
        self._set("charset", user, charset)

    def preferences(self, user: int) -> Preferences:
        """Return what a user prefers."""
        found = read_row(self.store, "SELECT preferences FROM user WHERE id = ?", (user,))
        return Preferences() if found is None else read_preferences(found[0])

    def set_preferences(self, user: int, preferences: Preferences) -> None:
        """Keep what a user prefers."""
        self._set("preferences", user, written(preferences))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.store.close()

    def _one(self, condition: str, value: str | int) -> User | None:
        query = f"SELECT {', '.join(User.__struct_fields__)} FROM user WHERE {condition}"
        found = read_row(self.store, query, (value,))
        return None if found is None else struct_of(User, found)

    def _set(self, column: Literal["language", "charset", "preferences"], user: int, value: str | None) -> None:
        with self.store.writing() as users:
            users.execute(f"UPDATE user SET {column} = ? WHERE id = ?", (value, user))


def stored_look(name: str) -> str:
    """Return the look key of a name as it is stored."""
    return LOOK_RULE + look_key(name)


def _alike(users: Connection, name: str, beside: int = 0) -> str | None:
    looks = [LOOK_RULE + key for key in look_keys(name)]
    query = f"SELECT name FROM user WHERE (name_key = ? OR look_key IN ({', '.join('?' * len(looks))})) AND id <> ?"
    found = [str(row[0]) for row in users.execute(query, (name_key(name), *looks, beside))]
    found.sort(key=lambda other: name_key(other) != name_key(name))
    return next((other for other in found if name_key(other) == name_key(name) or alike(other, name)), None)


def _taken(name: str, found: str | None) -> NameTaken | NameAlike:
    """Return why a name cannot be had: `found` has it, or looks like it."""
    return NameTaken(name) if found is None or name_key(found) == name_key(name) else NameAlike(found)


def _replace(users: Connection, user: int, before: str, password_hash: str, more: str) -> bool:
    """A password that somebody else changed meanwhile, such as a sysop, stays as it is."""
    statement = f"UPDATE user SET password_hash = ?{more} WHERE id = ? AND password_hash = ? AND closed IS NULL"
    return users.execute(statement, (password_hash, user, before)).rowcount > 0


def write_sysop(users: Connection, user: int, sysop: bool) -> None:
    """Make a user a sysop, or no sysop any more, in the transaction that does it."""
    users.execute("UPDATE user SET sysop = ? WHERE id = ?", (int(sysop), user))


def write_password(users: Connection, user: int, password_hash: str) -> None:
    """Set a password that must be changed, in the transaction that does it; tries at the old one are forgotten.

    The keys that are tied to the account are untied, and the places forgotten where its user is known: somebody else
    may have tied them, and called from there.
    """
    users.execute("UPDATE user SET password_hash = ?, must_change = 1 WHERE id = ?", (password_hash, user))
    _forget_tries(users, user)
    for table in ("familiar", "key"):
        users.execute(f"DELETE FROM {table} WHERE user = ?", (user,))


def write_twit(users: Connection, user: int, until: float) -> None:
    """Keep until when a user may not write to others, in the transaction that does it."""
    users.execute("UPDATE user SET twit_until = ? WHERE id = ?", (until, user))


def write_closed(users: Connection, user: int, now: float) -> None:
    """Close an account, in the transaction that does it: no password and no key opens it any more.

    The name stays taken.
    """
    users.execute("UPDATE user SET closed = ?, password_hash = '', sysop = 0 WHERE id = ?", (now, user))
    _forget_tries(users, user)
    for table in ("familiar", "alert", "key"):
        users.execute(f"DELETE FROM {table} WHERE user = ?", (user,))


def write_guest_closed(users: Connection, user: int, now: float) -> bool:
    """Close a guest's account, in the transaction that does it; return False if it is none, or closed already."""
    query = f"SELECT 1 FROM user WHERE id = ? AND guest = 1 AND closed IS NULL{users.for_update}"
    if users.execute(query, (user,)).fetchone() is None:
        return False
    write_closed(users, user, now)
    return True


def _forget_tries(users: Connection, user: int) -> None:
    """Forget the tries at an account. They are locked in the order in which a try locks them (`login_attempts`)."""
    query = f"SELECT 1 FROM guess WHERE user = ? ORDER BY kind, user, place{users.for_update}"
    users.execute(query, (user,)).fetchall()
    users.execute("DELETE FROM guess WHERE user = ?", (user,))
