"""The sysop's tool beside a running BBS."""

import json
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tarfile
import time
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller, yawcctl
from tests.end_to_end.daemons import kill_listener, lives, records
from tests.end_to_end.pty_caller import PtyCaller
from tests.processes import serving
from tests.waiting import wait_until
from yawc_poker.casino.users.passwords import hashed
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.sysop.__main__ import main

LONG = "Bertram the Very Lon"


def command(bbs: Bbs | Path, *arguments: str) -> list[str]:
    data = bbs if isinstance(bbs, Path) else bbs.data
    return [sys.executable, "-m", "yawc_poker.sysop", "--data", str(data), *arguments]


def run(bbs: Bbs | Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return yawcctl(bbs if isinstance(bbs, Path) else bbs.data, *arguments)


def ok(bbs: Bbs | Path, *arguments: str) -> str:
    done = run(bbs, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refused(bbs: Bbs | Path, *arguments: str, code: int = 1) -> str:
    done = run(bbs, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1), done
    return done.stderr.removeprefix("yawcctl: ").rstrip("\n")


def rows(bbs: Bbs | Path, *arguments: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in ok(bbs, *arguments, "--json").splitlines()]


def on_terminal(bbs: Bbs, *arguments: str) -> list[str]:
    """What it prints on a terminal of 80 columns, line by line."""
    program = PtyCaller(command(bbs, *arguments))
    assert program.exit_code() == 0
    return bytes(program.raw).decode().replace("\r\n", "\n").splitlines()


def play_a_game(master: Caller, other: Caller) -> None:
    """The master starts and wins, since the other passes; the other is master then."""
    master.see("[S] Start a game")
    master.send("s")
    master.bet("5")
    other.see("[P]")
    other.send("py")
    master.see("[R] Show my")
    master.send("r")
    master.hear("wins")


# --- looking ----------------------------------------------------------------------------------------------------------


def test_status_who_and_tables_show_what_there_is(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    bbs.call().see("Name:")
    anna.send("s")
    anna.see("[P]")
    (status,) = rows(bbs, "status")
    assert (status["callers"], status["arriving"], status["games"]) == (2, 1, 1)
    assert (status["listener"], status["bbs"]) == (bbs.process.pid, "Testville")
    text = ok(bbs, "status")
    assert "callers   2 logged in, 1 logging in; at most 500\n" in text
    assert "tables    1 of 4 occupied, 1 game running\n" in text
    wait_until(lambda: "locks     7 of 7 free\n" in ok(bbs, "status"), "no lock is held for a moment")
    first, second, third = rows(bbs, "who")
    assert (first["name"], first["where"], first["table"], first["seat"]) == ("Anna", "table", 1, 1)
    assert (second["name"], second["pid"]) == ("Bert", bbs.session("Bert").pid)
    assert (third["name"], third["where"]) == ("", "login")
    (table,) = ok(bbs, "tables").splitlines()[1:]
    assert re.fullmatch(r"poker 1   1  bet 1   20  Anna  +[01]:\d\d  Anna \(master\), Bert", table)
    assert bert.is_open


@pytest.mark.parametrize(
    "what", ["status", "who", "tables", "acts", "bans", "history", "audit", "watch poker 1 --once"]
)
def test_whatever_the_names_all_fits_into_80_columns(town: Bbs, what: str) -> None:
    names = {"status": "Ah", "who": "Be", "tables": "Ce", "acts": "De", "bans": "Ef", "history": "Eg", "audit": "Ah"}
    prefix = names.get(what, "Ix") + what[0]
    anna, bert, *_ = town.seat(*(f"{prefix}{letter * 17}" for letter in "abcde"))
    anna.send("s")
    anna.see("[P]")
    ok(town, "warn", f"{prefix}{'a' * 17}", "--reason", "because " * 20)
    ok(town, "ban", "2001:db8:1111:2222:3333:4444:5555:6666", "--for", "1d", "--reason", "because " * 20)
    lines = on_terminal(town, *what.split())
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80
    assert bert.is_open


def test_accounts_that_could_not_be_made_any_more_are_listed(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST) as bbs:
        bbs.call().register("Dora")
        assert ok(bbs, "accounts", "--weak-passwords") == "0 findings.\n"
        for name in ("Anton", "Berta", "Carola"):
            bbs.call().register(name)
    with closing(sqlite3.connect(bbs.data / "users.sqlite")) as users, users:  # as an older program left them
        users.execute("UPDATE user SET name = 'Antön', name_key = 'antön', look_key = 'antön' WHERE name = 'Berta'")
        users.execute("UPDATE user SET name = 'My Testville', name_key = 'my testville' WHERE name = 'Carola'")
        users.execute("UPDATE user SET password_hash = ? WHERE name = 'Dora'", (hashed("?" * 12),))
    with bbs:
        done = run(bbs, "accounts")
        assert (done.returncode, done.stdout.splitlines()) == (
            1,
            ["Antön: looks like Anton", "My Testville: a reserved name", "2 findings."],
        )
        found = run(bbs, "accounts", "--weak-passwords", "--json").stdout.splitlines()
        assert [json.loads(line)["fault"] for line in found] == ["alike", "reserved", "question_marks"]
        assert json.loads(found[2])["name"] == "Dora"
        assert "names of older accounts that look like others' (they stay): 1" in bbs.log.read_text()
        ok(bbs, "password", "Dora")
        assert "Dora" not in run(bbs, "accounts", "--weak-passwords").stdout
        bbs.call().log_in("Antön")
    assert run(bbs, "accounts").returncode == 1, "without a BBS, too"


def test_what_goes_into_a_pipe_is_not_cut(bbs: Bbs) -> None:
    ok(bbs, "ban", "2001:db8:1111:2222:3333:4444:5555:6666", "--for", "1d", "--reason", "because " * 20)
    assert len(ok(bbs, "bans").splitlines()[1]) > 150


def test_a_table_is_watched_until_ctrl_c(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    sysop = PtyCaller(command(bbs, "watch", "poker 1"))
    sysop.see("Table poker 1, no game", "1  Anna", "2  Bert", "master")
    anna.send("s")
    sysop.see("Table poker 1, game 1, bet 1; pot 20 CUBES", "[?] [?] [?] [?] [?]")
    play = [line for line in anna.lines[7:10] if "│" in line]
    assert play
    bert.send(".hello sysop\r")
    sysop.see("[Bert] hello sysop")
    sysop.wait(lambda: re.search(r"\b0:(?!59)\d\d", sysop.text) is not None, "the clock to run")
    sysop.send("\x03")
    assert sysop.exit_code() == 0
    wait_until(lambda: len(serving(bbs.process.pid)) == 2, "the end of the control process")


def test_a_watched_table_comes_as_json_whenever_it_changes(bbs: Bbs) -> None:
    (anna,) = bbs.seat("Anna")
    watch = subprocess.Popen(command(bbs, "watch", "poker 1", "--json"), stdout=subprocess.PIPE, text=True)
    assert watch.stdout is not None
    with watch:
        first = json.loads(watch.stdout.readline())
        anna.send(".hello\r")
        second = json.loads(watch.stdout.readline())
        assert second["commit"] > first["commit"]
        assert second["messages"][-1] == "[Anna] hello"
        watch.send_signal(signal.SIGINT)
        assert watch.wait(DEADLINE) == 0


def test_a_watcher_is_no_caller_and_ends_with_the_bbs(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        watch = subprocess.Popen(
            command(bbs, "watch", "poker 1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        with watch:
            assert watch.stdout is not None
            watch.stdout.readline()
            assert rows(bbs, "who") == []
            children = serving(bbs.process.pid)
            assert bbs.stop() == 0
            assert watch.wait(DEADLINE) == 2
            assert watch.stderr is not None
            assert watch.stderr.read() == "yawcctl: the BBS is closing down\n"
        wait_until(lambda: not any(map(lives, children)))


# --- acting -----------------------------------------------------------------------------------------------------------


def test_acts_reach_those_they_concern_and_are_written_down(bbs: Bbs) -> None:
    anna, bert = (bbs.call().register(name) for name in ("Anna", "Bert"))
    ok(bbs, "say", "We close soon.")
    for caller in (anna, bert):
        caller.see("The sysops say: We close soon.")
    assert "Warnings so far: 1." in ok(bbs, "warn", "bert", "--reason", "idle for two games")
    bert.see("idle for two games")
    assert ok(bbs, "grant", "Bert", "50", "--reason", "first prize") == "Bert was given 50 CUBES and owns 150 now.\n"
    assert ok(bbs, "take", "Bert", "5", "--reason", "a fine") == "5 CUBES taken from Bert, who owns 145 now.\n"
    assert refused(bbs, "take", "Bert", "5000", "--reason", "x") == "'Bert' has only 145 CUBES"
    assert "may not write to others until" in ok(bbs, "twit", "Bert", "--for", "1d", "--reason", "insults")
    assert "may write to others again" in ok(bbs, "untwit", "Bert")
    assert ok(bbs, "sysop", "Anna", "on") == "Anna is a sysop now.\n"
    assert ok(bbs, "sysop", "Anna", "off") == "Anna is no sysop any more.\n"
    assert ok(bbs, "kick", "Bert", "--reason", "blocks a seat") == "Bert was disconnected; 1 session ended.\n"
    bert.ended()
    acts = rows(bbs, "acts")
    done = ["say", "warn", "grant", "take", "twit", "untwit", "sysop", "nosysop", "kick"]
    assert [act["kind"] for act in acts] == done
    assert {act["by"] for act in acts} == {f"yawcctl/{psutil.Process().username()}"}
    assert [act["kind"] for act in rows(bbs, "acts", "Anna", "--limit", "1")] == ["nosysop"]


def test_a_new_password_ends_the_session_and_is_changed_at_the_next_login(bbs: Bbs) -> None:
    bert = bbs.call().register("Bert")
    told = ok(bbs, "password", "bert", "--reason", "forgot it")
    found = re.fullmatch(r"New password of Bert, to be changed at the next login: (\S+); 1 session ended\n", told)
    assert found
    bert.see("A sysop has given you a new password; please ask for it. (forgot it)")
    bert.ended()
    (done,) = rows(bbs, "password", "Bert")
    password = str(done["password"])
    assert password != found[1]
    assert refused(bbs, "password", "Nemo") == "there is no user 'Nemo'"
    assert [act["kind"] for act in rows(bbs, "acts", "Bert")] == ["password", "password"]
    assert password not in bbs.log.read_text()
    bert = bbs.call().at("Name: ")
    for old in ("secret-1", found[1]):
        bert.press("Bert\r\n")
        bert.at("Password: ").press(f"{old}\r\n")
        bert.see("Wrong password.")
        bert.at("Password: ").press("\x1b")
        bert.at("Name: ")
    ok(bbs, "password", "Bert")  # tries at the old ones are over
    (done,) = rows(bbs, "password", "Bert")
    password = str(done["password"])
    bert.press("Bert\r\n")
    bert.at("Password: ").press(f"{password}\r\n")
    bert.see("This password was given by the sysops; it must be changed now.", "8 characters or more")
    bert.at("Password: ").press(f"{password}\r\n")
    bert.see("That is the old password.")
    bert.at("Password: ").press("\x1b")
    bert.at("Name: ").press("Bert\r\n")
    bert.at("Password: ").press(f"{password}\r\n")
    for prompt in ("Password: ", "Repeat the password: "):
        bert.at(prompt).press("quite-new\r\n")
    bert.see("Your password has been changed.", "Welcome to Testville, Bert!")
    bert.at_prompt().hang_up()
    bbs.call().log_in("Bert", "quite-new")


def test_a_ban_shuts_a_name_out_until_it_is_lifted(bbs: Bbs) -> None:
    bert = bbs.call().register("Bert")
    assert re.search(
        r"Bert is banned until .*; 1 session ended", ok(bbs, "ban", "bert", "--for", "2d", "--reason", "x")
    )
    bert.ended()
    assert [(ban["kind"], ban["target"]) for ban in rows(bbs, "bans")] == [("name", "bert")]
    assert "2d" in ok(bbs, "bans") or "1d23h" in ok(bbs, "bans")
    assert ok(bbs, "unban", "Bert") == "Bert may call again.\n"
    assert refused(bbs, "unban", "Bert") == "'Bert' is not banned"
    bbs.call().log_in("Bert")


def test_a_banned_address_is_not_answered_any_more(bbs: Bbs) -> None:
    caller = bbs.call(address="127.0.0.9")
    caller.see("Name:")
    assert "1 session ended" in ok(bbs, "ban", "127.0.0.9", "--for", "forever", "--reason", "guesses passwords")
    caller.ended()
    wait_until(lambda: "banned addresses" in bbs.log.read_text())
    again = bbs.call(address="127.0.0.9")
    again.ended()
    assert "Name:" not in again.text
    assert rows(bbs, "bans")[0]["until"] is None


def test_an_account_is_deleted_only_if_one_means_it(bbs: Bbs) -> None:
    bbs.call().register("Bert")
    assert refused(bbs, "delete", "Bert", "--reason", "abuse", code=2) == "an account is closed for good: say --yes"
    sysop = PtyCaller(command(bbs, "delete", "Bert", "--reason", "abuse"))
    sysop.see("(y/n)")
    sysop.line("n")
    assert sysop.exit_code() == 2
    assert "100 CUBES went to the house" in ok(bbs, "delete", "Bert", "--reason", "abuse", "--yes")
    assert refused(bbs, "kick", "Bert", "--reason", "x") == "the account 'Bert' is closed"


@pytest.mark.parametrize(
    "words",
    ["kick Bert", "ban Bert --reason x", "ban Bert --for 2x --reason x", "grant Bert x --reason y", "dance", ""],
)
def test_a_mistake_on_the_command_line_reaches_no_bbs(tmp_path: Path, words: str) -> None:
    done = run(tmp_path, *words.split())
    assert done.returncode == 2
    assert done.stderr.startswith("usage: yawcctl")


def test_every_subcommand_has_help_with_an_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = ok(tmp_path, "--help")
    names = re.findall(r"^    ([a-z]+) ", whole, re.MULTILINE)
    assert set(names) >= {
        "status",
        "who",
        "tables",
        "watch",
        "say",
        "kick",
        "ban",
        "history",
        "verify",
        "backup",
        "ipc",
    }
    for name in names:
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        shown = capsys.readouterr().out
        assert ended.value.code == 0
        assert f"  yawcctl {name}" in shown
        assert "--json" in shown


# --- history ----------------------------------------------------------------------------------------------------------


def test_a_game_is_told_and_proven(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.send("s")
    anna.see("[P]")
    assert "still runs" in run(bbs, "verify", "1").stdout
    assert run(bbs, "verify", "1").returncode == 2
    anna.bet("5")
    bert.see("[P]")
    bert.send("py")
    anna.see("[R] Show my")
    anna.send("r")
    anna.hear("wins")
    (line,) = ok(bbs, "history").splitlines()[1:]
    assert re.fullmatch(r" +1  poker 1  [-\d]+ [:\d]+ \S+   25  Anna won  Anna, Bert", line)
    assert [one["number"] for one in rows(bbs, "history", "--user", "bert", "--table", "poker 1")] == [1]
    assert rows(bbs, "history")[0]["table"] == rows(bbs, "tables")[0]["table"] == 1
    assert rows(bbs, "history", "--table", "maumau 1") == []
    told = ok(bbs, "history", "1")
    assert re.search(r" 1  \S+  Anna  bets 5\n 2  \S+  Bert  passes\n 3  \S+  Anna  shows\n", told)
    oneliner = told.splitlines()[-1]
    summed = subprocess.run(oneliner, shell=True, capture_output=True, text=True, check=True)
    (seal,) = re.findall(r"^seal +(\w{64})$", told, re.MULTILINE)
    assert summed.stdout.split() == [seal, "-"]
    assert "Game 1 is proven." in ok(bbs, "verify", "1")
    (report,) = rows(bbs, "verify", "1")
    assert report["verdict"] == "proven"
    assert refused(bbs, "history", "99", code=2) == "there is no game 99"
    assert refused(bbs, "history", "--user", "Nobody") == "there is no user 'Nobody'"


# --- nobody there -----------------------------------------------------------------------------------------------------


def test_where_no_bbs_runs_that_is_said(tmp_path: Path) -> None:
    for words in ("status", "who", "watch poker 1", "say hello", "acts", "kick Bert --reason x"):
        assert refused(tmp_path, *words.split(), code=2) == f"no BBS runs on {tmp_path}"


def test_where_only_the_listener_is_gone_that_is_said(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    kill_listener(bbs)
    assert refused(bbs, "who", code=2) == (
        f"no listener runs on {bbs.data}, but 2 sessions live: start yawc-telnetd again"
    )
    assert "clean" in ok(bbs, "audit")
    ok(bbs, "backup", str(bbs.data.parent / "without.tar"))
    bbs.start()
    assert [one["name"] for one in rows(bbs, "who")] == ["Anna", "Bert"]
    assert anna.is_open
    assert bert.is_open


def test_a_stopped_listener_is_not_waited_for_for_ever(bbs: Bbs) -> None:
    listener = psutil.Process(bbs.process.pid)
    listener.suspend()
    try:
        started = time.monotonic()
        assert "does not answer" in refused(bbs, "--timeout", "0.5", "status", code=2)
        assert time.monotonic() - started < 10
    finally:
        listener.resume()


def test_a_data_directory_with_a_long_name_has_a_control_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    deep.mkdir()
    with Bbs(deep / "data") as bbs:
        assert len(str(bbs.data / "control.sock")) > 107
        assert rows(bbs, "status")[0]["bbs"] == "Testville"


def test_the_control_socket_is_its_owners_and_goes_with_the_bbs(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        door = bbs.data / "control.sock"
        assert stat.S_IMODE(door.stat().st_mode) == 0o600
    assert not door.exists()


def test_a_flood_of_control_connections_harms_no_caller(bbs: Bbs) -> None:
    silent = []
    for _ in range(100):
        one = socket.socket(socket.AF_UNIX)
        one.connect(str(bbs.data / "control.sock"))
        silent.append(one)
    anna = bbs.call().register("Anna")
    anna.send("w")
    anna.see("1 user online")
    for one in silent:
        one.close()
    wait_until(lambda: run(bbs, "status").returncode == 0)


# --- the listener -----------------------------------------------------------------------------------------------------


def test_an_upgrade_disturbs_nobody_and_says_what_it_came_to(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    (before,) = rows(bbs, "status")
    (done,) = rows(bbs, "upgrade")
    assert (done["before"], done["after"]) == (before["version"], before["version"])
    (after,) = rows(bbs, "status")
    assert (after["listener"], after["callers"]) == (before["listener"], 2)
    assert re.search(r"The listener is version [\d.]+ now; it was [\d.]+. It took [\d.]+ s.\n", ok(bbs, "upgrade"))
    play_a_game(anna, bert)


def test_a_listener_that_could_not_start_again_is_left_alone(bbs: Bbs) -> None:
    (before,) = rows(bbs, "status")
    good = bbs.options()[1]
    text = Path(good).read_text()
    Path(good).write_text("[bbs]\nnmae = 1\n")
    for words in ("upgrade", "reload"):
        assert refused(bbs, words).endswith(f"{good}: [bbs]: Object contains unknown field `nmae`")
    Path(good).write_text(text)
    (after,) = rows(bbs, "status")
    assert after["listening_since"] == before["listening_since"]


def test_the_configuration_is_read_again(bbs: Bbs) -> None:
    file = Path(bbs.options()[1])
    file.write_text(file.read_text().replace("Testville", "Newtown"))
    assert ok(bbs, "reload") == "The configuration was read again; it holds for callers to come.\n"
    assert rows(bbs, "status")[0]["bbs"] == "Newtown"
    bbs.call().see("Newtown")


# --- backup -----------------------------------------------------------------------------------------------------------


def test_a_backup_is_taken_while_people_play_and_put_back_when_the_bbs_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "backup.tar"
    with Bbs(tmp_path / "data") as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        play_a_game(anna, bert)
        assert "The ledger has 2 users, 1 game, 200 CUBES." in ok(bbs, "backup", str(file))
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert refused(bbs, "backup", str(file), code=2) == f"{file}: exists already"
        assert refused(bbs, "restore", str(file), "--replace", code=2).endswith("in use by a listener: stop that first")
        ok(bbs, "grant", "Bert", "1000", "--reason", "too late for the backup")
        bbs.call().register("Carl")
    assert refused(bbs, "restore", str(file), code=2).endswith("--replace moves it aside")
    assert "Moved aside: " in ok(bbs, "restore", str(file), "--replace")
    with bbs as again:
        bert = again.call().log_in("Bert")
        bert.see("You own 90 CUBES.")
        carl = again.call()
        carl.line("Carl")
        carl.see("There is no user Carl yet.")
        again.is_sound()


def test_a_backup_taken_of_a_stopped_bbs_is_the_same(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data") as bbs:
        bbs.call().register("Anna")
    (manifest,) = rows(bbs, "backup", str(tmp_path / "one.tar"))
    assert manifest["problems"] == []
    with tarfile.open(tmp_path / "one.tar") as tar:
        assert tar.getnames() == ["manifest.json", "bank.sqlite", "users.sqlite"]
        assert {member.mode for member in tar} == {0o600}
    ok(tmp_path / "elsewhere", "restore", str(tmp_path / "one.tar"))
    assert "clean" in ok(tmp_path / "elsewhere", "audit")
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == [
        "bank.sqlite", "listener.lock", "users.sqlite"
    ]  # fmt: skip


def test_backups_while_people_bet_are_each_of_one_moment(tmp_path: Path) -> None:
    config = FAST.replace("pause_seconds = 0.3", "pause_seconds = 0")
    with Bbs(tmp_path / "data", config) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        for number, players in enumerate([(anna, bert), (bert, anna), (anna, bert)]):
            backing = subprocess.Popen(command(bbs, "backup", str(tmp_path / f"{number}.tar"), "--json"), stdout=-1)
            play_a_game(*players)
            with backing:
                out, _ = backing.communicate(timeout=DEADLINE)
            assert backing.returncode == 0
            assert json.loads(out)["problems"] == []


def test_a_backup_whose_control_process_is_killed_leaves_nothing(bbs: Bbs, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    segment = Segment.attach(segment_name(bbs.data))
    with segment.bank_lock:
        backing = subprocess.Popen(command(bbs, "backup", str(folder / "one.tar")), stderr=subprocess.PIPE, text=True)
        wait_until(lambda: any(record.token and record.peer == "control" for record in segment.records))
        (control,) = serving(bbs.process.pid)
        control.kill()
        with backing:
            _, said = backing.communicate(timeout=DEADLINE)
    segment.close()
    assert (backing.returncode, said) == (2, f"yawcctl: the BBS on {bbs.data} ended before it had answered\n")
    assert list(folder.iterdir()) == []
    wait_until(lambda: records(bbs.data) == 0)
    ok(bbs, "backup", str(folder / "one.tar"))


def test_an_act_whose_sysop_has_gone_is_finished(bbs: Bbs) -> None:
    bert = bbs.call().register("Bert")
    segment = Segment.attach(segment_name(bbs.data))
    with segment.bank_lock:
        asking = subprocess.Popen(command(bbs, "grant", "Bert", "50", "--reason", "a prize"))
        wait_until(lambda: any(record.token and record.peer == "control" for record in segment.records))
        asking.kill()
        asking.wait()
    segment.close()
    bert.see("a prize")
    wait_until(lambda: records(bbs.data) == 1)
    assert [act["cubes"] for act in rows(bbs, "acts")] == [50]
