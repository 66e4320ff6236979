"""Offiziersskat told in lines, for callers without a screen: with each card that is played, and the page. Pure."""

from typing import Final

from yawc_poker.cards import Card
from yawc_poker.games.offiziersskat.model import SEATS, Event, PlayerView, Trick, View
from yawc_poker.games.offiziersskat.ui import scene as seen
from yawc_poker.games.offiziersskat.ui.players import result_text
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene
from yawc_poker.games.offiziersskat.ui.speech import trump_name, witnessed
from yawc_poker.table_ui.linear import Held, Linear
from yawc_poker.table_ui.speech import card_text
from yawc_poker.tricks import eyes
from yawc_poker.words import Words


def _cards(scene: Scene, local: Local, words: Words) -> tuple[Held, ...]:
    """Return the caller's open cards."""
    fitting = seen.places(scene)
    return tuple(
        Held(
            card_text(card, words),
            seen.CARD_KEYS[place] if place in fitting else "",
            words("chosen") if place == local.at and place in fitting else "",
        )
        for place, card in enumerate(seen.own_cards(scene))
        if card is not None
    )


def _facts(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    view = seen.match(scene)
    if view is None:
        return ()
    trump = trump_name(view.round.trump, words)
    round_line = words("Round {n}, match to {target}", n=view.round.number, target=view.options.target)
    trick = f"{words('Trick:')} {_played(scene, view.round.leader, view.round.trick, words)}"
    return (
        round_line,
        trump if view.round.trump is None else f"{words('Trump')} {trump}",
        *([trick] if view.round.trick else ()),
        *(_player(scene, player, words) for player in view.players),
    )


def _played(scene: Scene, leader: int, cards: tuple[Card, ...], words: Words) -> str:
    """Return the cards of a trick with those who have played them."""
    return ", ".join(
        f"{seen.name_of(scene, (leader + at) % SEATS, words)} {card_text(card, words)}" for at, card in enumerate(cards)
    )


def _player(scene: Scene, player: PlayerView, words: Words) -> str:
    """Return a player with tricks and eyes of the round, points of the match, and their covered cards."""
    return words(
        "{name}: tricks {tricks}, eyes {eyes}, points {points}, covered cards {covered}",
        name=seen.name_of(scene, player.seat, words),
        tricks=player.tricks,
        eyes=player.eyes,
        points=player.total,
        covered=player.covered,
    )


# --- the page and the choice of a card --------------------------------------------------------------------------------


def _echo(scene: Scene, before: Local, after: Local, words: Words) -> tuple[str, ...]:
    """Return the page that a key has opened, or closed: it is told again; or the card that was chosen."""
    view = scene.game
    if view is not None and before.page != after.page:
        tricks = (_trick(scene, number, trick, words) for number, trick in enumerate(view.round.tricks, 1))
        return (*tricks, *(result_text(scene, result, words) for result in view.results))
    cards = seen.own_cards(scene)
    card = cards[after.at] if before.at != after.at and after.at != seen.NONE and cards else None
    return () if card is None else (words("[ENTER] Play {card}", card=card_text(card, words)),)


def _trick(scene: Scene, number: int, trick: Trick, words: Words) -> str:
    taken = words("{n} for {name}", n=eyes(trick.cards), name=seen.name_of(scene, trick.taker, words))
    return f"{number}: {_played(scene, trick.leader, trick.cards, words)}; {taken}"


LINEAR: Final = Linear[Event, View, Local](witnessed, _cards, _facts, _echo, quiet=seen.TABLE_KEY)
