"""`yawcctl users`: accounts that are looked for, and one of them whole, on a page.

Only looks, at the databases themselves, so it works without a running BBS, too.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Final

import msgspec
from msgspec.structs import asdict

from yawc_poker.announcing import announced
from yawc_poker.casino.bank.allowance import Property
from yawc_poker.casino.bank.bank import Bank, GameCount
from yawc_poker.casino.instance.databases import marked
from yawc_poker.casino.store.connection import Connection
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.keys import Key, Keys
from yawc_poker.casino.users.login_attempts import WINDOW
from yawc_poker.casino.users.names import name_key
from yawc_poker.casino.users.sysop_log import SysopAction, SysopLog
from yawc_poker.sysop.command import Command, columns, count, counting, moment, print_rows

USERS: Final = "NAME STATE LAST FROM >FAILED >CUBES"
"""Headers, as `columns` takes them."""
ACTIONS_SHOWN: Final = 100


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """An account in a list; times are epoch seconds."""

    id: int
    name: str
    state: list[str]
    """Empty: an ordinary account. Else of: sysop, guest, new password, twit, banned, closed."""
    created: float
    last_login: float | None
    last_from: str | None
    failed: int
    """Wrong passwords within the hour, as far as no right one came after them."""
    cubes: int


class LoggedInFrom(msgspec.Struct, frozen=True):
    """Where a user has logged in from."""

    place: str
    last: float


class Whole(Listed, frozen=True, kw_only=True):
    """An account with all that is known of it."""

    language: str
    twit_until: float | None
    """None: for ever."""
    banned: str
    """Until when, and why; empty: not at all."""
    at_stake: int
    property: int
    """CUBES that shares and the like would bring."""
    games: list[GameCount]
    withheld: int
    """Sealed words withheld."""
    keys: list[Key]
    places: list[LoggedInFrom]
    actions: list[SysopAction]
    """What sysops have done to them or noted of them, the newest first."""


def _arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("text", metavar="NAME", nargs="?", default="", help="a whole name, or a part of some")
    command.add_argument("--by", choices=tuple(ORDERS), default="last", help="what comes first (last: the last call)")
    command.add_argument("--closed", action="store_true", help="closed accounts, too")
    command.add_argument("--limit", type=counting, metavar="N", default=50, help="so many at most (50)")


ORDERS: Final[dict[str, Callable[[Listed], tuple[float, str]]]] = {
    "last": lambda one: (-(one.last_login or 0.0), one.name),
    "name": lambda one: (0.0, one.name.casefold()),
    "failed": lambda one: (-float(one.failed), one.name),
    "cubes": lambda one: (-float(one.cubes), one.name),
    "created": lambda one: (-one.created, one.name),
}


def run(chosen: argparse.Namespace) -> int:
    """Print one account whose name that is, or all whose names have it in them. Raise `StoreError`."""
    data = marked(chosen.data)
    with closing(data.accounts_to_look_at()) as accounts, closing(data.bank_to_look_at()) as bank:
        user = accounts.find(chosen.text) if chosen.text else None
        with accounts.store.reading() as users, bank.store.reading() as books:
            found = list(_listed(users, books, accounts.store.clock()))
        if user is not None:
            (listed,) = (one for one in found if one.id == user.id)
            keys, log = Keys(accounts.store).of(user.id), SysopLog(accounts.store)
            with accounts.store.reading() as users:
                places, banned = _places(users, user.id), _ban(users, user.name, accounts.store.clock())
            whole = _whole(listed, user, bank, keys, places, banned, log.of(user.id, ACTIONS_SHOWN))
            return print_rows(chosen, [whole], lambda rows: [line for one in rows for line in page(one)])
    key = name_key(chosen.text)
    shown = [one for one in found if key in name_key(one.name) and (chosen.closed or "closed" not in one.state)]
    shown.sort(key=ORDERS[chosen.by])
    return print_rows(chosen, shown[: chosen.limit], lambda rows: _lines(rows, len(shown)))


def _lines(rows: list[Listed], all_found: int) -> list[str]:
    cells = [
        (
            one.name,
            ", ".join(one.state),
            "never" if one.last_login is None else moment(one.last_login, "%Y-%m-%d %H:%M %Z"),
            one.last_from or "",
            one.failed,
            one.cubes,
        )
        for one in rows
    ]
    left = f", {len(rows)} of them here (--limit)" if len(rows) < all_found else ""
    return [*columns(USERS, cells, 3, 1), f"{count(all_found, 'account')}{left}."]


# --- reading ----------------------------------------------------------------------------------------------------------


def _listed(users: Connection, books: Connection, now: float) -> Iterator[Listed]:
    query = "SELECT ref, balance FROM account WHERE kind = 'user'"
    cubes = {int(user): int(balance) for user, balance in books.execute(query)}
    query = "SELECT user, sum(tries) FROM guess WHERE kind IN ('account', 'home') AND since > ? GROUP BY user"
    failed = {int(user): int(tries) for user, tries in users.execute(query, (now - WINDOW,))}
    query = "SELECT target FROM ban WHERE kind = 'name' AND until > ?"
    banned = {str(target) for (target,) in users.execute(query, (now,))}
    query = """
        SELECT id, name, name_key, created, last_login, last_from, sysop, guest, must_change, twit_until, closed
        FROM user ORDER BY id
    """
    for number, name, key, created, last, origin, sysop, guest, must_change, twit, closed in users.execute(query):
        states = {
            "closed": closed is not None,
            "banned": key in banned,
            "twit": twit > now,
            "new password": bool(must_change),
            "sysop": bool(sysop),
            "guest": bool(guest),
        }
        yield Listed(
            id=int(number),
            name=str(name),
            state=[word for word, is_so in states.items() if is_so],
            created=float(created),
            last_login=last,
            last_from=origin,
            failed=failed.get(int(number), 0),
            cubes=cubes.get(int(number), 0),
        )


def _places(users: Connection, user: int) -> list[LoggedInFrom]:
    query = "SELECT place, last FROM familiar WHERE user = ? ORDER BY last DESC"
    return [LoggedInFrom(str(place), float(last)) for place, last in users.execute(query, (user,))]


def _ban(users: Connection, name: str, now: float) -> str:
    query = "SELECT until, reason FROM ban WHERE kind = 'name' AND target = ? AND until > ?"
    found = users.execute(query, (name_key(name), now)).fetchone()
    return "" if found is None else f"{_until(float(found[0]))}: {found[1]}"


def _whole(
    listed: Listed,
    user: User,
    bank: Bank,
    keys: list[Key],
    places: list[LoggedInFrom],
    banned: str,
    actions: list[SysopAction],
) -> Whole:
    with bank.store.reading() as books:
        worth = sum(kind.worth(books, user.id) for kind in announced("property", Property))
    return Whole(
        **asdict(listed),
        language=user.language,
        twit_until=user.twit_until,
        banned=banned,
        at_stake=bank.at_stake(user.id),
        property=worth,
        games=bank.records(user.id),
        withheld=bank.withheld(user.id),
        keys=keys,
        places=places,
        actions=actions,
    )


# --- the page ---------------------------------------------------------------------------------------------------------


def page(one: Whole) -> Iterator[str]:
    """Yield the lines of an account's page."""
    for name, lines in _rows(one, time.time()):
        for at, line in enumerate(lines):
            yield f"{'' if at else name:12}{line}"


def _rows(one: Whole, now: float) -> Iterator[tuple[str, Iterable[str]]]:
    yield "account", [f"{one.name}, number {one.id}, registered {moment(one.created)}, reads {one.language}"]
    yield "state", [", ".join(one.state) or "ordinary"]
    if one.banned:
        yield "banned", [one.banned]
    if one.twit_until is None or one.twit_until > now:
        yield "twit", [_until(one.twit_until)]
    called = "never" if one.last_login is None else f"{moment(one.last_login)} from {one.last_from}"
    yield "last call", [called]
    yield "failed", [f"{count(one.failed, 'wrong password')} within the hour"]
    yield "known from", [f"{place.place}, last {moment(place.last)}" for place in one.places]
    yield "keys", [f"{key.fingerprint}, since {moment(key.added)}" for key in one.keys]
    more = f", {one.at_stake} at stake, property of {one.property}" if one.at_stake or one.property else ""
    yield "CUBES", [f"{one.cubes}{more}"]
    yield "games", [_game(game) for game in one.games] or ["none"]
    if one.withheld:
        yield "withheld", [count(one.withheld, "sealed word")]
    notes = [action for action in one.actions if action.kind == "note"]
    yield "notes", [f"{moment(action.at)}, {action.by}: {action.reason}" for action in notes]
    done = [action for action in one.actions if action.kind != "note"]
    yield "actions", [f"{moment(action.at)}, {action.kind} by {action.by}: {action.reason}" for action in done]


def _game(game: GameCount) -> str:
    points = "" if game.points is None else f", {game.points} points"
    return f"{game.kind}: {game.played} played, {game.won} won{points}"


def _until(when: float | None) -> str:
    return "for ever" if when is None or when == float("inf") else f"until {moment(when)}"


COMMAND: Final = Command(
    "users",
    run,
    "list accounts with their last call, failed logins, CUBES and state; or one, whole; the BBS may run",
    ("users", "users --by failed --limit 10", "users ann", "users Anna", "users --json | jq -r .name"),
    _arguments,
)
