"""Sessions without telnet: a real segment, real databases, and forked processes that sit at the table on command.

Every session can be told to kill or stop itself at a named step inside the bank: "before bet", "in open_game" (inside
the database transaction, all locks held), "after settle", and so on.
"""

import json
import logging
import mmap
import os
import signal
import sqlite3
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import sysv_ipc
from msgspec.structs import replace

from tests.waiting import wait_until
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.casino.bank.audit import Figures
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import Asked, PastGame
from yawc_poker.casino.bank.ledger import BankUnavailable, Settlement
from yawc_poker.casino.bank.verify import verify
from yawc_poker.casino.bank.winnings import Shares, unlimited
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import index_of
from yawc_poker.casino.store.connection import Store
from yawc_poker.casino.store.sqlite import SqliteStore
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.config import Config, TelnetSettings
from yawc_poker.engine import table as rules_of_table
from yawc_poker.engine.against_house import NOBODY, AgainstHouse
from yawc_poker.engine.events import Removed
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.transcript import Transcript
from yawc_poker.engine.values import Back, Table, seat_of
from yawc_poker.games.maumau.game import MaumauSettings
from yawc_poker.games.poker.game import RULES as POKER_RULES
from yawc_poker.games.poker.game import PokerSettings
from yawc_poker.games.poker.model import Bet, Event, Fold, Show, State, Swap
from yawc_poker.ipc.cell import Header
from yawc_poker.ipc.semaphore import LockTimeout, LockWatch
from yawc_poker.registry.games import POKER_TABLES

POKER = 0
START = 100
LINE = 50.0
"""Seconds for which the seat of one who lost the line is held."""
PATIENCE = 0.3
CONFIG = Config(games=(PokerSettings(pause_seconds=0), MaumauSettings()), telnet=TelnetSettings(max_sessions=32))
ANSWER_SECONDS = 30.0


class Doom:
    """Where this process is to end, and by what signal."""

    def __init__(self) -> None:
        self.step = ""
        self.signal = signal.SIGKILL
        self.no_payouts = False

    def plan(self, step: str, number: signal.Signals) -> None:
        self.step, self.signal = step, number

    def at(self, step: str) -> None:
        if step == self.step:
            self.step = ""
            os.kill(os.getpid(), self.signal)


class DoomedBank(Bank):
    """A bank whose user may die at any of its doors, or inside: it asks for the time in the midst of a transaction."""

    def __init__(self, books: Store, doom: Doom) -> None:
        super().__init__(books)
        self.store.clock = self._time
        self._doom = doom
        self._inside = ""

    def _time(self) -> float:
        self._doom.at(f"in {self._inside}")
        return time.time()

    @contextmanager
    def _door(self, name: str) -> Iterator[None]:
        self._doom.at(f"before {name}")
        self._inside = name
        yield
        self._inside = ""
        self._doom.at(f"after {name}")

    def open_game(
        self, table_no: int, kind: str, stakes: Mapping[int, int], transcript: Transcript | None = None
    ) -> tuple[int, dict[int, int]]:
        with self._door("open_game"):
            return super().open_game(table_no, kind, stakes, transcript)

    def bet(
        self,
        game: int,
        action: int,
        user: int,
        amount: int,
        transcript: Transcript | None = None,
        believed: Mapping[int, int] | None = None,
    ) -> tuple[int, int]:
        with self._door("bet"):
            return super().bet(game, action, user, amount, transcript, believed)

    def give_back(self, game: int, user: int, action: int) -> Back | None:
        with self._door("give_back"):
            return super().give_back(game, user, action)

    def keep(self, game: int, transcript: Transcript) -> None:
        with self._door("keep"):
            super().keep(game, transcript)

    def earn(self, user: int, key: str, seconds: float, per_hour: float) -> int:
        with self._door("earn"):
            return super().earn(user, key, seconds, per_hour)

    def settle(
        self,
        game: int,
        shares: Mapping[int, int],
        transcript: Transcript | None = None,
        debts: Mapping[int, int] | None = None,
        points: Mapping[int, int] | None = None,
        winners: Collection[int] | None = None,
        against: AgainstHouse = NOBODY,
        limits: Shares = unlimited,
    ) -> Settlement:
        if self._doom.no_payouts:
            raise BankUnavailable("no payouts today")
        with self._door("settle"):
            return super().settle(game, shares, transcript, debts, points, winners, against, limits)


def told(bank: Bank, user: int) -> list[tuple[int, int]]:
    """Take the notices of a user."""
    with bank.telling(user) as refunds:
        return refunds


class Hands:
    """What a session's process does with its orders."""

    patience = PATIENCE

    def __init__(self, hall: "Hall", user: int, name: str) -> None:
        self._hall, self._user, self._name = hall, user, name
        self._doom = self._make_doom()
        self._instance = instance = self._enter()
        instance.bank = self._make_bank()
        instance.bank.welcome(user, START)
        instance.directory.claim_name(instance.notifier.index, user, name)
        instance.tables = self.floor = self._floor()
        self._table: GameTable = self.floor[POKER]

    def _make_doom(self) -> Doom:
        return Doom()

    def _enter(self) -> Instance:
        instance = Instance(self._hall.data, self._hall.config, self._hall.foundation.segment)
        instance.segment.watch.set_patience(self.patience, self.patience / 2)
        instance.enter("test")
        return instance

    def _make_bank(self) -> Bank:
        return DoomedBank(self._instance.bank.store, self._doom)

    def _floor(self) -> Sequence[GameTable]:
        return POKER_TABLES.all(self._instance)

    def listen(self, orders: IO[str], answers: IO[str]) -> None:
        """Carry out orders until the other side is gone."""
        answers.write(f"{self.token}\n")
        for line in orders:
            answers.write(self._obey(*json.loads(line)) + "\n")

    def _obey(self, order: str, *rest: str) -> str:
        try:
            said = self._orders(rest)[order]()
        except IllegalMove as refusal:
            return refusal.reason
        except Exception as error:
            logging.getLogger("yawc_poker").info("%s of %s came to nothing", order, self._name, exc_info=True)
            return type(error).__name__
        return said if isinstance(said, str) else "ok"

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        table, numbers = self._table, tuple(int(word) for word in rest if word.isdecimal())
        return {
            "table": lambda: setattr(self, "_table", self.floor[numbers[0]]),
            "sit": lambda: table.sit(self._user, self._name),
            "leave": table.leave,
            "freeze": table.begin,
            "tend": table.tend,
            "bet": lambda: table.play(Bet(numbers[0])),
            "see": lambda: table.play(Bet(numbers[0], see=True)),
            "swap": lambda: table.play(Swap(numbers)),
            "show": lambda: table.play(Show()),
            "fold": lambda: table.play(Fold()),
            "say": lambda: table.say(" ".join(rest)),
            "fund": table.fund,
            "lose line": lambda: table.hold(LINE),
            "take over": lambda: table.take_over_seat(self._user),
            "press": table.wake,
            "is held": lambda: str(table.is_held_for(self._user)),
            "draw word": table.tend,
            "word": lambda: table.give_word(" ".join(rest)),
            "commit": lambda: table.commit(rest[0], told=True),
            "reveal": lambda: table.reveal(rest[0]),
            "earn": lambda: self._instance.bank.earn(self._user, "an hour", 3600, 1),
            "look after": table.maintain,
            "tick": self._tick,
            "hold": lambda: self._hold(rest[0]),
            "work": lambda: self._work(rest[0]),
            "work slowly": lambda: self._work_slowly(rest[0]),
            "look after all": self._instance.maintain_all,
            "duty": self._instance.maintain_part,
            "read": self._read,
            "notices": lambda: json.dumps(told(self._instance.bank, self._user)),
            "vanish": self._instance.own.give_back,
            "come back": lambda: self._come_back(numbers[0], rest[1]),
            "hasty": self._be_hasty,
            "no payouts": lambda: setattr(self._doom, "no_payouts", True),
            "payouts": lambda: setattr(self._doom, "no_payouts", False),
            "doom": lambda: self._doom.plan(rest[0], signal.Signals(numbers[-1])),
        }

    def _tick(self) -> None:
        """Look as a tick does: waiting for nobody."""
        self._table.check_locks()
        with suppress(LockTimeout):
            self._table.maintain(timeout=0.0)

    def _hold(self, name: str) -> None:
        """Come to the step "hold" with a lock, then keep it until `Hall.go_on`."""
        with next(lock for lock in self._instance.segment.locks if lock.name == name):
            self._doom.at("hold")
            wait_until(lambda: (self._hall.data / "go on").exists(), seconds=ANSWER_SECONDS)

    def _work(self, name: str) -> None:
        """Keep the processor busy with a lock, for ever."""
        with next(lock for lock in self._instance.segment.locks if lock.name == name):
            while True:
                pass

    def _work_slowly(self, name: str) -> None:
        """Work with a lock, for ever, in the bank, and get a tenth of the processor, as on an overloaded machine."""
        with next(lock for lock in self._instance.segment.locks if lock.name == name):
            self._instance.own.show_waiting(True)
            while True:
                until = time.process_time() + PATIENCE / 30
                while time.process_time() < until:
                    pass
                time.sleep(PATIENCE / 3)

    def _be_hasty(self) -> None:
        """Wait for nobody long at the table."""
        lock = self._instance.segment.cells[POKER].lock
        watch = LockWatch(lock.watch.on_stuck, PATIENCE / 9)
        watch.on_wait, watch.waits = lock.watch.on_wait, lock.watch.waits
        lock.watch = watch

    def _come_back(self, user: int, name: str) -> None:
        """Take the name of a dead session, as a login does, and sit down again."""
        self._user, self._name = user, name
        assert self._instance.directory.claim_name(self._instance.notifier.index, user, name) is None
        self._instance.maintain_all()
        self._table.sit(user, name)

    def _read(self) -> str:
        """Read the ring: what the commands were about, and whether some are missing."""
        reading = self._instance.notifier.read()
        said = [command.payload.decode() for command in reading.commands]
        return " ".join(["overrun", *said] if reading.overrun else said)

    @property
    def token(self) -> int:
        return self._instance.notifier.token


class Session:
    """A session's process, seen from the test."""

    def __init__(self, hall: "Hall", user: int, name: str) -> None:
        self.user, self.name = user, name
        self._hall = hall
        self.is_stopped = False
        down, up = os.pipe(), os.pipe()
        with _forking():
            self.pid = os.fork()
        if self.pid == 0:
            _live(hall, user, name, (down[0], up[1]), (down[1], up[0]))
        os.close(down[0])
        os.close(up[1])
        self._orders = os.fdopen(down[1], "w", buffering=1)
        self._answers = os.fdopen(up[0], "rb", buffering=0)  # so that a look tells whether there is anything to read
        self._gone = False
        self.token = int(self._answers.readline())
        assert self.token, f"{name} did not get in"

    def order(self, *words: str | int) -> None:
        """Send a request without waiting for its end."""
        self._orders.write(json.dumps([str(word) for word in words]) + "\n")

    def answer(self) -> str:
        """Wait for the end of an order: "ok", or why not; "" if the process died over it."""
        return self._answers.readline().decode().rstrip("\n")

    def fileno(self) -> int:
        """Readable when there is an answer."""
        return self._answers.fileno()

    def __call__(self, *words: str | int) -> str:
        """Carry out an order; a "start" ends with the deal, for which everybody's text is revealed, this one's last."""
        if words == ("start",):
            said = self.freeze()
            return said if said != "ok" else self("tend")
        self.order(*words)
        return self.answer()

    def freeze(self) -> str:
        """Start a game, and have all others reveal their texts who can."""
        said = self("freeze")
        for one in self._hall.people if said == "ok" else ():
            if one is not self and one.can_act:
                assert one("tend") == "ok"
        return said

    @property
    def can_act(self) -> bool:
        return not self._gone and not self.is_stopped

    def doomed(self, step: str, *words: str | int, by: signal.Signals = signal.SIGKILL) -> None:
        """Carry out an order that this process does not survive (or that stops it); of a "start" the deal."""
        if words == ("start",):
            assert self.freeze() == "ok"
            words = ("tend",)
        assert self("doom", step, int(by)) == "ok"
        self.order(*words)
        if by == signal.SIGKILL:
            assert self.answer() == "", f"{self.name} came past {step!r}"
            assert self.reap() == -signal.SIGKILL
        else:
            self._stopped()

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        self._stopped()

    def _stopped(self) -> None:
        wait_until(lambda: os.waitpid(self.pid, os.WUNTRACED | os.WNOHANG)[0] != 0, f"{self.name} to stop")
        self.is_stopped = True

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)
        self.is_stopped = False

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.reap()

    def reap(self) -> int:
        """Wait for the process's end and give its exit code."""
        self._gone = True
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self) -> None:
        if not self._gone:
            self.kill()
        self._orders.close()
        self._answers.close()


@contextmanager
def _forking() -> Iterator[None]:
    """Python >= 3.12 warns of a fork beside threads; the test runner's are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _live(hall: "Hall", user: int, name: str, mine: tuple[int, int], others: tuple[int, int]) -> None:
    """Run as a session: carry out orders until the other side is gone; never returns."""
    code = 1
    try:
        for descriptor in others:
            os.close(descriptor)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        handler = logging.FileHandler(hall.log_file)
        root = logging.getLogger("yawc_poker")
        root.addHandler(handler)
        root.setLevel(logging.INFO)
        hands = hall.hands(hall, user, name)
        with os.fdopen(mine[0]) as orders, os.fdopen(mine[1], "w", buffering=1) as answers:
            hands.listen(orders, answers)
        code = 0
    except BaseException:
        logging.getLogger("yawc_poker").exception("session %s", name)
    finally:
        os._exit(code)


class Hall:
    """One BBS without a listener: segment, databases, and the sessions of a test."""

    def __init__(self, data: Path, config: Config = CONFIG, hands: type[Hands] = Hands) -> None:
        self.data, self.config, self.hands = data, config, hands
        self.log_file = data.parent / f"{data.name}.log"
        self.foundation: Foundation
        self._sessions = ExitStack()
        self.people: list[Session] = []
        self._ahead = mmap.mmap(-1, 8)

    def __enter__(self) -> Self:
        with _forking():
            self.foundation = Foundation.found(self.data, self.config)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sessions.close()
        segment = self.foundation.segment
        self.foundation.demolish()
        segment.close()

    def found_again(self) -> None:
        """Start anew after a death of the listener: kill whoever is to die with it before."""
        self.foundation.segment.close()
        self.foundation._lock.close()
        with _forking():
            self.foundation = Foundation.found(self.data, self.config)

    def session(self, user: int, name: str) -> Session:
        session = Session(self, user, name)
        self._sessions.callback(session.close)
        self.people.append(session)
        return session

    def seat(self, *names: str) -> list[Session]:
        """Make these people sit down in this order; their users are 1, 2, ..."""
        people = [self.session(user, name) for user, name in enumerate(names, 1)]
        for person in people:
            assert person("sit") == "ok"
        return people

    # --- the tables' clock, for hands that go by it -------------------------------------------------------------------

    @property
    def ahead(self) -> int:
        """Seconds by which the tables' clock is ahead of the real one, in every process of this hall."""
        return int.from_bytes(self._ahead[:8], "little")

    def pass_time(self, seconds: int) -> None:
        self._ahead[:8] = (self.ahead + seconds).to_bytes(8, "little")

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table[State, Event]:
        _, _, value = self.foundation.segment.cells[POKER].read()
        return POKER_TABLES.codec.decode(value) if value else rules_of_table.empty(POKER_RULES)

    @property
    def header(self) -> Header:
        return self.foundation.segment.cells[POKER].header()

    @property
    def commits(self) -> int:
        return self.foundation.segment.cells[POKER].number

    @property
    def log(self) -> str:
        return self.log_file.read_text() if self.log_file.exists() else ""

    def names(self) -> list[str]:
        return [who.name for who in self.table.seats if who is not None]

    def removed(self) -> list[str]:
        """Who was removed, by the table's log; once a removal."""
        return [entry.name for entry in self.table.log if isinstance(entry.event, Removed)]

    def is_held(self, name: str) -> bool:
        """Return whether the seat of somebody who lost the line is held for them."""
        return any(who is not None and who.name == name and who.held for who in self.table.seats)

    def hand(self, seat: int) -> object:
        """The cards that a seat sees, of the running game."""
        game = self.table.game
        return None if game is None else POKER_RULES.hands(game).get(seat)

    def phase(self) -> str:
        return "none" if self.table.game is None else self.table.game.phase

    def current(self) -> str:
        game = self.table.game
        who = None if game is None or game.current is None else self.table.seats[game.current]
        return "" if who is None else who.name

    def master(self) -> str:
        table = self.table
        who = None if table.master is None else table.seats[table.master]
        return "" if who is None else who.name

    def locks_held(self) -> list[str]:
        return [lock.name for lock in self.foundation.segment.locks if lock.is_held]

    def hold(self, session: Session) -> int | None:
        return seat_of(self.table, session.token)

    def catch_up(self, people: Sequence[Session]) -> None:
        """Let these make this host see what is committed elsewhere: here, nothing is."""

    # --- money --------------------------------------------------------------------------------------------------------

    @contextmanager
    def bank_to_look_at(self) -> Iterator[Bank]:
        """Yield the bank as a program from outside sees it."""
        bank = self.foundation.databases.bank_to_look_at()
        try:
            yield bank
        finally:
            bank.close()

    def money(self) -> Figures:
        """The books in numbers; they must be sound, and nothing made or lost."""
        with self.bank_to_look_at() as bank:
            assert bank.audit() == []
            figures = bank.figures()
        assert figures.minted == figures.cash + figures.pots + figures.house == START * figures.users
        return figures

    def lag(self) -> int:
        """Return what the ledger's pot has and the table's has not: a bet that the table has not heard of.

        It may have less, too, when a stake went back; that is none.
        """
        return max(0, self.money().pots - self.header.pot)

    def histories(self) -> list[PastGame]:
        """All games of the books, oldest first; whatever was won or lost must be proven to the last deed."""
        with self.bank_to_look_at() as bank:
            numbers = [summary.number for summary in bank.games(Asked(limit=1000))]
            games = [played for number in reversed(numbers) if (played := bank.game(number)) is not None]
        for played in games:
            report = verify(played, POKER_RULES)
            assert report.verdict == "proven" or played.game.outcome in {None, "refunded"}, report
            assert report.verdict != "false", report
        return games

    def balances(self, *users: int) -> list[int]:
        with self.bank_to_look_at() as bank:
            return list(bank.balances(users).values())

    def stakes(self) -> dict[int, dict[int, int]]:
        """What each user has paid into games that are still open, by user and game."""
        query = """
            SELECT ref, game, -sum(amount) FROM entry JOIN txn ON txn.id = txn JOIN account ON account.id = account
            JOIN game ON game.id = game WHERE closed IS NULL AND account.kind = 'user' GROUP BY ref, game
        """
        paid: dict[int, dict[int, int]] = {}
        with closing(self.foundation.databases.books(look_only=True)) as store, store.reading() as books:
            for user, game, amount in books.execute(query):
                paid.setdefault(int(user), {})[int(game)] = int(amount)
        return paid

    # --- standing in the way ------------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """Make those give back their lock who hold one."""
        (self.data / "go on").touch()

    def put_out(self, session: Session) -> None:
        """Make it look as if a session had been killed for a lock that it kept."""
        self.foundation.segment.records[index_of(session.token)].put_out = session.token

    @contextmanager
    def table_held(self) -> Iterator[Callable[[int], None]]:
        """Hold the table's lock; the function given waits until so many processes queue for it."""
        with self.foundation.segment.cells[POKER].lock:
            yield self.queue

    def queue(self, count: int) -> None:
        """Wait until so many processes queue for the table's lock."""
        semaphore = sysv_ipc.Semaphore(self.foundation.segment.cells[POKER].lock.key)
        wait_until(lambda: semaphore.waiting_for_nonzero == count)

    @contextmanager
    def bank_broken(self) -> Iterator[None]:
        """Make every transaction fail: no journal can be written where a directory lies; a table is missing."""
        if not isinstance(self.foundation.databases.books(), SqliteStore):
            self._in_database("ALTER TABLE txn RENAME TO away")
            try:
                yield
            finally:
                self._in_database("ALTER TABLE away RENAME TO txn")
            return
        journal = self.data / f"{BANK_FILE}-journal"
        journal.unlink(missing_ok=True)
        journal.mkdir()
        try:
            yield
        finally:
            journal.rmdir()

    def _in_database(self, statement: str) -> None:
        with closing(self.foundation.databases.books()) as store, store.writing() as books:
            books.execute(statement)

    @contextmanager
    def bank_locked(self) -> Iterator[None]:
        """Lock the database file as a program from outside may."""
        connection = sqlite3.connect(self.data / BANK_FILE, isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
            connection.close()


def clocks(turn: float = 60, master: float = 60, reveal: float = 8) -> Config:
    """A configuration with these clocks, in seconds, and no pause."""
    return _with(PokerSettings(turn_seconds=turn, master_seconds=master, reveal_seconds=reveal, pause_seconds=0))


def several_tables(count: int) -> Config:
    """A configuration with so many tables, and no pause."""
    return _with(PokerSettings(tables=count, pause_seconds=0))


def _with(settings: PokerSettings) -> Config:
    return replace(CONFIG, games=(settings, MaumauSettings()))
