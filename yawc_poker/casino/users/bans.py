"""Bans: names that may not log in, addresses that may not call.

Owns the rows of `ban` in `users.sqlite`, how wide a banned network may be, and the file with the
banned addresses for the listener, which opens no database. The process that changes them publishes them and wakes the
listener (`moderation.procedure.publish`).
"""

from pathlib import Path
from typing import Literal

import msgspec

from yawc_poker.addresses import covers, parse_network, write_network
from yawc_poker.casino.files import write_whole
from yawc_poker.casino.store.connection import Connection, Store
from yawc_poker.casino.store.turns import Turn, take_turn
from yawc_poker.casino.users.names import name_key
from yawc_poker.terminal.text import clean

WIDEST = {4: 8, 6: 16}
"""Bits that a network's prefix has at least, by the version of IP: nobody shuts out half the world by a slip."""

REASON_LENGTH = 1000
"""As much as can be asked for (`moderation.arguments`)."""

BanKind = Literal["name", "address"]


class TooWide(ValueError):
    """A network with more addresses than may be banned at once."""


class Ban(msgspec.Struct, frozen=True):
    """A ban; times are epoch seconds, `until` is infinite for one that never ends."""

    kind: BanKind
    target: str
    """A name's key (`names.name_key`), or an address or network as `network` writes it."""
    until: float
    reason: str
    by: str
    at: float


_COLUMNS = ", ".join(Ban.__struct_fields__)


def network(text: str) -> str | None:
    """Return an address, or a network given as ADDRESS/BITS, in its shortest form, or None if it is neither.

    Raise `TooWide`.
    """
    found = parse_network(text)
    if found is None:
        return None
    if found.prefixlen < WIDEST[found.version]:
        raise TooWide(text)
    return write_network(found)


class Bans:
    """The bans of one BBS. Every method may raise `StoreError`."""

    def __init__(self, store: Store, published: Path) -> None:
        """`published` is the file for the listener."""
        self._store = store
        self._published = published

    def all(self) -> list[Ban]:
        """Return the bans in force, by kind and target."""
        with self._store.reading() as users:
            return self._in_force(users)

    def of(self, name: str, address: str) -> Ban | None:
        """Return the ban in force of a name or of the address it calls from, or None if there is none."""
        key = name_key(name)

        def holds(ban: Ban) -> bool:
            return covers(ban.target, address) if ban.kind == "address" else ban.target == key

        return max(filter(holds, self.all()), key=lambda ban: ban.until, default=None)

    def publish(self) -> None:
        """Write the bans of addresses for the listener, as `telnetd.listener.admission` reads them.

        One process publishes at a time, so that the last one has seen all bans. Raise `OSError`.
        """
        with self._store.writing() as users:
            take_turn(users, Turn.BANS)
            banned = {ban.target: ban.until for ban in self._in_force(users) if ban.kind == "address"}
            write_whole(self._published, msgspec.json.encode(banned))  # infinity is written null

    def _in_force(self, users: Connection) -> list[Ban]:
        query = f"SELECT {_COLUMNS} FROM ban WHERE until > ? ORDER BY kind, target"
        return [Ban(*row) for row in users.execute(query, (self._store.clock(),))]


def write_ban(users: Connection, ban: Ban) -> None:
    """Write a ban, in the transaction that does it; it replaces an older one of the same target."""
    users.execute("DELETE FROM ban WHERE until <= ?", (ban.at,))
    kept = msgspec.structs.replace(ban, reason=clean(ban.reason, REASON_LENGTH), by=clean(ban.by, REASON_LENGTH))
    users.execute(
        f"INSERT INTO ban ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, target) DO UPDATE SET"
        " until = excluded.until, reason = excluded.reason, by = excluded.by, at = excluded.at",
        msgspec.structs.astuple(kept),
    )


def remove_ban(users: Connection, kind: BanKind, target: str) -> bool:
    """Remove a ban, in the transaction that does it; return whether there was one."""
    return users.execute("DELETE FROM ban WHERE kind = ? AND target = ?", (kind, target)).rowcount > 0
