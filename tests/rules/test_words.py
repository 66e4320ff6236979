"""Languages: which one a locale means, and what a terminal without accents is sent."""

import pytest

from yawc_poker.words import LANGUAGES, Language, is_yes, language_of_locale, without_accents


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "nl_NL.UTF-8"}, "nl"),
        ({"LANG": "nl_BE@euro"}, "nl"),
        ({"LANG": "de_AT"}, "de"),
        ({"LANG": "en"}, "en"),
        ({"LANG": "nl_NL", "LC_MESSAGES": "de_DE"}, "de"),
        ({"LANG": "nl_NL", "LC_MESSAGES": "de_DE", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "nl_NL", "LC_ALL": ""}, "nl"),
        ({"LANG": "fr_CA.UTF-8"}, "fr"),
        ({"LANG": "eo_XX.UTF-8"}, None),
        ({"LANG": "C"}, None),
        ({}, None),
    ],
)
def test_the_language_of_a_locale(variables: dict[str, str], language: Language | None) -> None:
    assert language_of_locale(variables) == language


def test_in_plain_letters_german_has_ae_for_an_umlaut_and_others_drop_accents() -> None:
    assert without_accents("Zurück, Grüße, Übermut", "de") == "Zurueck, Gruesse, Uebermut"
    assert without_accents("beëindigd, één, coördinaat, Eén", "nl") == "beeindigd, een, coordinaat, Een"
    assert without_accents("Échange à la carte, reçu, août, île", "fr") == "Echange a la carte, recu, aout, ile"


@pytest.mark.parametrize("language", LANGUAGES)
def test_plain_letters_stay_as_they_are(language: Language) -> None:
    text = "".join(map(chr, range(0x20, 0x7F)))
    assert without_accents(text, language) == text


def test_yes_is_y_j_or_o_in_any_case() -> None:
    assert [key for key in map(chr, range(0x20, 0x7F)) if is_yes(key)] == ["J", "O", "Y", "j", "o", "y"]
