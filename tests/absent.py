"""Extras that are not there, and which tests need them: those are not collected.

A module of the tests needs an extra whose package or folder it names, and all that is needed by what it imports from
tests, benchmarks and docs. One that meets an extra without naming it says so: `NEEDS = "yawc_poker.extras.NAME"`. One
that looks at what speaks of the whole program says `NEEDS = "every extra"`: all in the map of packages
(`yawc_poker/README.md`).
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
_NAMED = re.compile(r"\b(yawc_poker|telnetd)[./]extras[./](\w+)")
_EVERY = '\nNEEDS = "every extra"'
_MAPPED = re.compile(r"`(?:\.\./(telnetd)/)?extras/(\w+)/`")
_IMPORTED = re.compile(r"^\s*(?:from|import) ((?:tests|benchmarks|docs)\b[\w.]*)(?: import (.+))?", re.MULTILINE)


def missing(module: Path) -> set[str]:
    """Return the extras that a module of the tests needs and that are not there."""
    return {name for one in _imported(module) for name in _absent(one)}


@cache
def _absent(module: Path) -> frozenset[str]:
    return frozenset(f"{root}.extras.{name}" for root, name in _named(module) if not _is_there(root, name))


def _is_there(root: str, name: str) -> bool:
    return any(one.exists() for one in (ROOT / root / "extras" / name, ROOT / root / "extras" / f"{name}.py"))


def _named(module: Path) -> Iterator[tuple[str, str]]:
    text = module.read_text()
    yield from _NAMED.findall(text)
    if _EVERY in text:
        for root, name in _MAPPED.findall((ROOT / "yawc_poker" / "README.md").read_text()):
            yield root or "yawc_poker", name


def _imported(module: Path) -> set[Path]:
    """Return a module and those of tests, benchmarks and docs that it imports, directly or not."""
    found, left = {module}, [module]
    while left:
        for package, names in _IMPORTED.findall(left.pop().read_text()):
            folder = ROOT / package.replace(".", "/")
            for one in (folder.with_suffix(".py"), *(folder / f"{name.strip()}.py" for name in names.split(","))):
                if one.is_file() and one not in found:
                    found.add(one)
                    left.append(one)
    return found
