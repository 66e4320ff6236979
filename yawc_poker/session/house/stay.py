"""A house player at a table: when it moves, what it chooses by, when it goes.

Owns one seat between `sit` and `stand_up`. What it chooses is the game's (`Definition.player`), from the view of its
seat; when a process is forked for it is the listener's; where it waits is `session.house.process`. Never starts a game,
never draws.

It moves at a pace of its own, which is shortened where the turn's clock is short, so it never holds a game up. It goes
when it was sent away or has to make room for a person, but not out of a game that it plays in; and when nobody but
house players sits there.
"""

import logging
import math
import random
import time
from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine import transcript
from yawc_poker.engine.company import must_go
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import HousePlayer, Level, chance_of, program_name
from yawc_poker.engine.kept import wanted
from yawc_poker.engine.next_game import options_of
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.house.slots import ThinkSlots
from yawc_poker.session.table.seated_player import SeatedPlayer
from yawc_poker.table_ui.definition import AnyDefinition, view_of

log = logging.getLogger(__name__)

MOVE: Final = "move"
"""The alarm at which it thinks and moves."""
SHARE: Final = 0.25
"""Most of the time left of a turn that it lets pass before it thinks."""
RETRY_SECONDS: Final = 0.05
"""Until it asks again for a slot to think in."""
AGAIN_SECONDS: Final = 1.0
"""Until it tries again what the bank or a busy table has put off."""
_OVERTAKEN: Final = frozenset({"changed", "too_late", "no_game", "closing", "closing_down", "not_seated"})
"""Refusals of a move that came too late. Any other is a mistake of the game's program."""


class Over(Exception):
    """The stay ends; `str()` is the reason. `by_wish`: the house player goes by itself."""

    def __init__(self, reason: str, *, by_wish: bool = False) -> None:
        super().__init__(reason)
        self.by_wish = by_wish


class HouseStay:
    """One house player's stay at one table."""

    def __init__(
        self,
        instance: Instance,
        alarms: Alarms,
        table: GameTable,
        game: AnyDefinition,
        program: HousePlayer[object, object],
        slots: ThinkSlots,
    ) -> None:
        self._instance = instance
        self._alarms = alarms
        self._table = table
        self._game = game
        self._program = program
        self._slots = slots
        self._level: Level = instance.config.house.level
        self._player = SeatedPlayer(table, instance.notifier, alarms, instance.config.engine.tick_seconds)
        self._value: AnyTable | None = None
        self._turn: tuple[int, int] | None = None
        """Game and turn for which the alarm is set."""
        self._given_up: tuple[int, int] | None = None
        """Game and action at which the program's move was refused: the clock decides."""
        self._funded: tuple[int, str] | None = None
        """The last game, and the options of the next, for which its purse was filled."""
        self._waits_until = math.inf
        """Until then it waits for a slot to think in; infinite: it does not wait for one."""

    # --- coming and going ---------------------------------------------------------------------------------------------

    def sit(self, user: int, name: str) -> None:
        """Sit down as the next who was invited, or as a stand-in. Raise `Over`, `StoreError` or `LockTimeout`."""
        value = self._table.look()
        levels = wanted(value)
        if not levels:
            raise Over("is not wanted any more", by_wish=True)
        self._level = levels[0]
        try:
            stands_in = len(levels) > len(value.invited)  # and plays with another's CUBES
            if not stands_in and not self._has_cubes(user, value):
                self._table.broke()
                raise Over("has no CUBES to play for", by_wish=True)
            self._player.sit(user, name, program=program_name(self._level, self._program.version))
        except IllegalMove as refusal:
            raise Over(f"has no seat: {refusal.reason}", by_wish=True) from None
        self._player.show_place()
        self._instance.tell_listener()

    def stand_up(self, *, by_wish: bool) -> None:
        """Leave the table; a lock that is not to be had leaves the seat to the purge."""
        self._alarms.cancel(MOVE)
        try:
            self._player.stand_up(removed=not by_wish)
        except (LockTimeout, StoreError) as error:
            log.error("table %d: a house player could not give back its seat: %s", self._table.number + 1, error)

    # --- CUBES --------------------------------------------------------------------------------------------------------

    def _has_cubes(self, user: int, value: AnyTable) -> bool:
        """Return whether it owns what the next game takes; the house lends it what is missing, as far as it does."""
        needed = self._needed(value)
        return not needed or self._filled(user) >= needed

    def _keep_purse(self, value: AnyTable, seat: int) -> None:
        """Fill the purse before each game that is played for CUBES. Raise `Over` where it stays too empty."""
        who, next_game = value.seats[seat], (value.number, value.options)
        if value.game is not None or who is None or self._funded == next_game:
            return
        self._funded = next_game
        if not self._needed(value):
            return
        try:
            owned = self._filled(who.user)
            if owned != who.cash:
                self._table.fund()
            if is_broke := owned < self._needed(value):
                self._table.broke()
        except (StoreError, LockTimeout, IllegalMove) as error:
            log.error("table %d: the purse of %s is not filled: %s", self._table.number + 1, who.name, error)
            return
        if is_broke:
            raise Over("has no CUBES to play for", by_wish=True)

    def _needed(self, value: AnyTable) -> int:
        return self._game.needed(options_of(value, self._game.rules, self._table.rules.options))

    def _filled(self, user: int) -> int:
        config = self._instance.config
        return self._instance.bank.fill_purse(user, config.bbs.start_cubes, config.house.daily_cubes)

    # --- looking ------------------------------------------------------------------------------------------------------

    def look(self, patience: float = 0.0) -> None:
        """Look into shared memory, as at every signal and tick, and do what is due at the table. Raise `Over`."""
        instance = self._instance
        mine = instance.own.live()
        if instance.closing:
            raise Over("the BBS closes")
        if mine is None or mine.end_reason or instance.segment.is_orphaned:
            raise Over("was shown out")
        instance.notifier.read()
        self._player.check_locks()
        self._player.maintain(patience)
        self.refresh()

    def refresh(self) -> None:
        """Take over the table's newest value, and plan what it asks for. Raise `Over` where the stay ends by it."""
        value = self._player.follow()
        if value is not None:
            self._value = value
            if self._player.seat is None:
                raise Over("was removed from the table")
            if must_go(value, self._instance.notifier.token):
                raise Over("goes", by_wish=True)
            self._keep_purse(value, self._player.seat)
        if self._value is not None and self._player.seat is not None:
            self._plan(self._value, self._player.seat)

    def _plan(self, value: AnyTable, seat: int) -> None:
        """Set the alarm of a turn that has begun, and that of its end."""
        rules = self._game.rules
        is_mine = value.game is not None and rules.to_move(value.game) == seat
        turn = (value.number, rules.turn(value.game)) if value.game is not None and is_mine else None
        deadline = value.deadline if is_mine and value.deadline != math.inf else None
        self._player.set_deadline(deadline)
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
        value, seat = self._value, self._player.seat
        if value is None or value.game is None or seat is None or self._turn is None:
            return
        if not self._has_slot(value.deadline):
            return
        try:
            chosen = self._chosen(value, seat)
        except Exception:  # another process would choose by the same view, and meet the same mistake
            log.exception("table %d: %s", self._table.number + 1, self._at_fault(value, "fails"))
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
            log.error("table %d: a house player's move waits: %s", self._table.number + 1, error)
            self._turn = (value.number, self._game.rules.turn(value.game))
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
        return self._program.choose(view, self._level, chance)

    def _note_refused(self, value: AnyTable, refusal: IllegalMove) -> None:
        """Plan anew after a move that came too late; leave it to the clock after one that is against the rules."""
        if refusal.reason in _OVERTAKEN:
            return
        self._given_up = (value.number, value.action)
        fault = self._at_fault(value, "wants what is not allowed")
        log.error("table %d: %s: %s", self._table.number + 1, fault, refusal.reason)

    def _at_fault(self, value: AnyTable, what: str) -> str:
        return f"the program of game {value.number}, action {value.action}, {what}"
