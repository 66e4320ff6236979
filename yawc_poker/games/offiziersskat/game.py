"""Offiziersskat, as the rest of the program meets it."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from yawc_poker.config import Config, TableSettings
from yawc_poker.engine.game import Game
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.values import Table
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import Event, Move, Options, PlayerView, State, View
from yawc_poker.games.offiziersskat.player.choose import HOUSE
from yawc_poker.games.offiziersskat.ui import choices, linear, narrative, reasons, screen, speech
from yawc_poker.games.offiziersskat.ui.scene import Local
from yawc_poker.table_ui.definition import Definition, Hand, HelpPage, Public, Titles
from yawc_poker.words import mark


class OffiziersskatSettings(TableSettings, frozen=True):
    """`[offiziersskat]`: tables and clocks."""

    section: ClassVar[str] = "offiziersskat"
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 5
    """Between two matches."""


def options(_: Config) -> Options:
    """Return the usual options: a match ends at 21 points, and its master opens it."""
    return Options(master_opens=True)


def public(state: State) -> Public:
    """Return what a by-stander sees: the open cards, and the number of covered ones."""
    view, over = rules.view(state, None), rules.is_over(state)
    hands = {one.seat: _hand(one, active=not over) for one in view.players if not one.gone}
    return Public(view.phase, view.round.number, hands)


def _hand(one: PlayerView, *, active: bool) -> Hand:
    return Hand(active, [str(card) for card in one.open_cards], one.covered)


def stage(state: State) -> int | None:
    """Return the round in which the seat of a player who is gone is kept; None: the match is over."""
    return state.round.number if state.phase == "play" else None


RULES: Final[Game[State, Move, Event, Options]] = rules
OFFIZIERSSKAT: Final = Definition[State, Move, Event, Options, View, Local](
    rules=RULES,
    table=Table[State, Event],
    settings=OffiziersskatSettings,
    options=options,
    face=screen.FACE,
    key="5",
    titles=Titles(
        mark("Offiziersskat"),
        mark("At the Offiziersskat table:"),
        mark("Offiziersskat table"),
        mark("Offiziersskat table {n}"),
        mark("{name} waits at the Offiziersskat table: {keys}"),
    ),
    sentences=speech.witnessed,
    public=public,
    choices=choices.CHOICES,
    retold=narrative.RETOLD,
    reason=reasons.reason,
    help=(HelpPage("yawc_poker.games.offiziersskat", "offiziersskat", 54),),
    rehearsal_keys="12345678t",
    player=HOUSE,
    keeps=Keeps(stage),
    linear=linear.LINEAR,
)
