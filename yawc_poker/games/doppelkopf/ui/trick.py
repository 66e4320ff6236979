"""The left half of the Doppelkopf screen while a round is played: the trick and the caller's hand. Pure.

Owns where the players' cards lie: the caller's at the bottom, then clockwise left, top, right.

    line  1          the player opposite, with their card
    lines 2 and 3    the neighbours, with their cards
    line  4          the caller's card
    lines 7 to 11    the caller's hand in two rows, a key below each card that may be played
"""

from typing import NamedTuple

from yawc_poker.games.doppelkopf.model import View
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.games.doppelkopf.ui.scene import (
    CARD_KEYS,
    Local,
    Scene,
    around,
    chosen,
    name_of,
    names,
    places,
    present_trick,
    shown_trick,
)
from yawc_poker.games.doppelkopf.ui.speech import kind_name
from yawc_poker.table_ui.screen import BORDER, COUNTER_ROW, HAND_ROW, NAME
from yawc_poker.table_ui.speech import card_text
from yawc_poker.table_ui.tricks import taken_text
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import FlatCard, card_style, draw_flat_card, draw_played_card
from yawc_poker.tricks import Trick, colour
from yawc_poker.words import Words

MIDDLE = 20
"""Column of the middle of the trick."""
IN_A_ROW = 6
CELL = 6
"""Columns of a card in the hand."""
HAND_COLUMN = 2
HAND_STEP = 3
"""Lines from one row of the hand to the next."""


class Side(NamedTuple):
    """One side of the table."""

    name: str
    is_turn: bool
    label: str
    """The card, after its number in the trick; or what the player said before the round."""
    style: Style
    is_best: bool = False
    """The card takes the trick, unless a better one follows."""


def draw_trick(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> None:
    """Draw the trick, or the last one, or the reservations."""
    complete = shown_trick(view, local.page)
    trick = complete or present_trick(view)
    sides = tuple(_side(scene, view, place, trick, words) for place in around(scene.seat))
    taken = "" if complete is None else taken_text(complete, names(scene), words)
    own_turn = "" if scene.looks_on else words("It is your turn!")
    _draw_sides(canvas, sides, taken, own_turn)


def _side(scene: Scene, view: View, place: int, trick: Trick, words: Words) -> Side:
    number = (place - trick.leader) % len(view.players)
    is_turn = view.current == place and view.phase != "question"
    name = name_of(scene, place)[:NAME]
    if number < len(trick.cards):
        card = trick.cards[number]
        label = f"{number + 1}[{card_text(card, words)}]"
        return Side(name, is_turn, label, card_style(str(card)), place == trick.taker)
    said = spoken(view, place, words) if view.round.game is None else ""
    return Side(name, is_turn, said, Style.CYAN)


def spoken(view: View, place: int, words: Words) -> str:
    """Return what a player has said before the round; empty: nothing yet."""
    named = next((offer.kind for offer in view.round.named if offer.place == place), None)
    if named is not None:
        return kind_name(named, words)
    match view.players[place].reservation:
        case True:
            return words("reservation")
        case False:
            return words("healthy")
        case None:
            return ""


@region(0, 1, BORDER, COUNTER_ROW - 1)
def _draw_sides(canvas: Canvas, sides: tuple[Side, ...], middle: str, own_turn: str) -> None:
    """Draw the four sides; without a text for the `own_turn` the side at the bottom is somebody else's."""
    own, left, top, right = sides
    _draw_in_middle(canvas, 1, top)
    canvas.put(1, 2, _name(left)[: MIDDLE - 2], _name_style(left))
    name = _name(right)[: MIDDLE - 2]
    canvas.put(BORDER - 1 - len(name), 2, name, _name_style(right))
    room = BORDER - 2 * (CELL + 2)
    canvas.put(MIDDLE - len(middle[:room]) // 2, 3, middle[:room], Style.CYAN)
    _draw_label(canvas, 1, 3, left)
    _draw_label(canvas, BORDER - 1 - len(right.label), 3, right)
    if not own_turn:
        _draw_in_middle(canvas, 4, own)
    elif own.label:
        column = MIDDLE - len(own.label) // 2
        if own.is_turn:
            canvas.put(column - 2, 4, f"> {own.label}  <", Style.NEWEST)
        _draw_label(canvas, column, 4, own)
    elif own.is_turn:
        canvas.put(MIDDLE - len(own_turn) // 2, 4, own_turn, Style.NEWEST)


def _draw_in_middle(canvas: Canvas, row: int, side: Side) -> None:
    """Draw the name of a player opposite, with their card."""
    shown = f"{_name(side)} {side.label}".rstrip()
    column = MIDDLE - len(shown) // 2
    canvas.put(column, row, _name(side), _name_style(side))
    _draw_label(canvas, column + len(shown) - len(side.label), row, side)


def _name(side: Side) -> str:
    return f">{side.name}<" if side.is_turn else side.name


def _name_style(side: Side) -> Style:
    return Style.NEWEST if side.is_turn else Style.BOLD


def _draw_label(canvas: Canvas, column: int, row: int, side: Side) -> None:
    """Draw a card behind its number, with a mark if it is the best so far; or a word."""
    if "[" in side.label:
        draw_played_card(canvas, column, row, side.label, side.style, is_best=side.is_best)
    else:
        canvas.put(column, row, side.label, side.style)


# --- the hand ---------------------------------------------------------------------------------------------------------


def draw_hand(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> None:
    """Draw the caller's hand."""
    _draw_held(canvas, held(scene, local, words), trumps_held(view))


def held(scene: Scene, local: Local, words: Words) -> tuple[FlatCard, ...]:
    """Return the caller's cards, each with its key if it may be played."""
    hand = () if scene.game is None else scene.game.hand or ()
    fitting, at = places(scene), chosen(scene, local)
    return tuple(
        FlatCard(
            card_text(card, words),
            CARD_KEYS[place] if place in fitting else "",
            card_style(str(card)) if place in fitting or not fitting else Style.DIM,
            place == at,
        )
        for place, card in enumerate(hand)
    )


def trumps_held(view: View) -> int:
    """Return how many of the caller's cards are trumps; those come first."""
    order = order_of("normal" if view.round.game is None else view.round.game.kind)
    return sum(colour(order, card) is None for card in view.hand or ())


@region(0, HAND_ROW, BORDER, 5)
def _draw_held(canvas: Canvas, cards: tuple[FlatCard, ...], trumps: int) -> None:
    """Draw cards and keys, with a line between trumps and the other suits."""
    for at, card in enumerate(cards):
        column, row = HAND_COLUMN + CELL * (at % IN_A_ROW), HAND_ROW + HAND_STEP * (at // IN_A_ROW)
        draw_flat_card(canvas, column, row, card)
        if at == trumps and at:
            canvas.put(column - 1, row, "│", Style.FELT)
