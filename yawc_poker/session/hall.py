"""The casino's hall: its menu, the choice of a game and of a table, and who sits there.

Owns the way from the main prompt to a seat. What happens in the seat is `yawc_poker.session.play`'s.
"""

from collections.abc import Sequence

from yawc_poker.casino.house import AnyTable
from yawc_poker.casino.tables import GameTable
from yawc_poker.engine.game import E, S
from yawc_poker.games.maumau import screen as maumau_screen
from yawc_poker.games.poker import screen as poker_screen
from yawc_poker.session.caller import Caller
from yawc_poker.session.face import Face, L, Mv, Op, V
from yawc_poker.session.floor import Room
from yawc_poker.session.play import play_at
from yawc_poker.session.played import games_played
from yawc_poker.session.questions import ask_key, ask_line, ask_yes
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
    say("  [2] " + words("Poker"))
    if caller.floor.maumau:
        say("  [3] " + words("Mau-Mau"))
    say("  [G] " + words("Games played"))
    say("  [Q] " + words("Back"))
    say()
    key = ask_key(caller, words("Casino") + "> ")
    if key == "2":
        caller.console.finish(words("Poker"))
        _poker(caller)
    elif key == "3" and caller.floor.maumau:
        caller.console.finish(words("Mau-Mau"))
        _maumau(caller)
    elif key.upper() == "G":
        caller.console.finish(words("Games played"))
        games_played(caller)
    else:
        caller.console.finish()


def _poker(caller: Caller) -> None:
    _play(caller, caller.floor.poker, caller.words("At the poker table:"), poker_screen)


def _maumau(caller: Caller) -> None:
    _play(caller, caller.floor.maumau, caller.words("At the Mau-Mau table:"), maumau_screen)


def _play(caller: Caller, room: Room[GameTable[S, Mv, E, Op]], heading: str, face: Face[S, Mv, E, Op, V, L]) -> None:
    """Let the caller choose a table of a room, look at who sits there, and sit down."""
    if not caller.display.can_draw:
        caller.console.say(
            caller.words("The table needs a terminal that can move its cursor; yours says that it cannot (dumb)."),
            Style.YELLOW,
        )
        return
    number = _choose_table(caller, room) if len(room) > 1 else 0
    if number is not None:
        _enter(caller, room[number], heading, face)


def _choose_table(caller: Caller, room: Sequence[AnyTable]) -> int | None:
    """Let the caller choose among several tables; those where somebody sits are named, and the first empty one."""
    words, say = caller.words, caller.console.say
    say()
    empty = []
    for number, table in enumerate(room):
        names = [seat.name for seat in table.sitting() if seat is not None]
        if names:
            say("  " + words("Table {n}: {names}", n=number + 1, names=", ".join(names)))
        else:
            empty.append(number + 1)
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
    answer = ask_line(caller, words("Which table, 1 to {last}? (ENTER: back) ", last=len(room)), 4, q_is_back=True)
    chosen = int(answer) if answer.isascii() and answer.isdecimal() else 0
    if 1 <= chosen <= len(room):
        return chosen - 1
    if answer:
        say(words("There is no such table."), Style.YELLOW)
    return None


def _enter(caller: Caller, table: GameTable[S, Mv, E, Op], heading: str, face: Face[S, Mv, E, Op, V, L]) -> None:
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
    """Name a table by its number in the segment, as others are told where somebody is."""
    words, floor = caller.words, caller.floor
    if number < len(floor.poker):
        return words("Poker table") if len(floor.poker) == 1 else words("Poker table {n}", n=number + 1)
    number -= floor.maumau.first
    return words("Mau-Mau table") if len(floor.maumau) == 1 else words("Mau-Mau table {n}", n=number + 1)
