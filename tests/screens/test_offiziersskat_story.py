"""A match of Offiziersskat told again: every card that was dealt, every trick, every card turned up, all results."""

import re
from collections.abc import Sequence
from random import Random

import msgspec
import pytest

from tests.engine.stacked import dealing
from yawc_poker.cards import cards, written
from yawc_poker.catalogues import words
from yawc_poker.engine.transcript import Action, ActionKind, Dealt, Participant
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import CARDS, Move, Options, PlayCard, State
from yawc_poker.games.offiziersskat.rules import read_move
from yawc_poker.games.offiziersskat.ui.narrative import RETOLD
from yawc_poker.words import LANGUAGES, Language

EN = words("en")
NAMES = ("Anna", "Bert")


class Match:
    """A match as the bank's books would have it."""

    def __init__(self, seed: int, target: int = 21) -> None:
        self.rng = Random(seed)
        self.dealing = dealing(rules, self.rng)
        people = tuple(Participant(seat, seat + 1, name, 1000) for seat, name in enumerate(NAMES))
        detail = Dealt(0, people, msgspec.Raw(msgspec.json.encode(Options(target))))
        self.actions: list[Action] = []
        self.add("deal", 0, msgspec.json.encode(detail).decode())
        self.state: State = rules.deal({0: 0, 1: 0}, 0, self.dealing, Options(target)).state

    def add(self, kind: ActionKind, seat: int, detail: str = "") -> None:
        number = len(self.actions)
        self.actions.append(Action(number, number, kind, seat, seat + 1, detail))

    def do(self, seat: int, move: Move) -> None:
        self.add("move", seat, msgspec.json.encode(move).decode())
        self.state = rules.play(self.state, seat, move, self.rng).state

    def let_pass(self) -> "Match":
        assert self.state.current is not None
        self.add("time", self.state.current)
        self.state = rules.timeout(self.state, self.rng).state
        return self

    def leave(self, seat: int) -> "Match":
        self.add("leave", seat)
        self.state = rules.leave(self.state, seat).state
        return self

    def until(self, rounds: int, tricks: int = 0, played: int = 0) -> "Match":
        """Play until so many rounds, tricks and cards have been played, or the match is over."""
        wanted = (rounds, tricks, played)
        while not rules.is_over(self.state) and self.moment < wanted:
            seat = self.state.current
            assert seat is not None
            self.do(seat, PlayCard(self.rng.choice(rules.legal_moves(self.state, seat)[0].cards)))
        return self

    @property
    def moment(self) -> tuple[int, int, int]:
        return len(self.state.results), len(self.state.round.tricks), len(self.state.round.trick)

    def told(self, language: Language = "en") -> list[str]:
        return [one.text for one in RETOLD.story(self.dealing, self.actions, (None,), words(language))]


def dealt(told: Sequence[str]) -> list[tuple[str, str, str]]:
    return re.findall(r"^(\w+) has (.*); below them lie (.*)\.$", "\n".join(told), re.MULTILINE)


def tricks(told: Sequence[str]) -> list[tuple[str, str]]:
    """Return who played which card in all tricks."""
    found = re.findall(r"^Trick \d+: (\w+) (\S+), (\w+) (\S+); \w+ takes \d+ eyes\.$", "\n".join(told), re.MULTILINE)
    return [pair for first, one, second, two in found for pair in ((first, one), (second, two))]


def test_a_whole_match_is_told_card_by_card_to_everybody() -> None:
    match = Match(3).until(99)
    told, rounds = match.told(), len(match.state.results)
    hands, played = dealt(told), tricks(told)
    assert rounds > 5
    assert [name for name, _, _ in hands] == list(NAMES) * rounds
    assert len(played) == 32 * rounds
    for number in range(rounds):
        both = hands[2 * number : 2 * number + 2]
        held = {name: sorted(cards(f"{opened} {covered}")) for name, opened, covered in both}
        assert sorted(held["Anna"] + held["Bert"]) == sorted(CARDS)
        now = played[32 * number : 32 * number + 32]
        assert {name: sorted(cards(written_by(name, now))) for name in NAMES} == held
    assert not any(" plays " in text for text in told)
    assert told[-1].endswith("points.")
    assert " wins the match with " in told[-1]


def written_by(name: str, played: Sequence[tuple[str, str]]) -> str:
    return " ".join(one for who, one in played if who == name)


def test_every_covered_card_is_told_when_it_is_turned_up() -> None:
    told = Match(3).until(1).told()
    first_round = told[: next(at for at, text in enumerate(told) if " wins round 1" in text or " is a draw" in text)]
    lines = "\n".join(text for text in first_round if text.startswith("Turned up: "))
    turned = re.findall(r"(Anna|Bert) (\S+?)(?:, |\.$)", lines, re.MULTILINE)
    wanted = {(name, one) for name, _, covered in dealt(first_round) for one in covered.split()}
    assert len(wanted) == 16
    assert set(turned) == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_match_can_be_told_in_every_language(language: Language) -> None:
    match = Match(5, target=4).until(99)
    told = match.told(language)
    assert len(told) == len(match.told())
    assert not any("{" in text for text in told)
    assert (told == match.told()) == (language == "en")


def test_results_are_those_of_the_rounds() -> None:
    match = Match(6).until(99)
    found = RETOLD.standings(match.dealing, match.actions)
    assert RETOLD.counted == "points"
    assert [one.seat for one in found] == [0, 1]
    assert [one.rounds for one in found] == [
        tuple(result.points[seat] for result in match.state.results) for seat in (0, 1)
    ]
    assert [one.total for one in found] == [sum(one.rounds) for one in found]
    assert [one.won for one in found] == [one.total == max(two.total for two in found) for one in found]
    assert [one.lost for one in found] == [not one.won for one in found]
    assert not any(one.left for one in found)


def test_a_match_that_runs_has_no_winner_yet() -> None:
    match = Match(6).until(2, 4)
    assert not any(one.won or one.lost for one in RETOLD.standings(match.dealing, match.actions))


def test_who_leaves_has_lost_and_the_card_that_was_led_is_told() -> None:
    match = Match(8).until(1, 3, 1)
    led, leader = match.state.round.trick[0], match.state.round.leader
    other = 1 - leader
    told = match.leave(other).told()
    assert f"{NAMES[leader]} plays {led}." in told
    assert sum(" plays " in text for text in told) == 1
    assert f"{NAMES[other]} has left the running match and loses it." in told
    assert told[-1] == f"{NAMES[leader]} wins the match, as the other player has left."
    found = RETOLD.standings(match.dealing, match.actions)
    assert [one.left for one in found] == [one.lost for one in found] == [seat == other for seat in (0, 1)]
    assert [one.won for one in found] == [seat == leader for seat in (0, 1)]


def test_the_clock_and_the_rules_are_told_with_the_action_they_belong_to() -> None:
    match = Match(3, target=1).let_pass().let_pass()
    found = list(RETOLD.consequences(match.dealing, match.actions, EN))
    assert [number for number, _ in found] == [0, 1, 2, 2]
    texts = [text for _, text in found]
    assert texts[0].startswith("Round 1")
    assert texts[1].startswith("The time is over: Anna plays ")
    assert texts[2].startswith("The time is over: Bert plays ")
    assert " takes trick 1 with " in texts[3]
    match.until(99)
    last = [
        text
        for number, text in RETOLD.consequences(match.dealing, match.actions, EN)
        if number == len(match.actions) - 1
    ]
    assert len(last) == 5
    assert " takes trick 16 with " in last[0]


def test_a_move_is_described_for_sysops() -> None:
    move = PlayCard(CARDS[0])
    assert RETOLD.move(read_move(msgspec.json.encode(move).decode())) == f"plays {written(CARDS[:1])}"
