"""Seats that are kept for those who are gone, and who plays there meanwhile."""

from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from tests.engine.test_company import ADA, ALONE, ANNA, BERT, BOB, CARL, CLOCKS, MADE_UP, names, refused, sit
from tests.made_up_game import rules
from tests.made_up_game.game import RULES
from tests.made_up_game.rules import Options, TurnOver
from yawc_poker.casino.bank.programs import Program, repeated
from yawc_poker.casino.tables.table_cell import header_of
from yawc_poker.engine import company, sealing
from yawc_poker.engine import kept as kept_seats
from yawc_poker.engine import table as tables
from yawc_poker.engine.effects import STAND_IN, with_seat
from yawc_poker.engine.events import Left, NewMaster, Removed, SatDown
from yawc_poker.engine.house import LEVELS, Level, SealedChance
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Joined, seed
from yawc_poker.engine.values import AWAY, NAP, seat_of

LATER = 7.0
KEEPS: Keeps[rules.State] = Keeps(lambda state: 0)
ALSO_LEFT: Keeps[rules.State] = Keeps(lambda state: 0, left=True, level="hard")
NEVER: Keeps[rules.State] = Keeps(lambda state: None)


def three() -> MADE_UP:
    """Return a game of Anna, Bert and Carl; it is Anna's turn."""
    table = sit(sit(ALONE, BERT), CARL)
    return tables.start(table, RULES, ANNA, {}, Random(3), 0.0, Options(), CLOCKS).table


def gone(
    table: MADE_UP, session: int, keeps: Keeps[rules.State] | None = KEEPS, removed: bool = True, now: float = 1.0
) -> MADE_UP:
    return tables.leave(table, RULES, session, now, CLOCKS, removed, keeps=keeps).table


def stand_in(table: MADE_UP, session: int = ADA, level: Level = "normal") -> MADE_UP:
    return sit(table, session, f"{level} 3")


def turned(table: MADE_UP, session: int, now: float = 2.0) -> MADE_UP:
    return tables.play(table, RULES, session, TurnOver(), {}, Random(1), now, CLOCKS).table


def kinds(table: MADE_UP) -> list[str]:
    assert table.transcript is not None
    return [action.kind for action in table.transcript.actions]


def test_a_seat_is_kept_and_the_rules_are_not_told() -> None:
    table = three()
    kept = gone(table, BERT)
    assert kept.game == table.game
    assert (names(kept), kept.log[-1].event, kept.log[-1].name) == ("1 0 3 -", Removed(1, kept=True), "P2")
    assert kept_seats.wanted(kept) == ("normal",)
    assert header_of(kept, RULES).invited == 1
    assert kinds(kept) == ["deal", "away"]


@pytest.mark.parametrize(
    ("keeps", "removed", "is_kept"),
    [
        (None, True, False),
        (NEVER, True, False),
        (KEEPS, False, False),
        (KEEPS, True, True),
        (ALSO_LEFT, False, True),
    ],
)
def test_which_seats_are_kept_is_the_game_s_to_say(
    keeps: Keeps[rules.State] | None, removed: bool, is_kept: bool
) -> None:
    table = gone(three(), BERT, keeps, removed)
    assert bool(table.kept) == is_kept
    assert (table.seats[1] is None) != is_kept


def test_nothing_is_kept_without_a_game_or_for_onlookers_or_where_no_person_is_left() -> None:
    before = sit(sit(ALONE, BERT), CARL)
    assert not gone(before, BERT).kept
    assert not gone(sit(three(), 4), 4).kept
    table = gone(gone(three(), BERT), CARL)
    assert len(table.kept) == 2
    assert not {one.seat for one in gone(table, ANNA).kept} & {0}


def test_a_house_player_stands_in() -> None:
    table = stand_in(gone(three(), BERT))
    assert (names(table), kept_seats.wanted(table)) == ("1 11 3 -", ())
    assert (table.log[-1].event, table.log[-1].name) == (SatDown(1), "P11")
    assert table.transcript is not None
    detail = msgspec.json.decode(table.transcript.actions[-1].detail, type=Joined)
    assert (detail.name, detail.program) == ("P11", "normal 3")
    assert refused(lambda: stand_in(table, BOB)) == "not_invited"


def test_a_stand_in_comes_before_who_is_invited_and_has_its_level() -> None:
    table = gone(company.invite(three(), ANNA, "easy"), BERT, ALSO_LEFT)
    assert kept_seats.wanted(table) == ("hard", "easy")
    table = stand_in(table, ADA, "easy")
    assert names(table) == "1 0 3 11"
    assert refused(lambda: stand_in(table, BOB, "easy")) == "not_invited"
    assert names(stand_in(table, BOB, "hard")) == "1 12 3 11"


def test_the_seat_is_given_back_at_once() -> None:
    for table in (gone(three(), BERT), stand_in(gone(three(), BERT))):
        back = sit(table, BERT)
        assert (names(back), back.kept, back.game) == ("1 2 3 -", (), table.game)
        assert kinds(back)[-1] == "back"
        assert seat_of(back, ADA) is None


def test_nobody_else_gets_a_kept_seat() -> None:
    table = sit(gone(three(), BERT), 4)
    assert names(table) == "1 0 3 4"
    assert refused(lambda: sit(table, 5)) == "table_full"
    assert refused(lambda: sit(table, ANNA)) == "already_seated"


def test_a_stand_in_that_dies_is_followed_by_another() -> None:
    table = gone(stand_in(gone(three(), BERT)), ADA)
    assert (names(table), kept_seats.wanted(table)) == ("1 0 3 -", ("normal",))
    assert names(sit(stand_in(table, BOB), BERT)) == "1 2 3 -"


def test_a_house_player_that_dies_is_followed_by_one_of_its_level() -> None:
    table = company.invite(sit(ALONE, BERT), ANNA, "hard")
    table = tables.start(stand_in(table, ADA, "hard"), RULES, ANNA, {}, Random(3), 0.0, Options(), CLOCKS).table
    assert kept_seats.wanted(gone(table, ADA)) == ("hard",)


def test_a_stand_in_is_not_sent_away() -> None:
    table = stand_in(gone(sit(three(), 4), BERT))
    assert not company.can_dismiss(table), "/house off stops here"
    assert refused(lambda: company.dismiss(table, ANNA)) == "no_house"
    assert refused(lambda: sit(table, 5)) == "table_full"
    assert company.make_room(table) is None
    assert not company.must_go(table, ADA)


def test_the_rules_master_stays_it_whoever_plays_in_the_seat() -> None:
    table = gone(three(), ANNA)
    assert (table.master, table.log[-1].event) == (0, Removed(0, kept=True))
    table = turned(stand_in(table), ADA)
    assert table.master == 0
    table = turned(sit(table, ANNA), ANNA)
    assert (table.master, NewMaster(0) in [entry.event for entry in table.log]) == (0, False)


def test_a_turn_waits_for_a_stand_in_then_the_seat_is_given_up() -> None:
    table = gone(three(), ANNA, now=10.0)
    assert table.deadline == 10.0 + STAND_IN
    assert stand_in(table).deadline == 0.0 + CLOCKS.turn, "a fresh clock"
    change = tables.expire(table, RULES, 10.0 + STAND_IN, Random(1), {}, CLOCKS)
    assert change is not None
    assert (names(change.table), change.table.kept) == ("- 2 3 -", ())
    assert kinds(change.table) == ["deal", "away", "leave"]
    assert change.table.game is not None
    assert RULES.to_move(change.table.game) == 1


def test_a_turn_that_comes_to_an_empty_seat_waits_as_long() -> None:
    table = gone(three(), BERT)
    table = turned(turned(table, ANNA), ANNA, now=7.0)
    assert table.deadline == 7.0 + STAND_IN


def test_the_seat_is_given_up_when_the_stage_is_over() -> None:
    by_turns: Keeps[rules.State] = Keeps(lambda state: state.turn)
    table = stand_in(gone(three(), BERT, by_turns))
    assert kept_seats.given_up(table, RULES, by_turns, 3.0, CLOCKS) is None
    table = turned(turned(table, ANNA), ANNA)
    change = kept_seats.given_up(table, RULES, by_turns, 3.0, CLOCKS)
    assert change is not None
    after = change.table
    assert (names(after), after.kept, kinds(after)[-1]) == ("1 - 3 -", (), "leave")
    assert Left(1) in [entry.event for entry in after.log]
    assert after.game is not None
    assert RULES.to_move(after.game) == 2


def test_the_seat_is_given_up_when_no_person_is_left() -> None:
    table = gone(gone(stand_in(gone(three(), BERT)), CARL), ANNA)
    assert [one.seat for one in table.kept] == [1, 2]
    assert company.must_go(table, ADA)
    change = kept_seats.given_up(table, RULES, KEEPS, 3.0, CLOCKS)
    assert change is not None
    assert [one.seat for one in change.table.kept] == [2]
    assert names(change.table) == "- - 0 -"


def ended(table: MADE_UP) -> MADE_UP:
    while table.game is not None and not RULES.is_over(table.game):
        seat = RULES.to_move(table.game)
        who = None if seat is None else table.seats[seat]
        assert who is not None
        table = turned(table, who.session)
    return table


def test_kept_seats_are_free_after_the_game() -> None:
    for table in (stand_in(gone(three(), BERT)), stand_in(gone(three(), CARL))):
        over = ended(table)
        assert {due.user for due in over.due} <= {1, 2, 3}, "it is played for those who were dealt in"
        after = tables.finish(over, RULES, 5.0, CLOCKS)
        assert after.kept == ()
        assert ADA not in [who.session for who in after.seats if who is not None]
        assert AWAY not in [who.session for who in after.seats if who is not None]
    void = tables.void(gone(three(), BERT), "ledger", 5.0, CLOCKS)
    assert (names(void), void.kept) == ("1 - 3 -", ())


def test_all_of_it_can_be_replayed_and_a_stand_in_s_choices_repeated() -> None:
    table = sit(stand_in(gone(three(), ANNA)), 4)
    table = turned(sit(turned(table, ADA), ANNA), ANNA)
    over = ended(stand_in(gone(table, CARL)))
    book = over.transcript
    assert book is not None
    assert book.deck is not None
    steps = list(replay(RULES, sealing.dealing(book.deck, book.words), book.actions))
    assert steps[-1][1].state == over.game
    program: Program[rules.State, rules.Move] = Program(3, lambda state, seat, level, chance, stands_in: TurnOver())
    moves = "3 moves of 1 house player, each by its program"
    assert repeated(steps, RULES, program, seed(book)) == (True, moves)
    other: Program[rules.State, rules.Move] = Program(3, lambda state, seat, level, chance, stands_in: rules.Boast())
    found = repeated(steps, RULES, other, seed(book))
    assert found is not None
    assert not found[0]


@pytest.mark.parametrize("level", LEVELS)
def test_the_level_of_stand_ins_is_the_game_s_to_say(level: Level) -> None:
    assert kept_seats.wanted(gone(three(), BERT, Keeps(lambda state: 0, level=level))) == (level,)


# --- away, with a session that waits for a key ------------------------------------------------------------------------


def missed(table: MADE_UP, keeps: Keeps[rules.State] | None = KEEPS) -> MADE_UP:
    """Return the table once the clock of the turn has run out."""
    assert table.deadline is not None
    change = tables.expire(table, RULES, table.deadline, Random(1), {}, CLOCKS, keeps)
    assert change is not None
    return change.table


def with_missed(table: MADE_UP, seat: int, count: int) -> MADE_UP:
    """Return the table with somebody whose last clocks ran out, so many in a row."""
    who = table.seats[seat]
    assert who is not None
    return replace(table, seats=with_seat(table.seats, seat, replace(who, missed=count)))


def asleep(keeps: Keeps[rules.State] | None = KEEPS) -> MADE_UP:
    """Return a game in which Anna has let a second clock run out."""
    return missed(with_missed(three(), 0, 1), keeps)


def to_bert(table: MADE_UP) -> MADE_UP:
    """Return the game once it is Bert's turn, from the second `LATER` on."""
    while table.game is not None and RULES.to_move(table.game) == 0:
        table = turned(table, ANNA, now=LATER)
    return table


def test_a_house_player_stands_in_for_who_is_away_until_they_press_a_key() -> None:
    table = asleep()
    assert (names(table), kept_seats.wanted(table)) == ("0 2 3 -", ("normal",))
    assert [type(entry.event).__name__ for entry in table.log].count("WentAway") == 1
    (kept,) = table.kept
    assert (kept.asleep, kept.holder.user) == (ANNA, ANNA)
    assert kinds(table) == ["deal", "time", "away"]
    table = stand_in(table)
    assert names(table) == "11 2 3 -"
    back = sit(table, ANNA)
    assert (names(back), back.kept, kinds(back)[-1]) == ("1 2 3 -", (), "back")
    who = back.seats[0]
    assert who is not None
    assert not who.missed


def test_one_clock_makes_nobody_a_sleeper_nor_does_a_game_that_keeps_no_seats() -> None:
    assert names(missed(three())) == "1 2 3 -"
    assert names(asleep(NEVER)) == names(asleep(None)) == "1 2 3 -"


def test_the_seat_of_who_is_away_is_not_given_up() -> None:
    """Neither at the end of a stage, nor for want of a stand-in, as long as there is a session that waits for a key."""
    by_turns: Keeps[rules.State] = Keeps(lambda state: state.turn)
    table = kept_seats.put_aside(with_missed(three(), 1, 2), RULES, 1, by_turns, 1.0, CLOCKS)
    assert names(table) == "1 0 3 -"
    table = to_bert(table)
    assert kept_seats.given_up(table, RULES, by_turns, LATER, CLOCKS) is None
    assert table.deadline == LATER + NAP
    table = missed(table, by_turns)
    assert (names(table), kinds(table)[-1]) == ("1 0 3 -", "time")
    assert names(sit(table, BERT)) == "1 2 3 -"


def test_who_is_away_and_hangs_up_loses_the_seat_as_anybody() -> None:
    by_turns: Keeps[rules.State] = Keeps(lambda state: state.turn)
    table = asleep(by_turns)
    assert kept_seats.asleep_gone(table, by_turns, lambda session: True) is table
    table = kept_seats.asleep_gone(table, by_turns, lambda session: False)
    assert [one.asleep for one in table.kept] == [0]
    assert kept_seats.given_up(table, RULES, by_turns, 3.0, CLOCKS) is None, "not before the stage is over"
    change = kept_seats.given_up(turned(turned(table, BERT), BERT), RULES, by_turns, 3.0, CLOCKS)
    assert change is not None
    assert names(change.table) == "- 2 3 -"


def test_who_is_away_has_five_seconds_for_a_turn_where_others_wait() -> None:
    table = to_bert(with_missed(three(), 1, 2))
    assert table.deadline == LATER + NAP
    assert to_bert(with_missed(three(), 1, 1)).deadline == LATER + CLOCKS.turn


def test_nobody_is_hurried_who_keeps_only_house_players_waiting() -> None:
    table = stand_in(company.invite(stand_in(company.invite(ALONE, ANNA, "normal"), ADA), ANNA, "normal"), BOB)
    table = tables.start(table, RULES, ANNA, {}, Random(3), 0.0, Options(), CLOCKS).table
    table = missed(with_missed(table, 0, 1))
    assert (names(table), table.kept) == ("1 11 12 -", ())


def test_a_stand_in_chooses_as_one_and_that_is_repeated() -> None:
    table = turned(stand_in(gone(three(), ANNA)), ADA)
    over = ended(sit(table, ANNA))
    book = over.transcript
    assert book is not None
    assert book.deck is not None
    steps = list(replay(RULES, sealing.dealing(book.deck, book.words), book.actions))
    asked: list[bool] = []

    def choose(state: rules.State, seat: int, level: Level, chance: SealedChance, stands_in: bool) -> rules.Move:
        asked.append(stands_in)
        return TurnOver()

    program: Program[rules.State, rules.Move] = Program(3, choose)
    found = repeated(steps, RULES, program, seed(book))
    assert found is not None
    assert (found[0], set(asked)) == (True, {True})
