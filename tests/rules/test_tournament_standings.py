"""Points, places and prizes of a tournament, against an oracle that compares everybody with everybody."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thoroughness import sampled
from yawc_poker.extras.tournaments.matches import KINDS, options_of
from yawc_poker.extras.tournaments.standings import PLACES, WIN, Played, points_of, prizes, standings
from yawc_poker.registry.games import GAMES

RANKS = st.integers(1, 7).flatmap(lambda many: st.tuples(*[st.integers(0, many - 1)] * many))


def oracle(entrants: list[int], played: list[Played]) -> dict[int, int]:
    """Return everybody's place: one more than there are who are better, told by comparing two at a time."""

    def points(user: int) -> int:
        return sum(one.points for one in played if one.user == user)

    def opposition(user: int) -> int:
        mine = [one for one in played if one.user == user and one.board]
        return sum(
            points(other.user)
            for one in mine
            for other in played
            if (other.round, other.board) == (one.round, one.board) and other.user != user
        )

    def won(user: int) -> int:
        return len([one for one in played if one.user == user and one.board and one.points == WIN])

    def is_better(one: int, other: int) -> bool:
        for figure in (points, opposition, won):
            if figure(one) != figure(other):
                return figure(one) > figure(other)
        return False

    return {user: 1 + sum(is_better(other, user) for other in entrants) for user in entrants}


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[list[int], list[Played]]:
    """Draw who entered, and what came of some rounds, in which some sat out."""
    entrants = draw(st.lists(st.integers(1, 30), min_size=1, max_size=12, unique=True))
    played = []
    for number in range(1, draw(st.integers(0, 4)) + 1):
        order = draw(st.permutations(entrants))
        size = draw(st.integers(2, 4))
        tables = [order[at : at + size] for at in range(0, len(order), size)]
        for board, table in enumerate(tables, 1):
            if len(table) < 2:
                played += [Played(number, 0, user, WIN // 2) for user in table]
                continue
            ranks = {user: draw(st.integers(0, size - 1)) for user in table}
            played += [Played(number, board, user, points) for user, points in points_of(ranks).items()]
    return entrants, played


@given(RANKS)
@settings(max_examples=sampled(300))
def test_points_are_the_share_of_those_who_were_left_behind(ranks: tuple[int, ...]) -> None:
    found = points_of(dict(enumerate(ranks)))
    for one, rank in enumerate(ranks):
        others = [other for who, other in enumerate(ranks) if who != one]
        if others:
            behind = sum(Fraction(1 if rank < other else Fraction(1, 2) if rank == other else 0) for other in others)
            assert found[one] == behind / len(others) * WIN
    assert sum(found.values()) * 2 == WIN * len(ranks)


@given(tournaments())
@settings(max_examples=sampled(300))
def test_places_are_the_oracles(tournament: tuple[list[int], list[Played]]) -> None:
    entrants, played = tournament
    found = standings(entrants, played)
    assert {one.user: one.rank for one in found} == oracle(entrants, played)
    assert [one.rank for one in found] == sorted(one.rank for one in found)


@given(tournaments(), st.integers(0, 10_000))
@settings(max_examples=sampled(300))
def test_prizes_are_the_whole_pot_the_same_for_the_same_place_and_never_more_for_a_worse_one(
    tournament: tuple[list[int], list[Played]], pot: int
) -> None:
    order = standings(*tournament)
    due = prizes(pot, order)
    assert sum(due.values()) == pot
    assert all(cubes > 0 for cubes in due.values())
    given_to = [due.get(one.user, 0) for one in order]
    assert given_to == sorted(given_to, reverse=True)
    for one in order:
        level = [due.get(other.user, 0) for other in order if other.rank == one.rank]
        assert max(level) - min(level) <= 1
    many = len(next(weights for least, weights in PLACES if len(order) >= least))
    assert all(one.rank <= many for one in order if due.get(one.user, 0))


def test_prizes_by_example() -> None:
    played = [Played(1, 1, user, points) for user, points in ((1, 120), (2, 80), (3, 40), (4, 0))]
    assert prizes(400, standings([1, 2, 3, 4], played)) == {1: 267, 2: 133}
    level = [Played(1, 1, user, 60) for user in (1, 2, 3)]
    assert prizes(100, standings([3, 2, 1], level)) == {3: 34, 2: 33, 1: 33}
    assert prizes(100, []) == {}


def test_each_game_says_what_a_match_is_in_options_that_it_reads() -> None:
    for game in GAMES:
        match = KINDS[game.kind]
        assert 2 <= game.fewest <= (match.seats or game.seats) <= game.seats
        for length in (1, match.usual, match.most):
            text = options_of(game.kind, length)
            if text:
                assert str(length) in str(game.definition.rules.read_options(text))
