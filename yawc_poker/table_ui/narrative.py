"""A finished game told again, row by row: what every game's story has in common. Pure.

The rows are those that its table had, with all cards (`engine.replay.positions`): made from the sealed deck and the
actions by playing the game again, so a story tells what must have happened, not what somebody wrote down. A game says
how each reads.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
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


class PastRow(NamedTuple, Generic[StateT, EventT]):
    """A row of a finished game's table, complete."""

    action: Action
    """What brought it."""
    row: LogEntry[EventT]
    state: StateT
    """Behind the action."""
    names: tuple[str, ...]
    """Those who were dealt in, by seat, also if they have left."""


Say = Callable[[PastRow[StateT, EventT]], Iterator[str]]
"""What is told of a row, in sentences."""


class Retold(NamedTuple, Generic[StateT, MoveT, EventT, OptionsT]):
    """How a game tells its past games. Its methods play one again, and raise what `engine.replay` raises."""

    rules: Game[StateT, MoveT, EventT, OptionsT]
    telling: Callable[[Sequence[PastRow[StateT, EventT]], Collection[int | None], Words], Say[StateT, EventT]]
    """What tells the story of these rows one after the other, with the hidden cards of these seats."""
    move: Callable[[MoveT], str]
    """A move as `yawcctl history` prints it, in English: "bets 5"."""
    consequence: Callable[[PastRow[StateT, EventT], Words], Iterator[str]] | None = None
    """What a row of the game's own tells beside the move that brought it. None: nothing."""
    cards_open: Callable[[Iterator[StateT], int | None], Collection[str]] | None = None
    """The cards that a seat saw, or with None that everybody saw, each as often as it did. None: all of them."""
    seats_open: Callable[[Iterator[StateT], int | None], Sequence[Collection[int]]] | None = None
    """The seats whose cards are open to a seat behind each action once the game is over, or with None to everybody,
    beside the seat's own. None: all of them."""
    results: Callable[[Iterator[StateT]], tuple[Standing, ...]] | None = None
    """The players' results, in a game of points or places."""
    counted: Counted = "cubes"
    tricks: tuple[type, ...] = ()
    """Events by which a trick is complete, or what a game has of that kind. Without any, only rounds are looked for."""
    told: Callable[[MoveT | None, Words], str] | None = None
    """A move in a word or two for its player: "K#", "pass"; None: to say nothing. Without it nobody weighs moves."""
    hope: str = ""
    """What players hope for with each move, a message of the catalogues (`engine.house.Weighed.hopes`)."""

    def story(
        self, dealing: Dealing, actions: Sequence[Action], seats: Collection[int | None], words: Words
    ) -> Iterator[StoryLine]:
        """Yield the whole game, with the hidden cards of these seats, also who came and went."""
        told = list(self._rows(dealing, actions))
        say = self.telling(told, seats, words)
        for one in told:
            for text in say(one):
                yield StoryLine(one.action.at, text)

    def consequences(self, dealing: Dealing, actions: Sequence[Action], words: Words) -> Iterator[tuple[int, str]]:
        """Yield what the rules made of an action that the move does not tell, behind the action's number."""
        if self.consequence is None:
            return
        for one in self._rows(dealing, actions):
            if not isinstance(one.row.event, Notice):
                for text in self.consequence(one, words):
                    yield one.action.number, text

    def opened(self, dealing: Dealing, actions: Sequence[Action], seat: int | None) -> Collection[str]:
        """Return the cards that a seat saw, or with None that everybody saw, each as often as it did."""
        return self.cards_open(self._states(dealing, actions), seat) if self.cards_open else self.rules.DECK

    def hands_open(self, dealing: Dealing, actions: Sequence[Action], seat: int | None) -> Sequence[Collection[int]]:
        """Return the seats whose cards are open to a seat behind each action, beside its own; None: to everybody."""
        if self.seats_open is None:
            return [range(self.rules.SEATS)] * len(actions)
        return self.seats_open(self._states(dealing, actions), seat)

    def standings(self, dealing: Dealing, actions: Sequence[Action]) -> tuple[Standing, ...]:
        """Return the players' results, in a game of points or places."""
        return self.results(self._states(dealing, actions)) if self.results else ()

    def _rows(self, dealing: Dealing, actions: Sequence[Action]) -> Iterator[PastRow[StateT, EventT]]:
        """Yield all rows of a game but those that tell who may start one."""
        for position in positions(self.rules, dealing, actions):
            state = position.table.game
            assert state is not None, "a game is played at each of its positions"
            for row in position.rows:
                if not isinstance(row.event, Started | NewMaster):
                    yield PastRow(position.action, row, state, position.table.names)

    def _states(self, dealing: Dealing, actions: Sequence[Action]) -> Iterator[StateT]:
        return (step.state for _, step in replay(self.rules, dealing, actions))


def trick_told(number: int, cards: Sequence[str], taker: str, eyes: int, words: Words) -> str:
    """Return a trick in one sentence; each of `cards` has the name of who played it."""
    cards_named = ", ".join(cards)
    return words("Trick {n}: {cards}; {name} takes {eyes} eyes.", n=number, cards=cards_named, name=taker, eyes=eyes)
