"""The ladder as a caller meets it: rated by a session's duty, after games that were really played."""

from contextlib import closing
from pathlib import Path

from tests.end_to_end.bbs import FAST, Bbs
from tests.end_to_end.test_poker import play_to_showdown
from tests.isolation.stores import bank_in_file
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.extras.ratings.reckoning import Result, corrected
from yawc_poker.extras.ratings.rows import of_user


def rate(bbs: Bbs, *ratings: tuple[int, str, int]) -> None:
    """Write down users' ratings by kind of game."""
    with closing(bank_in_file(bbs.data / BANK_FILE)) as bank, bank.store.writing() as books:
        game = "INSERT INTO game (id, table_no, kind, opened, closed, outcome) VALUES (900, 0, 'x', 0, 0, 'lost')"
        books.execute(game)
        books.execute("INSERT INTO rated (number, game) VALUES (1, 900)")
        for user, kind, mu in ratings:
            row = (kind, user, mu)
            books.execute("INSERT INTO rating (kind, user, number, mu, sigma, games) VALUES (?, ?, 1, ?, 1, 50)", row)


def test_those_who_are_gone_push_nobody_off_the_ladder(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        anna = bbs.call().register("Anna")
        rate(bbs, (1, "poker", 25), *((user, "poker", 40) for user in range(100, 160)))
        anna.press("r")
        anna.see("Ratings: Poker", "  1. Anna")


def test_a_game_is_rated_by_whoever_is_there(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        bert, anna = bbs.call().register("Bert").sit(), bbs.call().register("Anna").sit()
        bert.send("s")
        play_to_showdown(bert, anna)
        anna.hear("wins 44 CUBES")
        bank = bank_in_file(bbs.data / BANK_FILE, look_only=True)
        wait_until(lambda: bool(of_user(bank.store, 1)), "the rating of the first game")
        found = {of_user(bank.store, user)["poker"] for user in (1, 2)}
        bank.close()
        assert found == set(corrected([Result(1, 0), Result(2, 1)], {}).values())
        cara = bbs.call().register("Cara")
        cara.press("r")
        cara.see("Ratings: Poker", "Nobody yet", "[G]", "[Q]")
        cara.press("g")
        cara.see("Ratings: Mau-Mau")
        cara.press("q")
        cara.see("(M: menu, ?: help)>")
    assert "clean" in bbs.yawcctl("audit")


def test_a_caller_joins_whoever_waits_and_is_about_as_strong(tmp_path: Path) -> None:
    """Of two who wait the one of one's own strength, though the other's table comes first."""
    with Bbs(tmp_path / "data", FAST) as bbs:
        anna, bert, cara = [bbs.call().register(name) for name in ("Anna", "Bert", "Cara")]
        rate(
            bbs,
            (1, "poker", 40),
            (2, "offiziersskat", 26),
            (3, "poker", 25),
            (3, "offiziersskat", 25),
        )
        cara.press("SJ")
        cara.see("Nobody of about your strength waits at a table.")
        anna.sit()
        cara.press("SJ")
        cara.see("Nobody of about your strength waits at a table.")
        bert.press("S5y")
        bert.see("Offiziersskat is for two")
        cara.press("SJ")
        cara.see("Offiziersskat", "Bert", "(y/n)")
        cara.press("y")
        bert.hear("Cara sits down")
