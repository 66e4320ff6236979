"""What the control groups leave room for."""

from math import inf
from pathlib import Path

import pytest

from telnetd.listener import acceptor as module


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ({"a/b": ("max", "7")}, inf),
        ({"a/b": ("10", "7")}, 3),
        ({"a/b": ("max", "7"), "a": ("9", "8")}, 1),
        ({"a/b": ("10", "7"), "a": ("9", "9"), ".": ("100", "20")}, 0),
        ({}, inf),
    ],
)
@pytest.mark.parametrize("line", ["0::/a/b", "12:pids:/a/b"])
def test_the_narrowest_group_on_the_way_up_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, tuple[str, str]], left: float, line: str
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for folder, (most, now) in files.items():
        (tmp_path / folder / "pids.max").write_text(most + "\n")
        (tmp_path / folder / "pids.current").write_text(now + "\n")
    member = tmp_path / "cgroup"
    member.write_text(f"3:memory:/elsewhere\n{line}\n")
    monkeypatch.setattr(module, "_MEMBERSHIP", member)
    monkeypatch.setattr(module, "_ROOTS", dict.fromkeys(("", "pids"), tmp_path))
    assert module.processes_left() == left


def test_on_this_machine_there_is_room() -> None:
    assert module.processes_left() > 1
