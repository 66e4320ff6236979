"""Doppelkopf, as the rest of the program meets it."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from yawc_poker.config import Config, TableSettings
from yawc_poker.engine.game import Game
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.values import Table
from yawc_poker.games.doppelkopf import rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import Move, Options, State, View
from yawc_poker.games.doppelkopf.player.choose import HOUSE
from yawc_poker.games.doppelkopf.ui import choices, linear, narrative, reasons, screen, speech
from yawc_poker.games.doppelkopf.ui.scene import Local
from yawc_poker.table_ui.definition import Definition, Hand, HelpPage, Public, Titles
from yawc_poker.words import mark


class DoppelkopfSettings(TableSettings, frozen=True):
    """`[doppelkopf]`: tables, clocks, and the length of a match."""

    section: ClassVar[str] = "doppelkopf"
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 5
    """Between two matches."""
    rounds: Annotated[int, Meta(ge=1, le=32)] = 16
    """Rounds of a match, 1 to 32; a tournament has its own number."""


def options(config: Config) -> Options:
    """Return the number of rounds that the configuration asks for."""
    return Options(rounds=config.of(DoppelkopfSettings).rounds)


def public(state: State) -> Public:
    """Return what a by-stander sees: the number of each player's cards."""
    view, over = rules.view(state, None), rules.is_over(state)
    hands = {one.place: Hand(not over, None, 0 if over else one.cards) for one in view.players if not one.gone}
    return Public(view.phase, view.round.number, hands)


def stage(state: State) -> int | None:
    """Return the round in which the seat of a player who is gone is kept; None: between the rounds it is not."""
    return None if state.phase in {"question", "over"} else state.round.number


RULES: Final[Game[State, Move, Event, Options]] = rules
DOPPELKOPF: Final = Definition[State, Move, Event, Options, View, Local](
    rules=RULES,
    table=Table[State, Event],
    settings=DoppelkopfSettings,
    options=options,
    face=screen.FACE,
    key="4",
    titles=Titles(
        mark("Doppelkopf"),
        mark("At the Doppelkopf table:"),
        mark("Doppelkopf table"),
        mark("Doppelkopf table {n}"),
        mark("{name} waits at the Doppelkopf table: {keys}"),
    ),
    sentences=speech.sentences,
    public=public,
    retold=narrative.RETOLD,
    reason=reasons.reason,
    choices=choices.CHOICES,
    help=(
        HelpPage("yawc_poker.games.doppelkopf", "doppelkopf", 52),
        HelpPage("yawc_poker.games.doppelkopf", "doppelkopf_score", 53),
    ),
    rehearsal_keys="g1234567890abc",
    player=HOUSE,
    keeps=Keeps(stage, left=True),
    needed=lambda options: options.cubes,
    linear=linear.LINEAR,
)
