"""Doppelkopf's score: the worked examples S1 to S35, and what holds for every round (spec/doppelkopf.md 7, 8, 10)."""

from itertools import combinations_with_replacement
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.cards import Rank, Suit, cards, deck
from yawc_poker.games.doppelkopf.model import CARDS, RANKS, SOLOS, Item, Kind, Team
from yawc_poker.games.doppelkopf.scoring import points, score, special_points, target, winner_of
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.tricks import Trick, eyes


class Example(NamedTuple):
    """A line of the table: `re` and `contra` are the levels called, 1 the announcement, 5 "zwart"."""

    name: str
    solo: bool
    eyes: int
    re: int
    contra: int
    specials: tuple[int, int]
    winner: Team | None
    points: tuple[int, int]


EXAMPLES = (
    Example("S1", False, 121, 0, 0, (0, 0), "re", (1, -1)),
    Example("S2", False, 120, 0, 0, (0, 0), "contra", (-2, 2)),
    Example("S3", False, 120, 0, 1, (0, 0), "re", (3, -3)),
    Example("S5", False, 120, 1, 1, (0, 0), "contra", (-6, 6)),
    Example("S7", False, 151, 0, 0, (0, 0), "re", (2, -2)),
    Example("S8", False, 150, 0, 0, (0, 0), "re", (1, -1)),
    Example("S9", False, 185, 1, 0, (0, 0), "re", (5, -5)),
    Example("S10", False, 155, 2, 0, (0, 0), "re", (5, -5)),
    Example("S11", False, 150, 2, 0, (0, 0), "contra", (-5, 5)),
    Example("S12", False, 58, 0, 3, (0, 0), "contra", (-8, 8)),
    Example("S13", False, 92, 0, 2, (0, 0), "re", (4, -4)),
    Example("S15", False, 240, 5, 0, (0, 0), "re", (11, -11)),
    Example("S16", False, 236, 5, 0, (0, 0), "contra", (-8, 8)),
    Example("S20", False, 130, 2, 2, (0, 0), None, (0, 0)),
    Example("S21", False, 152, 2, 2, (0, 0), "re", (8, -8)),
    Example("S23", False, 130, 0, 0, (2, 1), "re", (2, -2)),
    Example("S24", False, 121, 0, 0, (0, 3), "re", (-2, 2)),
    Example("S27", True, 130, 0, 0, (0, 0), "re", (3, -1)),
    Example("S28", True, 120, 0, 0, (0, 0), "contra", (-3, 1)),
    Example("S29", True, 165, 1, 0, (0, 0), "re", (12, -4)),
    Example("S30", True, 120, 0, 1, (0, 0), "re", (9, -3)),
    Example("S32", True, 150, 2, 0, (0, 0), "contra", (-12, 4)),
    Example("S35", True, 240, 5, 1, (0, 0), "re", (39, -13)),
)


def specials(re: int, contra: int) -> tuple[Item, ...]:
    return (Item("fox", 1, "re"),) * re + (Item("fox", 1, "contra"),) * contra


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.name))
def test_worked_example(example: Example) -> None:
    levels: dict[Team, int] = {"re": example.re, "contra": example.contra}
    made = score(example.eyes, levels, specials(*example.specials), alone=example.solo)
    places = (0,) if example.solo else (0, 2)
    gained = points(made.value, made.winner or "re", places)
    assert made.winner == example.winner
    assert (gained[0], gained[1]) == example.points
    assert gained == tuple(example.points[place not in places] for place in range(4))


# --- who wins ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("re", "contra", "targets"),
    [
        (0, 0, (121, 120)),
        (1, 0, (121, 120)),
        (1, 1, (121, 120)),
        (0, 1, (120, 121)),
        (2, 0, (151, 120)),
        (3, 1, (181, 120)),
        (0, 4, (120, 211)),
        (5, 5, (240, 240)),
    ],
)
def test_eyes_that_are_needed(re: int, contra: int, targets: tuple[int, int]) -> None:
    levels: dict[Team, int] = {"re": re, "contra": contra}
    assert (target("re", levels), target("contra", levels)) == targets


def test_a_failed_denial_loses_to_any_number_of_eyes() -> None:
    assert winner_of(150, {"re": 2, "contra": 0}) == "contra"
    assert winner_of(1, {"re": 0, "contra": 5}) == "re"


def test_nobody_wins_but_levels_and_special_points_count() -> None:
    """Both denied, both failed: Re gets 85 eyes, which is below 90, and catches a fox (8.4)."""
    made = score(85, {"re": 2, "contra": 3}, specials(2, 0), alone=False)
    assert made.winner is None
    assert made.items == (Item("below", -1, "re", 90), Item("fox", 1, "re"), Item("fox", 1, "re"))
    assert points(made.value, "re", (1, 2)) == (-1, 1, 1, -1)


def test_each_line_of_a_score() -> None:
    made = score(58, {"re": 1, "contra": 3}, specials(1, 2), alone=False)
    assert made.items == (
        Item("won", 1, "contra"),
        Item("announced", 2, "re"),
        Item("announced", 2, "contra"),
        Item("below", 1, "re", 90),
        Item("below", 1, "re", 60),
        Item("denied", 1, "contra", 90),
        Item("denied", 1, "contra", 60),
        Item("against_queens", 1, "contra"),
        Item("fox", -1, "re"),
        Item("fox", 1, "contra"),
        Item("fox", 1, "contra"),
    )


a_level = st.integers(0, 5)


@given(st.integers(0, 240), a_level, a_level, st.integers(0, 6), st.integers(0, 6), st.booleans())
def test_points_add_up_to_nothing_and_the_winner_reached_the_target(
    re_eyes: int, re: int, contra: int, own: int, others: int, alone: bool
) -> None:
    levels: dict[Team, int] = {"re": re, "contra": contra}
    made = score(re_eyes, levels, specials(own, others), alone=alone)
    gained = points(made.value, made.winner or "re", (3,) if alone else (0, 3))
    assert sum(gained) == 0
    assert sum(item.points for item in made.items) == made.value
    has = {"re": re_eyes, "contra": 240 - re_eyes}
    reached = [team for team in levels if has[team] >= target(team, levels)]
    assert (made.winner is None) == (re > 1 and contra > 1 and not reached)
    if made.winner is not None and levels[made.winner] > 1:
        assert made.winner in reached
    assert not (alone and {item.kind for item in made.items} & {"fox", "against_queens"})


# --- special points ---------------------------------------------------------------------------------------------------


def trick(leader: int, played: str, taker: int) -> Trick:
    return Trick(leader, cards(played), taker)


LAST = trick(0, "9+ 9+ 9* 9*", 0)


def test_a_doppelkopf_has_forty_eyes() -> None:
    assert special_points((trick(0, "10+ 10+ 10* 10#", 3), LAST), (0, 1)) == (Item("doppelkopf", 1, "contra", place=3),)
    assert special_points((trick(0, "A+ A+ A* K#", 0), LAST), (0, 1)) == ()


def test_a_fox_is_caught_from_the_other_team_only() -> None:
    both = trick(1, "A- A- Q+ 9-", 3)
    assert special_points((both, LAST), (0, 3)) == (Item("fox", 1, "re", place=3),) * 2
    assert special_points((both, LAST), (1, 3)) == (Item("fox", 1, "re", place=3),)
    assert special_points((both, LAST), (0, 1)) == (Item("fox", 1, "contra", place=3),)


def test_a_jack_of_clubs_takes_the_last_trick_only() -> None:
    charlie = trick(2, "9- J+ K- 9+", 3)
    assert special_points((LAST, charlie), (0, 1)) == (Item("charlie", 1, "contra", place=3),)
    assert special_points((charlie, LAST), (0, 1)) == ()
    assert special_points((trick(2, "9- J+ Q- 9+", 0),), (0, 1)) == ()


def test_d18_the_first_of_two_charlies() -> None:
    assert special_points((trick(0, "9- J+ J+ K-", 1),), (0, 2)) == (Item("charlie", 1, "contra", place=1),)


# --- enumerated facts -------------------------------------------------------------------------------------------------


def test_the_cards() -> None:
    assert len(CARDS) == 48
    assert eyes(CARDS) == 240
    assert all(CARDS.count(one) == 2 for one in CARDS)


@pytest.mark.parametrize(
    ("kind", "number", "trump_eyes"),
    [
        ("normal", 26, 110),
        ("wedding", 26, 110),
        ("queens", 8, 24),
        ("jacks", 8, 16),
        ("clubs", 26, 110),
        ("spades", 26, 110),
        ("hearts", 24, 90),
        ("diamonds", 26, 110),
        ("aces", 0, 0),
    ],
)
def test_trumps(kind: Kind, number: int, trump_eyes: int) -> None:
    trumps = order_of(kind).trumps
    assert len(trumps) == len(set(trumps)) == number / 2
    assert 2 * eyes(trumps) == trump_eyes


def test_the_order_of_trumps() -> None:
    tops = "10# Q+ Q* Q# Q- J+ J* J# J-"
    assert order_of("normal").trumps == order_of("wedding").trumps == cards(f"{tops} A- 10- K- 9-")
    assert order_of("hearts").trumps == cards(f"{tops} A# K# 9#")
    assert order_of("spades").trumps == cards(f"{tops} A* 10* K* 9*")
    assert order_of("queens").trumps == cards("Q+ Q* Q# Q-")
    assert order_of("jacks").trumps == cards("J+ J* J# J-")


@pytest.mark.parametrize("kind", ["normal", "wedding", *SOLOS])
def test_every_card_has_its_rank_in_every_game(kind: Kind) -> None:
    order = order_of(kind)
    for suit in Suit:
        plain = [card for card in deck(RANKS) if card.suit == suit and card not in order.trumps]
        assert {card.rank for card in plain} <= set(order.ranks)
    expected = {"queens": "A 10 K J 9", "jacks": "A 10 K Q 9", "aces": "A 10 K Q J 9"}.get(kind, "A 10 K 9")
    assert " ".join(str(card)[:-1] for card in cards("A+ 10+ K+ Q+ J+ 9+") if card.rank in order.ranks) == expected
    assert list(order.ranks) == [rank for rank in _MANUAL if rank in order.ranks]


_MANUAL = (Rank.ACE, Rank.TEN, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.NINE)


def test_forty_eyes_need_four_aces_or_tens() -> None:
    kinds = deck(RANKS)
    tricks = [four for four in combinations_with_replacement(kinds, 4) if all(four.count(one) < 3 for one in four)]
    doppelkopf = [four for four in tricks if eyes(four) >= 40]
    assert len(doppelkopf) == 266
    assert all(card.rank in {Rank.ACE, Rank.TEN} for four in doppelkopf for card in four)
