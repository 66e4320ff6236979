"""A person at a terminal who plays by the wire: the server's messages become the same screen as in the BBS.

Owns what such a player sees and does, and the players' names: by the protocol they have numbers only. There is no chat
by the wire, and no command that starts a game: it begins when enough players have come.
"""

import time
from contextlib import closing

from msgspec.structs import replace

from yawc_poker.engine.values import LogEntry
from yawc_poker.extras.maumau_wire.client.connection import Connection, ServerGone
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.client import Confused, Event, Known, hear, view
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.ui import keys
from yawc_poker.games.maumau.ui.scene import Local, Scene, fresh
from yawc_poker.games.maumau.ui.screen import FACE
from yawc_poker.games.maumau.ui.speech import sentences
from yawc_poker.session.loop.foreground import Foreground
from yawc_poker.table_ui import keys as common
from yawc_poker.table_ui.intents import Leave, MakeMove
from yawc_poker.table_ui.scene import Occupant
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.tty import TtyLine
from yawc_poker.words import Words

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
                return move
            case Leave():
                return messages.Yeet()
            case _:
                return None

    def announce(self, text: str) -> None:
        """Put a text among the messages."""
        self.local = common.announced(self.local, text, Style.BOLD)

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
    with closing(Connection(host, port)) as connection:
        connection.send(messages.Id(name))
        player = TerminalPlayer(name, words)
        player.announce(words("Waiting for the other players."))
        table = _Table(connection, TtyLine(), player, words)
        table.run()
        return table.end


class _Table(Foreground):
    """The table that a connection leads to, on the screen."""

    def __init__(self, connection: Connection, line: TtyLine, player: TerminalPlayer, words: Words) -> None:
        super().__init__(line, connection.fileno(), _SECOND)
        self.end = ""
        """Why it ended, in one line; empty: the player knows."""
        self._wire = connection
        self._player = player
        self._words = words

    def draw(self) -> None:
        """Draw the table as it is now."""
        scene, local = self._player.scene(time.monotonic()), self._player.local
        self.display.draw(FACE.layout.render(scene, local, self._words, self.line.columns, self.line.rows))

    def press(self, key: str) -> None:
        """Handle a key of the game; behind the server's last word any key ends."""
        if self._player.over:
            self.end, self.is_over = self._player.over, True
            return
        message = self._player.press(key, time.monotonic())
        if message is not None:
            self._wire.send(message)
        self.is_over |= isinstance(message, messages.Yeet)

    def receive(self) -> None:
        """Take the server's messages; behind the last one the screen stays until a key is pressed."""
        player, words = self._player, self._words
        try:
            for message in self._wire.receive():
                player.hear(message, time.monotonic())
        except ServerGone as gone:
            player.over = self._last_words(str(gone))
        except Confused as fault:
            player.over = f"the server does not keep to the protocol: {fault}"
        if player.over:
            self.hang_up()
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
