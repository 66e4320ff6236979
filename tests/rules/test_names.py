"""Valid names, and names that could be mistaken for each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.casino.users.names import (
    HOUSE_WORDS,
    NAME_LENGTHS,
    PUNCTUATION,
    RESERVED,
    alike,
    bad_name,
    look_key,
    look_keys,
    name_key,
)
from yawc_poker.catalogues import words
from yawc_poker.engine.house import HOUSE_NAMES
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.text import encode
from yawc_poker.words import LANGUAGES


@pytest.mark.parametrize(
    "name",
    [
        "Al",
        "Ärger",
        "ISCA fan",
        "x" * 20,
        "J.R.",
        "O'Neill",
        "A-1",
        "42",
        "a/b",
        "M*A*S*H",
        "Jürgen (Ulm)",
        "Olaf Bankert",
        "Poker Face",
        "Mr. Nobody",
        "St. Pauli",
        "J.R.R.Tolkien",
        "Dr. No",
        "Anna @ home",
        "Ann/Ned",
        "Paula",
        "Paul Klee",
        "Clarissa",
        "Game Boy",
        "Lin Fox",
        "what?!",
        "Ω mega",
        "Ольга",
        "Łukasz 2",
    ],
)
def test_these_are_names(name: str) -> None:
    assert bad_name(name) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "too_short"),
        ("A", "too_short"),
        ("x" * 21, "too_long"),
        ("A" * 100000, "too_long"),
        (" Anna", "bad_character"),
        ("Anna ", "bad_character"),
        ("An  na", "bad_character"),
        ("/en", "bad_character"),
        ("*** Warning from", "bad_character"),
        ("Ann *** Warning", "bad_character"),
        ("Ada*", "bad_character"),
        ("An na*", "bad_character"),
        ("[Anna]", "bad_character"),
        ("An{na}", "bad_character"),
        ("...", "bad_character"),
        ("An\nna", "bad_character"),
        ("An\x1bna", "bad_character"),
        ("An\x9bna", "bad_character"),
        ("An\N{ZERO WIDTH SPACE}na", "bad_character"),
        ("An\N{NO-BREAK SPACE}na", "bad_character"),
        ("An\N{RIGHT-TO-LEFT OVERRIDE}na", "bad_character"),
        ("\N{HEBREW LETTER ALEF}\N{HEBREW LETTER BET}", "bad_character"),
        ("Q\N{COMBINING RING ABOVE}x", "bad_character"),
        ("漢字", "bad_character"),
        ("smile 😀", "bad_character"),
        ("An\ud800na", "bad_character"),
        ("D\N{CYRILLIC SMALL LETTER O}ra", "bad_character"),
        ("SYST\N{GREEK CAPITAL LETTER EPSILON}M", "bad_character"),
        ("\N{MATHEMATICAL BOLD CAPITAL I}nfo", "bad_character"),
        ("sys\N{LATIN LETTER SMALL CAPITAL T}em", "bad_character"),
        ("\N{CHEROKEE LETTER DU}ysop", "bad_character"),
        ("Anna\N{SUPERSCRIPT TWO}", "bad_character"),
        ("Anna \N{ARABIC-INDIC DIGIT TWO}", "bad_character"),
        ("\u0405\u0423\u0405\u0422\u0415\u041c", "reserved"),  # all Cyrillic, looks like SYSTEM
        ("\N{LATIN SMALL LETTER DOTLESS I}nfo", "reserved"),
        *(
            (name, "reserved")
            for name in (
                *("The Sysops", "System", "INFO", "sysop", "neu", "SYS0P", "Sysop.", "S.y.s.o.p", "5YSOP", "Adm1n"),
                *("Admin", "Bank", "House", "NO GAME", "NO-GAME", "KEIN SPIEL", "Nobody", "Niemand", "YOU", "Du"),
                *("GEEN SPEL", "Iedereen", "Jij", "De Sysops", "Deler", "Speler 2"),
                *("Game-Master", "GarneMaster", "Guest", "Gast", "Casino", "CASlNO", "Pot", "P0T", "Root", "Mint"),
            )
        ),
    ],
)
def test_these_are_no_names(name: str, reason: str) -> None:
    assert bad_name(name) == reason


def test_what_stands_on_a_screen_where_a_name_could_is_nobodys_name() -> None:
    for language in LANGUAGES:
        speak = words(language)
        for text in ("NO GAME", "Nobody yet.", "Casino", "SHOWDOWN", "CHANGE CARDS"):
            assert bad_name(speak(text)) == "reserved", speak(text)
        for number in range(1, 6):
            assert bad_name(speak("Player {n}", n=number)) == "reserved"
            assert bad_name(speak("Seat {n}", n=number)) == "reserved"


@pytest.mark.parametrize("name", [*HOUSE_WORDS, *RESERVED, *HOUSE_NAMES])
def test_a_reserved_word_is_reserved_in_capitals_with_zeros_and_punctuation_as_well(name: str) -> None:
    for other in (name, name.upper(), name.replace("o", "0"), name.replace("i", "l"), f"{name}!"):
        assert bad_name(other) == "reserved"


@pytest.mark.parametrize("word", HOUSE_WORDS)
@pytest.mark.parametrize("form", ["The {}", "{} Bo", "Bo {} Z", "{}1", "Bo/{}", "({})", "Bo-{}", "{}.Z", "the{}"])
def test_a_word_of_the_house_is_no_word_of_a_name(word: str, form: str) -> None:
    word = word.capitalize()
    for other in (word, word.replace("o", "0"), word.replace("a", "ä"), word.replace("e", "е")):
        name = form.format(other)
        if len(name) in NAME_LENGTHS:
            assert bad_name(name) in {"reserved", "bad_character"}
    if len(form.format(word)) in NAME_LENGTHS:
        assert bad_name(form.format(word)) == "reserved"


@pytest.mark.parametrize(
    "name",
    [
        *("The Sysop", "Sysop Bert", "The Bank", "yawcctl/root", "s y s o p", "The 5ys0p", "R.o.o.t Bo", "Sys-op 7"),
        *("Anna (y/n)", "(j/n)", "y/n", "no(Y/N)"),
        *("anna@home", "anna@bbs.example", "bbs.example.org", "www.x", "10.0.0.1", "192.168.1.1/8", "evil.com/x"),
        *("Ada", "ada 2", "CLARA", "Cláŗa", "Paul7", "Pául", "Mina.", "N1ls"),
        *("Testville", "the testville", "Testvílle Bo", "TestviIle"),
    ],
)
def test_a_name_that_passes_for_the_house_a_question_or_an_address_is_refused(name: str) -> None:
    assert bad_name(name, "Testville") == "reserved"


@pytest.mark.parametrize("name", ["y / n", "Bo у/n", "host:23", "http://evil.com", "telnet:evil", "[::1]"])
def test_so_is_one_with_a_colon_or_of_two_scripts(name: str) -> None:
    assert bad_name(name) == "bad_character"


def test_the_own_name_of_the_bbs_may_have_several_words() -> None:
    for name in ("Global Village", "The Global-Village", "GlobaI Vi11age"):
        assert bad_name(name, "Global Village") == "reserved"
        assert bad_name(name) is None
    assert bad_name("Village Idiot", "Global Village") is None


CHARSETS: tuple[Charset, ...] = ("utf-8", "cp437", "ascii")
LETTERS = [chr(code) for code in range(0xC0, 0x530) if bad_name(f"x {chr(code)}") is None]


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("pc", [True, False])
def test_names_that_any_character_set_shows_alike_are_one_name(charset: Charset, pc: bool) -> None:
    python = "utf-8" if charset == "utf-8" else "cp437"
    assert len(LETTERS) > 300
    for letter in LETTERS:
        shown = encode(letter, charset, pc=pc).decode(python)
        if shown not in {"?", letter}:
            assert alike(f"x{letter}y", f"x{shown}y"), (letter, shown)
            assert look_key(f"x{shown}y") in look_keys(f"x{letter}y")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Anton", "Antön"), ("Jürgen", "Jurgen"), ("Straße", "Strase"), ("Łukasz", "Lukasz"), ("Kæthe", "Kathe")),
        *(("Kæthe", "Kaethe"), ("Œuvre", "Oeuvre"), ("Þor", "Por"), ("Şükrü", "Sukru"), ("Ændré", "AEndre")),
    ],
)
def test_these_are_alike_both_ways(one: str, other: str) -> None:
    assert alike(one, other)
    assert look_key(one) in look_keys(other)
    assert look_key(other) in look_keys(one)


@pytest.mark.parametrize(("one", "other"), [("Kathe", "Kaethe"), ("Joe", "Jo"), ("Ольга", "Мария"), ("Goethe", "Gote")])
def test_these_are_not(one: str, other: str) -> None:
    assert not alike(one, other)
    assert not alike(other, one)


@pytest.mark.parametrize(
    "names",
    [
        ("OTTO", "Otto", "ОТТО", "отто", "ΟΤΤΟ", "0TT0", "O.T.T.O", "o t t o"),
        ("Bill", "BiII", "Bi11", "BILL", "biil"),
        ("Sam 5", "SAMS", "Ѕаms"),
        ("Emma", "EMMA", "Ernma", "ErnrnA"),
        ("Hans", "нans", "Ηans", "HAN5"),
        ("Ärger", "ÄRGER", "Ä-r-g-e-r"),
        ("Straße", "STRAßE", "Strase"),
        ("Andréj", "ANDRÉJ"),
    ],
)
def test_these_look_alike(names: tuple[str, ...]) -> None:
    assert len({look_key(name) for name in names}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("Anna", "Anne"), ("Vera", "Nera"), ("Ольга", "Olga"), ("user 1", "user 2"), ("Udo", "Uda")],
)
def test_these_do_not(one: str, other: str) -> None:
    assert look_key(one) != look_key(other)


LATIN = st.text(st.characters(max_codepoint=0x17F), min_size=1, max_size=20)


@given(LATIN)
def test_case_and_punctuation_make_no_difference(name: str) -> None:
    key = look_key(name)
    assert look_key(f"~{name}.") == key
    if name.isascii():
        assert look_key(name.upper()) == look_key(name.lower()) == key


@given(
    st.text(st.sampled_from([*map(chr, range(0x21, 0x24F)), *map(chr, range(0x370, 0x530)), *PUNCTUATION]), max_size=20)
)
def test_what_may_be_a_name_has_both_keys(name: str) -> None:
    if bad_name(name) is None:
        assert len(name) in NAME_LENGTHS
        assert look_key(name)
        assert name_key(name)
