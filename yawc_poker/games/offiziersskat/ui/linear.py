"""Offiziersskat told in lines, for callers without a screen: with each card that is played, and the page. Pure."""

from collections.abc import Iterator
from typing import Final

from yawc_poker.engine.values import LogEntry
from yawc_poker.games.offiziersskat import model
from yawc_poker.games.offiziersskat.model import Event, PlayerView, View
from yawc_poker.games.offiziersskat.ui import scene as seen
from yawc_poker.games.offiziersskat.ui.players import result_text
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene
from yawc_poker.games.offiziersskat.ui.speech import plain, trump_name, witnessed
from yawc_poker.table_ui.linear import Held, Linear, Who, without_prefix
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.table_ui.tricks import taken_text, trick_text
from yawc_poker.tricks import Trick
from yawc_poker.words import Words


def _sentences(entry: LogEntry[Event], who: Who, words: Words) -> tuple[str, ...]:
    match entry.event:
        case model.HandDealt(cards=cards) if who.own:
            by_suit = sorted(cards, key=lambda card: (-card.suit, card.rank))
            return (words("Your cards: {cards}", cards=cards_text(by_suit, words)),)
        case model.TrickTaken(turned=turned):
            up = [f"{who.names[seat]} {card_text(card, words)}" for seat, card in enumerate(turned) if card]
            text = plain(entry.event, entry.name, words)
            return (text, words("Turned up: {cards}.", cards=", ".join(up))) if up else (text,)
        case _:
            return without_prefix(witnessed(entry, words))


def _cards(scene: Scene, local: Local, words: Words) -> tuple[Held, ...]:
    """Return the caller's open cards."""
    fitting = seen.places(scene)
    return tuple(
        Held.of(
            card,
            words,
            seen.CARD_KEYS[place] if place in fitting else "",
            words("chosen") if place == local.at and place in fitting else "",
        )
        for place, card in enumerate(seen.own_cards(scene))
        if card is not None
    )


def _facts(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    view = scene.playing
    if view is None:
        return ()
    trump = trump_name(view.round.trump, words)
    round_line = words("Round {n}, match to {target}", n=view.round.number, target=view.options.target)
    return (
        trump if view.round.trump is None else f"{words('Trump')} {trump}",
        *_asked(scene, local, words),
        round_line,
        *(text for player in view.players for text in _player(scene, player, words)),
    )


def _asked(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    """Return the card that lies there, with who has played it."""
    view = scene.playing
    if view is None or not view.round.trick:
        return ()
    return (f"{words('Trick:')} {trick_text(seen.present_trick(view), seen.names(scene), words)}",)


def _player(scene: Scene, player: PlayerView, words: Words) -> Iterator[str]:
    """Yield a player with tricks and eyes of the round, points of the match, and where their covered cards lie."""
    name = seen.name_of(scene, player.seat)
    yield words(
        "{name}: tricks {tricks}, eyes {eyes}, points {points}, covered cards {covered}",
        name=name,
        tricks=player.tricks,
        eyes=player.eyes,
        points=player.total,
        covered=player.covered,
    )
    above = [place.open for place in player.places if place.open is not None and place.covered]
    if above and any(place.open is not None and not place.covered for place in player.places):
        yield words("Covered cards of {name} lie below: {cards}.", name=name, cards=cards_text(above, words))


# --- the scores, and the choice of a card -----------------------------------------------------------------------------


def _scores(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    """Return how each round has ended, and the tricks of this one."""
    view = scene.game
    if view is None:
        return ()
    tricks = (_trick(scene, number, trick, words) for number, trick in enumerate(view.round.tricks, 1))
    return (*(result_text(scene, result, words) for result in view.results), *tricks)


def _echo(scene: Scene, before: Local, after: Local, words: Words) -> tuple[str, ...]:
    """Return the card that was chosen."""
    cards = seen.own_cards(scene)
    card = cards[after.at] if before.at != after.at and after.at != seen.NONE and cards else None
    return () if card is None else (words("[ENTER] Play {card}", card=card_text(card, words)),)


def _trick(scene: Scene, number: int, trick: Trick, words: Words) -> str:
    names = seen.names(scene)
    return f"{number}: {trick_text(trick, names, words)}; {taken_text(trick, names, words)}"


LINEAR: Final = Linear[Event, View, Local](_sentences, _cards, _facts, _echo, _asked, _scores, quiet=seen.TABLE_KEY)
