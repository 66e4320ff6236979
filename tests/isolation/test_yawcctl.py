import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.isolation.stores import bank_in_file
from yawc_poker.control.protocol import SOCKET_FILE
from yawc_poker.sysop.__main__ import main


def yawcctl(*arguments: str, data: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "YAWC_DATA"}
    if data is not None:
        environment["YAWC_DATA"] = str(data)
    command = [sys.executable, "-m", "yawc_poker.sysop", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    bank = bank_in_file(tmp_path / "bank.sqlite")
    bank.welcome(1, 100)
    bank.welcome(2, 100)
    bank.open_game(3, "poker", {1: 10, 2: 10})
    bank.close()
    return tmp_path


def figures_of(text: str) -> dict[str, int]:
    return {line[:14].strip(): int(line[14:]) for line in text.splitlines()[:-1]}


def test_it_starts_without_what_only_some_commands_need() -> None:
    """The games and what draws screens take longer to load than all else."""
    code = "import sys; import yawc_poker.sysop.__main__; print([n for n in sys.argv[1:] if n in sys.modules])"
    wanted = ["yawc_poker.registry.games", "blessed", "yawc_poker.control.client"]
    done = subprocess.run([sys.executable, "-c", code, *wanted], capture_output=True, text=True, check=True)
    assert done.stdout == "['yawc_poker.control.client']\n"


def test_sound_books_are_clean(data: Path) -> None:
    done = yawcctl("--data", str(data), "audit")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\nclean\n")
    assert figures_of(done.stdout) == {
        "minted": 200, "cash": 180, "pots": 20, "house": 0, "users": 2, "transactions": 3, "games": 1, "open games": 1,
        "exchange": 0,
    }  # fmt: skip


def test_the_environment_names_the_data_directory_and_json_says_the_same(data: Path) -> None:
    done = yawcctl("audit", "--json", data=data)
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["clean"] is True
    assert report["problems"] == []
    assert report["figures"]["pots"] == 20


def test_problems_are_printed_and_counted_in_the_exit_code(data: Path) -> None:
    connection = sqlite3.connect(data / "bank.sqlite", isolation_level=None)
    connection.execute("UPDATE account SET balance = 91 WHERE kind = 'user' AND ref = 1")
    connection.close()
    done = yawcctl("--data", str(data), "audit")
    assert done.returncode == 1
    assert done.stdout.endswith("\naccount user 1 holds 91, its entries say 90\n")
    report = json.loads(yawcctl("--data", str(data), "audit", "--json").stdout)
    assert report["clean"] is False
    assert report["problems"] == ["account user 1 holds 91, its entries say 90"]


def test_a_missing_bank_is_one_line_and_is_not_made(tmp_path: Path) -> None:
    done = yawcctl("--data", str(tmp_path), "audit")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"yawcctl: {tmp_path}/bank.sqlite: there is no such file\n"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_bank_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "bank.sqlite").write_text("my shopping list " * 50)
    done = yawcctl("--data", str(tmp_path), "audit")
    assert done.returncode == 2
    assert done.stderr.startswith("yawcctl: ")
    assert done.stderr.count("\n") == 1


def test_looking_changes_nothing_even_while_somebody_writes(data: Path) -> None:
    before = (data / "bank.sqlite").read_bytes()
    writer = sqlite3.connect(data / "bank.sqlite", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO account (kind, ref) VALUES ('user', 50)")
    done = yawcctl("--data", str(data), "audit")
    writer.execute("ROLLBACK")
    writer.close()
    assert done.returncode == 0
    assert figures_of(done.stdout)["users"] == 2
    assert (data / "bank.sqlite").read_bytes() == before


def test_no_command_is_a_matter_of_usage() -> None:
    done = yawcctl()
    assert done.returncode == 2
    assert "usage: yawcctl" in done.stderr


@pytest.mark.parametrize("number", ["0", "-5", "x", "9" * 20, "9" * 5000])
@pytest.mark.parametrize("command", ["verify", "history", "history --before", "history --limit", "users --limit"])
def test_a_number_that_no_game_or_table_has_is_a_mistake_of_the_command_line(
    data: Path, command: str, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--data", str(data), *command.split(), number])
    assert end.value.code == 2
    assert len(capsys.readouterr().err) < 1000


def test_who_interrupts_it_reads_a_line_and_no_trace(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / SOCKET_FILE))
        listening.listen()
        listening.settimeout(60)
        command = [sys.executable, "-m", "yawc_poker.sysop", "--data", str(tmp_path), "status"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asking:
            connection, _ = listening.accept()
            with connection:
                assert connection.recv(1000)
                asking.send_signal(signal.SIGINT)
                out, said = asking.communicate(timeout=60)
    assert (asking.returncode, out, said.count("\n")) == (2, "", 1)
    assert "interrupted" in said
