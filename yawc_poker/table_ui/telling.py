"""What one caller is told of a table in words, change by change: new rows first, then what is asked. Pure.

Owns the order, and how far it was told (`Heard`); what a row or a question sounds like is `table_ui.linear`'s. The
session's lines and a page around the terminal tell this, each in its own way.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.engine.events import SatDown
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import AnyTable, LogEntry
from yawc_poker.table_ui.definition import AnyDefinition, Hand
from yawc_poker.table_ui.linear import (
    Linear,
    Moment,
    Told,
    Who,
    by_default,
    hand,
    known,
    news,
    others,
    spoken_row,
    state,
)
from yawc_poker.table_ui.rows import Missed, Owns, Read, entries, question
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.table_ui.speech import bare_name
from yawc_poker.words import Words


class Heard(msgspec.Struct, frozen=True):
    """How far a caller was told a table."""

    read: Read = Read()
    told: Told = Told()
    knows: bool = False
    """The whole state was told once, and no row was missed since."""
    speaker: int | None = None
    """The session that speaks here, of a caller who reads as `ONLOOKER`; None: it reads as itself."""


class Telling(msgspec.Struct, frozen=True):
    """What is to be told next, in this order."""

    events: tuple[str, ...] = ()
    """What has happened: worth to be told again."""
    said: tuple[str, ...] = ()
    """The state, at first; notices; the clock."""
    asked: tuple[str, ...] = ()
    """What the caller is asked on their own turn."""
    hand: str = ""
    """The caller's cards, in a line."""


def linear_of(game: AnyDefinition) -> Linear[GameEvent, object, Local]:
    """Return how a game is told in lines."""
    return game.linear or by_default(game.sentences)


def happened(
    game: AnyDefinition, value: AnyTable, session: int, heard: Heard, words: Words
) -> tuple[Heard, tuple[str, ...]]:
    """Return the new rows of a table's log in words, for a session, and how far it was told then."""
    read, new = entries(game.rules, value, session, heard.read)
    knows = heard.knows and not any(isinstance(row, Missed) for row in new)
    own = session if heard.speaker is None else heard.speaker
    lines = tuple(text for row in new for text in row_lines(game, value, own, row, words))
    return replace(heard, read=read, knows=knows), lines


def row_lines(
    game: AnyDefinition, value: AnyTable, session: int, row: LogEntry[GameEvent] | Missed, words: Words
) -> tuple[str, ...]:
    """Return a row in words, for a session."""
    stand_ins = {kept.seat: who.name for kept in value.kept if (who := value.seats[kept.seat]) is not None}
    names = tuple([bare_name(stand_ins.get(seat, name)) for seat, name in enumerate(value.names)])
    own = isinstance(row, LogEntry) and row.session == session
    if isinstance(row, LogEntry) and not isinstance(row.event, SatDown):
        row = replace(row, name=bare_name(row.name))
    return spoken_row(row, linear_of(game), Who(own, names), words)


def as_heard(scene: Scene[object]) -> Scene[object]:
    """Return a scene in which nobody's name has marks: these are told once, and by the state."""
    people = tuple([replace(person, name=bare_name(person.name)) for person in scene.people])
    current = None if scene.current is None else bare_name(scene.current)
    names = tuple(map(bare_name, scene.names))
    return replace(scene, people=people, current=current, master=bare_name(scene.master), names=names)


def moment_of(
    game: AnyDefinition, value: AnyTable, scene: Scene[object], local: Local, words: Words, *, brief: bool = False
) -> Moment:
    """Return what is to be said of a table at this moment."""
    played = value.last if value.game is None else value.game
    hands: Mapping[int, Hand] = {} if played is None else game.public(played).hands
    small, linear = game.face.layout.small(scene, local, words), linear_of(game)
    return Moment(
        small,
        linear.cards(scene, local, words),
        others(hands, scene, words),
        linear.asked(as_heard(scene), local, words),
        linear.quiet,
        "" if linear.names_cards else small.cards,
        brief,
    )


def state_lines(
    game: AnyDefinition, scene: Scene[object], local: Local, words: Words, moment: Moment
) -> tuple[str, ...]:
    """Return the whole state in words."""
    linear, heard = linear_of(game), as_heard(scene)
    return state(heard, words, moment, linear.facts(heard, local, words), others=linear.others)


def telling(
    game: AnyDefinition,
    value: AnyTable,
    session: int,
    scene: Scene[object],
    local: Local,
    heard: Heard,
    words: Words,
    *,
    brief: bool = False,
) -> tuple[Heard, Telling]:
    """Return all that is new to a session: rows, CUBES that were paid, the state once, the question that stands."""
    heard, events = happened(game, value, session, heard, words)
    read, now = question(game.face, value, scene, heard.read)
    moment = moment_of(game, value, scene, local, words, brief=brief)
    whole: tuple[str, ...] = ()
    if not heard.knows:
        whole = state_lines(game, scene, local, words, moment)
        heard = replace(heard, told=known(scene), knows=True)
    elif not scene.running:  # while a game runs, each payment is told by itself
        owned = [row.cubes for row in now if isinstance(row, Owns)]
        events += tuple(words("You own {cubes} CUBES.", cubes=cubes) for cubes in owned)
    told, new = news(heard.told, scene, local, words, moment)
    found = Telling(events, (*whole, *new.said), new.asked, hand(moment, words))
    return replace(heard, read=read, told=told), found
