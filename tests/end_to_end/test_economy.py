"""A script that milks house players: it wins its share of a day, then plays for fun, and others find them as before."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.test_alone import AGAIN, ENDED, OFFERED
from yawc_poker.casino.instance.databases import BANK_FILE

SHARE, START = 15, 1000
CONFIG: Final = (
    FAST.replace("players = 0", f"pace = [0.0, 0.0]\ntalk = false\ndaily_share = {SHARE}")
    .replace("pause_seconds = 0.3", "pause_seconds = 0\ntables = 2")
    .replace("start_cubes = 100", f"start_cubes = {START}")
)
MOST: Final = 60
"""Games after which a bully has won one, as good as certainly."""


def rows(bbs: Bbs, query: str) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(f"file:{bbs.data / BANK_FILE}?mode=ro", uri=True)) as books:
        return books.execute(query).fetchall()


def lent(bbs: Bbs) -> int:
    """Return what house players have borrowed."""
    return rows(bbs, "SELECT count(*) FROM txn WHERE kind = 'house' AND game IS NULL")[0][0]


def won(bbs: Bbs) -> int:
    """Return what Milker has won from house players today, less what was lost."""
    return next((row[0] for row in rows(bbs, "SELECT cubes FROM gain WHERE who = 'user 1'")), 0)


def bully(caller: Caller) -> None:
    """Bet as much as may be, until the game is over: easy ones mostly pass."""
    while ENDED not in caller.text:
        assert caller.is_open, caller.text
        offered = OFFERED.findall(caller.right(7, 11).lower())
        key = next((key for key in "bdr" if key in offered), "")
        caller.send(f"{key}200\r" if key == "b" else key)
        caller.listen(AGAIN)
        caller.drain()


def sits_with_the_house(bbs: Bbs, name: str, table: int, players: int) -> Caller:
    caller = bbs.call().register(name)
    caller.press(f"S2{table}\r")
    caller.see("play with the house (H)?")
    caller.press("h1")
    for _ in range(players - 2):
        caller.see("[+] A house player joins")
        caller.send("+1")
    caller.wait(lambda: caller.left(1, 5).count("*") == players, f"{players} house players")
    return caller


def test_a_milked_house_gives_a_share_and_keeps_nobody_out(tmp_path: Path) -> None:
    games = 0
    with Bbs(tmp_path / "data", CONFIG) as bbs:
        milker = sits_with_the_house(bbs, "Milker", 1, 4)
        assert lent(bbs) == 0, "nobody borrows before a game"
        while won(bbs) < SHARE and games < MOST:
            milker.send("s")
            milker.wait(lambda: ENDED not in milker.text, "the cards")
            bully(milker)
            games += 1
        assert won(bbs) == SHARE
        milker.send("s")
        milker.hear("Milker has won today's share: with house players it is for fun.")
        bully(milker)
        assert won(bbs) == SHARE
        (cubes,) = rows(bbs, "SELECT balance FROM account WHERE kind = 'user'")[0]
        assert cubes <= START + SHARE
        other = sits_with_the_house(bbs, "Other", 2, 2)
        before = lent(bbs)
        for _ in range(5):
            other.send("+1-")
        other.send("s")
        other.hear("Other has won today's share: with house players it is for fun.")  # by the same network
        bully(other)
        assert lent(bbs) <= before + 5
        bbs.is_sound()
