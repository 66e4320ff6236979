"""The simulated year of CUBES: some days of it; that nobody wins more than their share is checked on each."""

from pathlib import Path

from benchmarks.economy import GROUPS, lived


def test_some_days_are_lived_and_the_books_are_sound(tmp_path: Path) -> None:
    page = lived(2, tmp_path)
    assert all(f"| {group.name} |" in page for group in GROUPS)
    assert "| made, together |" in page
