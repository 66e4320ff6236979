"""What a client of the wire is told, and what it may ask: between the game's course and the protocol's messages. Pure.

Owns the order of messages (spec/maumau_protocol.md 4). Never bytes (`protocol`), sockets or clocks. A player's id is
the seat it had when the game began, from 1; where a seat was empty, lists have a 0, as for a player who has left.

A client is told every step of the course once, in order, whatever happened between two looks; what only it may know,
the cards it gets, is found by comparing its hand with the one it knows.
"""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import Card
from yawc_poker.games.maumau import model, protocol
from yawc_poker.games.maumau.model import CourseStep, View
from yawc_poker.games.maumau.protocol import FromServer


class Behind(Exception):
    """More has happened than can be told in order: the client has to be let go."""


class Told(msgspec.Struct, frozen=True):
    """What a client knows."""

    steps: int = 0
    """Number of the newest step it was told."""
    hand: tuple[Card, ...] = ()


def asked(message: protocol.FromClient) -> model.Move | None:
    """Give the move that a client asks for; None for what is none."""
    match message:
        case protocol.Play(card):
            return model.Play(card)
        case protocol.Take(count):
            return model.Take(count)
        case protocol.Finish():
            return model.Finish()
        case protocol.Wish(suit):
            return model.Wish(suit)
        case protocol.Id() | protocol.Yeet():
            return None


def tell(told: Told, view: View, milliseconds: int) -> tuple[Told, tuple[FromServer, ...]]:
    """Give the messages for all steps that are new to the client of this view, and what it knows then.

    `milliseconds` is the allowance for each action, 0: none. Raises `Behind`.
    """
    fresh = view.steps - told.steps
    if fresh > len(view.course):
        raise Behind(f"{fresh} steps are new, {len(view.course)} are known")
    steps = view.course[len(view.course) - fresh :]
    teller = _Teller(told, view, steps, milliseconds)
    messages = tuple(message for step in steps for message in teller.tell(step))
    return replace(told, steps=view.steps, hand=teller.hand), messages


class _Teller:
    """Goes through a row of steps with the hand the client knows."""

    def __init__(self, told: Told, view: View, steps: Sequence[CourseStep], milliseconds: int) -> None:
        self.hand = told.hand
        self._view = view
        self._milliseconds = milliseconds
        self._place = view.place
        dealt = max((at for at, step in enumerate(steps) if step.kind == "round"), default=None)
        known = told.hand if dealt is None else ()
        # Whatever he was given and has laid meanwhile was given first: so he hears of each card before it is laid.
        laid = [step.card for step in steps[dealt or 0 :] if step.kind == "play" and step.place == self._place]
        self._given = [card for card in (*laid, *(view.hand or ())) if card is not None and card not in known]
        self._lost = dealt is not None and any(self._takes(step) for step in steps[:dealt])

    def _takes(self, step: CourseStep) -> bool:
        return step.kind == "deal" or (step.kind == "take" and step.place == self._place and step.count > 0)

    def tell(self, step: CourseStep) -> Iterable[FromServer]:
        mine = step.place == self._place
        match step.kind:
            case "round":
                self.hand = ()
                yield protocol.Round(step.count, self._view.rounds)
            case "deal":
                if self._place is not None:
                    yield from self._deal(step.counts[self._place])
            case "play":
                assert step.card is not None, "a play without a card"
                self.hand = tuple(card for card in self.hand if not mine or card != step.card)
                yield protocol.Played(step.card)
            case "take":
                yield protocol.Draw(step.count)
                if mine:
                    yield from self._deal(step.count)
            case "finish":
                self.hand = () if mine else self.hand
                yield protocol.Finished()
            case "wish":
                yield protocol.WishIs(step.suit)
            case "leave":
                yield protocol.Yeeted(self._id(step.place))
            case "ask":
                yield from self._block(step)
            case "result":
                yield protocol.Result(self._by_id(step.counts))

    def _deal(self, count: int) -> Iterable[FromServer]:
        cards, self._given = self._given[:count], self._given[count:]
        if self._lost or len(cards) < count:
            raise Behind("cards were given, and taken away again with the round")
        self.hand = (*self.hand, *cards)
        if cards:
            yield protocol.Deal(tuple(cards))

    def _block(self, step: CourseStep) -> Iterable[FromServer]:
        yield protocol.Draw(step.count)
        yield protocol.WishIs(step.suit)
        if step.card is not None:
            yield protocol.Stack(step.card)
        yield protocol.Cards(self._by_id(step.counts))
        yield protocol.OnTurn(self._id(step.place))
        yield protocol.Time(self._milliseconds)

    def _id(self, place: int) -> int:
        return self._view.seats[place] + 1

    def _by_id(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        known = dict(zip(self._view.seats, counts, strict=True))
        return tuple(known.get(seat, 0) for seat in range(max(known) + 1))
