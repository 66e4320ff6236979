"""Keys of ssh that are tied to accounts: a caller who has proven to have one is asked for no password.

Owns the rows of `key` in `users.sqlite`, and how a key is named: by the SHA-256 of the public key,
as OpenSSH writes it. Never sees a private key, and proves nothing: sshd has done that. A key is tied to one account; a
closed account has none, nor has one whose password a sysop has replaced. A user's own new password leaves those that
the user keeps (`accounts`).
"""

import base64
import binascii
import hashlib
import struct
from typing import Final

import msgspec

from yawc_poker.casino.store.connection import Store, read_row, read_rows
from yawc_poker.casino.users.familiar import hold_user, write_alert

MOST_KEYS: Final = 8
"""Keys that are tied to one account."""
_CERTIFICATE: Final = "-cert-v01@openssh.com"
_LENGTH: Final = struct.Struct(">I")


class Key(msgspec.Struct, frozen=True):
    """A key that is tied to an account; times are epoch seconds."""

    fingerprint: str
    added: float
    last: float | None = None
    """When its owner came by it last."""


def fingerprint(text: str) -> str:
    """Return the fingerprint of a public key as in `authorized_keys` (`ssh-ed25519 AAAA...`); empty: it is none.

    A certificate has none of its own: it would be another one each time that it is renewed.
    """
    kind, _, rest = text.strip().partition(" ")
    try:
        blob = base64.b64decode(rest.split(" ")[0], validate=True)
    except (binascii.Error, ValueError):
        return ""
    name = kind.encode()
    if not kind or kind.endswith(_CERTIFICATE) or not blob.startswith(_LENGTH.pack(len(name)) + name):
        return ""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


class Keys:
    """The keys of one BBS; users are given by id. Every method may raise `StoreError`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def owner(self, fingerprint: str) -> int | None:
        """Return the user to whose account a key is tied, or None if it is tied to none."""
        found = read_row(self._store, "SELECT user FROM key WHERE fingerprint = ?", (fingerprint,))
        return None if found is None else int(found[0])

    def of(self, user: int) -> list[Key]:
        """Return a user's keys, the oldest first."""
        query = "SELECT fingerprint, added, last FROM key WHERE user = ? ORDER BY added, fingerprint"
        return [Key(*row) for row in read_rows(self._store, query, (user,))]

    def tie(self, user: int, fingerprint: str, origin: str) -> bool:
        """Tie a key to an account; return False if it is tied to one, or this one is closed or has `MOST_KEYS`."""
        with self._store.writing() as users:
            if not hold_user(users, user):
                return False
            (many,) = users.execute("SELECT count(*) FROM key WHERE user = ?", (user,)).fetchone()
            if many >= MOST_KEYS:
                return False
            insert = "INSERT INTO key (fingerprint, user, added) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            now = self._store.clock()
            if not users.execute(insert, (fingerprint, user, now)).rowcount:
                return False
            write_alert(users, user, "key", origin, now, fingerprint)
            return True

    def untie(self, user: int, fingerprint: str) -> bool:
        """Untie a user's key; return whether it was tied."""
        with self._store.writing() as users:
            done = users.execute("DELETE FROM key WHERE user = ? AND fingerprint = ?", (user, fingerprint))
            return done.rowcount > 0

    def used(self, fingerprint: str) -> None:
        """Note that the owner of a key has come by it."""
        with self._store.writing() as users:
            users.execute("UPDATE key SET last = ? WHERE fingerprint = ?", (self._store.clock(), fingerprint))
