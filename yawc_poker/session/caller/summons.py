"""A summons: a caller at a table asks another one, by name, to come there; two minutes long one key follows it.

Owns who may be summoned, and sending it; what the other reads and keeps is `others`'. It counts as a line written to
others, so the rate limit and the sysops' TWIT hold. Somebody who ignores the caller hears nothing, which nobody tells.
"""

import time

from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.company import make_room
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import NAME_LIMIT
from yawc_poker.terminal.text import clean


def obstacle(caller: Caller, name: str) -> tuple[SessionInfo | None, str]:
    """Return the session of somebody who may be summoned, and else the sentence why not."""
    words = caller.words
    person = caller.instance.directory.named(name)
    if person is None:
        return None, words("Nobody called {name} is online.", name=clean(name, NAME_LIMIT))
    if person.user == caller.user.id:
        return None, words("You are here yourself.")
    if person.is_house or person.is_guest:
        return None, words("{name} cannot be invited.", name=person.name)
    return person, ""


def summoned(caller: Caller, name: str | None, table: GameTable) -> str:
    """Summon somebody, or with None follow a summons, from a table; return the sentence what became of it."""
    return _followed(caller, table) if name is None else _summon(caller, name, table)


def _summon(caller: Caller, name: str, table: GameTable) -> str:
    """Summon somebody to the table where the caller sits, and return the sentence what became of it."""
    words = caller.words
    if not name:
        return words("Whom? As in /invite Anna.")
    person, reason = obstacle(caller, name)
    if person is None:
        return reason
    value = table.look()
    if any(seat is not None and seat.user == person.user for seat in value.seats):
        return words("{name} sits here already.", name=person.name)
    if None not in value.seats and make_room(value) is None:
        return words("The table is full.")
    if refusal := caller.bulletin.may_not_write(words):
        return refusal
    payload = f"summons {caller.user.id} {caller.user.name}".encode()
    caller.instance.notifier.tell(Kind.NOTICE, [person.index], table.number, payload)
    if person.at_table:
        return words("{name} is playing at the moment, and has been invited.", name=person.name)
    return words("{name} has been invited.", name=person.name)


def meet(caller: Caller, table: GameTable) -> str:
    """Do what a caller does who has just sat down: summon whom they came for, tell all at a prompt who waits here.

    Return the sentence what became of the summons; empty: there was none.
    """
    told = _summon(caller, caller.others.guest, table) if caller.others.guest else ""
    caller.others.tell_who_waits(table.number, time.monotonic())
    return told


def _followed(caller: Caller, table: GameTable) -> str:
    """Let the caller leave their table for the one they were summoned to; return why not, empty: they leave."""
    words = caller.words
    standing = caller.others.standing(time.monotonic())
    if standing is None:
        return words("Nobody has invited you within the last two minutes.")
    if standing.table == table.number:
        return words("You sit at this table already.")
    if table.look().game is not None:
        return words("A game is running. Go there when it is over, or leave it by [X] and press J.")
    caller.others.goes_over = True
    return ""
