"""The casino: its menu, the choice of a game and of a table, and the people who sit there; commands at a prompt.

Owns the way from the main prompt to a seat, by the menu or by `/join`. What happens in the seat is
`yawc_poker.session.table.play`'s.
"""

from collections.abc import Sequence

from yawc_poker.casino.instance.instance import AnyTable
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.catalogues import words as words_of
from yawc_poker.engine.game import EventT, StateT
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_key, ask_line, ask_rest, ask_yes
from yawc_poker.session.menus.history import games_played
from yawc_poker.session.table.play import play_at
from yawc_poker.table_ui.definition import Definition
from yawc_poker.table_ui.face import LocalT, MoveT, OptionsT, ViewT
from yawc_poker.table_ui.spoken import AT_TABLE, SIGN, JoinTable, asked, comparable, game_and_number
from yawc_poker.terminal.frame import Style
from yawc_poker.words import LANGUAGES

COMMAND_LIMIT = 60
"""Characters of a command at a prompt."""


def casino(caller: Caller) -> None:
    """`S`: the casino's menu with its warning (spec/poker.md 2.1)."""
    say, words = caller.console.say, caller.words
    say()
    say(
        words(
            "The games draw with terminal escape sequences; if your screen shows garbage, use another terminal program."
        )
    )
    say(words("The suits on the cards: + clubs, * spades, # hearts, - diamonds."))
    say()
    games = _games(caller)
    for game in games:
        say(f"  [{game.key}] " + words(game.titles.game))
    say("  [G] " + words("Games played"))
    say("  [Q] " + words("Back"))
    say()
    key = ask_key(caller, words("Casino") + "> ")
    if key == SIGN:
        command(caller)
        return
    chosen = next((game for game in games if game.key == key), None)
    if chosen is not None:
        caller.console.finish(words(chosen.titles.game))
        _play(caller, chosen)
    elif key.upper() == "G":
        caller.console.finish(words("Games played"))
        games_played(caller)
    else:
        caller.console.finish()


def _games(caller: Caller) -> list[Entry]:
    return [game for game in GAMES if caller.tables.of(game)]


def command(caller: Caller) -> None:
    """Read a command, whose first key was pressed at an open prompt, and carry it out."""
    line = ask_rest(caller, SIGN, COMMAND_LIMIT)
    match asked(line):
        case JoinTable(text):
            _join(caller, text)
        case _ if line:
            caller.console.say(
                caller.words(
                    "Here there is /join, as in /join {game}. At a table there are {commands}.",
                    game=caller.words(GAMES[0].titles.game).lower(),
                    commands=", ".join(AT_TABLE),
                ),
                Style.YELLOW,
            )


def _join(caller: Caller, text: str) -> None:
    """Sit down at a table of the game that is named, by its number if one is; say which games there are otherwise."""
    games = _games(caller)
    name, number = game_and_number(text)
    chosen = next((game for game in games if name in _names(game)), None)
    if chosen is not None:
        _play(caller, chosen, number, by_command=True)
        return
    words, titles = caller.words, [caller.words(game.titles.game) for game in games]
    if text:
        caller.console.say(words("There is no such game."), Style.YELLOW)
    caller.console.say(words("The games: {games}. Sit down by /join and a game.", games=", ".join(titles)))


def _names(game: Entry) -> set[str]:
    """Return what a game is called, in all languages, in comparable form."""
    return {comparable(game.kind), *(comparable(words_of(language)(game.titles.game)) for language in LANGUAGES)}


def _play(caller: Caller, game: Entry, number: int | None = None, *, by_command: bool = False) -> None:
    """Let the caller choose one of a game's tables, see who sits there, and sit down; `number` is the table's."""
    if not caller.display.can_draw:
        caller.console.say(
            caller.words("The table needs a terminal that can move its cursor; yours says that it cannot (dumb)."),
            Style.YELLOW,
        )
        return
    tables = caller.tables.of(game)
    if number is not None and not 1 <= number <= len(tables):
        caller.console.say(caller.words("There is no such table."), Style.YELLOW)
        return
    chosen = number - 1 if number else _choose_table(caller, game, tables) if len(tables) > 1 else 0
    if chosen is None:
        return
    terms = game.chosen(caller.instance, tables[chosen], caller.words)

    def enter(
        table: GameTable[StateT, MoveT, EventT, OptionsT],
        played: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
        /,
    ) -> None:
        if _sits_down(caller, table, caller.words(game.titles.heading), terms, asks=bool(terms) or not by_command):
            play_at(caller, table, played)

    game.visit(caller.instance, tables[chosen], enter)


def _choose_table(caller: Caller, game: Entry, tables: Sequence[int]) -> int | None:
    """Return the table that the caller chooses of several.

    The occupied ones are listed, with what their masters have chosen, and the first empty one.
    """
    words, say = caller.words, caller.console.say
    say()
    empty = []
    for number, table in enumerate(tables, 1):
        names = [seat.name for seat in caller.tables[table].sitting() if seat is not None]
        if names:
            say("  " + words("Table {n}: {names}", n=number, names=", ".join(names)))
            for term in game.chosen(caller.instance, table, words):
                say(f"    {term}")
        else:
            empty.append(number)
    if empty:
        say(
            "  "
            + words.count(
                "{n} empty table, the first is number {first}.",
                "{n} empty tables, the first is number {first}.",
                len(empty),
                first=empty[0],
            )
        )
    answer = ask_line(caller, words("Which table, 1 to {last}? (ENTER: back) ", last=len(tables)), 4, q_is_back=True)
    chosen = int(answer) if answer.isascii() and answer.isdecimal() else 0
    if 1 <= chosen <= len(tables):
        return chosen - 1
    if answer:
        say(words("There is no such table."), Style.YELLOW)
    return None


def _sits_down(caller: Caller, table: AnyTable, heading: str, terms: Sequence[str], *, asks: bool) -> bool:
    """Tell who sits at a table, and what its master has chosen; return whether the caller wants to sit down, too."""
    words, say = caller.words, caller.console.say
    caller.look_after(table.look_after)
    seats = table.sitting()
    names = [seat.name for seat in seats if seat is not None]
    say()
    if not names:
        say(words("Nobody is using the game at the moment."))
        question = words("Sit down and wait until others join you? (y/n) ")
    else:
        say(heading)
        for name in names:
            say(f"  {name}", Style.CYAN)
        for term in terms:
            say(term)
        if len(names) == len(seats):
            say(words("The table is full; there are only {n} seats.", n=len(seats)), Style.YELLOW)
            return False
        question = words("Sit down with them? (y/n) ")
    return not asks or ask_yes(caller, question)


def table_name(caller: Caller, number: int) -> str:
    """Return the name of a table by its number in the segment, as the list of callers shows it."""
    game = caller.tables.game(number)
    tables, titles = caller.tables.of(game), game.titles
    if len(tables) == 1:
        return caller.words(titles.table)
    return caller.words(titles.numbered, n=tables.index(number) + 1)
