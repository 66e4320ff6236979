"""Keys and commands for house players, which mean the same in every game."""

import pytest
from msgspec.structs import replace

from yawc_poker.catalogues import all_languages, words
from yawc_poker.engine.house import HOUSE_NAMES, LEVELS, level_in
from yawc_poker.games.maumau.ui.scene import Local as MaumauLocal
from yawc_poker.session.house.house_player import free_number, house_name
from yawc_poker.session.table.house_host import companions
from yawc_poker.table_ui.commands import COMMANDS, Unknown, asked
from yawc_poker.table_ui.intents import Invite, SendAway
from yawc_poker.table_ui.keys import chatting, press_house, press_level
from yawc_poker.table_ui.scene import Local
from yawc_poker.table_ui.screen import COMMAND_ROWS, WIDTH, command_lines
from yawc_poker.terminal.keys import ENTER
from yawc_poker.words import LANGUAGES, Language


def test_plus_asks_how_well_one_shall_play_and_minus_sends_one_away() -> None:
    local, wish = press_house(Local(house="+"), "+")
    assert (local.mode, wish) == ("house", None)
    assert press_house(Local(), "+") == (Local(), Invite()), "in a running game"
    assert press_house(Local(), "-") == (Local(), SendAway())
    assert press_house(Local(), "x") == (Local(), None)


@pytest.mark.parametrize(
    ("key", "wish"),
    [
        ("1", Invite("easy")),
        ("2", Invite("normal")),
        ("3", Invite("hard")),
        ("ENTER", Invite()),
        ("+", Invite()),
        ("q", None),
    ],
)
def test_a_level_is_a_number_and_enter_the_usual_one(key: str, wish: Invite | None) -> None:
    asked_for, _ = press_house(Local(house="+"), "+")
    assert press_level(asked_for, ENTER if key == "ENTER" else key) == (Local(house="+"), wish)


def test_the_question_is_closed_before_anything_is_typed() -> None:
    asked_for, _ = press_house(chatting(Local(), "Anna"), "+")
    assert asked_for.mode == "chat"


def test_a_game_that_needs_the_key_itself_gets_it() -> None:
    wishing = MaumauLocal(offered=(".", "X", "+", "*", "#", "-"))
    assert press_house(wishing, "+") == press_house(wishing, "-") == (wishing, None)


def test_what_is_typed_is_typed() -> None:
    for local in (chatting(Local(), "Anna"), Local(mode="bet")):
        assert press_house(local, "+") == press_house(local, "-") == (local, None)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("/house", Invite()),
        ("/House Easy", Invite("easy")),
        ("/haus schwer", Invite("hard")),
        ("/huis normaal", Invite("normal")),
        ("/house off", SendAway(everyone=True)),
        ("/haus weg", SendAway(everyone=True)),
        ("/house of cards", Unknown("/house of cards")),
    ],
)
def test_the_command_takes_a_level_in_any_language(line: str, meant: object) -> None:
    assert asked(line, all_languages()) == meant


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("keys", ["+", "-", "+-"])
def test_the_keys_are_shown_where_a_line_is_left(language: Language, keys: str) -> None:
    speak = words(language)
    local = Local(house=keys)
    free = command_lines(local, [], ["[S]"], "", speak, chats=True)
    assert len(free) == 4
    assert all(f"[{key}]" in free[2] for key in keys)
    assert len(free[2]) <= WIDTH
    full = command_lines(local, [], ["[1]", "[2]", "[3]"], "", speak, chats=True)
    assert len(full) == COMMAND_ROWS
    assert full == command_lines(replace(local, house=""), [], ["[1]", "[2]", "[3]"], "", speak, chats=True)


def test_who_is_told_that_they_are_alone_sees_whom_to_ask() -> None:
    speak = words("en")
    notice = "You are alone at the table: a game needs at least 2 players."
    lines = command_lines(Local(house="+"), [], ["[S] Start a game"], notice, speak, chats=True)
    assert lines == ["[.] Chat   [X] Leave the table", "[+] A house player joins", "[S] Start a game"]


def test_a_number_has_one_name_and_no_two_share_it() -> None:
    names = [house_name(number, level) for number in range(1, 3 * len(HOUSE_NAMES)) for level in LEVELS]
    assert len(set(names)) == len(names)
    assert [(name, level_in(name)) for name in names[:3]] == [("Ada*", "easy"), ("Ada**", "normal"), ("Ada***", "hard")]
    assert level_in("Ada") is None
    assert free_number([3, 2, 1], {"clara*"}) == 2
    assert free_number([3, 2, 1], {"clara"}) == 2, "a user of that name is online"
    assert free_number([3, 2, 1], {"cl\u00e1ra"}) == 2, "whose name looks like it"
    assert free_number([1], {"ada*"}) is free_number([1], {"ada***"}) is None, "at whichever level"


def test_a_house_player_is_called_like_a_user_only_if_all_others_play() -> None:
    """An account of an older program may be called so, and its user may log in while the house player is there."""
    assert free_number([3, 2, 1], (), ["Clara", "Bela"]) == 1
    assert free_number([19, 18, 17], (), ["Clara", "Bela"]) == 17, "Ada 2"
    assert free_number([3, 2, 1], {"ada*"}, ["Clara"]) == 2
    assert free_number([3, 2, 1], {"ada*", "bela*"}, ["Clara"]) == 3
    assert free_number([3, 2, 1], {"ada*", "bela*", "clara"}, ["Clara"]) is None, "she is here"


@pytest.mark.parametrize(("seats", "fewest", "count"), [(2, 2, 1), (4, 4, 3), (5, 2, 2), (4, 3, 2)])
def test_a_caller_alone_gets_company_for_a_good_game(seats: int, fewest: int, count: int) -> None:
    assert companions(seats, fewest) == count


def test_each_name_of_a_command_is_one_command_s() -> None:
    named = [(name, one) for one in COMMANDS for name in {n for w in all_languages() for n in w(one.names).split()}]
    assert len({name for name, _ in named}) == len(named)
    for name, one in named:
        assert asked(f"{name} x", all_languages()) == one.wish("x")
