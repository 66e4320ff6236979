"""Poker told in lines, for callers without a screen. Pure."""

from typing import Final

from yawc_poker.engine.values import LogEntry
from yawc_poker.games.poker import model
from yawc_poker.games.poker.hands import category, is_hand, ranks
from yawc_poker.games.poker.model import Event, View
from yawc_poker.games.poker.ui.scene import Local, Scene, is_for_chips, owned_by, pot_of, usable
from yawc_poker.games.poker.ui.speech import hand_name, plain
from yawc_poker.table_ui.linear import Held, Linear, Who
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.words import Words


def _sentences(entry: LogEntry[Event], who: Who, words: Words) -> tuple[str, ...]:
    text = plain(entry.event, entry.name, words)
    match entry.event:
        case model.HandDealt(cards=cards):
            return () if cards is None else (words("Your cards: {cards}", cards=cards_text(cards, words)),)
        case model.Swapped(come=come) if come:
            return (words("You get {cards}.", cards=cards_text(come, words)),)
        case model.Shown(cards=cards):
            return (f"{text} {cards_text(cards, words)}.",)
        case model.TakenOut() if who.own:
            return ()  # a notice tells them why
        case _:
            return (text,)


def _cards(scene: Scene, local: Local, words: Words) -> tuple[Held, ...]:
    """Return the hand, also in the pause after a game; with keys while cards are changed."""
    hand = () if scene.game is None else scene.game.hand or ()
    if not scene.running and scene.now >= scene.pause_until:
        return ()
    swaps = "1" in usable(scene)
    return tuple(
        Held.of(
            card,
            words,
            str(place + 1) if swaps else "",
            words("marked") if swaps and place in local.marks else "",
        )
        for place, card in enumerate(hand)
    )


def _facts(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    owned = _owned(scene, words)
    game = scene.playing
    return (
        owned
        if game is None
        else (f"{words('Round:')} {_round(game, words)}", *_held(game, words), *_bets(game, words), *owned)
    )


def _owned(scene: Scene, words: Words) -> tuple[str, ...]:
    owned = owned_by(scene)
    if owned is None:
        return ()
    if is_for_chips(scene):
        return (words.count("You have {n} chip.", "You have {n} chips.", owned),)
    return (words("You own {cubes} CUBES.", cubes=owned),)


def _bets(game: View, words: Words) -> tuple[str, ...]:
    """Return what the caller may bet now."""
    if not game.low or game.low > game.high:
        return ()
    if game.chips and game.low == game.high:
        return (words.count("You may bet {n} chip.", "You may bet {n} chips.", game.low),)
    if game.chips:
        return (words("You may bet {low} to {high} chips.", low=game.low, high=game.high),)
    if game.low == game.high:
        return (words("You may bet {n} CUBES.", n=game.low),)
    return (words("You may bet {low} to {high} CUBES.", low=game.low, high=game.high),)


def _asked(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    game = scene.game
    if game is None:
        return ()
    pot = pot_of(scene) or 0
    held = (
        words.count("The pot holds {n} chip.", "The pot holds {n} chips.", pot)
        if game.chips
        else words("The pot holds {n} CUBES.", n=pot)
    )
    return (held, *_bets(game, words), *_held(game, words))


def _held(game: View, words: Words) -> tuple[str, ...]:
    """Return what the caller's hand is."""
    hand = game.hand or ()
    if not is_hand(hand):
        return ()
    return (words("You hold {cards}.", cards=hand_name(category(hand), ranks(hand), words)),)


def _scores(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    """Return the bets of this game, or of the last one, round by round."""
    rounds: dict[int, list[str]] = {}
    for bet in () if scene.game is None else scene.game.bets:
        rounds.setdefault(bet.round, []).append(f"{scene.names[bet.seat]} {bet.amount}")
    return tuple(words("Round {n}: {points}", n=number, points=", ".join(bets)) for number, bets in rounds.items())


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
        _marked(place + 1, card_text(card, words), words, is_marked=place in after.marks)
        for place, card in enumerate(hand)
        if (place in before.marks) != (place in after.marks)
    )


def _marked(number: int, card: str, words: Words, *, is_marked: bool) -> str:
    if is_marked:
        return words("{n} marked: {card}", n=number, card=card)
    return words("{n} kept: {card}", n=number, card=card)


LINEAR: Final = Linear[Event, View, Local](_sentences, _cards, _facts, _echo, _asked, _scores)
