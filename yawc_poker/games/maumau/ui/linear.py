"""Mau-Mau told in lines, for callers without a screen. Pure."""

from typing import Final

from yawc_poker.engine.values import LogEntry
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.model import Event, PlayerView, View
from yawc_poker.games.maumau.ui.scene import CARD_KEYS, Local, Scene, arranged, playable, shown_hand
from yawc_poker.games.maumau.ui.speech import open_card, plain, sentences
from yawc_poker.table_ui.linear import Held, Linear, Who, spaced, without_prefix
from yawc_poker.table_ui.speech import cards_text
from yawc_poker.words import Words

FEW: Final = 2
"""Cards in a hand from which on all are told how many are left."""


def _sentences(entry: LogEntry[Event], who: Who, words: Words) -> tuple[str, ...]:
    match entry.event:
        case model.HandDealt(cards=cards):
            hand = cards_text(arranged(cards or ()), words)
            return () if cards is None else (words("Your cards: {cards}", cards=hand),)
        case model.Took(cards=cards) if cards:
            text = plain(entry.event, entry.name, words)
            return text, words("You get {cards}.", cards=cards_text(cards, words))
        case model.Played(left=left) if 0 < left <= FEW:
            text = plain(entry.event, entry.name, words)
            return text, words.count("{name} has {n} card left.", "{name} has {n} cards left.", left, name=entry.name)
        case _:
            return without_prefix(sentences(entry, words))


def _cards(scene: Scene, local: Local, words: Words) -> tuple[Held, ...]:
    game = scene.playing
    if game is None or game.hand is None:
        return ()
    fitting = playable(scene)
    return tuple(
        Held.of(card, words, key if card in fitting else "")
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
    return (*_asked(scene, local, words), stock, *points)


def _asked(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    game = scene.game
    return () if game is None else (f"{words('Open:')} {spaced(open_card(game, words))}",)


def _scores(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    """Return each player's points, round by round."""
    game = scene.game
    return () if game is None else tuple(filter(None, (_points(scene, one, words, each=True) for one in game.players)))


def _points(scene: Scene, player: PlayerView, words: Words, *, each: bool = False) -> str:
    """Return a player's points, perhaps those of each round; empty for one who has left."""
    name = "" if player.seat is None else scene.sitting.get(player.seat, "")
    count = words.count("{n} point", "{n} points", player.total)
    if each and player.points:
        count = f"{count} ({', '.join(map(str, player.points))})"
    return f"{name}: {count}" if name else ""


LINEAR: Final = Linear[Event, View, Local](
    _sentences, _cards, _facts, asked=_asked, scores=_scores, scores_key="P", quiet=CARD_KEYS
)
