"""The casino: its menu, the choice of a game and of a table, and the people who sit there; commands at a prompt.

Owns the way from the main prompt to a seat: by the menu, by `/join`, to the last game once more, where somebody asks
the caller to come. What happens in the seat is `yawc_poker.session.table.play`'s.
"""

import logging
import time
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from yawc_poker.casino.bank.history import Asked
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.catalogues import all_languages
from yawc_poker.catalogues import words as words_of
from yawc_poker.engine.absence import held_for
from yawc_poker.engine.company import make_room
from yawc_poker.engine.house import LEVELS, Level, is_house, level_in
from yawc_poker.page.protocol import Offer
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import Menu, MenuLine
from yawc_poker.session.caller.prompts import ask_key, ask_number, ask_one_of, ask_rest, ask_yes, show_charset
from yawc_poker.session.menus.guests import remind
from yawc_poker.session.menus.history import games_played
from yawc_poker.session.table.hearing import choose, tell_of_lines, what_is_shown
from yawc_poker.session.table.play import play_at
from yawc_poker.session.table.table_session import done
from yawc_poker.session.table.watch import look_on
from yawc_poker.table_ui import commands
from yawc_poker.table_ui.speech import in_symbols, level_names, told_name
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import ENTER, ESCAPE
from yawc_poker.words import LANGUAGES, YES, is_yes, mark

log = logging.getLogger(__name__)

COMMAND_LIMIT = 60
"""Characters of a command at a prompt."""


def enter_casino(caller: Caller) -> None:
    """`S`: go to the casino, with its warning (spec/poker.md 2.1), unless the caller has chosen lines."""
    caller.in_casino = True
    if not caller.preferences.linear:
        caller.console.say()
        _say_how(caller)


def show_casino(caller: Caller) -> Menu:
    """Show the casino's menu, and return it."""
    caller.console.say()
    take_allowance(caller)
    casino_menu().show(caller)
    return casino_menu()


def _say_how(caller: Caller) -> None:
    """Tell what the games need of a terminal, or how they are told without it."""
    say, words = caller.console.say, caller.words
    if not caller.display.can_draw:
        say(what_is_shown(caller))
        return
    if caller.page is not None:  # its terminal draws them, and its suits are suits
        return
    say(
        words(
            "The games draw with terminal escape sequences; if your screen shows garbage, use another terminal program."
        )
    )
    say(in_symbols(words("The suits on the cards: + clubs, * spades, # hearts, - diamonds."), words))
    tell_of_lines(caller)


def take_allowance(caller: Caller) -> None:
    """Pay the caller today's allowance if they own less than one ante, and say so. Never raise `StoreError`."""
    config = caller.config
    least = min((game.least_cubes for game in config.games if game.tables and game.least_cubes), default=0)
    try:
        got = caller.instance.bank.allow(caller.user.id, config.bbs.allowance, least)
    except StoreError as error:
        log.warning("the allowance of %s waits for the next time: %s", caller.user.name, error)
        return
    if got:
        words = caller.words
        text = words.count(
            "The house gives you {n} CUBE; come again tomorrow.",
            "The house gives you {n} CUBES; come again tomorrow.",
            got,
        )
        caller.console.say(text, Style.CYAN)


def games_here(caller: Caller) -> list[Entry]:
    """Return the games that have tables, in the order of the menu."""
    return [game for game in GAMES if caller.tables.of(game)]


def ask_game(caller: Caller, question: str, usual: Entry | None = None) -> Entry | None:
    """Ask for one of these games; ENTER alone is answered by the `usual` one, None: the caller gives up."""
    words, say, games = caller.words, caller.console.say, games_here(caller)
    say()
    for game in games:
        say(f"  [{game.key}] " + words(game.titles.game))
    say()
    key = ask_key(caller, question)
    chosen = usual if key == ENTER else next((game for game in games if game.key.upper() == key.upper()), None)
    caller.console.finish("" if chosen is None else words(chosen.titles.game))
    return chosen


def command(caller: Caller) -> None:
    """Read a command, whose first key was pressed at an open prompt, and carry it out."""
    line = ask_rest(caller, commands.SIGN, COMMAND_LIMIT)
    match commands.asked(line, all_languages()):
        case commands.JoinTable(text):
            _join(caller, text)
        case commands.WatchTable(text):
            _watch(caller, text)
        case commands.ShowLines(lines):
            choose(caller, lines=lines)
        case commands.ShowAs(charset):
            show_charset(caller, charset)
        case commands.Summoning(None):
            follow_summons(caller)
        case commands.Added() as wish:
            caller.console.say(done(caller, None, wish), Style.CYAN)
        case _ if line:
            caller.console.say(
                caller.words(
                    "Here there are {here}, as in /join {game}. At a table there are {commands}.",
                    here=commands.commands_at(caller.words, "prompt"),
                    game=caller.words(GAMES[0].titles.game).lower(),
                    commands=commands.commands_at_table(caller.words, house=_has_house(caller)),
                ),
                Style.YELLOW,
            )
        case _:
            pass


def _has_house(caller: Caller) -> bool:
    """Return whether house players come to any table."""
    return caller.config.house.players > 0 and any(game.has_house for game in games_here(caller))


def _join(caller: Caller, text: str) -> None:
    """Sit down at a table of the game that is named, by its number if one is; say which games there are otherwise."""
    chosen, number = _named(caller, text)
    if chosen is not None:
        _play(caller, chosen, number, by_command=True)
        return
    words = caller.words
    if text:
        caller.console.say(words("There is no such game."), Style.YELLOW)
    caller.console.say(words("The games: {games}. Sit down by /join and a game.", games=_titles(caller)))


def _watch(caller: Caller, text: str) -> None:
    """Look on at a table of the game that is named, by its number, which one of several tables takes."""
    chosen, number = _named(caller, text)
    words, say = caller.words, caller.console.say
    if chosen is None:
        if text:
            say(words("There is no such game."), Style.YELLOW)
            say(words("The games: {games}. Look on by /watch and a game.", games=_titles(caller)))
        else:
            choose_and_look_on(caller, games_here(caller))
        return
    tables = caller.tables.of(chosen)
    if number is None and len(tables) > 1:
        choose_and_look_on(caller, [chosen])
    elif 1 <= (number or 1) <= len(tables):
        look_on_at(caller, tables[(number or 1) - 1])
    else:
        say(words("There is no such table."), Style.YELLOW)


def look_on_at(caller: Caller, table: int) -> None:
    """Look on at a table, by its number in the segment."""
    look_on(caller, caller.tables[table], caller.tables.game(table).definition)
    remind(caller)


def choose_and_look_on(caller: Caller, games: Sequence[Entry]) -> None:
    """Show the tables of these games where people sit, ask for one, and look on there."""
    words, say = caller.words, caller.console.say
    tables = _occupied(caller, games)
    say()
    if not tables:
        say(words("Nobody sits at any table at the moment."))
        return
    if len(tables) == 1:
        for table, people in tables.items():
            say(f"  {caller.others.table_name(table, words)}: {people}", means="y")
            if ask_yes(caller, words("Look on there? (y/n) ")):
                look_on_at(caller, table)
        return
    listed = [
        Offer(str(number), f"{caller.others.table_name(table, words)}: {people}")
        for number, (table, people) in enumerate(tables.items(), 1)
    ]
    for one in listed:
        say(f"  {one.key:>2}  {one.label}", means=one.key)
    question = words("Which table, 1 to {last}? (ENTER: back) ", last=len(tables))
    chosen = ask_number(caller, question, len(tables), words("There is no such table."), listed)
    if chosen is not None:
        look_on_at(caller, list(tables)[chosen - 1])


def _occupied(caller: Caller, games: Sequence[Entry]) -> dict[int, str]:
    """Return the people at the tables where somebody sits, and how many look on there, by the table's number."""
    found = {}
    for table in (table for game in games for table in caller.tables.of(game)):
        names = [told_name(seat.name, caller.words) for seat in caller.tables[table].sitting() if seat is not None]
        if names:
            found[table] = ", ".join(names) + _watching(caller, table)
    return found


def _watching(caller: Caller, table: int) -> str:
    """Return how many look on at a table; empty: nobody does."""
    many = len(Onlookers(caller.instance.segment, table).names())
    counted = caller.words.count("{n} is watching", "{n} are watching", many)
    return f" ({counted})" if many else ""


def _named(caller: Caller, text: str) -> tuple[Entry | None, int | None]:
    """Return the game that a command names, None: there is none, and the number of the table if there is one."""
    name, number = commands.game_and_number(text)
    return next((game for game in games_here(caller) if name in _names(game)), None), number


def keys_to_house(caller: Caller) -> str:
    """Return which keys lead from the main prompt to a game with the house; empty: none do."""
    game = next((game for game in games_here(caller) if game.has_house), None)
    if game is None or not _has_house(caller):
        return ""
    table = "" if len(caller.tables.of(game)) == 1 else "1 ENTER "
    return f"S {game.key} {table}H ENTER"


def _titles(caller: Caller) -> str:
    return ", ".join(caller.words(game.titles.game) for game in games_here(caller))


def _names(game: Entry) -> set[str]:
    """Return what a game is called, in all languages, in comparable form."""
    return {
        commands.comparable(game.kind),
        *(commands.comparable(words_of(language)(game.titles.game)) for language in LANGUAGES),
    }


def _play(caller: Caller, game: Entry, number: int | None = None, *, by_command: bool = False) -> None:
    """Let the caller sit down at one of a game's tables; they choose among several unless the number is given."""
    tables = caller.tables.of(game)
    if number is None and len(tables) > 1:
        number = _choose_table(caller, game, tables)
        if number is None:
            return
    number = 1 if number is None else number
    if 1 <= number <= len(tables):
        sit_at(caller, tables[number - 1], by_command=by_command)
    else:
        caller.console.say(caller.words("There is no such table."), Style.YELLOW)


def sit_at(caller: Caller, table: int, *, by_command: bool = True) -> None:
    """Let the caller see who sits at a table, by its number in the segment, and sit down.

    What they have to know or to agree to is asked before, and if it is not `by_command`, whether they want to at all.
    """
    game, place = caller.tables.game(table), caller.tables[table]
    terms, house = game.chosen(caller.instance, table, caller.words), game.has_house and caller.config.house.players > 0
    heading, asks = caller.words(game.titles.heading), bool(terms) or not by_command
    value = place.look()
    if held_for(value, caller.user.id) is not None or any(one.holder.user == caller.user.id for one in value.kept):
        caller.console.say(caller.words("Your seat was kept for you."), Style.CYAN)
        way: _Way | None = _Way()
    elif value.reserved is not None:
        way = _Way()
        if caller.user.id not in value.reserved.users:
            caller.console.say(caller.words("This table is reserved for others at the moment."), Style.YELLOW)
            return
    else:
        way = _ask_way(caller, place, heading, terms, asks=asks, house=house)
    if way is not None:
        play_at(caller, place, game.definition, way.level)
        remind(caller)


def _choose_table(caller: Caller, game: Entry, tables: Sequence[int]) -> int | None:
    """Return the number of the table that the caller chooses of several.

    The occupied ones are listed, with what their masters have chosen, and the first empty one.
    """
    words, say = caller.words, caller.console.say
    say()
    empty, listed = [], []
    for number, table in enumerate(tables, 1):
        value = caller.tables[table].look()
        names = [told_name(seat.name, words) for seat in value.seats if seat is not None]
        if names:
            listed.append(Offer(str(number), words("Table {n}: {names}", n=number, names=", ".join(names))))
            say(f"  {listed[-1].label}", means=str(number))
            for term in game.chosen(caller.instance, table, words):
                say(f"    {term}", means=str(number))
        elif value.reserved is None:
            empty.append(number)
    if empty:
        text = words.count(
            "{n} empty table, the first is number {first}.",
            "{n} empty tables, the first is number {first}.",
            len(empty),
            first=empty[0],
        )
        listed.append(Offer(str(empty[0]), caller.others.table_name(tables[empty[0] - 1], words)))
        say(f"  {text}", means=str(empty[0]))
    question = words("Which table, 1 to {last}? (ENTER: back) ", last=len(tables))
    return ask_number(caller, question, len(tables), words("There is no such table."), listed)


class _Way(NamedTuple):
    """How a caller sits down."""

    level: Level | None = None
    """The level of the house players that are asked to join, or None if none are."""


def _ask_way(
    caller: Caller,
    table: GameTable,
    heading: str,
    terms: Sequence[str],
    *,
    asks: bool,
    house: bool,
) -> _Way | None:
    """Tell who sits at a table, and what its master has chosen; return how the caller sits down, None: not at all.

    `house`: house players come to this table.
    """
    words, say = caller.words, caller.console.say
    caller.maintain(table.maintain)
    value = table.look()
    seats = value.seats
    names = [told_name(seat.name, words) for seat in seats if seat is not None]
    say()
    if not names:
        say(words("Nobody is using the game at the moment."))
        if house and asks:
            return _ask_company(caller)
        question = words("Sit down and wait until others join you? (y/n) ")
        return _Way() if not asks or ask_yes(caller, question) else None
    say(heading)
    for name in names:
        say(f"  {name}", Style.CYAN, means="y")
    for term in terms:
        say(term)
    if len(names) < len(seats):
        return _Way() if not asks or ask_yes(caller, words("Sit down with them? (y/n) ")) else None
    if make_room(value) is not None:
        say(words("The table is full, but a house player makes room for you as soon as no game runs."))
        return _Way() if ask_yes(caller, words("Wait for the seat? (y/n) ")) else None
    say(words("The table is full; there are only {n} seats.", n=len(seats)), Style.YELLOW)
    return None


def _ask_company(caller: Caller) -> _Way | None:
    """Ask whether the caller waits for others at an empty table, or plays with the house, and with whom there."""
    words = caller.words
    question = words("Sit down and wait until others join you (y/n), or play with the house (H)? ")
    house = (Offer("h", words("Play with the house")),)
    key = ask_one_of(caller, question, {*YES, *"hHnNqQ", ENTER, ESCAPE}, lambda: house).upper()
    if key == "H":
        caller.console.finish("H")
        return _ask_level(caller)
    caller.console.finish(words("yes") if is_yes(key) else words("no"))
    return _Way() if is_yes(key) else None


def _ask_level(caller: Caller) -> _Way | None:
    """Ask how well the house players shall play; ENTER alone takes the usual level."""
    words, names, usual = caller.words, level_names(caller.words), caller.config.house.level
    levels = "   ".join(f"[{number}] {name}" for number, name in enumerate(names, 1))
    question = words(
        "How well should they play?   {levels}   (ENTER: {usual}) ", levels=levels, usual=names[LEVELS.index(usual)]
    )
    chosen = dict(zip("123", LEVELS, strict=True)) | {ENTER: usual}
    level = chosen.get(ask_one_of(caller, question, {*chosen, "q", "Q", ESCAPE}))
    caller.console.finish("" if level is None else names[LEVELS.index(level)])
    return None if level is None else _Way(level)


# --- the last game once more ------------------------------------------------------------------------------------------


def play_again(caller: Caller) -> None:
    """`C`: sit down where the caller's last game was, or at another table of it; with the house if that was so."""
    words, say = caller.words, caller.console.say
    last = next(iter(caller.instance.bank.games(Asked(user=caller.user.id, limit=1))), None)
    game = None if last is None else next((one for one in games_here(caller) if one.kind == last.kind), None)
    if last is None or game is None:
        say(words("You have not played any games yet.") if last is None else words("There is no such game."))
        return
    others = [player for player in last.players if player.user != caller.user.id]
    levels = {level_in(player.name) for player in others if is_house(player.user)}
    level = next(iter(levels), None) if others and all(is_house(player.user) for player in others) else None
    tables = sorted(caller.tables.of(game), key=lambda table: table != last.table)
    values = {table: caller.tables[table].look() for table in tables}
    seats = {table: value.seats for table, value in values.items() if value.reserved is None}
    if level is not None and _has_house(caller):
        # house players of a moment ago may still be there
        alone = [table for table in seats if all(seat is None or is_house(seat.user) for seat in seats[table])]
        if alone:
            say(caller.others.table_name(alone[0], words), Style.CYAN)
            play_at(caller, caller.tables[alone[0]], game.definition, level)
            remind(caller)
            return
    sit_at(caller, next((table for table in seats if None in seats[table]), tables[0]))


AGAIN: Final = MenuLine("C", mark("Continue: your last game once more, the same way"), play_again)


def follow_summons(caller: Caller) -> None:
    """`J`: go to the table where somebody asked the caller to come."""
    words, say = caller.words, caller.console.say
    found = caller.others.taken_up(time.monotonic())
    if found is None:
        say(words("Nobody has invited you within the last two minutes."), Style.YELLOW)
        return
    say(caller.others.table_name(found.table, words))
    seats = caller.tables[found.table].sitting()
    is_there = not found.user or any(seat is not None and seat.user == found.user for seat in seats)
    question = words("{name} is not there any more. Sit down all the same? (y/n) ", name=found.name)
    if is_there or ask_yes(caller, question):
        sit_at(caller, found.table)


SUMMONED: Final = MenuLine(
    "J", mark("Go where you are invited"), follow_summons, is_listed=False, is_offered=lambda _: False
)
"""Without an invitation. Where one stands, each prompt of a menu offers its key and takes it (`prompts.Summoned`)."""


# --- the menu ---------------------------------------------------------------------------------------------------------


def _line_of(game: Entry) -> MenuLine:
    return MenuLine(
        game.key,
        game.titles.game,
        lambda caller: _play(caller, game),
        works=lambda caller: bool(caller.tables.of(game)),
    )


_MENU = Menu(
    "the casino",
    (
        *map(_line_of, GAMES),
        AGAIN,
        MenuLine("O", mark("Watch a table"), lambda caller: choose_and_look_on(caller, games_here(caller))),
        MenuLine("G", mark("Games played"), games_played),
        MenuLine(commands.SIGN, "", command, is_listed=False, goes_on=True),
    ),
    leads_back=True,
)


@cache
def casino_menu() -> Menu:
    """Return the casino's menu, with what extras add to it."""
    return _MENU.with_added()
