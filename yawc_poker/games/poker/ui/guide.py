"""Poker's part of the help over the screen: its keys, and the hands, the best first (spec/poker.md 12, 15). Pure."""

from typing import Final

from yawc_poker.cards import cards
from yawc_poker.games.poker.hands import category, is_hand, ranks
from yawc_poker.games.poker.model import Category
from yawc_poker.games.poker.ui.scene import AHEAD, Local, Scene, usable
from yawc_poker.games.poker.ui.speech import CATEGORIES, category_name, named_after
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine, common_keys
from yawc_poker.table_ui.speech import cards_label
from yawc_poker.words import Words

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
NAME: Final = 25
"""Cells of a category's name."""
EXAMPLE: Final = 18
"""Cells of its example."""


def guide(scene: Scene, local: Local, words: Words) -> Guide:
    """Return poker's keys and its hands; the caller's own hand is marked."""
    return Guide(
        (*common_keys(scene, local, words), *_keys(scene, words)), words("Hands, the best first"), _hands(scene, words)
    )


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
        GuideKey(words("[P] [D] [R] before your turn"), words("decide ahead; again: undo"), is_ahead),
    )


def _hands(scene: Scene, words: Words) -> tuple[GuideLine, ...]:
    """Return the kinds of hands with an example each, and what the caller holds beside its kind."""
    hand = (None if scene.game is None or not scene.running else scene.game.hand) or ()
    own = category(hand) if is_hand(hand) else None
    after = "" if own is None else named_after(own, ranks(hand), words)
    examples = {kind: cards_label(cards(text), words) for kind, text in EXAMPLES.items()}
    yours = words("yours: {ranks}", ranks=after) if after else words("yours")
    return tuple(
        GuideLine(
            f"{category_name(kind, words):<{NAME}}{examples[kind]:<{EXAMPLE}}{yours if kind == own else ''}".rstrip(),
            kind == own,
        )
        for kind in CATEGORIES
    )
