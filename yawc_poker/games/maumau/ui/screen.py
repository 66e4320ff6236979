"""The Mau-Mau table on the screen: scene and local state in, frame out. Pure.

Owns regions 1 to 4: the others with their points and numbers of cards; the game; the top card and the caller's hand,
each card with its key; the commands. All games share the other regions (`table_ui.screen`).
"""

from typing import Final

from yawc_poker.cards import SIGNS, SYMBOLS, Card, Suit
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import MOST_ROUNDS, Event, MayTake, Move, Options, PlayerView, State, View
from yawc_poker.games.maumau.standing import losers, winners
from yawc_poker.games.maumau.ui import panels, speech
from yawc_poker.games.maumau.ui import scene as seen
from yawc_poker.games.maumau.ui.keys import command, follow
from yawc_poker.games.maumau.ui.scene import CARD_KEYS, SUIT_KEYS, Local, Scene, usable
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine
from yawc_poker.table_ui.layout import TableLayout
from yawc_poker.table_ui.scene import Occupant
from yawc_poker.table_ui.screen import BORDER, COUNTER_ROW, HAND_ROW
from yawc_poker.table_ui.speech import card_text, court, suit_name
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import card_style, draw_card, wrap
from yawc_poker.words import Words

OTHERS = COUNTER_ROW - 1
"""Lines of region 1: a full table without the caller."""
PILE_COLUMN = 1
HAND_COLUMN = 9
CELL = 6
"""Columns of a card in the hand, as ``[1]10*``."""
IN_A_ROW = 5
HAND_ROWS = 5
ARROW = "->"
COUNT_COLUMN = 21
POINTS_COLUMN = 31
KEYS_SHOWN = 6
"""Most card keys that the command area names."""


def _draw_regions(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    _draw_people(canvas, scene, words)
    _draw_game(canvas, scene, words)
    _draw_cards(canvas, scene, words)
    if scene.people[OTHERS:]:
        _draw_last(canvas, scene, words)


def _cards(scene: Scene, local: Local, words: Words) -> str:
    """Return the open card and the caller's hand."""
    game = scene.playing
    if game is None:
        return ""
    hand, fitting = seen.shown_hand(game) if game.hand is not None else (), seen.playable(scene)
    keys = (f"[{key}]" if card in fitting else "" for key, card in zip(seen.CARD_KEYS, hand, strict=False))
    own = " ".join(f"{key}{card_text(card, words)}" for key, card in zip(keys, hand, strict=True))
    return f"{words('Open:')} {speech.open_card(game, words)}   {own}".rstrip()


def _player(players: tuple[PlayerView, ...], seat: int) -> PlayerView | None:
    return next((player for player in players if player.seat == seat), None)


# --- region 1: the others ---------------------------------------------------------------------------------------------


@region(0, 1, BORDER, COUNTER_ROW - 1)
def _draw_people(canvas: Canvas, scene: Scene, words: Words) -> None:
    if not scene.people:
        canvas.put(0, 1, common.nobody(words)[:BORDER], Style.DIM)
    for row, person in enumerate(scene.people[:OTHERS], 1):
        _draw_person(canvas, (0, row), person, scene, words)


@region(HAND_COLUMN, HAND_ROW, BORDER - HAND_COLUMN, 1)
def _draw_last(canvas: Canvas, scene: Scene, words: Words) -> None:
    """Draw the last of a full table, whom only those see who look on, beside the pile."""
    for row, person in enumerate(scene.people[OTHERS:], HAND_ROW):
        _draw_person(canvas, (HAND_COLUMN, row), person, scene, words)


def _draw_person(canvas: Canvas, at: tuple[int, int], person: Occupant, scene: Scene, words: Words) -> None:
    """Draw a name from a cell on; the numbers stand in the same columns for all."""
    column, row = at
    player = None if scene.game is None else _player(scene.game.players, person.seat)
    on_turn = scene.playing is not None and scene.playing.current == person.seat
    style = Style.PLAIN if player is None else Style.NEWEST if on_turn else Style.BOLD
    canvas.put(column, row, common.named(person, COUNT_COLUMN - 1 - column, words), style)
    if player is None:
        return
    count = words.count("{n} card", "{n} cards", player.cards) if scene.running else ""
    canvas.put(COUNT_COLUMN, row, count, Style.CYAN)
    points = _points(player, BORDER - max(POINTS_COLUMN, COUNT_COLUMN + len(count) + 1))
    canvas.put(BORDER - len(points) - 1, row, points)


def _points(player: PlayerView, room: int) -> str:
    """Return the total and the last round's points, as ``42 (+13)``, shortened so that a blank of the room is left."""
    if not player.points:
        return "0"
    added = player.points[-1]
    forms = (f"{player.total} (+{added})", f"{player.total} +{added}", f"{player.total}")
    return next((form for form in forms if len(form) < room), forms[-1])


# --- region 2: the game -----------------------------------------------------------------------------------------------


def _draw_game(canvas: Canvas, scene: Scene, words: Words) -> None:
    game = scene.playing
    no_game = words("NO GAME")
    round_field = (words("Round:"), no_game if game is None else _round(game, words), Style.BOLD)
    open_field = (words("Open:"), "" if game is None else speech.open_card(game, words), Style.BOLD)
    common.draw_fields(canvas, scene, words, round_field, open_field)


def _round(game: View, words: Words) -> str:
    return words("{n} of {rounds}   stock: {stock}", n=game.round, rounds=game.rounds, stock=game.stock)


# --- region 3: the pile and the caller's cards-------------------------------------------------------------------------


def _draw_cards(canvas: Canvas, scene: Scene, words: Words) -> None:
    game = scene.game
    if not scene.running or game is None:
        common.draw_info(canvas, common.unless_out(scene, _result(scene, words), words))
        return
    if game.hand is None:
        _draw_pile_beside(canvas, card_text(game.top, words), common.next_game(scene, words))
    else:
        _draw_hand(canvas, game.top, seen.shown_hand(game), seen.playable(scene), len(seen.just_taken(game)), words)


@region(0, HAND_ROW, BORDER, HAND_ROWS)
def _draw_pile_beside(canvas: Canvas, top: str, text: str) -> None:
    """Draw the pile and a text, for a caller who only watches."""
    draw_card(canvas, PILE_COLUMN, HAND_ROW, top)
    for row, line in enumerate(wrap(text, BORDER - HAND_COLUMN - 1), HAND_ROW + 1):
        canvas.put(HAND_COLUMN, row, line, Style.CYAN)


@region(0, HAND_ROW, BORDER, HAND_ROWS)
def _draw_hand(
    canvas: Canvas, top: Card, hand: tuple[Card, ...], playable: tuple[Card, ...], taken: int, words: Words
) -> None:
    """Draw the pile and the hand, with an arrow before the cards just `taken`, which come last."""
    fits = len(hand) <= IN_A_ROW * HAND_ROWS  # more cards than that leave no room for the pile
    if fits:
        draw_card(canvas, PILE_COLUMN, HAND_ROW, card_text(top, words))
    left = HAND_COLUMN if fits else 1
    in_a_row = (BORDER - left) // CELL
    arrow = len(hand) - taken if taken and len(hand) < in_a_row * HAND_ROWS else len(hand)
    for at, card in enumerate(hand):
        cell = at + (at >= arrow)
        if at == arrow:
            canvas.put(*_place(left, in_a_row, at), f"{ARROW:>{CELL}}", Style.NEWEST)
        column, row = _place(left, in_a_row, cell)
        if card in playable:
            canvas.put(column, row, f"[{seen.CARD_KEYS[at]}]", Style.GREEN)
        canvas.put(column + 3, row, card_text(card, words), card_style(str(card)))


def _place(left: int, in_a_row: int, cell: int) -> tuple[int, int]:
    return left + CELL * (cell % in_a_row), HAND_ROW + cell // in_a_row


def _result(scene: Scene, words: Words) -> str:
    """Return how the last game ended for the caller."""
    if scene.game is None:
        return common.before_start(scene, words)
    players = scene.game.players
    mine, won = _player(players, scene.seat), winners(players)
    if mine is None:
        return words("The game is over.")
    if mine in won and all(one.forfeited for one in players if one != mine):
        return words("The game is over: everybody else has left, and you have won.")
    if mine in won:
        return words("The game is over: with {n} points you have won.", n=mine.total)
    if mine in losers(players):
        return words("The game is over: with {n} points you have lost.", n=mine.total)
    least = min(one.total for one in won)
    return words("The game is over: you have {n} points; the winner has {least}.", n=mine.total, least=least)


# --- region 4: commands, prompts, errors ------------------------------------------------------------------------------


def _prompt(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of the prompt for the number of rounds."""
    return [
        words("How many rounds should the game have?"),
        words("Rounds (1-{most}):", most=MOST_ROUNDS),
        words("[ENTER] alone: {low}   [ESC] Back", low=seen.usual_rounds(scene, local)),
    ]


def _more_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    offered = seen.usable(scene)
    lines = []
    if "S" in offered:
        lines.append(common.start_line(words))
    if offered[-1] in seen.SUIT_KEYS:
        lines.append(_wish_line(words))
    if seen.playable(scene):
        keys = [f"[{key}]" for key in offered if key in seen.CARD_KEYS]
        shown = keys if len(keys) <= KEYS_SHOWN else [*keys[: KEYS_SHOWN - 1], "..."]
        lines.append(words("{keys} Lay the card", keys=" ".join(shown)))
    if "F" in offered:
        lines.append(words("[F] Lay all jacks"))
    if "T" in offered and scene.game is not None:
        count = next((choice.count for choice in scene.game.choices if isinstance(choice, MayTake)), 1)
        lines.append(words.count("[T] Take {n} card", "[T] Take {n} cards", count))
    return lines


def _wish_line(words: Words) -> str:
    """Return the line of the keys for a wish, behind each the suit that the caller knows by it: a symbol, or a name."""
    if words.spoken:
        keys = "   ".join(f"[{SIGNS[suit]}] {suit_name(suit, words)}" for suit in reversed(Suit))
        return words("Wish for a suit") + f"   {keys}"
    line = words("[+] [*] [#] [-] Wish for a suit")
    for key, symbol in zip(SIGNS, SYMBOLS, strict=True) if words.symbols else ():
        line = line.replace(f"[{key}]", f"[{key}]{symbol}")
    return line


# --- region 5: status -------------------------------------------------------------------------------------------------


def _status(scene: Scene, words: Words) -> str:
    mine = _player(() if scene.game is None else scene.game.players, scene.seat)
    return "" if mine is None else words.count("{n} point", "{n} points", mine.total)


# --- the help over the screen -----------------------------------------------------------------------------------------


def guide(scene: Scene, words: Words) -> Guide:
    """Return Mau-Mau's keys, and what its cards do and count."""
    ranks = court(words)
    texts = (
        words("A card fits that has the suit or the value of the open one; any jack fits."),
        words("7   the next player takes two cards, or lays a seven: then the one after, four"),
        words("{ace}   the next player misses a turn; with two players it is yours again", ace=ranks["ace"]),
        words("{jack}   fits everything; you wish for a suit, which the next player must follow", jack=ranks["jack"]),
        "",
        words("Cards that are left count, and most points lose:"),
        words("7 8 9 10  their number      {queen} {king}  10      {ace}  11      {jack}  20", **ranks),
    )
    return Guide(_keys(scene, words), words("What the cards do and count"), tuple(map(GuideLine, texts)))


def _keys(scene: Scene, words: Words) -> tuple[GuideKey, ...]:
    """Return the keys of a game, each with when it means something."""
    offered, mine = usable(scene), scene.turn is not None
    yours = words("on your turn")
    return (
        GuideKey(words("[1] [2] ... Lay the card"), yours, mine and any(key in CARD_KEYS for key in offered)),
        GuideKey(words("[T] Take cards"), yours, "T" in offered),
        GuideKey(words("[+] [*] [#] [-] Wish for a suit"), words("after your jack"), offered[-1] in SUIT_KEYS),
        GuideKey(words("[F] Lay all jacks"), words("if they are all you hold"), "F" in offered),
    )


LAYOUT: Final = TableLayout[View, Local](
    regions=_draw_regions,
    panels=panels.draw_panels,
    cards=_cards,
    keys=_more_lines,
    status=_status,
    loss=lambda scene, words: words("Who leaves now loses the game."),
    prompt=_prompt,
    numbers=frozenset({"rounds"}),
)

FACE: Final = Face[State, Move, Event, Options, View, Local](
    rules=rules,
    view=rules.view,
    fresh=seen.fresh,
    usable=seen.usable,
    command=command,
    follow=follow,
    sentences=speech.sentences,
    refusal=speech.refusal,
    guide=guide,
    layout=LAYOUT,
    forfeits=seen.forfeits,
)
