"""Help pages and greeting: complete, in every language, fit for every terminal."""

import re
from importlib import resources
from string import Formatter

import pytest

from yawc_poker.announcing import announced
from yawc_poker.cards import Rank, cards
from yawc_poker.catalogues import FOLDER, package_text, words
from yawc_poker.catalogues import text as own_text
from yawc_poker.config import parse
from yawc_poker.games.poker.game import PokerSettings
from yawc_poker.games.poker.hands import category, strength
from yawc_poker.games.poker.model import Category
from yawc_poker.games.poker.ui.panels import EXAMPLES
from yawc_poker.registry.games import DEFAULTS, GAMES, SETTINGS
from yawc_poker.session.menus.help import filled, help_pages
from yawc_poker.session.menus.login import greeting
from yawc_poker.session.menus.main import prompt_menu
from yawc_poker.table_ui.definition import HelpPage
from yawc_poker.table_ui.speech import cards_text, rank_text
from yawc_poker.words import LANGUAGES, Language

OWN = ("bbs", "conduct", "meeting", "watching", "house", "rankings", "linear", "legal", "credits")
OF_EXTRAS = announced("help_pages", HelpPage)
PACKAGES = {page.name: page.package for page in (*(page for game in GAMES for page in game.help), *OF_EXTRAS)}
PAGES = (*OWN, *PACKAGES)
WIDTH = 76
GREETING_LINES = 15
BOX = set("─│┌┐└┘├┤┬┴┼═║╔╗╚╝")
LETTERS = {"en": set(""), "de": set("äöüÄÖÜß"), "nl": set("éëèïöüÉ"), "fr": set("àâçéèêëîïôùûüÉ")}
"""What each language has beside ASCII; CP437 has it, too."""
TABLE_KEYS = {
    "en": (
        "[.] Send a chat message", "[X] Leave the table", "[S] Start a game", "[B] Bet", "[P] Pass",
        "[H] See the cards!", "[1] - [5] Change cards", "[D] Done, go on", "[R] Show my cards",
        "NO GAME", "CHANGE CARDS", "SHOWDOWN", "Master", "Turn", "Pot", "Round",
    ),
    "de": (
        "[.] Chat-Nachricht senden", "[X] Spieltisch verlassen", "[S] Spiel eröffnen", "[B] Einsatz", "[P] Passen",
        "[H] Karten sehen!", "[1] - [5] Karten austauschen", "[D] Erledigt, weiter", "[R] Karten zeigen",
        "KEIN SPIEL", "KARTEN TAUSCHEN", "SHOWDOWN",
    ),
    "nl": (
        "[.] Chatbericht sturen", "[X] Speeltafel verlaten", "[S] Spel starten", "[B] Inzetten", "[P] Passen",
        "[H] Kaarten zien!", "[1] - [5] Kaarten ruilen", "[D] Klaar, verder", "[R] Kaarten tonen",
        "GEEN SPEL", "KAARTEN RUILEN", "SHOWDOWN", "Master", "Beurt", "Pot", "Ronde",
    ),
    "fr": (
        "[.] Envoyer un message", "[X] Quitter la table", "[S] Lancer une partie", "[B] Miser", "[P] Passer",
        "[H] Voir les cartes !", "[1] - [5] Changer des cartes", "[D] Fini, continuer", "[R] Montrer mes cartes",
        "PAS DE JEU", "ÉCHANGE", "ABATTAGE", "Maître", "Joue", "Pot", "Tour",
    ),
}  # fmt: skip
EXAMPLE = re.compile(r"^ ?\((\d+)\) .*?((?: (?:[AKQJDBVHR]|10|[5-9])[-+*#]){5})$", re.MULTILINE)

each = pytest.mark.parametrize("language", LANGUAGES)


def read(language: Language, name: str) -> str:
    if name in PACKAGES:
        return package_text(PACKAGES[name], language, name)
    return own_text(language, f"help/{name}")


@each
def test_exactly_the_known_pages_exist(language: Language) -> None:
    assert {path.name for path in (FOLDER / language / "help").iterdir()} == {f"{page}.txt" for page in OWN}
    for package in set(PACKAGES.values()):
        folder = resources.files(package).joinpath("help", language)
        assert {path.name for path in folder.iterdir()} == {
            f"{one}.txt" for one in PACKAGES if PACKAGES[one] == package
        }


def test_the_pages_of_the_games_stand_among_those_of_the_bbs() -> None:
    titles = [page.title for page in help_pages("en")]
    games = ("maumau", "doppelkopf", "doppelkopf_score", "offiziersskat")
    early, late = (
        [page.name for page in sorted(OF_EXTRAS, key=lambda page: page.order) if (page.order < 80) is first]
        for first in (True, False)
    )
    pages = ("meeting", *games, "watching", *early, "house", *late, "rankings", "linear", "legal", "credits")
    order = ("bbs", "introduction", "instructions", "rules", "conduct", *pages)
    assert titles == [read("en", name).partition("\n")[0] for name in order]


@each
@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_a_title_and_fits_every_terminal(language: Language, page: str) -> None:
    text = read(language, page)
    lines = text.split("\n")
    assert lines[0].strip()
    assert lines[1] == ""
    assert lines[2]
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    for number, line in enumerate(lines, 1):
        assert len(line) <= WIDTH, number
        assert line == line.rstrip(), number
    assert {character for character in text if character != "\n" and not " " <= character <= "~"} <= LETTERS[language]
    assert text.encode("cp437").decode("cp437") == text


@each
def test_every_key_of_the_main_prompt_is_told(language: Language) -> None:
    told = re.findall(r"^   ([A-Z])   \S", read(language, "bbs"), re.MULTILINE)
    keys = [key for key in prompt_menu().keys if key.isalpha() and key != "J"]  # which works for those who are invited
    assert [key for key in told if key in keys] == keys
    assert "?" in read(language, "bbs")


@each
def test_the_instructions_name_every_key_and_word_of_the_table(language: Language) -> None:
    text = read(language, "instructions")
    assert [word for word in TABLE_KEYS[language] if word not in text] == []
    assert [f"({region})" for region in range(1, 9) if text.count(f"({region})") != 2] == []


@each
def test_a_page_tells_the_settings_of_its_game(language: Language) -> None:
    config = parse("[poker]\nturn_seconds = 90\nmaster_seconds = 120\nante = 7\n", "f.toml", SETTINGS)
    page = next(page for page in help_pages(language) if "{turn_seconds}" in page.text)
    text = filled(page, config, words(language)).text
    times = {
        "en": ("90 seconds", "2 minutes", "30 seconds"),
        "de": ("90 Sekunden", "2 Minuten", "30 Sekunden"),
        "nl": ("90 seconden", "2 minuten", "30 seconden"),
        "fr": ("90 secondes", "2 minutes", "30 secondes"),
    }
    assert [fact for fact in (*times[language], "7 CUBES", "200 CUBES") if fact not in text] == []
    assert "{" not in text


@each
def test_every_page_on_poker_tells_the_ante_that_the_sysop_has_set(language: Language) -> None:
    config = parse("[poker]\nante = 25\n", "f.toml", SETTINGS)
    pages = [
        filled(page, config, words(language)).text for page in help_pages(language) if page.settings is PokerSettings
    ]
    told = [re.findall(r"(\d+) CUBES", text) for text in pages]
    assert ["25" in one for one in told] == [False, True, True]
    assert not any("10" in one for one in told)


@each
def test_a_page_has_no_field_but_those_of_its_games_settings(language: Language) -> None:
    for page in help_pages(language):
        fields = {name for _, name, _, _ in Formatter().parse(page.text) if name is not None}
        assert fields <= set(() if page.settings is None else page.settings.__struct_fields__), page.title
        assert all(len(line) < 80 for line in filled(page, DEFAULTS, words(language)).text.split("\n"))


@each
def test_the_page_on_maumau_names_its_keys_and_what_cards_are_worth(language: Language) -> None:
    text = read(language, "maumau")
    assert [key for key in ("[1]", "[T]", "[+] [*] [#] [-]", "[F]", "[S]", "[X]", "[.]") if key not in text] == []
    ace, king, queen, jack = (rank_text(rank, words(language)) for rank in (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK))
    for rank, worth in ((jack, 20), (f"{queen} {king}", 10), (ace, 11)):
        assert re.search(rf"\b{rank} +{worth}$|\b{rank} +{worth} ", text, re.MULTILINE), rank


@each
def test_the_rules_give_a_true_example_of_each_of_the_ten_hands_best_first(language: Language) -> None:
    by_text = {cards_text(cards(hand), words(language)): cards(hand) for hand in EXAMPLES.values()}
    examples = EXAMPLE.findall(read(language, "rules"))
    hands = [by_text[hand.strip()] for _, hand in examples]
    assert [int(number) for number, _ in examples] == list(range(1, 11))
    assert [category(hand) for hand in hands] == sorted(Category, reverse=True)
    assert [strength(hand) for hand in hands] == sorted(map(strength, hands), reverse=True)


@each
def test_the_pages_say_which_sign_is_which_suit(language: Language) -> None:
    names = {
        "en": ("clubs", "spades", "hearts", "diamonds"),
        "de": ("Kreuz", "Pik", "Herz", "Karo"),
        "nl": ("klaveren", "schoppen", "harten", "ruiten"),
        "fr": ("trèfle", "pique", "coeur", "carreau"),
    }[language]
    for page in ("introduction", "rules", "maumau"):
        text = read(language, page)
        assert re.search(r"\+[^+]*?" + r"[^+]*?".join(names), text), page


@each
def test_the_originals_credits_are_named(language: Language) -> None:
    text = read(language, "credits")
    for name in ("Michael Tritthart", "Romain Lheritier", "Global Village", "M.H."):
        assert name in text


def greeted(language: Language, name: str, *, draws: bool = True, plain: bool = False, page: bool = False) -> str:
    return "\n".join(greeting(words(language, plain=plain), name, draws=draws, plain=plain, page=page))


@each
@pytest.mark.parametrize("draws", [True, False], ids=["screen", "lines"])
def test_the_greeting_has_a_banner_where_there_is_a_screen(language: Language, draws: bool) -> None:
    for name in ("x", "Global Village", "n" * 40):
        lines = greeted(language, name, draws=draws).rstrip("\n").split("\n")
        assert len(lines) <= (GREETING_LINES if draws else 4)
        assert max(map(len, lines)) <= WIDTH
        assert [line.removeprefix("YAWC Poker: ").strip() for line in lines].count(name) == 1
        assert any(set(line) & BOX for line in lines) == draws


@each
def test_the_greeting_names_the_game_the_signs_and_the_commands(language: Language) -> None:
    text = greeted(language, "x")
    assert "YAWC Poker" in text
    assert [sign for sign in "+*#-" if f" {sign} " not in text] == []
    others = {f"/{other}" for other in LANGUAGES if other != language}
    assert set(re.findall(r"/[a-z]\w+", text)) == others | {"/utf8", "/cp437", "/ascii", "/linear"}
    assert set(re.findall(r"/[a-z]\w+", greeted(language, "x", page=True))) == others


@each
def test_the_greeting_needs_nothing_but_ascii_and_box_lines(language: Language) -> None:
    text = greeted(language, "x", plain=True)
    assert {character for character in text if character != "\n" and not " " <= character <= "~"} <= BOX
    assert text.encode("cp437").decode("cp437") == text


GREETED = {
    "en": [
        "    Type your name.   /de Deutsch   /nl Nederlands   /fr Français",
        "    Characters:       /utf8   /cp437   /ascii",
        "    Screen reader:    /linear",
    ],
    "de": [
        "    Gib deinen Namen ein.   /en English   /nl Nederlands   /fr Français",
        "    Zeichen:                /utf8   /cp437   /ascii",
        "    Screenreader:           /linear",
    ],
    "nl": [
        "    Typ je naam.   /en English   /de Deutsch   /fr Français",
        "    Tekens:        /utf8   /cp437   /ascii",
        "    Schermlezer:   /linear",
    ],
    "fr": [
        "    Tape ton nom.       /en English   /de Deutsch   /nl Nederlands",
        "    Caractères :        /utf8   /cp437   /ascii",
        "    Lecteur d'écran :   /linear",
    ],
}


@each
def test_the_greeting_lists_the_other_languages_and_the_characters(language: Language) -> None:
    assert greeted(language, "x").splitlines()[-3:] == GREETED[language]
