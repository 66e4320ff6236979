"""The data behind the Offiziersskat screen: the scene with the view in it, and the state local to the caller. Pure.

Owns who sits at the bottom of the screen, the key of each place, and which keys are usable now.
"""

from typing import Final, Literal

from yawc_poker.cards import Card
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import SEATS, Options, PlayerView, View
from yawc_poker.games.offiziersskat.scoring import other
from yawc_poker.games.offiziersskat.trumps import order_of
from yawc_poker.table_ui import scene as common
from yawc_poker.tricks import Trick, played

Scene = common.Scene[View]

CARD_KEYS: Final = "12345678"
"""A key for each place."""
IN_A_ROW: Final = 4
"""Places in a row."""
TABLE_KEY: Final = "T"
NONE: Final = -1

Page = Literal["", "table"]
"""What is looked at besides the game: the tricks of the round with the results of all rounds."""


class Local(common.Local, frozen=True):
    """State local to this caller's process; its mode besides the shared ones: "leave" (yes or no)."""

    usual: Options = Options()
    """The options of a match unless the master chooses others."""
    page: Page = ""
    at: int = NONE
    """The place that the cursor keys have chosen; `NONE`: none."""


def fresh(usual: Options) -> Local:
    """Return the state of a caller who has just sat down; `usual` are the table's default options."""
    return Local(usual=usual)


def next_options(scene: Scene, local: Local) -> Options:
    """Return the options of the next match: those chosen for this table, or the usual ones."""
    return rules.read_options(scene.options) if scene.options else local.usual


# --- who and when -----------------------------------------------------------------------------------------------------


def forfeits(scene: Scene) -> bool:
    """Return whether the caller would lose a match by leaving now."""
    view = scene.playing
    return view is not None and view.is_player and view.phase == "play"


def sides(view: View) -> tuple[PlayerView, PlayerView]:
    """Return the players at the bottom and at the top: the caller sits at the bottom, for others it is seat 0."""
    own = view.seat if view.is_player and view.seat is not None else 0
    return view.players[own], view.players[other(own)]


def name_of(scene: Scene, seat: int) -> str:
    """Return the name of the player at a seat, also of one who has left."""
    return scene.player(seat, gone=scene.game is not None and scene.game.players[seat].gone)


def names(scene: Scene) -> tuple[str, ...]:
    """Return the names of both players, by seat."""
    return tuple(name_of(scene, seat) for seat in range(SEATS))


def present_trick(view: View) -> Trick:
    """Return the trick as far as it has been played."""
    return played(order_of(view.round.trump), view.round.leader, view.round.trick, SEATS)


def shown_trick(view: View) -> Trick | None:
    """Return the complete trick that lies there until the next one is led."""
    return None if view.round.trick else view.last


# --- cards ------------------------------------------------------------------------------------------------------------


def playable(scene: Scene) -> tuple[Card, ...]:
    """Return the cards that may be played now."""
    view = scene.playing
    choices = () if view is None else view.choices
    return choices[0].cards if choices else ()


def own_cards(scene: Scene) -> tuple[Card | None, ...]:
    """Return the open card in each of the caller's places; nothing if they do not play."""
    view = scene.playing
    return () if view is None or not view.is_player else tuple(place.open for place in sides(view)[0].places)


def places(scene: Scene) -> tuple[int, ...]:
    """Return the places of the cards that may be played now."""
    fitting = playable(scene)
    return tuple(at for at, card in enumerate(own_cards(scene)) if card in fitting)


def chosen(scene: Scene, local: Local) -> int:
    """Return the place of the card that is chosen; `NONE`: no card is, or it may not be played."""
    return local.at if local.at in places(scene) else NONE


def beside(place: int, fitting: tuple[int, ...], step: int) -> int:
    """Return the place that is chosen next, `step` places on: to the left or right, or in the other row.

    To the left and right it is the next one of those that fit, in a circle. In the other row it is the nearest one.
    """
    if place == NONE:
        return fitting[0] if step > 0 else fitting[-1]
    if abs(step) < IN_A_ROW:
        return fitting[(fitting.index(place) + step) % len(fitting)]
    row = [one for one in fitting if one // IN_A_ROW != place // IN_A_ROW]
    return min(row, key=lambda one: abs(one % IN_A_ROW - place % IN_A_ROW), default=place)


# --- keys -------------------------------------------------------------------------------------------------------------


def usable(scene: Scene) -> tuple[str, ...]:
    """Return the command keys usable now; cursor keys and ENTER, which choose a card, are not among them."""
    return (*((".",) if scene.chats else ()), "X", *_more_keys(scene), *_pages(scene.game))


def _more_keys(scene: Scene) -> tuple[str, ...]:
    if not scene.running:
        return ("S",) if scene.may_start(SEATS) else ()
    return tuple(CARD_KEYS[at] for at in places(scene))


def _pages(view: View | None) -> tuple[str, ...]:
    return (TABLE_KEY,) if view is not None and (view.round.tricks or view.results) else ()
