"""Doppelkopf in words: every event, every refusal, every name, in each language and short enough for its place."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from yawc_poker.cards import Suit, card
from yawc_poker.catalogues import words
from yawc_poker.engine.events import Chat, Notice
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import LogEntry
from yawc_poker.games import doppelkopf
from yawc_poker.games.doppelkopf.events import (
    Abandoned,
    Answered,
    Called,
    Clarified,
    Event,
    GameFixed,
    HandDealt,
    MatchOver,
    Named,
    Played,
    RoundBegins,
    RoundOver,
    Scored,
    Settled,
    SoloForced,
    Spoke,
    TrickTaken,
    Won,
)
from yawc_poker.games.doppelkopf.model import CARDS, LEVELS, SOLOS, GameType, Item, ItemKind, Kind, Result, Team
from yawc_poker.games.doppelkopf.ui.speech import (
    call_name,
    game_name,
    item_text,
    kind_name,
    plain,
    refusal,
    result_name,
    sentences,
    team_name,
)
from yawc_poker.table_ui.keys import MESSAGE_WIDTH
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import LANGUAGES, Language

EN = words("en")
LONGEST = "N" * 20
TEAMS: tuple[Team, ...] = ("re", "contra")
KINDS: tuple[Kind, ...] = ("normal", "wedding", *SOLOS)
TEN = card("10#")


def over(number: int, re_eyes: int, winner: Team | None, value: int) -> RoundOver:
    return RoundOver(Result(number, 0, GameType("normal"), (1, 3), re_eyes, winner, (), value, (0, 0, 0, 0)))


EVENTS: tuple[Event, ...] = (
    RoundBegins(1, 1, 24, 24),
    HandDealt(1, 1),
    HandDealt(1, 1, (TEN,)),
    SoloForced(1, 1),
    *(Spoke(1, 1, reservation, by_clock) for reservation in (False, True) for by_clock in (False, True)),
    *(Named(1, 1, kind, by_clock) for kind in KINDS[1:] for by_clock in (False, True)),
    GameFixed(None, None, "normal", compulsory=False, leader=2),
    GameFixed(1, 1, "wedding", compulsory=False, leader=2),
    *(GameFixed(1, 1, kind, compulsory, 1) for kind in SOLOS for compulsory in (False, True)),
    Played(1, 1, TEN),
    Played(1, 1, TEN, by_clock=True),
    TrickTaken(1, 1, 12, 44),
    Clarified(1, 1, alone=False),
    Clarified(1, 1, alone=True),
    *(Called(1, 1, team, level) for team in TEAMS for level in LEVELS),
    *(over(24, 120, winner, value) for winner in (*TEAMS, None) for value in (-12, -1, 0, 1, 13)),
    *(Scored(1, 1, points, -123) for points in (-39, 0, 39)),
    *(Answered(1, 1, yes, by_clock) for yes in (False, True) for by_clock in (False, True)),
    Abandoned(1, 1),
    *(MatchOver(reason, rounds) for reason in ("rounds", "stopped", "left") for rounds in (1, 24)),
    *(Won(1, 1, points) for points in (0, 1, 123)),
    *(Settled(1, 1, cubes) for cubes in (-1_000_000, 30_000_000)),
)

every_language = pytest.mark.parametrize("language", LANGUAGES)


def lines(event: Event | Notice, language: Language = "en", name: str = LONGEST) -> list[str]:
    return [text for text, _ in sentences(LogEntry(1, 1, name, event), words(language))]


def test_all_events_are_among_these() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


@every_language
@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_a_sentence_fits_its_line_and_names_whom_it_is_about(language: Language, event: Event) -> None:
    for text in (plain(event, LONGEST, words(language)), *lines(event, language)):
        assert len(text) <= MESSAGE_WIDTH
        assert "{" not in text
        assert (LONGEST in text) == (not isinstance(event, RoundOver | MatchOver) and event.place is not None)


@every_language
def test_only_a_card_that_a_player_has_played_is_not_told(language: Language) -> None:
    silent = [event for event in EVENTS if not lines(event, language)]
    assert silent == [HandDealt(1, 1), HandDealt(1, 1, (TEN,)), Played(1, 1, TEN)]
    assert len({line for event in EVENTS for line in lines(event, language)}) == len(EVENTS) - 11


def test_a_move_of_the_clock_is_told_as_such() -> None:
    assert lines(Played(1, 1, card("9+"), by_clock=True), name="Anna") == [
        "[SYSTEM] The time is over: Anna plays 9+.",
    ]
    assert lines(Spoke(1, 1, reservation=False, by_clock=True), name="Anna") == [
        "[SYSTEM] The time is over: Anna says: healthy."
    ]


def test_the_clock_is_not_blamed_for_what_is_played_for_one_who_has_left() -> None:
    assert lines(Spoke(None, 0, reservation=False, by_clock=True), name="Anna") == ["[INFO] Anna says: healthy."]
    assert lines(Played(None, 0, TEN, by_clock=True), name="Anna") == []
    assert plain(Played(None, 0, TEN, by_clock=True), "Anna", EN) == "Anna plays 10#."


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (Spoke(1, 1, reservation=True), "[INFO] Anna says: reservation."),
        (Named(1, 1, "aces"), "[INFO] Anna declares: aces solo."),
        (GameFixed(None, None, "normal", False, 1), "[SYSTEM] All are healthy: the normal game is played."),
        (GameFixed(1, 1, "clubs", True, 1), "[SYSTEM] Anna leads in the compulsory solo: clubs solo."),
        (Called(1, 1, "contra", "team"), "[INFO] Anna says: Contra!"),
        (Called(1, 1, "contra", "no90"), "[INFO] Anna says: no 90!"),
        (Clarified(1, 1, alone=False), "[SYSTEM] Anna wins the clarifying trick and is the partner."),
        (over(3, 120, "contra", 2), "[SYSTEM] Round 3 goes to Contra with 120 eyes, for 2 points."),
        (over(3, 151, "re", 1), "[SYSTEM] Round 3 goes to Re with 151 eyes, for 1 point."),
        (over(3, 130, None, 0), "[SYSTEM] Nobody wins round 3: both denials have failed."),
        (Scored(1, 1, 2, -4), "[SYSTEM] Anna: +2 for this round, -4 in all."),
        (Scored(1, 1, 0, 0), "[SYSTEM] Anna: 0 for this round, 0 in all."),
        (MatchOver("stopped", 1), "[SYSTEM] The match ends after 1 round: not everybody wants to go on."),
        (Won(1, 1, 1), "[SYSTEM] Anna wins the match with 1 point."),
        (Settled(1, 1, -30), "[SYSTEM] Anna: -30 CUBES."),
    ],
)
def test_sentences_by_example(event: Event, text: str) -> None:
    assert lines(event, name="Anna") == [text]


def test_calls_and_results_stand_out() -> None:
    styles = {type(event): sentences(LogEntry(1, 1, "Anna", event), EN)[0][1] for event in EVENTS if lines(event)}
    assert {kind for kind, style in styles.items() if style == Style.BOLD} == {Called, RoundOver, MatchOver, Won}
    assert sentences(LogEntry(1, 1, "Anna", Chat(0, "{hi}"), 0), EN) == (("[Anna] {hi}", Style.PLAIN),)


# --- refusals --------------------------------------------------------------------------------------------------------

FOLDER = Path(doppelkopf.__file__).parent
VALUES = {"suit": Suit.SPADES, "level": 1, "least": 10, "held": 9}


def reasons() -> set[str]:
    """Every reason that the rules can raise, as their source has it."""
    found = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "IllegalMove":
                assert isinstance(node.args[0], ast.Constant)
                found.add(str(node.args[0].value))
    return found


def test_the_reasons_are_found() -> None:
    assert {"game_over", "not_now", "must_follow_trump", "call_too_late", "wedding_open"} <= reasons()
    assert len(reasons()) == 17


@every_language
def test_every_reason_has_a_sentence_of_its_own_that_fits(language: Language) -> None:
    speech = words(language)
    told = {reason: refusal(IllegalMove(reason, **VALUES), speech) for reason in reasons()}
    fallback = refusal(IllegalMove("unheard of"), speech)
    assert [reason for reason, text in told.items() if text == fallback] == ["not_now"]
    assert len(set(told.values())) == len(told)
    assert [text for text in told.values() if len(wrap(text, 36)) > 2 or "{" in text] == []


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_no_sentence_is_left_in_english(language: Language) -> None:
    speech = words(language)
    for reason in reasons():
        illegal = IllegalMove(reason, **VALUES)
        assert refusal(illegal, speech) != refusal(illegal, EN), reason


@pytest.mark.parametrize(
    ("illegal", "text"),
    [
        (IllegalMove("must_follow", suit=Suit.CLUBS), "You must follow suit: clubs +."),
        (IllegalMove("call_skips", level=0), '"Re/Contra" must be called first.'),
        (IllegalMove("call_skips", level=2), '"no 60" must be called first.'),
        (
            IllegalMove("call_too_late", level=1, least=10, held=9),
            '"no 90" must be called with 10 cards or more; you hold 9.',
        ),
        (IllegalMove("alone", here=3, needed=4), "There are only 3 of you: a game needs at least 4 players."),
    ],
)
def test_refusals_by_example(illegal: IllegalMove, text: str) -> None:
    assert refusal(illegal, EN) == text


# --- names -----------------------------------------------------------------------------------------------------------


@every_language
def test_names_differ_and_are_short(language: Language) -> None:
    speech = words(language)
    kinds = [kind_name(kind, speech) for kind in KINDS]
    calls = [call_name(team, level, speech) for team in TEAMS for level in LEVELS]
    assert len(set(kinds)) == len(KINDS)
    assert len(set(calls)) == len(LEVELS) + 1
    assert max(map(len, kinds)) <= 16
    assert max(map(len, calls)) <= 8


@every_language
def test_every_line_of_a_score_has_a_text(language: Language) -> None:
    speech = words(language)
    steps = (90, 60, 30, 0)
    items = [
        Item(kind, 1, team, eyes)
        for kind in get_args(ItemKind)
        for team in TEAMS
        for eyes in (steps if kind in {"below", "denied"} else (0,))
    ]
    texts = {item_text(item, speech) for item in items}
    assert len(texts) == len(items) - 1, "only 'against the queens' is the same for both"
    assert max(map(len, texts)) <= 30


def test_lines_of_a_score_by_example() -> None:
    wanted: dict[tuple[ItemKind, int], str] = {
        ("won", 0): "Re wins",
        ("announced", 0): "Re announced",
        ("below", 90): "Re below 90",
        ("below", 0): "Re black",
        ("denied", 30): "Re called no 30",
        ("denied", 0): "Re called black",
        ("fox", 0): "Re: fox caught",
    }
    assert [item_text(Item(kind, 1, "re", eyes), EN) for kind, eyes in wanted] == list(wanted.values())


def result(game: GameType, *re: int) -> Result:
    return Result(1, 0, game, re, 121, "re", (), 1, (0, 0, 0, 0))


def test_a_game_is_named_by_what_is_known_of_it() -> None:
    assert game_name(GameType("queens", 1), EN) == "queens solo"
    assert game_name(GameType("queens", 1, compulsory=True), EN) == "queens solo (compulsory)"
    assert game_name(GameType("wedding", 1), EN) == "wedding"
    assert game_name(GameType("wedding", 1, clarified=2, partner=3), EN) == "wedding"
    assert game_name(GameType("wedding", 1, clarified=3), EN) == "wedding without a partner"
    assert result_name(result(GameType("normal"), 1, 2), EN) == "normal game"
    assert result_name(result(GameType("normal"), 1), EN) == "silent wedding"
    assert result_name(result(GameType("jacks", 1), 1), EN) == "jacks solo"


LETTERS: dict[Language, str] = {"en": "A+ K* Q# J- 10+ 9-", "de": "A+ K* D# B- 10+ 9-", "nl": "A+ H* V# B- 10+ 9-"}
LETTERS["fr"] = "A+ R* D# V- 10+ 9-"


@every_language
def test_court_cards_have_the_letters_of_the_language(language: Language) -> None:
    hand = [card(text) for text in LETTERS["en"].split()]
    assert cards_text(hand, words(language)) == LETTERS[language]


@every_language
def test_every_card_has_a_text_of_its_own(language: Language) -> None:
    texts = {card_text(one, words(language)) for one in CARDS}
    assert len(texts) == 24
    assert max(map(len, texts)) <= 3


@every_language
def test_the_teams_have_names(language: Language) -> None:
    assert team_name("re", words(language)) == "Re"
    assert team_name("contra", words(language)) in {"Contra", "Kontra"}
