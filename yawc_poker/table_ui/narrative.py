"""A finished game told again, row by row: what every game's story has in common. Pure.

The rows are those that its table had, with all cards (`engine.replay.positions`): made from the sealed deck and the
actions by playing the game again, so a story tells what must have happened, not what somebody wrote down. A game says
how each reads.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple

import msgspec

from yawc_poker.engine.events import NewMaster, Notice, Started
from yawc_poker.engine.game import Dealing, EventT, Game, MoveT, OptionsT, StateT
from yawc_poker.engine.replay import positions, replay
from yawc_poker.engine.transcript import Action
from yawc_poker.engine.values import LogEntry
from yawc_poker.words import Words

Counted = Literal["cubes", "points", "places"]
"""What a game's result is told in; of a game of "places" a standing's total is the place, from 1."""


class StoryLine(msgspec.Struct, frozen=True):
    """One sentence of the story."""

    at: float
    """Seconds since the deal."""
    text: str


class Standing(msgspec.Struct, frozen=True):
    """A player's result."""

    seat: int
    """When the game began; from 0."""
    rounds: tuple[int, ...]
    """The points of each."""
    total: int
    left: bool
    """Left while the game ran."""
    lost: bool
    won: bool


class Reason(msgspec.Struct, frozen=True, array_like=True):
    """Why a move is better than another one, by a rule of thumb."""

    text: str
    """A sentence, as a message of the catalogues; `{mine}` and `{choice}` are the two moves."""
    facts: dict[str, int] = {}
    """What its other fields stand for; a number of worlds is of a hundred."""


class Retold(NamedTuple, Generic[MoveT]):
    """How a game tells its past games. All but `move` raise `Contradiction` and `ValueError`, as `engine.replay`."""

    story: Callable[[Dealing, Sequence[Action], Collection[int | None], Words], Iterator[StoryLine]]
    """The whole game, with the hidden cards of these seats."""
    move: Callable[[MoveT], str]
    """A move as `yawcctl history` prints it, in English: "bets 5"."""
    consequences: Callable[[Dealing, Sequence[Action], Words], Iterator[tuple[int, str]]] | None = None
    """What the rules made of an action that the move does not tell, by the action's number. None: nothing."""
    opened: Callable[[Dealing, Sequence[Action], int | None], Collection[str]] | None = None
    """The cards that a seat saw, or with None that everybody saw, each as often as it did. None: all of them."""
    hands_open: Callable[[Dealing, Sequence[Action], int | None], Sequence[Collection[int]]] | None = None
    """The seats whose cards are open to a seat behind each action once the game is over, or with None to everybody,
    beside the seat's own. None: all of them."""
    standings: Callable[[Dealing, Sequence[Action]], tuple[Standing, ...]] | None = None
    """The players' results, in a game of points or places."""
    counted: Counted = "cubes"
    tricks: tuple[type, ...] = ()
    """Events by which a trick is complete, or what a game has of that kind. Without any, only rounds are looked for."""
    told: Callable[[MoveT | None, Words], str] | None = None
    """A move in a word or two for its player: "K#", "pass"; None: to say nothing. Without it nobody weighs moves."""
    hope: str = ""
    """What players hope for with each move, a message of the catalogues (`engine.house.Weighed.hopes`)."""


class PastRow(NamedTuple, Generic[StateT, EventT]):
    """A row of a finished game's table, complete."""

    action: Action
    """What brought it."""
    row: LogEntry[EventT]
    state: StateT
    """Behind the action."""
    names: tuple[str, ...]
    """Those who were dealt in, by seat, also if they have left."""


def rows(
    game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing, actions: Sequence[Action]
) -> Iterator[PastRow[StateT, EventT]]:
    """Yield all rows of a game but those that tell who may start one. Raise as `engine.replay` does."""
    for position in positions(game, dealing, actions):
        state = position.table.game
        assert state is not None, "a game is played at each of its positions"
        for row in position.rows:
            if not isinstance(row.event, Started | NewMaster):
                yield PastRow(position.action, row, state, position.table.names)


def narrate(
    told: Iterable[PastRow[StateT, EventT]], say: Callable[[PastRow[StateT, EventT]], Iterator[str]]
) -> Iterator[StoryLine]:
    """Yield a game's story: what `say` tells of each row, also of coming and going."""
    for one in told:
        for text in say(one):
            yield StoryLine(one.action.at, text)


def consequences(
    told: Iterable[PastRow[StateT, EventT]], say: Callable[[PastRow[StateT, EventT]], Iterator[str]]
) -> Iterator[tuple[int, str]]:
    """Yield the number of each action with what `say` tells of the game's own rows that it brought."""
    for one in told:
        if not isinstance(one.row.event, Notice):
            for text in say(one):
                yield one.action.number, text


def last_state(game: Game[StateT, MoveT, EventT, OptionsT], dealing: Dealing, actions: Sequence[Action]) -> StateT:
    """Return the state in which a game ended. Raise as `narrate`."""
    *_, (_, last) = replay(game, dealing, actions)
    return last.state


def trick_told(number: int, cards: Sequence[str], taker: str, eyes: int, words: Words) -> str:
    """Return a trick in one sentence; each of `cards` has the name of who played it."""
    cards_named = ", ".join(cards)
    return words("Trick {n}: {cards}; {name} takes {eyes} eyes.", n=number, cards=cards_named, name=taker, eyes=eyes)
