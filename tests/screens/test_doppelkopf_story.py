"""A match of Doppelkopf told again: every card, every call, the score, and nothing of a round that was broken off."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest

from tests.engine.adapters import pick_doppelkopf
from tests.engine.stacked import dealing
from yawc_poker.cards import cards, written
from yawc_poker.casino.bank.history import PastGame, PastPlayer, Proof, Summary
from yawc_poker.casino.bank.verify import verify
from yawc_poker.catalogues import words
from yawc_poker.engine import sealing
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.replay import replay
from yawc_poker.engine.sealing import Deck, PlayerWord
from yawc_poker.engine.transcript import Action, Dealt, Joined, Participant
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.game import RULES
from yawc_poker.games.doppelkopf.model import (
    CARDS,
    Call,
    GoOn,
    Healthy,
    Move,
    NoSolo,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    State,
)
from yawc_poker.games.doppelkopf.progress import later_deal
from yawc_poker.games.doppelkopf.rules import read_move
from yawc_poker.games.doppelkopf.ui.narrative import RETOLD
from yawc_poker.session.menus.history import page
from yawc_poker.words import LANGUAGES, Language

EN = words("en")
NAMES = ("Anna", "Bert", "Carl", "Dora")
DOCUMENT = Path(__file__).parents[2] / "docs" / "fairness.md"


class Match:
    """A match as the bank's books would have it."""

    def __init__(self, seed: int, options: Options, dealt: Dealing | None = None) -> None:
        self.rng = Random(seed)
        self.dealing = dealt or dealing(rules, self.rng)
        people = tuple(Participant(seat, seat + 1, name, 1000) for seat, name in enumerate(NAMES))
        detail = Dealt(0, people, msgspec.Raw(msgspec.json.encode(options)))
        self.actions = [Action(0, 0, "deal", 0, 1, msgspec.json.encode(detail).decode())]
        self.state: State = rules.deal(dict.fromkeys(range(4), 1000), 0, self.dealing, options).state

    def do(self, seat: int, move: Move) -> None:
        detail = msgspec.json.encode(move).decode()
        self.actions.append(Action(len(self.actions), len(self.actions), "move", seat, seat + 1, detail))
        self.state = rules.play(self.state, seat, move, self.rng).state

    def let_pass(self) -> None:
        assert self.state.current is not None
        self.actions.append(Action(len(self.actions), len(self.actions), "time", self.state.current, 1))
        self.state = rules.timeout(self.state, self.rng).state

    def leave(self, seat: int) -> None:
        self.actions.append(Action(len(self.actions), len(self.actions), "leave", seat, seat + 1))
        self.state = rules.leave(self.state, seat).state

    def join(self, seat: int, name: str) -> None:
        detail = msgspec.json.encode(Joined(name, 50)).decode()
        self.actions.append(Action(len(self.actions), len(self.actions), "join", seat, 9, detail))
        self.state = rules.join(self.state, seat, 50).state

    def step(self) -> None:
        """Make a move by chance; everybody wants to go on."""
        seat = self.state.current
        assert seat is not None
        choices = rules.legal_moves(self.state, seat)
        move = pick_doppelkopf(self.rng.choice(choices), self.rng)
        self.do(seat, GoOn(True) if isinstance(move, GoOn) else move)

    def until(self, number: int, tricks: int = 0) -> "Match":
        """Play until so many tricks of a round have been taken, or the match is over."""
        while not rules.is_over(self.state) and (self.state.round.number, len(self.state.round.tricks)) < (
            number,
            tricks,
        ):
            self.step()
        return self

    def told(self, seats: Collection[int | None] = (0,), language: Language = "en") -> list[str]:
        return [one.text for one in RETOLD.story(self.dealing, self.actions, seats, words(language))]


def whole(seed: int = 3, options: Options | None = None) -> Match:
    return Match(seed, options or Options(rounds=3)).until(99)


def dealt(told: Sequence[str]) -> list[tuple[str, str]]:
    return re.findall(r"^(\w+) is dealt (.*)\.$", "\n".join(told), re.MULTILINE)


def tricks(text: str) -> list[tuple[str, str]]:
    """Return who played which card in a trick that is told in this line."""
    found = re.fullmatch(r"Trick \d+: (.*); \w+ takes \d+ eyes\.", text)
    return [] if found is None else re.findall(r"(\w+) (\S+?)(?:, |$)", found[1])


@pytest.mark.parametrize("options", [Options(rounds=2), Options(tournament=True)])
def test_a_whole_match_is_told_card_by_card_to_everybody(options: Options) -> None:
    match = whole(3, options)
    told = match.told(seats=(None,))
    hands, rounds = dealt(told), options.games
    assert [name for name, _ in hands] == list(NAMES) * rounds
    for number in range(rounds):
        held = {name: Counter(cards(hand)) for name, hand in hands[4 * number : 4 * number + 4]}
        assert sum(held.values(), Counter()) == Counter(CARDS)
        assert all(hand.total() == 12 for hand in held.values())
    played = [pair for text in told for pair in tricks(text)]
    assert Counter(played) == Counter((name, one) for name, hand in hands for one in hand.split())
    assert sum(text.startswith("Trick ") for text in told) == 12 * rounds
    assert not any(" plays " in text for text in told if " plays alone" not in text)
    assert sum(text.startswith("Score: ") for text in told) >= rounds - 1
    assert sum(text.startswith("Played: ") for text in told) == rounds
    called = sum(action.kind == "move" and '"Call"' in action.detail for action in match.actions)
    assert sum(text.endswith("!") for text in told) == called > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_match_can_be_told_in_every_language(language: Language) -> None:
    match = whole(5)
    told = match.told(language=language)
    assert len(told) == len(match.told())
    assert not any("{" in text for text in told)
    assert (told == match.told()) == (language == "en")


def test_the_lines_of_a_score_add_up_to_what_the_round_is_worth() -> None:
    match = whole(4, Options(rounds=8))
    told = match.told()
    lines = [text for text in told if text.startswith("Score: ")]
    sums = [sum(map(int, re.findall(r" ([+-]\d+)(?=[,.])", text))) for text in lines]
    assert sums == [one.value for one in match.state.results if one.items]
    re_teams = [re.fullmatch(r"Played: .*; Re: (.*)\.", text) for text in told if text.startswith("Played: ")]
    assert [found and found[1] for found in re_teams] == [
        ", ".join(NAMES[place] for place in one.re) for one in match.state.results
    ]


def test_results_are_those_of_the_rounds() -> None:
    match = whole(6, Options(rounds=5))
    found = RETOLD.standings(match.dealing, match.actions)
    assert RETOLD.counted == "points"
    assert [one.seat for one in found] == [0, 1, 2, 3]
    assert [one.rounds for one in found] == [
        tuple(result.points[seat] for result in match.state.results) for seat in range(4)
    ]
    assert sum(one.total for one in found) == 0
    best = max(one.total for one in found)
    assert [one.won for one in found] == [one.total == best for one in found]
    assert not any(one.left or one.lost for one in found)


def test_a_match_that_runs_has_no_winner_yet() -> None:
    match = Match(6, Options(rounds=5)).until(3, 4)
    assert not any(one.won for one in RETOLD.standings(match.dealing, match.actions))
    assert all(len(one.rounds) == 2 for one in RETOLD.standings(match.dealing, match.actions))


# --- who leaves -------------------------------------------------------------------------------------------------------


def left_match() -> Match:
    match = Match(8, Options(rounds=5)).until(2, 3)
    match.leave(2)
    match.join(2, "Zoe")
    return match.until(99)


def test_who_has_left_is_named_to_the_end_though_somebody_else_sits_there() -> None:
    match = left_match()
    told = match.told()
    joined = told.index("Zoe sits down at the table.")
    assert "Carl has left; this round is the last one." in told
    assert sum(name == "Carl" for text in told[joined:] for name, _ in tricks(text)) == 9
    assert sum(text.startswith("The time is over: Carl plays ") for text in told[joined:]) == 0
    assert not any("Zoe" in text or "Seat" in text for text in told[joined + 1 :])
    assert any(text.startswith("The match ends after 2 rounds") for text in told)
    assert [one.left for one in RETOLD.standings(match.dealing, match.actions)] == [False, False, True, False]


@pytest.mark.parametrize("seed", range(0, 12, 2))
@pytest.mark.parametrize("options", [Options(rounds=2), Options(tournament=True)])
def test_whatever_happens_can_be_told(seed: int, options: Options) -> None:
    """Somebody lets the time pass, somebody leaves, in whatever phase that is, and nothing that is told is missing."""
    match, chance = Match(seed, options), Random(seed)
    while not rules.is_over(match.state):
        present = [place for place, player in enumerate(match.state.players) if not player.gone]
        if chance.random() < 0.002 * seed:
            match.leave(chance.choice(present))
        elif chance.random() < 0.2:
            match.let_pass()
        else:
            match.step()
    told = match.told(seats=(None,))
    rounds = len(match.state.results)
    assert len(dealt(told)) == 4 * rounds
    assert sum(len(tricks(text)) for text in told) == 48 * rounds
    assert Counter(RETOLD.opened(match.dealing, match.actions, None)) == Counter(map(str, CARDS))
    assert len(RETOLD.standings(match.dealing, match.actions)[0].rounds) == rounds
    consequences = list(RETOLD.consequences(match.dealing, match.actions, EN))
    assert sum(" takes trick " in text for _, text in consequences) == 12 * rounds


# --- what is open ----------------------------------------------------------------------------------------------------


def own(match: Match, seat: int) -> Counter[str]:
    first = next(step.state for _, step in replay(rules, match.dealing, match.actions))
    return Counter(map(str, first.players[seat].hand))


def test_all_cards_of_a_match_that_was_played_to_its_end_are_open() -> None:
    for match in (whole(), left_match()):
        for seat in (0, None):
            assert Counter(RETOLD.opened(match.dealing, match.actions, seat)) == Counter(map(str, CARDS))


def test_a_first_round_that_was_broken_off_opens_what_was_played() -> None:
    match = Match(9, Options()).until(1, 5)
    played = Counter(str(card) for trick in match.state.round.tricks for card in trick.cards)
    assert not match.state.round.trick
    assert Counter(RETOLD.opened(match.dealing, match.actions, None)) == played
    for seat in range(4):
        found = Counter(RETOLD.opened(match.dealing, match.actions, seat))
        assert found == played | found
        assert found == own(match, seat) + Counter(
            str(card)
            for trick in match.state.round.tricks
            for at, card in enumerate(trick.cards)
            if (trick.leader + at) % 4 != seat
        )
        assert found.total() == 12 + 15


def test_a_later_round_that_was_broken_off_opens_nothing_that_tells_the_secret() -> None:
    match = Match(9, Options()).until(2, 5)
    for seat in range(4):
        assert Counter(RETOLD.opened(match.dealing, match.actions, seat)) == own(match, seat)
    assert RETOLD.opened(match.dealing, match.actions, None) == ()


def test_the_hands_of_a_round_that_was_broken_off_are_told_to_their_players_alone() -> None:
    match = Match(9, Options()).until(2, 5)
    assert [name for name, _ in dealt(match.told((1,)))] == [*NAMES, "Bert"]
    assert [name for name, _ in dealt(match.told((None,)))] == list(NAMES)
    first = Match(9, Options()).until(1, 5)
    told = first.told((0,))
    assert [name for name, _ in dealt(told)] == ["Anna"]
    shown = {card for text in told for card in re.findall(r"(?:10|[9JQKA])[-#*+]", text)}
    seen = {str(card) for trick in first.state.round.tricks for card in trick.cards}
    assert shown == seen | set(own(first, 0))


def test_the_cards_of_a_trick_that_was_never_complete_are_told() -> None:
    match = Match(9, Options()).until(1, 5)
    match.let_pass()
    match.step()
    laid = [str(card) for card in match.state.round.trick]
    assert len(laid) == 2
    told = match.told()
    assert [text.rpartition(" ")[2] for text in told[-2:]] == [f"{card}." for card in laid]
    assert told[-2].startswith("The time is over: ")
    assert sum(" plays " in text for text in told if " plays alone" not in text) == 2


def broken_off(match: Match, deck: Deck) -> PastGame:
    people = tuple(PastPlayer(seat + 1, name, seat) for seat, name in enumerate(NAMES))
    game = Summary(1, 0, "doppelkopf", 0.0, 1.0, "refunded", sealing.seal(deck), GIVEN, people, 0, None)
    return PastGame(game, (), Proof(deck.order, deck.secret, ()), tuple(match.actions), None)


GIVEN = tuple(PlayerWord(seat, "word") for seat in range(4))


@pytest.mark.parametrize("number", [1, 2])
def test_the_page_of_a_match_that_was_broken_off_does_not_give_its_hands_away(number: int) -> None:
    deck = sealing.shuffle(rules.DECK, Random(9))
    match = Match(9, Options(), sealing.dealing(deck, GIVEN)).until(number, 3)
    past = broken_off(match, deck)
    assert verify(past, RULES).verdict == "proven"
    for user, name in enumerate(NAMES, 1):
        text = page(past, user, "1", EN).text
        assert deck.secret not in text
        assert [who for who, _ in re.findall(r"  (\w+) is dealt (.*)$", text, re.MULTILINE)][4 * (number - 1) :] == [
            name
        ]
        held = {str(card) for card in match.state.players[user - 1].hand}
        hidden = {
            str(card) for place, player in enumerate(match.state.players) for card in player.hand if place != user - 1
        }
        last_round = text.partition(f"Round {number} of")[2].partition("The seal")[0]
        assert all(card in last_round for card in held)
        shown = {str(card) for trick in match.state.round.tricks for card in trick.cards}
        assert not any(card in re.findall(r"[^\s.,;]+", last_round) for card in hidden - held - shown)


# --- for sysops ------------------------------------------------------------------------------------------------------


def test_the_consequences_of_an_action_are_told_with_its_number() -> None:
    match = Match(3, Options(rounds=1))
    for _ in range(4):
        match.let_pass()
    match.let_pass()
    match.until(99)
    found = list(RETOLD.consequences(match.dealing, match.actions, EN))
    assert found[:2] == [(0, "Round 1 of 1: Anna deals."), (1, "The time is over: Bert says: healthy.")]
    assert found[4:6] == [
        (4, "The time is over: Anna says: healthy."),
        (4, "All are healthy: the normal game is played."),
    ]
    assert found[6][1].startswith("The time is over: Bert plays ")
    last = [text for number, text in found if number == len(match.actions) - 1]
    assert last[0].split(" takes ")[1].startswith("trick 12 with ")
    assert last[1].startswith("Round 1 goes to ")
    assert last[2].startswith("Played: normal game; Re: ")
    assert last[3].startswith("Score: ")
    assert [text.partition(":")[0] for text in last[4:8]] == list(NAMES)
    assert last[8] == "The match is over after 1 round."
    assert last[9].split(" wins ")[1].startswith("the match with ")


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Healthy(), "says healthy"),
        (Reserve(), "says reservation"),
        (PlaySolo("aces"), "declares a solo: aces"),
        (NoSolo(), "declares a wedding"),
        (PlayCard(CARDS[0]), "plays 9-"),
        (Call("team"), "announces the own team"),
        (Call("black"), "calls black"),
        (GoOn(True), "wants to go on"),
        (GoOn(False), "wants to stop"),
    ],
)
def test_moves_are_described_for_sysops(move: Move, text: str) -> None:
    assert RETOLD.move(read_move(msgspec.json.encode(move).decode())) == text


# --- later rounds ----------------------------------------------------------------------------------------------------


def the_script() -> str:
    return DOCUMENT.read_text().split("```python\n")[2].partition("```")[0]


@pytest.mark.parametrize(("seed", "number"), [("5eed", 2), ("0" * 64, 16)])
def test_the_script_of_the_handbook_deals_later_rounds(seed: str, number: int) -> None:
    command = [sys.executable, "-I", "-S", "-c", the_script(), seed, str(number)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    order = later_deal(seed, number)
    assert text.splitlines() == [written(order[at : at + 12]) for at in range(0, 48, 12)]
