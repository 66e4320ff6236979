"""What import-linter cannot say of games that do not exist yet: the rules in any game's folder do not draw."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import yawc_poker.games
from yawc_poker.registry.games import GAMES

FOLDER = Path(yawc_poker.games.__file__).parent
SHOWN = ("yawc_poker.terminal", "yawc_poker.table_ui", "yawc_poker.words", "yawc_poker.catalogues")
RULES = sorted(path for path in FOLDER.glob("*/*.py") if path.stem not in {"__init__", "game"})


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", RULES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_only_the_screen_and_the_definition_of_a_game_draw(path: Path) -> None:
    """Every module beside `game.py` and the packages: values, rules, settings."""
    screen = f"yawc_poker.games.{path.parent.name}.ui"
    assert [name for name in imported(path) if name.startswith((*SHOWN, screen))] == []


def test_every_registered_game_has_a_folder_of_its_name_and_of_the_same_shape() -> None:
    for game in GAMES:
        names = {path.name for path in (FOLDER / game.kind).iterdir()}
        assert {"__init__.py", "game.py", "model.py", "rules.py", "ui", "help"} <= names, game.kind
