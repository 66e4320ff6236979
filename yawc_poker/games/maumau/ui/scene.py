"""What the Mau-Mau screen is drawn from: the public scene with Mau-Mau's view in it, and the caller's own state. Pure.

Owns the order in which one's own cards are shown, their keys, and the answer to "which keys are usable now".
"""

from yawc_poker.cards import Card
from yawc_poker.engine.table import Table
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Event, MayFinish, MayPlay, MayTake, MayWish, Options, State, View
from yawc_poker.table_ui import scene as common

Scene = common.Scene[View]


class Local(common.Local, frozen=True):
    """What only this caller's process knows. Modes besides the common ones: "rounds", "leave" (yes or no)."""

    usual: int = Options().rounds
    """Rounds of a game for which nobody names a number."""


CARD_KEYS = "1234567890abcdeghijklmnopqruvwyz"
"""One for each card of the deck; f, s, t and x are commands."""
SUIT_KEYS = "-#*+"
"""The suits' signs, in the order of their numbers."""


def scene(table: Table[State, Event], session: int, waiting: int, now: float) -> Scene:
    """Look at a table from the seat of a session; raises `IllegalMove` "not_seated" where it has none."""
    return common.look(rules, rules.view, table, session, waiting, now)


def fresh(usual: Options) -> Local:
    """Give what somebody knows who has just sat down where these options are the usual ones."""
    return Local(usual=usual.rounds)


def shown_hand(view: View) -> tuple[Card, ...]:
    """Return one's own cards as they are shown: by suit, the highest rank last; behind them those just taken."""
    taken = just_taken(view)
    return tuple(sorted(view.hand or (), key=lambda card: (card in taken, -card.suit, card.rank)))


def just_taken(view: View) -> tuple[Card, ...]:
    """Return those of one's own cards that were taken with one's last action."""
    return tuple(card for card in view.taken if card in (view.hand or ()))


def forfeits(scene: Scene) -> bool:
    """Return whether who leaves now loses a game that way."""
    return scene.running and scene.game is not None and scene.game.hand is not None


def playable(scene: Scene) -> tuple[Card, ...]:
    """Give the cards that may be laid now."""
    choices = scene.game.choices if scene.game is not None and scene.turn is not None else ()
    return next((choice.cards for choice in choices if isinstance(choice, MayPlay)), ())


def usable(scene: Scene) -> tuple[str, ...]:
    """Give the command keys usable now, in the order of the command area; a card has the key it is shown with."""
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
