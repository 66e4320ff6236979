"""The configuration: its defaults, its bounds, and what is said of a bad one."""

import tomllib
from pathlib import Path

import pytest

from yawc_poker.config import Config, ConfigError, load, parse

EXAMPLE = Path(__file__).parents[2] / "deploy" / "yawc.toml"


def test_the_example_holds_every_key_with_its_default() -> None:
    assert load(EXAMPLE) == Config()
    written = tomllib.loads(EXAMPLE.read_text())
    assert {name: set(section) for name, section in written.items()} == {
        name: set(getattr(Config(), name).__struct_fields__) for name in Config.__struct_fields__
    }


def test_seconds_may_be_fractions_and_what_is_not_named_keeps_its_default() -> None:
    config = parse("[poker]\nturn_seconds = 0.25\n[engine]\nunlock = 'timed'", "test")
    assert (config.poker.turn_seconds, config.poker.ante, config.engine.unlock) == (0.25, 10, "timed")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[bbs]\nnam = 3", "f.toml: [bbs]: Object contains unknown field `nam`"),
        ("[poker]\nante = 'x'", "f.toml: poker.ante: Expected `int`, got `str`"),
        ("[poker]\nante = 0", "f.toml: poker.ante: Expected `int` >= 1"),
        ("[poker]\nturn_seconds = 0", "f.toml: poker.turn_seconds: Expected `float` > 0.0"),
        ("pot = 1", "f.toml: [top level]: Object contains unknown field `pot`"),
        ("[engine]\nunlock = 'never'", "f.toml: engine.unlock: Invalid enum value 'never'"),
        ("[bbs]\nname = '\x1b'", "f.toml: not valid TOML"),
    ],
)
def test_a_bad_one_names_file_key_and_rule(text: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(text, "f.toml")
    assert str(refused.value).startswith(complaint)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no\.toml: cannot be read: No such file"):
        load(tmp_path / "no.toml")
