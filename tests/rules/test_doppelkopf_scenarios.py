"""Doppelkopf's rules by example, section by section (spec/doppelkopf.md 1 to 6); cards: + clubs, * spades, # hearts."""

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from tests.rules.doppelkopf_run import (
    RNG,
    TOURNAMENT,
    begun,
    call,
    cheap,
    do,
    events,
    healthy,
    laid,
    refused,
    said,
    values,
    with_hands,
)
from yawc_poker.cards import card, cards
from yawc_poker.engine.game import Dealing, IllegalMove
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import (
    Called,
    Clarified,
    GameFixed,
    HandDealt,
    Named,
    Played,
    RoundBegins,
    Spoke,
    TrickTaken,
)
from yawc_poker.games.doppelkopf.model import (
    LEVELS,
    SOLOS,
    Call,
    GameType,
    GoOn,
    Healthy,
    Kind,
    MayCall,
    MayName,
    MayPlay,
    MayReserve,
    NoSolo,
    Offer,
    Options,
    PlayCard,
    PlaySolo,
    Reserve,
    State,
    Team,
)

DEALING = Dealing(" ".join(rules.DECK), "5eed")
BOTH = "Q+ Q+"
"""The queens of clubs."""


def game(state: State) -> GameType:
    assert state.round.game is not None
    return state.round.game


def kind(state: State) -> Kind:
    return game(state).kind


def teams(state: State, seat: int | None) -> list[Team | None]:
    return [one.team for one in rules.view(state, seat).players]


def offered(state: State, seat: int) -> list[str]:
    """Return the calls that a seat may make."""
    return [choice.level for choice in rules.legal_moves(state, seat) if isinstance(choice, MayCall)]


# --- 1. players and cards ---------------------------------------------------------------------------------------------


def test_four_players_get_twelve_cards_each() -> None:
    step = rules.deal(dict.fromkeys(range(4), 0), 2, DEALING, Options())
    assert [len(player.hand) for player in step.state.players] == [12] * 4
    assert (rules.SEATS, rules.FEWEST, step.state.master) == (4, 4, 2)
    hands = [HandDealt(seat, seat, step.state.players[seat].hand) for seat in range(4)]
    assert step.events == (RoundBegins(0, 0, 1, 16), *hands)
    assert step.payments == ()


# --- 3, 4. trumps and tricks ------------------------------------------------------------------------------------------


def test_queens_jacks_and_the_ten_of_hearts_are_no_part_of_their_suit() -> None:
    state = with_hands(healthy(begun()), "A# 10# Q# K# A+", "A# 9#", "10# Q+ J# 9#", "10# J# 9-")
    state = do(state, 1, "A#")
    assert refused(state, 2, "10#") == "must_follow"
    assert values(state, 2, PlayCard(card("J#"))) == {"suit": 1}
    state = do(state, 2, "9#")
    assert rules.legal_moves(state, 3)[0] == MayPlay(cards("10# J# 9-")), "without hearts, any card"


def test_trump_must_be_followed_with_trump() -> None:
    state = with_hands(healthy(begun()), "A+ 9-", "10# A+", "A+ 9+ 10#", "A+ K#")
    state = do(state, 1, "10#")
    assert refused(state, 2, "A+") == "must_follow_trump"
    assert refused(state, 2, "K*") == "not_held"
    state = do(state, 2, "10#")
    assert rules.legal_moves(state, 3) == (MayPlay(cards("A+ K#")),)


def test_the_winner_of_a_trick_leads_the_next() -> None:
    state = with_hands(healthy(begun()), "A+ 9+", "9+ J+", "10+ A*", "K+ 9#")
    step = rules.play(laid(state, "9+ 10+ K+"), 0, PlayCard(card("A+")), RNG)
    assert step.events == (Played(0, 0, card("A+")), TrickTaken(0, 0, 1, 25))
    assert (step.state.current, step.state.round.leader, step.state.round.trick) == (0, 0, ())


def test_of_two_equal_cards_one_is_offered_and_one_goes() -> None:
    state = with_hands(healthy(begun()), "9+", "J+ A+ J+ A+ 10#", "9+", "9+")
    assert rules.legal_moves(state, 1)[0] == MayPlay(cards("10# J+ A+"))
    assert rules.view(state, 1).hand == cards("10# J+ J+ A+ A+")
    assert do(state, 1, "J+").players[1].hand == cards("A+ J+ A+ 10#")


def test_a_plain_ace_is_trumped() -> None:
    state = laid(with_hands(healthy(begun()), "9- A*", "A+ J+", "10+ A*", "K+ 9#"), "A+ 10+ K+ 9-")
    assert state.current == 0


@pytest.mark.parametrize(
    ("solo", "trick", "taker"),
    [
        ("queens", "9+ Q- J+ 10#", 2),
        ("queens", "10# K# A# 9#", 3),
        ("jacks", "A+ Q+ J- 10+", 3),
        ("jacks", "9# Q# K# 10#", 0),
        ("spades", "A- 9* A- 10-", 2),
        ("hearts", "9# 10# Q+ K#", 2),
        ("hearts", "A- 10- K- 9#", 0),
        ("aces", "9- J- Q- K-", 0),
        ("aces", "9+ Q+ A* 10#", 2),
    ],
)
def test_tricks_in_solos(solo: str, trick: str, taker: int) -> None:
    state = said(begun(), "-", "-", "-", "!", solo)
    played = trick.split()
    state = with_hands(state, *(f"{one} {one}" for one in (played[3], *played[:3])))
    assert laid(state, trick).round.leader == taker


# --- 5. reservations --------------------------------------------------------------------------------------------------


def test_all_speak_clockwise_from_the_left_of_the_dealer() -> None:
    state = begun()
    assert rules.legal_moves(state, 1) == (MayReserve(),)
    assert refused(state, 0, Healthy()) == "not_your_turn"
    assert refused(state, 1, "9+") == refused(state, 1, PlaySolo("aces")) == refused(state, 1, GoOn(True)) == "not_now"
    assert events(state, 1, Reserve()) == [Spoke(1, 1, True)]
    state = said(state, "-", "!", "-")
    assert [one.reservation for one in rules.view(state, None).players] == [None, False, True, False]
    state = said(state, "-")
    assert (state.phase, state.current) == ("naming", 2)
    assert refused(state, 2, Healthy()) == "not_now"
    assert refused(state, 3, PlaySolo("aces")) == "not_your_turn"


def test_all_healthy_is_a_standard_game() -> None:
    state = said(begun(), "-", "-", "-")
    assert events(state, 0, Healthy()) == [Spoke(0, 0, False), GameFixed(None, None, "normal", False, 1)]
    state = healthy(begun())
    assert (state.phase, state.current, game(state)) == ("play", 1, GameType("normal"))


@pytest.mark.parametrize("solo", SOLOS)
def test_a_solo_is_named_and_the_soloist_does_not_lead(solo: str) -> None:
    state = said(begun(), "-", "-", "!", "-", solo)
    assert (kind(state), game(state).player, state.current) == (solo, 3, 1)
    assert teams(state, None) == ["contra", "contra", "contra", "re"]


def test_the_first_of_several_solos_is_played() -> None:
    state = said(begun(), "-", "!", "!", "!", "jacks")
    assert (state.phase, game(state)) == ("play", GameType("jacks", 2))


def test_a_solo_beats_a_wedding_in_either_order() -> None:
    state = said(begun("", BOTH), "!", "-", "!", "-", "wedding")
    assert (state.phase, state.current, state.round.named) == ("naming", 3, (Offer(1, "wedding"),))
    assert game(said(state, "aces")) == GameType("aces", 3)
    assert game(said(begun("", "", "", BOTH), "!", "-", "!", "-", "aces")) == GameType("aces", 1)


def test_a_wedding_needs_both_queens() -> None:
    state = said(begun("", "Q+", "Q+"), "!", "-", "-", "-")
    assert rules.legal_moves(state, 1) == (MayName(wedding=False, compulsory=False),)
    assert refused(state, 1, NoSolo()) == "no_wedding"
    state = said(begun("", BOTH), "!", "-", "-", "-")
    assert rules.legal_moves(state, 1) == (MayName(wedding=True, compulsory=False),)
    assert events(state, 1, NoSolo()) == [Named(1, 1, "wedding"), GameFixed(1, 1, "wedding", False, 1)]


def wedding() -> State:
    """The bride is seat 1 and leads."""
    return said(begun("", BOTH), "!", "-", "-", "-", "wedding")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_first_to_take_a_trick_from_the_bride_is_her_partner(number: int) -> None:
    state = wedding()
    for _ in range(number - 1):
        assert (game(state).is_open, teams(state, 3)) == (True, [None, "re", None, None])
        state = laid(with_hands(state, "9- A+", "10# A+", "9- A+", "9- A+"), "10# 9- 9- 9-")
    state = laid(with_hands(state, "9+ A-", "10+ A-", "A+ A-", "K+ A-"), "10+ A+ K+")
    step = rules.play(state, 0, PlayCard(card("9+")), RNG)
    assert Clarified(2, 2, alone=False) in step.events
    assert game(step.state) == GameType("wedding", 1, clarified=number, partner=2)
    assert teams(step.state, None) == ["contra", "re", "re", "contra"]


def alone() -> State:
    """The bride has taken three tricks."""
    state = wedding()
    for _ in range(3):
        state = laid(with_hands(state, *["9- A+ A+ A+ A+ A+ A+ A+ A+ A+ A+"] * 4), "9- 9- 9- 9-")
    return state


def test_a_bride_who_takes_three_tricks_plays_alone() -> None:
    state = alone()
    assert game(state) == GameType("wedding", 1, clarified=3)
    assert teams(state, 2) == ["contra", "re", "contra", "contra"]
    result = cheap(with_hands(state, *["A- A- A- A- A- A- A- A- A-"] * 4)).results[0]
    assert (result.re, abs(result.points[1])) == ((1,), 3 * abs(result.points[0]))


def test_a_silent_wedding_is_known_to_nobody_until_both_queens_are_shown() -> None:
    state = healthy(begun("", BOTH))
    assert teams(state, 1) == ["contra", "re", "contra", "contra"]
    assert teams(state, None) == [None] * 4
    assert teams(state, 0) == ["contra", None, None, None]
    state = laid(with_hands(state, "9- 9-", BOTH, "9- 9-", "9- 9-"), "Q+ 9- 9- 9-")
    assert teams(state, 0) == ["contra", "re", None, None]
    state = laid(state, "Q+")
    assert teams(state, 0) == teams(state, None) == ["contra", "re", "contra", "contra"]


def test_a_silent_wedding_is_scored_as_a_solo() -> None:
    result = cheap(healthy(begun("", BOTH))).results[0]
    assert (result.game, result.re) == (GameType("normal"), (1,))
    assert result.points[1] == -3 * result.points[0]
    assert not {item.kind for item in result.items} & {"against_queens", "fox", "doppelkopf", "charlie"}


def test_teams_are_shown_by_queens() -> None:
    state = healthy(begun("", "Q+", "", "Q+"))
    assert teams(state, 1) == [None, "re", None, None]
    state = laid(with_hands(state, "9- A+", "Q+ A+", "9- A+", "Q+ A+"), "Q+")
    assert teams(state, None) == [None, "re", None, None]
    assert teams(state, 3) == ["contra", "re", "contra", "re"]
    assert teams(laid(state, "9- Q+"), None) == ["contra", "re", "contra", "re"]


# --- 6. calls ---------------------------------------------------------------------------------------------------------


def re_and_contra() -> State:
    """A standard game: seats 1 and 3 are Re."""
    return healthy(begun("", "Q+", "", "Q+"))


def with_cards(state: State, *counts: int) -> State:
    """So many cards in each hand; the queens of clubs stay where they are."""
    hands = [("Q+ " if seat in {1, 3} else "9- ") + "A+ " * (count - 1) for seat, count in enumerate(counts)]
    return with_hands(state, *hands)


def test_a_call_shows_the_team_and_changes_no_turn() -> None:
    state = re_and_contra()
    assert events(state, 3, Call("team")) == [Called(3, 3, "re", "team")]
    called = call(state, 3, "re")
    assert (called.turn, called.current) == (state.turn, state.current)
    assert teams(called, None) == [None, None, None, "re"]
    assert teams(called, 1) == ["contra", "re", "contra", "re"]
    assert teams(call(called, 0, "contra"), None) == ["contra", None, None, "re"]


def test_three_of_contra_show_the_last_of_re() -> None:
    state = healthy(begun("", BOTH))
    for seat in (0, 2, 3):
        state = call(state, seat, "contra")
    assert teams(state, None) == ["contra", "re", "contra", "contra"]


def test_nobody_calls_before_the_game_is_fixed_or_after_the_round() -> None:
    assert refused(begun(), 1, Call("team")) == "call_too_early"
    assert refused(said(begun(), "!", "-", "-", "-"), 2, Call("team")) == "call_too_early"
    assert refused(cheap(re_and_contra()), 1, Call("team")) == "call_after_round"


@pytest.mark.parametrize(
    ("words", "least"), [("re", 11), ("re 90", 10), ("re 90 60", 9), ("re 90 60 30", 8), ("re 90 60 30 0", 7)]
)
def test_deadlines_in_cards_held(words: str, least: int) -> None:
    *before, last = words.split()
    state = call(re_and_contra(), 1, *before)
    assert len(call(with_cards(state, 12, least, 12, 12), 1, last).round.calls) == len(before) + 1
    late = with_cards(state, 12, least - 1, 12, 12)
    wanted = Call(LEVELS[len(before)])
    assert refused(late, 1, wanted) == "call_too_late"
    assert values(late, 1, wanted) == {"level": len(before), "least": least, "held": least - 1}
    assert offered(late, 1) == []


@pytest.mark.parametrize(("clarified", "later"), [(1, 0), (2, 1), (3, 2)])
def test_a_late_wedding_makes_the_deadlines_later(clarified: int, later: int) -> None:
    state = wedding()
    made = replace(game(state), clarified=clarified, partner=2)
    state = replace(state, round=replace(state.round, game=made))
    for number, word in enumerate(("re", "90", "60", "30", "0")):
        least = 11 - number - later
        hands = [" ".join(["A+"] * count) for count in (12, least, least - 1, 12)]
        level = LEVELS[number]
        state = with_hands(state, *hands)
        if number:
            assert refused(state, 2, Call(level)) == "call_too_late"
        assert MayCall(level, "re", least) in rules.legal_moves(state, 1)
        state = call(state, 1, word)


def test_a_bride_who_plays_alone_has_the_latest_deadlines() -> None:
    assert MayCall("team", "re", 9) in rules.legal_moves(alone(), 1)


def test_nobody_calls_in_a_wedding_that_is_not_clear() -> None:
    state = wedding()
    assert [refused(state, seat, Call("team")) for seat in range(4)] == ["wedding_open"] * 4
    assert [offered(state, seat) for seat in range(4)] == [[]] * 4


def test_a_denial_needs_an_announcement_of_the_own_team() -> None:
    state = call(re_and_contra(), 0, "contra")
    assert refused(state, 1, Call("no90")) == "announce_first"
    assert offered(state, 1) == ["team"]
    assert offered(state, 2) == ["team", "no90"]


def test_both_teams_announce_and_deny() -> None:
    state = call(call(call(re_and_contra(), 1, "re", "90"), 2, "contra", "90"), 3, "60")
    assert [(one.place, one.team, one.level) for one in state.round.calls] == [
        (1, "re", "team"),
        (1, "re", "no90"),
        (2, "contra", "team"),
        (2, "contra", "no90"),
        (3, "re", "no60"),
    ]


def test_a_call_is_refused_to_watchers() -> None:
    state = rules.join(rules.leave(re_and_contra(), 2).state, 2, 10).state
    assert refused(state, 2, Call("team")) == "no_player"
    assert rules.legal_moves(state, 2) == ()
    assert rules.view(state, 2).hand is None


# --- bad input --------------------------------------------------------------------------------------------------------


def test_moves_and_options_from_json() -> None:
    assert rules.read_move('{"type": "Call", "level": "no90"}') == Call("no90")
    assert rules.read_move('{"type": "PlayCard", "card": [14, 3]}') == PlayCard(card("A+"))
    assert rules.read_options("{}") == Options()
    assert rules.read_options('{"tournament": true}') == TOURNAMENT
    for bad in ('{"type": "Call", "level": "no120"}', '{"type": "PlaySolo", "kind": "bells"}', "{}"):
        with pytest.raises(msgspec.DecodeError):
            rules.read_move(bad)
    for bad in ('{"rounds": 0}', '{"rounds": 33}', '{"cubes": -1}', '{"cubes": 1000001}', '{"other": 1}'):
        with pytest.raises(msgspec.DecodeError):
            rules.read_options(bad)


def test_a_card_out_of_turn() -> None:
    assert refused(re_and_contra(), 1 + 1, "9+") == "not_your_turn"


def test_the_clock_of_a_match_that_is_over() -> None:
    state = rules.leave(cheap(re_and_contra()), 0).state
    assert state.phase == "over"
    with pytest.raises(IllegalMove):
        rules.timeout(state, Random(0))
    assert refused(state, 1, GoOn(True)) == "game_over"
