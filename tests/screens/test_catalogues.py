"""Each catalogue is complete, has the same fields as the English texts, and is compiled.

If this fails: `make words`, fill in the empty entries of each yawc.po, `make words` again.
"""

import ast
import io
import re
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from yawc_poker.catalogues import FOLDER, words
from yawc_poker.words import LANGUAGES, Language

TRANSLATED = tuple(language for language in LANGUAGES if language != "en")
KEYWORDS = {"words": None, "count": (1, 2), "mark": None}
"""As in the Makefile."""
PLACES = {"words": 1, "mark": 1, "count": 2}
"""How many of the arguments are texts."""

NAMED = {(language,) for language in LANGUAGES}
each = pytest.mark.parametrize("language", TRANSLATED)


def compiled(language: Language) -> Path:
    return FOLDER / language / "LC_MESSAGES" / "yawc.mo"


@cache
def spoken() -> set[tuple[str, ...]]:
    """Return every text for people in the code: (text,) or (one, many). `words("en")` names a language, no text."""
    found = extract_from_dir(FOLDER.parent, [("**.py", "python")], keywords=KEYWORDS)
    texts = {(message,) if isinstance(message, str) else tuple(message) for _, _, message, _, _ in found}
    return texts - NAMED


def written(path: Path) -> set[tuple[str, ...]]:
    """Return each text that a module's own syntax shows to be one."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    named = [(getattr(call.func, "attr", getattr(call.func, "id", "")).lstrip("_"), call) for call in calls]
    return {texts for name, call in named if (texts := _constants(call, PLACES.get(name, 0)))}


def _constants(call: ast.Call, many: int) -> tuple[str, ...]:
    """Return the first so many arguments of a call, if all of them are texts as they stand."""
    texts = [one.value for one in call.args[:many] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return tuple(texts) if len(texts) == many else ()


@cache
def catalogue(language: Language) -> Catalog:
    return read_po(io.BytesIO(compiled(language).with_suffix(".po").read_bytes()), locale=language)


def forms(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ("",))


def entries(language: Language) -> list[Message]:
    return [message for message in catalogue(language) if message.id]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@each
def test_every_text_has_an_entry(language: Language) -> None:
    translated = {forms(entry.id) for entry in entries(language) if all(forms(entry.string))}
    assert spoken() - translated == set()


def test_no_text_hides_from_those_who_collect_them() -> None:
    """They do not look into ``f"..."``, and know no `_words`."""
    for path in FOLDER.parent.rglob("*.py"):
        assert written(path) - NAMED - spoken() == set(), path


@each
def test_no_entry_is_fuzzy(language: Language) -> None:
    assert [entry.id for entry in entries(language) if entry.fuzzy] == []


@each
def test_the_fields_are_the_same(language: Language) -> None:
    wrong = [
        entry.id
        for entry in entries(language)
        if {frozenset(fields(text)) for text in forms(entry.id)}
        != {frozenset(fields(text)) for text in forms(entry.string)}
        and all(forms(entry.string))
    ]
    assert wrong == []


@each
def test_blanks_at_the_ends_and_key_names_are_the_same(language: Language) -> None:
    def skeleton(text: str) -> tuple[str, str, list[str]]:
        return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :], re.findall(r"\[[^\]]+\]", text)

    filled = [entry for entry in entries(language) if all(forms(entry.string))]
    assert [entry.id for entry in filled if skeleton(forms(entry.id)[0]) != skeleton(forms(entry.string)[0])] == []


@each
def test_the_compiled_catalogue_is_that_of_the_text(language: Language) -> None:
    fresh = io.BytesIO()
    write_mo(fresh, catalogue(language))
    assert compiled(language).read_bytes() == fresh.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "[.] Chat-Nachricht senden",
        "[X] Spieltisch verlassen",
        "[S] Spiel eröffnen",
        "[B] Einsatz",
        "[P] Passen",
        "[1] - [5] Karten austauschen",
        "[D] Erledigt, weiter",
        "[H] Karten sehen!",
        "[R] Karten zeigen",
        "KEIN SPIEL",
        "KARTEN TAUSCHEN",
        "SHOWDOWN",
    ],
)
def test_the_original_texts_are_kept_to_the_letter(text: str) -> None:
    assert text in {words("de")(forms(entry.id)[0]) for entry in entries("de")}


@pytest.mark.parametrize(
    ("language", "one", "two"), [("de", "X-Message", "X-Messages"), ("nl", "X-bericht", "X-berichten")]
)
def test_numbers_are_declined(language: Language, one: str, two: str) -> None:
    speak = words(language)
    assert speak.count("{n} X-message", "{n} X-messages", 1) == f"1 {one}"
    assert speak.count("{n} X-message", "{n} X-messages", 2) == f"2 {two}"


@each
def test_in_plain_letters_everything_is_ascii(language: Language) -> None:
    speak = words(language, plain=True)
    assert [text for entry in entries(language) if not (text := speak(forms(entry.id)[0])).isascii()] == []
