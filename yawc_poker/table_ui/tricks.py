"""A trick as all games of tricks show and tell it. Pure."""

from collections.abc import Sequence

from yawc_poker.table_ui.speech import card_text
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.widgets import PlayedCard, card_style
from yawc_poker.tricks import Trick, eyes
from yawc_poker.words import Words


def trick_text(trick: Trick, names: Sequence[str], words: Words) -> str:
    """Return the cards of a trick with those who have played them, the leader first; the players have these names."""
    cards = trick.by_player(len(names))
    return ", ".join(f"{names[player]} {card_text(card, words)}" for player, card in cards.items())


def taken_text(trick: Trick, names: Sequence[str], words: Words) -> str:
    """Return who has taken a trick, and its eyes."""
    return words("{n} for {name}", n=eyes(trick.cards), name=names[trick.taker])


def laid(trick: Trick, names: Sequence[str], words: Words) -> tuple[PlayedCard, ...]:
    """Return the cards of a trick in the order in which they were played."""
    cards = trick.by_player(len(names))
    return tuple(PlayedCard(names[one], card_text(card, words), one == trick.taker) for one, card in cards.items())


def put_trick(
    canvas: Canvas, column: int, row: int, number: int, trick: Trick, order: Sequence[int], cell: int, words: Words
) -> None:
    """Draw a trick in a line: its number, and the players' cards in this order, each in so many cells.

    A ``>`` stands before the card that led, a ``!`` behind the one that took the trick.
    """
    canvas.put(column, row, f"{number:>2}", Style.DIM)
    cards = trick.by_player(len(order))
    for left, player in zip(range(column + 3, column + 3 + cell * len(order), cell), order, strict=True):
        card = cards[player]
        canvas.put(left, row, ">" if player == trick.leader else "", Style.CYAN)
        canvas.put(left + 1, row, card_text(card, words), card_style(str(card)))
        canvas.put(left + 5, row, "!" if player == trick.taker else "", Style.NEWEST)
