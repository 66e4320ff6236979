"""What a caller of the stress test does at the prompt: messages, letters, shares, ignoring, looking on."""

from collections.abc import Callable, Generator
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tests.stress.doors import Calling
from tests.stress.figures import Figures
from tests.stress.loop import Loop
from tests.stress.wire import Wire

if TYPE_CHECKING:
    from tests.stress.callers import Caller

ANSWER = 30.0
"""Seconds within which an undisturbed caller gets an answer to each input, on a machine that has time."""
TRIES = 5
"""How often a caller tries in that time to come to the prompt, each time in two steps, or to leave a table."""
PROMPT = "?: help)>"
CASINO = "Casino>"
"""Where one is behind a table."""
LEAVING = "leave? (y/n)"
SEATED = "Master:"
AT_TABLE = "Leave the table"
"""What Doppelkopf's screen has in its place while a game runs."""
WAITING = "Waiting for a seat"
"""Where a house player's seat is asked for, until its round is over."""
ASLEEP = "Any key: back to your seat"
PASSWORD = "secret-1"


class LineGone(Exception):
    """The connection ended."""


class Unanswered(Exception):
    """None of the expected texts came in time."""


class Wish(NamedTuple):
    """The texts that a conversation waits for, and how long."""

    texts: tuple[str, ...]
    seconds: float


Talk = Generator[Wish, str, None]
Answer = Generator[Wish, str, str]


class World(NamedTuple):
    """The values shared by all callers."""

    loop: Loop
    figures: Figures
    doors: Calling
    tables: int
    pace: float
    """Seconds between two inputs of a caller at the table."""
    nap: float
    """Seconds in which a clock at a table runs out twice."""
    names: list[str]
    """Names for messages."""
    full: Callable[[int], bool]
    """Whether a table has no free seat."""
    moved: Callable[["Caller"], None]
    """Called when a caller at a table receives data."""
    answer: float = ANSWER
    """The same on this machine."""


class Errands:
    """The conversations of a caller at the prompt, each a generator that ends there."""

    def __init__(self, number: int, world: World, rng: Random) -> None:
        self.number = number
        self.name = f"Bot {number}"
        self.wire: Wire | None = None
        self._world = world
        self._rng = rng

    def send(self, keys: str) -> None:
        """Type."""
        if self.wire is not None:
            self.wire.send(keys)

    def _run_errand(self, choice: float) -> Talk:
        """Do one of them; `choice` is below 0.3."""
        if choice < 0.15:
            yield from self._write()
        elif choice < 0.18:
            yield from self._ask("w", PROMPT)
        elif choice < 0.2:
            yield from self._ask("p", "Whose profile?")
            # ENTER alone, so soon, would be that of a line: the caller may not have shown yet that they send keys.
            yield from self._ask(f"{self.name}\r", PROMPT)
        elif choice < 0.23:
            yield from self._look_on()
        elif choice < 0.26:
            yield from self._trade()
        else:
            yield from self._ignore()

    def _write(self) -> Talk:
        yield from self._ask("x", "To:")
        found = yield from self._ask(f"{self._rng.choice(self._world.names)}\r", "Message:", "letter? (y/n)", PROMPT)
        if found == "letter? (y/n)":
            self._world.figures.did["letters"] += 1
            yield from self._ask("y", "ends the letter.")
            yield from self._ask(f"hello from {self.name}\r\r", PROMPT)
        elif found != PROMPT:
            self._world.figures.did["X-messages"] += 1
            yield from self._ask(f"hello from {self.name}, {self._rng.randrange(10**6)}\r", PROMPT)

    def _look_on(self) -> Talk:
        """Look on at the table of this group, say something to the others who do, and leave."""
        # The prompt is no answer: a notice shows it again, below what was typed.
        table = self.number // 5 % self._world.tables + 1
        if (yield from self._ask(f"/watch poker {table}\r", SEATED, "cannot be done")) != SEATED:
            return
        self._world.figures.did["looked on"] += 1
        for _ in range(self._rng.randrange(4)):
            self.send(f".{self.name} has seen {self._rng.randrange(10**6)}\r")
            yield Wish((), self._rng.expovariate(1 / (4 * self._world.pace)))
        yield from self._ask("x", CASINO)
        yield from self._ask("q", PROMPT)

    def _trade(self) -> Talk:
        """Buy or sell some shares of a company, at whatever price holds."""
        if find_spec("yawc_poker.extras.exchange") is None:
            return
        from yawc_poker.extras.exchange.market import COMPANIES  # it may have been taken off

        company = self._rng.choice(COMPANIES)
        prompt = f"{company.name}> "
        yield from self._ask("s", "Casino>")
        yield from self._ask("a", "Shares>")
        yield from self._ask(company.key.lower(), prompt)
        found = yield from self._ask(self._rng.choice("bs"), "(ENTER: none)", prompt)
        if found != prompt:
            found = yield from self._ask(f"{self._rng.randint(1, 3)}\r", "(y/n)", prompt)
            while found != prompt:
                found = yield from self._ask("y", "(y/n)", prompt)
            self._world.figures.did["orders"] += 1
        while found != PROMPT:
            # A notice shows a prompt again that was answered already, so there may be one `q` too many.
            found = yield from self._ask("q", prompt, "Shares>", PROMPT, "Leave the BBS?")
            if found == "Leave the BBS?":
                found = yield from self._ask("n", PROMPT)
        yield from self._settle()

    def _ignore(self) -> Talk:
        """Ignore somebody, or somebody no longer."""
        yield from self._ask("g", "Ignore list>")
        yield from self._ask(self._rng.choice("aad"), "Whom?")
        yield from self._ask(f"{self._rng.choice(self._world.names)}\r", "Ignore list>")
        self._world.figures.did["ignore lists changed"] += 1
        yield from self._settle()

    def _settle(self) -> Talk:
        """Get to the main prompt for certain: a removed caller may have typed moves or X into it, and be anywhere.

        Nor need the caller be at a prompt: a notice shows one again, which is then taken for the answer to the key that
        leads to a table.
        """
        for _ in range(TRIES):
            self.send("\x1b\x1b\x1bp")  # out of a text, out of its menu, and what is open besides
            if (yield Wish(("Whose profile?",), self._world.answer / (2 * TRIES))):
                yield from self._ask("\x1b", PROMPT)
                return
            self.send("x")
            if (yield Wish((LEAVING, CASINO, PROMPT, "To:"), self._world.answer / (2 * TRIES))) == LEAVING:
                self.send("y")
        raise Unanswered(f"{self.name} does not come to the prompt: {self._story}")

    def _ask(self, keys: str, *texts: str) -> Answer:
        self.send(keys)
        found = yield Wish((*texts, AT_TABLE, ASLEEP) if SEATED in texts else texts, self._world.answer)
        if found == ASLEEP:  # the seat is theirs still
            self.send("\x1b")
            found = yield Wish((SEATED, AT_TABLE), self._world.answer)
        if not found:
            raise Unanswered(f"{self.name}: {keys!r} was not answered by {texts}: {self._story}")
        return SEATED if found == AT_TABLE else found

    @property
    def _story(self) -> str:
        """What was typed last, each time with the end of what was shown before, and what came since."""
        return "" if self.wire is None else self.wire.story
