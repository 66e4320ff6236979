"""The server's side of the protocol: the steps of a game to messages. Pure.

Owns the order of messages (spec/maumau_protocol.md 4). Never bytes (`codec`), sockets or clocks. A player's id is
the seat they had when the game began, counted from 1. In lists, empty seats and players who have left have a 0.

A client is told every step of the game once, in order, however many steps happen between two looks.
"""

from collections.abc import Iterable

import msgspec

from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.messages import FromServer
from yawc_poker.games.maumau.model import CourseStep, View


class Behind(Exception):
    """More steps have happened than are kept, so the client cannot be told them all."""


class ClientProgress(msgspec.Struct, frozen=True):
    """How much of a game a client has been told."""

    steps: int = 0
    """The number of the newest step it was told."""


def tell(told: ClientProgress, view: View, milliseconds: int) -> tuple[ClientProgress, tuple[FromServer, ...]]:
    """Return the client's progress and the messages for all steps that are new to it.

    `view` is that of the client's seat; `milliseconds` is the time allowed for each move, 0: no limit. Raise `Behind`.
    """
    fresh = view.steps - told.steps
    if fresh > len(view.course):
        raise Behind(f"{fresh} steps are new, {len(view.course)} are known")
    steps = view.course[len(view.course) - fresh :]
    teller = _Teller(view, milliseconds)
    return ClientProgress(view.steps), tuple(message for step in steps for message in teller.tell(step))


class _Teller:
    """Turns steps into messages for the client of one view."""

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
        """Yield the client's own new cards, if any (P8)."""
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
