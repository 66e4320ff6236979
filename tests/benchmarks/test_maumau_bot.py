"""The bot that house players are measured by: measured against seeded random play, and by example."""

from random import Random

import pytest
from msgspec.structs import replace

from benchmarks.players.maumau_bot import choose
from tests.engine.adapters import pick_maumau
from tests.engine.stacked import dealing
from yawc_poker.cards import Suit, card, cards, deck
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import RANKS, Finish, MayPlay, Options, PlayCard, Player, State, Take, View, Wish

ROUNDS = 1000


def test_at_least_three_of_five_rounds_are_won_against_random_play() -> None:
    rng, won = Random(1), 0
    for number in range(ROUNDS):
        state, mine = rules.deal({0: 0, 1: 0}, 0, dealing(rules, rng), Options(1)).state, number % 2
        while (seat := rules.to_move(state)) is not None:
            view = rules.view(state, seat)
            move = choose(view, rng) if seat == mine else pick_maumau(rng.choice(view.choices), rng)
            state = rules.play(state, seat, move, rng).state
        won += state.players[mine].total == 0
    assert won >= 0.6 * ROUNDS, won


def seen(hand: str, top: str, *others: int, suit: Suit | None = None, penalty: int = 0, wish: bool = False) -> View:
    """Return the view of a player on turn with this hand; `others` are the others' numbers of cards."""
    rest = [one for one in deck(RANKS) if one not in cards(f"{hand} {top}")]
    hands = [cards(hand), *(tuple(rest.pop() for _ in range(count)) for count in others)]
    players = tuple(Player(seat, held) for seat, held in enumerate(hands))
    state = State(Options(), "", players, (), 0, tuple(range(len(players))), 1, 0, pile=(card(top),))
    return rules.view(replace(state, suit=suit, penalty=penalty, must_wish=wish), 0)


@pytest.mark.parametrize(
    ("view", "card_or_none"),
    [
        (seen("J# 9# 8#", "7#", 5), "9#"),  # the jack is kept
        (seen("J# K+ 9#", "10#", 5), "9#"),
        (seen("8# K#", "9#", 5), "K#"),  # points are shed
        (seen("7# K#", "9#", 1, 6), "7#"),  # the next player is nearly out
        (seen("A# K#", "9#", 1, 6), "A#"),
        (seen("8# 9+ 9* 9-", "9#", 5), "9+"),  # any of the nines leads to the others
    ],
)
def test_a_card(view: View, card_or_none: str) -> None:
    move = choose(view, Random(3))
    assert isinstance(move, PlayCard)
    wanted = cards("9+ 9* 9-") if card_or_none == "9+" else cards(card_or_none)
    assert move.card in wanted


def test_what_else_there_is() -> None:
    assert choose(seen("J# J+", "9*", 5), Random(1)) == Finish()
    assert choose(seen("8# 9+", "K*", 5, penalty=4), Random(1)) == Take(4)
    assert choose(seen("8# 9# K+", "J*", 5, wish=True), Random(1)) == Wish(Suit.HEARTS)


def test_it_chooses_only_what_is_offered() -> None:
    rng = Random(4)
    for players in (2, 3, 5):
        state = rules.deal(dict.fromkeys(range(players), 0), 0, dealing(rules, rng), Options(2)).state
        while (seat := rules.to_move(state)) is not None:
            view = rules.view(state, seat)
            move = choose(view, rng)
            offered = [choice.cards for choice in view.choices if isinstance(choice, MayPlay)]
            assert not isinstance(move, PlayCard) or move.card in offered[0]
            state = rules.play(state, seat, move, rng).state
