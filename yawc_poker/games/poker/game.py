"""Poker, as the rest of the program meets it."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from yawc_poker.config import Config, Seconds, Stake, TableSettings
from yawc_poker.engine.game import Game
from yawc_poker.engine.values import Table
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import HAND, Event, Move, Options, State, View
from yawc_poker.games.poker.player.afterwards import HOUSE
from yawc_poker.games.poker.ui import linear, narrative, reasons, screen, speech
from yawc_poker.games.poker.ui.scene import Local
from yawc_poker.table_ui.definition import Choices, Definition, Hand, HelpPage, Public, Titles, numbered
from yawc_poker.words import Words, mark


class PokerSettings(TableSettings, frozen=True):
    """`[poker]`: tables, clocks and stakes."""

    section: ClassVar[str] = "poker"
    tables: Annotated[int, Meta(ge=1, le=1000)] = 1
    """Poker tables; with more than one the casino asks which."""
    turn_seconds: Seconds = 60
    """For a bet, a swap, a showing of cards."""
    ante: Stake = 10
    """CUBES that everybody pays at the start of a game."""
    max_bet: Stake = 200
    """CUBES that a single bet may be at most."""

    @property
    def least_cubes(self) -> int:
        """The ante."""
        return self.ante


def options(config: Config) -> Options:
    """Return the stakes that the configuration asks for."""
    settings = config.of(PokerSettings)
    return Options(ante=settings.ante, max_bet=settings.max_bet)


def public(state: State) -> Public:
    """Return what a by-stander sees."""
    view = rules.view(state, None)
    hands = {}
    for one in view.opponents:
        cards = None if one.cards is None else [str(card) for card in one.cards]
        hands[one.seat] = Hand(one.active, cards, HAND if one.active and cards is None else 0)
    return Public(view.phase, view.round, hands)


def terms(options: Options, words: Words) -> tuple[str, ...]:
    """Return the stakes."""
    if options.chips:
        terms = words("For chips: the ante is {ante}, a bet at most {most}.", ante=options.ante, most=options.max_bet)
        return (terms,)
    return (words("The ante is {ante} CUBES, a bet at most {most} CUBES.", ante=options.ante, most=options.max_bet),)


def usage(words: Words) -> str:
    """Return who chooses the stakes."""
    return words("The sysop chooses the stakes.")


CHOICES = Choices(terms, usage)


def phase(name: str, number: int) -> str:
    """Return the name of a phase; only rounds of bets have numbers."""
    return name if name in {"swap", "showdown"} else numbered(name, number)


RULES: Final[Game[State, Move, Event, Options]] = rules
POKER: Final = Definition[State, Move, Event, Options, View, Local](
    rules=RULES,
    table=Table[State, Event],
    settings=PokerSettings,
    options=options,
    face=screen.FACE,
    key="2",
    titles=Titles(
        mark("Poker"),
        mark("At the poker table:"),
        mark("Poker table"),
        mark("Poker table {n}"),
        mark("{name} waits at the poker table: {keys}"),
    ),
    sentences=speech.sentences,
    public=public,
    retold=narrative.RETOLD,
    reason=reasons.reason,
    phase=phase,
    choices=CHOICES,
    help=(
        HelpPage("yawc_poker.games.poker", "introduction", 10),
        HelpPage("yawc_poker.games.poker", "instructions", 20),
        HelpPage("yawc_poker.games.poker", "rules", 30),
    ),
    rehearsal_keys="b\rh\r1dr",
    needed=lambda options: 0 if options.chips else options.ante,
    player=HOUSE,
    linear=linear.LINEAR,
)
