"""What the registry's line names."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from tests.made_up_game import rules
from tests.made_up_game.rules import Event, Move, Options, State, TurnOver, View
from tests.made_up_game.screen import FACE, RETOLD, sentences
from yawc_poker.config import Config, TableSettings
from yawc_poker.engine.game import Game
from yawc_poker.engine.house import HousePlayer
from yawc_poker.engine.values import Table
from yawc_poker.table_ui.definition import Definition, Hand, HelpPage, Public, Titles
from yawc_poker.table_ui.scene import Local


class Settings(TableSettings, frozen=True):
    """`[highest]`: tables, clocks, and the cards of each player."""

    section: ClassVar[str] = "highest"
    cards: Annotated[int, Meta(ge=1, le=5)] = 2
    """Cards that each player is dealt."""


def options(config: Config) -> Options:
    return Options(config.of(Settings).cards)


def public(state: State) -> Public:
    view = rules.view(state, None)
    hands = {seat: Hand(not view.over, list(view.open[seat]) or None, view.hidden[seat]) for seat in view.open}
    return Public("turning", state.turn + 1, hands)


RULES: Final[Game[State, Move, Event, Options]] = rules
HIGHEST: Final = Definition[State, Move, Event, Options, View, Local](
    rules=RULES,
    table=Table[State, Event],
    settings=Settings,
    options=options,
    face=FACE,
    key="7",
    titles=Titles(
        "Highest card",
        "At the highest card's table:",
        "Highest card's table",
        "Highest card's table {n}",
        "{name} waits at the highest card's table: {keys}",
    ),
    sentences=sentences,
    public=public,
    retold=RETOLD,
    phase=lambda name, number: f"{name}, hand {number}",
    help=(HelpPage("tests.made_up_game", "highest"),),
    rehearsal_keys="tb",
    player=HousePlayer(1, lambda view, level, chance: TurnOver()),
)
