"""A year of the casino's CUBES: the real bank, driven by scripts of callers who play with house players.

    python -m benchmarks.economy [--days N] [--write]

Only the cards are made up: who wins a game is drawn by how well those in it play. Everything else is the program's own:
loans, antes, bets, payouts, what goes back, time online, allowances. Each day it is checked that no account and no
network has won more from house players than its share, nor all together more than theirs, by what everybody owned
before and afterwards; at the end of each month the books are audited. `--write` puts the tables into
`benchmarks/economy.md`.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Final, NamedTuple

from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import DAY
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.store.sqlite import SqliteStore
from yawc_poker.casino.tables.stakes import Stakes
from yawc_poker.config import Bbs, House
from yawc_poker.engine.against_house import AgainstHouse, Person, part_of
from yawc_poker.engine.house import HOUSE_USERS, Level

PAGE: Final = Path(__file__).with_suffix(".md")
ANTE: Final = 10
BETS: Final = (0, 10, 20, 40, 80, 160)
"""What somebody bets in a game beside the ante, in all rounds together."""
SKILL: Final[dict[Level, float]] = {"easy": 0.5, "normal": 1.0, "hard": 1.3}
"""Chances to win a game, beside those of the others in it."""


class Group(NamedTuple):
    """Callers who do the same every day."""

    name: str
    accounts: int
    games: int
    """That each of them plays on a day."""
    against: tuple[Level, ...]
    skill: float
    hours: float
    """Online, on a day."""
    together: bool = False
    """They call from one network."""
    new: bool = False
    """Each day other accounts, from other networks."""


GROUPS: Final = (
    Group("callers who play an hour", 12, 3, ("normal", "normal", "normal"), 0.9, 1),
    Group("callers who are good at it", 3, 5, ("normal", "hard", "hard"), 1.6, 1),
    Group("a script, all day, four easy ones", 1, 30, ("easy", "easy", "easy", "easy"), 3.0, 24),
    Group(
        "five accounts of one network, four easy ones", 5, 6, ("easy", "easy", "easy", "easy"), 3.0, 1, together=True
    ),
    Group("a script, all day, four normal ones", 1, 30, ("normal", "normal", "normal", "normal"), 3.0, 24),
    Group("a new account from a new network, each day", 1, 10, ("normal", "normal"), 3.0, 0, new=True),
)


class Account(NamedTuple):
    """One caller."""

    user: int
    network: str
    group: Group


class Year:
    """Days of the casino, one after the other."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self.now = DAY * 20000.0
        self.bank = Bank(SqliteStore(folder / "bank.sqlite", nullcontext(), BOOKS))
        self.bank.store.clock = lambda: self.now
        self.bbs, self.house = Bbs(), House()
        self.won: dict[Group, Counter[int]] = {group: Counter() for group in GROUPS}
        """What accounts of a group won from house players, less what they lost, day by day: how often each amount."""
        self.games = 0
        self._chance = random.Random(seed)
        self._stakes = Stakes(self.bank, 0, "poker", self.house)
        self._accounts = [one for group in GROUPS if not group.new for one in self._enrolled(group)]

    def _enrolled(self, group: Group) -> Iterator[Account]:
        """Open the accounts of a group."""
        for number in range(group.accounts):
            user = self.bank.figures().users + 1
            self.bank.welcome(user, self.bbs.start_cubes)
            yield Account(user, group.name if group.together else f"{group.name} {user} {number}", group)

    def day(self) -> None:
        """Play one day; raise `AssertionError` where somebody won more than their share."""
        fresh = [one for group in GROUPS if group.new for one in self._enrolled(group)]
        day, today = int(self.now // DAY), [*self._accounts, *fresh]
        for one in today:
            self.bank.earn(one.user, f"{day}", one.group.hours * 3600, self.bbs.cubes_per_hour)
            self.bank.allow(one.user, self.bbs.allowance, ANTE)
        owned = self.bank.balances([one.user for one in today])
        turns = [one for one in today for _ in range(one.group.games)]
        self._chance.shuffle(turns)
        for turn in turns:
            self._play(turn)
        after = self.bank.balances([one.user for one in today])
        networks: Counter[str] = Counter()
        for one in today:
            gain = after[one.user] - owned[one.user]
            self.won[one.group][gain] += 1
            networks[one.network] += gain
            assert gain <= self.house.daily_share, f"user {one.user} won {gain} on day {day}"
        assert max(networks.values()) <= self.house.daily_share, f"a network won {max(networks.values())} on day {day}"
        assert sum(networks.values()) <= self.house.daily_cubes, f"all won {sum(networks.values())} on day {day}"
        self.now += DAY

    def _play(self, one: Account) -> None:
        """Play one game of a caller with house players, if they can pay."""
        if self.bank.balance(one.user) < ANTE:
            return
        chance, levels = self._chance, one.group.against
        house = chance.sample(HOUSE_USERS[:16], k=len(levels))
        self._stakes.lend(house, ANTE)
        parts = tuple(part_of(user, f"{level} 1", ANTE) for user, level in zip(house, levels, strict=True))
        game = self._stakes.agree(AgainstHouse((Person(one.user, one.network),), parts))
        number, owned = self.bank.open_game(0, "poker", dict.fromkeys([one.user, *house], ANTE))
        bet = chance.choice(BETS)
        for action, user in enumerate([one.user, *house]):
            if (amount := min(bet, owned[user])) and chance.random() < 0.7:
                self.bank.bet(number, action, user, amount)
        weights = [one.group.skill, *[SKILL[level] for level in levels]]
        (winner,) = chance.choices([one.user, *house], weights)
        shares = {winner: 1} if chance.random() < 0.98 else {}  # else all have passed, and the pot is the house's
        self.bank.settle(number, shares, against=game, limits=self._stakes.share_of)
        self.games += 1


def tables(year: Year, days: int) -> str:
    """Return the tables of the page."""
    lines = [
        "| who | accounts | games a day | won from house players a day: mean | most | least |",
        "|---|" + "---:|" * 5,
    ]
    for group, won in year.won.items():
        total, count = sum(gain * often for gain, often in won.items()), won.total()
        lines.append(
            f"| {group.name} | {group.accounts} | {group.games} | {total / count:.1f} | {max(won)} | {min(won)} |"
        )
    figures = year.bank.figures()
    purses = sum(year.bank.balances(HOUSE_USERS[:16]).values())
    flows = dict(_flows(year.bank))
    lines += ["", f"| {days} days, {year.games} games | CUBES |", "|---|---:|"]
    rows = {
        "made: accounts begin": flows["welcome"],
        "made: time online": flows["online"],
        "made: allowances that the house did not have": flows["allowance"],
        "made: loans to house players that the house did not have": flows["house"],
        "made, together": figures.minted,
        "owned by callers": figures.cash,
        "in the purses of house players": purses,
        "the house's own": figures.house - purses,
    }
    return "\n".join([*lines, *(f"| {name} | {cubes:,} |" for name, cubes in rows.items())])


def _flows(bank: Bank) -> Iterator[tuple[str, int]]:
    """Yield what was newly made, by the kind of its transactions."""
    query = """
        SELECT txn.kind, -coalesce(sum(amount) FILTER (WHERE account.kind = 'mint'), 0)
        FROM txn JOIN entry ON entry.txn = txn.id JOIN account ON account.id = entry.account GROUP BY txn.kind
    """
    with bank.store.reading() as books:
        made = {str(kind): int(cubes) for kind, cubes in books.execute(query)}
    yield from ({"welcome": 0, "online": 0, "allowance": 0, "house": 0} | made).items()


def lived(days: int, folder: Path) -> str:
    """Live so many days in a folder, and return the tables; raise `AssertionError` for what must not be."""
    year = Year(folder)
    with closing(year.bank):
        for day in range(1, days + 1):
            year.day()
            if day % 30 == 0 or day == days:
                assert (found := year.bank.audit()) == [], found
                print(f"day {day}: {year.games} games, the books are sound", file=sys.stderr, flush=True)
        return tables(year, days)


def main() -> None:
    """Live a year."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        text = lived(options.days, Path(folder))
    print(text)
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    if options.write:
        before, _, _ = PAGE.read_text().partition("<!-- tables -->\n")
        PAGE.write_text(f"{before}<!-- tables -->\n{text}\n")


if __name__ == "__main__":
    main()
