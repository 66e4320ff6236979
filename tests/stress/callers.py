"""A caller who plays at a bot's speed: a conversation as a generator, resumed by input or by time.

A conversation yields what it waits for (texts of which one must come, and for how long) and is sent the text that came,
or "" when the time was up; `LineGone` is thrown into it when the connection ends. At the table the moves come from
`tables.Tables`, which knows whose turn it is; all of them go through this caller's socket.
"""

import time
from collections.abc import Callable
from random import Random

from tests.stress.errands import (
    ANSWER,
    ASLEEP,
    AT_TABLE,
    CASINO,
    LEAVING,
    PASSWORD,
    PROMPT,
    SEATED,
    TRIES,
    Answer,
    Errands,
    LineGone,
    Talk,
    Unanswered,
    Wish,
    World,
)
from tests.stress.wire import COMMANDS, Wire

__all__ = ["ANSWER", "PROMPT", "SEATED", "Answer", "Caller", "LineGone", "Talk", "Unanswered", "Wish", "World"]


class Caller(Errands):
    """Caller `number`, whose home is the table of their group of five."""

    def __init__(self, number: int, world: World, rng: Random) -> None:
        super().__init__(number, world, rng)
        self.table: int | None = None
        self.cash: int | None = None
        """The caller's cash as the table last showed it."""
        self.disturbed = 0.0
        """Until then a fault disturbs the caller or their session. Monotonic seconds."""
        self.has_arrived = False
        """Whether the caller has sat at a table."""
        self.is_quiet = False
        """Whether the caller does nothing more by themselves."""
        self.is_asleep = False
        """Whether the caller presses nothing, whosever turn it is."""
        self.is_retired = False
        """Whether the caller does not call again."""
        self.seen: Callable[[bytes], None] | None = None
        """The observer of the data received."""
        self._talk: Talk = self._life()
        self._wish = Wish((), 0.0)
        self._wished = 0
        self._called = 0.0
        self._calls = 0
        self._generation = 0
        self._last = 0
        """The table where the caller sat last."""

    def start(self) -> None:
        """Start calling."""
        self._wait_for(next(self._talk))

    def disturb(self, seconds: float) -> None:
        """Record that a fault disturbs this caller for some seconds."""
        self.disturbed = max(self.disturbed, time.monotonic() + seconds)

    def drop(self) -> None:
        """Handle a connection that was broken on this side."""
        self._resume(LineGone())

    # --- driving the generator ----------------------------------------------------------------------------------------

    def _wait_for(self, wish: Wish) -> None:
        self._wish = wish
        self._wished += 1
        number = self._wished
        self._world.loop.after(wish.seconds, lambda: self._time_up(number))

    def _time_up(self, number: int) -> None:
        if number == self._wished:
            self._resume("")

    def _heard(self, data: bytes) -> None:
        if self.seen is not None:
            self.seen(COMMANDS.sub(b"", data))
        if self.table is not None:
            self._world.moved(self)
        if self._wish.texts and self.wire is not None:
            found = next((wished for wished in self._wish.texts if self.wire.shows(wished)), None)
            if found is not None:
                self._resume(found)

    def _resume(self, what: str | LineGone) -> None:
        self._wished += 1
        self._wait_for(self._talk.throw(what) if isinstance(what, LineGone) else self._talk.send(what))

    # --- the conversations --------------------------------------------------------------------------------------------

    def _life(self) -> Talk:
        while True:
            try:
                yield from self._visit()
            except LineGone:
                self._world.figures.did["lines lost"] += 1
            except Unanswered as lost:
                if time.monotonic() > self.disturbed + self._world.answer:
                    self._world.figures.unanswered.append(str(lost))
            self.table = None
            if self.wire is not None:
                self.wire.close()
            while self.is_retired:
                yield Wish((), 3600)
            yield Wish((), self._rng.uniform(0.1, 1.0))

    def _visit(self) -> Talk:
        yield from self._call()
        if (yield from self._log_in()) == SEATED:
            self._world.figures.did["came back to the seat"] += 1
            yield from self._play(self._last)
        while True:
            while self.is_quiet:
                yield Wish((), 0.5)
            choice = self._rng.random()
            if choice < 0.29:
                yield from self._run_errand(choice)
            elif choice < 0.32 or (self.cash is not None and self.cash < 20):
                yield from self._quit()
            else:
                yield from self._sit()
            yield Wish((), self._rng.uniform(0.0, self._world.pace))

    def _call(self) -> Talk:
        """Connect, retrying while nobody listens."""
        self._called = time.monotonic()
        while True:
            self._calls += 1
            self.wire = self._dial(self.number + self._calls)
            self._world.figures.did["calls"] += 1
            try:
                found = yield Wish(("Name:",), self._world.answer)
            except LineGone:
                self._world.figures.did["calls refused"] += 1
                if self.is_retired:
                    raise
                yield Wish((), 0.1)
                continue
            if not found:
                raise Unanswered(f"{self.name} was not greeted")
            if self._called > self.disturbed:
                self._world.figures.calls.append(time.monotonic() - self._called)
            return

    def _dial(self, turn: int) -> Wire:
        """Return a connection by the door whose turn it is."""
        return self._world.doors.call(turn, self._heard, self.drop, narrow=self._rng.random() < 0.1)

    def _log_in(self) -> Answer:
        """Come to the prompt, or straight back to the seat that was held."""
        found = "Name:"
        while found not in {PROMPT, SEATED}:
            found = yield from self._ask(f"{self.name}\r", "(y/n)", "Password:")
            if found == "(y/n)":
                yield from self._ask("y", "Password:")
                yield from self._ask(f"{PASSWORD}\r", "Repeat the password:")
                self._world.figures.did["registrations"] += 1
            else:
                self._world.figures.did["logins"] += 1
            found = yield from self._ask(f"{PASSWORD}\r", PROMPT, SEATED, "Name:")
        return found

    def _quit(self) -> Talk:
        if self.cash is not None and self.cash < 20:
            self._generation += 1
            self.cash = None
            self._world.names.remove(self.name)
            self.name = f"Bot {self.number} call {self._generation}"  # "1-12" looks like "11-2"
            self._world.names.append(self.name)
            self._world.figures.did["broke"] += 1
        self.send("qy")
        self._world.figures.did["goodbyes"] += 1
        yield Wish((), self._world.answer)
        raise Unanswered(f"{self.name} said goodbye in vain")

    def _take_seat(self, here: int, choice: str, game: str) -> Talk:
        """Choose the table `here` in the list that is shown, and play; a seat that is held leads there at once."""
        found = yield from self._ask(f"{choice}\r", "(y/n)", SEATED, CASINO, PROMPT)
        if found in {CASINO, PROMPT}:
            self._world.figures.did["tables found full"] += 1
        elif found != SEATED:
            found = yield from self._ask("y", SEATED, CASINO, PROMPT)
        if found == SEATED:
            self._world.figures.did[f"sat down{game}"] += 1
            yield from self._play(here)
        elif found == CASINO:
            yield from self._ask("q", PROMPT)

    def _sit(self) -> Talk:
        yield from self._ask("s", "Casino>")
        yield from self._ask("2", "(ENTER: back)")
        here = self._choose()
        yield from self._take_seat(here, str(here + 1), "")

    def _choose(self) -> int:
        home = self.number // 5
        if not self._world.full(home):
            return home
        return next((one for one in range(self._world.tables) if not self._world.full(one)), home)

    def _play(self, here: int) -> Talk:
        """Stay at the table; `tables.Tables` makes the moves, this the chat and the rest."""
        self.table, self._last, self.has_arrived = here, here, True
        try:
            while True:
                self.is_asleep = self._rng.random() < 0.02 and not self.is_quiet
                found = yield Wish((CASINO,), self._rest())
                if self.is_quiet and not found:
                    continue
                if found:  # removed from the table
                    self.table = None
                    yield from self._settle()
                    return
                if self._has_enough():
                    yield from self._leave()
                    return
                if self._rng.random() < 0.5:
                    self._do_something()
        finally:
            self.table, self.is_asleep = None, False

    def _rest(self) -> float:
        """Return the seconds until the caller thinks of something; who sleeps lets the clocks run out twice."""
        if self.is_asleep:
            self._world.figures.did["slept"] += 1
            return self._rng.uniform(1.0, 2.0) * self._world.nap
        return self._rng.expovariate(1 / (12 * self._world.pace))

    def _do_something(self) -> None:
        self._world.figures.did["chat lines"] += 1
        self.send(f".{self.name} thinks of {self._rng.randrange(10**6)}\r")

    def _has_enough(self) -> bool:
        return self._rng.random() < 0.08 or (self.cash is not None and self.cash < 20)

    def _leave(self) -> Talk:
        """Leave by X, repeated if an open prompt took it for something else; no move is made for this caller by then.

        A key that reached the prompt after the X would be taken for a command there.
        """
        self.table = None
        found = ""
        for _ in range(TRIES):
            woken = (SEATED, AT_TABLE) if found == ASLEEP else ()  # any key wakes; the next one is an X again
            self.send("x")
            found = yield Wish((CASINO, LEAVING, ASLEEP, *woken), self._world.answer / TRIES)
            if found == LEAVING:  # a running game asks first, and no more once it is over
                self.send("y")
                found = yield Wish((CASINO,), self._world.answer / TRIES)
            if found == CASINO:
                self._world.figures.did["left by X"] += 1
                yield from self._settle()
                return
        raise Unanswered(f"{self.name} cannot leave the table: {self._story}")
