"""The configuration: defaults, bounds, error messages."""

from pathlib import Path

import pytest

from docs.configuration import EXAMPLE
from yawc_poker.config import ConfigError, parse
from yawc_poker.config_file import load
from yawc_poker.games.poker.game import PokerSettings
from yawc_poker.registry.games import SETTINGS
from yawc_poker.words import LANGUAGES, Language


def test_seconds_may_be_fractions_and_what_is_not_named_keeps_its_default() -> None:
    config = parse("[poker]\nturn_seconds = 0.25\n[engine]\nunlock = 'timed'", "test", SETTINGS)
    poker = config.of(PokerSettings)
    assert (poker.turn_seconds, poker.ante, config.engine.unlock) == (0.25, 10, "timed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bbs_may_greet_in_each_language(language: Language) -> None:
    assert parse(f'[bbs]\nlanguage = "{language}"', "f.toml", SETTINGS).bbs.language == language
    assert f'"{language}"' in EXAMPLE.read_text()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[bbs]\nnam = 3", "f.toml: [bbs]: Object contains unknown field `nam`"),
        ("[poker]\nante = 'x'", "f.toml: poker.ante: Expected `int`, got `str`"),
        ("[poker]\nante = 0", "f.toml: poker.ante: Expected `int` >= 1"),
        ("[poker]\nturn_seconds = 0", "f.toml: poker.turn_seconds: Expected `float` > 0.0"),
        ("[maumau]\nante = 5", "f.toml: [maumau]: Object contains unknown field `ante`"),
        ("[games]\nante = 5", "f.toml: [top level]: Object contains unknown field `games`"),
        ("pot = 1", "f.toml: [top level]: Object contains unknown field `pot`"),
        ("[engine]\nunlock = 'never'", "f.toml: engine.unlock: Invalid enum value 'never'"),
        ("[bbs]\nname = '\x1b'", "f.toml: not valid TOML"),
    ],
)
def test_a_bad_one_names_file_key_and_rule(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(text, "f.toml", SETTINGS)
    assert str(refused.value).startswith(complaint)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.toml: cannot be read: No such file"):
        load(tmp_path / "no.toml", SETTINGS)
