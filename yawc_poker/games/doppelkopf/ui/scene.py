"""The data behind the Doppelkopf screen: the scene with Doppelkopf's view in it, and the state local to the caller.

Owns where each player sits on the screen, the keys of cards, solos and calls, and which keys are usable now. Pure.
"""

from typing import Final, Literal

from yawc_poker.cards import Card
from yawc_poker.games.doppelkopf import model, rules
from yawc_poker.games.doppelkopf.model import Choice, Options, View
from yawc_poker.games.doppelkopf.trumps import QUEEN_OF_CLUBS, order_of
from yawc_poker.table_ui import scene as common
from yawc_poker.table_ui.scene import Ahead, is_for
from yawc_poker.tricks import Trick, played

Scene = common.Scene[View]

CARD_KEYS: Final = "1234567890ab"
"""A key for each card of the hand, by its place."""
SOLO_KEYS: Final = "1234567"
"""A key for each solo, in the order of `SOLOS`."""
WEDDING_KEY: Final = "8"
CALL_KEYS: Final = "cdefg"
"""A key for each call, in the order of `LEVELS`."""
HEALTHY_KEY: Final = "G"
RESERVE_KEY: Final = "V"
LAST_KEY: Final = "L"
TABLE_KEY: Final = "T"
NONE: Final = -1

Page = Literal["", "last", "table", "score"]
"""What is looked at besides the game: the last trick again, the last score with the table of rounds, or it alone."""
Moment = tuple[int, int]
"""A round's number, and how many of its tricks have been taken."""


class Local(common.Local, frozen=True):
    """State local to this caller's process; its mode besides the shared ones: "leave" (yes or no)."""

    usual: Options = Options()
    """The options of a match unless the master chooses others."""
    page: Page = ""
    since: Moment = (0, 0)
    """When the page was opened."""
    scored: int = NONE
    """Rounds whose score has been shown; `NONE`: not known yet."""
    at: int = NONE
    """Place in the hand of the card that the cursor keys have chosen; `NONE`: no card."""
    sure: str = ""
    """The stage in which a reservation was asked for that binds to a solo: once more, and it is made."""


def fresh(usual: Options) -> Local:
    """Return the state of a caller who has just sat down; `usual` are the table's default options."""
    return Local(usual=usual)


def next_options(scene: Scene, local: Local) -> Options:
    """Return the options of the next match: those chosen for this table, or the usual ones."""
    return rules.read_options(scene.options) if scene.options else local.usual


# --- who and when -----------------------------------------------------------------------------------------------------


def around(seat: int) -> tuple[int, int, int, int]:
    """Return the places at the bottom, the left, the top and the right of a seat's screen, which is clockwise.

    Those who look on see the first seat at the bottom.
    """
    seat = max(seat, 0)
    return seat, (seat + 1) % model.SEATS, (seat + 2) % model.SEATS, (seat + 3) % model.SEATS


def name_of(scene: Scene, place: int) -> str:
    """Return the name of the player at a place, also of one who has left."""
    return scene.player(place, gone=scene.game is not None and scene.game.players[place].gone)


def is_player(scene: Scene) -> bool:
    """Return whether the caller plays in a match that runs."""
    view = scene.playing
    return view is not None and view.place is not None


def moment(view: View) -> Moment:
    """Return the moment of a match; it changes when a trick is complete."""
    return view.round.number, len(view.round.tricks)


def is_between(view: View) -> bool:
    """Return whether the last trick lies there until the next one is led."""
    return view.phase == "play" and not view.round.trick and bool(view.round.tricks)


def names(scene: Scene) -> tuple[str, ...]:
    """Return the names of all players, by place."""
    return tuple(name_of(scene, place) for place in range(model.SEATS))


def present_trick(view: View) -> Trick:
    """Return the trick as far as it has been played."""
    now = view.round
    return played(order_of("normal" if now.game is None else now.game.kind), now.leader, now.trick, model.SEATS)


def shown_trick(view: View, page: Page) -> Trick | None:
    """Return the trick that is complete and shown, if it is not the present one."""
    return view.last if page == "last" or is_between(view) else None


def shown_result(view: View | None, page: Page) -> model.Result | None:
    """Return the score that is shown: after a round, and beside the table of rounds."""
    if view is None or not view.results or page == "last":
        return None
    return view.results[-1] if page in {"table", "score"} or view.phase in {"question", "over"} else None


# --- before the own turn ----------------------------------------------------------------------------------------------


def stage(scene: Scene) -> str:
    """Return the round, which a decision is for."""
    return "" if scene.game is None else f"{scene.game.phase} {scene.game.round.number}"


def may_decide(scene: Scene) -> bool:
    """Return whether the caller will be asked for a reservation, and is not yet."""
    view = scene.playing
    if view is None or view.place is None or view.phase != "reservation" or scene.turn is not None:
        return False
    mine = view.players[view.place]
    return not mine.gone and mine.reservation is None and not view.choices


def holds(ahead: Ahead, scene: Scene) -> bool:
    """Return whether a decision still holds: it is for this round, in which the caller has not answered yet."""
    return is_for(ahead, scene, stage(scene)) and (may_decide(scene) or _is_asked(scene))


def decided(local: "Local", scene: Scene) -> model.Healthy | None:
    """Return "healthy" if that was decided ahead for the turn that has come."""
    return model.Healthy() if local.ahead is not None and _is_asked(scene) and holds(local.ahead, scene) else None


def _is_asked(scene: Scene) -> bool:
    return any(isinstance(choice, model.MayReserve) for choice in choices(scene))


def names_solo(scene: Scene) -> bool:
    """Return whether the caller has to name a solo, or the wedding."""
    return any(isinstance(choice, model.MayName) for choice in choices(scene))


def may_wed(scene: Scene) -> bool:
    """Return whether the caller holds both queens of clubs."""
    return scene.game is not None and (scene.game.hand or ()).count(QUEEN_OF_CLUBS) == 2


# --- cards ------------------------------------------------------------------------------------------------------------


def choices(scene: Scene) -> tuple[Choice, ...]:
    """Return what the caller may do now."""
    view = scene.playing
    return () if view is None else view.choices


def playable(scene: Scene) -> tuple[Card, ...]:
    """Return the cards that may be played now."""
    return next((choice.cards for choice in choices(scene) if isinstance(choice, model.MayPlay)), ())


def places(scene: Scene) -> tuple[int, ...]:
    """Return the places in the hand of the cards that may be played now."""
    hand = scene.game.hand if scene.game is not None else None
    fitting = playable(scene)
    return tuple(at for at, card in enumerate(hand or ()) if card in fitting)


def chosen(scene: Scene, local: Local) -> int:
    """Return the place in the hand of the card that is chosen; `NONE`: no card is, or it may not be played."""
    return local.at if local.at in places(scene) else NONE


# --- keys -------------------------------------------------------------------------------------------------------------


def usable(scene: Scene) -> tuple[str, ...]:
    """Return the command keys usable now; cursor keys and ENTER, which choose a card, are not among them."""
    return (*((".",) if scene.chats else ()), "X", *_more_keys(scene), *_pages(scene.game))


def _more_keys(scene: Scene) -> tuple[str, ...]:
    if not scene.running:
        return ("S",) if scene.may_start(model.SEATS) else ()
    if may_decide(scene):
        return (HEALTHY_KEY,)
    return tuple(key for choice in choices(scene) for key in _keys(choice, scene))


def _keys(choice: Choice, scene: Scene) -> tuple[str, ...]:
    match choice:
        case model.MayReserve():
            return (HEALTHY_KEY, RESERVE_KEY)
        case model.MayName(wedding):
            return (*SOLO_KEYS[: len(model.SOLOS)], *((WEDDING_KEY,) if wedding else ()))
        case model.MayPlay():
            return tuple(CARD_KEYS[at] for at in places(scene))
        case model.MayCall(level):
            return (CALL_KEYS[model.LEVELS.index(level)].upper(),)
        case model.MayAnswer():
            return ("Y", "N")


def _pages(view: View | None) -> tuple[str, ...]:
    if view is None:
        return ()
    is_hidden = view.last is not None and not is_between(view)
    return (*((LAST_KEY,) if is_hidden else ()), *((TABLE_KEY,) if view.results else ()))
