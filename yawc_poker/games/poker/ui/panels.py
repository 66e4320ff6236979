"""What a window larger than 80 by 24 shows of poker besides: larger cards, the bets of each, more messages. Pure.

The table stays at the top left. A wide window has the caller's cards at its right, the bets of the running game below
them, and then the hands that were shown; a high one has more messages below the table, and above them the cards and the
bets if it is not wide.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.cards import Card
from yawc_poker.games.poker.hands import category, is_hand, ranks
from yawc_poker.games.poker.model import HAND, PastBet, View
from yawc_poker.games.poker.ui.scene import Local, Scene, usable
from yawc_poker.games.poker.ui.speech import hand_name
from yawc_poker.table_ui.screen import COLUMNS, NAME, ROWS
from yawc_poker.table_ui.speech import card_label
from yawc_poker.terminal import widgets
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.words import Words

LEFT: Final = COLUMNS + 2
"""First column at the right of a table."""
CARDS_HEIGHT: Final = widgets.LARGE_HEIGHT + 2
"""Rows of the caller's cards, with a title and a blank row."""
BET: Final = 6
"""Columns of a bet."""
BETS_BESIDE: Final = HAND * widgets.LARGE_STEP + 1
"""First column of the bets beside the cards, below a table."""


def draw_panels(canvas: Canvas, scene: Scene, local: Local, words: Words) -> int:
    """Draw what there is room for beside the table and below it; return the row below."""
    if scene.game is not None and canvas.columns > COLUMNS:
        row = _draw_hand(canvas, LEFT, 0, scene, local, words)
        row = _draw_bets(canvas, LEFT, row, scene, words)
        _draw_shown(canvas, row, scene, scene.game, words)
    elif scene.game is not None and canvas.rows - ROWS > 2 * CARDS_HEIGHT:
        _draw_hand(canvas, 0, ROWS, scene, local, words)
        _draw_bets(canvas, BETS_BESIDE, ROWS, scene, words)
        return ROWS + CARDS_HEIGHT
    return ROWS


# --- the caller's cards -----------------------------------------------------------------------------------------------


def _draw_hand(canvas: Canvas, column: int, row: int, scene: Scene, local: Local, words: Words) -> int:
    """Draw the caller's open cards, larger, with the name of the hand; return the row after them."""
    hand = None if scene.game is None else scene.game.hand
    if hand is None or not (scene.running or scene.now < scene.pause_until):
        return row
    canvas.put(column, row, words("Your cards:"), Style.GREEN)
    canvas.put(column + len(words("Your cards:")) + 1, row, _named(hand, words), Style.BOLD)
    swaps = "1" in usable(scene)
    is_large = canvas.columns - column >= HAND * widgets.LARGE_STEP
    step, height = (widgets.LARGE_STEP, widgets.LARGE_HEIGHT) if is_large else (widgets.CARD_STEP, widgets.CARD_HEIGHT)
    for place, card in enumerate(hand):
        label = None if swaps and place in local.marks else card_label(card, words)
        left = column + step * place
        (widgets.draw_large_card if is_large else widgets.draw_card)(canvas, left, row + 1, label)
        if swaps:
            style = Style.CARD_BACK if label is None else widgets.card_style(label)
            canvas.put(left + step // 2 - 2, row + height, f"[{place + 1}]", style)
    return row + height + 2


def _named(hand: Sequence[Card], words: Words) -> str:
    cards = tuple(hand)
    return hand_name(category(cards), ranks(cards), words) if is_hand(cards) else ""


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
    names = {person.seat: person.name for person in scene.people}
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


def _draw_shown(canvas: Canvas, row: int, scene: Scene, game: View, words: Words) -> None:
    """Draw the hands of the others that lie open, with their names, as far as there is room."""
    names = {person.seat: person.name for person in scene.people}
    for one in game.opponents:
        if one.cards is None or one.seat not in names or row + widgets.CARD_HEIGHT >= canvas.rows:
            continue
        is_winner = not scene.running and game.winner == one.seat
        text = f"{names[one.seat]}: {_named(one.cards, words)}"
        canvas.put(LEFT, row, f"{text} !" if is_winner else text, Style.NEWEST if is_winner else Style.BOLD)
        for place, card in enumerate(one.cards):
            widgets.draw_card(canvas, LEFT + widgets.CARD_STEP * place, row + 1, card_label(card, words))
        row += widgets.CARD_HEIGHT + 1
