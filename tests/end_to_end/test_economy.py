"""A script that milks house players: it wins its share of a day, then plays for fun, and others find them as before."""

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.test_alone import ENDED, play
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.registry.games import GAMES

SHARE: Final = 15
CONFIG: Final = FAST.replace("players = 0", f"pace = [0.0, 0.0]\ntalk = false\ndaily_share = {SHARE}").replace(
    "pause_seconds = 0.3", "pause_seconds = 0\ntables = 2"
)
POKER: Final = next(game for game in GAMES if game.kind == "poker")
MOST: Final = 80
"""Games after which a caller who plays by chance has won one, as good as certainly."""


def rows(bbs: Bbs, query: str) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(f"file:{bbs.data / BANK_FILE}?mode=ro", uri=True)) as books:
        return books.execute(query).fetchall()


def lent(bbs: Bbs) -> int:
    """Return what house players have borrowed."""
    return rows(bbs, "SELECT count(*) FROM txn WHERE kind = 'house' AND game IS NULL")[0][0]


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
    rng, games = Random(8), 0
    with Bbs(tmp_path / "data", CONFIG) as bbs:
        milker = sits_with_the_house(bbs, "Milker", 1, 4)
        assert lent(bbs) == 0, "nobody borrows before a game"
        while "has won today's share" not in milker.transcript and games < MOST:
            milker.send("s")
            milker.wait(lambda: ENDED not in milker.text, "the cards")
            play(milker, POKER, rng)
            games += 1
        assert games < MOST
        (cubes,) = rows(bbs, "SELECT balance FROM account WHERE kind = 'user'")[0]
        assert cubes <= 100 + SHARE
        other = sits_with_the_house(bbs, "Other", 2, 2)
        before = lent(bbs)
        for _ in range(5):
            other.send("+1-")
        other.send("s")
        other.wait(lambda: ENDED not in other.text, "the cards")
        assert "has won today's share" in other.text, "they call from the same network"
        play(other, POKER, rng)
        assert lent(bbs) <= before + 5
        bbs.is_sound()
