"""The casino: its menu, the choice of a game and of a table, and the people who sit there.

Owns the way from the main prompt to a seat. What happens in the seat is `yawc_poker.session.table.play`'s.
"""

from collections.abc import Sequence

from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.game import EventT, StateT
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_key, ask_line, ask_yes
from yawc_poker.session.menus.history import games_played
from yawc_poker.session.table.play import play_at
from yawc_poker.table_ui.face import Face, LocalT, MoveT, OptionsT, ViewT
from yawc_poker.terminal.frame import Style


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
    games = [game for game in GAMES if caller.tables.of(game)]
    for game in games:
        say(f"  [{game.key}] " + words(game.titles.game))
    say("  [G] " + words("Games played"))
    say("  [Q] " + words("Back"))
    say()
    key = ask_key(caller, words("Casino") + "> ")
    chosen = next((game for game in games if game.key == key), None)
    if chosen is not None:
        caller.console.finish(words(chosen.titles.game))
        _play(caller, chosen)
    elif key.upper() == "G":
        caller.console.finish(words("Games played"))
        games_played(caller)
    else:
        caller.console.finish()


def _play(caller: Caller, game: Entry) -> None:
    """Let the caller choose one of a game's tables, see who sits there, and sit down."""
    if not caller.display.can_draw:
        caller.console.say(
            caller.words("The table needs a terminal that can move its cursor; yours says that it cannot (dumb)."),
            Style.YELLOW,
        )
        return
    tables = caller.tables.of(game)
    chosen = _choose_table(caller, tables) if len(tables) > 1 else 0
    if chosen is None:
        return

    def enter(
        table: GameTable[StateT, MoveT, EventT, OptionsT], face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], /
    ) -> None:
        _enter(caller, table, caller.words(game.titles.heading), face)

    game.visit(caller.instance, tables[chosen], enter)


def _choose_table(caller: Caller, tables: Sequence[int]) -> int | None:
    """Return the table that the caller chooses of several; the occupied ones and the first empty one are listed."""
    words, say = caller.words, caller.console.say
    say()
    empty = []
    for number, table in enumerate(tables, 1):
        names = [seat.name for seat in caller.tables[table].sitting() if seat is not None]
        if names:
            say("  " + words("Table {n}: {names}", n=number, names=", ".join(names)))
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


def _enter(
    caller: Caller,
    table: GameTable[StateT, MoveT, EventT, OptionsT],
    heading: str,
    face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
) -> None:
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
        if len(names) == len(seats):
            say(words("The table is full; there are only {n} seats.", n=len(seats)), Style.YELLOW)
            return
        question = words("Sit down with them? (y/n) ")
    if ask_yes(caller, question):
        play_at(caller, table, face)


def table_name(caller: Caller, number: int) -> str:
    """Return the name of a table by its number in the segment, as the list of callers shows it."""
    game = caller.tables.game(number)
    tables, titles = caller.tables.of(game), game.titles
    if len(tables) == 1:
        return caller.words(titles.table)
    return caller.words(titles.numbered, n=tables.index(number) + 1)
