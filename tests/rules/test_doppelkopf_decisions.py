"""The decisions D1 to D20, where the manual leaves a choice (spec/doppelkopf.md 11)."""

from random import Random

import msgspec
import pytest

from tests.rules.doppelkopf_run import (
    TOURNAMENT,
    begun,
    call,
    cheap,
    do,
    events,
    healthy,
    refused,
    said,
    with_hands,
)
from yawc_poker.cards import cards
from yawc_poker.engine.game import Step
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import Event, GameFixed, MatchOver, Named
from yawc_poker.games.doppelkopf.model import (
    LEVELS,
    Call,
    GameType,
    GoOn,
    Item,
    MayName,
    Move,
    NoSolo,
    Options,
    PlaySolo,
    Reserve,
    State,
    Team,
)
from yawc_poker.games.doppelkopf.scoring import score, special_points
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.tricks import Trick, taker

BOTH = "Q+ Q+"


def re_and_contra() -> State:
    """A standard game: seats 1 and 3 are Re."""
    return healthy(begun("", "Q+", "", "Q+"))


def scored(re_eyes: int, re: int = 0, contra: int = 0, *, alone: bool = False) -> tuple[Team | None, int]:
    made = score(re_eyes, {"re": re, "contra": contra}, (), alone=alone)
    return made.winner, made.value


def test_d1_seat_1_deals_first_and_the_deal_goes_round() -> None:
    state = begun()
    assert (state.round.dealer, state.current) == (0, 1)
    for number in (2, 3, 4, 5):
        state = cheap(healthy(state))
        for seat in range(4):
            state = do(state, seat, GoOn(True))
        assert (state.round.number, state.round.dealer) == (number, (number - 1) % 4)
        assert state.current == number % 4


def test_d2_the_first_of_two_equal_cards_wins_the_ten_of_hearts_too() -> None:
    assert taker(order_of("normal"), cards("9- 10# 10# Q+")) == 1
    assert taker(order_of("normal"), cards("A+ 9+ A+ 10+")) == 0
    assert taker(order_of("hearts"), cards("9# A# 10# 10#")) == 2


def test_d3_asking_stops_once_the_game_is_fixed() -> None:
    state = said(begun(), "!", "!", "!", "!")
    assert events(state, 1, PlaySolo("aces")) == [Named(1, 1, "aces"), GameFixed(1, 1, "aces", False, 1)]
    assert said(state, "aces").phase == "play"


def test_d4_no_solo_is_refused_without_both_queens() -> None:
    state = said(begun("", "Q+"), "!", "-", "-", "-")
    assert rules.legal_moves(state, 1) == (MayName(wedding=False, compulsory=False),)
    assert refused(state, 1, NoSolo()) == "no_wedding"


def test_d5_the_own_cards_decide_whoever_is_on_turn() -> None:
    """Seat 1 has played to the second trick, seat 0 has not: it still holds eleven cards."""
    state = cheap(re_and_contra(), tricks=1)
    leader = state.current
    assert leader is not None
    played = cheap_card(state)
    assert refused(played, leader, Call("team")) == "call_too_late"
    for seat in range(4):
        if seat != leader:
            assert call(played, seat, "re" if seat in {1, 3} else "contra").round.calls[0].held == 11


def cheap_card(state: State) -> State:
    return rules.timeout(state, rules_chance()).state


def test_d6_no_step_is_skipped_but_several_may_be_said_at_one_moment() -> None:
    state = re_and_contra()
    assert refused(state, 1, Call("no90")) == "announce_first"
    state = call(state, 1, "re")
    assert [refused(state, 1, Call(level)) for level in LEVELS[2:]] == ["call_skips"] * 3
    state = call(state, 1, "90", "60", "30", "0")
    assert len(state.round.calls) == 5


def test_d7_either_of_the_team_denies() -> None:
    announced = call(re_and_contra(), 1, "re")
    assert call(announced, 1, "90").round.calls[-1].place == 1
    assert call(announced, 3, "90").round.calls[-1].place == 3
    assert refused(announced, 0, Call("no90")) == "announce_first"


def test_d8_an_answer_is_not_a_card_later() -> None:
    """Re is announced with eleven cards; Contra with ten comes too late all the same."""
    state = with_hands(re_and_contra(), " ".join(["A+"] * 10), " ".join(["Q+"] * 11), "9- " * 12, "Q+ " * 12)
    assert refused(call(state, 1, "re"), 0, Call("team")) == "call_too_late"


def test_d9_each_call_counts_once_for_a_team() -> None:
    state = call(re_and_contra(), 1, "re")
    both = call(state, 3, "re")
    assert refused(both, 1, Call("team")) == refused(both, 3, Call("team")) == "already_called"
    assert [item for item in cheap(both).results[0].items if item.kind == "announced"] == [Item("announced", 2, "re")]
    denied = call(both, 1, "90")
    assert refused(denied, 3, Call("no90")) == "already_called"


def test_d10_black_is_no_eyes_and_not_no_trick() -> None:
    assert scored(240, 5) == ("re", 11)
    assert scored(239, 5) == ("contra", 8)


def test_d11_a_failed_denial_loses_and_two_failed_ones_win_nothing() -> None:
    assert scored(150, 2) == ("contra", 5)
    assert scored(100, 0, 2) == ("re", 4)
    assert scored(130, 2, 2) == (None, 0)
    assert scored(152, 2, 2) == ("re", 8)


def test_d12_levels_that_were_played_and_levels_that_were_denied_count_one_each() -> None:
    made = score(215, {"re": 3, "contra": 0}, (), alone=False)
    assert [item for item in made.items if item.kind == "below"] == [
        Item("below", 1, "contra", at) for at in (90, 60, 30)
    ]
    assert [item for item in made.items if item.kind == "denied"] == [Item("denied", 1, "re", at) for at in (90, 60)]
    assert made.value == 1 + 2 + 3 + 2
    # nothing more for 120 eyes against "no 90"
    assert scored(120, 0, 2)[1] == 1 + 2 + 1


@pytest.mark.parametrize("alone", [False, True])
def test_d13_no_special_points_in_solos(alone: bool) -> None:
    fox = Item("fox", 1, "contra")
    made = score(100, {"re": 0, "contra": 0}, (fox,), alone=alone)
    assert [item.kind for item in made.items] == (["won"] if alone else ["won", "against_queens", "fox"])


def test_d14_the_losers_special_points_may_turn_the_result_round() -> None:
    made = score(121, {"re": 0, "contra": 0}, (Item("fox", 1, "contra"),) * 3, alone=False)
    assert (made.winner, made.value) == ("re", -2)


def test_d15_one_no_ends_the_match() -> None:
    state = cheap(re_and_contra())
    state = do(do(state, 2, GoOn(True)), 0, GoOn(True))
    step: Step[State, Event] = rules.play(state, 3, GoOn(False), rules_chance())
    assert step.state.phase == "over"
    assert MatchOver("stopped", 1) in step.events
    assert len(step.state.results) == 1


def test_d16_who_deals_after_a_compulsory_and_after_a_forced_solo() -> None:
    state = cheap(said(begun(options=TOURNAMENT), "-", "!", "-", "-", "jacks"))
    assert state.results[0].game == GameType("jacks", 2, compulsory=True)
    assert (state.round.number, state.round.dealer) == (2, 0), "the same dealer"
    state = cheap(said(state, "-", "!", "-", "-", "jacks"))
    assert not state.results[1].game.compulsory
    assert (state.round.number, state.round.dealer) == (3, 1)
    while state.round.number < 22:
        state = cheap(healthy(state))
    # seats 0, 1 and 3 owe a solo; the next of them left of the dealer is made to play it, and the deal goes on
    for number in (22, 23, 24):
        assert (state.round.number, state.phase, state.current) == (number, "naming", state.round.forced)
        dealer, forced = state.round.dealer, state.round.forced
        assert forced is not None
        owing = [(dealer + at) % 4 for at in (1, 2, 3, 4) if state.players[(dealer + at) % 4].owes_solo]
        assert forced == owing[0]
        state = said(state, "queens")
        assert (state.current, state.round.leader) == (forced, forced)
        state = cheap(state)
        assert state.round.dealer == (dealer + 1) % 4 or number == 24
    assert state.phase == "over"
    assert len(state.results) == 24


def test_d17_a_fox_caught_before_the_wedding_is_clear_counts_by_the_teams_at_the_end() -> None:
    """Seat 2 loses a fox to the bride, seat 1, in the first trick; it depends on who becomes her partner."""
    first = Trick(1, cards("10# A- 9- 9-"), 1)
    last = Trick(1, cards("9+ 9+ 9+ 9+"), 1)
    assert special_points((first, last), (1, 2)) == ()
    assert special_points((first, last), (1, 3)) == (Item("fox", 1, "re", place=1),)


def test_d18_the_first_of_two_jacks_of_clubs_takes_the_last_trick() -> None:
    last = Trick(0, cards("9- J+ J+ K-"), 1)
    assert special_points((last,), (1, 3)) == (Item("charlie", 1, "re", place=1),)


def test_d19_there_is_no_redeal_and_no_poverty() -> None:
    """Five nines, hardly a trump, two foxes: one is healthy, or plays a solo or a wedding. Nothing else is a move."""
    assert {type(move).__name__ for move in _all_moves()} == {
        "Healthy",
        "Reserve",
        "PlaySolo",
        "NoSolo",
        "PlayCard",
        "Call",
        "GoOn",
    }
    state = begun("", "9+ 9+ 9* 9* 9# 9# A+ A+ K+ K+ A- A-")
    assert [type(choice).__name__ for choice in rules.legal_moves(state, 1)] == ["MayReserve"]
    assert do(state, 1, Reserve()).current == 2


def _all_moves() -> list[Move]:
    texts = (
        '{"type":"Healthy"}', '{"type":"Reserve"}', '{"type":"PlaySolo","kind":"aces"}', '{"type":"NoSolo"}',
        '{"type":"PlayCard","card":[9,0]}', '{"type":"Call","level":"team"}', '{"type":"GoOn","yes":true}',
    )  # fmt: skip
    for other in ("Redeal", "Poverty", "Piglets"):
        with pytest.raises(msgspec.DecodeError):
            rules.read_move(f'{{"type":"{other}"}}')
    return [rules.read_move(text) for text in texts]


def test_d20_a_solo_uses_up_a_round_of_the_match() -> None:
    state = cheap(said(begun(options=Options(rounds=1)), "-", "-", "!", "-", "clubs"))
    assert (state.phase, len(state.results)) == ("over", 1)


def rules_chance() -> Random:
    return Random(0)
