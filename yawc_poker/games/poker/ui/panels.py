"""What a window larger than 80 by 24 shows of poker besides: the bets of each, the kinds of hands, more messages. Pure.

The table stays at the top left. A wide window has the bets of the running game at its right, the hands that were shown
below them, and then the kinds of hands; a high one has more messages below the table, and above them kinds and bets if
it is not wide.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from yawc_poker.cards import Card, cards
from yawc_poker.games.poker.hands import category, is_hand, ranks
from yawc_poker.games.poker.model import Category, PastBet, View
from yawc_poker.games.poker.ui.scene import Local, Scene
from yawc_poker.games.poker.ui.speech import CATEGORIES, category_name, hand_name
from yawc_poker.table_ui.guide import GuideLine
from yawc_poker.table_ui.screen import COLUMNS, NAME, ROWS
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.terminal import widgets
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.words import Words

LEFT: Final = COLUMNS + 2
"""First column at the right of a table."""
EXAMPLES: Final = {
    Category.ROYAL_FLUSH: "A+ K+ Q+ J+ 10+",
    Category.STRAIGHT_FLUSH: "10* 9* 8* 7* 6*",
    Category.FOUR: "9+ 9* 9# 9- K*",
    Category.FULL_HOUSE: "7+ 7# 7- Q* Q-",
    Category.FLUSH: "A# J# 9# 8# 5#",
    Category.STRAIGHT: "J* 10# 9+ 8- 7-",
    Category.THREE: "K+ K# K- 8* 6+",
    Category.TWO_PAIRS: "Q+ Q- 6* 6# A+",
    Category.PAIR: "10* 10# A- 8+ 7+",
    Category.HIGH_CARD: "A* Q+ J+ 7- 5#",
}
KIND: Final = 25
"""Cells of the name of a kind of hand."""
KINDS: Final = len(EXAMPLES) + 2
"""Rows of the kinds of hands, with a title and a blank row."""
FEWEST: Final = 6
"""Rows that the messages need below the kinds."""
BET: Final = 6
"""Columns of a bet."""
BETS_BESIDE: Final = 48
"""First column of the bets beside the kinds of hands, below a table."""


def draw_panels(canvas: Canvas, scene: Scene, local: Local, words: Words) -> int:
    """Draw what there is room for beside the table and below it; return the row below."""
    if scene.game is not None and canvas.columns > COLUMNS:
        row = _draw_bets(canvas, LEFT, 0, scene, words)
        row = _draw_shown(canvas, row, scene, scene.game, words)
        if canvas.rows - row >= KINDS:
            _draw_kinds(canvas, LEFT, row, scene, words)
    elif scene.game is not None and canvas.rows - ROWS >= KINDS + FEWEST:
        _draw_kinds(canvas, 0, ROWS, scene, words)
        _draw_bets(canvas, BETS_BESIDE, ROWS, scene, words)
        return ROWS + KINDS
    return ROWS


# --- the kinds of hands -----------------------------------------------------------------------------------------------


def kinds(scene: Scene, words: Words) -> tuple[GuideLine, ...]:
    """Return the kinds of hands with an example each, the best first; that of the caller's hand is their own."""
    hand = own_hand(scene)
    own = category(hand) if is_hand(hand) else None
    examples = {kind: cards_text(cards(text), words) for kind, text in EXAMPLES.items()}
    return tuple(
        GuideLine(f"{category_name(kind, words):<{KIND}}{examples[kind]}".rstrip(), kind == own) for kind in CATEGORIES
    )


def own_hand(scene: Scene) -> tuple[Card, ...]:
    """Return the caller's cards in the running game; nothing if they have none."""
    return () if scene.playing is None else scene.playing.hand or ()


@lru_cache(maxsize=4)
def hand_text(hand: tuple[Card, ...], words: Words) -> str:
    """Return the name of a hand: "One Pair (sevens)"; empty if these are not five cards. A game asks for it often."""
    return hand_name(category(hand), ranks(hand), words) if is_hand(hand) else ""


def _draw_kinds(canvas: Canvas, column: int, row: int, scene: Scene, words: Words) -> None:
    """Draw the kinds of hands, the caller's own marked."""
    canvas.put(column, row, words("Hands, the best first"), Style.GREEN)
    for line, kind in enumerate(kinds(scene, words), row + 1):
        sign, style = (">", Style.NEWEST) if kind.is_own else (" ", Style.PLAIN)
        canvas.put(column, line, sign + kind.text, style)


# --- bets -------------------------------------------------------------------------------------------------------------


def _draw_bets(canvas: Canvas, column: int, row: int, scene: Scene, words: Words) -> int:
    """Draw what each player has paid in the latest rounds of the running game, and in all; return the row after it."""
    game = scene.game
    if game is None or not scene.running:
        return row
    width = canvas.columns - column
    name = min(NAME + 1, width - 2 * BET)
    rounds = sorted({bet.round for bet in game.bets})[-((width - name) // BET - 1) :]
    heads = [*map(str, rounds), words("All")]
    canvas.put(column, row, words("Bets by round"), Style.GREEN)
    canvas.put(column + name, row, "".join(f"{head[: BET - 1]:>{BET}}" for head in heads), Style.GREEN)
    lines = _paid(scene, game, rounds, words)
    for line, (who, paid, is_turn) in enumerate(lines, row + 1):
        style = Style.NEWEST if is_turn else Style.PLAIN
        canvas.put(column, line, f"{'>' if is_turn else ' '}{who}"[:name], style)
        canvas.put(column + name, line, "".join(f"{one or '':>{BET}}" for one in paid), style)
    return row + len(lines) + 2


def _paid(scene: Scene, game: View, rounds: Sequence[int], words: Words) -> list[tuple[str, tuple[int, ...], bool]]:
    """Return name, bets of these rounds with the sum of all, and whether it is their turn, of each active player.

    All others share a line: somebody else may sit in the seat of a player who has left.
    """
    names = scene.sitting
    active = {one.seat: names.get(one.seat, "") for one in game.opponents if one.active}
    if game.hand is not None:
        active[scene.seat] = scene.name
    lines = [
        (active[seat], _sums([bet for bet in game.bets if bet.seat == seat], rounds), seat == game.current)
        for seat in sorted(active)
    ]
    out = [bet for bet in game.bets if bet.seat not in active]
    return [*lines, (words("(who is out)"), _sums(out, rounds), False)] if out else lines


def _sums(bets: Sequence[PastBet], rounds: Sequence[int]) -> tuple[int, ...]:
    """Return what these bets come to in each of these rounds, and in all."""
    return (*(sum(bet.amount for bet in bets if bet.round == one) for one in rounds), sum(bet.amount for bet in bets))


# --- hands that were shown --------------------------------------------------------------------------------------------


def _draw_shown(canvas: Canvas, row: int, scene: Scene, game: View, words: Words) -> int:
    """Draw the hands of the others that lie open, with their names, as far as there is room; return the row after."""
    names = scene.sitting
    for one in game.opponents:
        if one.cards is None or one.seat not in names or row + widgets.CARD_HEIGHT >= canvas.rows:
            continue
        is_winner = not scene.running and game.winner == one.seat
        text = f"{names[one.seat]}: {hand_text(one.cards, words)}"
        canvas.put(LEFT, row, f"{text} !" if is_winner else text, Style.NEWEST if is_winner else Style.BOLD)
        for place, card in enumerate(one.cards):
            widgets.draw_card(canvas, LEFT + widgets.CARD_STEP * place, row + 1, card_text(card, words))
        row += widgets.CARD_HEIGHT + 1
    return row
