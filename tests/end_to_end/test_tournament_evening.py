"""A tournament of many callers over several tables, with sessions and the listener killed: places are the oracle's."""

import random
from contextlib import closing
from pathlib import Path

import psutil

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.isolation.stores import bank_in_file
from tests.rules.test_tournament_standings import oracle
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.extras.tournaments import rows
from yawc_poker.extras.tournaments.rows import Tournament

CONFIG = (
    FAST.replace("players = 0", "players = 8\npace = [0.0, 0.01]")
    + "[offiziersskat]\ntables = 4\nturn_seconds = 0.1\npause_seconds = 0\n[tournaments]\nwait_seconds = 4\n"
)
NAMES = ("Anton", "Berta", "Carl", "Doris", "Emil", "Frieda", "Gustav")
FEE, ROUNDS = 10, 3


class Evening:
    """Callers who go wherever they are called, and call again if their session was killed."""

    def __init__(self, bbs: Bbs) -> None:
        self.bbs, self.chance = bbs, random.Random(7)
        self.callers: dict[str, Caller] = {name: bbs.call().register(name) for name in NAMES}
        self.kills = 0

    def tournament(self) -> Tournament:
        with closing(bank_in_file(self.bbs.data / BANK_FILE, look_only=True)) as bank, bank.store.reading() as books:
            return rows.find(books, 1)

    def step(self) -> bool:
        """Let everybody do what they are asked for; kill somebody now and then; return whether all is over."""
        for name, caller in self.callers.items():
            caller.drain()
            if not caller.is_open:
                self.callers[name] = self.bbs.call().comes_back(name)
            elif "Any key: back to your seat" in caller.text or "key brings you back" in caller.text:
                caller.press(" ")
            elif "J takes you there" in caller.text:
                caller.press("j")
            elif "/accept takes you" in caller.text:
                caller.press("./accept\r")
        if self.kills < 4 and self.chance.random() < 0.15:
            self.kills += 1
            name = self.chance.choice(NAMES)
            try:
                self.bbs.session(name).kill()
            except (psutil.Error, StopIteration, AssertionError):
                return False  # they are on the way in
            if self.kills == 2:
                self.bbs.process.kill()
                self.bbs.close()
                self.bbs.start()
        return self.tournament().state == "over"


def test_everything_is_accounted_for_and_the_places_are_the_oracles(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", CONFIG) as bbs:
        evening = Evening(bbs)
        bbs.yawcctl(
            *("tournament", "new", "offiziersskat", "--length", "1"), "--rounds", str(ROUNDS), "--entry", str(FEE)
        )
        with closing(bank_in_file(bbs.data / BANK_FILE)) as bank:
            for user in range(1, len(NAMES) + 1):
                with bank.store.writing() as books:
                    rows.enter(books, bank.store.clock(), 1, user)
        bbs.yawcctl("tournament", "begin", "1")
        wait_until(evening.step, lambda: f"the end: {evening.tournament()}", 100)
        assert evening.kills
    assert "clean" in bbs.yawcctl("audit")
    with closing(bank_in_file(bbs.data / BANK_FILE, look_only=True)) as bank, bank.store.reading() as books:
        order, played = rows.table_of(books, 1), rows.played(books, 1)
        assert {one.user: one.rank for one in order} == oracle(rows.entrants(books, 1), played)
        assert len(played) == ROUNDS * len(NAMES)
        assert sum(rows.paid(books, 1).values()) == FEE * len(NAMES)
