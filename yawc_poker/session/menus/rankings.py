"""`T` at the main prompt: the rankings, a table at a time, and the hall of fame.

Owns the conversation and the lines; what they say comes from `casino.rankings`. A key acts at once and the next table
is shown; every other key leads back.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from yawc_poker.casino.rankings.days import ALL_GAMES, NONE, Order, RankedUser, Tally, ranked
from yawc_poker.casino.rankings.periods import Month
from yawc_poker.casino.rankings.rankings import Champions, hall_of_fame, months, standings
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words, mark

SHOWN: Final = 10
"""Places of a table."""
HALL_MONTHS: Final = 24
"""Months of the hall of fame."""
_ENTRY: Final = 25
"""Cells of an entry of the menu."""

_ORDERS: Final[Mapping[str, tuple[Order, str]]] = {
    "C": ("cubes", mark("CUBES won")),
    "W": ("won", mark("Games won")),
    "P": ("points", mark("Points")),
    "R": ("run", mark("Won in a row")),
}
"""By key."""
_TITLES: Final[Mapping[Order, str]] = dict(_ORDERS.values())
_OTHERS: Final = (
    ("G", mark("Another game")),
    ("B", mark("Month before")),
    ("N", mark("Next month")),
    ("A", mark("All times")),
    ("H", mark("Hall of fame")),
    ("Q", mark("Back")),
)


class _Table(NamedTuple):
    """Which table is shown."""

    kind: str
    month: Month | None
    """None: all times."""
    order: Order


def rankings(caller: Caller) -> None:
    """Show tables until the caller leaves. Raise `StoreError`."""
    store, now = caller.instance.bank.store, caller.instance.here.now()
    known = months(store, now)
    table = _Table(ALL_GAMES, known[-1], "cubes")
    while True:
        _show(caller, table, standings(store, table.kind, table.month, now))
        key = ask_key(caller, caller.words("Rankings") + "> ").upper()
        entry = _ORDERS[key][1] if key in _ORDERS else dict(_OTHERS).get(key, "")
        caller.console.finish(caller.words(entry) if entry else "")
        if key == "H":
            names = caller.instance.accounts.lasting()
            hall = hall_of_fame(store, table.kind, now, HALL_MONTHS, names.keys())
            _show_hall(caller, table.kind, hall, names)
        elif (chosen := _next(caller, table, key, known)) is not None:
            table = chosen
        else:
            return


def _next(caller: Caller, table: _Table, key: str, known: list[Month]) -> _Table | None:
    """Return the table that a key leads to, or None if it leads back."""
    if key in _ORDERS:
        return table._replace(order=_ORDERS[key][0])
    match key:
        case "G":
            kinds = [ALL_GAMES, *(game.kind for game in GAMES if caller.tables.of(game))]
            return table._replace(kind=kinds[(kinds.index(table.kind) + 1) % len(kinds)])
        case "B":
            return table._replace(month=known[-1] if table.month is None else max(table.month.before, known[0]))
        case "N":
            return table._replace(month=known[-1] if table.month is None else min(table.month.next, known[-1]))
        case "A":
            return table._replace(month=None)
        case _:
            return None


def _kind_name(kind: str, words: Words) -> str:
    return game_name(kind, words) if kind else words("All games")


# --- a table ----------------------------------------------------------------------------------------------------------


def _show(caller: Caller, table: _Table, tallies: Mapping[int, Tally]) -> None:
    words, say = caller.words, caller.console.say
    names = caller.instance.accounts.lasting()
    places = ranked(tallies, table.order, names.keys())
    best = places[:SHOWN]
    say()
    say(
        words(
            "Rankings: {game}, {month}, by: {order}",
            game=_kind_name(table.kind, words),
            month=words("all times") if table.month is None else str(table.month),
            order=words(_TITLES[table.order]),
        ),
        Style.CYAN,
    )
    mine = tallies.get(caller.user.id, NONE)
    is_below = mine.games and caller.user.id not in {place.user for place in best}
    if best or is_below:
        header = (words("Name"), "CUBES", words("Games"), words("Won"), words("Points"), words("In a row"))
        say(_cells("", *header), Style.BOLD)
    else:
        say("  " + words("Nobody yet."))
    for place in best:
        _say_place(caller, f"{place.rank}.", names[place.user], place)
    if is_below:
        rank = next((f"{place.rank}." for place in places if place.user == caller.user.id), "-")
        _say_place(caller, rank, caller.user.name, RankedUser(0, caller.user.id, mine))
    say()
    for line in _menu(words, with_points=any(one.points is not None for one in tallies.values())):
        say(line)


def _say_place(caller: Caller, rank: str, name: str, place: RankedUser) -> None:
    tally = place.tally
    points = "-" if tally.points is None else str(tally.points)
    row = _cells(rank, name, f"{tally.cubes:+}", str(tally.games), str(tally.won), points, str(tally.run))
    own = place.user == caller.user.id
    caller.console.say(row[: max(caller.line.columns - 1, 40)], Style.YELLOW if own else Style.PLAIN)


def _cells(rank: str, name: str, cubes: str, games: str, won: str, points: str, run: str) -> str:
    return f"  {rank:>4} {name:<20.20}  {cubes:>10}  {games:>7}  {won:>8}  {points:>7}  {run:>8}"


def _menu(words: Words, *, with_points: bool) -> Iterator[str]:
    """Yield the keys, three in a line."""
    orders = [(key, title) for key, (order, title) in _ORDERS.items() if with_points or order != "points"]
    entries = [f"[{key}] {words(title)}" for key, title in (*orders, *_OTHERS)]
    for start in range(0, len(entries), 3):
        yield ("  " + "".join(f"{entry:<{_ENTRY}}" for entry in entries[start : start + 3])).rstrip()


# --- the hall of fame -------------------------------------------------------------------------------------------------


def _show_hall(caller: Caller, kind: str, hall: list[Champions], names: Mapping[int, str]) -> None:
    words = caller.words
    title = words("Hall of fame: {game}", game=_kind_name(kind, words))
    lines = [title, ""]
    for one in hall:
        lines += [str(one.month), *_champions(one, names, words), ""]
    if not hall:
        lines.append(words("No month is over yet in which games were played."))
    show_page(caller, Page(title, "\n".join(lines)))


def _champions(one: Champions, names: Mapping[int, str], words: Words) -> Iterator[str]:
    for order, places in one.best.items():
        who, value = ", ".join(names[place.user] for place in places), places[0].tally.value(order)
        yield f"  {words(_TITLES[order]) + ':':<24}{who} ({value:{'+' if order == 'cubes' else ''}})"
