"""The Offiziersskat table on the screen: scene and local state in, frame out. Pure.

Owns what stands where: the cards of both at the left, the players and the commands at the right, or the people where no
match runs. All games share the other regions (`table_ui.screen`).
"""

from typing import Final

from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import SEATS, Event, Move, Options, State, View
from yawc_poker.games.offiziersskat.trumps import order_of
from yawc_poker.games.offiziersskat.ui import board, keys, panel, players
from yawc_poker.games.offiziersskat.ui import scene as seen
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene
from yawc_poker.games.offiziersskat.ui.speech import refusal, sentences, trump_name
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine
from yawc_poker.table_ui.layout import TableLayout, usual_titles
from yawc_poker.table_ui.speech import card_text, cards_text, court, ranks_text
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words


def _titles(scene: Scene, words: Words) -> tuple[str, str]:
    view = scene.playing
    return usual_titles(scene, words) if view is None else (seen.name_of(scene, seen.sides(view)[1].seat), "")


def _draw_regions(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    view = scene.playing
    if view is None:
        _draw_waiting(canvas, scene, local, words)
    else:
        board.draw_board(canvas, scene, view, local, words)
        players.draw_players(canvas, scene, view, words)


def _draw_page(canvas: Canvas, scene: Scene, local: Local, words: Words) -> bool:
    """Draw the tricks and rounds, if they are open."""
    if local.page != "table" or scene.game is None:
        return False
    panel.draw_page(canvas, scene, scene.game, words)
    return True


def _cards(scene: Scene, local: Local, words: Words) -> str:
    """Return the trump, the trick, the other player's open cards, the caller's."""
    view = scene.playing
    return "" if view is None else "   ".join(part for part in _parts(scene, view, local, words) if part)


def _parts(scene: Scene, view: View, local: Local, words: Words) -> tuple[str, str, str, str]:
    own, opposite = seen.sides(view)
    trick = cards_text(view.round.trick, words)
    held = (spot.card for spot in board.own_spots(scene, own, local, words) if spot.card is not None)
    return (
        _trump(view, words),
        f"{words('Trick:')} {trick}" if trick else "",
        f"{seen.name_of(scene, opposite.seat)}: {cards_text(opposite.open_cards, words)}",
        " ".join(f"[{card.key}]{card.text}" if card.key else card.text for card in held),
    )


def _trump(view: View, words: Words) -> str:
    name = trump_name(view.round.trump, words)
    return name if view.round.trump is None else f"{words('Trump')} {name}"


# --- no match runs ----------------------------------------------------------------------------------------------------


def _draw_waiting(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    """Draw the people at the table, and how the last match ended."""
    common.draw_people(canvas, scene.people, words)
    length = words("to {n} points", n=seen.next_options(scene, local).target)
    common.draw_fields(canvas, scene, words, (words("Match:"), length, Style.BOLD))
    text = _needed(scene, words) if scene.game is None else _ended(scene, scene.game, words)
    common.draw_info(canvas, common.unless_out(scene, text, words))


def _needed(scene: Scene, words: Words) -> str:
    """Return what a match still takes."""
    if not scene.people or (scene.looks_on and len(scene.people) < SEATS):
        return words("Offiziersskat is for two: one more player is needed.")
    return common.before_start(scene, words)


def _ended(scene: Scene, view: View, words: Words) -> str:
    """Return how the last match ended."""
    own, opposite = seen.sides(view)
    if view.forfeiter is not None and view.is_player:
        return words("You have won the match: the other player has left.")
    if view.forfeiter is not None:
        return words("The match is over: a player has left it and lost.")
    if own.total == opposite.total:
        return words("The match is a draw, with {n} points each.", n=own.total)
    best, least = (own, opposite) if own.total > opposite.total else (opposite, own)
    name = seen.name_of(scene, best.seat)
    return words("{name} has won the match by {n} to {least} points.", name=name, n=best.total, least=least.total)


# --- commands and status ----------------------------------------------------------------------------------------------


def _more_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of the keys that are not always usable, the most important first."""
    offered = seen.usable(scene)
    lines = [common.start_line(words)] if "S" in offered else []
    if seen.playable(scene):
        lines.append(_card_line(scene, local, words))
    if seen.TABLE_KEY in offered:
        lines.append(f"[T] {words('Messages')}" if local.page else words("[T] Tricks and rounds"))
    return lines


def _card_line(scene: Scene, local: Local, words: Words) -> str:
    at = seen.chosen(scene, local)
    card = None if at == seen.NONE else seen.own_cards(scene)[at]
    if card is None:
        return words("[<-] [->] Choose a card, or its key")
    return words("[ENTER] Play {card}", card=card_text(card, words))


def _status(scene: Scene, words: Words) -> str:
    """Return the trump, the caller's eyes and points."""
    view = scene.game
    if view is None or not view.is_player:
        return ""
    mine = seen.sides(view)[0]
    points = words.count("{n} point", "{n} points", mine.total)
    if not seen.forfeits(scene):
        return points
    taken = words.count("{n} eye", "{n} eyes", mine.eyes)
    return f"{trump_name(view.round.trump, words)}   {taken}   {points}"


# --- the help over the screen -----------------------------------------------------------------------------------------


WIDTH: Final = 76


def guide(scene: Scene, words: Words) -> Guide:
    """Return Offiziersskat's keys, and the order of the cards in the round that is played."""
    view = scene.playing
    order = order_of(None if view is None else view.round.trump)
    texts = [
        *wrap(words("Trumps, the highest first: {cards}", cards=cards_text(order.trumps, words)), WIDTH),
        words("Other suits, the highest first: {ranks}", ranks=ranks_text(order.ranks, words)),
        words("The suit that is drawn for the round is trump, too; in a Grand none is."),
        words("Eyes: {ace} 11, 10 10, {king} 4, {queen} 3, {jack} 2, others 0; 120 in all.", **court(words)),
        "",
        words("Points of a round, by its eyes:"),
        words("60: 1 for each player   61 to 90: 2   91 to 119: 3   120: 4"),
    ]
    return Guide(_keys(scene, words), words("Order of the cards, and points"), tuple(map(GuideLine, texts)))


def _keys(scene: Scene, words: Words) -> tuple[GuideKey, ...]:
    """Return the keys of a match, each with when it means something."""
    plays = bool(seen.playable(scene))
    return (
        GuideKey(words("[1] - [8] Play the open card there"), words("on your turn"), plays),
        GuideKey(words("arrows, [ENTER] Choose and play"), words("on your turn"), plays),
        GuideKey(words("[T] Tricks and rounds"), words("again: back"), seen.TABLE_KEY in seen.usable(scene)),
    )


LAYOUT: Final = TableLayout[View, Local](
    regions=_draw_regions,
    panels=panel.draw_panels,
    cards=_cards,
    keys=_more_lines,
    status=_status,
    loss=lambda scene, words: words("If you leave now, you lose the match."),
    titles=_titles,
    page=_draw_page,
)

FACE: Final = Face[State, Move, Event, Options, View, Local](
    rules=rules,
    view=rules.view,
    fresh=seen.fresh,
    usable=seen.usable,
    command=keys.command,
    follow=keys.follow,
    sentences=sentences,
    refusal=refusal,
    guide=guide,
    layout=LAYOUT,
    forfeits=seen.forfeits,
)
