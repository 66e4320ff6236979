"""TLS below a line: a connection whose bytes are encrypted, and the door for telnet callers who come by one.

Owns the handshake, which is over before a session begins, and both halves of the encryption in memory (`MemoryBIO`).

Invariants: nothing waits but `shake_hands`, `drain` and `close`, each until a deadline. Memory is bounded: of input one
record and one read, of output `OUTPUT_LIMIT` bytes that are not encrypted yet and `ENCRYPTED_LIMIT` that are.
"""

import logging
import select
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn

from telnetd.doors.certificate import Certificate, CertificateError
from telnetd.doors.sockets import ListenError, ended_by_wakeup
from telnetd.doors.telnet import TelnetLine, TelnetService
from yawc_poker.bbs.service import FirstWords
from yawc_poker.config import Config
from yawc_poker.doors import BY_TLS
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance, serve
from yawc_poker.terminal.line import FLOODING
from yawc_poker.transport import GRACE, OUTPUT_LIMIT, LineClosed, SocketTransport, Transport

log = logging.getLogger(__name__)

HANDSHAKE_LIMIT: Final = 64 * 1024
"""Bytes that a client's part of a handshake may have; an ordinary one has about a thousand."""
ENCRYPTED_LIMIT: Final = 64 * 1024
"""Encrypted bytes that the kernel has not taken: one record, and what the protocol itself has to say."""
RECORD: Final = 16 * 1024
"""Bytes that are encrypted at once: the most that one record of TLS holds."""

NO_TLS: Final = "it speaks no TLS"
TOO_SLOW: Final = "no handshake in time"
HINT: Final = b"This port speaks TLS only. Call by a program that does, or at another port.\r\n"
"""What callers by telnet are sent then."""
ACCESS_DENIED: Final = bytes.fromhex("15 0303 0002 02 31")
"""A record of TLS with the fatal alert `access_denied` (RFC 8446, 6.2), which a client may get before a handshake."""

_READ: Final = 4096
_HEAD: Final = 5
"""Bytes before a record, the last two of which are its length."""
_HANDSHAKE: Final = 22
"""The first byte of a client's first record."""


Hint = Callable[[bytes], bytes]
"""Returns what is sent, unencrypted, to those who say these bytes instead of TLS, or nothing (b"")."""


def hint_for_people(said: bytes) -> bytes:
    """Return a line that a person reads (a `Hint`)."""
    return HINT


def is_hello(said: bytes) -> bool:
    """Return whether this begins with a whole record, or is no handshake of TLS."""
    length = int.from_bytes(said[_HEAD - 2 : _HEAD])
    return bool(said) and (said[0] != _HANDSHAKE or len(said) >= _HEAD + max(length, 1))


class TlsTransport(Transport):
    """The server's side of a TLS connection, on a connected socket. Begins with `shake_hands`."""

    def __init__(
        self,
        connection: socket.socket,
        context: ssl.SSLContext,
        limit: int = OUTPUT_LIMIT,
        hint: Hint = hint_for_people,
    ) -> None:
        """Take over the socket. `hint` is for those who do not speak TLS."""
        super().__init__(limit)
        self._below = SocketTransport(connection, ENCRYPTED_LIMIT)
        self._hint = hint
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    @property
    def pending(self) -> int:
        """Bytes sent but not yet taken by the kernel, encrypted already or not."""
        return super().pending + self._below.pending

    @property
    def buffered(self) -> bool:
        """Whether bytes from the socket wait in memory; they may be less than a record."""
        return bool(self._incoming.pending or self._tls.pending())

    def fileno(self) -> int:
        """Return the socket's descriptor; -1 once closed."""
        return self._below.fileno()

    def shake_hands(self, deadline: float) -> None:
        """Wait until the handshake is done. Raise `LineClosed` if it is not by `deadline` (monotonic seconds)."""
        heard = 0
        while not self._have_shaken_hands():
            self.drain(deadline)
            if not self._wait(select.POLLIN, deadline):
                self._refuse(TOO_SLOW, b"" if heard else self._hint(b""))
            data = self._below.receive(_READ)
            if data and not heard and data[0] != _HANDSHAKE:
                self._refuse(NO_TLS, self._hint(data))
            heard += len(data)
            if heard > HANDSHAKE_LIMIT:
                self._refuse(FLOODING)
            self._incoming.write(data)
        self.flush()

    def flush(self) -> None:
        """Pass to the kernel what it takes now. Raise `LineClosed`."""
        self._pass_on()
        super().flush()

    def close(self) -> None:
        """Send what is pending, end the encryption, hang up and close, within `GRACE`. Never raise."""
        deadline = time.monotonic() + GRACE
        if self.fileno() >= 0:
            with suppress(LineClosed):
                self.drain(deadline)
            with suppress(ssl.SSLError):  # wants the other side's word as well, for which nobody waits
                self._tls.unwrap()
            with suppress(LineClosed):
                self._pass_on()
        self._below.close_until(deadline)

    def abandon(self) -> None:
        """Hang up and close at once; what the kernel does not take now is lost. Never raise, also the second time."""
        with suppress(LineClosed):
            self.flush()
        self._below.abandon()

    def _read(self, most: int) -> bytes:
        """Decrypt what is there, or else the next bytes of the socket."""
        data = self._decrypted(most)
        if data is None and (read := self._below.receive(_READ)):
            self._incoming.write(read)
            data = self._decrypted(most)
        if self._outgoing.pending:
            self._pass_on()
        if data is None:
            raise BlockingIOError
        return data

    def _decrypted(self, most: int) -> bytes | None:
        """Return decrypted bytes, b"" at the end, None if a record is not complete. Raise `LineClosed`."""
        try:
            return self._tls.read(most)
        except ssl.SSLWantReadError:
            return None
        except ssl.SSLZeroReturnError:
            return b""
        except ssl.SSLError as error:
            raise _broken(error) from None

    def _write(self, data: bytearray) -> int:
        """Encrypt a record, once the kernel has taken the one before."""
        if self._below.pending:
            return 0
        try:
            taken = self._tls.write(data[:RECORD])
        except ssl.SSLError as error:
            raise _broken(error) from None
        self._pass_on()
        return taken

    def _pass_on(self) -> None:
        """Pass to the kernel what is encrypted already. Raise `LineClosed`."""
        if self._outgoing.pending:
            self._below.send(self._outgoing.read())
        self._below.flush()

    def _have_shaken_hands(self) -> bool:
        """Go on with the handshake; return whether it is done. Raise `LineClosed`."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError as error:
            raise _broken(error) from None
        return True

    def _refuse(self, reason: str, hint: bytes = b"") -> NoReturn:
        if hint:
            self._below.send(hint)
        raise LineClosed(reason)


def _broken(error: ssl.SSLError) -> LineClosed:
    """Return the exception for what OpenSSL makes of the other side's bytes, or of an alert from there."""
    return LineClosed(f"TLS: {(error.reason or 'broken').lower().replace('_', ' ')}")


class Encryption(Certificate):
    """TLS as the listener holds it for a door: the certificate, and how each of the door's connections begins."""

    def __init__(self, cert: str, key: str, whose: str) -> None:
        """Read the certificate; raise `ListenError`, which says that there is none for `whose`."""
        try:
            super().__init__(cert, key)
        except CertificateError as error:
            raise ListenError(f"no certificate for {whose}: {error}") from None

    def open(self, connection: socket.socket, seconds: float, hint: Hint = hint_for_people) -> TlsTransport:
        """Return the bytes of a connection after its handshake, which may take so long.

        Raise `LineClosed`; then the connection is closed, and whoever speaks no TLS has got the hint.
        """
        transport = TlsTransport(connection, self.context, hint=hint)
        try:
            transport.shake_hands(time.monotonic() + seconds)
        except LineClosed:
            transport.close()
            raise
        return transport


class TlsService(TelnetService):
    """What the listener holds for the door of telnet callers in TLS, as it is for the next one."""

    has_handshake = True
    side = None

    def __init__(self, config: Config) -> None:
        """Read the certificate; raise `ListenError`."""
        self._settings = config.tls
        if not config.tls.cert:
            raise ListenError("telnet in TLS wants a certificate: [tls] cert")
        self._encryption = Encryption(config.tls.cert, config.tls.key, "telnet in TLS")
        super().reload(config)

    def prepare(self) -> bool:
        """Take a renewed certificate over."""
        return self._encryption.follow()

    def reload(self, config: Config) -> None:
        """Take the settings over; without a certificate they are those of a door that is to be closed."""
        super().reload(config)
        if config.tls.cert:
            self._settings = config.tls
            self._encryption.replace(config.tls.cert, config.tls.key)

    def refusal(self, reason: str, line: bytes) -> bytes:
        """Return a refusal in the words of TLS."""
        return ACCESS_DENIED

    def first_words(self, peer: str) -> FirstWords | None:
        """Return a proxy's header, or the client's hello."""
        seconds = self._settings.handshake_seconds
        return super().first_words(peer) or FirstWords(is_hello, seconds, TOO_SLOW, lambda said: b"" if said else HINT)

    def answer(self, connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
        """Serve a telnet caller in TLS."""
        try:
            with ended_by_wakeup():
                transport = self._encryption.open(connection, self._settings.handshake_seconds)
        except LineClosed as closed:
            log.info("%s: no session: %s", peer, closed)
            return Exit.OK
        except Exception:
            log.exception("session of %s ended by a bug", peer)
            return Exit.BUG
        return serve(TelnetLine(transport, peer, BY_TLS, self.added), open_instance)
