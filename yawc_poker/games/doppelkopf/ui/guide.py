"""Doppelkopf's part of the help over the screen: its keys, and the order of its cards (spec/doppelkopf.md). Pure."""

from typing import Final

from yawc_poker.games.doppelkopf.model import Kind, MayCall
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.games.doppelkopf.ui import scene as seen
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine, common_keys
from yawc_poker.table_ui.speech import cards_text, rank_text
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

WIDTH: Final = 76


def guide(scene: Scene, local: Local, words: Words) -> Guide:
    """Return Doppelkopf's keys, and the order of the cards in the game that is played."""
    view = seen.match(scene)
    kind: Kind = "normal" if view is None or view.round.game is None else view.round.game.kind
    order = order_of(kind)
    trumps = cards_text(order.trumps, words) or words("(none)")
    plain = " ".join(rank_text(rank, words) for rank in order.ranks)
    texts = [
        *wrap(words("Trumps, the highest first: {cards}", cards=trumps), WIDTH),
        words("Other suits, the highest first: {ranks}", ranks=plain),
        words("Eyes: A 11, 10 10, K 4, Q 3, J 2, 9 0. Re wins with 121, Contra with 120."),
        "",
        words("Calls, with so many cards in hand or more:"),
        words("[C] Re, Contra: 11   [D] no 90: 10   [E] no 60: 9"),
        words("[F] no 30: 8   [G] black: 7"),
    ]
    return Guide(
        (*common_keys(scene, local, words), *_keys(scene, words)),
        words("Order of the cards, and calls"),
        tuple(map(GuideLine, texts)),
    )


def _keys(scene: Scene, words: Words) -> tuple[GuideKey, ...]:
    """Return the keys of a match, each with when it means something."""
    offered, plays = seen.usable(scene), bool(seen.playable(scene))
    pages = "   ".join((words("[L] Last trick"), words("[T] Table of rounds")))
    says = seen.RESERVE_KEY in offered or seen.may_decide(scene)
    calls = any(isinstance(choice, MayCall) for choice in seen.choices(scene))
    return (
        GuideKey(words("[1] [2] ... Play the card"), words("on your turn"), plays and _has_card(offered)),
        GuideKey(words("[<-] [->] [ENTER] Choose and play"), words("on your turn"), plays),
        GuideKey(words("[G] Healthy   [V] Reservation"), words("before the round; [G] also ahead"), says),
        GuideKey(words("[C] to [G] Call"), words("also when it is not your turn"), calls),
        GuideKey(pages, words("again: back"), seen.LAST_KEY in offered or seen.TABLE_KEY in offered),
        GuideKey(words("[Y] Go on   [N] End the match"), words("after a round"), "Y" in offered),
    )


def _has_card(offered: tuple[str, ...]) -> bool:
    return any(key in seen.CARD_KEYS for key in offered)
