"""Friends, challenges and private tables in the users' database.

Owns the tables `friend`, `challenge` and `private`. A challenge of somebody whom its reader ignores is not shown to
them, of which the challenger learns nothing.
"""

from typing import Final, NamedTuple

from yawc_poker.casino.meeting.ignored import ignored_by, is_ignored
from yawc_poker.casino.store.connection import Connection, Store, read_rows

MOST_FRIENDS: Final = 50
MOST_CHALLENGES: Final = 10
"""Of one user, to others."""
KEPT_SECONDS: Final = 30 * 86400.0
"""How long a challenge waits."""

_FRIENDS = "SELECT whom, name FROM friend JOIN user ON user.id = whom WHERE friend.user = ? ORDER BY name_key"
_CHALLENGES = """
SELECT challenge.user, one.name, whom, other.name, kind FROM challenge
JOIN user AS one ON one.id = challenge.user JOIN user AS other ON other.id = whom
WHERE (challenge.user = :user OR whom = :user) AND since > :since ORDER BY since, challenge.user, whom
"""


class TooMany(Exception):
    """The user has as many friends, or challenges that wait, as one may; nothing was changed."""


class Challenge(NamedTuple):
    """Somebody wants to play a game with somebody else as soon as both are here."""

    user: int
    name: str
    whom: int
    whom_name: str
    kind: str
    """Of game."""


# --- friends ----------------------------------------------------------------------------------------------------------


def friends_of(store: Store, user: int) -> dict[int, str]:
    """Return a user's friends, by id with their names, sorted by name. Raise `StoreError`."""
    return {int(whom): str(name) for whom, name in read_rows(store, _FRIENDS, (user,))}


def who_waits_for(store: Store, whom: int) -> list[int]:
    """Return who has a user as a friend, without those whom that one ignores. Raise `StoreError`."""
    with store.reading() as users:
        found = [int(user) for (user,) in users.execute("SELECT user FROM friend WHERE whom = ?", (whom,)).fetchall()]
        return [user for user in found if not is_ignored(users, whom, user)]


def befriend(store: Store, user: int, whom: int) -> None:
    """Make somebody a user's friend, who is not told. Raise `TooMany` or `StoreError`."""
    with store.writing() as users:
        known = dict(users.execute(_FRIENDS, (user,)).fetchall())
        if whom not in known:
            if len(known) >= MOST_FRIENDS:
                raise TooMany
            users.execute("INSERT INTO friend (user, whom, since) VALUES (?, ?, ?)", (user, whom, store.clock()))


def unfriend(store: Store, user: int, whom: int) -> None:
    """Take somebody off a user's list of friends. Raise `StoreError`."""
    with store.writing() as users:
        users.execute("DELETE FROM friend WHERE user = ? AND whom = ?", (user, whom))


# --- challenges -------------------------------------------------------------------------------------------------------


def challenges_of(store: Store, user: int) -> list[Challenge]:
    """Return the challenges of a user, and those to them of others than they ignore, the oldest first.

    Raise `StoreError`.
    """
    with store.reading() as users:
        ignored = ignored_by(users, user)
        return [one for one in _challenges(users, user, store.clock()) if one.user not in ignored]


def who_plays_with(store: Store, user: int) -> set[int]:
    """Return whose challenges wait for a user, or whom the user has challenged, without those whom the user ignores.

    Raise `StoreError`.
    """
    with store.reading() as users:
        waiting = _challenges(users, user, store.clock())
        return {one.user if one.whom == user else one.whom for one in waiting} - ignored_by(users, user).keys()


def _challenges(users: Connection, user: int, now: float) -> list[Challenge]:
    return [Challenge(*row) for row in users.execute(_CHALLENGES, {"user": user, "since": now - KEPT_SECONDS})]


def challenge(store: Store, user: int, whom: int, kind: str) -> bool:
    """Keep a challenge, in place of an earlier one to the same user; return whether that one may hear of it.

    Raise `TooMany` or `StoreError`.
    """
    with store.writing() as users:
        now = store.clock()
        users.execute(
            "DELETE FROM challenge WHERE user = ? AND (whom = ? OR since <= ?)", (user, whom, now - KEPT_SECONDS)
        )
        if sum(one.user == user for one in _challenges(users, user, now)) >= MOST_CHALLENGES:
            raise TooMany
        row = (user, whom, kind, now)
        users.execute("INSERT INTO challenge (user, whom, kind, since) VALUES (?, ?, ?, ?)", row)
        return not is_ignored(users, whom, user)


def take_back(store: Store, found: Challenge) -> None:
    """Remove a challenge. Raise `StoreError`."""
    with store.writing() as users:
        users.execute("DELETE FROM challenge WHERE user = ? AND whom = ?", (found.user, found.whom))


# --- private tables ---------------------------------------------------------------------------------------------------


def set_private(store: Store, place: str, user: int | None) -> None:
    """Let only invited people sit down at a table as long as a user sits there; None: let everybody.

    Raise `StoreError`.
    """
    with store.writing() as users:
        users.execute("DELETE FROM private WHERE place = ?", (place,))
        if user is not None:
            users.execute("INSERT INTO private (place, user) VALUES (?, ?)", (place, user))


def private_to(store: Store, place: str) -> int | None:
    """Return who made a table private, who may have left it since; None: nobody has. Raise `StoreError`."""
    with store.reading() as users:
        found = users.execute("SELECT user FROM private WHERE place = ?", (place,)).fetchone()
        return None if found is None else int(found[0])


# --- a user who is gone -----------------------------------------------------------------------------------------------


def forget(users: Connection, user: int) -> None:
    """Remove all of a user, in the transaction that closes the account."""
    users.execute("DELETE FROM friend WHERE user = :it OR whom = :it", {"it": user})
    users.execute("DELETE FROM challenge WHERE user = :it OR whom = :it", {"it": user})
    users.execute("DELETE FROM private WHERE user = ?", (user,))
