"""A reserved table: nobody else sits down, nothing is changed there, its games begin by themselves and are counted."""

from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.test_company import (
    ADA,
    ANNA,
    BERT,
    BOB,
    CARL,
    CLOCKS,
    MADE_UP,
    ended,
    joined,
    leave,
    names,
    sit,
    start,
)
from tests.made_up_game.game import RULES
from tests.made_up_game.rules import Options
from yawc_poker.engine import company, reserving
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.hints import may_take
from yawc_poker.engine.next_game import choose
from yawc_poker.engine.values import Reserved, Seat

MARK = "match 1"
DORA = 4


def reserved(*users: int, needed: int = 0, left: int = 2, options: str = "") -> MADE_UP:
    asked = Reserved(MARK, users, needed or len(users), left)
    return reserving.reserve(tables.empty(RULES), asked, options)


def test_only_those_sit_down_whom_it_is_reserved_for() -> None:
    table = sit(reserved(ANNA, BERT), ANNA)
    with pytest.raises(IllegalMove, match="reserved"):
        sit(table, CARL)
    assert names(sit(table, BERT)).startswith(f"{ANNA} {BERT}")
    assert tables.waiting(table, RULES) is None, "nobody else can come"
    assert names(sit(reserving.release(table, MARK), CARL)).startswith(f"{ANNA} {CARL}")


def test_a_table_is_reserved_while_nobody_else_sits_there_and_once() -> None:
    table = reserved(ANNA, BERT)
    assert reserving.reserve(sit(table, ANNA), Reserved(MARK, (CARL,), 1, 9), "") == sit(table, ANNA), "the same again"
    for other in (table, sit(tables.empty(RULES), ANNA)):
        with pytest.raises(IllegalMove, match="occupied"):
            reserving.reserve(other, Reserved("match 2", (CARL,), 1, 1), "")
    seated = sit(tables.empty(RULES), CARL)
    assert reserving.reserve(seated, Reserved("match 2", (CARL,), 1, 1), "").seats == seated.seats
    assert reserving.release(table, "match 2") is table
    assert reserving.release(table, MARK) == tables.empty(RULES)


def test_a_table_whose_games_are_played_is_reserved_anew_with_those_who_go_on() -> None:
    table = sit(sit(reserved(ANNA, BERT, left=0), ANNA), BERT)
    following = Reserved("match 2", (ANNA, CARL), 2, 1)
    with pytest.raises(IllegalMove, match="occupied"):
        reserving.reserve(table, following, "")
    assert reserving.shown_out(table, (ANNA, BERT, CARL), following) == (BERT,)
    found = reserving.reserve(leave(table, BERT), following, "{}")
    assert (found.reserved, found.options) == (following, "{}")
    with pytest.raises(IllegalMove, match="occupied"):
        reserving.reserve(found, Reserved("match 3", (ANNA,), 1, 1), "")


def test_who_has_played_makes_room_for_the_next_match_but_no_stranger() -> None:
    table = joined(sit(sit(sit(tables.empty(RULES), ANNA), BERT), CARL), ADA)
    asked = Reserved(MARK, (BERT, DORA), 2, 1)
    assert reserving.shown_out(table, (ANNA, BERT), asked) == (ANNA, ADA), "BERT plays here, CARL is a stranger"
    assert reserving.shown_out(start(table, ANNA), (ANNA, BERT), asked) == (), "a game runs"
    assert reserving.shown_out(reserved(ANNA), (ANNA,), asked) == (), "it is reserved"


def test_options_and_company_are_fixed_also_when_all_have_gone() -> None:
    options = RULES.read_options("{}")
    table = sit(reserved(ANNA, BERT, options="{}"), ANNA)
    with pytest.raises(IllegalMove, match="reserved_fixed"):
        choose(table, RULES, ANNA, options, lambda one: one, 0.0, CLOCKS)
    with pytest.raises(IllegalMove, match="reserved_fixed"):
        company.invite(table, ANNA, "easy")
    with pytest.raises(IllegalMove, match="reserved_fixed"):
        company.dismiss(table, ANNA)
    gone = leave(table, ANNA)
    assert (gone.options, gone.reserved) == ("{}", table.reserved)


def test_a_game_is_by_the_fixed_options_also_if_the_master_starts_it_by_others() -> None:
    table = sit(sit(sit(reserved(ANNA, BERT, CARL, options='{"cards": 3}'), ANNA), BERT), CARL)
    options, now = Options(cards=1), table.pause_until
    game = tables.start(table, RULES, ANNA, {}, Random(3), now, options, CLOCKS).table.game
    assert game is not None
    assert [len(player.hand) for player in game.players] == [3, 3, 3]


def test_a_game_begins_once_all_are_here_and_as_often_as_was_agreed() -> None:
    table = sit(sit(sit(reserved(ANNA, BERT, CARL, DORA), ANNA), BERT), CARL)
    assert not reserving.begins(table, 0, 0.0)
    with pytest.raises(IllegalMove, match="reserved_waits"):
        start(table, ANNA)
    table = sit(table, DORA)
    assert [reserving.begins(table, seat, 0.0) for seat in (0, 1, 2)] == [True, False, False], "by one of them"
    table = ended(start(table, ANNA))
    assert table.reserved is not None
    assert table.reserved.left == 1
    assert table.master is not None
    assert not reserving.begins(table, table.master, table.pause_until - 1)
    master = table.seats[table.master]
    assert master is not None
    change = tables.start(table, RULES, master.session, {}, Random(3), table.pause_until, Options(), CLOCKS)
    assert not reserving.begins(change.table, table.master, 999.0), "it runs"
    table = ended(change.table)
    with pytest.raises(IllegalMove, match="reserved_over"):
        tables.may_start(table, RULES, table.master or 0, 999.0)


def test_the_house_plays_for_those_who_do_not_come_or_are_away() -> None:
    assert reserving.filled(reserved(ANNA, BERT, CARL), "easy", 2).invited == (), "nobody is here to play with"
    table = sit(sit(reserved(ANNA, BERT, CARL), ANNA), BERT)
    table = reserving.filled(table, "hard", 2)
    assert table.invited == ("hard",)
    assert reserving.filled(table, "hard", 2) is table, "once"
    asleep = replace(table, seats=tuple(who and replace(who, missed=2 * (who.user == BERT)) for who in table.seats))
    assert reserving.absent(asleep) == (BERT,)
    gone = leave(replace(asleep, invited=()), BERT)
    full = reserving.filled(gone, "hard", 2)
    assert full.invited == ("hard", "hard")
    for house in (ADA, BOB):
        full = sit(full, house, "hard 1")
    assert reserving.begins(full, 0, 0.0)
    assert reserving.filled(full, "hard", 2) is full
    running = start(full, ANNA)
    assert (reserving.absent(running), reserving.filled(running, "hard", 2)) == ((), running)


def test_without_house_players_those_play_who_are_here() -> None:
    table = sit(sit(reserved(ANNA, BERT, CARL), ANNA), BERT)
    fewer = reserving.filled(table, None, 2)
    assert fewer.reserved is not None
    assert fewer.reserved.needed == 2
    assert reserving.begins(fewer, 0, 0.0)
    alone = reserving.filled(sit(reserved(ANNA, BERT), ANNA), None, 2)
    assert alone.reserved is not None
    assert alone.reserved.needed == 2, "a game takes two"


def test_a_game_that_runs_when_its_table_is_claimed_keeps_its_hints() -> None:
    table = sit(tables.empty(RULES), ANNA)
    for house in (ADA, BOB):
        table = joined(table, house)
    running = start(table, ANNA)
    assert may_take(running, 0)
    assert may_take(reserving.claim(running), 0)


def test_a_guest_is_no_player_of_a_match() -> None:
    guest = Seat(9, 1 << 48, "Guest", 0)
    with pytest.raises(IllegalMove, match="reserved"):
        tables.sit(reserved(ANNA), RULES, guest, 0.0, CLOCKS)


def test_a_claimed_table_plays_its_game_to_the_end_and_no_other_one() -> None:
    table = start(sit(sit(sit(tables.empty(RULES), ANNA), BERT), CARL), ANNA)
    claimed = reserving.claim(table)
    assert reserving.claim(claimed) is claimed
    assert reserving.claim(reserved(ANNA)).reserved == reserved(ANNA).reserved, "it is another's already"
    with pytest.raises(IllegalMove, match="reserved"):
        sit(claimed, DORA)
    asked = Reserved(MARK, (BERT, CARL, DORA), 3, 1)
    with pytest.raises(IllegalMove, match="occupied"):
        reserving.reserve(claimed, asked, "")
    over = ended(claimed)
    with pytest.raises(IllegalMove, match="reserved_next"):
        tables.may_start(over, RULES, over.master or 0, over.pause_until)
    assert not reserving.begins(over, over.master, 999.0)
    assert reserving.shown_out(over, (ANNA, BERT, CARL), asked) == (ANNA,)
    taken = reserving.reserve(leave(over, ANNA), asked, "{}")
    assert (taken.reserved, taken.options) == (asked, "{}")
    assert reserving.release(over, reserving.CLAIM).reserved is None
