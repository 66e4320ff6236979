"""The shape of the program: small packages, short modules, docstrings that begin as the others do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ("yawc_poker", "telnetd")
MOST_MODULES = 10
"""In a package, beside `__init__`."""
MOST_LINES = 350
"""In a module."""
VAGUE = re.compile(r"(Gives?|Says?|Have|Tell whether|Whether) ")
"""How no docstring of a function begins: what it gives, it returns."""


def modules(*packages: str) -> list[Path]:
    return sorted(path for package in packages or PROGRAM for path in (ROOT / package).rglob("*.py"))


def docstrings() -> Iterator[tuple[str, str]]:
    for path in modules(*PROGRAM, "tests", "benchmarks", "docs"):
        for node in ast.walk(ast.parse(path.read_text())):
            is_property = isinstance(node, ast.FunctionDef) and "property" in map(ast.unparse, node.decorator_list)
            if isinstance(node, ast.FunctionDef) and not is_property:
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", ast.get_docstring(node) or ""


@pytest.mark.parametrize("package", sorted({path.parent for path in modules()}), ids=lambda path: path.name)
def test_no_package_has_more_modules_than_one_can_keep_in_mind(package: Path) -> None:
    assert len([path for path in package.glob("*.py") if path.name != "__init__.py"]) <= MOST_MODULES


def test_no_module_is_longer_than_one_can_read_at_once() -> None:
    assert [str(path) for path in modules() if len(path.read_text().splitlines()) > MOST_LINES] == []


def test_each_package_says_what_it_is_for() -> None:
    packages = [path for path in modules() if path.name == "__init__.py"]
    assert [str(path) for path in packages if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_a_docstring_says_what_is_returned() -> None:
    assert [place for place, text in docstrings() if VAGUE.match(text)] == []
