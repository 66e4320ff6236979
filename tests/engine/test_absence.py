"""People who are not there: asleep, or without a line; what they miss, and how they come back."""

from collections.abc import Mapping
from functools import partial
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from tests.engine.test_company import ADA, ALONE, ANNA, BERT, CARL, CLOCKS, MADE_UP, joined, names, refused, sit
from tests.made_up_game.game import RULES
from tests.made_up_game.rules import Options, TurnOver
from yawc_poker.casino.tables.table_cell import header_of
from yawc_poker.catalogues import words
from yawc_poker.engine import absence, sealing
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import CameBack, LineGone, NewMaster, SatDown, WentAway
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Dealt
from yawc_poker.engine.values import Seat, Table, is_asleep, seat_of
from yawc_poker.games.poker import rules as poker
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Event as PokerEvent
from yawc_poker.games.poker.model import Options as PokerOptions
from yawc_poker.games.poker.model import State as PokerState
from yawc_poker.table_ui import speech
from yawc_poker.table_ui.scene import look

DORA = 4
AGAIN = 21
"""Another session of Bert's."""


def four() -> MADE_UP:
    return sit(sit(sit(ALONE, BERT), CARL), DORA)


def expired(table: MADE_UP) -> MADE_UP:
    change = tables.expire(table, RULES, table.deadline or 0.0, Random(1), {}, CLOCKS)
    assert change is not None
    return change.table


def asleep(table: MADE_UP, *sessions: int) -> MADE_UP:
    """Return the table with these people asleep, as all were told, whatever their clocks said."""
    slept = (who and (replace(who, missed=2, gone=True) if who.session in sessions else who) for who in table.seats)
    return replace(table, seats=tuple(slept))


def away(table: MADE_UP) -> str:
    """Return who is away: "2 3"."""
    return " ".join(str(who.session) for who in table.seats if who is not None and is_asleep(who))


def started(table: MADE_UP, session: int, now: float = 0.0) -> MADE_UP:
    return tables.start(table, RULES, session, {}, Random(3), now, Options(), CLOCKS).table


def woken(table: MADE_UP, session: int, now: float = 5.0) -> MADE_UP:
    return absence.wake(table, session, now, CLOCKS)


def events(table: MADE_UP, since: MADE_UP) -> list[object]:
    return [entry.event for entry in table.log if entry.number > since.logged]


# --- asleep -----------------------------------------------------------------------------------------------------------


def test_two_clocks_in_a_row_and_a_master_is_away_and_passed_by() -> None:
    table = sit(sit(ALONE, BERT), CARL)
    once = expired(table)
    assert (once.master, away(once)) == (1, "")
    back = expired(expired(once))
    assert (back.master, away(back), events(back, once)) == (0, "", [NewMaster(2), NewMaster(0)])
    twice = expired(back)
    assert (twice.master, away(twice), events(twice, back)) == (1, "1", [WentAway(0), NewMaster(1)])
    assert speech.system(WentAway(0), "Anna", words("en")) == "Anna is away."
    later = expired(expired(expired(twice)))
    assert (later.master, away(later)) == (2, "1"), "two cannot begin a game for three"


def test_nobody_awake_the_master_stays_and_nothing_is_told_any_more() -> None:
    table = asleep(four(), ANNA, BERT, CARL, DORA)
    later = expired(table)
    assert (later.master, events(later, table)) == (0, [])
    assert later.deadline == (table.deadline or 0.0) + CLOCKS.master


def test_who_waits_with_nothing_to_do_is_not_away_however_long() -> None:
    """Alone, or with fewer than a game takes; then the first clock counts that has something to do."""
    for table in (ALONE, sit(ALONE, BERT), asleep(four(), CARL, DORA)):
        before, waits = table, table
        for _ in range(5):
            waits = expired(waits)
        assert away(waits) == away(before)
        assert all(isinstance(event, NewMaster) for event in events(waits, before))
    alone = expired(expired(ALONE))
    assert (alone.master, alone.deadline, events(alone, ALONE)) == (0, (ALONE.deadline or 0) + 2 * CLOCKS.master, [])
    table = sit(sit(alone, BERT), CARL)
    assert (table.master, events(table, alone)) == (0, [SatDown(1), SatDown(2)])
    assert refused(lambda: tables.may_start(table, RULES, 0, 0.0)) == ""
    assert [who.missed for who in expired(table).seats if who] == [1, 0, 0]


def test_a_master_who_had_to_wait_for_the_pause_had_nothing_to_do() -> None:
    table = replace(four(), pause_until=(four().deadline or 0.0) + 1)
    assert [who.missed for who in expired(table).seats if who] == [0] * 4


def test_a_newcomer_waits_for_no_sleeping_master() -> None:
    alone = asleep(ALONE, ANNA)
    table = sit(alone, BERT)
    assert (table.master, table.log[-1].event) == (1, NewMaster(1))
    assert refused(lambda: tables.may_start(table, RULES, 1, 0.0)) == "alone"
    assert seat_of(joined(alone, ADA), ADA) == 1
    assert joined(alone, ADA).master == 0, "a house player does not lead"


def test_a_move_counts_the_clocks_anew_and_so_does_any_key() -> None:
    table = started(four(), ANNA)
    table = expired(table)
    assert [who.missed for who in table.seats if who] == [1, 0, 0, 0]
    assert [who.missed for who in woken(table, ANNA).seats if who] == [0, 0, 0, 0]
    assert events(woken(table, ANNA), table) == []
    table = expired(expired(expired(table)))
    table = tables.finish(table, RULES, 0.0, CLOCKS)
    table = started(woken(table, CARL), BERT, now=100.0)
    assert [who.missed for who in table.seats if who] == [1, 0, 0, 1]


def test_who_is_away_is_dealt_no_card_and_looks_on() -> None:
    table = started(asleep(four(), BERT), ANNA)
    assert table.game is not None
    assert [one.seat for one in table.game.players] == [0, 2, 3]
    assert table.players == (ANNA, 0, CARL, DORA)
    assert table.transcript is not None
    deal, join = table.transcript.actions
    assert [one.seat for one in msgspec.json.decode(deal.detail, type=Dealt).people] == [0, 2, 3]
    assert (join.kind, join.seat, join.user) == ("join", 1, BERT)
    assert look(RULES, RULES.view, table, BERT, 0, 0.0).running
    assert table.transcript.deck is not None
    dealing = sealing.dealing(table.transcript.deck, table.transcript.words)
    *_, (_, step) = replay(RULES, dealing, table.transcript.actions)
    assert step.state == table.game


def test_too_few_awake_are_too_few() -> None:
    table = asleep(four(), BERT, CARL)
    assert refused(lambda: started(table, ANNA)) == "asleep"
    assert started(woken(table, BERT), ANNA).game is not None


def test_a_poker_player_who_is_away_pays_no_ante() -> None:
    table: Table[PokerState, PokerEvent] = tables.empty(POKER)
    for session in (ANNA, BERT, CARL):
        table = tables.sit(table, POKER, Seat(session, session, f"P{session}", 100), 0.0, CLOCKS)
    sleeper = table.seats[2]
    assert sleeper is not None
    table = replace(table, seats=(*table.seats[:2], replace(sleeper, missed=2), *table.seats[3:]))
    cash: Mapping[int, int] = {0: 100, 1: 100, 2: 100}
    change = tables.start(table, POKER, ANNA, cash, Random(3), 0.0, PokerOptions(), CLOCKS)
    assert {one.seat for one in change.payments} == {0, 1}
    assert change.table.game is not None
    assert poker.view(change.table.game, 2).hand is None
    assert [who.cash for who in change.table.seats if who] == [100 - change.payments[0].amount] * 2 + [100]


def test_in_a_running_game_the_clock_plays_for_who_is_away_and_the_rules_master_stays_it() -> None:
    before = asleep(started(four(), ANNA), ANNA)
    table = expired(before)
    assert table.game is not None
    assert table.master == table.game.master == 0
    assert not any(isinstance(event, NewMaster) for event in events(table, before))
    back = woken(table, ANNA)
    assert (back.master, back.deadline, events(back, table)) == (0, table.deadline, [CameBack(0)])
    over = tables.finish(expired(expired(expired(table))), RULES, 0.0, CLOCKS)
    assert (over.master, over.log[-1].event) == (1, NewMaster(1)), "between games it passes by who sleeps"


def test_any_key_brings_back_and_leads_where_nobody_is_awake() -> None:
    table = asleep(four(), ANNA, BERT, CARL, DORA)
    back = woken(table, CARL)
    assert (back.master, away(back), events(back, table)) == (2, "1 2 4", [CameBack(2), NewMaster(2)])
    assert back.deadline == 5.0 + CLOCKS.master
    again = woken(back, ANNA)
    assert (again.master, events(again, back)) == (2, [CameBack(0)])
    assert woken(again, ANNA) is again
    assert refused(lambda: woken(again, AGAIN)) == "not_seated"


def test_house_players_and_guests_are_never_away() -> None:
    table = joined(joined(ALONE, ADA), 12)
    table = sit(table, 1 << 50)
    table = started(table, ANNA)
    for _ in range(8):
        if table.game is not None and RULES.is_over(table.game):
            table = tables.finish(woken(table, ANNA), RULES, 0.0, CLOCKS)
            master = table.seats[table.master or 0]
            assert master is not None
            table = started(table, master.session, now=100.0)
        table = expired(table)
    assert {who.session: who.missed > 0 for who in table.seats if who} == {
        1: True,
        ADA: False,
        12: False,
        1 << 50: False,
    }


# --- without a line ---------------------------------------------------------------------------------------------------


def held(table: MADE_UP, session: int = BERT, now: float = 10.0, until: float = 70.0) -> MADE_UP:
    return absence.hold(table, session, now, until, CLOCKS)


def test_a_lost_line_is_told_and_the_seat_is_held() -> None:
    table = held(started(four(), ANNA))
    assert table.log[-1].event == LineGone(1, 60)
    told = speech.system(table.log[-1].event, "Bert", words("en"))
    assert told == "Bert's line is gone; the seat is kept for 1:00."
    assert absence.held_for(table, BERT) == 1
    assert header_of(table, RULES).deadline == 60.0, "the turn's clock ends first"
    assert header_of(held(table, CARL, 0.0, 30.0), RULES).deadline == 30.0
    assert held(table, now=20.0, until=80.0) is table, "what was told holds"
    scene = look(RULES, RULES.view, asleep(table, CARL), ANNA, 0, 0.0)
    assert [one.absent for one in scene.people] == ["line", "away", None]


def test_a_seat_is_taken_over_with_all_that_its_session_had() -> None:
    table = started(four(), ANNA)
    table = tables.claim(held(tables.chat(table, BERT, "hello")), BERT)
    over = absence.take_over(table, BERT, AGAIN, 30.0, CLOCKS)
    assert names(over) == "1 21 3 4"
    assert (over.game, over.pot, over.deadline, over.override) == (table.game, table.pot, table.deadline, AGAIN)
    assert {entry.session for entry in over.log} & {BERT, AGAIN} == {AGAIN}
    assert over.log[-1].event == CameBack(1)
    assert absence.held_for(over, BERT) is None
    assert refused(lambda: absence.take_over(over, BERT, 22, 30.0, CLOCKS)) == "not_seated"
    assert refused(lambda: tables.chat(over, BERT, "from the old session")) == "not_seated"


def test_who_went_without_a_word_comes_back_without_one() -> None:
    """Nobody was there to be told: only house players."""
    table = started(joined(joined(ALONE, ADA), 12), ANNA)
    sleeper = table.seats[0]
    assert sleeper is not None
    table = replace(table, seats=(replace(sleeper, missed=1), *table.seats[1:]))
    table = sit(expired(table), BERT)
    assert away(table) == "1"
    back = woken(table, ANNA)
    assert (away(back), events(back, table)) == ("", [])


def test_who_sleeps_and_then_loses_the_line_is_back_once() -> None:
    table = held(asleep(four(), BERT))
    back = absence.line_back(woken(table, BERT), BERT, 30.0, CLOCKS)
    assert (away(back), absence.held_for(back, BERT), events(back, table)) == ("", None, [CameBack(1)])


def test_nobody_else_takes_a_held_seat() -> None:
    table = held(four())
    for user in (ANNA, CARL, 99):
        assert refused(partial(absence.take_over, table, user, AGAIN, 30.0, CLOCKS)) == "not_seated"
    assert refused(lambda: sit(table, 5)) == "table_full"


def test_without_a_line_one_is_not_dealt_in() -> None:
    table = started(held(four(), BERT), ANNA)
    assert table.game is not None
    assert [one.seat for one in table.game.players] == [0, 2, 3]


def test_without_a_line_the_privilege_passes_on_at_once_and_only_the_seat_comes_back() -> None:
    table = held(four(), ANNA)
    assert (table.master, events(table, four())) == (1, [LineGone(0, 60), NewMaster(1)])
    assert table.deadline == 10.0 + CLOCKS.master
    assert refused(lambda: started(table, ANNA)) == "not_master"
    back = absence.take_over(table, ANNA, AGAIN, 30.0, CLOCKS)
    assert (back.master, back.deadline, events(back, table)) == (1, table.deadline, [CameBack(0)])
    assert held(held(asleep(four(), CARL), ANNA), BERT).master == 3, "sleepers are passed by"


def test_in_a_running_game_the_rules_master_stays_it_without_a_line() -> None:
    before = started(four(), ANNA)
    table = held(before, ANNA)
    assert (table.master, table.deadline, events(table, before)) == (0, before.deadline, [LineGone(0, 60)])
    back = absence.take_over(table, ANNA, AGAIN, 30.0, CLOCKS)
    assert (back.master, events(back, table)) == (0, [CameBack(0)])


def test_a_master_without_a_line_keeps_the_privilege_until_somebody_is_there() -> None:
    table = held(asleep(four(), BERT, CARL, DORA), ANNA)
    assert (table.master, events(table, four())) == (0, [LineGone(0, 60)])
    later = expired(held(held(held(four(), BERT), CARL), DORA))
    assert events(held(later, ANNA), later) == [LineGone(0, 60)]
    assert woken(table, CARL).master == 2
    newcomer = sit(held(ALONE, ANNA), BERT)
    assert (newcomer.master, newcomer.log[-1].event) == (1, NewMaster(1))


def test_who_starts_a_game_has_a_line() -> None:
    """A page is back, and has pressed a key before the table was told."""
    table = started(held(joined(joined(ALONE, ADA), 12), ANNA), ANNA)
    assert table.game is not None
    assert (table.game.master, absence.held_for(table, ANNA)) == (0, None)


def test_clocks_act_for_a_held_seat_as_for_any() -> None:
    table = started(four(), ANNA)
    table = expired(held(table, ANNA, until=500.0))
    assert table.game is not None
    assert RULES.to_move(table.game) == 1
    back = absence.take_over(table, ANNA, AGAIN, 100.0, CLOCKS)
    assert back.seats[0] == Seat(AGAIN, ANNA, "P1", 0, came=1)


def test_a_held_seat_that_is_given_up_is_freed_as_any() -> None:
    table = started(four(), ANNA)
    one = tables.leave(held(table), RULES, BERT, 70.0, CLOCKS, removed=True).table
    assert (names(one), one.game) == (
        "1 - 3 4",
        tables.leave(table, RULES, BERT, 70.0, CLOCKS, removed=True).table.game,
    )


def test_a_page_s_line_that_comes_back_is_told() -> None:
    table = held(four())
    back = absence.line_back(table, BERT, 20.0, CLOCKS)
    assert (back.seats, back.log[-1].event) == (four().seats, CameBack(1))
    assert absence.line_back(back, BERT, 20.0, CLOCKS) is back


def test_house_players_are_not_held() -> None:
    table = joined(ALONE, ADA)
    assert held(table, ADA) is table


@pytest.mark.parametrize("told", [True, False])
def test_one_who_calls_anew_is_held_without_a_word(told: bool) -> None:
    table = four()
    one = absence.hold(table, BERT, 0.0, 60.0, CLOCKS, told=told)
    assert (absence.held_for(one, BERT), len(events(one, table))) == (1, int(told))
    back = absence.take_over(one, BERT, AGAIN, 30.0, CLOCKS)
    assert events(back, one) == [CameBack(1)] * told, "only who went is back"
    again = absence.take_over(absence.hold(back, AGAIN, 40.0, 60.0, CLOCKS, told=False), BERT, 22, 50.0, CLOCKS)
    assert events(again, back) == [], "told once"
    assert absence.hold(table, ANNA, 0.0, 60.0, CLOCKS, told=told).master == int(told)


def test_a_hold_that_is_ended_is_due_at_once() -> None:
    table = held(started(four(), ANNA))
    one = absence.end_hold(table, BERT, 20.0)
    assert (absence.held_for(one, BERT), header_of(one, RULES).deadline) == (1, 20.0)
    assert absence.end_hold(one, BERT, 30.0) is one
    assert absence.end_hold(table, CARL, 20.0) is table


def test_a_move_out_of_a_held_seat_is_still_the_session_s() -> None:
    """A browser's page may come back to its session, and a key may be on its way."""
    table = held(started(four(), ANNA), ANNA)
    change = tables.play(table, RULES, ANNA, TurnOver(), {}, Random(1), 11.0, CLOCKS)
    assert change.table.action == table.action + 1
