"""A browser's tab for the tests: a real WebSocket by wsproto with pyte as its eye; and requests as raw bytes."""

import json
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Ping, Pong, RejectConnection, Request
from wsproto.utilities import LocalProtocolError

from tests.certificates import client_context
from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, SocketCaller, connected
from tests.end_to_end.tls import encrypted
from tests.ports import free_port

NEEDS = "telnetd.extras.web"


def a_bbs(data: Path, more: str = "") -> Bbs:
    """A BBS with a door for browsers; `more` are further settings of its section."""
    return Bbs(data, f"{FAST}[web]\n{more}", web_port=free_port())


class Message(NamedTuple):
    """A message of the log."""

    text: str
    style: str
    number: int


class Refused(Exception):
    """No WebSocket was had; `str()` is the status."""


class Tab(SocketCaller):
    """A page with a terminal of 80x24. With a token it goes on with the session of another one."""

    def __init__(
        self,
        port: int,
        token: str = "",
        language: str = "en",
        columns: int = 80,
        rows: int = 24,
        origin: str = "",
        headers: tuple[tuple[str, str], ...] = (),
        before: bytes = b"",
        address: str = "127.0.0.1",
        trusted: Path | None = None,
        invitation: str = "",
        place: str = "",
    ) -> None:
        """`before` is sent first of all, as a proxy's header is; `trusted` is a certificate: the tab speaks HTTPS.

        `invitation` is the token of the link by which the page was opened, `place` what it leads to.
        """
        plain = connected(port, address, before)
        super().__init__(plain if trusted is None else encrypted(plain, client_context(trusted)), columns, rows)
        self.keys: dict[str, str] = {}
        self.mode = ""
        self.is_hidden_line = False
        self.is_on_turn = False
        self.names: dict[str, str] = {}
        """What the keys are called in words."""
        self.asked = ""
        """What is asked; empty: nothing, or what stands among the messages."""
        self.heard: list[Message] = []
        self.history: list[Message] = []
        """Messages of before this page was there."""
        self.seal = self.mine = ""
        self.is_frozen = False
        self.title = self.language = self.token = ""
        self.areas: list[list[object]] = []
        """What may be touched, each with its key first."""
        self.link = ""
        self.notices: list[str] = []
        self.closed: tuple[int, str] | None = None
        self._part = b""
        self.texts = 0
        """Frames with text for the terminal."""
        self._web = WSConnection(ConnectionType.CLIENT)
        scheme = "http" if trusted is None else "https"
        try:
            self._shake_hands(f"127.0.0.1:{port}", origin or f"{scheme}://127.0.0.1:{port}", headers)
        except Refused:
            self.socket.close()
            raise
        window = {"kind": "xterm-256color", "language": language, "columns": columns, "rows": rows}
        told = json.dumps({**window, "address": "http://bbs.example/", "invitation": invitation, "place": place})
        self.frame(b"s" + f"{token}\n{told}".encode() if token else b"t" + told.encode())

    def _shake_hands(self, host: str, origin: str, headers: tuple[tuple[str, str], ...]) -> None:
        more = [(name.encode(), value.encode()) for name, value in (("Origin", origin), *headers)]
        asked = Request(host=host, target="/session", subprotocols=["yawc.1"], extra_headers=more)
        self.socket.sendall(self._web.send(asked))
        while True:
            for event in self._web.events():
                if isinstance(event, AcceptConnection):
                    assert event.subprotocol == "yawc.1"
                    self._look()
                    return
                if isinstance(event, RejectConnection):
                    raise Refused(str(event.status_code))
            data = self.socket.recv(65536)
            if not data:
                raise Refused("closed")
            self._web.receive_data(data)

    # --- frames -------------------------------------------------------------------------------------------------------

    def frame(self, payload: bytes) -> None:
        """Send a frame, if the server has not closed yet."""
        with suppress(BrokenPipeError, ConnectionResetError, LocalProtocolError):
            self.socket.sendall(self._web.send(BytesMessage(data=payload)))

    def send(self, data: bytes | str) -> None:
        self.frame(b"d" + (data.encode() if isinstance(data, str) else data))

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.frame(b"w" + struct.pack("!HH", columns, rows))

    def show(self, *, is_visible: bool) -> None:
        """Hide the tab, or look at it again: then its terminal is empty."""
        if is_visible:
            self.screen.reset()
        self.frame(b"v\x01" if is_visible else b"v\x00")

    def line(self, text: str) -> None:
        self.send(text + "\r")

    def close(self, code: int = 1001) -> None:
        """Close the tab as a browser does."""
        self.socket.sendall(self._web.send(CloseConnection(code=code)))
        self.hang_up()

    def offers(self, *keys: str) -> None:
        """Wait until these keys are offered."""
        self.wait(lambda: set(keys) <= set(self.keys), f"keys {keys}, not {self.keys}")

    def told(self, text: str) -> None:
        """Wait for a message of the log that contains the text."""
        self.wait(lambda: any(text in one.text for one in self.heard), f"{text!r} in the log")

    def ends(self, code: int) -> str:
        """Wait until the server has closed the WebSocket with this code; return the reason."""
        until = time.monotonic() + DEADLINE
        while self.closed is None and self.is_open and time.monotonic() < until:
            self._read(until - time.monotonic())
        assert self.closed is not None, self.text
        assert self.closed[0] == code, self.closed
        return self.closed[1]

    def _receive(self, data: bytes) -> None:
        self._web.receive_data(data)
        self._look()

    def _look(self) -> None:
        """Take what has come."""
        for event in self._web.events():
            match event:
                case BytesMessage():
                    self._part += bytes(event.data)
                    if event.message_finished:
                        whole, self._part = self._part, b""
                        self._take(whole[:1], whole[1:])
                case Ping():
                    self.socket.sendall(self._web.send(event.response()))
                case Pong():
                    pass
                case CloseConnection():
                    self.closed = (int(event.code), event.reason or "")
                    with suppress(OSError):
                        self.socket.sendall(self._web.send(event.response()))

    def _take(self, kind: bytes, payload: bytes) -> None:
        match kind:
            case b"d":
                self.texts += 1
                self._show(payload)
            case b"k":
                told = json.loads(payload)
                self.keys = {one["key"]: one["label"] for one in told["keys"]}
                self.names = {one["key"]: one.get("name") or one["label"] for one in told["keys"]}
                self.mode, self.is_on_turn = told["mode"], told["turn"]
                self.asked = "" if told.get("is_told", False) else told.get("asks", "")
                self.is_hidden_line = told.get("hidden", False)
            case b"c":
                next_game = json.loads(payload)
                self.seal, self.mine, self.is_frozen = (next_game[name] for name in ("seal", "mine", "frozen"))
            case b"m":
                self.heard.append(Message(**json.loads(payload)))
            case b"h":
                self.history += [Message(**one) for one in json.loads(payload)]
            case b"a":
                self.areas = json.loads(payload)
            case b"q":
                self.link = json.loads(payload)["link"]
            case b"n":
                self.notices.append(json.loads(payload)["text"])
            case b"b":
                self.title = json.loads(payload)["title"]
            case b"l":
                self.language = payload.decode()
            case b"r":
                self.token = payload.decode()
            case _:
                raise AssertionError(f"a frame of an unknown kind: {kind!r}")

    def has_token(self, before: str = "") -> str:
        """Wait for the session's token, another one than before, and return it."""
        self.wait(lambda: self.token not in {"", before}, "a token")
        return self.token


def exchange(port: int, request: bytes, *, address: str = "127.0.0.1", most: int = 1 << 20) -> bytes:
    """Send raw bytes and return all that is answered until the other side closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE, source_address=(address, 0)) as asked:
        with suppress(BrokenPipeError, ConnectionResetError):
            asked.sendall(request)
        answer = b""
        with suppress(ConnectionResetError):
            while len(answer) < most and (more := asked.recv(65536)):
                answer += more
        return answer


def get(port: int, path: str = "/", *more: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of one request."""
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", *more, "", ""]
    head, _, body = exchange(port, "\r\n".join(lines).encode()).partition(b"\r\n\r\n")
    first, *headers = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in headers), body
