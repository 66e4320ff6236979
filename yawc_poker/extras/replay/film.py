"""A finished game to be looked at again, move by move, by somebody who may see some of its cards. Pure.

Owns whose cards are open to them at each move, by whose eyes they may look, and where tricks and rounds begin. The
table of each move is `engine.replay`'s, and what eyes see of it is the game's own scene. Invariant: what eyes show is
what that seat's screen showed, or an on-looker's.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

import msgspec

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.engine.game import GameEvent, GameState
from yawc_poker.engine.replay import Position, positions
from yawc_poker.engine.table import read_log
from yawc_poker.engine.transcript import Dealt
from yawc_poker.engine.values import AWAY, LogEntry
from yawc_poker.table_ui.definition import AnyDefinition, Hand
from yawc_poker.table_ui.linear import named
from yawc_poker.table_ui.scene import NO_SEAT, ONLOOKER, Local, Scene
from yawc_poker.table_ui.telling import linear_of
from yawc_poker.terminal import keys
from yawc_poker.words import Words

_NEXT: Final = frozenset({"N", " ", keys.ENTER, keys.KEY_RIGHT})
_BACK: Final = frozenset({"B", keys.KEY_LEFT})
_NEXT_TRICK: Final = frozenset({"T", keys.KEY_DOWN})
_LAST_TRICK: Final = frozenset({"E", keys.KEY_UP})
_NEXT_ROUND: Final = frozenset({"R", keys.KEY_PGDOWN})
_LAST_ROUND: Final = frozenset({"W", keys.KEY_PGUP})


class Film:
    """A game, and how much of it may be seen."""

    def __init__(self, game: AnyDefinition, played: PastGame, seats: Collection[int] | None) -> None:
        """`seats` are those whose cards are known to whoever looks; None: all are, as to a sysop.

        Raise `Contradiction` and `ValueError`, as `engine.replay` does.
        """
        self.game = game
        self.number = played.game.number
        dealing, actions = played.dealing(), played.actions
        self.moves: tuple[Position[GameState, GameEvent], ...] = tuple(
            positions(game.rules, dealing, actions, self.number)
        )
        if not self.moves:
            raise ValueError("nothing was played")
        self.own = frozenset(range(game.rules.SEATS) if seats is None else seats)
        known = [game.retold.hands_open(dealing, actions, seat) for seat in (None, *sorted(self.own))]
        self._open = tuple(self.own.union(*found) for found in zip(*known, strict=True))
        """The seats whose cards are open, by move."""
        opened = game.retold.opened(dealing, actions, None)
        self.is_whole = seats is None or Counter(opened) >= Counter(game.rules.DECK)
        """All cards are open, so whoever looks may have all that was sealed."""
        dealt = msgspec.json.decode(actions[0].detail, type=Dealt)
        self._options = game.rules.read_options(bytes(dealt.options).decode())

    @property
    def last(self) -> int:
        """The last move."""
        return len(self.moves) - 1

    @cached_property
    def names(self) -> dict[int, str]:
        """Those who were dealt in, by seat."""
        return {seat: name for seat, name in enumerate(self.moves[0].table.names) if name}

    @cached_property
    def eyes(self) -> tuple[int, ...]:
        """Seats by whose eyes the whole game may be looked at; `NO_SEAT`, an on-looker's, comes first."""
        return (NO_SEAT, *(seat for seat in self.names if all(seat in found for found in self._open)))

    # --- one move -----------------------------------------------------------------------------------------------------

    def session(self, at: int, eyes: int) -> int:
        """Return the session that has these eyes; an on-looker's where nobody is in the seat."""
        who = None if eyes == NO_SEAT else self.moves[at].table.seats[eyes]
        return ONLOOKER if who is None or who.session == AWAY else who.session

    def scene(self, at: int, eyes: int) -> Scene[object]:
        """Return what these eyes saw behind a move."""
        return self.game.face.scene(self.moves[at].table, self.session(at, eyes), 0, 0.0)

    def rows(self, at: int, eyes: int) -> tuple[LogEntry[GameEvent], ...]:
        """Return what these eyes learned by a move."""
        table, session = self.moves[at].table, self.session(at, eyes)
        new = {row.number for row in self.moves[at].rows}
        return tuple(row for row in read_log(table, self.game.rules, session) if row.number in new)

    def local(self, at: int, eyes: int, words: Words) -> Local:
        """Return the state of a screen that has heard what was told up to a move."""
        table, session, face = self.moves[at].table, self.session(at, eyes), self.game.face
        local = face.hear(face.fresh(self._options), read_log(table, self.game.rules, session), session, words)
        return face.follow(local, self.scene(at, eyes))

    def hands(self, at: int, words: Words) -> list[tuple[str, str]]:
        """Return everybody's name, and their cards behind a move as far as they are open; else how many are covered."""
        state, found = self.moves[at].table.game, []
        seen = {} if state is None else self.game.public(state).hands
        for seat, name in self.names.items():
            hand = seen.get(seat, Hand())
            if seat in self._open[at] and self.session(at, seat) != ONLOOKER:
                scene, local = self.scene(at, seat), self.local(at, seat, words)
                cards = [held.name for held in linear_of(self.game).cards(scene, local, words)]
            else:
                cards = [named(text, words) for text in hand.cards or ()]
                cards += [words.count("{n} covered card", "{n} covered cards", hand.hidden)] if hand.hidden else []
            found.append((name, (", " if words.spoken else " ").join(cards)))
        return found

    # --- the way about ------------------------------------------------------------------------------------------------

    @cached_property
    def tricks(self) -> tuple[int, ...]:
        """The moves that completed a trick; where a game has none, those that began a round."""
        kinds = self.game.retold.tricks
        found = [at for at, one in enumerate(self.moves) if any(isinstance(row.event, kinds) for row in one.rows)]
        return tuple(found) if kinds else self.rounds

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """The moves that began a round."""
        numbers = [self._round(at) for at in range(len(self.moves))]
        return tuple(at for at, number in enumerate(numbers) if at == 0 or number != numbers[at - 1])

    def _round(self, at: int) -> int:
        state = self.moves[at].table.game
        return 0 if state is None else self.game.public(state).round

    def moved(self, at: int, key: str) -> int | None:
        """Return the move to which a key leads from a move, or None if the key leads nowhere."""
        key = key.upper()
        if key in _NEXT:
            return min(at + 1, self.last)
        if key in _BACK:
            return max(at - 1, 0)
        if key in _NEXT_TRICK | _NEXT_ROUND:
            return _after(self.tricks if key in _NEXT_TRICK else self.rounds, at, self.last)
        if key in _LAST_TRICK | _LAST_ROUND:
            return _before(self.tricks if key in _LAST_TRICK else self.rounds, at)
        return {"<": 0, keys.KEY_HOME: 0, ">": self.last, keys.KEY_END: self.last}.get(key)


def _after(marks: Sequence[int], at: int, last: int) -> int:
    return next((mark for mark in marks if mark > at), last)


def _before(marks: Sequence[int], at: int) -> int:
    return next((mark for mark in reversed(marks) if mark < at), 0)
