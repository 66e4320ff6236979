"""A house player: a session without a caller, which sits down where it is asked to and plays by the game's program.

Owns the life of its process, from the directory to the exit code, and one seat between `sit` and `stand_up`: when it
moves, what it chooses by, when it goes. What it chooses is the game's (`Definition.player`), from the view of its seat;
when a process is forked for it is the listener's. Never starts a game, never draws. Killed at any moment it leaves what
a killed session leaves: its seat is purged, and those who sit there may ask another one to join.

It moves at a pace of its own, which is shortened where the turn's clock is short, so it never holds a game up. It goes
when it was sent away or has to make room for a person, but not out of a game that it plays in; and when nobody but
house players sits there.

It runs at a low priority, and everybody else preempts it at once (`session.prefork.slices`): it costs people nothing.
"""

import logging
import math
import os
import random
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.entrances import Entrance, records_for
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.users.names import look_key
from yawc_poker.engine import transcript
from yawc_poker.engine.against_house import LEAST
from yawc_poker.engine.company import must_go
from yawc_poker.engine.events import Phrase
from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.house import HOUSE_NAMES, HOUSE_USERS, LEVELS, Level, chance_of, marked, program_name
from yawc_poker.engine.kept import kept_at, wanted
from yawc_poker.engine.values import AnyTable, Table, persons, user_at
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import AlarmDue, Event, Terminated
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.endings import Exit, is_closing
from yawc_poker.session.house.slots import FILE, ThinkSlots
from yawc_poker.session.table.attendance import DEADLINE, SeatedPlayer
from yawc_poker.session.table.table_session import CallerlessSession, Over, serve_callerless
from yawc_poker.table_ui.definition import AnyDefinition, view_of

log = logging.getLogger(__name__)

NICE: Final = 10
PEER: Final = "house"
"""Where house players call from, as the directory shows it."""
_PATIENCE: Final = 1.0
"""Seconds to wait for the table's lock at the end of the own turn."""
MOVE: Final = "move"
"""The alarm at which it thinks and moves."""
SHARE: Final = 0.25
"""Most of the time left of a turn that it lets pass before it thinks."""
RETRY_SECONDS: Final = 0.05
"""Until it asks again for a slot to think in."""
TALKS: Final = 0.3
"""How often a house player says something that would fit."""
AGAIN_SECONDS: Final = 1.0
"""Until it tries again what the bank or a busy table has put off."""
_OVERTAKEN: Final = frozenset({"changed", "too_late", "no_game", "closing", "closing_down", "not_seated"})
"""Refusals of a move that came too late. Any other is a mistake of the game's program."""


# --- the process ------------------------------------------------------------------------------------------------------


def serve_house(number: int, table: str, open_instance: Callable[[], Instance]) -> Exit:
    """Serve as a house player at a table, by its number in the segment and its name, until the end. Never raises."""
    yield_to_people()
    here = f"at table {table}"
    return serve_callerless(
        f"house player {here}",
        f"no house player for table {table}",
        f"a house player {here}",
        lambda inbox, alarms: _serve(EventLoop(inbox, alarms), alarms, open_instance(), number),
    )


def yield_to_people() -> None:
    """Run at a low priority, and in a scheduling group of its own that has it, too.

    Linux shares processors among sessions (setsid) first, so time spent here would else be taken from the callers'.
    """
    with suppress(OSError):  # a service may not be allowed to
        os.nice(NICE)
    with suppress(OSError):  # not every kernel has these groups
        os.setsid()
        Path("/proc/self/autogroup").write_text(f"{NICE}")


def _serve(loop: EventLoop, alarms: Alarms, instance: Instance, number: int) -> None:
    instance.enter(PEER, Entrance.HOUSE)
    try:
        instance.tables = tables = Tables(instance)
        alarms.every("duty", instance.config.engine.duty_seconds)
        game = tables.game(number).definition
        if game.player is None:
            return
        slots = ThinkSlots(instance.data / FILE)
        try:
            HouseSession(instance, alarms, tables[number], game, slots).run(loop)
        finally:
            slots.close()
    finally:
        instance.leave()


def enter_name(instance: Instance, level: Level, least: int = 0) -> tuple[int, str] | None:
    """Be one of the house players that are not in yet, and return user and name; None: all are.

    Who owns at least so many CUBES comes before those who would have to borrow them. Those of each host have numbers of
    their own, so that no two hosts send the same one.
    """
    first, most = 0, instance.config.house.players
    if instance.here.is_clustered:
        room = len(records_for(instance.segment, Entrance.HOUSE))
        first, most = instance.here.number * room, min(most, room)
    numbers = list(range(first + 1, first + most + 1))
    random.shuffle(numbers)
    owned = instance.bank.balances([HOUSE_USERS[number - 1] for number in numbers]) if least else {}
    poor = {HOUSE_USERS.index(user) + 1 for user, cubes in owned.items() if cubes < least}
    numbers.sort(key=lambda number: number in poor)
    accounts = [name for name in HOUSE_NAMES if instance.accounts.find(name) is not None]

    def choose(taken: Collection[str]) -> tuple[int, str] | None:
        number = free_number(numbers, taken, accounts)
        return None if number is None else (HOUSE_USERS[number - 1], house_name(number, level))

    return instance.directory.claim_house(instance.notifier.index, choose)


# --- names ------------------------------------------------------------------------------------------------------------


def house_name(number: int, level: Level) -> str:
    """Return the name of a house player by its number, from 1, and its level."""
    turn, at = divmod(number - 1, len(HOUSE_NAMES))
    return marked(f"{HOUSE_NAMES[at]}{f' {turn + 1}' if turn else ''}", level)


def free_number(numbers: Iterable[int], taken: Iterable[str], accounts: Collection[str] = ()) -> int | None:
    """Return the first of these numbers whose name is not `taken` (case-folded), with the mark or without; None: there
    is none.

    Those whose name an account has come last: its user may log in at any time. Names that look alike are one.
    """
    seen, later = {look_key(name) for name in taken}, {look_key(name) for name in accounts}
    free = (number for number in numbers if seen.isdisjoint(_keys(number)))
    return min(free, key=lambda number: look_key(_first(number)) in later, default=None)


def _keys(number: int) -> set[str]:
    """Return how the names look that a house player may have."""
    return {look_key(house_name(number, level)) for level in LEVELS}


def _first(number: int) -> str:
    """Return a name as it is without the number and the mark behind it."""
    return HOUSE_NAMES[(number - 1) % len(HOUSE_NAMES)]


# --- manners ----------------------------------------------------------------------------------------------------------


def fitting(
    before: Table[StateT, EventT], now: Table[StateT, EventT], won: Callable[[StateT], Collection[int]]
) -> Phrase | None:
    """Return what a house player may say between two values of a table, or None for nothing.

    It greets people who sit down between games, and praises those who have `won` one, by their seats.
    """
    people = persons(now)
    if now.game is not None:
        return None
    if before.game is not None:
        winners = () if now.last is None else won(now.last)
        return "well_played" if any(at in people and before.players[at] == user_at(now, at) for at in winners) else None
    return "hello" if any(user_at(before, at) != user_at(now, at) for at in people) else None


# --- at the table -----------------------------------------------------------------------------------------------------


class HouseSession(CallerlessSession):
    """One house player's stay at one table."""

    place: SeatedPlayer

    def __init__(
        self, instance: Instance, alarms: Alarms, table: GameTable, game: AnyDefinition, slots: ThinkSlots
    ) -> None:
        """The game must have a program for house players."""
        super().__init__(instance, alarms, SeatedPlayer(table, alarms, instance.config.engine.tick_seconds))
        assert game.player is not None, f"{game.rules.KIND} has no house players"
        self._table, self._game, self._program, self._slots = table, game, game.player, slots
        self._level: Level = instance.config.house.level
        self._value: AnyTable | None = None
        self._turn: tuple[int, int] | None = None
        """Game and turn for which the alarm is set."""
        self._given_up: tuple[int, int] | None = None
        """Game and action at which the program's move was refused: the clock decides."""
        self._waits_until = math.inf
        """Until then it waits for a slot to think in; infinite: it does not wait for one."""

    # --- coming and going ---------------------------------------------------------------------------------------------

    def run(self, loop: EventLoop) -> None:
        """Sit down, play, stand up; do nothing if all house players are in."""
        table = self._table.name
        found = self.enter()
        if found is None:
            log.info("no house player for table %s: all are playing", table)
            return
        user, name = found
        by_wish = False
        try:
            self.sit(user, name)
            log.info("%s sits down at table %s", name, table)
            self.look()
            while True:
                loop.wait()
                while loop.events:
                    self._meet(loop.events.popleft(), loop)
        except Over as over:
            by_wish = over.by_wish
            log.info("%s at table %s %s", name, table, over)
        finally:
            self.stand_up(by_wish=by_wish)

    def _meet(self, event: Event, loop: EventLoop) -> None:
        match event:
            case Terminated():
                raise Over("ends with the BBS" if is_closing(self._instance, loop.wait) else "was asked to end")
            case AlarmDue(name) if name == MOVE:
                self.move()
            case AlarmDue(name) if name == DEADLINE:
                self.look(_PATIENCE)
            case AlarmDue("duty"):
                with suppress(LockTimeout, OSError):  # without a lock or a descriptor it waits
                    self._instance.maintain_part()
                self.look()
            case _:
                self.look()

    def enter(self) -> tuple[int, str] | None:
        """Be one of the house players that are not in yet, as well as the table wants one; return as `enter_name`."""
        value = self._table.look()
        self._level = next(iter(wanted(value)), self._level)
        return enter_name(self._instance, self._level, LEAST * self._table.rules.ante(value))

    def sit(self, user: int, name: str) -> None:
        """Sit down as the next who was invited, or as a stand-in. Raise `Over`, `StoreError` or `LockTimeout`."""
        if self._level not in wanted(self._table.look()):
            raise Over("is not wanted any more", by_wish=True)
        try:
            self.place.sit(user, name, program=program_name(self._level, self._program.version))
        except IllegalMove as refusal:
            raise Over(f"has no seat: {refusal.reason}", by_wish=True) from None
        self.place.show_place()
        self._instance.tell_listener()

    def stand_up(self, *, by_wish: bool) -> None:
        """Leave the table; a lock that is not to be had leaves the seat to the purge."""
        self._alarms.cancel(MOVE)
        try:
            self.place.stand_up(removed=not by_wish)
        except (LockTimeout, StoreError) as error:
            log.error("table %s: a house player could not give back its seat: %s", self._table.name, error)

    # --- looking ------------------------------------------------------------------------------------------------------

    def refresh(self, *, force: bool = False) -> None:
        """Take over the table's newest value, and plan what it asks for. Raise `Over` where the stay ends by it."""
        super().refresh(force=force)
        if self._value is not None and self.place.seat is not None:
            self._plan(self._value, self.place.seat)

    def take(self, value: AnyTable) -> None:
        """Take over a value of the table. Raise `Over` where the stay ends by it."""
        before, self._value = self._value, value
        if self.place.seat is None:
            raise Over("was removed from the table")
        if must_go(value, self._instance.notifier.token):
            self._say("thanks")
            raise Over("goes", by_wish=True)
        if before is not None and (phrase := fitting(before, value, self._game.rules.won)) is not None:
            self._say(phrase)

    def _say(self, phrase: Phrase) -> None:
        """Tell the table something now and then."""
        if not self._instance.config.house.talk or random.random() >= TALKS:
            return
        with suppress(IllegalMove, StoreError, LockTimeout):  # nobody waits for it
            self._table.house_says(phrase)

    def _plan(self, value: AnyTable, seat: int) -> None:
        """Set the alarm of a turn that has begun, and that of its end."""
        rules = self._game.rules
        is_mine = value.game is not None and rules.to_move(value.game) == seat
        turn = (value.number, value.game.turn) if value.game is not None and is_mine else None
        deadline = value.deadline if is_mine and value.deadline != math.inf else None
        self.place.set_deadline(deadline)
        if turn == self._turn or (value.number, value.action) == self._given_up:
            return
        self._turn, self._waits_until = turn, math.inf
        if turn is None:
            self._alarms.cancel(MOVE)
        else:
            now = time.monotonic()
            self._alarms.set(MOVE, now + self._pause(deadline, now))

    def _pause(self, deadline: float | None, now: float) -> float:
        """Return how long it lets pass before it thinks, in a turn that ends at `deadline`."""
        pause = random.uniform(*self._instance.config.house.pace)
        return pause if deadline is None else max(min(pause, SHARE * (deadline - now)), 0.0)

    # --- moving -------------------------------------------------------------------------------------------------------

    def move(self) -> None:
        """Think and move, if it is still on turn and has a slot to think in; otherwise that is planned anew."""
        self.refresh()
        value, seat = self._value, self.place.seat
        if value is None or value.game is None or seat is None or self._turn is None:
            return
        if not self._has_slot(value.deadline):
            return
        try:
            chosen = self._chosen(value, seat)
        except Exception:  # another process would choose by the same view, and meet the same mistake
            log.exception("table %s: %s", self._table.name, self._at_fault(value, "fails"))
            self._turn, self._given_up = None, (value.number, value.action)
            return
        finally:
            self._slots.release()
        if chosen is None:
            return
        self._turn = None  # a turn may take several moves
        try:
            self._table.play(chosen, after=value)
        except IllegalMove as refusal:
            self._note_refused(value, refusal)
        except (StoreError, LockTimeout) as error:
            log.error("table %s: a house player's move waits: %s", self._table.name, error)
            self._turn = (value.number, value.game.turn)
            self._alarms.set(MOVE, time.monotonic() + AGAIN_SECONDS)
        self.refresh()

    def _has_slot(self, deadline: float | None) -> bool:
        """Take a slot; after a part of the turn it thinks without one, since those who have them may be stopped."""
        now = time.monotonic()
        if self._waits_until == math.inf:
            left = 2 * AGAIN_SECONDS if deadline is None else SHARE * (deadline - now)
            self._waits_until = now + min(left, 2 * AGAIN_SECONDS)
        if self._slots.take() or now >= self._waits_until:
            self._waits_until = math.inf
            return True
        self._alarms.set(MOVE, now + RETRY_SECONDS)
        return False

    def _chosen(self, value: AnyTable, seat: int) -> object | None:
        """Return the program's move; None: there is no game to choose in."""
        if value.game is None or value.transcript is None:
            return None
        view = view_of(self._game, value.game, seat)
        chance = chance_of(transcript.seed(value.transcript), seat, value.action)
        stands_in = kept_at(value, seat) is not None
        return self._program.chooser(stands_in=stands_in)(view, self._level, chance)

    def _note_refused(self, value: AnyTable, refusal: IllegalMove) -> None:
        """Plan anew after a move that came too late; leave it to the clock after one that is against the rules."""
        if refusal.reason in _OVERTAKEN:
            return
        self._given_up = (value.number, value.action)
        fault = self._at_fault(value, "wants what is not allowed")
        log.error("table %s: %s: %s", self._table.name, fault, refusal.reason)

    def _at_fault(self, value: AnyTable, what: str) -> str:
        return f"the program of game {value.number}, action {value.action}, {what}"
