"""A finished game told again, deed by deed and with all its cards. Pure.

Owns the sentences about cards that nobody saw while the game ran; those about all else are `speech`'s. Made from the
sealed order and the deeds by playing the game again, so it tells what must have been, not what somebody wrote down.
"""

from collections.abc import Iterator, Sequence

import msgspec

from yawc_poker.cards import Card
from yawc_poker.engine.chronicle import Dealt, Deed, Joined
from yawc_poker.engine.replay import replay
from yawc_poker.engine.table import Left, Notice, Removed, SatDown
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, Shown, State, Swapped
from yawc_poker.games.poker.speech import plain
from yawc_poker.words import Words


class Told(msgspec.Struct, frozen=True):
    """One sentence of the story."""

    at: float
    """Seconds since the deal."""
    text: str


def narrate(sealed: str, deeds: Sequence[Deed], words: Words) -> Iterator[Told]:
    """Tell a game. Raises `Contradiction` and `ValueError`, as `engine.replay` does."""
    names: dict[int, str] = {}
    before: State | None = None
    for deed, step in replay(rules, sealed, deeds):
        names = _names(names, deed)
        for text in (*_coming_or_going(deed, names, words), *_dealt(deed, step.state, names, words)):
            yield Told(deed.at, text)
        for event in step.events:
            yield Told(deed.at, _sentence(event, before, step.state, names, words))
        before = step.state


def _names(names: dict[int, str], deed: Deed) -> dict[int, str]:
    """Give who sits where, by name; whoever has left is still named."""
    if deed.kind == "deal":
        return {person.seat: person.name for person in msgspec.json.decode(deed.detail, type=Dealt).people}
    if deed.kind == "join":
        return {**names, deed.seat: msgspec.json.decode(deed.detail, type=Joined).name}
    return names


def _coming_or_going(deed: Deed, names: dict[int, str], words: Words) -> Iterator[str]:
    notices: dict[str, Notice] = {"join": SatDown(deed.seat), "leave": Left(deed.seat), "removed": Removed(deed.seat)}
    if deed.kind in notices:
        yield plain(notices[deed.kind], names.get(deed.seat, ""), words)


def _dealt(deed: Deed, state: State, names: dict[int, str], words: Words) -> Iterator[str]:
    if deed.kind == "deal":
        for seat, cards in rules.hands(state).items():
            yield words("{name} is dealt {cards}.", name=names.get(seat, ""), cards=cards)


def _sentence(event: Event, before: State | None, after: State, names: dict[int, str], words: Words) -> str:
    name = "" if event.seat is None else names.get(event.seat, "")
    match event:
        case Swapped(seat=seat):
            had, has = _hand(before, seat), _hand(after, seat)
            gone, come = [card for card in had if card not in has], [card for card in has if card not in had]
            if not gone:
                return words("{name} keeps all cards.", name=name)
            return words("{name} gives {gone} for {come}.", name=name, gone=_signs(gone), come=_signs(come))
        case Shown(seat=seat):
            return f"{plain(event, name, words)} ({_signs(_hand(after, seat))})"
        case _:
            return plain(event, name, words)


def _hand(state: State | None, seat: int) -> tuple[Card, ...]:
    player = None if state is None else state.players[seat]
    return () if player is None else player.hand


def _signs(cards: Sequence[Card]) -> str:
    return " ".join(str(card) for card in cards)
