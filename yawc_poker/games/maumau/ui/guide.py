"""Mau-Mau's part of the help over the screen: its keys, and what its cards do and count (spec/maumau.md). Pure."""

from yawc_poker.games.maumau.ui.scene import CARD_KEYS, SUIT_KEYS, Local, Scene, usable
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine, common_keys
from yawc_poker.words import Words


def guide(scene: Scene, local: Local, words: Words) -> Guide:
    """Return Mau-Mau's keys, and what its cards do and count."""
    texts = (
        words("A card fits that has the suit or the value of the open one; any jack fits."),
        words("7   the next player takes two cards, or lays a seven: then the one after, four"),
        words("A   the next player misses a turn; with two players it is yours again"),
        words("J   fits everything; you wish for a suit, which the next player must follow"),
        "",
        words("Cards that are left count, and most points lose:"),
        words("7 8 9 10  their number      Q K  10      A  11      J  20"),
    )
    return Guide(
        (*common_keys(scene, local, words), *_keys(scene, words)),
        words("What the cards do and count"),
        tuple(map(GuideLine, texts)),
    )


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
