"""A wire session: one client of Mau-Mau's binary protocol, in a process of its own, at a table like everybody else's.

Owns the life of such a client: handshake, seat, game, yeet (spec/maumau_protocol.md 4 to 6). What bytes mean is
`games.maumau.codec`'s, which messages a step of the game calls for `games.maumau.wire`'s, and what may be done the
table's. A client is a guest: it has no account and no CUBES, and a name with `GUEST_MARK` that no account can have.

Whatever it sends that is no legal action at this moment ends its stay, and harms nobody else. A table whose master is
such a client begins by itself once `[maumau] players` sit there; a person at a terminal starts when he likes.
"""

import logging
import socket
import time
from collections.abc import Callable, Container, Iterator
from itertools import count

from yawc_poker.casino import metrics
from yawc_poker.casino.directory import GUESTS, DirectoryFull, PlaceKind
from yawc_poker.casino.house import House
from yawc_poker.casino.store import StoreError
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.table import Table, seat_of, seated
from yawc_poker.games.maumau import protocol, rules
from yawc_poker.games.maumau.codec import Malformed, client_reader, encode
from yawc_poker.games.maumau.model import Event, State
from yawc_poker.games.maumau.protocol import FromClient, FromServer
from yawc_poker.games.maumau.wire import Behind, Told, asked, tell
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import Bell
from yawc_poker.session.endings import Exit
from yawc_poker.session.floor import Floor, MaumauTable
from yawc_poker.session.service import OpenHouse
from yawc_poker.session.wire_line import WireLine
from yawc_poker.terminal.line import LineClosed
from yawc_poker.terminal.text import clean

log = logging.getLogger(__name__)

HANDSHAKE_SECONDS = 10.0
"""For the client to say who it is (5)."""
_MARGIN, _PART = 0.1, 0.1
"""The client is put out this many seconds, or this part of its time, before the others would move in its place."""


GUEST_MARK = "^"
"""Ends a guest's name; no account's name has it."""
_NAME = 18
"""Characters of a guest's own name; number and mark come behind it."""


def guest_name(name: str, taken: Container[str]) -> str:
    """Make a client's name harmless, a guest's, and unlike all that are taken (case-folded)."""
    plain = clean(name, _NAME).strip() or "Mau"
    dash = "-" if plain[-1].isdecimal() else ""  # another "Bot 1" is no "Bot 12"
    names = (f"{plain[: _NAME - len(tail)]}{tail}{GUEST_MARK}" for tail in _tails(dash))
    return next(one for one in names if one.casefold() not in taken)


def _tails(dash: str) -> Iterator[str]:
    yield ""
    yield from (f"{dash}{number}" for number in count(2))


def _lingers(value: Table[State, Event], seat: int) -> bool:
    """Say whether a guest sits there who is about to leave: it has played in the game that is over."""
    who = value.seats[seat]
    if who is None or who.user < GUESTS or value.last is None:
        return False
    return rules.place_of(value.last, seat) is not None


class _Over(Exception):
    """The stay ends; `str()` says why, `yeeted` whether the client has broken the rules of the protocol.

    `by_wish`: the client leaves by itself, or its game is over; anything else is told as a removal.
    """

    def __init__(self, reason: str, *, yeeted: bool = False, by_wish: bool = False) -> None:
        super().__init__(reason)
        self.yeeted = yeeted
        self.by_wish = by_wish


def serve_wire(
    connection: socket.socket, peer: str, open_house: OpenHouse, make_floor: Callable[[House], Floor] = Floor
) -> Exit:
    """Serve one client in this process until it is gone. Never raises."""
    try:
        bell = Bell()
    except OSError as error:  # no descriptors
        log.error("wire client %s cannot be served: %s", peer, error)
        return Exit.UNAVAILABLE
    alarms = Alarms()
    line = WireLine(connection, peer, bell, alarms)
    try:
        return _serve(line, alarms, open_house(), make_floor)
    except (SegmentError, DirectoryFull, LockGone, LockTimeout, StoreError, OSError, MemoryError) as error:
        log.error("wire client %s: %s", peer, error)
        return Exit.UNAVAILABLE
    except Exception:
        log.exception("wire session of %s ended by a bug", peer)
        return Exit.BUG
    finally:
        line.close()
        alarms.close()
        bell.close()


def _serve(line: WireLine, alarms: Alarms, house: House, make_floor: Callable[[House], Floor]) -> Exit:
    house.enter(line.peer)
    try:
        house.tally.count(metrics.SESSIONS)
        house.tables = floor = make_floor(house)
        _Client(line, alarms, house, floor).run()
    except (_Over, LineClosed) as end:
        log.info("wire client %s: %s", line.peer, end)
    finally:
        house.leave()
    return Exit.OK


class _Client:
    """One client's stay."""

    def __init__(self, line: WireLine, alarms: Alarms, house: House, floor: Floor) -> None:
        self._line = line
        self._alarms = alarms
        self._house = house
        self._floor = floor
        self._config = house.config.maumau
        self._reader = client_reader()
        self._told = Told()
        self._table: MaumauTable | None = None
        self._commit = -1
        self._seat = 0
        self._game: int | None = None
        """Number of the game it plays."""

    def run(self) -> None:
        """Serve until `_Over` or `LineClosed`."""
        self._alarms.set("handshake", time.monotonic() + HANDSHAKE_SECONDS)
        self._alarms.every("duty", self._house.config.engine.duty_seconds)
        by_wish = False
        try:
            while True:
                for what in self._line.wait():
                    self._take(what)
        except _Over as over:
            by_wish = over.by_wish
            if over.yeeted and self._table is not None:
                self._send(protocol.Yeeted(self._seat + 1))
            raise
        finally:
            self._stand_up(removed=not by_wish)

    # --- what comes ---------------------------------------------------------------------------------------------------

    def _take(self, what: bytes | str) -> None:
        match what:
            case bytes():
                self._hear(what)
            case "handshake":
                raise _Over("said nothing in time")
            case "end":
                raise _Over("the BBS closes" if self._house.closing else "was asked to end")
            case "deadline":
                self._refresh()
                if self._asked() is not None:
                    raise _Over("let the time pass", yeeted=True)
            case "duty":
                self._house.duty()
                self._look()
            case "start":
                self._commit = -1
                self._look()
            case _:
                self._look()

    def _hear(self, data: bytes) -> None:
        try:
            for message in self._reader.receive(data):
                if isinstance(message, protocol.Id):
                    self._enter(message.name)
                else:
                    self._act(message)
        except Malformed as fault:
            raise _Over(str(fault), yeeted=True) from None

    def _look(self) -> None:
        """Look into shared memory, as at every bell and tick."""
        mine = self._house.exchange.my_record()
        if self._house.closing:
            raise _Over("the BBS closes")
        if mine is None or mine.end_reason or self._house.segment.is_orphaned:
            raise _Over("was shown out")
        self._house.exchange.read()
        if self._table is not None:
            self._look_after(self._table)
            self._refresh()

    def _look_after(self, table: MaumauTable) -> None:
        table.watch_over()
        try:
            table.look_after(timeout=0.0)
        except LockTimeout:
            pass  # whoever holds the lock sees to the same things

    # --- the handshake ------------------------------------------------------------------------------------------------

    def _enter(self, name: str) -> None:
        """Give the client a seat where no game runs, and tell it its id; or end without an answer (5)."""
        self._alarms.cancel("handshake")
        exchange = self._house.exchange
        user, name = self._house.directory.claim_guest(exchange.index, lambda taken: guest_name(name, taken))
        for table in self._waiting_tables():
            if self._sit(table, user, name):
                break
        else:
            raise _Over("there is no free seat")
        log.info(
            "wire client %r from %s has seat %d of table %d", name, self._line.peer, self._seat + 1, table.number + 1
        )
        self._alarms.every("tick", self._house.config.engine.tick_seconds)
        exchange.stand_at(PlaceKind.TABLE, table.number, self._seat)
        self._send(protocol.Answer(self._seat + 1))
        self._refresh()

    def _waiting_tables(self) -> list[MaumauTable]:
        """Give the tables where no game runs, those with most people first."""
        waiting = [(len(seated(value)), table) for table in self._floor.maumau if (value := table.look()).game is None]
        return [table for _, table in sorted(waiting, key=lambda pair: -pair[0])]

    def _sit(self, table: MaumauTable, user: int, name: str) -> bool:
        """Sit down, unless the table is full, or its game has just begun."""
        try:
            value = table.sit(user, name)
        except IllegalMove:
            return False
        seat = seat_of(value, self._house.exchange.token)
        if seat is None or value.game is not None:
            table.leave()
            return False
        self._table, self._seat = table, seat
        return True

    # --- the game -----------------------------------------------------------------------------------------------------

    def _act(self, message: FromClient) -> None:
        """Do what the client asks for; anything it may not do now puts it out (5)."""
        if isinstance(message, protocol.Yeet):
            raise _Over("leaves", yeeted=True, by_wish=True)
        move = asked(message)
        if move is None or self._table is None:
            raise _Over("acts out of turn", yeeted=True)
        try:
            self._table.play(move)
        except IllegalMove as refusal:
            raise _Over(f"may not do that: {refusal.reason}", yeeted=True) from None
        self._refresh()

    def _refresh(self) -> None:
        """Tell the client what is new at its table."""
        if self._table is None or self._table.commit_number == self._commit:
            return
        self._commit = self._table.commit_number
        value = self._table.look()
        if seat_of(value, self._house.exchange.token) is None:
            raise _Over("was removed from the table")
        state = value.game or value.last
        if self._game is not None and (state is None or value.number != self._game):
            raise _Over("its game was called off, or it was away when that ended")
        if state is not None and self._plays(state):
            self._game = value.number
            self._tell(state)
        elif value.game is None:
            self._start(value)
        self._set_clock()

    def _plays(self, state: State) -> bool:
        """Say whether the client takes part in this game: an older one, looked at after it is over, is none of its."""
        if rules.place_of(state, self._seat) is None:
            return False
        return self._game is not None or not rules.is_over(state)

    def _tell(self, state: State) -> None:
        limit = round(self._config.turn_seconds * 1000)
        try:
            self._told, messages = tell(self._told, rules.view(state, self._seat), limit)
        except Behind as error:
            raise _Over(f"cannot be told everything any more: {error}") from None
        self._send(*messages)
        if rules.is_over(state):
            raise _Over("the game is over", by_wish=True)

    def _start(self, value: Table[State, Event]) -> None:
        """Start the game, if that is up to this client and enough are here."""
        here = len(seated(value)) - sum(_lingers(value, seat) for seat in seated(value))
        if value.master != self._seat or here < self._config.players or self._table is None:
            return
        if value.pause_until > time.monotonic():
            self._alarms.set("start", value.pause_until)
            return
        try:
            self._table.start()
        except IllegalMove as refusal:
            log.info("table %d does not start: %s", self._table.number + 1, refusal.reason)
        self._refresh()

    def _set_clock(self) -> None:
        value, limit = self._asked(), self._config.turn_seconds
        if value is not None and limit and value.deadline is not None:
            self._alarms.set("deadline", value.deadline - min(_MARGIN, limit * _PART))
        else:
            self._alarms.cancel("deadline")

    def _asked(self) -> Table[State, Event] | None:
        """Give the table as it is now, if it is this client's turn."""
        value = None if self._table is None else self._table.look()
        mine = value is not None and value.game is not None and rules.to_move(value.game) == self._seat
        return value if mine else None

    # --- the end ------------------------------------------------------------------------------------------------------

    def _send(self, *messages: FromServer) -> None:
        self._line.send(b"".join(map(encode, messages)))

    def _stand_up(self, *, removed: bool) -> None:
        if self._table is not None:
            try:
                self._table.leave(removed=removed)
            except (LockTimeout, LockGone, StoreError) as error:
                log.error("wire client %s could not give back its seat: %s", self._line.peer, error)
