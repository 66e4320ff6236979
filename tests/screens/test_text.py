import re
import unicodedata
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.screens.eye import Eye
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.text import Decoder, clean, encode, harmless, in_signs, is_harmless, is_writable

CHARSETS: tuple[Charset, ...] = ("utf-8", "cp437", "cp850", "latin-1", "ascii")
anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)

pytestmark = pytest.mark.xdist_group("text")
"""One worker looks at all characters once."""


@cache
def all_harmless() -> list[str]:
    return [chr(c) for c in range(0x110000) if is_harmless(chr(c))]


def composed() -> st.SearchStrategy[str]:
    return st.text(st.sampled_from([c for c in all_harmless() if unicodedata.normalize("NFC", c) == c]))


@pytest.mark.parametrize(
    "character",
    [
        *("\x1b", "\x00", "\n", "\t", "\x7f", "\x9b", "\xa0", "\xad", "\u200b", "\u202e", "\u2066", "\ufe0f", "\u0301"),
        *("日", "\U0001f600", "\U0001f1e9", "\u05d0", "\u0639", "\ud800", "\ue000", "\u0378", "\u2028", "\u0903"),
    ],
)
def test_what_is_not_harmless(character: str) -> None:
    assert not is_harmless(character)
    assert harmless(f"a{character}b") == "a?b"


@pytest.mark.parametrize("text", ["", " ", "aZ~", "äöüß", "┌─┐░▒▓█", "♥♦♣♠", "€„“–…", "Ωλжñ"])
def test_what_is_harmless(text: str) -> None:
    assert is_harmless(text)
    assert clean(text, 100) == text


@pytest.mark.parametrize(
    ("dirty", "limit", "expected"),
    [
        ("a\tb\r\nc", 10, "a b  c"),
        ("\x1b[31mred", 10, "[31mred"),
        ("e\u0301te\u0301", 3, "été"),
        ("日本", 10, "??"),
        ("a\u200bb\u202ec", 10, "abc"),
        ("abcdef", 3, "abc"),
        ("abc", 0, ""),
        ("abc", -5, ""),
        ("\ud800", 5, "?"),
    ],
)
def test_clean(dirty: str, limit: int, expected: str) -> None:
    assert clean(dirty, limit) == expected


@given(anything, st.integers(-3, 80))
def test_clean_gives_harmless_text_within_its_limit(text: str, limit: int) -> None:
    cleaned = clean(text, limit)
    assert is_harmless(cleaned)
    assert len(cleaned) <= max(limit, 0)
    assert clean(cleaned, 200) == cleaned


def test_clean_of_a_huge_pile_of_accents_is_bounded() -> None:
    assert clean("e" + "\u0301\u0316" * 1_000_000, 10) == "é"


@pytest.mark.parametrize("charset", ["cp437", "cp850", "latin-1", "ascii"])
def test_every_harmless_character_is_one_byte(charset: Charset) -> None:
    low = {character for character in all_harmless() if encode(character, charset, pc=True)[0] < 0x20}
    assert all(len(encode(character, charset, pc=True)) == 1 for character in all_harmless())
    assert not any(encode(character, charset, pc=True) == b"\x7f" for character in all_harmless())
    assert low == (set("♥♦♠♡♢♤") if charset in {"cp437", "cp850"} else set())


@pytest.mark.parametrize(
    ("text", "cp437", "ascii_"),
    [
        ("€„“”–—…", b'E"""--.', b'E"""--.'),
        ("äöüßÄÖÜ", "äöüßÄÖÜ".encode("cp437"), b"aousAOU"),
        ("♥♦♣♠", b"\3\4+\6", b"#-+*"),
        ("┌─┬┐│├┼┤└┴┘", "┌─┬┐│├┼┤└┴┘".encode("cp437"), b"+-++|++++++"),
        ("╔═╗║", "╔═╗║".encode("cp437"), b"+=+|"),
        ("╭━╮", "┌─┐".encode("cp437"), b"+-+"),
        ("░▒▓█", "░▒▓█".encode("cp437"), b".:##"),
        ("ŠčΩж", b"Sc\xea?", b"Sc??"),
    ],
)
def test_substitutes(text: str, cp437: bytes, ascii_: bytes) -> None:
    assert encode(text, "cp437", pc=True) == cp437
    assert encode(text, "ascii", pc=True) == ascii_
    assert encode(text, "utf-8", pc=True) == text.encode()


@pytest.mark.parametrize(
    ("text", "cp850", "latin"),
    [
        ("äöüßÄÖÜéØ", "äöüßÄÖÜéØ".encode("cp850"), "äöüßÄÖÜéØ".encode("latin-1")),
        ("♥♦♣♠", b"\3\4+\6", b"#-+*"),
        ("┌─┬┐│╔═╗║█", "┌─┬┐│╔═╗║█".encode("cp850"), b"+-++|+=+|#"),
        ("╒╓", b"++", b"++"),
        ("€Šж", b"ES?", b"ES?"),
    ],
)
def test_substitutes_of_western_europe(text: str, cp850: bytes, latin: bytes) -> None:
    assert encode(text, "cp850", pc=True) == cp850
    assert encode(text, "latin-1", pc=True) == encode(text, "latin-1", pc=False) == latin


@pytest.mark.parametrize("charset", ["cp850", "latin-1"])
def test_no_control_is_sent_to_a_terminal_that_is_no_pc(charset: Charset) -> None:
    sent = b"".join(encode(character, charset, pc=False) for character in all_harmless())
    assert not [byte for byte in sent if byte < 0x20 or 0x7F <= byte < 0xA0]


def test_what_may_be_a_control_is_sent_only_to_a_terminal_that_shows_it() -> None:
    """In CP437, ¢ is CSI to a VT, É a device control string, ¥ an operating system command."""
    assert encode("¢É¥", "cp437", pc=True) == b"\x9b\x90\x9d"
    assert encode("¢É¥äöü♥█é", "cp437", pc=False) == b"cEYaou#\xdbe"
    sent = b"".join(encode(character, "cp437", pc=False) for character in all_harmless())
    assert not [byte for byte in sent if byte < 0x20 or 0x7F <= byte < 0xA0]
    assert all(len(encode(character, "cp437", pc=False)) == 1 for character in all_harmless())


@given(anything, st.sampled_from(CHARSETS))
@example("\x1b[2J\x9b2J\x07\x00", "utf-8")
def test_encode_lets_no_command_through(text: str, charset: Charset) -> None:
    eye = Eye(80, 3, charset)
    data = encode(text, charset, pc=True)
    eye.see(data)
    assert eye.cursor == (len(text), 0)
    assert all(byte >= 0x20 or (charset in {"cp437", "cp850"} and byte in {3, 4, 6}) for byte in data)
    assert 0x7F not in data


@given(st.lists(st.binary(max_size=8)), st.sampled_from(CHARSETS))
def test_decoder_takes_any_bytes_in_any_pieces(pieces: list[bytes], charset: Charset) -> None:
    decoder, whole = Decoder(charset), Decoder(charset)
    assert "".join(map(decoder.decode, pieces)) == whole.decode(b"".join(pieces))


@given(st.deferred(composed))
def test_utf8_comes_back_byte_by_byte(text: str) -> None:
    decoder = Decoder("utf-8")
    assert "".join(decoder.decode(bytes([byte])) for byte in encode(text, "utf-8", pc=True)) == text


def test_a_text_that_looks_empty_is_empty() -> None:
    """Every character whose name says that nothing is seen of it, whatever its kind."""
    names = {chr(code): unicodedata.name(chr(code), "") for code in range(0x110000)}
    looks_empty = [
        one
        for one, name in names.items()
        if re.search(r"^INVISIBLE|\b(BLANK|NULL NOTEHEAD|FILLER|SPACE|JOINER|SELECTOR-\d+)$", name)
        and not re.search("SYMBOL FOR|(GAP|LINE|SPACE) FILLER|HALF FILL|PLANE SPACE", name)
    ]
    assert {"\u2800", "\u3164", "\u115f", "\u200b", "\u200d", "\ufe0f", "\u3000", "\u2062"} <= set(looks_empty)
    assert [f"{ord(one):x} {names[one]}" for one in looks_empty if clean(one, 9).strip()] == []
    assert clean("a\u2800b", 9) == "a b"
    assert not is_harmless("\u2800")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Good game 😀", "Good game :-D"),
        ("👍🏽", "(y)"),
        ("🎉", ":party popper:"),
        ("🇩🇪", "DE"),
        ("ＡＢＣ", "ABC"),
        ("你好", "??"),
        ("plain", "plain"),
    ],
)
def test_what_people_write_is_shown_by_signs(typed: str, shown: str) -> None:
    assert is_writable(typed)
    assert in_signs(typed) == shown
    assert is_harmless(in_signs(typed))


@pytest.mark.parametrize("text", ["שלום", "\x1b[2J", "a\u202eb", "\u200b", "\ue000", "e\u0301"])
def test_what_obeys_a_neighbour_or_commands_a_terminal_is_not_written(text: str) -> None:
    assert not is_writable(text)


@given(st.text(max_size=30))
def test_signs_of_any_text_that_people_may_write_are_harmless(text: str) -> None:
    assert not is_writable(text) or is_harmless(in_signs(text))
