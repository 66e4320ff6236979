"""The way back into a seat that is held: what a new session of a user does about the seat of an older one.

Owns what is asked of all tables for that: holding the seat of a session that is about to end, and finding the seat that
is held. The way from there into the game is `session.table.play`'s.
"""

import logging

from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.play import play_at
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


def hold_seat_of(caller: Caller, other: SessionInfo) -> None:
    """Keep the seat of an older session of the caller, which is to end, if it has one: it may die before it does so."""
    table, seconds = other.place.table, caller.config.bbs.hold_seconds
    if not seconds or not other.at_table or table is None or table >= len(caller.tables):
        return
    try:
        caller.tables[table].hold(seconds, other.token, told=False)
    except (LockTimeout, StoreError, OSError) as error:
        log.info("table %s: the seat of an older session is not held: %s", caller.tables[table].name, error)


def return_to_seat(caller: Caller) -> bool:
    """Lead a caller straight back to the seat that is held for them, or in which a house player stands in for them.

    Return whether there was one.
    """
    words, user = caller.words, caller.user.id
    for number, table in enumerate(caller.tables):
        if table.is_held_for(user):
            caller.console.say(words("Your seat was kept for you."), Style.CYAN)
        elif table.is_kept_for(user):
            caller.console.say(words("A house player plays for you; here is your seat again."), Style.CYAN)
        else:
            continue
        play_at(caller, table, caller.tables.game(number).definition, returns=table.is_held_for(user))
        return True
    return False
