"""Mau-Mau, as the rest of the program meets it."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from yawc_poker.config import Config, TableSettings
from yawc_poker.engine.game import Game
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.values import Table
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Event, Move, Options, State, View
from yawc_poker.games.maumau.player.choose import HOUSE
from yawc_poker.games.maumau.ui import choices, linear, narrative, reasons, screen, speech
from yawc_poker.games.maumau.ui.scene import Local
from yawc_poker.table_ui.definition import Definition, Hand, HelpPage, Public, Titles
from yawc_poker.words import mark


class MaumauSettings(TableSettings, frozen=True):
    """`[maumau]`: tables, clocks, and the door for programs."""

    section: ClassVar[str] = "maumau"
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 5
    """Between two games."""
    rounds: Annotated[int, Meta(ge=1, le=255)] = 4
    """The number of rounds that the master is offered, 1 to 255."""


def options(config: Config) -> Options:
    """Return the number of rounds that the configuration asks for."""
    return Options(rounds=config.of(MaumauSettings).rounds)


def public(state: State) -> Public:
    """Return what a by-stander sees: the number of each player's cards."""
    view, over = rules.view(state, None), rules.is_over(state)
    hands = {one.seat: Hand(not over, None, 0 if over else one.cards) for one in view.players if one.seat is not None}
    return Public(view.phase, view.round, hands)


RULES: Final[Game[State, Move, Event, Options]] = rules
MAUMAU: Final = Definition[State, Move, Event, Options, View, Local](
    rules=RULES,
    table=Table[State, Event],
    settings=MaumauSettings,
    options=options,
    face=screen.FACE,
    key="3",
    titles=Titles(
        mark("Mau-Mau"),
        mark("At the Mau-Mau table:"),
        mark("Mau-Mau table"),
        mark("Mau-Mau table {n}"),
        mark("{name} waits at the Mau-Mau table: {keys}"),
    ),
    sentences=speech.sentences,
    public=public,
    retold=narrative.RETOLD,
    reason=reasons.reason,
    choices=choices.CHOICES,
    help=(HelpPage("yawc_poker.games.maumau", "maumau", 50),),
    rehearsal_keys="1234567ttf+",
    player=HOUSE,
    keeps=Keeps(lambda state: state.round),
    linear=linear.LINEAR,
)
