"""An evening rehearsed before the first fork: somebody registers, looks around, plays every game, and goes.

Code that a session runs first changes the session's own memory: the interpreter specialises bytecode, caches fill,
methods are looked up. Run in the listener, all sessions share the result, start sooner and stay smaller.

Owns the order (`rehearse`): run everything, move the bytecode that ran together, run everything again, since the
interpreter specialises code that runs for the second time. Owns a BBS of its own for that (`Stage`), in memory, with
databases and a segment, and removes all of it. Its one caller is a script (`ScriptTransport`), served by the same code
as any. The others at the tables are house players, further sessions of this same process, which act while the script is
asked for the next key. So nothing waits for anything, and every evening is the same. Nothing of the BBS that is about
to open is touched.
"""

from __future__ import annotations

import fcntl
import gc
import logging
import math
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, Self

from msgspec.structs import replace

from yawc_poker.bbs.lifecycle import Foundation, FoundingError
from yawc_poker.bbs.log_format import LineWriter
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.config import Bbs, Config, Engine, House, TelnetSettings
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.segment import NoSegment, Segment, SegmentError, segment_name
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import DEFAULTS, GAMES, SETTINGS
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.house.house_player import PEER, HouseSession
from yawc_poker.session.house.slots import FILE, ThinkSlots
from yawc_poker.session.loop.cpu_budget import CpuBudget
from yawc_poker.session.loop.loop import Loop
from yawc_poker.session.prefork.bytecode import Bytecode, move_together
from yawc_poker.session.prefork.heap import fill_holes, fill_pools
from yawc_poker.session.prefork.immortal import make_immortal
from yawc_poker.session.prefork.pages import Row
from yawc_poker.session.prefork.slices import go_as_usual
from yawc_poker.session.run import serve_in
from yawc_poker.session.table.table_session import Over
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.line import Line
from yawc_poker.transport import Transport
from yawc_poker.words import LANGUAGES

log = logging.getLogger(__name__)


class Side(NamedTuple):
    """The caller's side of one kind of line."""

    make_line: Callable[[Transport, str], Line]
    """Returns a line over a transport, and the name of its other end."""
    opening: bytes = b""
    """What this side sends first; empty: nothing."""
    sent: Callable[[bytes], bytes] = bytes
    """Returns what it sends for what is typed."""


MEMORY: Final = Path("/dev/shm")
"""A file system in memory, where segments are, too: a commit there waits for no disk."""
Call = Callable[[Foundation, Callable[[], set[int]] | None], set[int]]
"""Accepts a call at this BBS and forks for it, as the listener does; given a report, serves it up to the first prompt.
Returns what the forked process reports then."""
CALLS: Final = 3
"""Before each evening."""
TURNS: Final = 6
"""Turns of the caller in each game."""
PATIENCE: Final = 5.0
"""Seconds that the script waits for something at most; then it goes on without."""
_PREFIX: Final = "yawc-rehearsal-"
_TICK: Final = 0.002
_STEP: Final = 0.0005
_UNLIMITED: Final = 3600.0
"""Seconds of processor time that the script may take."""
_BBS: Final = "YAWC"
_HOUSE: Final = max(game.fewest for game in GAMES) - 1
"""House players at once, so that every game can be played."""
_PASSWORD: Final = "rehearsal-1"
_NOTHING: Final = b"\0nothing"
"""In a script: nothing is typed now."""


def config() -> Config:
    """Return the configuration of the rehearsed BBS: one table a game, short ticks."""
    return replace(
        DEFAULTS,
        bbs=Bbs(name=_BBS),
        telnet=TelnetSettings(max_sessions=1, registrations_per_hour=0, keepalive_seconds=10 * _TICK),
        engine=Engine(tick_seconds=_TICK, duty_seconds=10 * _TICK),
        house=House(players=_HOUSE, level="easy"),
        games=tuple([replace(one, tables=1, pause_seconds=0.0) for one in DEFAULTS.games]),
    )


def rehearse(sides: Sequence[Side], call: Call, packed: Set[int] | None = None) -> None:
    """Rehearse some calls, an evening by the first of these lines, and a short one by each other.

    With `packed` the bytecode that changes is moved together, which takes an evening more; first the code objects with
    these ids. Never raise: what fails is logged, and sessions take more memory.
    """
    trouble = ""
    with _unheard():
        try:
            with Stage.opened() as stage:
                codes = [] if packed is None else _moved(stage, sides, call, packed)
                for _ in range(CALLS):
                    call(stage.foundation, None)
                codes += [part() for part in stage.calls(sides)]
                trouble = next((f"a session ended with exit code {code}" for code in codes if code is not Exit.OK), "")
        except (OSError, FoundingError) as error:
            trouble = str(error)
        except Exception as error:  # a rehearsal must not keep the BBS from opening
            trouble = f"bug: {error!r}"
    go_as_usual()  # the session went first
    if trouble:
        log.warning("the rehearsal was broken off, so sessions take more memory: %s", trouble)


def pages_of(call: Callable[[Foundation], list[Row]]) -> list[Row]:
    """Return what a call at a BBS of its own returns, or nothing where there is none. Never raise."""
    with _unheard(), suppress(OSError, FoundingError), Stage.opened() as stage:
        return call(stage.foundation)
    return []


def _moved(stage: Stage, sides: Sequence[Side], call: Call, packed: Set[int]) -> list[Exit]:
    """Run everything, and move together what ran, first what is given; return how it went.

    Each milestone ends a group: who stays at a prompt takes no page of the games.
    """
    seen = Bytecode()
    groups = [packed, call(stage.foundation, seen.changed) | seen.changed()]
    codes = []
    stage.on_milestone = lambda: groups.append(seen.changed())
    for part in stage.calls(sides):
        codes.append(part())
        stage.on_milestone()
    stage.on_milestone = bool
    fill_pools()
    fill_holes()
    moved = move_together(groups)
    make_immortal(moved)  # before they run again: 3.14 has an instruction for constants that are immortal already
    log.debug("%d code objects moved together", len(moved))
    return codes


@contextmanager
def _unheard() -> Iterator[None]:
    """Send the log nowhere: what happens in a rehearsal did not happen. The log's code is rehearsed all the same."""
    root = logging.getLogger()
    heard = root.handlers
    with open(os.devnull, "wb") as nowhere:
        handler = LineWriter(nowhere.fileno())
        handler.setFormatter(heard[0].formatter if heard else None)
        root.handlers = [handler]
        try:
            yield
        finally:
            root.handlers = heard


class ScriptTransport(Transport):
    """A connection at whose other end a script types. What is sent is kept.

    Each read returns the script's next bytes, unless the session has not dealt with the last ones yet: it would not
    draw while more waits.
    """

    def __init__(self, script: Iterator[bytes], shown: bytearray) -> None:
        """`shown` gets what is sent."""
        super().__init__()
        self.is_busy: Callable[[], bool] = bool
        """Returns whether the session has something to do; set once there is one."""
        self._script = script
        self._shown = shown
        self._reading, self._writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.write(self._writing, b"\0")  # never read, so the descriptor is always ready

    def fileno(self) -> int:
        """Return a descriptor that is always readable; -1 once closed."""
        return self._reading

    def close(self) -> None:
        """Close it; also the second time."""
        if self._reading >= 0:
            os.close(self._reading)
            os.close(self._writing)
            self._reading = -1

    def _read(self, most: int) -> bytes:
        if self.is_busy():
            raise BlockingIOError
        data = next(self._script, b"")
        if data == _NOTHING:
            raise BlockingIOError
        return data

    def _write(self, data: bytearray) -> int:
        self._shown += data
        return len(data)


class Stage:
    """A BBS for rehearsals."""

    def __init__(self, foundation: Foundation) -> None:
        """Made by `opened`."""
        self.foundation = foundation
        self.on_milestone: Callable[[], object] = bool
        """Called whenever a script has come as far as many callers do: to a prompt, to a seat, to the end of a game."""
        self._evenings = 0

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator[Self]:
        """Open it, and remove it in the end. Raise `OSError` or `FoundingError`."""
        folder = MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir())
        _sweep(folder)
        data, lock = _own_folder(folder)
        try:
            foundation = Foundation.found(data, config())
            try:
                yield cls(foundation)
            finally:
                foundation.demolish()
                foundation.segment.close()
        finally:
            shutil.rmtree(data, ignore_errors=True)
            os.close(lock)

    def calls(self, sides: Sequence[Side]) -> list[Callable[[], Exit]]:
        """Return the calls of a whole rehearsal."""
        first, *others = sides
        return [*self.evening(first), *map(self.short_call, others)]

    def evening(self, side: Side) -> tuple[Callable[[], Exit], Callable[[], Exit]]:
        """Return the two calls of an evening, in the next language; each returns how it ended."""
        evening = self._next_evening()
        return (
            lambda: self._serve(side, evening.first_call(), evening.shown),
            lambda: self._serve(side, evening.second_call(), evening.shown),
        )

    def short_call(self, side: Side) -> Callable[[], Exit]:
        """Return one call with a little of everything, in the next language: enough for what is the line's own."""
        evening = self._next_evening()
        return lambda: self._serve(side, evening.only_call(), evening.shown)

    def _next_evening(self) -> Evening:
        self._evenings += 1
        number = self._evenings - 1
        language = LANGUAGES[number % len(LANGUAGES)]
        return Evening(self.foundation, language, f"Caller {number}", self.on_milestone)

    def _serve(self, side: Side, script: Generator[bytes], shown: bytearray) -> Exit:
        def sent() -> Iterator[bytes]:
            if side.opening:
                yield side.opening
            for data in script:
                yield data if data == _NOTHING else side.sent(data)

        with ExitStack() as stack:  # a timer that is left would kill the process at its end
            gc.freeze()  # as in a session, which collects the garbage of its games and of nothing else
            stack.callback(gc.unfreeze)
            inbox = SignalInbox((signal.SIGALRM, signal.SIGUSR1))  # other signals are the listener's
            stack.callback(inbox.close)
            alarms = Alarms()
            stack.callback(alarms.close)
            transport = ScriptTransport(sent(), shown)
            line = side.make_line(transport, "rehearsal")
            stack.callback(line.close)
            display = Display(line)
            stack.callback(display.restore)
            stack.callback(script.close)
            loop = Loop(line, display, inbox, alarms)
            transport.is_busy = lambda: loop.busy
            loop.meter.budget = CpuBudget(time.monotonic(), _UNLIMITED)
            return serve_in(loop, display, lambda: self.foundation.instance(config()))


class Evening:
    """The script of one evening: what the caller types, and what others do meanwhile."""

    def __init__(self, foundation: Foundation, language: str, name: str, milestone: Callable[[], object]) -> None:
        """`milestone` is called at the places that `Stage.on_milestone` names."""
        self.shown = bytearray()
        """What the caller's terminal was sent since the script looked last."""
        self._milestone = milestone
        self._foundation = foundation
        self._language = language
        self._name = name

    def first_call(self) -> Generator[bytes]:
        """Register, and play every game with others."""
        yield from self._register()
        for game in GAMES:
            yield from self._play(game)
        yield from _typed("qy")

    def second_call(self) -> Generator[bytes]:
        """Log in, look at all the menus, and look on at a table."""
        self.shown.clear()
        yield from _typed(f"{self._name}\r{_PASSWORD}\r")
        yield from self._until_prompt()
        self._milestone()
        yield from _typed(f"m\rwpAnna\rp\rtgb\rx{self._name}\rHello\rxAnna\rn\rb\rn\rygqh1\rqqlu123123\rsg")
        yield from _typed("saab1\ryqq")
        yield from _typed("so/watch poker\r.Hello\rx")
        yield from _while_nothing_happens(3 * _TICK)
        yield from _typed("qy")

    def only_call(self) -> Generator[bytes]:
        """Register, look around a little, and play the first game with others."""
        yield from self._register()
        yield from _typed(f"wp{self._name}\rx{self._name}\rHello\rbq")
        yield from self._play(GAMES[0])
        yield from _typed("qy")

    def _register(self) -> Iterator[bytes]:
        yield from _while_nothing_happens(3 * _TICK)
        self._milestone()
        yield from _typed(f"/{self._language}\r{self._name}\ry{_PASSWORD}\r{_PASSWORD}\r")
        yield from self._until_prompt()
        self._milestone()

    def _play(self, game: Entry) -> Generator[bytes]:
        yield from _typed(f"s{game.key}y")
        yield from _while_nothing_happens(_STEP)
        self._milestone()
        if game.has_house:
            yield from self._play_with_house(game)
        yield from _typed("xy\x1b")
        yield from _while_nothing_happens(_STEP)

    def _play_with_house(self, game: Entry) -> Generator[bytes]:
        """Play some turns with as many house players as it takes."""
        cell = next(cell for cell in self._foundation.segment.cells if cell.game == game.kind)
        players: list[_HousePlayer] = []
        yield from _typed(".Hello all\r")
        yield from _typed("\f??")
        with ExitStack() as stack:
            while len(players) < game.fewest - 1:
                yield from _typed("++")
                yield from _until(lambda: cell.header().invited > 0)  # a key is dealt with once no more of it waits
                players.append(_HousePlayer(self._foundation.data, game, cell.index))
                stack.callback(players[-1].close)
            yield from _while_nothing_happens(3 * _TICK)
            yield from _typed("s\r")
            yield from _until(lambda: cell.header().current is not None, players)
            for _ in range(TURNS):
                yield from _others_play(players)
                yield from _typed(game.rehearsal_keys)
            for player in players:
                player.leave()
                yield _NOTHING
            yield from _while_nothing_happens(3 * _TICK)

    def _until_prompt(self) -> Iterator[bytes]:
        """Type nothing until the main prompt is shown."""
        wanted = f"{_BBS} (".encode()
        yield from _until(lambda: wanted in self.shown)
        self.shown.clear()


class _HousePlayer:
    """A house player at a table where one was asked to join: a further session of this process.

    It is the very code that plays in a process of its own (`session.house.house_player`), but nothing wakes it.
    """

    def __init__(self, data: Path, game: Entry, number: int) -> None:
        """Sit down at a table, by its number in the segment."""
        self._instance = instance = Instance.attach(data, SETTINGS)
        instance.enter(PEER, Entrance.HOUSE)
        self._slots = ThinkSlots(data / FILE)
        self._table, played = game.table(instance, number), game.definition
        alarms = Alarms(arm=lambda seconds, period: None)
        self._stay = HouseSession(instance, alarms, self._table, played, self._slots)
        found = self._stay.enter()
        assert found is not None, "there are more names than house players"
        self._stay.sit(*found)

    def act(self) -> bool:
        """Make a move, if it is on turn; return whether it did anything."""
        before = self._table.commit_number
        try:
            self._stay.look()
            self._stay.move()
        except Over:
            return False
        return self._table.commit_number != before

    def leave(self) -> None:
        """Leave the table."""
        self._stay.stand_up(by_wish=True)

    def close(self) -> None:
        """Leave the BBS."""
        self._slots.close()
        self._instance.leave()
        self._instance.segment.close()


def _own_folder(folder: Path) -> tuple[Path, int]:
    """Make a folder, and return it with a descriptor that locks it as long as it is open."""
    while True:
        made = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=folder))
        lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():  # else it was swept away just before
            return made, lock
        os.close(lock)


def _sweep(folder: Path) -> None:
    """Remove what was left by rehearsals of this user's that were killed.

    One that goes on has its folder locked. A process number would say nothing: each container has its own.
    """
    for left in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError, SegmentError):
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    with suppress(NoSegment):
                        Segment.destroy(segment_name(left))
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)


def _typed(text: str) -> Iterator[bytes]:
    """Type a text, one key at a time: each is drawn. What comes at once behind a line may be no key, so it does not."""
    for key in text:
        yield key.encode()
        if key == "\r":
            yield _NOTHING


def _while_nothing_happens(seconds: float) -> Iterator[bytes]:
    """Type nothing for a while, on a busy machine for longer: ticks go by."""
    for _ in range(math.ceil(seconds / _STEP)):
        time.sleep(_STEP)
        yield _NOTHING


def _until(is_so: Callable[[], bool], players: Sequence[_HousePlayer] = ()) -> Iterator[bytes]:
    """Type nothing until this is so; the others act meanwhile."""
    end = time.monotonic() + PATIENCE
    while not is_so() and time.monotonic() < end:
        for player in players:
            player.act()
        time.sleep(_STEP)
        yield _NOTHING


def _others_play(players: list[_HousePlayer]) -> Iterator[bytes]:
    """Let the others act until none of them can; each time the caller sees it."""
    acted = True
    while acted:
        acted = any(player.act() for player in players)
        yield _NOTHING
