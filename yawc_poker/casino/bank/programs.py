"""Whether house players made the moves that their programs choose. Pure.

Owns the repetition of their choices, from all that these were made of: the view of the seat, the level, and the game's
seed (`engine.house`). A move by the clock, while the process of a house player is stopped, is no choice.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeAlias

import msgspec

from yawc_poker.engine.game import EventT, Game, MoveT, OptionsT, StateT, Step
from yawc_poker.engine.house import Level, SealedChance, chance_of, read_program
from yawc_poker.engine.transcript import Action, Dealt, Joined, Participant

Steps: TypeAlias = Sequence[tuple[Action, Step[StateT, EventT]]]
"""A game replayed: each action with its result."""


class Program(NamedTuple, Generic[StateT, MoveT]):
    """A game's program for house players, as this BBS has it."""

    version: int
    choose: Callable[[StateT, int, Level, SealedChance, bool], MoveT]
    """Return what it chooses on a seat, by what that seat sees of the state, and by whether it stands in for another.
    """


class Moved(NamedTuple, Generic[StateT]):
    """A move of a house player, or of the clock in its place."""

    action: Action
    before: StateT
    """The state in which it was chosen."""
    program: str
    stands_in: bool
    """It plays for somebody who may return."""


def repeated(
    steps: Steps[StateT, EventT],
    rules: Game[StateT, MoveT, EventT, OptionsT],
    program: Program[StateT, MoveT] | None,
    seed: str,
) -> tuple[bool, str] | None:
    """Return whether house players made the moves that their programs choose, and the finding in one line.

    None: no house player played. Moves of another version of the program cannot be repeated, which is no failure.
    """
    players = _players(steps)
    if not players:
        return None
    acted = list(_acted(steps, rules))
    moves = [one for one in acted if one.action.kind == "move"]
    told = f"{_many(len(moves), 'move')} of {_many(len(players), 'house player')}"
    told += f" (and {len(acted) - len(moves)} by the clock)" if len(acted) > len(moves) else ""
    if program is None or {_version(text) for text in players.values()} != {program.version}:
        return True, f"{told}, by another version of the program: not repeated"
    for move in moves:
        if not _is_chosen(move, rules, program, seed):
            return False, f"{told}, but deed {move.action.number} of seat {move.action.seat + 1} is not its program's"
    return True, f"{told}, each by its program"


def sampled(
    steps: Steps[StateT, EventT],
    rules: Game[StateT, MoveT, EventT, OptionsT],
    program: Program[StateT, MoveT],
    seed: str,
) -> Iterator[bool]:
    """Yield whether a move is the one that its program chooses, of one house player's move after the other.

    They come in an order that nobody foresaw, each when it is asked for: some of them prove something, too. Moves of
    another version of the program are left out.
    """
    acted = [one for one in _acted(steps, rules) if one.action.kind == "move"]
    moves = [one for one in acted if _version(one.program) == program.version]
    SealedChance(f"{seed} sample").shuffle(moves)
    return (_is_chosen(move, rules, program, seed) for move in moves)


def _players(steps: Steps[StateT, EventT]) -> dict[int, str]:
    """Return the programs of all house players who were dealt in, or stood in for somebody, by user."""
    people = [person for action, _ in steps[:1] for person in _dealt(action)]
    found = {person.user: person.program for person in people if person.program}
    return found | {action.user: _program(action) for action, _ in steps if action.kind == "stand_in"}


def _dealt(action: Action) -> tuple[Participant, ...]:
    return msgspec.json.decode(action.detail, type=Dealt).people


def _program(action: Action) -> str:
    return msgspec.json.decode(action.detail, type=Joined).program


def _version(program: str) -> int:
    """Return the version of a seat's program; 0 for a text that names none."""
    named = read_program(program)
    return 0 if named is None else named[1]


def _acted(steps: Steps[StateT, EventT], rules: Game[StateT, MoveT, EventT, OptionsT]) -> Iterator[Moved[StateT]]:
    """Yield what was done on the seats of house players, by them or by the clock."""
    programs = {person.seat: person.program for action, _ in steps[:1] for person in _dealt(action)}
    stand_ins = set[int]()
    for (_, last), (action, _) in pairwise(steps):
        if action.kind == "stand_in":
            programs[action.seat] = _program(action)
            stand_ins.add(action.seat)
        elif action.kind in {"away", "back", "leave", "removed"}:
            programs[action.seat] = ""
        elif action.kind in {"move", "time"} and programs.get(action.seat):
            state = last.state if action.cash is None else rules.fund(last.state, action.cash)
            yield Moved(action, state, programs[action.seat], action.seat in stand_ins)


def _is_chosen(
    move: Moved[StateT], rules: Game[StateT, MoveT, EventT, OptionsT], program: Program[StateT, MoveT], seed: str
) -> bool:
    named = read_program(move.program)
    action = move.action
    if named is None:
        return False
    chance = chance_of(seed, action.seat, action.number)
    chosen = program.choose(move.before, action.seat, named[0], chance, move.stands_in)
    return chosen == rules.read_move(action.detail)


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
