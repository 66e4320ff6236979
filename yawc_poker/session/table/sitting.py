"""The way into a seat: sitting down, the wait for a house player who makes room, and the refusals.

Owns what happens between a caller's wish for a seat and the seat. A caller who waits is at the prompt: sits nowhere,
hears everything, and gives up by any key.
"""

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.absence import held_for
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.kept import kept_for
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.events import AlarmDue, Key
from yawc_poker.ipc.semaphore import LockSlow, LockTimeout
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import ClosingDown
from yawc_poker.session.table.attendance import SeatedPlayer
from yawc_poker.table_ui.definition import AnyFace
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.keys import REDRAW
from yawc_poker.words import mark

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 0.25
"""How often somebody who waits looks at the table: they sit nowhere, so nobody wakes them."""
_LOOK: Final = "seat"

_BUSY = mark("The table is busy; please try again.")
_SLOW = mark("The bank is slow; nothing was changed. Please try again.")
_UNSURE = mark("The bank did not confirm that. Any CUBES it took will come back.")
_ALL_OR_NOTHING = mark("The bank did not confirm that. In a moment the table shows whether it was done.")
_NO_BANK = mark("The bank cannot be reached; nothing was changed. Please try again.")


class SeatRule(NamedTuple):
    """Who may sit down, by an extra (the place `seat_rules`)."""

    refusal: Callable[[Caller, GameTable], str]
    """Return why a caller may not sit down at a table, in a sentence; empty: they may. Raise `StoreError`."""


def may_sit(caller: Caller, table: GameTable) -> bool:
    """Return whether no extra refuses a caller the seat, and tell them why one does; a seat that is kept is theirs.

    Raise `StoreError`.
    """
    found = next((text for one in announced("seat_rules", SeatRule) if (text := one.refusal(caller, table))), "")
    value, user = table.look(), caller.user.id
    if not found or held_for(value, user) is not None or kept_for(value, user) is not None:
        return True
    caller.console.say(found, Style.YELLOW)
    return False


def sit_down(caller: Caller, player: SeatedPlayer, face: AnyFace, *, returns: bool = False) -> AnyTable | None:
    """Sit down, and return the table's value then, or None if the caller gets no seat, and has read why.

    `returns`: into no other seat than the one that is held for them.
    """
    while True:
        try:
            return player.take_over(caller.user.id) if returns else player.sit(caller.user.id, caller.user.name)
        except IllegalMove as refusal:
            if returns and refusal.reason == "not_seated":
                caller.console.say(caller.words("Your seat could not be kept any longer."), Style.YELLOW)
                return None
            if refusal.reason == "closing_down":
                raise ClosingDown from None
            if refusal.reason == "house_yields":
                if _wait_for_seat(caller, player.table):
                    continue
                return None
            caller.console.say(face.refusal(refusal, caller.words), Style.YELLOW)
            return None
        except (StoreError, LockTimeout) as error:
            log.error("%r could not sit down: %s", caller.user.name, error)
            caller.console.say(caller.words(trouble(error)), Style.ALERT)
            return None


def trouble(error: StoreError | LockTimeout) -> str:
    """Return the sentence for an operation that failed for now."""
    if isinstance(error, LockSlow) or (isinstance(error, StoreError) and error.slow):
        return _SLOW
    if isinstance(error, LockTimeout):
        return _BUSY
    if error.maybe_done:
        return _ALL_OR_NOTHING if error.is_whole else _UNSURE
    return _NO_BANK


def wait_for_key(caller: Caller, table: GameTable) -> bool:
    """Wait for a key of a caller who is away while a house player stands in for them; return False if none does."""
    kept = kept_for(table.look(), caller.user.id)
    if kept is None or kept.asleep != table.context.session:
        return False
    caller.console.say(caller.words("You were away for long: a house player plays for you."), Style.YELLOW)
    caller.console.prompt(caller.words("Any key: back to your seat "))
    while True:
        event = caller.loop.next()
        if isinstance(event, Key) and event.name != REDRAW:
            caller.touched()
            caller.console.finish()
            return True
        caller.meanwhile(event)


def _wait_for_seat(caller: Caller, table: GameTable) -> bool:
    """Wait until a seat is free; return False if the caller gave up."""
    commit = table.commit_number  # before the look: a commit that comes after it is seen at the next alarm
    if None in table.sitting():
        return True
    caller.console.prompt(caller.words("Waiting for a seat; any key: back "))
    caller.loop.alarms.every(_LOOK, LOOK_SECONDS)
    try:
        while True:
            event = caller.loop.next()
            if isinstance(event, Key) and event.name != REDRAW:
                caller.touched()
                return False
            caller.meanwhile(event)
            if event == AlarmDue(_LOOK) and table.commit_number != commit:
                commit = table.commit_number
                if None in table.sitting():
                    return True
    finally:
        caller.loop.alarms.cancel(_LOOK)
        caller.console.finish()
