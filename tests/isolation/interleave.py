"""Interleavings by name, in the manner of PostgreSQL's isolation tests: every order of the parts of several sessions.

A scenario has tracks. A track is an order to one session, cut into named parts: each part ends at a gate, a step of
`steps.py` at which the session waits until it is told to go on, and the last one with the order's answer. Or it is one
event, as the passing of time. `orders` gives every sequence of all parts that keeps each track's own; `play` plays one.

A session that meets a lock is *blocked*: that is known from the session and the kernel, not from a pause. The play goes
on with the others; once the lock is free the blocked part ends by itself, and parts whose turn came meanwhile follow at
once. Where a session takes another way and a gate does not come, it goes on to the next one that does.
"""

import select
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from tests.isolation.gates import AT, BLOCKED
from tests.isolation.sessions import Hall, Session
from tests.isolation.steps import SteppedHands
from tests.thoroughness import SOAK

LOOK = "look"
"""What a part is called that ends before anything is changed."""
LOCK = "lock"
"""What a part is called that ends when the table's lock is had."""
SECONDS = 20.0
"""How long a part may take."""

State = Literal["ready", "waiting", "blocked", "done"]


class GatedHands(SteppedHands):
    """Hands that nobody takes for stuck while they wait at a gate."""

    patience = 600.0


class Track:
    """One session's order and its parts: their names, and the gate at which each ends ("": with the answer)."""

    def __init__(self, session: Session, *order: str | int, **parts: str) -> None:
        self.session = session
        self.parts = list(parts)
        self.gates = list(parts.values())
        self.state: State = "ready"
        self.answer = ""
        self.lock = ""
        """What a blocked session waits for."""
        self.owed = 0
        """Parts whose turn came while it was blocked."""
        self._order = order
        self._part = 0

    @property
    def part(self) -> str:
        """The part that runs, or ran last."""
        return self.parts[self._part]

    def go_on(self) -> None:
        """Let the next part begin."""
        if self.state == "ready":
            assert self.session("gates", *filter(None, self.gates)) == "ok"
            self.session.order(*self._order)
        else:
            self._part = min(self._part + 1, len(self.parts) - 1)
            self.session.order("go on")

    def hear(self) -> str:
        """Take the next thing the session says and give the part it is about, with a "?" if that is blocked."""
        said = self.session.answer()
        if said.startswith(BLOCKED):
            self.state, self.lock = "blocked", said.removeprefix(BLOCKED)
            return f"{self.part}?"
        if said.startswith(AT):
            self.state, self._part = "waiting", self.gates.index(said.removeprefix(AT))
        else:
            self.state, self.answer, self._part = "done", said, len(self.parts) - 1
        return self.part


class Event:
    """Something that happens in one piece, without a session."""

    def __init__(self, name: str, happen: Callable[[], object]) -> None:
        self.parts = [name]
        self.happen = happen


def orders(**parts: str) -> list[str]:
    """Return every order of these tracks' parts: `orders(anna="lock pay", bert="lock")`.

    `make test` leaves out those that differ from another one in independent parts only. What a session does until it
    wants the lock (`look`) changes nothing, so a part of another session may as well come before it. Who wants the lock
    while another has it does nothing until that one is done, so it is the same when its turn came; one order in which
    somebody waits and one in which nobody does remain. Of these every second one is tried.
    """
    tracks = [[f"{name}.{part}" for part in names.split()] for name, names in parts.items()]
    every = list(_merged(tracks))
    if not SOAK:
        events = {track[0] for track in tracks if len(track) == 1}
        ends = {track[-1] for track in tracks}
        different: dict[tuple[bool, str], list[str]] = {}
        for order in every:
            if _is_last_of_its_kind(order, events):
                has_waited, trace = _with_lock(order, ends)
                different[has_waited, " ".join(trace)] = order
        every = list(different.values())[::2]
    return [" ".join(order) for order in every]


def _with_lock(order: Sequence[str], ends: Collection[str]) -> tuple[bool, list[str]]:
    """Return whether somebody waits, and the order in which these parts come if there is one lock.

    It is had from a part `lock` to the end of a track.
    """
    trace: list[str] = []
    waiting: dict[str, list[str]] = {}
    holder, has_waited = "", False
    for turn in order:
        ready = [turn]
        while ready:
            part = ready.pop(0)
            name = name_of(part)
            if name in waiting or (part.endswith(f".{LOCK}") and holder not in {"", name}):
                waiting.setdefault(name, []).append(part)
                has_waited = True
                continue
            trace.append(part)
            if part.endswith(f".{LOCK}"):
                holder = name
            elif part in ends and holder == name:
                holder = ""
                ready += [owed for other in list(waiting) for owed in waiting.pop(other)]
    return has_waited, trace


def _is_last_of_its_kind(order: Sequence[str], events: Collection[str]) -> bool:
    """Return whether no look is followed by a part of another session."""
    return all(
        after in events or name_of(part) == name_of(after) or not part.endswith(f".{LOOK}")
        for part, after in pairwise(order)
    )


def name_of(part: str) -> str:
    """Return the track of a part."""
    return part.partition(".")[0]


def _merged(tracks: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    if not any(tracks):
        yield []
    for index, track in enumerate(tracks):
        if track:
            rest = [*tracks[:index], track[1:], *tracks[index + 1 :]]
            yield from ([track[0], *order] for order in _merged(rest))


class Play:
    """One order of a scenario, played. `trace` says what really happened, "anna.lock?" where that was blocked."""

    def __init__(self, hall: Hall, **tracks: Track | Event) -> None:
        self.trace: list[str] = []
        self._hall = hall
        self._names = {id(track): name for name, track in tracks.items()}
        self._events = {name: track for name, track in tracks.items() if isinstance(track, Event)}
        self._tracks = {name: track for name, track in tracks.items() if isinstance(track, Track)}
        self._locks = {lock.name: lock for lock in hall.foundation.segment.locks}

    def play(self, order: str) -> Mapping[str, str]:
        """Play an order to its end and give every session's answer."""
        for part in order.split():
            name = name_of(part)
            if name in self._events:
                self._events[name].happen()
                self.trace.append(part)
            else:
                self._advance(self._tracks[name])
        while unfinished := [track for track in self._tracks.values() if track.state != "done"]:
            free = [track for track in unfinished if track.state != "blocked"]
            assert free, f"deadlock: {self.trace}"
            self._advance(free[0])
        return {name: track.answer for name, track in self._tracks.items()}

    def before(self, one: str, other: str) -> bool:
        """Return whether one part had ended before the other one."""
        return self.trace.index(one) < self.trace.index(other)

    def _advance(self, track: Track) -> None:
        if track.state == "blocked":
            track.owed += 1
        elif track.state != "done":
            track.go_on()
            self._hear(track)
            self._settle()

    def _hear(self, track: Track) -> None:
        assert select.select([track.session], [], [], SECONDS)[0], f"{self._names[id(track)]} hangs after {self.trace}"
        self.trace.append(f"{self._names[id(track)]}.{track.hear()}")

    def _settle(self) -> None:
        """Wait until every session is at a gate, done, or blocked by one that is; then let those go on that may."""
        while moving := [track for track in self._tracks.values() if track.state == "blocked" and self._moves(track)]:
            ready, _, _ = select.select([track.session for track in moving], [], [], SECONDS)
            assert ready, f"a blocked session does not wake after {self.trace}"
            for track in moving:
                if track.session in ready:
                    self._hear(track)
        for track in self._tracks.values():
            if track.owed and track.state == "waiting":
                track.owed -= 1
                self._advance(track)

    def _moves(self, track: Track) -> bool:
        """Return whether a blocked session need not wait any longer: its lock is free, or its holder moves."""
        lock = self._locks[track.lock]
        if not lock.is_held:
            return True
        holder = next((one for one in self._tracks.values() if one.session.pid == lock.holder), None)
        return holder is None or holder is track or (holder.state == "blocked" and self._moves(holder))
