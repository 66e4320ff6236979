"""The files with the texts: gettext catalogues, the banner of the greeting, and the help."""

import gettext
from functools import cache
from importlib import resources
from pathlib import Path

from yawc_poker.words import LANGUAGES, Language, Words, without_accents

FOLDER = Path(__file__).parent / "locale"


@cache
def words(
    language: Language,
    *,
    plain: bool = False,
    symbols: bool = False,
    spoken: bool = False,
    english_cards: bool = False,
) -> Words:
    """Return the texts of a language, `plain` without accents, the suits as `symbols`, `spoken` with cards in words.

    With `english_cards` court cards have the letters A K Q J. English needs no catalogue.
    """
    if language == "en":
        return Words(language, gettext.NullTranslations(), symbols=symbols, spoken=spoken)
    catalogue = gettext.translation("yawc", FOLDER, languages=[language])
    return Words(language, catalogue, plain=plain, symbols=symbols, spoken=spoken, english_cards=english_cards)


def all_languages() -> tuple[Words, ...]:
    """Return the texts of each language: what a caller types may be of any."""
    return tuple([words(language) for language in LANGUAGES])


def banner() -> str:
    """Return the banner that callers see first. Its one field is the BBS's `name`."""
    return (FOLDER / "banner.txt").read_text(encoding="utf-8")


@cache
def text(language: Language, name: str, *, plain: bool = False) -> str:
    """Return a longer text, such as "help/conduct", `plain` without accents."""
    whole = (FOLDER / language / f"{name}.txt").read_text(encoding="utf-8")
    return without_accents(whole, language) if plain else whole


@cache
def package_text(package: str, language: Language, name: str, *, plain: bool = False) -> str:
    """Return a help text that the package of a game or an extra has in `help/LANGUAGE/`, `plain` without accents."""
    file = resources.files(package).joinpath("help", language, f"{name}.txt")
    whole = file.read_text(encoding="utf-8")
    return without_accents(whole, language) if plain else whole
