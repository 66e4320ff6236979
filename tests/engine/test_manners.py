"""What house players say, when, and who need not read it."""

import pytest

from tests.engine.test_company import ADA, ALONE, ANNA, BERT, BOB, MADE_UP, joined, sit
from tests.engine.test_kept import ended, gone, stand_in, three
from tests.made_up_game.game import RULES
from yawc_poker.catalogues import words
from yawc_poker.engine import company, events
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import HouseSays, Phrase
from yawc_poker.engine.values import LOG, Clocks
from yawc_poker.session.house.house_player import fitting
from yawc_poker.table_ui.speech import person, said, told_name
from yawc_poker.words import LANGUAGES, Language


def phrases(table: MADE_UP) -> list[Phrase]:
    return [entry.event.phrase for entry in table.log if isinstance(entry.event, HouseSays)]


def test_they_speak_seldom_and_not_all_at_once() -> None:
    table = joined(joined(ALONE, ADA), BOB)
    table = company.speak(table, ADA, "hello")
    assert phrases(company.speak(table, BOB, "hello")) == phrases(table) == ["hello"]
    for _ in range(LOG):
        table = tables.chat(table, ANNA, "hm")
    assert phrases(company.speak(table, BOB, "thanks")) == ["thanks"]


def test_people_who_sit_down_between_games_are_greeted() -> None:
    table = joined(ALONE, ADA)
    assert fitting(table, sit(table, BERT), RULES.won) == "hello"
    assert fitting(ALONE, table, RULES.won) is None, "not by each other"
    assert fitting(three(), sit(three(), 4), RULES.won) is None, "not in a game"


def test_a_person_who_has_won_is_praised() -> None:
    playing = three()
    over = ended(playing)
    after = tables.finish(over, RULES, 5.0, Clocks())
    assert fitting(playing, after, RULES.won) == fitting(over, after, RULES.won) == "well_played"
    (seat, *_) = RULES.won(over.game) if over.game is not None else ()
    session = {0: ANNA, 1: BERT, 2: 3}[seat]
    elsewhere = ended(stand_in(gone(playing, session)))
    assert fitting(elsewhere, tables.finish(elsewhere, RULES, 5.0, Clocks()), RULES.won) is None, "they are not there"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_reads_it_in_their_own_language(language: Language) -> None:
    speak = words(language)
    told = {said(HouseSays(0, phrase), "Ada*", speak) for phrase in ("hello", "thanks", "well_played")}
    assert len(told) == 3
    assert all(line.startswith("[Ada*] ") for line in told)


def test_where_no_screen_is_a_level_is_told_in_words() -> None:
    spoken = words("en", spoken=True)
    assert told_name("Ada**", spoken) == "Ada (house player, normal)"
    assert (told_name("Anna", spoken), told_name("Ada**", words("en"))) == ("Anna", "Ada**")
    assert person(events.SatDown(0), "Ada***", spoken) == "Ada sits down at the table; level: hard."
