"""Named steps, for tests only: the parts of a BBS that a session is made of, each telling at which step it is.

A stepped session (`SteppedHands`) is put together from the program's own classes. Where one of them stores a word,
takes or gives back a lock, runs an SQL statement, asks for time or chance, or sends a signal, a subclass here says so
to `STEPS` (`gates.py`) before or after. Nothing of this is in the program: no hook, no flag, no import.
"""

import json
import sqlite3
import time
from collections.abc import Callable, MutableSequence, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from random import SystemRandom
from typing import IO, Self

from tests.isolation.gates import STEPS, Statements, is_as_before
from tests.isolation.sessions import POKER, Doom, DoomedBank, Hands, Session
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.instance.instance import Instance, game_table
from yawc_poker.casino.presence.directory import PlaceKind
from yawc_poker.casino.presence.notifier import Notifier
from yawc_poker.casino.presence.own_record import OwnRecord
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.sqlite import SqliteConnection, SqliteStore
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.casino.tables.table_context import TableRules
from yawc_poker.engine.game import ItemT
from yawc_poker.engine.values import Clocks
from yawc_poker.games.poker.game import RULES as POKER_RULES
from yawc_poker.games.poker.game import PokerSettings
from yawc_poker.games.poker.model import Options
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Kind, Ring, _Slot
from yawc_poker.ipc.cell import Cell, Header
from yawc_poker.ipc.layout import Block, Head, Word
from yawc_poker.ipc.metrics import Counts
from yawc_poker.ipc.process import Identity
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.segment import Segment
from yawc_poker.ipc.semaphore import TIMEOUT, Mutex
from yawc_poker.ipc.signals import Waker
from yawc_poker.registry.entry import table_context
from yawc_poker.registry.games import POKER_TABLES

PATIENCE = 0.1
"""Seconds before a holder is broken, for stepped sessions."""
RUBBISH = b"\xa5" * 64
"""What a copy may have left when it was broken off."""


# --- shared memory ----------------------------------------------------------------------------------------------------


class StepWord(Word):
    """A word that tells of being written: before and after, by the names for a number and, if given, for a 0."""

    def __init__(self, index: int, number: tuple[str, str], zero: tuple[str, str] | None = None) -> None:
        super().__init__(index)
        self._names = number, zero or number

    def __set__(self, block: Block, value: int) -> None:
        before, after = self._names[value == 0]
        if before:
            STEPS.at(before)
        super().__set__(block, value)
        STEPS.at(after)


class StepMutex(Mutex):
    """A lock that tells who wants it, has it, and has given it back."""

    @classmethod
    def like(cls, mutex: Mutex) -> Self:
        """Open the same lock again."""
        return cls(mutex.key, mutex.name, mutex.words, mutex.base, level=mutex.level, watch=mutex.watch)

    def acquire(self, timeout: float = TIMEOUT) -> None:
        STEPS.at(f"{self.name} lock wanted")
        super().acquire(timeout)
        STEPS.at(f"{self.name} lock taken")

    def release(self) -> None:
        STEPS.at(f"{self.name} lock to be given back")
        super().release()
        STEPS.at(f"{self.name} lock given back")

    def _wait_visibly(self, deadline: float) -> None:
        STEPS.blocked(self.name)
        super()._wait_visibly(deadline)


class StepCell(Cell):
    """A table whose commits may be broken off."""

    number = StepWord(0, ("half filled, number not moved", "number moved"))

    def _commit(self, number: int, header: Header, value: bytes) -> int:
        start = self._start(number)
        self.memory[start : start + len(RUBBISH)] = RUBBISH
        STEPS.at("half begun")
        return super()._commit(number, header, value)

    def read(self) -> tuple[int, Header, bytes]:
        found = super().read()
        STEPS.at("value loaded")
        return found


class StepHead(Head):
    """The head of the segment, with the head of the ring."""

    posted = StepWord(20, ("slot filled, head not moved", "head moved"))


class StepNumber(StepWord):
    """A slot's number: once it is 0, the slot may be left half-written."""

    def __set__(self, block: Block, value: int) -> None:
        super().__set__(block, value)
        if value == 0:
            for at in range(1, 8):
                block.words[block.base + at] = int.from_bytes(RUBBISH[:8], "little")
            STEPS.at("slot begun")


class StepSlot(_Slot):
    """A slot of the ring."""

    number = StepNumber(0, ("slot filled, not numbered", "slot numbered"), ("", "slot emptied"))


class StepRing(Ring):
    """The ring, of such slots."""

    def _slot(self, base: int) -> StepSlot:
        return StepSlot(self._words, base)


class StepRecord(Record):
    """A session's record."""

    token = StepWord(0, ("record filled, token not written", "token written"), ("", "record freed"))
    cursor = StepWord(5, ("", "cursor moved"))
    user = StepWord(3, ("name written, user not", "user written"))


class StepCounts(Counts):
    """What was counted by those who are gone."""

    folds = StepWord(0, ("departed filled, number not moved", "departed counted"))


def refit(segment: Segment) -> None:
    """Make this process's views of a segment tell their steps."""
    segment.head = StepHead(segment.words)
    segment.directory_lock = StepMutex.like(segment.directory_lock)
    segment.bank_lock = StepMutex.like(segment.bank_lock)
    segment.broadcast_lock = StepMutex.like(segment.broadcast_lock)
    segment.records = tuple(StepRecord(one.words, one.memory, one.base, one.index) for one in segment.records)
    segment.counts = StepCounts(segment.words, segment.memory, segment.layout, segment.records)
    segment.cells = tuple(
        StepCell(segment.words, segment.memory, segment.layout, cell.index, StepMutex.like(cell.lock))
        for cell in segment.cells
    )


# --- databases --------------------------------------------------------------------------------------------------------


class StepStore(SqliteStore):
    """A database that tells of the statements that change it."""

    def _connect(self) -> SqliteConnection:
        connection = super()._connect()
        connection.set_trace_callback(Statements(self.path.stem).tell)
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """A process that is killed loses nothing that it has written; waiting for the disk would show nothing more."""
        super()._prepare(connection)
        connection.execute("PRAGMA synchronous = OFF")


class StepBank(DoomedBank):
    """A bank that may be left inside a transaction, between any two statements."""

    def __init__(self, path: Path, instance: Instance, doom: Doom) -> None:
        super().__init__(StepStore(path, instance.segment.bank_lock, BOOKS, failure=BankUnavailable), doom)


# --- bells, time, chance ----------------------------------------------------------------------------------------------


class StepWaker(Waker):
    """Signals."""

    def wake(self, identity: Identity) -> bool:
        STEPS.at("signal to be sent")
        done = super().wake(identity)
        STEPS.at("signal sent")
        return done


class StepNotifier(Notifier):
    """A notifier over a ring and signals that tell their steps."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(instance.directory, StepRing(instance.segment), instance.own, instance.tally)
        self._waker = StepWaker()


class StepOwnRecord(OwnRecord):
    """A session's own record, as others see it change."""

    def stand_at(self, kind: PlaceKind, table: int | None = None, seat: int | None = None) -> None:
        super().stand_at(kind, table, seat)
        STEPS.at("place noted")


class StepChance(SystemRandom):
    """Chance."""

    def shuffle(self, x: MutableSequence[ItemT]) -> None:
        STEPS.at("cards to be shuffled")
        super().shuffle(x)


# --- a session made of all that ---------------------------------------------------------------------------------------


class SteppedHands(Hands):
    """A session's process whose every step has a name. Its tables go by the hall's clock."""

    patience = PATIENCE

    def _make_doom(self) -> Doom:
        return STEPS

    def _enter(self) -> Instance:
        refit(self._hall.foundation.segment)
        instance = super()._enter()
        record = instance.own.live()
        assert record is not None
        instance.own = StepOwnRecord(instance.directory, record)
        instance.notifier = StepNotifier(instance)
        return instance

    def _make_bank(self) -> Bank:
        return StepBank(self._hall.data / "bank.sqlite", self._instance, STEPS)

    def _floor(self) -> Sequence[GameTable]:
        return [self._stepped(cell.index) for cell in self._instance.segment.cells if cell.game == POKER_RULES.KIND]

    def _stepped(self, number: int) -> GameTable:
        instance, config = self._instance, self._hall.config.of(PokerSettings)
        options = Options(ante=config.ante, max_bet=config.max_bet)
        clocks = Clocks(config.turn_seconds, config.master_seconds, config.pause_seconds)
        context = table_context(instance, number)._replace(clock=self._now, chance=StepChance())
        return game_table(instance, context, TableRules.of(POKER_RULES, POKER_TABLES.codec, options, clocks))

    def _now(self) -> float:
        STEPS.at("clock read")
        return time.monotonic() + self._hall.ahead

    def listen(self, orders: IO[str], answers: IO[str]) -> None:
        STEPS.hear(orders, answers)
        super().listen(orders, answers)

    def _obey(self, order: str, *rest: str) -> str:
        if order not in {"steps", "states"}:
            STEPS.begin()
        said = super()._obey(order, *rest)
        if order != "gates":
            STEPS.gates = frozenset()
        return said

    def _digest(self) -> str:
        """Return a digest of the shared memory but for what is counted there, which nobody goes by."""
        segment = self._instance.segment
        return sha256(segment.memory[: segment.layout.metrics_at]).hexdigest()

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        instance = self._instance
        return super()._orders(rest) | {
            "steps": lambda: json.dumps(STEPS.passed),
            "look at each step": lambda: setattr(STEPS, "look", self._digest),
            "states": lambda: json.dumps(STEPS.states),
            "gates": lambda: setattr(STEPS, "gates", frozenset(rest)),
            "tell": lambda: instance.notifier.tell(
                Kind.TABLE, [one.index for one in instance.directory.everybody()], POKER, rest[0].encode()
            ),
            "enter": lambda: instance.directory.enter(process.me(), "again"),
        }


def passed(session: Session, *order: str | int) -> list[str]:
    """Make a session carry out an order, and give the steps it passed."""
    assert session(*order) == "ok"
    found: list[str] = json.loads(session("steps"))
    return found


def misnamed(session: Session, *order: str | int) -> list[str]:
    """Like `passed`, but give the steps by whose names memory is as before, and is not."""
    assert session("look at each step") == "ok"
    steps = passed(session, *order)
    states: list[str] = json.loads(session("states"))
    moments = pairwise(zip(steps, states, strict=True))
    return [step for (before, old), (step, new) in moments if is_as_before(before, step) and new != old]
