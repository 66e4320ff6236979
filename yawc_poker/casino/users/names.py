"""Names: which texts may be one, when two are the same, and when two look alike.

Owns the rules; never looks at registered names (`accounts`). A name has two keys. Two names with the same `name_key`
are one name. Two with the same `look_key` could be taken for each other on some screen: it is the skeleton of Unicode's
Technical Standard 39, from the data of `confusable_homoglyphs`, of the name as the poorest character set shows it, in
any case, without blanks and punctuation. A letter that no set but Unicode's has, and of which the others show a "?",
stays itself. Few names look alike without sharing the key: `alike` knows them all.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from yawc_poker.engine.house import HOUSE_MARK, HOUSE_NAMES
from yawc_poker.terminal.text import as_ascii, is_harmless

NAME_LENGTHS = range(2, 21)
PUNCTUATION = frozenset(" !#$&'()*+,-./=?@_~")
NOT_FIRST = ("/", "*")
"""Beginnings that no word of a name may have: a slash leads a command at the name prompt, `***` the BBS's lines."""
SCRIPTS = ("LATIN ", "GREEK ", "CYRILLIC ")
"""How Unicode's names of letters begin; each of the three is its own, in a word."""
VARIANTS = (range(0x250, 0x370), range(0x1D00, 0x1E00), range(0x2C60, 0x110000))
"""Blocks of Unicode with letters that are written in no name: phonetic ones, and those added for scholars."""
MARKS = range(0x300, 0x370)
"""Accents and the like, where letters are decomposed."""
HOUSE_WORDS = (
    *("admin", "administrator", "beheerder", "moderator", "operator", "root", "staff", "superuser", "sysadmin"),
    *("sysop", "sysops", "yawc", "yawcctl", "info", "system", "systeem", "server", "x-message", "x-bericht"),
    *("serveur", "système", "warning", "warnung", "ermahnung", "waarschuwing", "avertissement"),
    *("bank", "casino", "croupier", "dealer", "deler", "geber", "haus", "house", "huis", "mint"),
    *("banque", "donneur", "maison", "game-master", "spielleiter", "spelleider"),
)
"""Words that speak for the BBS: no name has one of them among its words."""
RESERVED = (
    *("master", "poker", "mau-mau", "pot", "table", "tisch", "tafel"),
    *("bot", "guest", "gast", "new", "neu", "nieuw", "login", "logout", "quit", "user", "gebruiker"),
    *("anybody", "anyone", "everybody", "everyone", "nobody", "nobody yet", "no one", "none", "somebody", "someone"),
    *("you", "yourself", "me", "no game", "game", "showdown", "change cards", "unknown"),
    *("jeder", "jemand", "keiner", "niemand", "noch niemand", "du", "dich", "dir", "ich", "sie"),
    *("kein spiel", "spiel", "karten tauschen", "unbekannt"),
    *("iedereen", "iemand", "geen", "nog niemand", "jij", "jou", "jezelf", "ik"),
    *("geen spel", "spel", "kaarten ruilen", "onbekend"),
    *("chacun", "personne", "encore personne", "quelqu'un", "tous", "tu", "toi", "moi", "je", "invité", "utilisateur"),
    *("maître", "maître du jeu", "pas de jeu", "partie", "échange", "abattage", "inconnu"),
    *(
        f"{word} {number}"
        for word in (
            *("player", "spieler", "speler", "joueur", "seat", "platz", "stoel", "plaats", "place"),
            *("table", "tisch", "tafel"),
        )
        for number in range(1, 6)
    ),
)
"""Names that stand on a screen where a name could, or mean something at a prompt. So do those of house players."""
GUEST = "Guest"
"""What guests are called, with a number behind it."""
_ADDRESS = re.compile(
    r"""\W*(?:
      .*\w@\w.*                            # user@host
    | \d+(?:\.\d+){3}\b.*                 # 192.0.2.1
    | www\..*
    | (?:[\w-]+\.)*[\w-]{2,}\.[^\W\d_]{2,}(?:/.*)?\W*  # bbs.example.org/x, but not J.R.Tolkien
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_ANSWERS = re.compile(r"(?<!\w)(\w)\s*/\s*(\w)(?!\w)")
_PIECES = re.compile(r"\d|[^\W\d_]+")
LIGATURES = {"æ": "ae", "œ": "oe"}
"""Letters that look like two, and are shown as one where a character set lacks them."""
_LETTERS = re.compile(f"({'|'.join(LIGATURES.values())})", re.IGNORECASE)
_DATA = ("confusable_homoglyphs", "confusables.json")
_ALSO = str.maketrans("i5", "ls")
"""I looks like l, so that i does, whose capital it is; 5 like S, which Unicode says of the Latin letter tone five."""

NameFault: TypeAlias = Literal["too_short", "too_long", "bad_character", "reserved"]


def name_key(name: str) -> str:
    """Return the key that all spellings of one name share. NUL, which is in no name, is none that PostgreSQL takes."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).replace("\0", "\ufffd")


def look_key(name: str) -> str:
    """Return the key of what the poorest character set shows of a name (`text.as_ascii`)."""
    return _skeleton("".join(map(_shown, unicodedata.normalize("NFC", name))))


def look_keys(name: str) -> tuple[str, ...]:
    """Return the keys that a name which looks like this one may have; not all that have one do (`alike`)."""
    found = [""]
    for part in _LETTERS.split(_spelt_out(name)):
        ways = (part, part[0]) if _LETTERS.fullmatch(part) else (part,)
        found = [before + way for before in found for way in ways]
    return tuple(dict.fromkeys(map(look_key, found)))


def alike(one: str, other: str) -> bool:
    """Return whether two names could be taken for each other on some screen."""
    return look_key(one) == look_key(other) or look_key(_spelt_out(one)) == look_key(_spelt_out(other))


def _spelt_out(name: str) -> str:
    return "".join(LIGATURES.get(one.lower(), one) for one in unicodedata.normalize("NFC", name))


def _shown(character: str) -> str:
    """Return the letter of ASCII by which some character set shows this one; itself where none does."""
    for form in (character, character.lower()):
        if (letter := as_ascii(form)).isalnum():
            return letter
    return character


def _skeleton(name: str) -> str:
    seen = "".join(map(_seen, unicodedata.normalize("NFD", name))).casefold()
    kept = (_looks().get(one, one) for one in seen if unicodedata.category(one)[0] in "LMN")
    return "".join(kept).translate(_ALSO)


def warm() -> None:
    """Read the data, so that processes forked from this one share it."""
    _reserved()
    _house_words()
    _house_players()


def bad_name(name: str, bbs: str = "") -> NameFault | None:
    """Return why a text is no name: 2 to 20 characters, all harmless on every screen, one a letter or digit.

    Brackets are left to the prefixes of messages, a slash in front to commands, an asterisk at the end to house
    players; spaces stand single, inside. A name may not pass for the BBS, whose own name is `bbs`, nor for a house
    player, a question or an address, also by letters that look like theirs.
    """
    name = unicodedata.normalize("NFC", name)
    if len(name) not in NAME_LENGTHS:
        return "too_short" if len(name) < NAME_LENGTHS.start else "too_long"
    if not is_harmless(name) or not all(character.isalnum() or character in PUNCTUATION for character in name):
        return "bad_character"
    words = name.split()
    if name.endswith(HOUSE_MARK):
        return "bad_character"
    if name != " ".join(words) or any(word.startswith(NOT_FIRST) for word in words) or not any(map(str.isalnum, name)):
        return "bad_character"
    if not all(map(_is_of_one_script, words)):
        return "bad_character"
    return "reserved" if is_reserved(name, bbs) else None


def is_reserved(name: str, bbs: str = "") -> bool:
    """Return whether a name passes for something that is no user."""
    player = name.rstrip("0123456789 ")  # beyond the last name they are called "Ada 2" and so on
    is_player = look_key(player) in _house_players() or look_key(player) == look_key(GUEST)
    return look_key(name) in _reserved() or is_player or passes_for_house(name, bbs)


def passes_for_house(name: str, bbs: str = "") -> bool:
    """Return whether a name speaks for the BBS, or reads as its question or as an address."""
    words = {look_key(part) for part in _runs([*_pieces(name)])}
    return (
        not words.isdisjoint(_house_words() | ({look_key(bbs)} if bbs else set()))
        or any(look_key(yes) in {"y", "j"} and look_key(no) == "n" for yes, no in _ANSWERS.findall(name))
        or any(map(_ADDRESS.fullmatch, name.split()))
    )


def _pieces(name: str) -> Iterator[str]:
    """Yield the words of a name, as small as they may be read: "TheBank24" has four."""
    for word in _PIECES.findall(name):
        begun = 0
        for at in range(1, len(word)):
            if word[at - 1].islower() and word[at].isupper():
                yield word[begun:at]
                begun = at
        yield word[begun:]


def _runs(pieces: list[str]) -> Iterator[str]:
    """Yield all words that pieces beside each other make: "r00t" and "s y s o p" are words, too."""
    for start in range(len(pieces)):
        for end in range(start + 1, len(pieces) + 1):
            yield "".join(pieces[start:end])


def _is_of_one_script(word: str) -> bool:
    """Return whether a word's letters are all Latin, all Greek or all Cyrillic, and none a variant."""
    letters = [character for character in word if character.isalnum() and not character.isascii()]
    if any(unicodedata.normalize("NFKC", one) != one or _is_variant(one) for one in letters):
        return False
    names = [unicodedata.name(letter, "") for letter in letters]
    if any(character.isascii() and character.isalpha() for character in word):
        names.append(SCRIPTS[0])
    return any(all(name.startswith(script) for name in names) for script in SCRIPTS)


def _is_variant(letter: str) -> bool:
    return any(ord(letter) in block for block in VARIANTS)


@cache
def _reserved() -> frozenset[str]:
    return frozenset(map(look_key, (*RESERVED, *HOUSE_NAMES)))


@cache
def _house_words() -> frozenset[str]:
    return frozenset(map(look_key, HOUSE_WORDS))


@cache
def _house_players() -> frozenset[str]:
    return frozenset(map(look_key, HOUSE_NAMES))


def _seen(letter: str) -> str:
    """Return the letters of ASCII that one looks like, small or as a capital; itself where there are none."""
    looks = _looks()
    for form in (letter, letter.lower() if letter.isupper() else letter.upper()):
        if (seen := looks.get(form, form)).isascii():
            return seen
    return looks.get(letter.lower(), letter.lower())


class _Lookalike(msgspec.Struct):
    """A character, or several, that another one looks like."""

    c: str


@cache
def _looks() -> dict[str, str]:
    """Return the look-alike of each letter, digit and mark that a name may have; those without one are left out.

    The data say which pairs look alike, in both directions: of several that do, each is paired with one of them, the
    centre. One that looks like a group (m like rn) is paired with that group.
    """
    raw = files(_DATA[0]).joinpath(_DATA[1]).read_bytes()
    known = msgspec.json.decode(raw, type=dict[str, list[_Lookalike]])
    pairs = {one: [other.c for other in others if len(other.c) == 1] for one, others in known.items()}
    groups = {one: other.c for one, others in known.items() for other in others if _is_group(other.c)}
    looks = {}
    for one in filter(_may_stand, pairs):
        centre = max((one, *pairs[one]), key=lambda other: len(pairs.get(other, ())))
        best = min(filter(_may_stand, (one, centre, *pairs.get(centre, ()))), key=_order)
        looks[one] = groups.get(one) or groups.get(best) or best
    return {one: seen for one, seen in looks.items() if seen != one}


def _may_stand(text: str) -> bool:
    """Return whether this is a letter or digit that a name may have, or a mark that is left of one decomposed."""
    if len(text) != 1 or _is_variant(text):
        return len(text) == 1 and ord(text) in MARKS
    return text.isalnum() if text.isascii() else unicodedata.name(text, "").startswith(SCRIPTS)


def _is_group(text: str) -> bool:
    return len(text) > 1 and all(map(_may_stand, text))


def _order(one: str) -> tuple[bool, bool, bool, str]:
    """Return the sort key of look-alikes: small letters of ASCII, capitals, digits, all else."""
    return not one.isascii(), not one.islower(), not one.isalpha(), one
