"""`yawcctl` where standard output is not UTF-8: it prints everything, and JSON that can be read."""

import json
import os
import subprocess
import sys

import pytest

from tests.end_to_end.bbs import Bbs
from tests.thoroughness import few

NAMES = ("Jürgen", "Zoë")


def printed(bbs: Bbs, encoding: str, *arguments: str) -> bytes:
    environ = os.environ | {"PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "yawc_poker.sysop", "--data", str(bbs.data), *arguments]
    run = subprocess.run(command, env=environ, capture_output=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    return run.stdout


@pytest.mark.parametrize("encoding", few(["ascii", "cp437", "latin-1", "utf-8"], 1))
def test_names_are_printed_in_any_character_set(town: Bbs, encoding: str) -> None:
    callers = [town.call().register(f"{name} {encoding}") for name in NAMES]
    for arguments in (["who"], ["top", "--once"], ["tables"], ["status"]):
        assert printed(town, encoding, *arguments)
    text = printed(town, encoding, "who").decode(encoding)
    shown = ("J?rgen", "Zo?") if encoding == "ascii" else NAMES
    assert all(f"{name} {encoding}" in text for name in shown)
    found = [
        json.loads(line)["name"] for line in printed(town, encoding, "who", "--json").decode(encoding).splitlines()
    ]
    assert {f"{name} {encoding}" for name in NAMES} <= set(found)
    for caller in callers:
        caller.hang_up()
