"""The data behind the Mau-Mau screen: the scene with Mau-Mau's view in it, and the state local to the caller. Pure.

Owns the order in which the caller's cards are shown, their keys, and which keys are usable now.
"""

from collections.abc import Iterable

from yawc_poker.cards import Card
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import MayFinish, MayPlay, MayTake, MayWish, Options, View
from yawc_poker.table_ui import scene as common

Scene = common.Scene[View]


class Local(common.Local, frozen=True):
    """State local to this caller's process; its modes besides the shared ones: "rounds", "leave" (yes or no)."""

    usual: int = Options().rounds
    """Rounds of a game if nobody chooses a number."""


CARD_KEYS = "1234567890abcdeghijklmnopqruvwyz"
"""A key for each card of the deck; f, s, t and x are commands."""
SUIT_KEYS = "-#*+"
"""The suits' signs, in the order of `Suit`."""


def fresh(usual: Options) -> Local:
    """Return the state of a caller who has just sat down; `usual` are the table's default options."""
    return Local(usual=usual.rounds)


def usual_rounds(scene: Scene, local: Local) -> int:
    """Return the rounds of a game if the master names no number: those chosen for this table, or the usual ones."""
    return rules.read_options(scene.options).rounds if scene.options else local.usual


def shown_hand(view: View) -> tuple[Card, ...]:
    """Return the caller's cards as they are shown: by suit, highest rank last; after them those just taken."""
    taken = just_taken(view)
    return (*arranged(card for card in view.hand or () if card not in taken), *arranged(taken))


def arranged(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return cards by suit, highest rank last."""
    return tuple(sorted(cards, key=lambda card: (-card.suit, card.rank)))


def just_taken(view: View) -> tuple[Card, ...]:
    """Return the caller's cards that they took with their last move."""
    return tuple(card for card in view.taken if card in (view.hand or ()))


def forfeits(scene: Scene) -> bool:
    """Return whether the caller would lose a game by leaving now."""
    game = scene.game
    return scene.running and game is not None and game.hand is not None and game.phase != "over"


def playable(scene: Scene) -> tuple[Card, ...]:
    """Return the cards that may be laid now."""
    choices = scene.game.choices if scene.game is not None and scene.turn is not None else ()
    return next((choice.cards for choice in choices if isinstance(choice, MayPlay)), ())


def usable(scene: Scene) -> tuple[str, ...]:
    """Return the command keys usable now, in the order of the command area; a card's key is the one shown with it."""
    return (*((".",) if scene.chats else ()), "X", *_more_keys(scene))


def _more_keys(scene: Scene) -> tuple[str, ...]:
    if not scene.running:
        return ("S",) if scene.is_master else ()
    if scene.turn is None or scene.game is None:
        return ()
    keys: list[str] = []
    for choice in scene.game.choices:
        match choice:
            case MayPlay(cards):
                hand = shown_hand(scene.game)
                keys.extend(CARD_KEYS[at] for at, card in enumerate(hand) if card in cards)
            case MayTake():
                keys.append("T")
            case MayFinish():
                keys.append("F")
            case MayWish():
                keys.extend(reversed(SUIT_KEYS))
    return tuple(keys)
