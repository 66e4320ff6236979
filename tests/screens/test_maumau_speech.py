"""Mau-Mau's events as sentences of the message area, in every language."""

import pytest

from yawc_poker.cards import Suit, card
from yawc_poker.catalogues import words
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.maumau.model import (
    Event,
    Finished,
    Forfeited,
    GaveUp,
    HandDealt,
    Lost,
    Played,
    Reshuffled,
    RoundBegins,
    RoundOver,
    Scored,
    Skipped,
    Took,
    Wished,
    Won,
)
from yawc_poker.games.maumau.ui.speech import sentence
from yawc_poker.words import LANGUAGES, Language

LONGEST = "W" * 20
ROOM = 77
"""Cells of a message line behind the arrow."""
TEN = card("10+")
EVENTS: tuple[Event, ...] = (
    RoundBegins(1, 255, 255, TEN),
    HandDealt(1, 6),
    HandDealt(1, 1, (TEN,)),
    Finished(1, 4),
    Skipped(1),
    Reshuffled(TEN),
    RoundOver(1, 255),
    Scored(1, 240, 12999),
    Lost(1, 12999),
    Forfeited(1),
    Won(1, 12999),
    GaveUp(1),
    *(Played(1, TEN, clock) for clock in (False, True)),
    *(
        Took(1, count, penalty, clock)
        for count, penalty in ((0, False), (1, False), (8, True))
        for clock in (False, True)
    ),
    *(Wished(1, suit, clock) for suit in Suit for clock in (False, True)),
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_every_event_is_a_sentence_that_fits_its_line(event: Event, language: Language) -> None:
    text, _ = sentence(LogEntry(1, 1, LONGEST, event, 1), words(language))
    assert len(text) <= ROOM
    assert (LONGEST in text) == (event.seat is not None)
    assert "{" not in text
