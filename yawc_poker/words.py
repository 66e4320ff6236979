"""Translation of the texts that people read: English in the code, other languages in catalogues. Pure.

Owns the lookup of a text, but no text and no file (`yawc_poker.catalogues` reads those). A `Words` value is passed to
all code that addresses a player, so pure screens stay functions of values. Messages have `{named}` fields, filled in by
`str.format`.
"""

import re
from collections.abc import Mapping
from gettext import NullTranslations
from typing import Final, Literal, NamedTuple, get_args

Language = Literal["en", "de", "nl", "fr"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)


class Tongue(NamedTuple):
    """What everything else needs to know of a language; its texts are in the folders `locale` and `help`."""

    name: str
    """As those who speak it call it."""
    key: str
    """The letter that chooses it at `L`."""
    yes: str
    """The letter that answers yes."""
    plain: Mapping[int, str]
    """How it is written without umlauts and accents. Without the dots some German words become others."""


_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})
_ACCENTS: Final = str.maketrans(dict(zip("áàâçéèêëíîïóôöúùûüÁÇÉËÍÏÓÖÚÜ", "aaaceeeeiiiooouuuuACEEIIOOUU", strict=True)))
TONGUES: Final[Mapping[Language, Tongue]] = {
    "en": Tongue("English", key="E", yes="y", plain={}),
    "de": Tongue("Deutsch", key="D", yes="j", plain=_UMLAUTS),
    "nl": Tongue("Nederlands", key="N", yes="j", plain=_ACCENTS),
    "fr": Tongue("Français", key="F", yes="o", plain=_ACCENTS),
}
"""All languages; the order is that of the menu at `L`."""
if TONGUES.keys() != set(LANGUAGES):
    raise TypeError(f"TONGUES and Language differ in {', '.join(sorted(TONGUES.keys() ^ set(LANGUAGES)))}")
YES: Final = frozenset("".join(tongue.yes + tongue.yes.upper() for tongue in TONGUES.values()))
"""Every key that means yes in some language."""


class Words:
    """The texts of one language."""

    def __init__(
        self,
        language: Language,
        catalogue: NullTranslations,
        *,
        plain: bool = False,
        symbols: bool = False,
        spoken: bool = False,
        english_cards: bool = False,
    ) -> None:
        """`plain` writes the texts as `without_accents` does, for terminals without such letters."""
        self.language = language
        self.symbols = symbols
        """Suits are written as ♣ ♠ ♥ ♦, not as + * # - (`table_ui.speech`)."""
        self.spoken = spoken
        """Cards are named ("king of hearts"), not written by signs, which are not read aloud."""
        self.english_cards = english_cards
        """Court cards have the letters A K Q J, not those of the language (`table_ui.speech`)."""
        self._catalogue = catalogue
        self._plain = plain
        self._known: dict[str, str] = {}
        """Each message that was asked for, translated and written: a screen asks for the same ones again and again."""

    def __call__(self, message: str, /, **values: object) -> str:
        """Return the translation of an English message, with its fields filled in."""
        text = self._known.get(message)
        if text is None:
            text = self._known[message] = self._written(self._catalogue.gettext(message))
        return text.format(**values) if values else text

    def count(self, one: str, many: str, n: int, /, **values: object) -> str:
        """Return the translation of a message that depends on the number `n`, which fills in the field ``{n}``."""
        return self._written(self._catalogue.ngettext(one, many, n)).format(n=n, **values)

    def _written(self, text: str) -> str:
        return without_accents(text, self.language) if self._plain else text


def language_of_locale(variables: Mapping[str, str]) -> Language | None:
    """Return the language named by the first set one of LC_ALL, LC_MESSAGES, LANG; None if none is set or supported."""
    chosen = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := variables.get(name))), "")
    code = re.split("[_.@]", chosen)[0]
    return next((language for language in LANGUAGES if language == code), None)


def without_accents(text: str, language: Language) -> str:
    """Return a text of a language in plain letters: in German ae for ä and so on, elsewhere e for é."""
    return text.translate(TONGUES[language].plain)


def mark(message: str) -> str:
    """Return the message unchanged; marks it for the catalogues where it is defined but not translated yet."""
    return message


def is_yes(key: str) -> bool:
    """Return whether a key means yes in any language."""
    return key in YES
