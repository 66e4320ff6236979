"""Mau-Mau, as the rest of the program meets it."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from yawc_poker.cards import Suit
from yawc_poker.config import Config, TableSettings
from yawc_poker.engine.game import Game
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.values import Table
from yawc_poker.games.maumau import model, rules
from yawc_poker.games.maumau.model import Event, Move, Options, State, View
from yawc_poker.games.maumau.player.choose import HOUSE
from yawc_poker.games.maumau.ui import speech
from yawc_poker.games.maumau.ui.choices import CHOICES
from yawc_poker.games.maumau.ui.linear import LINEAR
from yawc_poker.games.maumau.ui.narrative import RETOLD
from yawc_poker.games.maumau.ui.scene import Local
from yawc_poker.games.maumau.ui.screen import FACE
from yawc_poker.table_ui.definition import Definition, Hand, HelpPage, Public, Rehearsal, Titles
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


def any_move(state: State, seat: int) -> Move:
    """Return a legal move of the seat on turn."""
    view = rules.view(state, seat)
    for choice in reversed(view.choices):
        match choice:
            case model.MayFinish():
                return model.Finish()
            case model.MayTake(count):
                return model.Take(count)
            case model.MayWish():
                return model.Wish(Suit.CLUBS)
            case model.MayPlay(cards):
                return model.PlayCard(cards[0])
    raise ValueError("nothing is offered")


RULES: Final[Game[State, Move, Event, Options]] = rules
MAUMAU: Final = Definition[State, Move, Event, Options, View, Local](
    rules=RULES,
    table=Table[State, Event],
    settings=MaumauSettings,
    options=options,
    face=FACE,
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
    retold=RETOLD,
    choices=CHOICES,
    help=(HelpPage("yawc_poker.games.maumau", "maumau", 50),),
    rehearsal=Rehearsal("1234567ttf+", any_move),
    player=HOUSE,
    keeps=Keeps(lambda state: state.round),
    linear=LINEAR,
)
