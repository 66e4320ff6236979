"""A BBS whose accounts and ledger are in PostgreSQL: played, cut off from it, killed, moved there and back."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller, yawcctl
from tests.end_to_end.daemons import kill_all, owns, refused
from tests.postgres import Server
from tests.waiting import wait_until
from yawc_poker.casino.instance.databases import BANK_FILE, MARK_FILE, USERS_FILE

NEEDS = "yawc_poker.extras.ratings"
PATIENCE = 0.5
"""Seconds after which a process that keeps a lock without waiting is killed: less than a server is waited for."""
NO_BANK = "The bank cannot be"
SLOW_BANK = "The bank is slow"


def on(url: str, config: str = FAST) -> str:
    return f'{config}\n[cluster]\ndatabase = "{url}"\n'


@pytest.fixture
def start(tmp_path: Path, empty_database: str) -> Iterator[Callable[[], Bbs]]:
    """Starts the BBS, again where it was stopped. In the end it must stop cleanly, and its books be sound."""
    config = FAST.replace("[engine]", f"[engine]\npatience_seconds = {PATIENCE}")
    bbs = Bbs(tmp_path / "data", on(empty_database, config))
    yield bbs.start
    bbs.is_sound()
    bbs.__exit__(None, None, None)
    bbs.is_sound()
    said = bbs.log.read_text()
    assert not re.search(r"by a bug|too long and was killed|Traceback", said), said
    assert not [*bbs.data.glob("*.sqlite*")]


def in_game(bbs: Bbs) -> tuple[Caller, Caller]:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.send("s")
    for caller in (anna, bert):
        caller.until("Pot:", "20 CUBES")
    return anna, bert


def bet(caller: Caller, other: Caller) -> None:
    caller.bet("5")
    for one in (caller, other):
        one.hear(f"{caller.name} bets 5 CUBES")


def played_out(bbs: Bbs, anna: Caller, bert: Caller) -> None:
    """Anna passes in the second round of bets or before; Bert gets the pot, whatever it holds."""
    anna.hang_up()
    bert.hear("wins")
    wait_until(lambda: "proven" in bbs.yawcctl("verify", "1"), "the end of the game in the books")


def test_a_game_goes_on_when_the_server_was_killed_and_is_back(start: Callable[[], Bbs], postgres: Server) -> None:
    bbs = start()
    anna, bert = in_game(bbs)
    carl = bbs.call().register("Carl")
    bet(anna, bert)
    postgres.kill()
    bert.bet("5")
    bert.see(NO_BANK)
    carl.press("p\r")
    carl.see("That cannot be done at the moment")
    anna.send(".still here\r")
    bert.hear("[Anna] still here")
    assert {caller.name for caller in (anna, bert) if caller.is_open} == {"Anna", "Bert"}
    assert "Anna" in bbs.yawcctl("tables")
    postgres.start()
    bert.send("5\r")
    anna.hear("Bert bets 5 CUBES")
    anna.see("[D] Done")
    for caller in (anna, bert):
        caller.owns(85)
    carl.press("p\r")
    carl.see("CUBES")
    played_out(bbs, anna, bert)


def test_a_caller_for_whom_the_server_has_no_time_at_the_door_is_not_thrown_out(
    start: Callable[[], Bbs], empty_database: str
) -> None:
    import psycopg  # not everybody has it

    bbs = start()
    bbs.call().register("Anna").hang_up()
    with psycopg.connect(empty_database) as other:
        other.execute(b"LOCK TABLE users.guess IN EXCLUSIVE MODE")
        caller = bbs.call()
        caller.see("Name:")
        caller.line("Anna")
        caller.see("Password:")
        caller.line("secret-1")
        wait_until(lambda: "tried again in" in bbs.log.read_text(), "the first try to be given up", DEADLINE)
    caller.at_prompt()


def test_who_waits_for_a_server_that_does_not_answer_is_not_put_out(start: Callable[[], Bbs], postgres: Server) -> None:
    bbs = start()
    anna, bert = in_game(bbs)
    anna.see("[B]")
    with postgres.frozen():
        anna.bet("5")
        anna.see(NO_BANK)
    anna.send("5\r")
    bert.hear("Anna bets 5 CUBES")
    bet(bert, anna)
    played_out(bbs, anna, bert)


def test_a_duty_that_gets_no_answer_leaves_time_for_keys(start: Callable[[], Bbs], postgres: Server) -> None:
    """It comes twice a second here, and waits for two."""
    bbs = start()
    anna, bert = in_game(bbs)
    anna.see("[B]")
    with postgres.frozen():
        wait_until(lambda: bbs.log.read_text().count("the ratings wait for the next time") > 0, "a duty", DEADLINE)
        anna.bet("5")
        anna.see(NO_BANK)
    anna.send("5\r")
    bert.hear("Anna bets 5 CUBES")


def test_killed_with_all_its_sessions_the_next_start_gives_the_stakes_back(start: Callable[[], Bbs]) -> None:
    bbs = start()
    anna, bert = in_game(bbs)
    bet(anna, bert)
    kill_all(bbs)
    start()
    for name in ("Anna", "Bert"):
        owns(bbs.call().log_in(name), 100)
    assert "called off" in bbs.yawcctl("history")


def test_each_session_has_connections_of_its_own_and_ends_them(
    start: Callable[[], Bbs], postgres: Server, empty_database: str
) -> None:
    name = empty_database.split("/")[3].partition("?")[0]
    query = f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    bbs = start()
    callers = [bbs.call().register(one) for one in ("Anna", "Bert", "Carl")]
    ((there,),) = postgres.asks("postgres", query)
    assert isinstance(there, int)
    assert len(callers) <= there <= 2 * len(callers)
    os.kill(bbs.session("Carl").pid, signal.SIGKILL)
    bbs.everybody_out()
    wait_until(lambda: postgres.asks("postgres", query) == [(0,)], "the connections to be closed", DEADLINE)


# --- moved ------------------------------------------------------------------------------------------------------------


def test_a_bbs_moves_into_a_database_and_back_and_nothing_is_missing(tmp_path: Path, empty_database: str) -> None:
    data = tmp_path / "data"
    with Bbs(data) as bbs:
        anna, bert = in_game(bbs)
        bet(anna, bert)
        anna.hang_up()
        bert.hear("wins")
    before = bbs.audit()["figures"], bbs.yawcctl("history", "--json")
    report = json.loads(bbs.yawcctl("move", empty_database, "--json"))
    assert report["figures"] == before[0]
    assert len(report["aside"]) == len([*data.glob(f"{BANK_FILE}.*"), *data.glob(f"{USERS_FILE}.*")]) >= 2
    assert (bbs.audit()["figures"], bbs.yawcctl("history", "--json")) == before
    assert not (data / BANK_FILE).exists()
    with Bbs(data, on(empty_database)) as bbs:
        assert bbs.call().log_in("Bert").transcript.count("You own") == 1
        bbs.call().register("Carl")
        assert "proven" in bbs.yawcctl("verify", "1")
        assert refusal(bbs, "backup", str(tmp_path / "b.tar")).endswith("back them up by pg_dump (docs/cluster.md)")
        assert "in use by a listener" in refusal(bbs, "move", "--back")
    assert "put them back by pg_restore" in refusal(bbs, "restore", str(tmp_path / "b.tar"))
    assert not (tmp_path / "b.tar").exists()
    bbs.yawcctl("move", "--back")
    assert not (data / MARK_FILE).exists()
    for told in (refused_with(tmp_path, empty_database), refusal(bbs, "move", empty_database)):
        assert "moved back into files: " in told, "it would begin with the past"
    assert "proven" in bbs.yawcctl("verify", "1")
    with Bbs(data) as bbs:
        owns(bbs.call().log_in("Carl"), 100)
        bbs.is_sound()


def refusal(bbs: Bbs, *arguments: str) -> str:
    done = yawcctl(bbs.data, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    return done.stderr.rstrip("\n")


# --- what no BBS starts with ------------------------------------------------------------------------------------------


def refused_with(tmp_path: Path, url: str, *options: str) -> str:
    config = tmp_path / "bbs.toml"
    config.write_text(on(url) if url else FAST)
    return refused("--config", config, "--data", tmp_path / "data", "--host", "127.0.0.1", "--port", "0", *options)


def test_a_database_that_cannot_be_used_is_one_line_without_its_password(
    tmp_path: Path, postgres: Server, empty_database: str
) -> None:
    name = empty_database.split("/")[3].partition("?")[0]
    nowhere = f"postgresql://yawc:secret-1@/{name}?host=/nowhere"
    for options in ((), ("--check",)):
        assert "cannot be used: connection" in (line := refused_with(tmp_path, nowhere, *options))
        assert "secret-1" not in line
    for broken in ("postgresql://yawc:sec@ret-1@/x", "postgresql://yawc:sec/ret-1@host/x", "postgresql://y:%zz@/x"):
        line = refused_with(tmp_path, broken, "--check")
        assert "[cluster] database: " in line
        assert not re.search(r"sec|ret-1|zz", line), line
    postgres.asks(name, "CREATE SCHEMA users; CREATE TABLE users.guests (name text)")
    assert "the schema users is of something else" in refused_with(tmp_path, empty_database)
    assert not (tmp_path / "data" / MARK_FILE).exists()


def test_a_bbs_never_begins_anew_beside_what_it_had(tmp_path: Path, database: str) -> None:
    with Bbs(tmp_path / "data") as bbs:
        bbs.call().register("Anna")
    for options in ((), ("--check",)):
        assert "is there, and [cluster] database is set" in refused_with(tmp_path, database, *options)
    for file in tmp_path.glob("data/*.sqlite*"):
        file.unlink()
    with Bbs(tmp_path / "data", on(database)) as bbs:
        bbs.call().register("Anna")
    for options in ((), ("--check",)):
        assert "accounts and ledger are in a database" in refused_with(tmp_path, "", *options)
    assert (tmp_path / "data" / MARK_FILE).stat().st_mode & 0o777 == 0o600


def test_another_database_waits_for_the_next_start(start: Callable[[], Bbs], tmp_path: Path) -> None:
    bbs = start()
    bbs.call().register("Anna")
    (tmp_path / "data.toml").write_text(FAST)
    bbs.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "stopped and started: cluster.database" in bbs.log.read_text(), "the line in the log", DEADLINE)
    owns(bbs.call().log_in("Anna"), 100)
    (tmp_path / "data.toml").write_text(bbs.config)


ALONE = """
import sys, tempfile
from pathlib import Path
import telnetd.cli, yawc_poker.__main__, yawc_poker.sysop.__main__
from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.registry.games import DEFAULTS
from yawc_poker.session.run import load
load()
with tempfile.TemporaryDirectory() as folder:
    foundation = Foundation.found(Path(folder), DEFAULTS)
    instance = foundation.instance(DEFAULTS)
    instance.enter("here")
    instance.accounts.register("Anna", "secret-1", "en")
    instance.bank.welcome(1, 100)
    instance.leave()
    foundation.demolish()
print([name for name in sys.modules if "psycopg" in name or name.endswith(("store.postgres", "store.link"))])
"""


def test_a_bbs_with_files_loads_nothing_of_a_database_server() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
