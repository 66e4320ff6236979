"""Extras announce themselves; what is not there brings nothing, and what is no such thing is an error."""

import sys
from pathlib import Path

import pytest

from yawc_poker import announcing


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of extras: `one` and `two`, of which the second brings no fruit."""
    for name, text in {"one": "ANNOUNCED = ('apple', 'pear')", "two": None}.items():
        (tmp_path / "basket" / name).mkdir(parents=True)
        (tmp_path / "basket" / name / "__init__.py").touch()
        if text is not None:
            (tmp_path / "basket" / name / "fruit.py").write_text(text)
    (tmp_path / "basket" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(announcing, "ROOTS", ("basket", "not_there"))
    for name in [name for name in sys.modules if name.startswith("basket")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "basket"


def test_what_the_extras_bring_comes_in_order(root: Path) -> None:
    assert announcing.announced("fruit", str) == ("apple", "pear")
    assert announcing.announced("vegetables", str) == ()


def test_what_is_no_such_thing_is_an_error(root: Path) -> None:
    with pytest.raises(TypeError, match=r"basket\.one\.fruit announces 'apple'"):
        announcing.announced("fruit", int)
