"""Offiziersskat in words: every event, every refusal, in each language and short enough for its place."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from yawc_poker.cards import Suit, card
from yawc_poker.catalogues import words
from yawc_poker.engine.events import Chat, DealtBy, Notice
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.sealing import PlayerWord
from yawc_poker.engine.values import LogEntry
from yawc_poker.games import offiziersskat
from yawc_poker.games.offiziersskat.model import (
    Covered,
    Drawn,
    Event,
    Forfeited,
    HandDealt,
    Played,
    RoundBegins,
    RoundOver,
    Scored,
    TrickTaken,
    Won,
)
from yawc_poker.games.offiziersskat.ui.speech import plain, refusal, sentences, trump_name, trump_sign, witnessed
from yawc_poker.table_ui.keys import MESSAGE_WIDTH
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import LANGUAGES, Language

EN = words("en")
LONGEST = "N" * 20
TEN = card("10#")

EVENTS: tuple[Event, ...] = (
    *(RoundBegins(1, 21, trump) for trump in (None, *Suit)),
    HandDealt(1, (TEN,) * 8),
    Covered(None),
    Played(1, TEN),
    Played(1, TEN, by_clock=True),
    TrickTaken(1, 16, 22, (None, TEN)),
    RoundOver(1, 21),
    RoundOver(None, 21),
    *(Scored(1, eyes, points, 20) for eyes, points in ((0, 0), (60, 1), (90, 2), (120, 4))),
    *(Won(1, points) for points in (1, 24)),
    Won(1, 0, forfeited=True),
    *(Drawn(points) for points in (1, 21)),
    Forfeited(1),
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
        assert (LONGEST in text) == (event.seat is not None)


@every_language
def test_only_cards_that_are_seen_are_not_told(language: Language) -> None:
    seen = [HandDealt(1, (TEN,) * 8), Covered(None), Played(1, TEN)]
    assert [event for event in EVENTS if not lines(event, language)] == seen
    assert len({line for event in EVENTS for line in lines(event, language)}) == len(EVENTS) - len(seen)


def test_a_by_stander_who_sees_no_trick_is_told_each_card() -> None:
    played: LogEntry[Event] = LogEntry(1, 1, "Anna", Played(1, TEN))
    assert witnessed(played, EN) == (("[INFO] Anna plays 10#.", Style.CYAN),)
    for event in EVENTS:
        entry: LogEntry[Event] = LogEntry(1, 1, "Anna", event)
        assert (
            isinstance(event, HandDealt | Covered)
            or event == played.event
            or witnessed(entry, EN) == sentences(entry, EN)
        )


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (RoundBegins(0, 1, Suit.SPADES), "[SYSTEM] Round 1: trump is spades *; Anna leads."),
        (RoundBegins(0, 2, None), "[SYSTEM] Round 2 is a Grand; Anna leads."),
        (Played(0, card("9+"), by_clock=True), "[SYSTEM] The time is over: Anna plays 9+."),
        (TrickTaken(0, 3, 21, (None, None)), "[SYSTEM] Anna takes trick 3 with 21 eyes."),
        (RoundOver(0, 3), "[SYSTEM] Anna wins round 3."),
        (RoundOver(None, 3), "[SYSTEM] Round 3 is a draw: both have 60 eyes."),
        (Scored(0, 71, 2, 9), "[SYSTEM] Anna: 71 eyes, 2 points, 9 in all."),
        (Scored(0, 60, 1, 1), "[SYSTEM] Anna: 60 eyes, 1 point, 1 in all."),
        (Won(0, 22), "[SYSTEM] Anna wins the match with 22 points."),
        (Won(0, 2, forfeited=True), "[SYSTEM] Anna wins the match, as the other player has left."),
        (Drawn(21), "[SYSTEM] The match is a draw: both have 21 points."),
        (Forfeited(0), "[SYSTEM] Anna has left the running match and loses it."),
    ],
)
def test_sentences_by_example(event: Event, text: str) -> None:
    assert lines(event, name="Anna") == [text]


def test_results_stand_out() -> None:
    styles = {type(event): sentences(LogEntry(1, 1, "Anna", event), EN)[0][1] for event in EVENTS if lines(event)}
    assert {kind for kind, style in styles.items() if style == Style.BOLD} == {RoundOver, Won, Drawn, Forfeited}
    assert sentences(LogEntry(1, 1, "Anna", Chat(0, "{hi}"), 0), EN) == (("[Anna] {hi}", Style.PLAIN),)


def test_a_seal_and_the_words_of_both_share_a_line() -> None:
    dealt = DealtBy("f" * 64, (PlayerWord(0, "abc"), PlayerWord(1, "xyz")))
    assert lines(dealt) == ["[SYSTEM] Seal of these cards: ffffffff   Words: 1 abc, 2 xyz"]


@pytest.mark.parametrize(
    ("language", "trump", "name", "sign"),
    [
        ("en", Suit.CLUBS, "clubs +", "+"),
        ("de", Suit.DIAMONDS, "Karo -", "-"),
        ("nl", Suit.HEARTS, "harten #", "#"),
        ("en", None, "Grand", "J"),
        ("de", None, "Grand", "B"),
        ("nl", None, "Grand", "B"),
    ],
)
def test_the_trump_has_a_name_and_a_sign(language: Language, trump: Suit | None, name: str, sign: str) -> None:
    assert (trump_name(trump, words(language)), trump_sign(trump, words(language))) == (name, sign)


# --- refusals --------------------------------------------------------------------------------------------------------

FOLDER = Path(offiziersskat.__file__).parent
VALUES = {"suit": Suit.SPADES}


def reasons() -> set[str]:
    """Every reason that the rules can raise, as their source has it."""
    calls = [
        node
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "IllegalMove"
    ]
    return {str(ast.literal_eval(call.args[0])) for call in calls}


def test_the_reasons_are_found() -> None:
    assert reasons() == {"game_over", "not_your_turn", "not_held", "must_follow", "must_follow_trump"}


@every_language
def test_every_reason_has_a_sentence_of_its_own_that_fits(language: Language) -> None:
    speech = words(language)
    told = [refusal(IllegalMove(reason, **VALUES), speech) for reason in reasons()]
    assert refusal(IllegalMove("unheard of"), speech) not in told
    assert len(set(told)) == len(told)
    assert [text for text in told if len(wrap(text, 36)) > 2 or "{" in text] == []


def test_the_refusals_of_any_table_are_told() -> None:
    assert refusal(IllegalMove("game_over"), EN) == "The match is over."
    alone = IllegalMove("alone", here=1, needed=2)
    assert refusal(alone, EN) == "You are alone at the table: a game needs at least 2 players."
