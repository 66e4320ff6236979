"""The whole process group killed in mid-game, and what the next start makes of it, for the house and each player."""

import os
import signal
from pathlib import Path

import psutil

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.daemons import lives, owns, semaphores, shared_memory
from tests.kernel import semaphore_exists
from tests.waiting import wait_until

TWO_TABLES = FAST.replace("[poker]", "[poker]\ntables = 2")


def sit(caller: Caller, table: str) -> None:
    caller.press("S2")
    caller.see("Which table, 1 to 2?")
    caller.line(table)
    caller.see("(y/n)")
    caller.send("y")
    caller.see("Master:", "Pot:")


def kill_group(bbs: Bbs) -> None:
    """SIGKILL to the listener's process group, as the end of a container or a power cut; nobody is asked."""
    sessions = psutil.Process(bbs.process.pid).children(recursive=True)
    os.killpg(bbs.process.pid, signal.SIGKILL)
    bbs.close()
    wait_until(lambda: not any(lives(session) for session in sessions), "the end of all sessions")


def in_mid_game(bbs: Bbs) -> list[Caller]:
    """Two in their first bets, two swapping cards, one at the prompt and one at the door."""
    anna, bert, carl, dora, emil = people = [
        bbs.call().register(name) for name in ("Anna", "Bert", "Carl", "Dora", "Emil")
    ]
    for caller, table in zip((anna, bert, carl, dora), "1122", strict=True):
        sit(caller, table)
    anna.send("s")
    anna.bet("5")
    bert.until("Pot:", "25 CUBES")
    carl.send("s")
    carl.bet("7")
    dora.bet("8")
    carl.see("[D] Done")
    carl.send("12d")
    dora.see("[D] Done")
    emil.at_prompt()
    bbs.call().see("Name:")
    return people


def test_the_whole_group_killed_in_mid_game(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", TWO_TABLES) as bbs:
        in_mid_game(bbs)
        keys, file = semaphores(bbs.data), shared_memory(bbs.data)
        inode = file.stat().st_ino
        kill_group(bbs)
        assert file.stat().st_ino == inode
        assert all(semaphore_exists(key) for key in keys), "nobody was left to tidy up"

        bbs.start()
        assert file.stat().st_ino != inode
        assert not any(semaphore_exists(key) for key in keys)
        assert set(semaphores(bbs.data)).isdisjoint(keys)
        log = bbs.log.read_text()
        assert "the BBS was killed; it is replaced and stakes go back" in log
        for game, shares in ((1, "{1: 15, 2: 10}"), (2, "{3: 17, 4: 18}")):
            assert log.count(f"game {game} was broken off; stakes went back: {shares}") == 1
        bbs.is_sound()

        for name, game, stake in (("Anna", 1, 15), ("Bert", 1, 10), ("Carl", 2, 17), ("Dora", 2, 18)):
            with bbs.call().log_in(name) as caller:
                owns(caller, 100)
                caller.see(f"Game {game} was broken off; your {stake} CUBES came back.")
                caller.send("qy")
                caller.ended()
        for name in ("Anna", "Bert", "Carl", "Dora", "Emil"):
            with bbs.call().log_in(name) as caller:
                owns(caller, 100)
                assert "broken off" not in caller.transcript, "told once, and only to whom it concerns"

        keys = semaphores(bbs.data)
        assert bbs.stop() == 0
        assert not file.exists()
        assert not any(semaphore_exists(key) for key in keys)


def test_killed_again_and_again_it_gives_back_once(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", TWO_TABLES) as bbs:
        in_mid_game(bbs)
        for _ in range(3):
            kill_group(bbs)
            bbs.start()
        assert bbs.log.read_text().count("was broken off") == 2
        for name in ("Anna", "Bert", "Carl", "Dora"):
            owns(bbs.call().log_in(name), 100)
        anna, bert = (bbs.call().log_in(name) for name in ("Anna", "Bert"))
        sit(anna, "1")
        sit(bert, "1")
        anna.send("s")
        bert.until("Pot:", "20 CUBES")
        anna.send("xx")
        bert.hear("wins 20 CUBES")
        bbs.is_sound()
