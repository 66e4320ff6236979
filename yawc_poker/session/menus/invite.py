"""`I` at the main prompt: sit down and summon somebody there.

Owns the choice of the table. The way to a seat is `session.menus.casino`'s, the summons itself `summons`'.
"""

from collections.abc import Callable, Sequence

from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.registry.entry import Entry
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_name, ask_yes
from yawc_poker.session.caller.summons import obstacle
from yawc_poker.session.menus.casino import ask_game, games_here, sit_at
from yawc_poker.terminal.frame import Style


def invite(caller: Caller) -> None:
    """`I`: choose somebody and a game, sit down there, and ask them to come."""
    if not caller.may_write():
        return
    if name := ask_name(caller, caller.words("Whom do you invite? ")):
        invite_user(caller, name)


def invite_user(
    caller: Caller, name: str, game: Entry | None = None, on_way: Callable[[], None] = lambda: None
) -> None:
    """Sit down with somebody, at their table or at one of a game, to which they are asked.

    The caller chooses the game unless it is given. `on_way` is called before the caller sits down.
    """
    words, say = caller.words, caller.console.say
    if not caller.may_write():
        return
    person, reason = obstacle(caller, name)
    if person is None:
        say(reason, Style.YELLOW)
        return
    own = _own_table(caller, person) if game is None else None
    if own is not None:
        sit_at(caller, own)
        return
    game = game or chosen_game(caller)
    if game is None:
        return
    table = _free_table(caller, game)
    if table is None:
        say(words("No table has a seat for both of you."), Style.YELLOW)
        return
    on_way()
    caller.others.guest = person.name
    try:
        sit_at(caller, table)
    finally:
        caller.others.guest = ""


def _own_table(caller: Caller, person: SessionInfo) -> int | None:
    """Return the table where the other sits already, if there is a seat and the caller wants it."""
    table = person.place.table if person.at_table else None
    if table is None or None not in caller.tables[table].sitting():
        return None
    place = caller.others.table_name(table, caller.words)
    question = caller.words("{name} sits here: {table}. Sit down there? (y/n) ", name=person.name, table=place)
    return table if ask_yes(caller, question) else None


def chosen_game(caller: Caller) -> Entry | None:
    """Return the game that the caller chooses; ENTER alone takes the first one."""
    words, (first, *others) = caller.words, games_here(caller)
    if not others:
        return first
    return ask_game(caller, words("To which game? (ENTER: {game}) ", game=words(first.titles.game)), first)


def _free_table(caller: Caller, game: Entry) -> int | None:
    """Return the first empty table of a game, else the first with two free seats, or None if there is none."""
    tables: Sequence[int] = caller.tables.of(game)
    free = {table: caller.tables[table].sitting().count(None) for table in tables}
    empty = [table for table in tables if free[table] == game.seats]
    return next(iter(empty or [table for table in tables if free[table] > 1]), None)
