"""The choice of a table to look on at, from those where people sit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.digits import decimal
from yawc_poker.registry.entry import Entry
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.table.watch import look_on
from yawc_poker.terminal.frame import Style


class Occupied(NamedTuple):
    """A table where somebody sits."""

    table: int
    """Its number in the segment."""
    name: str
    people: str


def look_on_at(caller: Caller, table: int) -> None:
    """Look on at a table, by its number in the segment."""
    look_on(caller, caller.tables[table], caller.tables.game(table).definition)


def choose_and_look_on(caller: Caller, games: Sequence[Entry]) -> None:
    """Show the tables of these games where people sit, ask for one, and look on there."""
    words, say = caller.words, caller.console.say
    tables = _occupied(caller, games)
    say()
    if not tables:
        say(words("Nobody sits at any table at the moment."))
        return
    for number, one in enumerate(tables, 1):
        say(f"  {number:>2}  {one.name}: {one.people}")
    answer = ask_line(caller, words("Which table, 1 to {last}? (ENTER: back) ", last=len(tables)), 4, q_is_back=True)
    chosen = decimal(answer) or 0
    if 1 <= chosen <= len(tables):
        look_on_at(caller, tables[chosen - 1].table)
    elif answer:
        say(words("There is no such table."), Style.YELLOW)


def _occupied(caller: Caller, games: Sequence[Entry]) -> list[Occupied]:
    """Return the tables where somebody sits, with the people there and the number of those who look on."""
    found = []
    for game in games:
        for number, table in enumerate(caller.tables.of(game), 1):
            names = [seat.name for seat in caller.tables[table].sitting() if seat is not None]
            if names:
                name = _table_name(caller, game, number)
                found.append(Occupied(table, name, ", ".join(names) + _watching(caller, table)))
    return found


def _watching(caller: Caller, table: int) -> str:
    """Return how many look on at a table; empty: nobody does."""
    many = len(Onlookers(caller.instance.segment, table).names())
    counted = caller.words.count("{n} looks on", "{n} look on", many)
    return f" ({counted})" if many else ""


def _table_name(caller: Caller, game: Entry, number: int) -> str:
    words, titles = caller.words, game.titles
    return words(titles.table) if len(caller.tables.of(game)) == 1 else words(titles.numbered, n=number)
