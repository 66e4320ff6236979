"""Mau-Mau told in lines, for callers without a screen. Pure."""

from typing import Final

from yawc_poker.games.maumau.model import Event, PlayerView, View
from yawc_poker.games.maumau.ui.scene import CARD_KEYS, Local, Scene, playable, shown_hand
from yawc_poker.games.maumau.ui.speech import sentences
from yawc_poker.table_ui.linear import Held, Linear, spaced
from yawc_poker.table_ui.speech import card_label, suit_name
from yawc_poker.words import Words


def _cards(scene: Scene, local: Local, words: Words) -> tuple[Held, ...]:
    game = scene.game if scene.running else None
    if game is None or game.hand is None:
        return ()
    fitting = playable(scene)
    return tuple(
        Held(card_label(card, words), key if card in fitting else "")
        for key, card in zip(CARD_KEYS, shown_hand(game), strict=False)
    )


def _facts(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    game = scene.game
    if game is None:
        return ()
    points = tuple(filter(None, (_points(scene, player, words) for player in game.players)))
    if not scene.running:
        return points
    stock = words("Round {n} of {rounds}; stock: {stock}", n=game.round, rounds=game.rounds, stock=game.stock)
    return (stock, f"{words('Open:')} {spaced(_open(game, words))}", *points)


def _open(game: View, words: Words) -> str:
    """Return what must be followed: the top card, with a wish or the cards to take."""
    top = card_label(game.top, words)
    if game.penalty:
        return words("{card}   take {n}!", card=top, n=game.penalty)
    return top if game.suit is None else words("{card}   wish: {suit}", card=top, suit=suit_name(game.suit, words))


def _points(scene: Scene, player: PlayerView, words: Words) -> str:
    """Return a player's points; empty for one who has left."""
    names = {person.seat: person.name for person in scene.people} | {scene.seat: scene.name}
    name = "" if player.seat is None else names.get(player.seat, "")
    count = words.count("{n} point", "{n} points", player.total)
    return f"{name}: {count}" if name else ""


def _echo(scene: Scene, before: Local, after: Local, words: Words) -> tuple[str, ...]:
    return ()


LINEAR: Final = Linear[Event, View, Local](sentences, _cards, _facts, _echo)
