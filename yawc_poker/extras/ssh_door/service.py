"""A session whose terminal `yawc-door` hands over: the first message, the refusal of what is no terminal, the end.

Owns the door's connection from the fork on; the protocol is `program.hello`'s. Whoever may connect there is believed
where the caller comes from, and nothing more: a key counts only if the user who runs the door is one of `[door]
key_users`, as the kernel tells (SO_PEERCRED). What comes is bounded in length and time, and of descriptors one
is kept.
"""

import logging
import os
import pwd
import select
import signal
import socket
import struct
import termios
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from yawc_poker.addresses import parse_address
from yawc_poker.bbs.service import Service
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.users.keys import fingerprint
from yawc_poker.config import Config
from yawc_poker.extras.ssh_door.line import DoorLine
from yawc_poker.extras.ssh_door.program.hello import KEY, LONGEST, answer, is_whole, origin_in, read_message
from yawc_poker.extras.ssh_door.settings import DoorSettings
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance, serve
from yawc_poker.transport import process_at
from yawc_poker.words import language_of_locale

log = logging.getLogger(__name__)

SOME_TERMINAL: Final = "/dev/tty"
"""The origin of a terminal that does not tell one."""
MESSAGE_SECONDS: Final = 5.0
"""How long the message may take to come."""
_DESCRIPTOR: Final = struct.Struct("i")
_SORRY: Final = "Sorry, this BBS cannot take your call at the moment. Please call again later."


class NoTerminal(Exception):
    """Nobody can be served there; `str()` says why."""


class Terminal(NamedTuple):
    """What a door has brought."""

    descriptor: int
    environ: Mapping[str, str]


class TerminalService(Service):
    """The door for terminals."""

    def reload(self, config: Config) -> None:
        """Take over who is believed which key a caller has proven to have."""
        self._key_users = config.of(DoorSettings).key_users

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve the caller at a terminal that is handed over."""
        with connection:
            try:
                terminal = receive_terminal(connection, time.monotonic() + MESSAGE_SECONDS)
                line = _line(terminal, connection, peer)
            except NoTerminal as error:
                log.warning("terminal %s: %s", peer, error)
                _answer(connection, _SORRY, Exit.UNAVAILABLE)
                return Exit.OK
            key = fingerprint(terminal.environ.get(KEY.decode(), ""))
            code = serve(
                line,
                open_instance,
                entrance=Entrance.DOOR if parse_address(peer) else Entrance.TERMINAL,
                language=language_of_locale(terminal.environ),
                key=key if key and _user(connection) in self._key_users else "",
            )
            _answer(connection, "", code)
        return code

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return what a door is told whose caller the listener refuses."""
        return answer(line.decode() or _SORRY, Exit.UNAVAILABLE)

    def origin(self, address: object) -> str:
        """Return the address that the door tells, or the terminal's name."""
        told = origin_in(address)
        known = parse_address(told)
        if known is not None:
            return str(known)
        return told if told.startswith("/") and told.replace("/", "").isalnum() else SOME_TERMINAL


def _answer(connection: socket.socket, text: str, code: int) -> None:
    with suppress(OSError):  # the door has gone
        connection.send(answer(text, code), socket.MSG_NOSIGNAL)


def receive_terminal(connection: socket.socket, until: float) -> Terminal:
    """Return what comes until this moment (monotonic seconds). Raise `NoTerminal`."""
    connection.setblocking(False)
    found: list[int] = []
    data = b""
    try:
        while not is_whole(data):
            data += _receive(connection, LONGEST - len(data), found, until)
        if not found:
            raise NoTerminal("brought no descriptor")
        return Terminal(found.pop(0), read_message(data))
    finally:
        for descriptor in found:
            os.close(descriptor)


def _receive(connection: socket.socket, room: int, found: list[int], until: float) -> bytes:
    """Return a piece of the message, and append the descriptors that came with it. Raise `NoTerminal`."""
    poller = select.poll()
    poller.register(connection, select.POLLIN)
    if not poller.poll(max(0.0, until - time.monotonic()) * 1000):
        raise NoTerminal(f"told nothing within {MESSAGE_SECONDS:g} seconds")
    if not room:
        raise NoTerminal(f"told more than {LONGEST} bytes")
    try:
        data, ancillary, _, _ = connection.recvmsg(room, socket.CMSG_SPACE(_DESCRIPTOR.size), socket.MSG_CMSG_CLOEXEC)
    except OSError as error:
        raise NoTerminal(f"hung up: {error.strerror}") from None
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            found += [one for (one,) in _DESCRIPTOR.iter_unpack(content[: len(content) // 4 * 4])]
    if not data:
        raise NoTerminal("hung up in the middle of a word")
    return data


def _line(terminal: Terminal, connection: socket.socket, peer: str) -> DoorLine:
    """Return the line on a terminal, also on one of an unknown kind or size. Raise `NoTerminal` if it is none."""
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGWINCH})  # the connection sends it from now on
        return DoorLine(terminal.descriptor, terminal.environ, connection, peer)
    except (OSError, termios.error) as error:
        raise NoTerminal(f"cannot be used: {error.args[-1]}") from None


def _user(connection: socket.socket) -> str:
    """Return the name of the user at the other end, as the kernel knows it; empty: there is none of that name."""
    _, uid = process_at(connection)
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return ""
