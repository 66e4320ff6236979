"""The metrics of a real BBS: fetched while people play, while sessions are killed, while it closes."""

import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller
from tests.exposition import Text
from tests.ipc.processes import forked
from tests.ports import free_port
from tests.waiting import wait_until

Say = Callable[[str], None]

GET = b"GET /metrics HTTP/1.1\r\nHost: yawc\r\n\r\n"


@pytest.fixture
def bbs(tmp_path: Path) -> Iterator[Bbs]:
    config = FAST.replace("pause_seconds = 0.3", "pause_seconds = 0")
    with Bbs(tmp_path / "data", config) as running:
        yield running
        running.is_sound()


def fetch(address: tuple[str, int] | str) -> str:
    """Ask as a scraper does and give the text; "" where the connection was broken off."""
    with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as connection:
        connection.settimeout(DEADLINE)
        connection.connect(address)
        connection.sendall(GET)
        data = b""
        with suppress(ConnectionResetError):
            while more := connection.recv(65536):
                data += more
    head, _, body = data.decode().partition("\r\n\r\n")
    assert not data or head.startswith("HTTP/1.1 200 OK"), head
    return body


def play(people: Sequence[Caller]) -> None:
    """Play one game to the showdown."""
    people[0].send("s")
    for caller in people:
        caller.bet("5")
        caller.hear(f"{caller.name} bets 5")
    for caller in people:
        caller.see("[D] Done")
        caller.send("1d")
    people[0].see("[H]")
    people[0].send("h7\r")
    for caller in people[1:]:
        caller.bet()
    for caller in people:
        caller.see("[R] Show my")
        caller.send("r")
    people[0].hear("wins")


def scrape(bbs: Bbs) -> Text:
    return Text(fetch(str(bbs.data / "metrics.sock")))


def test_an_evening_is_counted(bbs: Bbs) -> None:
    people = [bbs.call().register(name) for name in ("Anna", "Bert", "Carl")]
    for person in people:
        person.sit()
    play(people)
    people[0].press(".")
    people[0].line("well played")
    people[1].hear("well played")
    dave = bbs.call()
    dave.see("Name:")
    dave.line("Anna")
    dave.see("Password:")
    dave.line("wrong")
    dave.see("Wrong password")
    wait_until(lambda: (scrape(bbs)("yawc_moves_total"), scrape(bbs)("yawc_chat_lines_total")) == (12, 1), "the counts")
    shown = scrape(bbs)
    counted = ("sessions_started", "registrations", "logins", "logins_failed")
    assert [shown(f"yawc_{name}_total") for name in counted] == [4, 3, 3, 1]
    assert (shown("yawc_games_started_total"), shown("yawc_games_finished_total")) == (1, 1)
    assert [shown("yawc_sessions", place=place) for place in ("login", "prompt", "table")] == [1, 0, 3]
    assert (shown("yawc_tables", state="waiting"), shown("yawc_games_running")) == (1, 0)
    assert shown("yawc_connections_accepted_total", door="telnet") == 4
    for name in ("yawc_transaction_seconds", "yawc_bell_to_screen_seconds", "yawc_key_to_screen_seconds"):
        assert shown(f"{name}_count") > 12
        assert 0 < shown(f"{name}_sum") < 60
    bbs.everybody_out()
    later = scrape(bbs)
    assert sum(later("yawc_sessions", place=place) for place in ("login", "prompt", "table")) == 0
    assert all(later.counts()[key] >= value for key, value in shown.counts().items())


def test_a_loopback_port_if_one_is_wanted(tmp_path: Path) -> None:
    port = free_port()
    with Bbs(tmp_path / "data", f"{FAST}[metrics]\nport = {port}\n") as bbs:
        assert Text(fetch(("127.0.0.1", port)))("yawc_listener_up") == 1
        assert scrape(bbs)("yawc_connections_accepted_total", door="metrics") >= 1
        assert (bbs.data / "metrics.sock").stat().st_mode & 0o777 == 0o600
    assert not (bbs.data / "metrics.sock").exists()


def test_refusals_are_counted_by_reason(tmp_path: Path) -> None:
    config = FAST.replace("max_per_address = 200", "max_per_address = 1")
    with Bbs(tmp_path / "data", config) as bbs:
        bbs.call().see("Name:")
        bbs.call().see("too many calls")
        assert scrape(bbs)("yawc_connections_refused_total", reason="address") == 1


def _scraping(bbs: Bbs) -> Callable[[Say], None]:
    """Scrape until told to end, as fast as answers come; nothing may ever fall. Says how often it did."""

    def scrape_on(say: Say) -> None:
        ended: list[int] = []
        signal.signal(signal.SIGUSR2, lambda number, _: ended.append(number))
        rounds, before = 1, scrape(bbs)
        say("scraping")
        while not ended:
            now = scrape(bbs)
            fallen = {key for key, value in before.counts().items() if now.counts()[key] < value}
            assert not fallen, fallen
            rounds, before = rounds + 1, now
        say(str(rounds))

    return scrape_on


def test_nothing_falls_while_people_play_and_die(bbs: Bbs) -> None:
    with forked(_scraping(bbs)) as first, forked(_scraping(bbs)) as second:
        scrapers = (first, second)
        assert [child.hear() for child in scrapers] == ["scraping", "scraping"]
        for evening in range(3):
            people = bbs.seat(*(f"{name} {evening}" for name in ("Anna", "Bert", "Carl")))
            play(people)
            wait_until(lambda: scrape(bbs)("yawc_moves_total") % 12 == 0, "the last move's count")
            for person in people:
                pid = bbs.session(person.name).pid
                os.kill(pid, signal.SIGKILL)
                person.ended()
        wait_until(lambda: scrape(bbs)("yawc_sessions_died_total") == 9, "the burials")
        for child in scrapers:
            child.signal(signal.SIGUSR2)
        assert all(int(child.end()[0]) > 5 for child in scrapers)
    shown = scrape(bbs)
    assert (shown("yawc_games_started_total"), shown("yawc_games_finished_total")) == (3, 3)
    assert (shown("yawc_moves_total"), shown("yawc_sessions_started_total")) == (36, 9)


def test_a_new_listener_goes_on_counting(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    before = scrape(bbs)
    os.kill(bbs.process.pid, signal.SIGKILL)
    bbs.close()
    bbs.start()
    anna.send("W")
    anna.see("1 user online")
    bbs.call().register("Bert")
    now = scrape(bbs)
    assert all(now.counts()[key] >= value for key, value in before.counts().items())
    assert now("yawc_logins_total") == now("yawc_connections_accepted_total", door="telnet") == 2


def test_a_scrape_while_the_bbs_closes_is_whole_or_none(bbs: Bbs) -> None:
    path = str(bbs.data / "metrics.sock")

    def scrape_to_the_end(say: Say) -> None:
        rounds = 0
        while True:
            try:
                body = fetch(path)
            except OSError:  # nobody listens any more, or the connection was still in the queue
                break
            if body:
                Text(body)
            rounds += 1
            if rounds == 3:
                say("under way")
        say(str(rounds))

    for name in ("Anna", "Bert"):
        bbs.call().register(name)
    with forked(scrape_to_the_end) as child:
        assert child.hear() == "under way"
        assert bbs.stop() == 0
        child.end()
    assert "Traceback" not in bbs.log.read_text()


def test_a_scraper_that_asks_nothing_keeps_no_caller_out_and_does_not_stay(bbs: Bbs) -> None:
    silent = []
    for _ in range(20):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(bbs.data / "metrics.sock"))
        silent.append(connection)
    bbs.call().register("Anna")
    for connection in silent:
        connection.settimeout(DEADLINE)
        answer = connection.recv(100)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 503 "), "the crowd is told that there is no place"
        connection.close()
    # Those that are gone have their places until the listener has heard of their end.
    wait_until(lambda: "yawc_" in fetch(str(bbs.data / "metrics.sock")))
    assert scrape(bbs)("yawc_connections_refused_total", reason="full") >= 4
