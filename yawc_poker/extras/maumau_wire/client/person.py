"""A person at a terminal who plays by the wire: the server's messages become the same screen as in the BBS.

Owns the loop of such a player, and the players' names: by the protocol they have numbers only. There is no chat by the
wire, and no command that starts a game: it begins when enough players have come.
"""

import select
import signal
import time

from msgspec.structs import replace

from yawc_poker.engine.values import LogEntry
from yawc_poker.extras.maumau_wire.client.connection import Connection, ServerGone
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.client import Confused, Event, Known, hear, view
from yawc_poker.extras.maumau_wire.protocol.server import said
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.ui import keys
from yawc_poker.games.maumau.ui.scene import Local, Scene, fresh
from yawc_poker.games.maumau.ui.screen import FACE
from yawc_poker.games.maumau.ui.speech import sentences
from yawc_poker.ipc.event_loop import EventLoop
from yawc_poker.ipc.events import Resized, Terminated
from yawc_poker.ipc.signals import JOB_SIGNALS, SignalInbox
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove
from yawc_poker.table_ui.scene import Occupant
from yawc_poker.terminal import display, frame, keyboard, tty
from yawc_poker.terminal.keys import REDRAW
from yawc_poker.transport import LineClosed
from yawc_poker.words import Words

ENDS = frozenset({signal.SIGTERM, signal.SIGHUP, signal.SIGINT})
_SECOND = 1.0


class TerminalPlayer:
    """What a person knows and sees. Pure but for the clock that is an argument."""

    def __init__(self, name: str, words: Words) -> None:
        self.known = Known()
        self.local: Local = fresh(model.Options())
        self.over = ""
        """Why nothing more will come; empty while something may."""
        self._name = name
        self._words = words
        self._deadline: float | None = None

    def hear(self, message: messages.FromServer, now: float) -> None:
        """Take a message; raise `Confused`."""
        turn = self.known.turn
        self.known, events = hear(self.known, message)
        if self.known.turn != turn:
            limit = self.known.milliseconds
            self._deadline = now + limit / 1000 if limit else None
        for event in events:
            self._tell(event)
        self.local = keys.follow(self.local, self.scene(now))

    def press(self, key: str, now: float) -> messages.FromClient | None:
        """Take a key; return the message that it means, if any."""
        self.local, intent = FACE.press(self.local, self.scene(now), key, self._words)
        match intent:
            case MakeMove(move):
                return said(move)
            case Leave():
                return messages.Yeet()
            case _:
                return None

    def announce(self, text: str) -> None:
        """Put a text among the messages."""
        self.local = common.announced(self.local, text, frame.Style.BOLD)

    def name_of(self, place: int) -> str:
        """Return the name of a player."""
        if place == self.known.place:
            return self._name
        words = self._words
        return words("Player {n}", n=place + 1)

    def scene(self, now: float) -> Scene:
        """Return the scene that the player sees."""
        known = self.known
        game = view(known)
        running = game is not None and known.expects != "closed"
        others = [place for place in range(len(known.counts)) if place != known.place and place not in known.gone]
        return Scene(
            seat=known.place,
            name=self._name,
            cash=0,
            people=tuple(Occupant(place, self.name_of(place)) for place in others),
            master="",
            current=None if known.current is None else self.name_of(known.current),
            pot=None,
            game=game,
            running=running,
            is_master=False,
            deadline=self._deadline if known.is_mine else None,
            pause_until=0.0,
            waiting=0,
            now=now,
            turn=(known.round, known.turn) if known.is_mine else None,
            chats=False,
        )

    def _tell(self, event: Event) -> None:
        seat = event.seat
        name = "" if seat is None else self.name_of(seat)
        entry: LogEntry[model.Event] = LogEntry(0, 0, name, event, seat)
        talk = self.local.talk
        for text, style in sentences(entry, self._words):
            talk = talk.add(text, style)
        self.local = replace(self.local, talk=talk)


def play(host: str, port: int, name: str, words: Words) -> str:
    """Play at this terminal until the player leaves; return the last message to print. Raise `ServerGone`."""
    connection = Connection(host, port)
    try:
        connection.send(messages.Id(name))
        line = tty.TtyLine()
        inbox = SignalInbox((*ENDS, signal.SIGWINCH, *JOB_SIGNALS))
        try:
            return _Table(connection, line, inbox, TerminalPlayer(name, words), words).run()
        except LineClosed:
            return ""
        finally:
            inbox.close()
            line.close()
    finally:
        connection.close()


class _Table:
    """The loop: a terminal, a connection and signals at once."""

    def __init__(
        self, connection: Connection, line: tty.TtyLine, inbox: SignalInbox, player: TerminalPlayer, words: Words
    ) -> None:
        self._connection = connection
        self._line = line
        self._display = display.Display(line)
        self._loop = EventLoop(inbox, ends=ENDS, on_job=tty.Job(line, self._display).hear)
        self._player = player
        self._words = words
        self._keyboard = keyboard.Keyboard(self._display)
        self._end: str | None = None
        self._loop.watch(connection.fileno())

    def run(self) -> str:
        """Play; return why it ended, in one line, or "" if the player knows."""
        player, words = self._player, self._words
        player.announce(words("Waiting for the other players."))
        try:
            while self._end is None:
                self._draw()
                self._look(self._wait())
        finally:
            self._display.restore()
        return self._end

    def _draw(self) -> None:
        now = time.monotonic()
        scene = self._player.scene(now)
        self._display.draw(
            FACE.layout.render(scene, self._player.local, self._words, self._line.columns, self._line.rows)
        )
        self._line.flush()

    def _wait(self) -> set[int]:
        """Wait for a second at most; return the descriptors that are ready."""
        self._loop.watch(self._line.fileno(), select.POLLIN | (select.POLLOUT if self._line.pending else 0))
        escape = self._keyboard.escape_at
        seconds = _SECOND if escape is None else max(0.0, min(_SECOND, escape - time.monotonic()))
        return {descriptor for descriptor, _ in self._loop.wait(seconds)}

    def _look(self, ready: set[int]) -> None:
        events = [*self._loop.events]
        self._loop.events.clear()
        if Terminated() in events:
            self._end = ""
            return
        if Resized() in events:
            self._line.resized()
        if self._connection.fileno() in ready:
            self._listen()
        if self._line.fileno() in ready:
            self._keyboard.feed(self._line.receive())
        for key in self._keyboard.keys(time.monotonic()):
            self._press(key)

    def _press(self, key: str) -> None:
        if key == REDRAW:
            self._display.forget()
            return
        if self._player.over:
            self._end = self._player.over
            return
        message = self._player.press(key, time.monotonic())
        if message is not None:
            self._connection.send(message)
        if isinstance(message, messages.Yeet):
            self._end = ""

    def _listen(self) -> None:
        """Take the server's messages; behind the last one the screen stays until a key is pressed."""
        player, words = self._player, self._words
        try:
            for message in self._connection.receive():
                player.hear(message, time.monotonic())
        except ServerGone as gone:
            player.over = self._last_words(str(gone))
        except Confused as fault:
            player.over = f"the server does not keep to the protocol: {fault}"
        if player.over:
            self._loop.forget(self._connection.fileno())
            player.announce(player.over)
            player.announce(words("Press any key."))

    def _last_words(self, reason: str) -> str:
        known, words = self._player.known, self._words
        if known.is_out:
            return words("You were put out of the game.")
        if known.expects == "closed":
            return words("The game is over.")
        if known.expects == "answer":
            return words("There is no free seat: a game is running, or all seats are taken.")
        return reason
