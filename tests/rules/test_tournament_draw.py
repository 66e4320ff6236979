"""Who sits with whom in a tournament: everybody once, evenly, and no exchange of two would make it newer."""

from collections import Counter
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thoroughness import sampled
from yawc_poker.extras.tournaments.draw import drawn, met, rotated, sizes

SHAPES = st.sampled_from([(2, 5), (2, 4), (4, 4), (2, 2)])


def repeated(tables: list[list[int]], before: Counter[tuple[int, int]]) -> int:
    """Tell how many meetings are repeated, each as often as it is one: counted pair by pair."""
    return sum(before[pair] for table in tables for pair in combinations(sorted(table), 2))


@given(st.integers(2, 80), SHAPES, st.booleans())
@settings(max_examples=sampled(300))
def test_tables_are_as_full_as_each_other(players: int, shape: tuple[int, int], filled: bool) -> None:
    least, most = shape
    found = sizes(players, least, most, filled=filled)
    assert all(1 <= one <= most for one in found)
    assert not found or max(found) - min(found) <= 1
    if filled or least < most:
        assert sum(found) == players
        assert filled or min(found) >= least
    else:
        assert set(found) <= {most}
        assert 0 <= players - sum(found) < most


@given(st.data(), st.integers(2, 16), SHAPES, st.booleans())
@settings(max_examples=sampled(200))
def test_everybody_sits_once_and_no_exchange_would_be_better(
    data: st.DataObject, players: int, shape: tuple[int, int], filled: bool
) -> None:
    order = data.draw(st.permutations(range(1, players + 1)))
    pairs = st.sampled_from(list(combinations(range(1, players + 1), 2)))
    before = Counter(data.draw(st.lists(pairs, max_size=30)))
    out = data.draw(st.dictionaries(st.integers(1, players), st.integers(0, 3)))
    wanted = sizes(players, *shape, filled=filled)
    tables = drawn(order, wanted, before, out)
    assert list(map(len, tables)) == wanted
    seated = [one for table in tables for one in table]
    assert len(set(seated)) == len(seated)
    spared = set(order) - set(seated)
    assert all(out.get(one, 0) <= out.get(other, 0) for one, other in product(spared, seated))
    least = repeated(tables, before)
    for one, other in combinations(range(len(tables)), 2):
        for here, there in product(range(len(tables[one])), range(len(tables[other]))):
            changed = [table[:] for table in tables]
            changed[one][here], changed[other][there] = changed[other][there], changed[one][here]
            assert repeated(changed, before) >= least


def test_the_strong_sit_with_the_strong_until_they_have_met() -> None:
    assert drawn([1, 2, 3, 4], [2, 2], Counter(), {}) == [[1, 2], [3, 4]]
    assert drawn([1, 2, 3, 4], [2, 2], met([[1, 2]]), {}) == [[1, 3], [2, 4]]
    assert drawn([5, 1, 2, 3, 4], [4], Counter(), {4: 1}) == [[5, 1, 2, 4]]


@given(st.integers(2, 13))
def test_pairs_of_all_rounds_are_everybody_with_everybody(players: int) -> None:
    everybody = list(range(1, players + 1))
    wanted = sizes(players, 2, 2, filled=False)
    seen, out = Counter[tuple[int, int]](), Counter[int]()
    for turn in range(players - 1 + players % 2):
        order = rotated(everybody, turn)
        assert sorted(order) == everybody
        tables = drawn(order, wanted, seen, out)
        seen.update(met(tables))
        out.update(set(everybody) - {one for table in tables for one in table})
    assert seen == dict.fromkeys(combinations(everybody, 2), 1)
    assert set(out.values()) <= {1}
