"""The shape of the program: small packages, short modules, docstrings that begin as the others do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ("yawc_poker", "telnetd")
MOST_MODULES = 11
"""In a package, beside `__init__`."""
MOST_LINES = 450
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


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_annotations_inside_functions_are_not_evaluated(path: Path) -> None:
    """Each evaluation of a generic class costs time, and leaves a string in CPython's cache of methods."""
    tree = ast.parse(path.read_text())
    if not any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body):
        assert [node.name for node in inner_functions(tree) if is_subscripted(node)] == []


def inner_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for outer in ast.walk(tree):
        if isinstance(outer, ast.FunctionDef):
            yield from (node for node in ast.walk(outer) if isinstance(node, ast.FunctionDef) and node is not outer)


def is_subscripted(function: ast.FunctionDef) -> bool:
    """Return whether an annotation of a function is more than a name."""
    every = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    found = [function.returns, *[one.annotation for one in every]]
    return any(isinstance(part, ast.Subscript) for one in found if one is not None for part in ast.walk(one))
