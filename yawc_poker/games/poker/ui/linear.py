"""Poker told in lines, for callers without a screen. Pure."""

from typing import Final

from yawc_poker.games.poker.model import Event, View
from yawc_poker.games.poker.ui.scene import Local, Scene, usable
from yawc_poker.games.poker.ui.speech import sentences
from yawc_poker.table_ui.linear import Held, Linear
from yawc_poker.table_ui.speech import card_label
from yawc_poker.words import Words


def _cards(scene: Scene, local: Local, words: Words) -> tuple[Held, ...]:
    """Return the hand, also in the pause after a game; with keys while cards are changed."""
    hand = () if scene.game is None else scene.game.hand or ()
    if not scene.running and scene.now >= scene.pause_until:
        return ()
    swaps = "1" in usable(scene)
    return tuple(
        Held(
            card_label(card, words),
            str(place + 1) if swaps else "",
            words("marked") if swaps and place in local.marks else "",
        )
        for place, card in enumerate(hand)
    )


def _facts(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    owned = words("You own {cubes} CUBES.", cubes=scene.cash)
    game = scene.game if scene.running else None
    return (owned,) if game is None else (f"{words('Round:')} {_round(game, words)}", owned)


def _round(game: View, words: Words) -> str:
    if game.phase == "showdown" or game.showdown:
        return words("SHOWDOWN")
    return words("CHANGE CARDS") if game.round == 2 else str(game.round)


def _echo(scene: Scene, before: Local, after: Local, words: Words) -> tuple[str, ...]:
    """Return the card that was marked for exchange, or is kept after all."""
    hand = () if scene.game is None else scene.game.hand or ()
    if before.turn != after.turn:
        return ()
    return tuple(
        _marked(place + 1, card_label(card, words), words, is_marked=place in after.marks)
        for place, card in enumerate(hand)
        if (place in before.marks) != (place in after.marks)
    )


def _marked(number: int, card: str, words: Words, *, is_marked: bool) -> str:
    if is_marked:
        return words("{n} marked: {card}", n=number, card=card)
    return words("{n} kept: {card}", n=number, card=card)


LINEAR: Final = Linear[Event, View, Local](sentences, _cards, _facts, _echo)
