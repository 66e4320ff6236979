"""House players at a table: asked to join, sent away, in nobody's way."""

from collections.abc import Callable
from functools import partial
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from tests.made_up_game.game import RULES
from tests.made_up_game.rules import Event, Options, State, TurnOver
from yawc_poker.casino.tables.table_cell import header_of
from yawc_poker.engine import company, sealing, transcript
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import NewMaster
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import HOUSE_USERS, Level
from yawc_poker.engine.next_game import choose
from yawc_poker.engine.transcript import Dealt
from yawc_poker.engine.values import Clocks, Seat, Table, persons

CLOCKS = Clocks()
MADE_UP = Table[State, Event]
ANNA, BERT, CARL = 1, 2, 3
ADA, BOB, CY = 11, 12, 13
"""Sessions of people and of house players."""


def sit(table: MADE_UP, session: int, program: str = "", wanted: int | None = None) -> MADE_UP:
    user = HOUSE_USERS[session] if program else session
    return tables.sit(table, RULES, Seat(session, user, f"P{session}", 0, program=program), 0.0, CLOCKS, wanted)


def joined(table: MADE_UP, session: int, level: Level = "normal") -> MADE_UP:
    """Return the table with a house player whom the first person has asked to join."""
    person = table.seats[persons(table)[0]]
    assert person is not None
    return sit(company.invite(table, person.session, level), session, f"{level} 1")


def leave(table: MADE_UP, session: int) -> MADE_UP:
    return tables.leave(table, RULES, session, 0.0, CLOCKS).table


def start(table: MADE_UP, session: int) -> MADE_UP:
    return tables.start(table, RULES, session, {}, Random(3), 0.0, Options(), CLOCKS).table


def ended(table: MADE_UP) -> MADE_UP:
    """Return the table after its game was played by the clock and finished."""
    while table.game is not None and not RULES.is_over(table.game):
        change = tables.expire(table, RULES, table.deadline or 0.0, Random(3), {}, CLOCKS)
        assert change is not None
        table = change.table
    return tables.finish(table, RULES, 0.0, CLOCKS)


def names(table: MADE_UP) -> str:
    """Return who sits where: "1 11 - -"."""
    return " ".join("-" if who is None else str(who.session) for who in table.seats)


def going(table: MADE_UP) -> list[int]:
    return [who.session for who in table.seats if who is not None and who.goes]


def refused(call: Callable[[], object]) -> str:
    try:
        call()
    except IllegalMove as error:
        return error.reason
    return ""


EMPTY: MADE_UP = tables.empty(RULES)
ALONE = sit(EMPTY, ANNA)
WITH_TWO = joined(joined(ALONE, ADA), BOB)


# --- asked to join ----------------------------------------------------------------------------------------------------


def test_an_invitation_waits_for_a_process() -> None:
    table = company.invite(company.invite(ALONE, ANNA, "hard"), ANNA, "easy")
    assert table.invited == ("hard", "easy")
    assert header_of(table, RULES).invited == 2
    assert header_of(ALONE, RULES).invited == 0


def test_a_house_player_follows_one_invitation_of_its_level() -> None:
    table = company.invite(company.invite(ALONE, ANNA, "hard"), ANNA, "easy")
    table = sit(table, ADA, "easy 4")
    assert (names(table), table.invited) == ("1 11 - -", ("hard",))
    assert refused(lambda: sit(table, BOB, "easy 4")) == "not_invited"
    assert sit(table, BOB, "hard 4").invited == ()


def test_a_house_player_that_nobody_has_asked_does_not_sit_down() -> None:
    assert refused(lambda: sit(EMPTY, ADA, "normal 1")) == "not_invited"
    assert refused(lambda: sit(ALONE, ADA, "normal 1")) == "not_invited"
    assert refused(lambda: sit(company.invite(ALONE, ANNA, "normal"), ADA, "brutal 1")) == "not_invited"


def test_only_people_who_sit_here_ask_somebody_to_join() -> None:
    for session in (BERT, ADA):
        assert refused(partial(company.invite, WITH_TWO, session, "easy")) == "not_seated"
        assert refused(partial(company.dismiss, WITH_TWO, session)) == "not_seated"


def test_there_are_no_more_invitations_than_free_seats() -> None:
    table = company.invite(WITH_TWO, ANNA, "easy")
    assert refused(lambda: company.invite(table, ANNA, "easy")) == "table_full"
    assert sit(table, BERT).invited == (), "a person does not have to wait"


def test_invitations_go_with_the_last_person() -> None:
    table = company.invite(WITH_TWO, ANNA, "easy")
    assert leave(table, ADA).invited == ("easy",)
    assert leave(table, ANNA).invited == ()


# --- sent away --------------------------------------------------------------------------------------------------------


def test_the_last_to_come_is_the_first_to_be_sent_away() -> None:
    table = company.invite(WITH_TWO, ANNA, "easy")
    table = company.dismiss(table, ANNA)
    assert (table.invited, going(table)) == ((), [])
    table = company.dismiss(table, ANNA)
    assert going(table) == [BOB]
    table = company.dismiss(table, ANNA)
    assert going(table) == [ADA, BOB]
    assert refused(lambda: company.dismiss(table, ANNA)) == "no_house"


def test_who_came_last_is_not_who_sits_last() -> None:
    table = joined(leave(joined(WITH_TWO, CY), ADA), ADA)
    assert names(table) == "1 11 12 13"
    assert going(company.dismiss(table, ANNA)) == [ADA]


def test_a_house_player_that_is_sent_away_plays_the_game_to_its_end() -> None:
    table = company.dismiss(start(WITH_TWO, ANNA), ANNA)
    assert not company.must_go(table, BOB)
    table = ended(table)
    assert company.must_go(table, BOB)
    assert not company.must_go(table, ADA)


def test_a_house_player_that_looks_on_goes_at_once() -> None:
    table = joined(start(WITH_TWO, ANNA), CY)
    table = company.dismiss(table, ANNA)
    assert going(table) == [CY]
    assert company.must_go(table, CY)


def test_all_house_players_go_with_the_last_person() -> None:
    table = sit(WITH_TWO, BERT)
    assert not any(company.must_go(leave(table, ANNA), session) for session in (ADA, BOB, BERT))
    for left in (leave(WITH_TWO, ANNA), leave(start(WITH_TWO, ANNA), ANNA)):
        assert company.must_go(left, ADA)
        assert company.must_go(left, BOB)


def test_nobody_else_has_to_go() -> None:
    table = company.dismiss(WITH_TWO, ANNA)
    assert not company.must_go(table, ANNA)
    assert not company.must_go(table, CARL)


def test_a_house_player_makes_room_for_a_person() -> None:
    full = joined(WITH_TWO, CY)
    assert refused(lambda: sit(full, BERT)) == "table_full"
    room = company.make_room(full)
    assert room is not None
    assert going(room) == [CY]
    assert company.make_room(room) is room, "one is enough"
    assert names(sit(leave(room, CY), BERT)) == "1 11 12 2"


def test_people_do_not_make_room() -> None:
    full = sit(sit(sit(ALONE, BERT), CARL), 4)
    assert company.make_room(full) is None


# --- the master -------------------------------------------------------------------------------------------------------


def test_the_master_s_clock_passes_house_players_by() -> None:
    table = sit(WITH_TWO, BERT)
    change = tables.expire(table, RULES, 180.0, Random(1), {}, CLOCKS)
    assert change is not None
    assert (change.table.master, change.table.deadline) == (3, 360.0)
    change = tables.expire(change.table, RULES, 360.0, Random(1), {}, CLOCKS)
    assert change is not None
    assert change.table.master == 0


def test_a_person_alone_with_house_players_stays_master_and_nothing_is_logged() -> None:
    change = tables.expire(WITH_TWO, RULES, 180.0, Random(1), {}, CLOCKS)
    assert change is not None
    assert (change.table.master, change.table.deadline, change.table.logged) == (0, 360.0, WITH_TWO.logged)


def test_in_a_game_the_rules_master_is_it_also_a_house_player() -> None:
    table = leave(start(sit(WITH_TWO, BERT), ANNA), ANNA)
    assert table.game is not None
    assert table.game.master == 1, "the rules know no house players"
    assert (table.master, table.log[-1].event) == (1, NewMaster(1))
    over = ended(table)
    assert (over.master, over.log[-1].event) == (3, NewMaster(3)), "who can press S"


def test_a_house_player_starts_no_game() -> None:
    left = leave(joined(WITH_TWO, CY), ANNA)
    assert (left.master, persons(left)) == (1, ())
    assert refused(lambda: start(left, ADA)) == "not_master"
    assert refused(lambda: start(WITH_TWO, ADA)) == "not_master"


def test_a_person_who_comes_to_house_players_is_master() -> None:
    table = sit(leave(WITH_TWO, ANNA), BERT)
    assert (names(table), table.master) == ("2 11 12 -", 0)
    assert NewMaster(0) in [entry.event for entry in table.log]


def test_a_person_who_comes_while_house_players_play_on_is_master_after_the_game() -> None:
    table = sit(leave(start(WITH_TWO, ANNA), ANNA), BERT)
    assert table.game is not None
    assert table.master == table.game.master == 1
    over = ended(table)
    assert (over.master, over.log[-1].event) == (0, NewMaster(0))


# --- what is written down ---------------------------------------------------------------------------------------------


def test_the_deal_names_the_programs() -> None:
    table = start(joined(joined(ALONE, ADA, "easy"), BOB, "hard"), ANNA)
    assert table.transcript is not None
    dealt = msgspec.json.decode(table.transcript.actions[0].detail, type=Dealt)
    assert [person.program for person in dealt.people] == ["", "easy 1", "hard 1"]


def test_the_seed_of_a_running_game_is_that_of_its_dealing() -> None:
    book = start(WITH_TWO, ANNA).transcript
    assert book is not None
    assert book.deck is not None
    assert transcript.seed(book) == sealing.dealing(book.deck, book.words).seed
    assert transcript.seed(replace(book, deck=None)) == ""


def test_house_players_need_no_time_to_read_new_options() -> None:
    table = choose(WITH_TWO, RULES, ANNA, Options(), lambda options: Options(4), 0.0, CLOCKS)
    assert table.options
    assert table.pause_until == 0.0
    assert joined(table, CY).pause_until == 0.0
    assert sit(table, BERT).pause_until == CLOCKS.pause


# --- a move that was chosen by a value --------------------------------------------------------------------------------


def play(table: MADE_UP, after: MADE_UP | None) -> MADE_UP:
    return tables.play(table, RULES, ANNA, TurnOver(), {}, Random(1), 0.0, CLOCKS, after).table


def test_a_move_counts_if_the_game_is_as_it_was() -> None:
    table = start(WITH_TWO, ANNA)
    said = tables.chat(table, ANNA, "hm")
    assert play(said, table).action == play(table, None).action == 2


@pytest.mark.parametrize("meanwhile", ["moved", "another game", "another state", "over"])
def test_a_move_is_refused_if_the_game_has_changed(meanwhile: str) -> None:
    table = start(WITH_TWO, ANNA)
    now = {
        "moved": play(table, None),
        "another game": replace(table, number=table.number + 1),
        "another state": replace(table, game=table.game and replace(table.game, turn=9)),
        "over": ended(table),
    }[meanwhile]
    assert refused(lambda: play(now, table)) == ("no_game" if meanwhile == "over" else "changed")
