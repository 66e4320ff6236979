"""The example and the page of the configuration are those of the settings, those of all extras among them."""

from docs.configuration import EXAMPLE, PAGE, example, page
from yawc_poker.config_file import load
from yawc_poker.registry.games import DEFAULTS, SETTINGS

NEEDS = "every extra"


def test_the_example_holds_every_key_with_its_default() -> None:
    assert EXAMPLE.read_text() == example(), "`make configuration`"
    assert load(EXAMPLE, SETTINGS) == DEFAULTS


def test_the_configuration_page_is_that_of_the_settings() -> None:
    assert PAGE.read_text() == page(), "`make configuration`"
