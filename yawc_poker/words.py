"""Words for people: English in the code, other languages beside it. Pure.

Owns how a text is asked for, never a text, never a file (`yawc_poker.catalogues` reads those). A `Words` value is
passed to whatever speaks to a player, so pure screens stay functions of values. Messages carry `{named}` fields, filled
by `str.format`.
"""

import re
from collections.abc import Mapping
from gettext import NullTranslations
from typing import Literal

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = ("en", "de")

_WITHOUT_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


class Words:
    """The texts of one language."""

    def __init__(self, language: Language, catalogue: NullTranslations, *, plain: bool = False) -> None:
        """`plain`: for terminals without umlauts, which are written ae, oe, ue, ss."""
        self.language = language
        self._catalogue = catalogue
        self._plain = plain

    def __call__(self, message: str, /, **values: object) -> str:
        """Translate an English message and fill in its fields."""
        text = self._written(self._catalogue.gettext(message))
        return text.format(**values) if values else text

    def count(self, one: str, many: str, n: int, /, **values: object) -> str:
        """Translate a message that depends on the number `n`, which fills the field ``{n}``."""
        return self._written(self._catalogue.ngettext(one, many, n)).format(n=n, **values)

    def _written(self, text: str) -> str:
        return without_umlauts(text) if self._plain else text


def language_of_locale(variables: Mapping[str, str]) -> Language | None:
    """Return the language that the first set of LC_ALL, LC_MESSAGES, LANG names; None: none is, or it is not ours."""
    chosen = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := variables.get(name))), "")
    code = re.split("[_.@]", chosen)[0]
    return next((language for language in LANGUAGES if language == code), None)


def without_umlauts(text: str) -> str:
    """Write German without umlauts: ä as ae. Dropping the dots would make other words of some."""
    return text.translate(_WITHOUT_UMLAUTS)


def mark(message: str) -> str:
    """Mark a message for the catalogues where it is only named, not yet spoken."""
    return message


def is_yes(key: str) -> bool:
    """Both languages' yes is understood in both (j and y)."""
    return key in {"y", "Y", "j", "J"}
