"""Mau-Mau, as the rest of the program meets it."""

from typing import Final

from yawc_poker.config import Config
from yawc_poker.engine.table import Table
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Event, Move, Options, State, View
from yawc_poker.games.maumau.settings import MaumauSettings
from yawc_poker.games.maumau.ui import screen, speech
from yawc_poker.games.maumau.ui.scene import Local
from yawc_poker.table_ui.definition import Definition, Hand, Public, Titles
from yawc_poker.words import mark


def options(config: Config) -> Options:
    """Return the number of rounds that the configuration asks for."""
    return Options(rounds=config.of(MaumauSettings).rounds)


def public(state: State) -> Public:
    """Return what a by-stander sees: how many cards each one holds."""
    view, over = rules.view(state, None), rules.is_over(state)
    hands = {one.seat: Hand(not over, None, 0 if over else one.cards) for one in view.players if one.seat is not None}
    return Public(view.phase, view.round, hands)


MAUMAU: Final = Definition[State, Move, Event, Options, View, Local](
    rules=rules,
    table=Table[State, Event],
    settings=MaumauSettings,
    options=options,
    face=screen,
    key="3",
    titles=Titles(mark("Mau-Mau"), mark("At the Mau-Mau table:"), mark("Mau-Mau table"), mark("Mau-Mau table {n}")),
    sentences=speech.sentences,
    public=public,
)
