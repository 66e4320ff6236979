"""Doppelkopf told in lines, for callers without a screen: with each card that is played, and each score. Pure."""

from collections.abc import Callable, Iterator
from typing import Final

from yawc_poker.engine.values import LogEntry
from yawc_poker.games.doppelkopf import events
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import Item, PlayerView, Result, View
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.games.doppelkopf.ui import scene as seen
from yawc_poker.games.doppelkopf.ui import speech
from yawc_poker.games.doppelkopf.ui.players import game_title, team_and_call
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene
from yawc_poker.games.doppelkopf.ui.speech import item_text, result_name, signed
from yawc_poker.games.doppelkopf.ui.trick import spoken
from yawc_poker.table_ui.linear import Held, Linear, Who, without_prefix
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.table_ui.tricks import taken_text, trick_text
from yawc_poker.tricks import Trick, arranged, eyes
from yawc_poker.words import Words

Named = Callable[[int], str]
"""The name of the player at a place."""


def _sentences(entry: LogEntry[Event], who: Who, words: Words) -> tuple[str, ...]:
    event = entry.event
    match event:
        case events.HandDealt(cards=cards):
            hand = cards_text(arranged(order_of("normal"), cards or ()), words)
            return () if cards is None else (words("Your cards: {cards}", cards=hand),)
        case events.Played():
            return (speech.plain(event, entry.name, words),)
        case events.RoundOver(result):
            return (speech.plain(event, "", words), *_score(result, who.names.__getitem__, words))
        case _:
            return without_prefix(speech.sentences(entry, words))


def _score(result: Result, named: Named, words: Words) -> Iterator[str]:
    """Yield what was played by whom, then each line of the score with its reason."""
    names = ", ".join(named(place) for place in result.re)
    yield words("Played: {game}; Re: {names}.", game=result_name(result, words), names=names)
    yield from (_item(item, named, words) for item in result.items)


def _item(item: Item, named: Named, words: Words) -> str:
    by = "" if item.place is None else f" ({named(item.place)})"
    return f"{item_text(item, words)}{by}: {signed(item.points)}"


def _cards(scene: Scene, local: Local, words: Words) -> tuple[Held, ...]:
    view = scene.playing
    hand = () if view is None else view.hand or ()
    fitting, at = seen.places(scene), seen.chosen(scene, local)
    return tuple(
        Held.of(
            card,
            words,
            seen.CARD_KEYS[place] if place in fitting else "",
            words("chosen") if place == at else "",
        )
        for place, card in enumerate(hand)
    )


def _facts(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    view = scene.playing
    return () if view is None else (*_asked(scene, local, words), *_lines(scene, view, words))


def _lines(scene: Scene, view: View, words: Words) -> Iterator[str]:
    dealer = seen.name_of(scene, view.round.dealer)
    yield words("Round {n} of {rounds}, dealer: {name}", n=view.round.number, rounds=view.options.games, name=dealer)
    yield game_title(scene, view, words)
    yield from (_player(scene, view, player, words) for player in view.players)


def _player(scene: Scene, view: View, player: PlayerView, words: Words) -> str:
    """Return a player with team and call, tricks and eyes of the round, and points of the match."""
    is_played = view.round.game is not None
    said = team_and_call(view, player, words) if is_played else spoken(view, player.place, words)
    if player.owes_solo and not is_played and not said:
        said = words("owes a solo")
    parts = [] if said in {"", "?"} else [said]
    if is_played:
        taken = sum(eyes(trick.cards) for trick in view.round.tricks if trick.taker == player.place)
        parts.append(words("tricks {tricks}, eyes {eyes}", tricks=player.tricks, eyes=taken))
    parts.append(words("points {points}", points=signed(player.total)))
    return f"{seen.name_of(scene, player.place)}: {', '.join(parts)}"


# --- pages and the choice of a card -----------------------------------------------------------------------------------


def _asked(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    """Return the trick that lies there, with those who have played it."""
    view = scene.playing
    if view is None or not view.round.trick:
        return ()
    return (f"{words('Trick:')} {trick_text(seen.present_trick(view), seen.names(scene), words)}",)


def _echo(scene: Scene, before: Local, after: Local, words: Words) -> tuple[str, ...]:
    """Return the last trick whenever its key is pressed, or the card that was chosen."""
    view = scene.game
    if view is not None and before.page != after.page and "last" in {before.page, after.page}:
        return _last(scene, view.last, words)
    if before.at != after.at and after.at != seen.NONE and view is not None and view.hand is not None:
        return (words("[ENTER] Play {card}", card=card_text(view.hand[after.at], words)),)
    return ()


def _last(scene: Scene, trick: Trick | None, words: Words) -> tuple[str, ...]:
    if trick is None:
        return ()
    names = seen.names(scene)
    return (f"{words('Last trick')}: {trick_text(trick, names, words)}; {taken_text(trick, names, words)}",)


def _scores(scene: Scene, local: Local, words: Words) -> tuple[str, ...]:
    """Return the totals, the last round's score line by line, and the points of each round."""
    view = scene.game
    if view is None or not view.results:
        return ()

    def named(place: int) -> str:
        return seen.name_of(scene, place)

    totals = ", ".join(f"{named(one.place)} {signed(one.total)}" for one in view.players)
    rounds = (_round(result, named, words) for result in view.results)
    return (words("In all: {points}", points=totals), *_score(view.results[-1], named, words), *rounds)


def _round(result: Result, named: Named, words: Words) -> str:
    points = ", ".join(f"{named(place)} {signed(one)}" for place, one in enumerate(result.points))
    return words("Round {n}: {points}", n=result.number, points=points)


LINEAR: Final = Linear[Event, View, Local](
    _sentences,
    _cards,
    _facts,
    _echo,
    _asked,
    _scores,
    quiet=f"{seen.LAST_KEY}{seen.TABLE_KEY}",
    others=False,
)
