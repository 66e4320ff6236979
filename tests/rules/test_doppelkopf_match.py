"""A match of Doppelkopf from round to round: the question, tournaments, clocks, people leaving, CUBES, and a table."""

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.adapters import pick_doppelkopf
from tests.engine.words import draw_word, start
from tests.rules.doppelkopf_run import (
    MATCH,
    RNG,
    TOURNAMENT,
    begun,
    cheap,
    dealt_by,
    do,
    events,
    healthy,
    laid,
    present,
    refused,
    said,
    with_hands,
)
from yawc_poker.cards import card, cards
from yawc_poker.catalogues import words
from yawc_poker.engine import kept, sealing, transcript
from yawc_poker.engine import table as tables
from yawc_poker.engine.house import HOUSE_USERS
from yawc_poker.engine.next_game import prepared
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Action
from yawc_poker.engine.values import Change, Clocks, Seat, Table
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import (
    Abandoned,
    Answered,
    Event,
    HandDealt,
    MatchOver,
    Named,
    Played,
    RoundBegins,
    RoundOver,
    Scored,
    Settled,
    SoloForced,
    Spoke,
    Won,
)
from yawc_poker.games.doppelkopf.game import DOPPELKOPF, RULES
from yawc_poker.games.doppelkopf.model import (
    CARDS,
    GameType,
    GoOn,
    Healthy,
    MayAnswer,
    MayName,
    NoSolo,
    Options,
    PlaySolo,
    Result,
    State,
)
from yawc_poker.games.doppelkopf.progress import cheapest_card, later_deal
from yawc_poker.games.doppelkopf.trumps import longest_solo
from yawc_poker.games.doppelkopf.ui.narrative import RETOLD

BOTH = "Q+ Q+"
EN = words("en")


def round_over(options: Options = MATCH) -> State:
    return cheap(healthy(begun("", "Q+", "", "Q+", options=options)))


def agreed(state: State) -> State:
    for seat in present(state):
        state = do(state, seat, GoOn(True))
    return state


# --- 9.1 the match ----------------------------------------------------------------------------------------------------


def test_the_end_of_a_round_is_told_with_its_points() -> None:
    state = cheap(healthy(begun("", "Q+", "", "Q+")), tricks=11)
    state = laid(state, " ".join(str(state.players[(state.round.leader + at) % 4].hand[0]) for at in range(3)))
    assert state.current is not None
    told = rules.timeout(state, RNG).events
    result = rules.timeout(state, RNG).state.results[0]
    assert [one for one in told if isinstance(one, RoundOver | Scored)] == [
        RoundOver(result),
        *(Scored(seat, seat, result.points[seat], result.points[seat]) for seat in range(4)),
    ]
    assert result.re == (1, 3)


def test_everybody_is_asked_at_once_whether_to_go_on() -> None:
    state = round_over()
    assert (state.phase, state.current) == ("question", 0)
    assert all(rules.legal_moves(state, seat) == (MayAnswer(),) for seat in range(4))
    assert events(state, 2, GoOn(True)) == [Answered(2, 2, True)]
    third = do(state, 2, GoOn(True))
    assert (third.turn, third.current, third.round.agreed) == (state.turn, 0, (2,)), "the clock runs on"
    assert refused(third, 2, GoOn(True)) == "answered"
    assert rules.legal_moves(third, 2) == ()
    assert refused(third, 0, Healthy()) == refused(third, 0, "9+") == "not_now"
    state = do(third, 0, GoOn(True))
    assert (state.current, state.turn) == (1, third.turn + 1)
    state = do(do(state, 3, GoOn(True)), 1, GoOn(True))
    assert (state.phase, state.round.number, state.round.dealer, state.current) == ("reservation", 2, 1, 2)


def test_the_last_trick_stays_to_be_looked_at() -> None:
    state = round_over()
    last = state.round.tricks[-1]
    assert rules.view(state, 1).last == last
    state = agreed(state)
    assert (rules.view(state, 1).last, state.round.tricks) == (last, ())


def test_a_match_ends_after_its_rounds_without_a_question() -> None:
    state = round_over(Options(rounds=2))
    state = cheap(healthy(agreed(state)))
    assert (state.phase, state.current, len(state.results)) == ("over", None, 2)
    totals = [sum(result.points[seat] for result in state.results) for seat in range(4)]
    assert rules.payouts(state) == {seat: 1 for seat in range(4) if totals[seat] == max(totals)}
    assert [one.total for one in rules.view(state, None).players] == totals


def test_equal_points_share_the_first_place() -> None:
    state = with_points(round_over(), 2, -2, 2, -2)
    step = rules.play(state, 0, GoOn(False), RNG)
    assert step.events == (Answered(0, 0, False), MatchOver("stopped", 1), Won(0, 0, 2), Won(2, 2, 2))
    assert rules.payouts(step.state) == {0: 1, 2: 1}
    assert rules.payouts(state) == {}


def test_every_deal_after_the_first_follows_from_the_seed() -> None:
    state = agreed(round_over())
    order = later_deal("5eed", 2)
    assert sorted(order) == sorted(CARDS)
    assert [state.players[seat].hand for seat in (2, 3, 0, 1)] == [order[at : at + 12] for at in (0, 12, 24, 36)]
    assert later_deal("5eed", 3) != order != later_deal("seed", 2)


def test_hands_are_told_once_a_round() -> None:
    state = begun()
    assert set(rules.hands(state)) == {0, 1, 2, 3}
    after = cheap(healthy(state))
    assert rules.hands(after, state) == {}
    assert rules.hands(after) == rules.hands(state), "what was dealt, and not what is left"
    following = agreed(after)
    assert all(len(cards(text)) == 12 for text in rules.hands(following, after).values())
    assert len(rules.hands(following, after)) == 4


# --- 9.2 the tournament -----------------------------------------------------------------------------------------------


def tournament(*hands: str) -> State:
    return begun(*hands, options=TOURNAMENT)


def test_a_compulsory_solo_leads() -> None:
    state = said(tournament(), "-", "-", "!", "-")
    assert rules.legal_moves(state, 3) == (MayName(wedding=False, compulsory=True),)
    state = said(state, "jacks")
    assert (state.current, state.round.game) == (3, GameType("jacks", 3, compulsory=True))
    assert [player.owes_solo for player in state.players] == [True, True, True, False]


def test_the_next_round_of_a_tournament_is_dealt_without_a_question() -> None:
    state = cheap(said(tournament(), "-", "-", "-", "-"))
    assert (state.phase, state.round.number, state.round.dealer) == ("reservation", 2, 1)


def played_solos(state: State, *seats: int) -> State:
    """Return the state in which these seats have played their compulsory solos."""
    players = tuple(replace(player, owes_solo=seat not in seats) for seat, player in enumerate(state.players))
    return replace(state, players=players)


def test_a_voluntary_solo_does_not_lead() -> None:
    state = said(played_solos(tournament(), 3), "-", "-", "!", "-", "jacks")
    assert (state.current, state.round.game) == (1, GameType("jacks", 3))


def test_a_compulsory_solo_beats_a_voluntary_one_and_that_a_wedding() -> None:
    state = said(played_solos(tournament("", "", "", BOTH), 1, 2), "!", "!", "!", "!")
    state = said(state, "jacks")
    assert state.current == 3, "seat 2 could only name a voluntary solo, too"
    state = said(state, "wedding")
    assert (state.phase, state.current) == ("naming", 0)
    assert said(state, "queens").round.game == GameType("queens", 0, compulsory=True)


def test_the_first_of_two_compulsory_solos() -> None:
    assert said(tournament(), "-", "!", "!", "!", "aces").round.game == GameType("aces", 2, compulsory=True)


def test_a_voluntary_solo_stands_where_nobody_outbids_it() -> None:
    state = said(played_solos(tournament("", "", "", BOTH), 1), "!", "-", "!", "-", "jacks", "wedding")
    assert state.round.game == GameType("jacks", 1)


def test_weddings_are_no_compulsory_solos() -> None:
    state = said(tournament("", BOTH), "!", "-", "-", "-", "wedding")
    assert all(player.owes_solo for player in state.players)
    assert all(player.owes_solo for player in healthy(tournament("", BOTH)).players)


def test_solos_are_forced_when_the_games_left_are_as_many() -> None:
    state = tournament()
    while state.round.number < 20:
        state = cheap(healthy(state))
    step = rules.timeout(cheap(healthy(state), tricks=11), RNG)
    while not any(isinstance(one, RoundBegins) for one in step.events):
        step = rules.timeout(step.state, RNG)
    state = step.state
    told = [one for one in step.events if isinstance(one, RoundBegins | HandDealt | SoloForced)]
    assert told[0] == RoundBegins(0, 0, 21, 24)
    assert [one.seat for one in told[1:-1]] == [0, 1, 2, 3]
    assert told[-1] == SoloForced(1, 1)
    assert (state.phase, state.current, state.round.forced) == ("naming", 1, 1)
    assert rules.legal_moves(state, 1) == (MayName(wedding=False, compulsory=True),)
    state = with_hands(state, "", BOTH, "", "")
    assert refused(state, 1, NoSolo()) == "solo_forced"
    assert rules.legal_moves(state, 1) == (MayName(wedding=False, compulsory=True),)
    assert refused(state, 2, PlaySolo("aces")) == "not_your_turn"


def test_a_whole_tournament_by_the_clock() -> None:
    """Nobody does anything: 20 healthy games, and four forced solos."""
    state = dealt_by(11, TOURNAMENT)
    while not rules.is_over(state):
        state = rules.timeout(state, RNG).state
    assert [result.game.compulsory for result in state.results] == [False] * 20 + [True] * 4
    assert [result.game.player for result in state.results[20:]] == [1, 2, 3, 0]
    assert [result.dealer for result in state.results] == [number % 4 for number in range(24)]


# --- clocks -----------------------------------------------------------------------------------------------------------


def test_the_clock_is_healthy() -> None:
    assert rules.timeout(begun(), RNG).events == (Spoke(1, 1, False, by_clock=True),)


def test_the_clock_names_a_wedding_or_the_solo_with_the_most_trumps() -> None:
    state = said(begun("", "9+ 9+ A+ A+ 10+ 10+ J- J* K+ K+ 9* 9*"), "!", "-", "-", "-")
    assert rules.timeout(state, RNG).events[0] == Named(1, 1, "clubs", by_clock=True)
    state = said(begun("", f"{BOTH} Q# Q#"), "!", "-", "-", "-")
    assert rules.timeout(state, RNG).events[0] == Named(1, 1, "wedding", by_clock=True)


@pytest.mark.parametrize(
    ("hand", "solo"),
    [
        ("Q+ Q* J+ A+ A+", "clubs"),
        ("Q+ Q* A- K- 9-", "diamonds"),
        ("10# Q+ A# A#", "hearts"),
        ("Q+ Q*", "queens"),
        ("J+ J*", "jacks"),
        ("A+ A+ A* A#", "clubs"),
    ],
)
def test_the_solo_with_the_most_trumps(hand: str, solo: str) -> None:
    assert longest_solo(cards(hand)) == solo


@pytest.mark.parametrize(
    ("hand", "led", "cheapest"),
    [
        ("A+ 9- 9* J+", "", "9*"),
        ("A+ J+ Q-", "", "J+"),
        ("A+ 10+", "9+", "10+"),
        ("10# Q- J-", "9-", "J-"),
        ("10# A- 10-", "9-", "10-"),
        ("A# 9- K*", "9+", "9-"),
        ("J+ J- J#", "9-", "J-"),
        ("9* 9+ 9#", "", "9#"),
    ],
)
def test_the_cheapest_card_has_the_fewest_eyes_then_is_the_lowest(hand: str, led: str, cheapest: str) -> None:
    state = with_hands(healthy(begun()), "9+", hand, "9+", "9+")
    state = replace(state, round=replace(state.round, trick=cards(led)))
    assert cheapest_card(state, 1) == card(cheapest)


def test_the_clock_answers_yes_for_all_who_are_silent() -> None:
    state = do(round_over(), 1, GoOn(True))
    step = rules.timeout(state, RNG)
    assert step.events[:3] == tuple(Answered(seat, seat, True, by_clock=True) for seat in (0, 2, 3))
    assert step.state.round.number == 2


# --- leaving ----------------------------------------------------------------------------------------------------------


def test_who_leaves_is_played_on_until_the_round_is_scored() -> None:
    state = healthy(begun("", "Q+", "", "Q+"))
    step = rules.leave(state, 1)
    assert step.events[0] == Abandoned(1, 1)
    played = step.events[1]
    assert isinstance(played, Played)
    assert (played.seat, played.place, played.by_clock) == (None, 1, True)
    assert (step.state.phase, step.state.current) == ("play", 2)
    view = rules.view(step.state, None)
    assert [one.gone for one in view.players] == [False, True, False, False]
    state = cheap(step.state)
    assert (state.phase, len(state.results)) == ("over", 1)
    assert state.results[0].re == (1, 3)


def test_who_leaves_during_the_reservations_is_healthy() -> None:
    state = rules.leave(begun(), 2).state
    assert state.current == 1
    state = said(state, "-")
    assert (state.round.said, state.current) == ((False, False), 3)


def test_who_leaves_with_a_reservation_plays_a_solo() -> None:
    state = said(begun("", "9+ 9+ A+ A+ 10+ 10+ J- J* K+ K+ 9* 9*"), "!", "-", "-")
    state = said(rules.leave(state, 1).state, "-")
    assert state.round.game == GameType("clubs", 1)
    assert state.current == 2


def test_leaving_between_rounds_ends_the_match() -> None:
    step = rules.leave(round_over(), 3)
    assert step.events[:2] == (Abandoned(3, 3), MatchOver("left", 1))
    assert step.state.phase == "over"
    assert rules.payouts(step.state) == rules.payouts(rules.play(round_over(), 3, GoOn(False), RNG).state)


def test_leaving_a_match_that_is_over() -> None:
    over = rules.play(with_points(round_over(), 3, -1, -1, -1), 2, GoOn(False), RNG).state
    step = rules.leave(over, 0)
    assert (step.events, step.payments, step.state.results) == ((), (), over.results)
    assert rules.view(step.state, 0).place is None
    assert rules.payouts(step.state) == rules.payouts(over) == {0: 1}, "who has won may go"
    assert step.state.master == 1


def test_a_tournament_ends_as_well() -> None:
    state = cheap(rules.leave(healthy(tournament()), 0).state)
    assert (state.phase, len(state.results)) == ("over", 1)


def test_everybody_leaves() -> None:
    state = healthy(begun())
    for seat in range(4):
        state = rules.leave(state, seat).state
    assert (state.phase, len(state.results)) == ("over", 1)
    assert set(rules.payouts(state)) == set(rules.won(state)) != set()
    assert rules.leave(rules.join(state, 2, 0).state, 2).state == state


def test_the_master_who_leaves_is_followed_by_another_player() -> None:
    state = healthy(begun())
    state = rules.leave(state, 0).state
    assert state.master == 1
    state = rules.leave(rules.join(state, 0, 0).state, 3).state
    assert state.master == 1
    state = rules.leave(state, 1).state
    assert state.master == 2
    assert [rules.competes(state, seat) for seat in range(4)] == [False, False, True, False]


def test_a_watcher_in_the_seat_of_a_player_sees_what_a_bystander_sees() -> None:
    state = rules.join(rules.leave(healthy(begun()), 3).state, 3, 100).state
    view = rules.view(state, 3)
    assert (view.hand, view.place, view.choices) == (None, None, ())
    assert replace(view, seat=None) == rules.view(state, None)
    assert rules.leave(state, 3).state.watchers == ()


# --- CUBES ------------------------------------------------------------------------------------------------------------


def with_points(state: State, *points: int) -> State:
    done = Result(1, 0, GameType("normal"), (1, 3), 121, "re", (), 1, points)
    return replace(state, results=(*state.results[:-1], done))


def staked(*points: int, cash: tuple[int, ...] = (1000,) * 4) -> State:
    """A match for 10 CUBES a point, after a round that came to these points."""
    return replace(with_points(round_over(Options(cubes=10)), *points), at_start=cash)


def test_points_are_paid_for_at_the_end() -> None:
    state = staked(5, -7, 4, -2)
    assert (rules.debts(state), rules.payouts(state)) == ({}, {})
    step = rules.play(state, 0, GoOn(False), RNG)
    assert step.payments == ()
    assert rules.debts(step.state) == {1: 70, 3: 20}
    assert rules.payouts(step.state) == {0: 50, 2: 40}
    assert rules.won(step.state) == (0,), "CUBES are won by others, too"
    assert step.events[-4:] == (Settled(0, 0, 50), Settled(1, 1, -70), Settled(2, 2, 40), Settled(3, 3, -20))


def test_nobody_pays_more_than_was_owned_at_the_start() -> None:
    over = rules.play(staked(5, -7, -1, 3, cash=(0, 30, 0, 500)), 0, GoOn(False), RNG).state
    assert rules.debts(over) == {1: 30}
    assert rules.payouts(over) == {0: 50, 3: 30}


def test_who_leaves_pays_like_the_others() -> None:
    over = rules.leave(staked(5, -7, 4, -2), 1).state
    assert rules.debts(over) == {1: 70, 3: 20}
    state = healthy(agreed(staked(5, -70, 40, 25)))
    step = rules.leave(state, 1)
    assert (step.payments, rules.debts(step.state)) == ((), {})
    over = cheap(step.state)
    assert over.phase == "over"
    assert rules.debts(over)[1] == min(-10 * rules.view(over, None).players[1].total, 1000)


def test_who_leaves_is_paid_what_they_have_won() -> None:
    over = rules.leave(staked(9, -3, -3, -3), 0).state
    assert rules.payouts(over) == {0: 90}
    assert rules.debts(over) == {1: 30, 2: 30, 3: 30}
    everybody_gone = over
    for seat in (1, 2, 3):
        everybody_gone = rules.leave(everybody_gone, seat).state
    assert rules.payouts(everybody_gone) == rules.payouts(over)
    assert rules.debts(everybody_gone) == rules.debts(over)


def test_a_match_in_which_nobody_gained_anything_is_won_by_all() -> None:
    over = rules.leave(staked(0, 0, 0, 0), 2).state
    assert (rules.debts(over), rules.payouts(over)) == ({}, {0: 1, 1: 1, 2: 1, 3: 1})


def test_who_leaves_in_the_last_round_has_played_them_all() -> None:
    state = healthy(agreed(round_over(Options(rounds=2))))
    step = rules.leave(state, 1)
    while not rules.is_over(step.state):
        step = rules.timeout(step.state, RNG)
    assert MatchOver("rounds", 2) in step.events


def test_a_match_for_points_alone_takes_nothing() -> None:
    state = with_points(round_over(), 5, -7, 4, -2)
    assert rules.fund(state, {0: 1}) == state
    over = rules.play(state, 0, GoOn(False), RNG).state
    assert (rules.debts(over), rules.payouts(over)) == ({}, {0: 1})


# --- at a table -------------------------------------------------------------------------------------------------------

CLOCKS = Clocks()
CASH = dict.fromkeys(range(4), 1000)


class TableOfFour:
    """A table of the engine with four people, and what was written down of its game."""

    def __init__(self, options: Options, rng: Random) -> None:
        self.rng = rng
        self.table: Table[State, Event] = tables.empty(RULES)
        for seat in range(4):
            person = Seat(10 + seat, seat + 1, f"P{seat}", 1000)
            self.table = prepared(tables.sit(self.table, RULES, person, 0.0, CLOCKS), RULES, rng)
            self.table = draw_word(self.table, 10 + seat, rng)
        self.actions: list[Action] = []
        self._take(start(self.table, RULES, 10, CASH, rng, 0.0, options, CLOCKS))

    @property
    def game(self) -> State:
        assert self.table.game is not None
        return self.table.game

    def step(self) -> None:
        chance, mover = self.rng.random(), rules.to_move(self.game)
        seat = self.rng.choice(present(self.game)) if chance < 0.5 else mover
        choices = () if seat is None else rules.legal_moves(self.game, seat)
        if chance > 0.9 or seat is None or not choices:
            assert self.table.deadline is not None
            change = tables.expire(self.table, RULES, self.table.deadline, self.rng, CASH, CLOCKS)
            assert change is not None
            self._take(change)
        elif chance > 0.898:
            self._take(tables.leave(self.table, RULES, 10 + seat, 0.0, CLOCKS))
        else:
            move = pick_doppelkopf(self.rng.choice(choices), self.rng)
            self._take(tables.play(self.table, RULES, 10 + seat, move, CASH, self.rng, 0.0, CLOCKS))

    def _take(self, change: Change[State, Event]) -> None:
        self.table = change.table
        due = transcript.due(self.table.transcript, 1)
        self.actions += () if due is None else due.actions
        self.table = replace(self.table, transcript=transcript.without(self.table.transcript, due))


@pytest.mark.parametrize("seed", range(6))
def test_a_match_at_a_table_is_played_again_from_what_was_written_down(seed: int) -> None:
    run = TableOfFour(Options(rounds=3) if seed % 2 else TOURNAMENT, Random(seed))
    deadline = run.table.deadline
    while not rules.is_over(run.game):
        turn = run.game.turn
        deadline = run.table.deadline
        run.step()
        assert run.game.turn != turn or run.table.deadline in {deadline, None}
    book = run.table.transcript
    assert book is not None
    assert book.deck is not None
    assert len(book.deck.order.split()) == 48
    *_, (_, step) = replay(RULES, sealing.dealing(book.deck, book.words), run.actions)
    assert step.state == run.game
    finished = tables.finish(run.table, RULES, 0.0, CLOCKS)
    assert finished.last == run.game


def test_a_tournament_ends_with_the_round_to_whose_end_a_seat_was_kept() -> None:
    """The next round is dealt before the rules are told who has left; nothing of it counts, and nobody plays it."""
    run, keeps = TableOfFour(replace(TOURNAMENT, cubes=5), Random(1)), DOPPELKOPF.keeps
    run._take(tables.leave(run.table, RULES, 12, 0.0, CLOCKS, keeps=keeps))
    stand_in = Seat(99, HOUSE_USERS.start, "Ada**", 0, program="normal 1")
    run.table = tables.sit(run.table, RULES, stand_in, 0.0, CLOCKS)
    while run.game.round.number == 1:
        assert kept.given_up(run.table, RULES, keeps, 0.0, CLOCKS) is None
        run._take(in_time(tables.expire(run.table, RULES, run.table.deadline or 0.0, run.rng, CASH, CLOCKS)))
    scored = run.game
    run._take(in_time(kept.given_up(run.table, RULES, keeps, 0.0, CLOCKS)))
    assert (run.game.phase, run.game.results) == ("over", scored.results)
    assert {entry.event for entry in run.table.log} >= {Abandoned(2, 2), MatchOver("left", 1)}
    assert not any(player.hand for player in run.game.players), "all cards can be opened"
    assert {debt.user for debt in run.table.debts} == {
        place + 1 for place, points in enumerate(scored.results[0].points) if points < 0
    }
    book = run.table.transcript
    assert book is not None
    assert book.deck is not None
    dealt = sealing.dealing(book.deck, book.words)
    *_, (_, step) = replay(RULES, dealt, run.actions)
    assert step.state == run.game
    assert Counter(RETOLD.opened(dealt, run.actions, None)) == Counter(map(str, CARDS))
    assert [one.rounds for one in RETOLD.standings(dealt, run.actions)] == [(one,) for one in scored.results[0].points]
    assert any(
        one.text.startswith("The match ends after 1 round") for one in RETOLD.story(dealt, run.actions, (0,), EN)
    )


def in_time(change: Change[State, Event] | None) -> Change[State, Event]:
    assert change is not None
    return change


def test_a_call_out_of_turn_leaves_the_clock_alone() -> None:
    run = TableOfFour(Options(), Random(1))
    for seat in (1, 2, 3, 0):
        run._take(tables.play(run.table, RULES, 10 + seat, Healthy(), CASH, RNG, 5.0, CLOCKS))
    before = run.table.deadline
    caller = 3
    choice = rules.legal_moves(run.game, caller)[0]
    run._take(tables.play(run.table, RULES, 10 + caller, pick_doppelkopf(choice, RNG), CASH, RNG, 20.0, CLOCKS))
    assert run.table.deadline == before
    assert len(run.game.round.calls) == 1
