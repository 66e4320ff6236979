"""The German catalogue is complete, has the same fields as the English texts, and is compiled.

If this fails: `make words`, fill in the empty entries of yawc.po, `make words` again.
"""

import io
import re
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from yawc_poker.catalogues import FOLDER, words
from yawc_poker.words import LANGUAGES

GERMAN = FOLDER / "de" / "LC_MESSAGES"
KEYWORDS = {"words": None, "count": (1, 2), "mark": None}
"""As in the Makefile."""


def spoken() -> set[tuple[str, ...]]:
    """Yield every text for people in the code: (text,) or (one, many). `words("en")` names a language, no text."""
    found = extract_from_dir(FOLDER.parent, [("**.py", "python")], keywords=KEYWORDS)
    texts = {(message,) if isinstance(message, str) else tuple(message) for _, _, message, _, _ in found}
    return texts - {(language,) for language in LANGUAGES}


def catalogue() -> Catalog:
    return read_po(io.BytesIO((GERMAN / "yawc.po").read_bytes()), locale="de")


def forms(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ("",))


def entries() -> list[Message]:
    return [message for message in catalogue() if message.id]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_text_has_a_german_entry() -> None:
    german = {forms(entry.id) for entry in entries() if all(forms(entry.string))}
    assert spoken() - german == set()


def test_no_entry_is_fuzzy() -> None:
    assert [entry.id for entry in entries() if entry.fuzzy] == []


def test_the_fields_are_the_same() -> None:
    wrong = [
        entry.id
        for entry in entries()
        if {frozenset(fields(text)) for text in forms(entry.id)}
        != {frozenset(fields(text)) for text in forms(entry.string)}
        and all(forms(entry.string))
    ]
    assert wrong == []


def test_blanks_at_the_ends_and_key_names_are_the_same() -> None:
    def skeleton(text: str) -> tuple[str, str, list[str]]:
        return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :], re.findall(r"\[[^\]]+\]", text)

    filled = [entry for entry in entries() if all(forms(entry.string))]
    assert [entry.id for entry in filled if skeleton(forms(entry.id)[0]) != skeleton(forms(entry.string)[0])] == []


def test_the_compiled_catalogue_is_that_of_the_text() -> None:
    fresh = io.BytesIO()
    write_mo(fresh, catalogue())
    assert (GERMAN / "yawc.mo").read_bytes() == fresh.getvalue()


@pytest.mark.parametrize(
    "text",
    [
        "[.] Chat-Nachricht senden",
        "[X] Spieltisch verlassen",
        "[S] Spiel eroeffnen",
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
    assert text in {words("de")(forms(entry.id)[0]) for entry in entries()}


def test_numbers_are_declined() -> None:
    german = words("de")
    assert german.count("{n} X-message", "{n} X-messages", 1) == "1 X-Message"
    assert german.count("{n} X-message", "{n} X-messages", 2) == "2 X-Messages"
