"""A deal of the day as it is played: a table in one process, a caller against programs, for nothing.

Owns how such a table is dealt, what its house players answer, and what the result is. It is a table as any other, with
the same rules; only nobody else sees it. Invariants: all follows from the deal and from the caller's own moves, so the
same moves meet the same answers, whoever makes them, and whenever.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.rankings.periods import DAY
from yawc_poker.engine import sealing, transcript
from yawc_poker.engine import table as tables
from yawc_poker.engine.effects import advance
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.house import HOUSE_NAMES, HOUSE_USERS, Level, chance_of, marked, program_name
from yawc_poker.engine.sealing import Deck
from yawc_poker.engine.transcript import Action
from yawc_poker.engine.values import AnyChange, AnyTable, Clocks, NextDeck, Seat, user_at
from yawc_poker.table_ui.definition import AnyDefinition, view_of

SECONDS: Final = 300
"""From the first look at one's cards to the end; then the clock makes the rest of one's moves."""
OWN: Final = 0
"""The caller's seat."""
_CLOCKS: Final = Clocks(turn=0.0)
"""The time of the whole is counted, not that of a turn."""
_NO_CHANCE: Final = Random(0)
"""Rules never ask for chance after the deal (`engine.replay`)."""


def _own(points: Mapping[int, int]) -> int:
    return points.get(OWN, 0)


def _ahead(points: Mapping[int, int]) -> int:
    return 2 * points.get(OWN, 0) - sum(points.values())


class Terms(NamedTuple):
    """How a game is played as a deal of the day."""

    options: str
    """JSON."""
    house: int
    """The number of house players."""
    level: Level = "normal"
    cash: int = 0
    """Of everybody at the beginning, where CUBES are played for; they are nobody's afterwards."""
    result: Callable[[Mapping[int, int]], int] = _own
    """The caller's result by the points of all."""
    fewest: bool = False
    """The fewest points win."""


TERMS: Final[Mapping[str, Terms]] = {
    "poker": Terms("{}", house=4, cash=500),
    "maumau": Terms('{"rounds":1}', house=3, fewest=True),
    "doppelkopf": Terms('{"rounds":1}', house=3),
    "offiziersskat": Terms('{"target":1,"master_opens":true}', house=1, result=_ahead),
}
"""By kind; a game that is not here has no deal of the day."""


class Deal(msgspec.Struct, frozen=True):
    """What everybody plays on a day."""

    day: int
    """Since the epoch."""
    kind: str
    order: str
    secret: str
    program: str
    """Level and version of the house players; a program of another version would answer otherwise."""

    @property
    def deck(self) -> Deck:
        """The sealed cards."""
        return Deck(self.secret, self.order)

    @property
    def seal(self) -> str:
        """What is told of it from the first moment on."""
        return sealing.seal(self.deck)


class Course(NamedTuple):
    """How far somebody has played it."""

    table: AnyTable
    actions: tuple[Action, ...]
    """All of them; the table keeps the newest ones only."""


class OtherProgram(Exception):
    """The house players of a deal were of another version than this program has."""


def is_opened(day: int, now: float) -> bool:
    """Return whether the cards of a day are open to all: behind its end, when those who began before it are done."""
    return now >= (day + 1) * DAY + SECONDS


def program_of(game: AnyDefinition) -> str:
    """Return what a game's house players are on a day that begins now."""
    assert game.player is not None, "a deal of the day has house players"
    return program_name(TERMS[game.rules.KIND].level, game.player.version)


def begun(game: AnyDefinition, deal: Deal, session: int, user: int, name: str) -> Course:
    """Return a deal at its beginning, for a session of a user. Raise `OtherProgram`."""
    if deal.program != program_of(game):
        raise OtherProgram
    rules, terms = game.rules, TERMS[deal.kind]
    people = [Seat(session, user, name, terms.cash)]
    for number in range(terms.house):
        called = marked(HOUSE_NAMES[number], terms.level)
        people.append(Seat(session + 1 + number, HOUSE_USERS[number], called, terms.cash, program=deal.program))
    seats = (*people, *[None] * (rules.SEATS - len(people)))
    table = tables.empty(rules)
    table = replace(table, seats=seats, master=OWN, number=deal.day, next_deck=NextDeck(deal.deck))
    cash = dict.fromkeys(range(len(people)), terms.cash)
    options = rules.read_options(terms.options)
    return _behind(Course(table, ()), tables.start(table, rules, session, cash, _NO_CHANCE, 0.0, options, _CLOCKS))


def _behind(course: Course, change: AnyChange) -> Course:
    book = change.table.transcript
    assert book is not None, "a game that was dealt has a transcript"
    return Course(replace(change.table, transcript=replace(book, actions=())), (*course.actions, *book.actions))


def moved(game: AnyDefinition, course: Course, move: object) -> Course:
    """Return a deal behind a move of the caller's. Raise `IllegalMove`."""
    return _played(game, course, OWN, move)


def _played(game: AnyDefinition, course: Course, seat: int, move: object) -> Course:
    table, who = course.table, course.table.seats[seat]
    assert who is not None, "everybody stays"
    cash = {at: one.cash for at, one in enumerate(table.seats) if one is not None}
    return _behind(course, tables.play(table, game.rules, who.session, move, cash, _NO_CHANCE, 0.0, _CLOCKS))


def is_over(game: AnyDefinition, course: Course) -> bool:
    """Return whether a deal is played to its end."""
    return course.table.game is None or game.rules.is_over(course.table.game)


def answered(game: AnyDefinition, course: Course) -> Iterator[Course]:
    """Yield the deal behind each move that the house players make now, until it is the caller's turn or over."""
    player, terms = game.player, TERMS[game.rules.KIND]
    assert player is not None, "a deal of the day has house players"
    while (state := course.table.game) is not None and (seat := game.rules.to_move(state)) not in {None, OWN}:
        book = course.table.transcript
        assert book is not None, "a game that was dealt has a transcript"
        chance = chance_of(transcript.seed(book), seat, course.table.action)
        course = _played(game, course, seat, player.choose(view_of(game, state, seat), terms.level, chance))
        yield course


def on_turn(game: AnyDefinition, course: Course) -> Course:
    """Return the deal at the caller's next turn, or over."""
    for one in answered(game, course):
        course = one
    return course


def given_up(game: AnyDefinition, course: Course) -> Course:
    """Return the deal at its end, the caller's moves made by the clock from now on."""
    course = on_turn(game, course)
    while not is_over(game, course):
        table = course.table
        assert table.game is not None
        action = Action(table.action, 0, "time", OWN, user_at(table, OWN))
        step = game.rules.timeout(table.game, _NO_CHANCE)
        course = on_turn(game, _behind(course, advance(table, game.rules, step, 0.0, _CLOCKS, action)))
    return course


def again(game: AnyDefinition, start: Course, moves: Sequence[str]) -> Course:
    """Return the deal behind the caller's moves, which are JSON, at their next turn. Raise `IllegalMove`."""
    course = on_turn(game, start)
    for text in moves:
        course = on_turn(game, moved(game, course, game.rules.read_move(text)))
    return course


def whole(game: AnyDefinition, deal: Deal, moves: Sequence[str], user: int, name: str = "") -> Course:
    """Return a deal from its beginning to its end, by somebody's moves and then by the clock.

    Raise `OtherProgram`, or `IllegalMove` for moves that are not theirs.
    """
    return given_up(game, again(game, begun(game, deal, 1, user, name), moves))


def dealing_of(deal: Deal, course: Course) -> Dealing:
    """Return how the cards were dealt: nobody but the house has given a text."""
    book = course.table.transcript
    assert book is not None, "a game that was dealt has a transcript"
    return sealing.dealing(deal.deck, book.words)


def result(game: AnyDefinition, course: Course) -> int:
    """Return the result of a deal that is over: points, or the CUBES that were won or lost."""
    table, terms = course.table, TERMS[game.rules.KIND]
    who = table.seats[OWN]
    if table.game is None or who is None:
        return 0
    if game.retold.counted == "cubes":
        return who.cash - terms.cash + (table.pot if OWN in game.rules.won(table.game) else 0)
    return terms.result(game.rules.points(table.game))
