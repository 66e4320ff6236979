"""Characters: which are safe to show, how a character set carries them, how typed bytes become text. Pure.

The invariant everything drawn rests on: a *harmless* character fills exactly one cell, obeys no neighbour and commands
no terminal. `clean` makes any text harmless; `encode` writes every character as exactly one cell in every character
set and is the last guard: a character that is not harmless leaves as "?". Escape sequences never pass through here.

People may write some more to each other than terminals show: emoji, wide letters (`is_writable`). A page shows such
text as it was typed, a terminal by signs that are harmless (`in_signs`).
"""

import codecs
import unicodedata
from functools import lru_cache

from wcwidth import wcwidth

from yawc_poker.terminal.kinds import Charset

REPLACEMENT = "?"
NOT_UNDERSTOOD = "\ufffd"
"""Stands for typed bytes that mean nothing in the caller's character set."""
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
COMBINING = frozenset({"Mn", "Mc", "Me"})
UNSEEN = frozenset({"Cc", "Cf"})
VARIATION_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
"""How the character before is to look; it is the same character."""
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
"""Regional indicators: two of them join into one flag."""
SKIN_TONES = range(0x1F3FB, 0x1F400)
"""Modifiers of the emoji before."""
BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\U00013441\U00013442\U0001d159")
"""Characters that look like nothing, though they are no white space: fillers, the empty Braille pattern, and the like.
They are read as spaces, so that a text of them is empty."""

SUITS_CP437 = {"♥": 3, "♦": 4, "♠": 6}
"""The only bytes below space ever sent as text; the other low glyphs are controls on the wire.

Clubs would be 5, ENQ, to which PuTTY and others answer as if their caller had typed: with a ♣ in the chat one could
press another's keys. They are written with the game's own sign.
"""

_SAME_EVERYWHERE = {
    "€": "E", "„": '"', "“": '"', "”": '"', "‟": '"', "‚": ",", "‘": "'", "’": "'", "‛": "'", "′": "'", "″": '"',
    "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "―": "-", "−": "-", "…": ".", "•": "*", "‣": ">", "‹": "<",
    "›": ">", "×": "x", "©": "c", "®": "r", "™": "t", "†": "+", "‡": "+", "→": ">", "←": "<", "↑": "^", "↓": "v",
    "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "þ": "p", "Þ": "P", "ı": "i",
    "œ": "o", "Œ": "O", "ŋ": "n", "Ŋ": "N", "ħ": "h", "Ħ": "H", "ẞ": "S", "¬": "-", "¦": "|", "¤": "o", "·": ".",
    "§": "S", "¶": "P", "¨": '"', "¯": "-", "´": "'", "¸": ",", "¹": "1", "³": "3", "º": "o", "ª": "a", "°": "o",
    "\N{BLACK CIRCLE}": "*", "\N{WHITE CIRCLE}": "o", "✓": "v", "✗": "x", "★": "*", "☆": "*",
}  # fmt: skip
_ONLY_ASCII = {
    "ß": "s", "æ": "a", "Æ": "A", "¢": "c", "£": "L", "¥": "Y", "₧": "P", "ƒ": "f", "¿": "?", "¡": "!", "«": "<",
    "»": ">", "½": "/", "¼": "/", "±": "+", "≥": ">", "≤": "<", "÷": "/", "≈": "~", "√": "v", "ⁿ": "n", "²": "2",
    "∙": ".", "■": "#", "█": "#", "▓": "#", "▒": ":", "░": ".", "▄": "_", "▀": "~", "▌": "|", "▐": "|", "≡": "=",
    "♥": "#", "♦": "-", "♣": "+", "♠": "*", "♡": "#", "♢": "-", "♧": "+", "♤": "*", "α": "a", "µ": "u", "π": "p",
}  # fmt: skip
_EMOTICONS = {
    "😀": ":-D", "😃": ":-D", "😄": ":-D", "😁": ":-D", "😆": "X-D", "😅": ":-D", "😂": ":'-D", "🤣": ":'-D",
    "🙂": ":-)", "😊": ":-)", "😇": "O:-)", "😉": ";-)", "🙃": "(-:", "😍": "<3", "😘": ":-*", "😋": ":-P",
    "😛": ":-P", "😜": ";-P", "😝": "X-P", "😎": "B-)", "😏": ";-]", "😐": ":-|", "😑": "-_-", "😒": ":-/",
    "😕": ":-/", "🙁": ":-(", "😞": ":-(", "😟": ":-(", "😢": ":'-(", "😭": ":'-(", "😠": ">:-(", "😡": ">:-(",
    "😮": ":-O", "😯": ":-o", "😲": ":-O", "😱": "8-O", "😴": "zzz", "😬": ":-E", "🤐": ":-X", "😈": ">:-)",
    "🤔": "hmm", "👍": "(y)", "👎": "(n)", "💔": "</3", "💯": "100", **dict.fromkeys("💓💕💖💗💘💙💚💛💜🖤🧡", "<3"),
}  # fmt: skip
_C1, _BEHIND_C1 = b"\x80", b"\xa0"
_LIKE_CP437 = dict(
    zip("╭╮╰╯━┃┏┓┗┛┣┫┳┻╋╌╎┄┆┈┊♡♢♧♤", "┌┐└┘─│┌┐└┘├┤┬┴┼─│─│─│♥♦♣♠", strict=True)
)  # rounded, heavy and dashed lines, and white suits


@lru_cache(maxsize=4096)
def _is_harmless(character: str) -> bool:
    return (
        character.isprintable()
        and wcwidth(character) == 1
        and unicodedata.category(character) not in COMBINING
        and unicodedata.bidirectional(character) not in RIGHT_TO_LEFT
        and ord(character) not in FLAG_LETTERS
        and character not in BLANK
    )


_USUAL = frozenset(
    filter(_is_harmless, map(chr, (*range(0x20, 0x180), *range(0x2500, 0x25A0), *range(0x2660, 0x2668))))
)
"""Latin letters, lines, blocks and suits. A hit in the cache of the others writes to it, so it copies a page."""


def is_harmless(text: str) -> bool:
    """Return whether every character fills exactly one cell, whatever stands beside it, and commands nothing.

    Not harmless: controls, format, combining, surrogate, private and unassigned characters, spaces and blanks but
    U+0020, wide and empty characters, right-to-left ones, flags.
    """
    if text.isascii():
        return text.isprintable()
    return _USUAL.issuperset(text) or all(map(_is_harmless, text))


def is_writable(text: str) -> bool:
    """Return whether people may write this to each other: every character is harmless, an emoji, or a wide one."""
    return is_harmless(text) or all(_is_harmless(one) or _is_wide(one) for one in text)


@lru_cache(maxsize=4096)
def _is_wide(character: str) -> bool:
    """Return whether a character is harmless but for its width."""
    return (
        character.isprintable()
        and (wcwidth(character) == 2 or ord(character) in FLAG_LETTERS or ord(character) in SKIN_TONES)
        and unicodedata.category(character) not in COMBINING
        and unicodedata.bidirectional(character) not in RIGHT_TO_LEFT
        and character not in BLANK
    )


def in_signs(text: str) -> str:
    """Return a text that people wrote as a terminal shows it: `:-)` for a smiling emoji, the name of another one."""
    return text if is_harmless(text) else "".join(map(_signs, text))


@lru_cache(maxsize=4096)
def _signs(character: str) -> str:
    number = ord(character)
    if _is_harmless(character):
        return character
    if number in SKIN_TONES:
        return ""
    if number in FLAG_LETTERS:
        return chr(ord("A") + number - FLAG_LETTERS[0])
    composed = unicodedata.normalize("NFKC", character)
    if composed != character and is_harmless(composed):  # of full width
        return composed
    if character in _EMOTICONS:
        return _EMOTICONS[character]
    return f":{unicodedata.name(character).lower()}:" if unicodedata.category(character) == "So" else REPLACEMENT


def harmless(text: str) -> str:
    """Return the text with "?" for every character that is not harmless: as many characters as before."""
    if is_harmless(text):
        return text
    return "".join(character if _is_harmless(character) else REPLACEMENT for character in text)


def _cleaned(character: str, replacement: str) -> str:
    if _is_harmless(character):
        return character
    if character.isspace() or character in BLANK:
        return " "
    return "" if wcwidth(character) <= 0 else replacement


def clean(text: str, limit: int, replacement: str = REPLACEMENT) -> str:
    """Make a stranger's text harmless and at most `limit` characters long. Never raise.

    Composed (NFC) first; white space and `BLANK` become a space, controls and characters without width vanish,
    `replacement` stands for the rest. Looks at no more than 16 characters for each one it may keep: composing has a
    price.
    """
    composed = unicodedata.normalize("NFC", text[: 16 * max(limit, 0)])
    return "".join([_cleaned(character, replacement) for character in composed])[: max(limit, 0)]


def with_typed(text: str, character: str) -> str:
    """Return a text with a character typed behind it, composed with the last one (NFC) where the two make one.

    White space becomes a space; what is not seen, such as a control or a joiner, leaves no trace. All else stays what
    it is, whether it can be shown or not: whoever takes the text asks `is_harmless`.
    """
    if character.isspace():
        return text + " "
    if unicodedata.category(character) in UNSEEN or character in VARIATION_SELECTORS:
        return text
    return text[:-1] + unicodedata.normalize("NFC", text[-1:] + character)


def _base_letter(character: str) -> str:
    base = unicodedata.normalize("NFKD", character)[0]
    return base if base.isascii() and base.isprintable() else REPLACEMENT


def _box_as_ascii(character: str) -> str:
    name = unicodedata.name(character)
    if " AND " in name:
        return "+"
    if "HORIZONTAL" in name:
        return "=" if "DOUBLE" in name else "-"
    return "|"


def _to_ascii(character: str) -> bytes:
    if "─" <= character <= "╿":
        return _box_as_ascii(character).encode()
    one = _SAME_EVERYWHERE.get(character) or _ONLY_ASCII.get(character) or _base_letter(character)
    return one.encode("ascii")


def _to_code_page(character: str, charset: Charset) -> bytes:
    if charset in {"cp437", "cp850"}:  # both have suits below their letters, and single and double lines
        character = _LIKE_CP437.get(character, character)
        if character in SUITS_CP437:
            return bytes([SUITS_CP437[character]])
    try:
        return character.encode(charset)
    except UnicodeEncodeError:
        return _to_ascii(character)


def as_ascii(character: str) -> str:
    """Return how one harmless character is shown where there is only ASCII."""
    return character if character.isascii() else _to_ascii(character).decode()


@lru_cache(maxsize=4096)
def _byte(character: str, charset: Charset, pc: bool) -> bytes:
    if not _is_harmless(character):
        return b"?"
    if character.isascii():
        return character.encode("ascii")
    byte = _to_code_page(character, charset)
    return byte if pc or byte >= _BEHIND_C1 or b" " <= byte < _C1 else _to_ascii(character)


def encode(text: str, charset: Charset, *, pc: bool) -> bytes:
    """Return text as bytes for a terminal, one cell a character; what its set lacks as something like it, else "?".

    Of the bytes below 0x20 and 0x7F only 3, 4 and 6 ever come out: ♥♦♠ in CP437. They and 0x80 to 0x9F are sent only to
    a `pc`, which shows them: to other terminals they are controls, as CSI for ¢ is. Never raise.
    """
    if text.isascii() and text.isprintable():
        return text.encode("ascii")
    if charset == "utf-8":
        return harmless(text).encode("utf-8")
    return b"".join(_byte(character, charset, pc) for character in text)


class Decoder:
    """Typed bytes to text, piece by piece; any bytes will do, those that mean nothing become `NOT_UNDERSTOOD`."""

    def __init__(self, charset: Charset) -> None:
        self.charset = charset
        self._decoder = codecs.getincrementaldecoder(charset)("replace")

    def decode(self, data: bytes) -> str:
        """Return the characters that are complete; at most three bytes of an unfinished one are kept back."""
        return self._decoder.decode(data)
