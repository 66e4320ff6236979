"""Offiziersskat's part of the help over the screen: its keys, and the order of its cards. Pure."""

from typing import Final

from yawc_poker.games.offiziersskat.trumps import order_of
from yawc_poker.games.offiziersskat.ui.scene import TABLE_KEY, Local, Scene, match, playable, usable
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine, common_keys
from yawc_poker.table_ui.speech import cards_text, rank_text
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

WIDTH: Final = 76


def guide(scene: Scene, local: Local, words: Words) -> Guide:
    """Return Offiziersskat's keys, and the order of the cards in the round that is played."""
    view = match(scene)
    order = order_of(None if view is None else view.round.trump)
    texts = [
        *wrap(words("Trumps, the highest first: {cards}", cards=cards_text(order.trumps, words)), WIDTH),
        words("Other suits, the highest first: {ranks}", ranks=" ".join(rank_text(one, words) for one in order.ranks)),
        words("The suit that is drawn for the round is trump, too; in a Grand none is."),
        words("Eyes: A 11, 10 10, K 4, Q 3, J 2, others 0; 120 in all."),
        "",
        words("Points of a round, by its eyes:"),
        words("60: 1 for each player   61 to 90: 2   91 to 119: 3   120: 4"),
    ]
    return Guide(
        (*common_keys(scene, local, words), *_keys(scene, words)),
        words("Order of the cards, and points"),
        tuple(map(GuideLine, texts)),
    )


def _keys(scene: Scene, words: Words) -> tuple[GuideKey, ...]:
    """Return the keys of a match, each with when it means something."""
    plays = bool(playable(scene))
    return (
        GuideKey(words("[1] - [8] Play the open card there"), words("on your turn"), plays),
        GuideKey(words("arrows, [ENTER] Choose and play"), words("on your turn"), plays),
        GuideKey(words("[T] Tricks and rounds"), words("again: back"), TABLE_KEY in usable(scene)),
    )
