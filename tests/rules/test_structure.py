"""The shape of the program: packages that say what they are for, docstrings that begin as the others do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = ("yawc_poker", "telnetd")
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


def test_each_package_says_what_it_is_for() -> None:
    packages = [path for path in modules() if path.name == "__init__.py"]
    assert [str(path) for path in packages if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_a_docstring_says_what_is_returned() -> None:
    assert [place for place, text in docstrings() if VAGUE.match(text)] == []
