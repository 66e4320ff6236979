"""The options of each game, as people choose and read them."""

from collections.abc import Callable

import pytest

from yawc_poker.catalogues import words
from yawc_poker.engine.events import OptionsChosen
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.doppelkopf.model import Options as Match
from yawc_poker.games.doppelkopf.ui import choices as doppelkopf
from yawc_poker.games.maumau.model import Options as Rounds
from yawc_poker.games.maumau.ui import choices as maumau
from yawc_poker.games.offiziersskat.model import Event
from yawc_poker.games.offiziersskat.model import Options as Points
from yawc_poker.games.offiziersskat.ui import choices as offiziersskat
from yawc_poker.games.offiziersskat.ui.speech import sentences as skat_sentences
from yawc_poker.games.poker import game as poker
from yawc_poker.games.poker.model import Options as Stakes
from yawc_poker.table_ui import speech
from yawc_poker.words import LANGUAGES, Language

EN = words("en")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("tournament", Match(rounds=8, tournament=True)),
        ("Turnier", Match(rounds=8, tournament=True)),
        ("toernooi", Match(rounds=8, tournament=True)),
        ("normal", Match(rounds=8)),
        ("rounds 32", Match(rounds=32)),
        ("runden  1", Match(rounds=1)),
        ("cubes 5", Match(rounds=8, cubes=5)),
        ("CUBES 0", Match(rounds=8)),
    ],
)
def test_a_match_of_doppelkopf(line: str, meant: Match) -> None:
    assert doppelkopf.CHOICES.choose(Match(rounds=8), line) == meant


def test_the_options_of_doppelkopf_are_chosen_one_by_one() -> None:
    options = Match()
    for line in ("cubes 5", "tournament"):
        options = doppelkopf.CHOICES.choose(options, line)
    assert options == Match(tournament=True, cubes=5)
    assert doppelkopf.CHOICES.choose(options, "normal") == Match(cubes=5)
    assert doppelkopf.CHOICES.choose(options, "rounds 4") == Match(rounds=4, cubes=5)


@pytest.mark.parametrize(
    ("line", "target"), [("short", 7), ("Kurz", 7), ("points 10", 10), ("punten 1", 1), ("normal", 21)]
)
def test_a_match_of_offiziersskat_is_as_long_as_its_master_wants(line: str, target: int) -> None:
    assert offiziersskat.CHOICES.choose(Points(9, master_opens=True), line) == Points(target, master_opens=True)


@pytest.mark.parametrize(
    ("line", "reason"), [("", "no_option"), ("short 3", "no_option"), ("points 22", "option_range")]
)
def test_no_other_match_of_offiziersskat_can_be_chosen(line: str, reason: str) -> None:
    assert refused(lambda: offiziersskat.CHOICES.choose(Points(), line))[0] == reason


@pytest.mark.parametrize("line", ["", "rounds", "tournament 3", "normal x", "cubes", "ante 5", "8"])
def test_there_is_no_such_option_of_doppelkopf(line: str) -> None:
    assert refused(lambda: doppelkopf.CHOICES.choose(Match(), line)) == ("no_option", {})


@pytest.mark.parametrize(
    ("line", "low", "high"),
    [
        ("rounds 0", 1, 32),
        ("rounds 33", 1, 32),
        ("rounds x", 1, 32),
        ("rounds 4 5", 1, 32),
        ("cubes -1", 0, 1_000_000),
        ("cubes 1000001", 0, 1_000_000),
        ("cubes 9" + 99 * "9", 0, 1_000_000),
        ("cubes \u00b2", 0, 1_000_000),
    ],
)
def test_a_number_has_limits(line: str, low: int, high: int) -> None:
    assert refused(lambda: doppelkopf.CHOICES.choose(Match(), line)) == ("option_range", {"low": low, "high": high})


def test_the_rounds_of_maumau() -> None:
    assert maumau.CHOICES.choose(Rounds(), "rounds 255") == maumau.CHOICES.choose(Rounds(), "RUNDEN 255") == Rounds(255)
    assert refused(lambda: maumau.CHOICES.choose(Rounds(), "rounds 256")) == ("option_range", {"low": 1, "high": 255})
    assert refused(lambda: maumau.CHOICES.choose(Rounds(), "tournament")) == ("no_option", {})
    assert maumau.terms(Rounds(1), EN) == ("1 round is played.",)


def test_only_the_sysop_chooses_the_stakes_of_poker() -> None:
    assert refused(lambda: poker.CHOICES.choose(Stakes(), "ante 5")) == ("no_option", {})
    assert poker.terms(Stakes(), EN) == ("The ante is 10 CUBES, a bet at most 200 CUBES.",)
    assert poker.usage(EN) == "The sysop chooses the stakes."


def test_what_is_at_stake_is_told() -> None:
    assert doppelkopf.terms(Match(), EN) == (
        "A match of 16 rounds.",
        "It is played for points, not for CUBES.",
    )
    first, *stakes = doppelkopf.terms(Match(tournament=True, cubes=5), EN)
    assert first.startswith("A tournament of 24 games")
    assert stakes == [
        "At stake: 5 CUBES for each point, won above 0 and paid below 0.",
        "You pay at most what you own at the start, even if you leave.",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_term_is_one_line_of_the_messages(language: Language) -> None:
    speak = words(language)
    for options in (Match(), Match(1), Match(tournament=True, cubes=1), Match(cubes=99_999)):
        terms = doppelkopf.terms(options, speak)
        assert speech.term_lines(terms) == list(terms)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_that_are_told_are_understood(language: Language) -> None:
    """What a caller reads after a wrong `/option`, typed as it stands there."""
    usage = doppelkopf.usage(words(language))
    for name in (part.split()[0].strip(",") for part in usage.split("/option ")[1:]):
        line = name if name not in {"rounds", "runden", "ronden", "cubes"} else f"{name} 3"
        assert isinstance(doppelkopf.CHOICES.choose(Match(tournament=True, rounds=9), line), Match)


def refused(choose: Callable[[], object]) -> tuple[str, dict[str, int]]:
    with pytest.raises(IllegalMove) as refusal:
        choose()
    return refusal.value.reason, refusal.value.values


def test_whoever_sits_at_offiziersskat_reads_what_was_chosen() -> None:
    entry: LogEntry[Event] = LogEntry(1, 1, "Anna", OptionsChosen(0, '{"target": 7}'))
    told = [line for line, _ in skat_sentences(entry, EN)]
    assert told == ["[INFO] Anna chooses how the next game is played:", "[SYSTEM] The match ends at 7 points."]
