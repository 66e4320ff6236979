"""What people and house players win of each other, and what of it goes back."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.thoroughness import sampled
from yawc_poker.engine.against_house import AgainstHouse, HousePart, Person, agreed, part_of, reckon
from yawc_poker.engine.house import HOUSE_USERS

ADA, BOB = HOUSE_USERS[0], HOUSE_USERS[1]
ANNA, BERT = 1, 2


def against(people: dict[int, str], *house: int, most: int | None = None) -> AgainstHouse:
    return AgainstHouse(
        tuple(Person(user, network) for user, network in people.items()), tuple(HousePart(one, most) for one in house)
    )


def plenty(game: AgainstHouse, most: int = 10**9) -> dict[str, int]:
    return {share: most for one in game.people for share in one.shares}


def test_an_easy_house_player_plays_for_the_ante() -> None:
    assert [part_of(ADA, f"{level} 1", 10).most for level in ("easy", "normal", "hard")] == [10, None, None]
    assert part_of(ADA, "", 10).most is None


def test_whoever_has_used_up_a_share_plays_for_fun() -> None:
    game = against({ANNA: "a", BERT: "b"}, ADA)
    for used, fun in ("user 1", [True, False]), ("network b", [False, True]), ("all", [True, True]), ("c", [False] * 2):
        assert [one.for_fun for one in agreed(game, {used}, 5).people] == fun


def test_two_against_two_share_out_what_was_won() -> None:
    """Each loser pays both winners: only what passes between a person and a house player counts."""
    game = against({ANNA: "a", BERT: "b"}, ADA, BOB)
    found = reckon(game, {ANNA: 10, ADA: 10, BERT: -10, BOB: -10}, plenty(game))
    assert found.back == {}
    assert found.won == {"user 1": 5, "network a": 5, "all": 0, "user 2": -5, "network b": -5}


def test_odd_amounts_leave_no_cube_behind() -> None:
    """Who has used up the share gains nothing of house players, by no rounding either."""
    game = agreed(against({ANNA: "a"}, ADA, BOB), {"user 1"}, 0)
    found = reckon(game, {ANNA: 5, ADA: -3, BOB: -2}, plenty(game))
    assert found.back == {ANNA: -5, ADA: 3, BOB: 2}


nets = st.lists(st.integers(-300, 300), min_size=4, max_size=4)


@settings(max_examples=sampled(300))
@given(nets, st.integers(0, 200), st.sampled_from([None, 10]), st.booleans(), st.booleans())
def test_nobody_gets_more_than_they_lost_and_no_share_is_exceeded(
    amounts: list[int], room: int, most: int | None, fun: bool, together: bool
) -> None:
    users = (ANNA, BERT, ADA, BOB)
    amounts[-1] = -sum(amounts[:-1])
    net = dict(zip(users, amounts, strict=True))
    game = against({ANNA: "a", BERT: "a" if together else "b"}, ADA, BOB, most=most)
    game = agreed(game, {"user 1"} if fun else set(), 0)
    found = reckon(game, net, plenty(game, room))
    assert sum(found.back.values()) == 0
    for user, cubes in found.back.items():
        assert 0 < cubes <= -net[user] or 0 > cubes >= -net[user]
    assert all(cubes <= room for cubes in found.won.values())
    house = sum(net[user] + found.back.get(user, 0) for user in (ADA, BOB))
    assert found.won.get("all", 0) == -house, "what all people won is what house players lost"
    if fun:
        assert found.won.get("user 1", 0) == 0
