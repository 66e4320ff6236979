"""The poker table on the screen: scene and local state in, frame out (spec/poker.md 11). Pure.

Owns regions 1 to 4, which show poker; all games share the others (`table_ui.screen`). Shows nothing that `Scene.game`
does not hold.
"""

from typing import Final

from yawc_poker.cards import Card
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.hands import category, is_hand, ranks
from yawc_poker.games.poker.model import HAND, Event, Move, Opponent, Options, State, View
from yawc_poker.games.poker.ui import keys, panels
from yawc_poker.games.poker.ui.scene import (
    AHEAD,
    KEEP,
    PASS,
    SHOW,
    Local,
    Scene,
    counted,
    decided,
    forfeits,
    fresh,
    is_for_chips,
    owned_by,
    pot_of,
    usable,
)
from yawc_poker.games.poker.ui.speech import named_after, refusal, sentences
from yawc_poker.page.protocol import Offer
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine
from yawc_poker.table_ui.layout import TableLayout
from yawc_poker.table_ui.scene import Occupant
from yawc_poker.table_ui.screen import BORDER, COUNTER_ROW, HAND_ROW, WIDTH, draw_info
from yawc_poker.table_ui.speech import card_text
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.terminal.widgets import CARD_HEIGHT, CARD_STEP, card_style, draw_card, wrap
from yawc_poker.words import Words

OTHERS = COUNTER_ROW - 1
"""Lines of region 1: a full table without the caller."""
HAND_COLUMN = 3
NUMBERS = frozenset({"bet", "see"})
"""Modes in which a number is being typed."""
WON = " !"
"""Behind the name of the player who has won the last game."""
WINNER = 14
"""Cells of the name of a winner where the pot was."""


def _draw_regions(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    game = scene.game
    winner = None if game is None or scene.running else game.winner
    opponents = () if game is None else game.opponents
    _draw_people(canvas, scene.people[:OTHERS], opponents, winner, words)
    _draw_game(canvas, scene, words)
    _draw_hand(canvas, scene, local, words, usable(scene))
    if scene.people[OTHERS:]:
        _draw_last(canvas, scene.people[OTHERS:], opponents, winner, words)


def _cards(scene: Scene, local: Local, words: Words) -> str:
    labels = enumerate(_labels(scene, words))
    return " ".join("[?]" if place in local.marks else label for place, label in labels)


def _marks(scene: Scene, local: Local, words: Words) -> tuple[Offer, ...]:
    """Return the keys that mark cards for exchange."""
    places = enumerate(_labels(scene, words), 1) if "1" in usable(scene) and local.mode == "menu" else ()
    return tuple(Offer(str(key), f"({label})" if key - 1 in local.marks else label) for key, label in places)


def _labels(scene: Scene, words: Words) -> list[str]:
    return [card_text(card, words) for card in panels.own_hand(scene)]


# --- region 1: the others --------------------------------------------------------------------------------------------


@region(0, 1, BORDER, COUNTER_ROW - 1)
def _draw_people(
    canvas: Canvas, people: tuple[Occupant, ...], opponents: tuple[Opponent, ...], winner: int | None, words: Words
) -> None:
    """Draw the others with their cards, and a mark at the one who has won the last game."""
    if not people:
        canvas.put(0, 1, common.nobody(words)[:BORDER], Style.DIM)
    for row, person in enumerate(people, 1):
        _draw_person(canvas, row, person, opponents, winner, words)


@region(0, HAND_ROW, BORDER, 1)
def _draw_last(
    canvas: Canvas, people: tuple[Occupant, ...], opponents: tuple[Opponent, ...], winner: int | None, words: Words
) -> None:
    """Draw the last of a full table, whom only those see who look on, in the place of the own cards."""
    for row, person in enumerate(people, HAND_ROW):
        _draw_person(canvas, row, person, opponents, winner, words)


def _draw_person(
    canvas: Canvas, row: int, person: Occupant, opponents: tuple[Opponent, ...], winner: int | None, words: Words
) -> None:
    active, cards = _seen(opponents, person.seat)
    signs = [(f"[{card_text(card, words)}]", card_style(str(card))) for card in cards or ()]
    if cards is None and active:
        signs = [("[?]", Style.CARD_BACK)] * HAND
    mark = WON if winner == person.seat and winner in [other.seat for other in opponents] else ""
    start = _draw_cards(canvas, row, signs, BORDER - len(common.named(person, BORDER, words) + mark) - 1)
    name = common.named(person, start - 1 - len(mark), words) + mark
    canvas.put(0, row, name, Style.NEWEST if mark else Style.BOLD if active or cards else Style.PLAIN)


def _seen(opponents: tuple[Opponent, ...], seat: int) -> tuple[bool, tuple[Card, ...] | None]:
    """Return whether this seat is active, and its open cards."""
    other = next((other for other in opponents if other.seat == seat), None)
    return (False, None) if other is None else (other.active, other.cards)


def _draw_cards(canvas: Canvas, row: int, signs: list[tuple[str, Style]], room: int) -> int:
    """Draw cards flush with the border and return their first column; a long name beside four tens is cut off.

    Blanks separate the cards if they fit into `room`.
    """
    width, gaps = sum(len(sign) for sign, _ in signs), max(len(signs) - 1, 0)
    gap = 1 if width + gaps <= room else 0
    column = start = BORDER - width - gap * gaps
    for sign, style in signs:
        canvas.put(column, row, sign, style)
        column += len(sign) + gap
    return start


# --- region 2: the game ----------------------------------------------------------------------------------------------


def _draw_game(canvas: Canvas, scene: Scene, words: Words) -> None:
    pot = (words("Pot:"), *_pot(scene, words))
    common.draw_fields(canvas, scene, words, pot, (words("Round:"), _round(scene, words), Style.BOLD))


def _pot(scene: Scene, words: Words) -> tuple[str, Style]:
    """Return what the pot holds or, just after the game, who has won it."""
    game = scene.game
    if scene.is_win_new and game is not None and game.winner is not None:
        return f"{scene.names[game.winner][:WINNER]} +{counted(game.pot, words, chips=game.chips)}", Style.NEWEST
    pot = pot_of(scene)
    return words("NO GAME") if pot is None else counted(pot, words, chips=is_for_chips(scene)), Style.BOLD


def _round(scene: Scene, words: Words) -> str:
    if not scene.running or scene.game is None:
        return ""
    if scene.game.phase == "showdown" or scene.game.showdown:
        return words("SHOWDOWN")
    return words("CHANGE CARDS") if scene.game.round == 2 else str(scene.game.round)


# --- region 3: the caller's cards -------------------------------------------------------------------------------------


def _draw_hand(canvas: Canvas, scene: Scene, local: Local, words: Words, offered: tuple[str, ...]) -> None:
    hand = _open_hand(scene)
    is_open = hand is not None
    if not is_open and (scene.running or scene.looks_on or scene.sits_out or scene.out):
        draw_info(canvas, common.next_game(scene, words))
        return
    swaps = "1" in offered
    _draw_boxes(canvas, hand, local.marks if swaps else (), swaps, words)


def _open_hand(scene: Scene) -> tuple[Card, ...] | None:
    """Return the caller's cards, which lie open until the pause after a game is over; None: they have none."""
    hand = None if scene.game is None else scene.game.hand
    return hand if scene.running or scene.now < scene.pause_until else None


@region(0, HAND_ROW, BORDER, CARD_HEIGHT)
def _draw_boxes(
    canvas: Canvas, hand: tuple[Card, ...] | None, marks: tuple[int, ...], swaps: bool, words: Words
) -> None:
    """Draw the hand; None: the backs of its cards."""
    labels = [None] * HAND if hand is None else [card_text(card, words) for card in hand[:HAND]]
    for place, label in enumerate(labels):
        column = HAND_COLUMN + CARD_STEP * place
        shown = None if place in marks else label
        draw_card(canvas, column, HAND_ROW, shown)
        if swaps:
            style = Style.CARD_BACK if shown is None else card_style(shown)
            canvas.put(column + 1, HAND_ROW + CARD_HEIGHT - 1, f"[{place + 1}]", style)


# --- region 4: commands, prompts, errors, reasons --------------------------------------------------------------------


def _prompt(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of a prompt: for a bet, or the question whether to pass."""
    if local.mode in NUMBERS:
        return _number_lines(scene, local, words)
    now, later = words("Do you really want to pass? (y/n)"), words("Pass as soon as it is your turn? (y/n)")
    return wrap(later if scene.turn is None else now, WIDTH)


def _more_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of the keys that are not always usable; bet and pass share one to leave room for a notice."""
    offered = usable(scene)
    if scene.running and scene.turn is None:
        return [_ahead_line(offered[-1], local, words)] if offered[-1] in AHEAD.values() else []
    lines = {
        "S": common.start_line(words),
        "H": words("[H] See the cards!"),
        "1": words("[1] - [5] Change cards"),
        "D": words("[D] Done, go on"),
        "R": words("[R] Show my cards"),
    }
    shared = "   ".join(text for key, text in (("B", _bet(scene, words)), ("P", words("[P] Pass"))) if key in offered)
    return [*filter(None, [shared]), *(lines[key] for key in offered if key in lines)]


def _ahead_line(key: str, local: Local, words: Words) -> str:
    """Return the line of the key that decides before the own turn, or takes that back."""
    if local.ahead is not None:
        chosen = {
            PASS: words("[P] Chosen: pass (again: undo)"),
            KEEP: words("[D] Chosen: keep all (again: undo)"),
            SHOW: words("[R] Chosen: show (again: undo)"),
        }
        return chosen[key]
    offered = {
        PASS: words("[P] Pass when it is your turn"),
        KEEP: words("[D] On your turn: keep all cards"),
        SHOW: words("[R] Show when it is your turn"),
    }
    return offered[key]


def _bet(scene: Scene, words: Words) -> str:
    """Return the line of the key for a bet, with the least one; in lines the limits are told before."""
    if scene.game is None or words.spoken:
        return words("[B] Bet")
    return words("[B] Bet ({n} or more)", n=scene.game.low)


def _number_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    low, high = (scene.game.low, scene.game.high) if scene.game is not None else (0, 0)
    see = words("[H] See the cards!").partition("] ")[2]
    return [
        see
        if local.mode == "see"
        else words("How many chips do you bet?")
        if is_for_chips(scene)
        else words("How many CUBES do you bet?"),
        words("Bet ({low}-{high}):", low=low, high=high) if low < high else words("Bet ({n}):", n=low),
        words("[ENTER] alone: {low}   [ESC] Back", low=low),
    ]


def _amounts(scene: Scene, local: Local, words: Words) -> tuple[Offer, ...]:
    """Return usual bets: the least, twice that, half of the pot, all; each number once."""
    if scene.game is None:
        return ()
    low, high, pot = scene.game.low, scene.game.high, pot_of(scene) or 0
    usual = (
        (low, words("least: {n}", n=low)),
        (2 * low, words("double: {n}", n=2 * low)),
        (pot // 2, words("half the pot: {n}", n=pot // 2)),
        (high, words("most: {n}", n=high)),
    )
    found: dict[int, str] = {}
    for number, label in usual:
        if low <= number <= high:
            found.setdefault(number, label)
    return tuple(Offer(str(number), label) for number, label in sorted(found.items()))


def _status(scene: Scene, words: Words) -> str:
    """Return the caller's CUBES, or chips, and what their hand is called."""
    owned = owned_by(scene)
    if owned is None:
        return ""
    name = panels.hand_text(_open_hand(scene) or (), words)
    return counted(owned, words, chips=is_for_chips(scene)) + (f"   {name}" if name else "")


# --- the help over the screen -----------------------------------------------------------------------------------------


EXAMPLE: Final = 18
"""Cells of the example of a kind of hand."""


def guide(scene: Scene, words: Words) -> Guide:
    """Return poker's keys and its hands; the caller's own hand is marked."""
    return Guide(_keys(scene, words), words("Hands, the best first"), _hands(scene, words))


def _keys(scene: Scene, words: Words) -> tuple[GuideKey, ...]:
    """Return the keys of a game, each with when it means something."""
    offered = usable(scene)
    mine = scene.turn is not None
    is_ahead = not mine and offered[-1] in AHEAD.values()
    return (
        GuideKey(
            "   ".join((words("[B] Bet"), words("[P] Pass"))),
            words("your turn, round 1 and from 3 on"),
            mine and "P" in offered,
        ),
        GuideKey(words("[H] See the cards!"), words("your turn, from round 3 on"), "H" in offered),
        GuideKey(words("[1] - [5] Change cards"), words("your turn, CHANGE CARDS"), "1" in offered),
        GuideKey(words("[D] Done, go on"), words("your turn, CHANGE CARDS"), mine and "D" in offered),
        GuideKey(words("[R] Show my cards"), words("your turn, SHOWDOWN"), mine and "R" in offered),
        GuideKey(words("[P] [D] [R] Decide ahead"), words("before your turn; again: undo"), is_ahead),
    )


def _hands(scene: Scene, words: Words) -> tuple[GuideLine, ...]:
    """Return the kinds of hands with an example each, and what the caller holds beside its kind."""
    hand = panels.own_hand(scene)
    after = named_after(category(hand), ranks(hand), words) if is_hand(hand) else ""
    yours = words("yours: {ranks}", ranks=after) if after else words("yours")
    return tuple(
        GuideLine(f"{kind.text + '  ':<{panels.KIND + EXAMPLE}}{yours}" if kind.is_own else kind.text, kind.is_own)
        for kind in panels.kinds(scene, words)
    )


LAYOUT: Final = TableLayout[View, Local](
    regions=_draw_regions,
    panels=panels.draw_panels,
    cards=_cards,
    keys=_more_lines,
    status=_status,
    loss=lambda scene, words: (
        words("Your chips stay in the pot.") if is_for_chips(scene) else words("Your CUBES stay in the pot.")
    ),
    prompt=_prompt,
    numbers=NUMBERS,
    card_keys=_marks,
    amounts=_amounts,
)

FACE: Final = Face[State, Move, Event, Options, View, Local](
    rules=rules,
    view=rules.view,
    fresh=fresh,
    usable=usable,
    command=keys.command,
    follow=keys.follow,
    sentences=sentences,
    refusal=refusal,
    guide=guide,
    layout=LAYOUT,
    forfeits=forfeits,
    decided=decided,
    take=keys.take,
)
