"""What a client of the wire is told, and what it may ask: between the game's course and the protocol's messages. Pure.

Owns the order of messages (spec/maumau_protocol.md 4). Never bytes (`codec`), sockets or clocks. A player's id is
the seat it had when the game began, from 1; where a seat was empty, lists have a 0, as for a player who has left.

A client is told every step of the course once, in order, whatever happened between two looks.
"""

from collections.abc import Iterable

import msgspec

from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.model import CourseStep, View
from yawc_poker.games.maumau.protocol import messages
from yawc_poker.games.maumau.protocol.messages import FromServer


class Behind(Exception):
    """More has happened than can be told in order: the client has to be let go."""


class ClientProgress(msgspec.Struct, frozen=True):
    """What a client knows."""

    steps: int = 0
    """Number of the newest step it was told."""


def asked(message: messages.FromClient) -> model.Move | None:
    """Give the move that a client asks for; None for what is none."""
    match message:
        case messages.Play(card):
            return model.PlayCard(card)
        case messages.Take(count):
            return model.Take(count)
        case messages.Finish():
            return model.Finish()
        case messages.Wish(suit):
            return model.Wish(suit)
        case messages.Id() | messages.Yeet():
            return None


def said(move: model.Move) -> messages.FromClient:
    """Give the message that asks for a move."""
    match move:
        case model.PlayCard(card):
            return messages.Play(card)
        case model.Take(count):
            return messages.Take(count)
        case model.Finish():
            return messages.Finish()
        case model.Wish(suit):
            return messages.Wish(suit)


def tell(told: ClientProgress, view: View, milliseconds: int) -> tuple[ClientProgress, tuple[FromServer, ...]]:
    """Give the messages for all steps that are new to the client of this view, and what it knows then.

    `milliseconds` is the allowance for each action, 0: none. Raises `Behind`.
    """
    fresh = view.steps - told.steps
    if fresh > len(view.course):
        raise Behind(f"{fresh} steps are new, {len(view.course)} are known")
    steps = view.course[len(view.course) - fresh :]
    teller = _Teller(view, milliseconds)
    return ClientProgress(view.steps), tuple(message for step in steps for message in teller.tell(step))


class _Teller:
    """Says what each step means to the client of one view."""

    def __init__(self, view: View, milliseconds: int) -> None:
        self._view = view
        self._milliseconds = milliseconds

    def tell(self, step: CourseStep) -> Iterable[FromServer]:
        match step.kind:
            case "round":
                yield messages.Round(step.count, self._view.rounds)
            case "deal":
                yield from self._deal(step)
            case "play":
                assert step.card is not None, "a play without a card"
                yield messages.Played(step.card)
            case "take":
                yield messages.Draw(step.count)
                yield from self._deal(step)
            case "finish":
                yield messages.Finished()
            case "wish":
                yield messages.WishIs(step.suit)
            case "leave":
                yield messages.Yeeted(self._id(step.place))
            case "ask":
                yield from self._block(step)
            case "result":
                yield messages.Result(self._by_id(step.counts))

    def _deal(self, step: CourseStep) -> Iterable[FromServer]:
        """Hand over the client's own new cards, if any (P8)."""
        if step.cards:
            yield messages.Deal(step.cards)

    def _block(self, step: CourseStep) -> Iterable[FromServer]:
        yield messages.Draw(step.count)
        yield messages.WishIs(step.suit)
        if step.card is not None:
            yield messages.Stack(step.card)
        yield messages.Cards(self._by_id(step.counts))
        yield messages.OnTurn(self._id(step.place))
        yield messages.Time(self._milliseconds)

    def _id(self, place: int) -> int:
        return self._view.seats[place] + 1

    def _by_id(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        known = dict(zip(self._view.seats, counts, strict=True))
        return tuple(known.get(seat, 0) for seat in range(max(known) + 1))
