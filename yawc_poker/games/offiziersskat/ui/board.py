"""The left half of the Offiziersskat screen while a match runs: both sides, the trick, and the trump. Pure.

Owns where the cards lie: the caller's places at the bottom, the other player's at the top.

    lines  1 and 2   the other player's places, in two rows of four
    line   3         the other player's cards of the trick and of the one before; the trump, between both
    line   4         the caller's
    lines  7 to 11   the caller's places in two rows of four, a key below each card that may be played
"""

from typing import Final, NamedTuple

from yawc_poker.cards import SIGNS, Suit
from yawc_poker.games.offiziersskat.model import SEATS, PlaceView, PlayerView, View
from yawc_poker.games.offiziersskat.ui import scene as seen
from yawc_poker.games.offiziersskat.ui.scene import Local, Scene
from yawc_poker.games.offiziersskat.ui.speech import trump_sign
from yawc_poker.table_ui.screen import BORDER, COUNTER_ROW, HAND_ROW
from yawc_poker.table_ui.speech import card_text
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import FlatCard, card_style, draw_flat_card, draw_played_card, wrap
from yawc_poker.tricks import eyes
from yawc_poker.words import Words

FIRST: Final = 3
"""Column of the first place."""
CELL: Final = 9
"""Columns from one place to the next."""
CARD: Final = 5
"""Columns of a card."""
BACK: Final = "░"
"""One cell of a covered card."""
ROW_STEP: Final = 3
"""Lines from the caller's first row to the second."""
TRICK_ROWS: Final = (3, 4)
"""Lines of the trick: the other player's card, the caller's."""
MIDDLE: Final = 20
FORMER: Final = 10
"""Column of the trick before."""
SIDE: Final = 14
"""Cells to the left and right of the trump."""


class Spot(NamedTuple):
    """A place of a side."""

    card: FlatCard | None
    """None: it is empty, or its covered card has not been turned up yet."""
    is_covered: bool


class Laid(NamedTuple):
    """A card of the trick."""

    label: str
    """Its number in the trick, and the card; empty: not played yet."""
    style: Style = Style.PLAIN
    is_best: bool = False
    """The card takes the trick, unless a better one follows."""
    eyes: str = ""
    """What it has taken, if the trick is complete."""
    former: str = ""
    """The player's card in the trick before, while the next one is played; a mark behind the one that took it."""


def draw_board(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> None:
    """Draw both sides and what lies between them."""
    own, opposite = seen.sides(view)
    spots, cards = _spots(opposite, words), (_laid(view, opposite.seat, words), _laid(view, own.seat, words))
    notice = "" if scene.turn is None else words("It is your turn!")
    _draw_upper(canvas, spots, cards, view.round.trump, notice, words)
    _draw_own(canvas, own_spots(scene, own, local, words))


def _spots(player: PlayerView, words: Words) -> tuple[Spot, ...]:
    return tuple(_spot(place, "", Style.PLAIN, words) for place in player.places)


def own_spots(scene: Scene, player: PlayerView, local: Local, words: Words) -> tuple[Spot, ...]:
    """Return the places at the bottom, with keys for the cards that the caller may play now."""
    fitting, at = seen.places(scene), seen.chosen(scene, local)
    return tuple(
        _spot(
            place,
            seen.CARD_KEYS[number] if number in fitting else "",
            Style.DIM if fitting and number not in fitting else Style.PLAIN,
            words,
            is_chosen=number == at,
        )
        for number, place in enumerate(player.places)
    )


def _spot(place: PlaceView, key: str, style: Style, words: Words, *, is_chosen: bool = False) -> Spot:
    """Return a place; a style other than plain overrides that of the card."""
    if place.open is None:
        return Spot(None, place.covered)
    shown = card_style(str(place.open)) if style == Style.PLAIN else style
    return Spot(FlatCard(card_text(place.open, words), key, shown, is_chosen), place.covered)


# --- between the sides ------------------------------------------------------------------------------------------------


def _laid(view: View, seat: int, words: Words) -> Laid:
    """Return a player's card in the trick, or in the complete one that still lies there."""
    complete = seen.shown_trick(view)
    trick, former = complete or seen.present_trick(view), _former(view, seat, words)
    card = trick.by_player(SEATS).get(seat)
    if card is None:
        return Laid("", former=former)
    label, takes = f"{1 + (seat != trick.leader)}[{card_text(card, words)}]", trick.taker == seat
    taken = f"+{eyes(trick.cards)}" if takes and complete is not None else ""
    return Laid(label, card_style(str(card)), takes, taken, former)


def _former(view: View, seat: int, words: Words) -> str:
    if not view.round.trick or not view.round.tricks:
        return ""
    trick = view.round.tricks[-1]
    card = card_text(trick.by_player(SEATS)[seat], words)
    return f"{card}!" if trick.taker == seat else card


# --- drawing ----------------------------------------------------------------------------------------------------------


@region(0, 1, BORDER, COUNTER_ROW - 1)
def _draw_upper(
    canvas: Canvas, spots: tuple[Spot, ...], cards: tuple[Laid, Laid], trump: Suit | None, notice: str, words: Words
) -> None:
    """Draw the other side's places, and between the sides the trick, the trump, and a notice beside it."""
    for at, spot in enumerate(spots):
        _draw_spot(canvas, at, 1 + at // seen.IN_A_ROW, spot)
    for row, laid in zip(TRICK_ROWS, cards, strict=True):
        if laid.label:
            draw_played_card(canvas, 1, row, laid.label, laid.style, is_best=laid.is_best)
            canvas.put(len(laid.label) + 3, row, laid.eyes, Style.CYAN)
        canvas.put(FORMER, row, laid.former, Style.DIM)
    title, style = (words("Grand"), Style.CARD_BLACK) if trump is None else (words("Trump"), card_style(SIGNS[trump]))
    canvas.put(MIDDLE - len(title) // 2, TRICK_ROWS[0], title, Style.BOLD)
    canvas.put(MIDDLE - 1, TRICK_ROWS[1], f" {trump_sign(trump, words)} ", style)
    for row, line in zip(TRICK_ROWS, wrap(notice, SIDE), strict=False):
        canvas.put(BORDER - SIDE - 1, row, line, Style.NEWEST)


@region(0, HAND_ROW, BORDER, 5)
def _draw_own(canvas: Canvas, spots: tuple[Spot, ...]) -> None:
    for at, spot in enumerate(spots):
        _draw_spot(canvas, at, HAND_ROW + ROW_STEP * (at // seen.IN_A_ROW), spot)


def _draw_spot(canvas: Canvas, at: int, row: int, spot: Spot) -> None:
    """Draw a card with the edge of the covered one at its right, a covered card alone, or an empty place."""
    column = FIRST + CELL * (at % seen.IN_A_ROW)
    if spot.card is not None:
        draw_flat_card(canvas, column, row, spot.card)
        canvas.put(column + CARD, row, BACK if spot.is_covered else "", Style.CARD_BACK)
    elif spot.is_covered:
        canvas.put(column, row, BACK * (CARD + 1), Style.CARD_BACK)
    else:
        canvas.put(column + 2, row, "·", Style.DIM)
