"""Steps by name, of whatever parts: which one a process is at, and the gates at which it waits.

At a step the process may be killed or stopped (`Doom.plan`), or wait at a gate until it is told to go on
(`interleave.py`). Steps are named by what is true at that moment ("half filled", "bank lock taken"); the second time
within one order it is "half filled (2)", and so on.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import IO

from tests.isolation.sessions import Doom

AT, BLOCKED = "@", "#"
"""How a session's line begins that is no answer: it waits at a gate, or for a lock."""


_CHANGES_NOTHING = re.compile(
    r".* lock wanted|(table \d+|bank|broadcast) lock to be given back|clock read|value loaded|signal to be sent"
    r"|cards to be shuffled|(before|in|after) .*|bank: .*"
)
"""Names of steps until which nothing has changed that others see. What a transaction does, nobody sees before the step
behind its COMMIT; that memory is the same, a test looks."""
_TELLING = re.compile(r"(broadcast lock|slot|head moved|signal).*")
_HALF_TOLD = "slot filled, not numbered"


class Steps(Doom):
    """The steps of this process since its last order, and the gates at which it waits."""

    def __init__(self) -> None:
        super().__init__()
        self.passed: list[str] = []
        self.states: list[str] = []
        """What `look` told at each of these steps."""
        self.look: Callable[[], str] | None = None
        self.gates: frozenset[str] = frozenset()
        self._seen: Counter[str] = Counter()
        self._orders: IO[str]
        self._answers: IO[str]

    def hear(self, orders: IO[str], answers: IO[str]) -> None:
        """Take the channel by which the test is told of a gate, and tells to go on."""
        self._orders, self._answers = orders, answers

    def begin(self) -> None:
        """Forget what was passed: an order begins."""
        self.passed.clear()
        self.states.clear()
        self._seen.clear()

    def at(self, step: str) -> None:
        self._seen[step] += 1
        name = step if self._seen[step] == 1 else f"{step} ({self._seen[step]})"
        self.passed.append(name)
        if self.look is not None:
            self.states.append(self.look())
        if name in self.gates:
            self._answers.write(f"{AT}{name}\n")
            self._orders.readline()
        super().at(name)

    def blocked(self, lock: str) -> None:
        """Tell that a lock is not free; only where there are gates is there anybody who listens for it."""
        if self.gates:
            self._answers.write(f"{BLOCKED}{lock}\n")


STEPS = Steps()
"""This process's."""


class Statements:
    """Tells of every statement of a writing transaction before it runs; several alike are told once."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._last = ""
        """Empty: no writing transaction is open."""

    def tell(self, statement: str) -> str:
        """Tell of a statement that is about to run; return its name, empty if it only reads."""
        begins, before = statement.startswith("BEGIN"), self._last
        if statement == "BEGIN" or "READ ONLY" in statement or not (begins or before):
            self._last = ""
            return ""
        name = f"{self._database}: {_short(statement)}"
        self._last = "" if statement in {"COMMIT", "ROLLBACK"} else name
        if name != before:
            STEPS.at(name)
        return name


def _short(statement: str) -> str:
    """Return a statement's verb and, where it changes something, its table."""
    changed = re.match(r"\s*(?:INSERT.*? INTO|REPLACE INTO|UPDATE|DELETE FROM) +([\w.]+)", statement)
    verb = statement.split(maxsplit=1)[0]
    return f"{verb} {changed[1]}" if changed else verb


# --- which of them are alike ------------------------------------------------------------------------------------------


def is_as_before(before: str, step: str) -> bool:
    """Return whether what all share is the same at two steps, one behind the other, by their names."""
    return not _plain(before).endswith("COMMIT") and _CHANGES_NOTHING.fullmatch(_plain(step)) is not None


def _plain(step: str) -> str:
    """Return a step's name without its number."""
    return re.sub(r" \(\d+\)$", "", step)


def turns(steps: Sequence[str]) -> list[str]:
    """Return one step for each state that a death can leave: the last one before the next change."""
    return [step for step, after in pairwise([*steps, ""]) if not after or not is_as_before(step, after)]


def turns_but_telling(steps: Sequence[str]) -> list[str]:
    """Return the same, with one step for all of telling others by the ring, which is an operation of its own."""
    return [step for step in turns(steps) if _plain(step) == _HALF_TOLD or not _TELLING.fullmatch(_plain(step))]
