"""A finished game of poker told again, with all its cards. Pure.

Owns the sentences about cards that nobody saw while the game ran; those about all else are `speech`'s.
"""

from collections.abc import Iterator, Sequence

from yawc_poker.cards import Card, written
from yawc_poker.engine.chronicle import Deed
from yawc_poker.engine.game import Step
from yawc_poker.games.common import narrative as common
from yawc_poker.games.common.narrative import Names, Told
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Event, Shown, State, Swapped, TakenOut
from yawc_poker.games.poker.speech import plain
from yawc_poker.words import Words


def narrate(sealed: str, deeds: Sequence[Deed], words: Words) -> Iterator[Told]:
    """Tell a game. Raises `Contradiction` and `ValueError`, as `engine.replay` does."""

    def say(before: State | None, step: Step[State, Event], is_deal: bool, names: Names) -> Iterator[str]:
        for seat, cards in rules.hands(step.state).items() if is_deal else ():
            yield words("{name} is dealt {cards}.", name=names.get(seat, ""), cards=cards)
        for event in step.events:
            yield _sentence(event, before, step.state, names, words)

    return common.narrate(rules, sealed, deeds, say, lambda notice, name: plain(notice, name, words))


def consequences(sealed: str, deeds: Sequence[Deed], words: Words) -> Iterator[tuple[int, str]]:
    """Tell who was taken out of the game, and by which deed. Raises as `narrate` does."""
    return common.consequences(
        rules, sealed, deeds, lambda event, name: plain(event, name, words) if isinstance(event, TakenOut) else ""
    )


def _sentence(event: Event, before: State | None, after: State, names: Names, words: Words) -> str:
    name = "" if event.seat is None else names.get(event.seat, "")
    match event:
        case Swapped(seat=seat):
            had, has = _hand(before, seat), _hand(after, seat)
            gone, come = [card for card in had if card not in has], [card for card in has if card not in had]
            if not gone:
                return words("{name} keeps all cards.", name=name)
            return words("{name} gives {gone} for {come}.", name=name, gone=written(gone), come=written(come))
        case Shown(seat=seat):
            return f"{plain(event, name, words)} ({written(_hand(after, seat))})"
        case _:
            return plain(event, name, words)


def _hand(state: State | None, seat: int) -> tuple[Card, ...]:
    player = None if state is None else state.players[seat]
    return () if player is None else player.hand
