"""A wire session: one client of Mau-Mau's binary protocol, in a process of its own, at a table like everybody else's.

Owns the life of such a client: handshake, seat, game, yeet (spec/maumau_protocol.md 4 to 6). The meaning of bytes is
`maumau_wire.protocol.codec`'s, the messages for a step of the game `maumau_wire.protocol.server`'s, the rules the
table's. A client is a guest: it has no account, no CUBES, and a name that no account can have (`guest_names`). Its seat
is found by `seating`.

Anything it sends that is no legal action at this moment ends its stay, and harms nobody else. A table whose master is
such a client begins by itself once `[maumau] players` sit there; a person at a terminal starts when they like.
"""

import logging
import select
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from yawc_poker.bbs.service import Service
from yawc_poker.casino import counters
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import AnyTable, Table
from yawc_poker.extras.maumau_wire.doors import BY_WIRE
from yawc_poker.extras.maumau_wire.protocol import codec, messages, server
from yawc_poker.extras.maumau_wire.seating import GRACE, LATE_SECONDS, Seating, has_host, maumau, take_seat, waiting
from yawc_poker.extras.maumau_wire.settings import WireSettings
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.game import MaumauSettings
from yawc_poker.games.maumau.model import Event, Move, State
from yawc_poker.ipc import events
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import AlarmDue, Terminated
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.games import MAUMAU_TABLES
from yawc_poker.registry.tables import Tables
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance
from yawc_poker.session.table import attendance
from yawc_poker.session.table.attendance import SeatedPlayer
from yawc_poker.session.table.table_session import CallerlessSession, Over, serve_callerless
from yawc_poker.transport import LineClosed, SocketTransport

log = logging.getLogger(__name__)

GAME_OVER: Final = {"no_game", "closing"}
"""Refusals that say that there is no game any more."""
_READ = 4096
"""Most bytes taken at once; a client's action has three."""
OUTPUT_LIMIT = 64 * 1024
"""Bytes a client may leave unread; a whole game's are about ten thousand."""
HANDSHAKE_SECONDS = 10.0
"""For the client to say who it is (5)."""


class WireLine(SocketTransport):
    """A client's connection: bytes in, bytes out, and the only place in a wire session that waits.

    What the client does not read waits in a bounded buffer. Signals go before bytes, as in a caller's loop. Every call
    but `wait` and `close` returns at once.
    """

    def __init__(self, connection: socket.socket, peer: str, inbox: SignalInbox, alarms: Alarms) -> None:
        super().__init__(connection, OUTPUT_LIMIT)
        self.peer = peer
        self._loop = EventLoop(inbox, alarms)

    def wait(self) -> Iterator[bytes | events.Event]:
        """Wait, then yield what came: events, and bytes last. Raise `LineClosed`."""
        self.flush()
        self._loop.watch(self.fileno(), select.POLLIN | (select.POLLOUT if self.pending else 0))
        ready = self._loop.wait(0.0 if self.buffered else None)
        while self._loop.events:
            yield self._loop.events.popleft()
        if self.buffered or any(what & ~select.POLLOUT for _, what in ready):
            yield self.receive(_READ)


class WireService(Service):
    """The door for clients of the protocol."""

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve one client in this process until it is gone, and return how it ended. Never raises."""
        who = f"wire client {peer}"

        def serve(inbox: SignalInbox, alarms: Alarms) -> None:
            line = WireLine(connection, peer, inbox, alarms)
            try:
                _serve(line, alarms, open_instance())
            finally:
                line.close()

        return serve_callerless(who, f"{who} cannot be served", f"wire session of {peer}", serve)

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return nothing: the protocol has no word for it."""
        return b""


def _serve(line: WireLine, alarms: Alarms, instance: Instance) -> None:
    instance.enter(line.peer, way=BY_WIRE)
    try:
        instance.tally.count(counters.SESSIONS)
        instance.tables = Tables(instance)
        Client(line, alarms, instance).run()
    except (Over, LineClosed) as end:
        log.info("wire client %s: %s", line.peer, end)
    finally:
        instance.leave()


class Client(CallerlessSession):
    """One client's stay."""

    def __init__(self, line: WireLine, alarms: Alarms, instance: Instance) -> None:
        super().__init__(instance, alarms, None)
        self._line = line
        self._config, self._settings = instance.config.of(MaumauSettings), instance.config.of(WireSettings)
        self._reader = codec.client_reader()
        self._told = server.ClientProgress()
        self._seating: Seating | None = None
        self._seat = 0
        """Its id, less one; it keeps that after the seat was taken from it."""
        self._asked_at = 0.0
        """Monotonic second at which the client was told the time of the latest turn."""
        self._game: int | None = None
        """Number of the game it plays."""
        self._late: Move | None = None
        """What it asked for while the table could not be changed, as without the database; it is tried again."""

    def run(self) -> None:
        """Serve until `Over` or `LineClosed`."""
        self._alarms.set("handshake", time.monotonic() + HANDSHAKE_SECONDS)
        self._alarms.every("duty", self._instance.config.engine.duty_seconds)
        by_wish = False
        try:
            while True:
                for what in self._line.wait():
                    self._meet(what)
        except Over as over:
            by_wish = over.by_wish
            if not over.ended:
                self._tell_out()
            raise
        except LineClosed:  # perhaps only the client's half of the connection
            self._tell_out()
            raise
        finally:
            self._stand_up(removed=not by_wish)

    # --- what comes ---------------------------------------------------------------------------------------------------

    def _meet(self, what: bytes | events.Event) -> None:
        match what:
            case bytes():
                self._hear(what)
            case Terminated():
                raise Over("the BBS closes" if self._instance.closing else "was asked to end")
            case AlarmDue(name):
                self._take_alarm(name)
            case _:
                self.look()

    def _take_alarm(self, name: str) -> None:
        match name:
            case "handshake":
                raise Over("said nothing in time")
            case attendance.DEADLINE:
                self.refresh()
                if self._late is None and self._asked() is not None and time.monotonic() >= self._time_ends():
                    raise Over("let the time pass")
            case "wait":
                self._tire()
            case "duty":
                self._instance.maintain_part()
                self.look()
            case "late" if self._late is not None:
                self._act(self._late)
            case "start":
                self.look(force=True)
            case _:
                self.look()

    def _hear(self, data: bytes) -> None:
        try:
            for message in self._reader.receive(data):
                if isinstance(message, messages.Id):
                    self._enter(message.name)
                else:
                    self._act(message)
        except codec.Malformed as fault:
            raise Over(str(fault)) from None

    def look(self, patience: float = 0.0, *, force: bool = False) -> None:
        """Look into shared memory, and move to where others wait."""
        super().look(patience, force=force)
        if self.place is not None:
            self._gather(self.place)

    # --- the handshake ------------------------------------------------------------------------------------------------

    def _enter(self, name: str) -> None:
        """Find the client a seat where no game runs, and send it its id; or end without an answer (5)."""
        self._alarms.cancel("handshake")
        instance = self._instance
        notifier, tick = instance.notifier, instance.config.engine.tick_seconds
        players = [SeatedPlayer(table, self._alarms, tick) for table in MAUMAU_TABLES.all(instance)]

        self._seating, player = take_seat(
            players,
            name,
            lambda choose: instance.directory.claim_guest(notifier.index, choose),
            instance.config.bbs.name,
        )
        if player is None or player.seat is None:
            raise Over("there is no free seat")
        self._sit(player, player.seat, self._seating.name)
        self._wait_for_game()
        self._send(messages.Answer(self._seat + 1))
        self.refresh()

    def _sit(self, player: SeatedPlayer, seat: int, name: str) -> None:
        self.place, self._seat = player, seat
        log.info("wire client %r from %s has seat %d of table %s", name, self._line.peer, seat + 1, player.table.name)
        player.show_place()

    # --- waiting for a game -------------------------------------------------------------------------------------------

    def _gather(self, player: SeatedPlayer) -> None:
        """Move to where others wait, if this client is alone at its table."""
        if self._game is not None or self._seating is None:
            return
        there = self._seating.move(player)
        if there is not player:
            self._sit(there, self._seat, self._seating.name)
            self.refresh()

    def _wait_for_game(self) -> None:
        if self._settings.wait_seconds:
            self._alarms.set("wait", time.monotonic() + self._settings.wait_seconds)

    def _tire(self) -> None:
        """End a stay in which no game began in time, unless a person sits there, who starts games."""
        if self._game is not None or self.place is None:
            return
        if has_host(maumau(self.place.table.look())):
            self._wait_for_game()
        else:
            raise Over("no game began in time")

    # --- the game -----------------------------------------------------------------------------------------------------

    def _act(self, message: Move | messages.Yeet) -> None:
        """Do what the client asks for; anything it may not do now ends its stay (5)."""
        if isinstance(message, messages.Yeet):
            raise Over("leaves", by_wish=True)
        if self.place is None or (self._late is not None and message is not self._late):
            raise Over("acts out of turn")
        try:
            self.place.table.play(message)
        except (LockTimeout, StoreError) as error:
            log.error("wire client %s waits for table %s: %s", self._line.peer, self.place.table.name, error)
            self._late = message
            self._alarms.set("late", time.monotonic() + LATE_SECONDS)
            return
        except IllegalMove as refusal:
            if self._late is None:  # else the first try was done, perhaps, and only its answer was lost
                if self._game is not None and refusal.reason in GAME_OVER:
                    self.refresh()  # it ended while the move was on its way: the client is told the result
                raise Over(f"may not do that: {refusal.reason}") from None
        self._late = None
        self.refresh()

    def take(self, value: AnyTable) -> None:
        """Take over a value of the table, and send the client what is new."""
        table = maumau(value)
        assert self.place is not None, "a value is that of its table"
        if self.place.seat is None:
            raise Over("was removed from the table")
        state = table.game or table.last
        if self._game is not None and (state is None or table.number != self._game):
            raise Over("its game was called off, or it was away when that ended")
        if state is not None and self._plays(state):
            self._game = table.number
            self._tell(state)
        elif table.game is None:
            self._start(self.place.table, table)
        self._set_clock(self.place)

    def _plays(self, state: State) -> bool:
        """Return whether the client takes part in this game; one that was over before it came is not its own."""
        if rules.place_of(state, self._seat) is None:
            return False
        return self._game is not None or not rules.is_over(state)

    def _tell(self, state: State) -> None:
        limit = round(self._config.turn_seconds * 1000)
        try:
            self._told, new = server.tell(self._told, rules.view(state, self._seat), limit)
        except server.Behind as error:
            raise Over(f"cannot be told everything any more: {error}") from None
        self._send(*new)
        if any(isinstance(message, messages.Time) for message in new):
            self._asked_at = time.monotonic()
        if rules.is_over(state):
            raise Over("the game is over", ended=True)

    def _start(self, table: GameTable, value: Table[State, Event]) -> None:
        """Start the game, if that is up to this client and enough are here."""
        if value.master != self._seat or value.opening is not None:
            return
        if len(waiting(table.number, value).stay) < self._settings.players:
            return
        if value.pause_until > time.monotonic():
            self._alarms.set("start", value.pause_until)
            return
        try:
            table.start()
        except IllegalMove as refusal:
            log.info("table %s does not start: %s", table.name, refusal.reason)
        except (LockTimeout, StoreError) as error:
            log.error("table %s does not start yet: %s", table.name, error)
            self._alarms.set("start", time.monotonic() + LATE_SECONDS)
            return
        self.refresh()

    def _set_clock(self, player: SeatedPlayer) -> None:
        has_turn = self._asked() is not None and self._config.turn_seconds
        player.set_deadline(self._time_ends() if has_turn else None)

    def _time_ends(self) -> float:
        """Return when the client's stay ends: after the time that it was told, before the others move for it."""
        return self._asked_at + self._config.turn_seconds + GRACE / 2

    def _asked(self) -> Table[State, Event] | None:
        """Return the table as it is now, if it is this client's turn, else None."""
        value = None if self.place is None else maumau(self.place.table.look())
        mine = value is not None and value.game is not None and rules.to_move(value.game) == self._seat
        return value if mine else None

    # --- the end ------------------------------------------------------------------------------------------------------

    def _send(self, *sent: messages.FromServer) -> None:
        self._line.send(b"".join(map(codec.encode, sent)))

    def _tell_out(self) -> None:
        """Send 74 with its own id to a client that has one; the table tells the others that its seat is free."""
        if self.place is not None:
            with suppress(LineClosed):
                self._send(messages.Yeeted(self._seat + 1))

    def _stand_up(self, *, removed: bool) -> None:
        if self.place is not None:
            try:
                self.place.stand_up(removed=removed)
            except (LockTimeout, LockGone, StoreError) as error:
                log.error("wire client %s could not give back its seat: %s", self._line.peer, error)
