"""The counters of a run, and their formatting and printing."""

import sys
from collections import Counter


class Figures:
    """Counters and measured times of one run; seconds throughout."""

    def __init__(self) -> None:
        self.did: Counter[str] = Counter()
        """Actions of callers: calls, registrations, logins, moves, chat, messages."""
        self.faults: Counter[str] = Counter()
        self.screens: list[float] = []
        """Times from the ENTER of a bet to the first bytes at the last undisturbed caller of the table."""
        self.calls: list[float] = []
        """Times from the first try to connect to the name prompt."""
        self.games = 0
        self.stuck: list[str] = []
        """Tables that were stuck, one line each."""
        self.unanswered: list[str] = []
        """Callers who got no answer to a key, one line each."""
        self.silent: list[str] = []
        """Bets that an undisturbed caller at the table never saw, one line each."""
        self.wrong: list[str] = []
        """Screens that did not show the table's state although nothing had happened for a while, one line each."""
        self.held: Counter[str] = Counter()
        """Locks whose holders were stopped for good."""
        self.put_out: list[float] = []
        """Times from the stop of a holder until the lock was free."""
        self.driver: list[str] = []
        """Problems of the listener process, one line each."""
        self.busy = 0.0
        """Seconds in which the machine was too busy to expect anything in time."""
        self.leaks: list[str] = []
        """What has become more and more, one line each."""
        self._said = set[str]()

    def problems(self) -> list[str]:
        """Return what is wrong so far."""
        kinds = {
            "stuck": self.stuck,
            "unanswered": self.unanswered,
            "not shown": self.silent,
            "wrong screen": self.wrong,
            "listener": self.driver,
            "leak": self.leaks,
        }
        return [f"{kind}: {line}" for kind, lines in kinds.items() for line in lines]

    def news(self) -> list[str]:
        """Return what is wrong since the last time."""
        found = [line for line in self.problems() if line not in self._said]
        self._said.update(found)
        return found


def quantiles(times: list[float]) -> str:
    """Return p50, p99 and the greatest in milliseconds."""
    if not times:
        return "none measured"
    ordered = sorted(times)
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    return f"p50 {p50 * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, most {ordered[-1] * 1000:.0f} ms of {len(ordered)}"


def counted(counter: Counter[str]) -> str:
    """Return a counter as one line."""
    return ", ".join(f"{name} {number}" for name, number in sorted(counter.items())) or "none"


def say(line: str) -> None:
    """Print at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
