"""The messages of GMCP: what a client is told of a table, and what it may say. Pure.

`Game.Table`, `Game.Turn` and `Game.Hand` follow from a seat's rows (`table_ui.rows`) and its scene, so from nothing
that the seat may not see. Each is sent whole, whenever it is another one than before; docs/mud-clients.md has the
fields. Seats count from 1, as people see them.

Invariant: no bytes that a client says raise or are kept.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from yawc_poker.cards import Card
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import AnyTable, LogEntry
from yawc_poker.table_ui.definition import AnyDefinition, Hand
from yawc_poker.table_ui.layout import offers
from yawc_poker.table_ui.linear import Moment
from yawc_poker.table_ui.rows import Asked, Missed, Read, entries, question
from yawc_poker.table_ui.scene import Local, Scene, shown_seconds
from yawc_poker.table_ui.speech import bare_name
from yawc_poker.table_ui.telling import as_heard, linear_of, moment_of, row_lines
from yawc_poker.words import Words


class OwnCard(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card of the caller's."""

    card: str
    """Rank and sign, `A+`, in every language; `+ * # -` are clubs, spades, hearts, diamonds."""
    name: str
    """In the caller's language."""
    key: str = ""
    """Plays or marks it now."""
    note: str = ""
    """What the caller has done with it."""


class GameHand(msgspec.Struct, frozen=True, tag_field="message", tag="Game.Hand"):
    """The caller's cards, in the order of their keys."""

    cards: tuple[OwnCard, ...] = ()


class PressKey(msgspec.Struct, frozen=True):
    """A key that means something now."""

    key: str
    label: str


class GameTurn(msgspec.Struct, frozen=True, tag_field="message", tag="Game.Turn"):
    """Whose turn it is, and what the caller may do."""

    running: bool = False
    player: str | None = None
    yours: bool = False
    seconds: int | None = None
    """Left of the caller's own clock when this was sent; None: it does not run."""
    line: bool = False
    """A line is typed, with ENTER behind it; otherwise each key acts at once."""
    asks: tuple[str, ...] = ()
    """What the caller needs to know on their turn."""
    keys: tuple[PressKey, ...] = ()


class Player(msgspec.Struct, frozen=True, omit_defaults=True):
    """Somebody at the table."""

    seat: int
    name: str
    active: bool
    """In the game that runs."""
    hidden: int
    """The number of their hidden cards."""
    open: tuple[str, ...] = ()
    """Their open cards."""
    absent: str | None = None
    """`away`, `line` (it broke) or `out` (of games to come)."""


class Happened(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened at the table."""

    event: str
    """Its kind, as the program calls it."""
    seat: int | None = None
    name: str = ""
    cards: tuple[str, ...] = ()
    """All cards that it is about."""
    text: tuple[str, ...] = ()
    """In the caller's language, line by line."""


class GameTable(msgspec.Struct, frozen=True, tag_field="message", tag="Game.Table"):
    """The table, and what happened there since the last such message."""

    game: str = ""
    number: int = 0
    """In the history; 0: before the first."""
    running: bool = False
    pot: int | None = None
    seat: int | None = None
    """The caller's own; None: they look on."""
    cubes: int | None = None
    master: str = ""
    players: tuple[Player, ...] = ()
    watching: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """How the game stands, line by line, in the caller's language."""
    events: tuple[Happened, ...] = ()
    missed: int = 0
    """Events that nobody can be told any more: the line was too slow."""


Message = GameHand | GameTurn | GameTable


class Told(msgspec.Struct, frozen=True):
    """What a client knows."""

    read: Read | None = None
    """None: nothing yet; what happened before is not told."""
    asked: tuple[Asked | None, GameTurn] | None = None
    hand: GameHand | None = None
    table: GameTable | None = None
    """Without events."""


def encoded(message: Message) -> bytes:
    """Return a message as it stands in a subnegotiation."""
    body = msgspec.to_builtins(message)
    return f"{body.pop('message')} ".encode() + msgspec.json.encode(body)


GONE: Final = tuple(encoded(one) for one in (GameTable(), GameTurn(), GameHand()))
"""What is told to a client whose caller has left the table."""


def news(
    told: Told, game: AnyDefinition, value: AnyTable, session: int, scene: Scene[object], local: Local, words: Words
) -> tuple[Told, tuple[bytes, ...]]:
    """Return what is new to a session's client, and what it knows then."""
    read, new = entries(game.rules, value, session, told.read or Read(logged=value.logged))
    read, _ = question(game.face, value, scene, read)
    moment = moment_of(game, value, scene, local, words)
    hand, table, turn = _hand(moment), _table(game, value, scene, local, words), _turn(scene, local, words, moment)
    happened = tuple(_happened(game, value, session, row, words) for row in new if isinstance(row, LogEntry))
    missed = sum(row.entries for row in new if isinstance(row, Missed))
    asked = (read.asked, msgspec.structs.replace(turn, seconds=None))
    messages: list[Message] = []
    if table != told.table or happened or missed:
        messages.append(msgspec.structs.replace(table, events=happened, missed=missed))
    if hand != told.hand:
        messages.append(hand)
    if asked != told.asked:
        messages.append(turn)
    return Told(read, asked, hand, table), tuple(map(encoded, messages))


def _hand(moment: Moment) -> GameHand:
    return GameHand(tuple(OwnCard(str(one.card), one.name, one.key, one.note) for one in moment.cards))


def _turn(scene: Scene[object], local: Local, words: Words, moment: Moment) -> GameTurn:
    found = offers(scene, local, words, moment.small)
    return GameTurn(
        running=scene.running,
        player=None if scene.current is None else bare_name(scene.current),
        yours=scene.turn is not None,
        seconds=None if scene.deadline is None else shown_seconds(scene),
        line=found.mode == "line",
        asks=() if scene.turn is None else moment.asked,
        keys=tuple(PressKey(one.key, one.label) for one in found.keys),
    )


def _table(game: AnyDefinition, value: AnyTable, scene: Scene[object], local: Local, words: Words) -> GameTable:
    played = value.last if value.game is None else value.game
    hands: Mapping[int, Hand] = {} if played is None else game.public(played).hands
    sitting = [(one.seat, one.name, one.absent) for one in scene.people]
    if not scene.looks_on:
        sitting.append((scene.seat, scene.name, "away" if scene.sits_out else None))
    heard = as_heard(scene)
    return GameTable(
        game=game.rules.KIND,
        number=scene.number,
        running=scene.running,
        pot=scene.pot,
        seat=None if scene.looks_on else scene.seat + 1,
        cubes=None if scene.looks_on else scene.cash,
        master=heard.master,
        players=tuple(_player(seat, name, absent, hands.get(seat, Hand())) for seat, name, absent in sorted(sitting)),
        watching=scene.watching,
        facts=linear_of(game).facts(heard, local, words),
    )


def _player(seat: int, name: str, absent: str | None, hand: Hand) -> Player:
    return Player(seat + 1, bare_name(name), hand.active, hand.hidden, tuple(hand.cards or ()), absent)


def _happened(game: AnyDefinition, value: AnyTable, session: int, row: LogEntry[GameEvent], words: Words) -> Happened:
    seat = row.event.seat if row.seat is None else row.seat
    return Happened(
        type(row.event).__name__,
        None if seat is None else seat + 1,
        bare_name(row.name),
        tuple(map(str, _cards(row.event))),
        row_lines(game, value, session, row, words),
    )


def _cards(value: object) -> Iterator[Card]:
    """Yield all cards in a value, however deep."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _cards(getattr(value, name))
    elif isinstance(value, tuple):
        for one in value:
            yield from _cards(one)


# --- what a client says -----------------------------------------------------------------------------------------------

MODULE: Final = "game"
_NAMES: Final = msgspec.json.Decoder(list[str])


def wants(message: bytes, before: bool) -> bool:
    """Return whether a client wants to be told of tables, after it has said this.

    One that never says what it supports is told; one that does must name the module `Game`, as the others' custom is.
    """
    verb, _, body = message.partition(b" ")
    try:
        names = {one.split(" ")[0].partition(".")[0].lower() for one in _NAMES.decode(body)}
    except (msgspec.DecodeError, UnicodeDecodeError):
        return before
    match verb.lower():
        case b"core.supports.set":
            return MODULE in names
        case b"core.supports.add":
            return before or MODULE in names
        case b"core.supports.remove":
            return before and MODULE not in names
        case _:
            return before
