"""The files that words come from: gettext catalogues, and the longer texts of the greeting and the help."""

import gettext
from functools import cache
from pathlib import Path

from yawc_poker.words import Language, Words

FOLDER = Path(__file__).parent / "locale"


@cache
def words(language: Language) -> Words:
    """Give the texts of a language; English needs no catalogue."""
    if language == "en":
        return Words(language, gettext.NullTranslations())
    return Words(language, gettext.translation("yawc", FOLDER, languages=[language]))


@cache
def text(language: Language, name: str) -> str:
    """Read a longer text, such as "greeting" or "help/3-rules"."""
    return (FOLDER / language / f"{name}.txt").read_text(encoding="utf-8")
