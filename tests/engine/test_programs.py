"""Choices of house players, repeated from the record of a game."""

from random import Random

import pytest

from tests.made_up_game.game import RULES
from tests.made_up_game.rules import Boast, Event, Move, Options, State, TurnOver, legal_moves
from yawc_poker.casino.bank.programs import Program, repeated
from yawc_poker.engine import company, sealing
from yawc_poker.engine import table as tables
from yawc_poker.engine.game import Step
from yawc_poker.engine.house import Level, SealedChance, chance_of
from yawc_poker.engine.replay import replay
from yawc_poker.engine.transcript import Action, seed
from yawc_poker.engine.values import Clocks, Seat, Table

CLOCKS = Clocks()
Steps = list[tuple[Action, Step[State, Event]]]


def choose(state: State, seat: int, level: Level, chance: SealedChance, stands_in: bool = False) -> Move:
    return chance_choice(legal_moves(state, seat), chance)


def chance_choice(moves: tuple[Move, ...], chance: SealedChance) -> Move:
    return moves[chance.below(len(moves))]


PROGRAM: Program[State, Move] = Program(3, choose)


def played(by_clock: int = -1, level: Level = "normal") -> tuple[Steps, str]:
    """Return a game of a person and two house players, and its seed; the clock makes one move instead."""
    table: Table[State, Event] = tables.sit(tables.empty(RULES), RULES, Seat(1, 1, "Anna", 0), 0.0, CLOCKS)
    for session in (2, 3):
        table = company.invite(table, 1, level)
        person = Seat(session, session, f"P{session}*", 0, program=f"{level} 3")
        table = tables.sit(table, RULES, person, 0.0, CLOCKS)
    table = tables.start(table, RULES, 1, {}, Random(5), 0.0, Options(), CLOCKS).table
    while table.game is not None and not RULES.is_over(table.game):
        seat = RULES.to_move(table.game)
        assert seat is not None
        assert table.transcript is not None
        move: Move = TurnOver()
        if seat:
            move = choose(table.game, seat, level, chance_of(seed(table.transcript), seat, table.action))
        if table.action == by_clock:
            change = tables.expire(table, RULES, table.deadline or 0.0, Random(1), {}, CLOCKS)
            assert change is not None
        else:
            change = tables.play(table, RULES, seat + 1, move, {}, Random(1), 0.0, CLOCKS, table)
        table = change.table
    book = table.transcript
    assert book is not None
    assert book.deck is not None
    return list(replay(RULES, sealing.dealing(book.deck, book.words), book.actions)), seed(book)


def by_house(steps: Steps) -> list[Action]:
    return [action for action, _ in steps if action.kind == "move" and action.seat > 0]


def test_every_choice_is_repeated() -> None:
    steps, secret = played()
    told = f"{len(by_house(steps))} moves of 2 house players, each by its program"
    assert repeated(steps, RULES, PROGRAM, secret) == (True, told)
    assert {type(RULES.read_move(action.detail)) for action in by_house(steps)} == {TurnOver, Boast}


def test_the_moves_of_people_are_their_own() -> None:
    steps, secret = played()
    only_house: Program[State, Move] = Program(
        3, lambda state, seat, level, chance, stands_in: choose(state, seat, level, chance) if seat else Boast()
    )
    assert repeated(steps, RULES, only_house, secret) == repeated(steps, RULES, PROGRAM, secret)


def test_a_move_by_the_clock_is_told_and_no_choice() -> None:
    moves = by_house(played()[0])
    steps, secret = played(by_clock=moves[0].number)
    found = repeated(steps, RULES, PROGRAM, secret)
    assert found is not None
    assert found[0]
    assert "(and 1 by the clock)" in found[1]


@pytest.mark.parametrize("wrong", ["seed", "choice", "level"])
def test_what_was_not_chosen_by_the_program_is_found(wrong: str) -> None:
    steps, secret = played(level="hard")
    leveled: Program[State, Move] = Program(
        3,
        lambda state, seat, level, chance, stands_in: (
            choose(state, seat, level, chance) if level == "easy" else Boast()
        ),
    )
    contrary: Program[State, Move] = Program(
        3,
        lambda state, seat, level, chance, stands_in: legal_moves(state, seat)[
            -1 - chance.below(len(legal_moves(state, seat)))
        ],
    )
    program = {"seed": PROGRAM, "choice": contrary, "level": leveled}[wrong]
    found = repeated(steps, RULES, program, "another" if wrong == "seed" else secret)
    assert found is not None
    assert not found[0]
    assert found[1].endswith("is not its program's")


@pytest.mark.parametrize("program", [None, Program(2, choose), Program(4, choose)])
def test_another_version_is_not_repeated(program: Program[State, Move] | None) -> None:
    steps, secret = played()
    found = repeated(steps, RULES, program, secret)
    assert found is not None
    assert found[0]
    assert found[1].endswith("by another version of the program: not repeated")


def test_without_house_players_there_is_nothing_to_repeat() -> None:
    assert repeated([], RULES, PROGRAM, "") is None
