"""`yawcctl doctor` on this machine: it reads whatever there is, with a BBS or without one, and says what it found."""

import json
import os
from pathlib import Path

import pytest

from tests.certificates import make_certificate, needs_openssl
from tests.isolation.stores import bank_in_file
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.extras.doctor import facts
from yawc_poker.sysop.__main__ import main


def findings(data: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, dict[str, str]]:
    main(["--data", str(data), "doctor", "--json", *more])
    return {one["about"]: one for one in map(json.loads, capsys.readouterr().out.splitlines())}


def test_a_folder_without_a_bbs_is_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o700)
    found = findings(tmp_path, capsys)
    assert found["BBS"]["text"] == "none runs"
    assert found["permissions"]["verdict"] == "good"
    assert {"semaphores", "shared memory", "disk", "memory"} <= found.keys()


def test_a_folder_that_others_may_write_to_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tmp_path.chmod(0o777)
    assert main(["--data", str(tmp_path), "doctor"]) == 1
    assert "wrong  permissions:   others may write to" in capsys.readouterr().out


def test_a_ledger_ahead_of_the_clock_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bank = bank_in_file(tmp_path / BANK_FILE)
    bank.store.clock = lambda: 4e9
    bank.welcome(1, 100)
    bank.close()
    assert findings(tmp_path, capsys)["clock"]["text"].startswith("the ledger has an entry of 2096")


@needs_openssl
def test_the_certificates_of_a_configuration_are_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = make_certificate(tmp_path)
    config = tmp_path / "yawc.toml"
    config.write_text(f'[tls]\nport = 992\ncert = "{files.cert}"\nkey = "{files.key}"\n')
    found = findings(tmp_path, capsys, "--config", str(config))["[tls]"]
    assert (found["verdict"], "certbot" in found["cure"]) == ("look", True)


def test_a_mistake_in_the_configuration_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "yawc.toml"
    config.write_text("[bbs]\nnname = 1\n")
    assert main(["--data", str(tmp_path), "doctor", "--config", str(config)]) == 2
    assert "nname" in capsys.readouterr().err


def test_the_running_process_has_limits() -> None:
    assert facts._limits(os.getpid()) is not None
