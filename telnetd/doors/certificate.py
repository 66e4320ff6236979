"""The certificate of a door, as the context of its TLS connections, which follows the certificate's files.

Owns the context and knows when the files were changed. Used by the listener before it forks: a session has the context
of its birth. A file that cannot be used changes nothing, and the log says so once.
"""

import logging
import os
import ssl
from contextlib import suppress
from typing import Final, NoReturn

log = logging.getLogger(__name__)

CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""Of TLS 1.2: keys that nobody can find out later, and records that cannot be changed unnoticed. Those of 1.3 are."""
_TURNS: Final = 3
"""Of each side, until a handshake is done."""

_State = tuple[tuple[int, int, int, int] | None, ...]


class CertificateError(Exception):
    """The certificate cannot be used; `str()` is one line."""


class Certificate:
    """A certificate and its private key, in files of PEM."""

    def __init__(self, cert: str, key: str) -> None:
        """Read the files; an empty `key` is in the file `cert`, too. Raise `CertificateError`."""
        self._files = cert, key or cert
        self._state = _state(self._files)
        self.context = make_context(*self._files)
        """For connections to come."""

    def follow(self) -> bool:
        """Read the files again if they were changed since they were read; return whether they were."""
        if _state(self._files) == self._state:
            return False
        self._read()
        return True

    def replace(self, cert: str, key: str) -> None:
        """Read these files from now on."""
        self._files = cert, key or cert
        self._read()

    def _read(self) -> None:
        self._state = _state(self._files)  # first: what changes after it is found at the next look
        try:
            self.context = make_context(*self._files)
        except CertificateError as error:
            log.error("the certificate stays as it was: %s", error)
        else:
            log.info("certificate read again: %s", self._files[0])


def make_context(cert: str, key: str) -> ssl.SSLContext:
    """Return the context of a server with this certificate; raise `CertificateError`.

    TLS 1.2 and later, no renegotiation, no tickets: a call lasts too long for the next one to be worth resuming.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHERS)
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_TICKET | ssl.OP_CIPHER_SERVER_PREFERENCE
    context.num_tickets = 0
    try:
        for file in (cert, key):
            os.close(os.open(file, os.O_RDONLY | os.O_CLOEXEC))  # OpenSSL does not say which of them it misses
        context.load_cert_chain(cert, key, _no_password)
    except ssl.SSLError as error:
        reason = (error.reason or "no certificate and key in PEM").lower().replace("_", " ")
        raise CertificateError(f"{cert}, {key}: {reason}") from None
    except OSError as error:
        raise CertificateError(f"{error.filename or key}: {error.strerror}") from None
    _rehearse(context)
    return context


def _rehearse(context: ssl.SSLContext) -> None:
    """Shake hands in memory, so that OpenSSL has loaded in the listener what sessions then share."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = client.wrap_bio(back, there), context.wrap_bio(there, back, server_side=True)
    for _ in range(_TURNS):
        for end in ends:
            with suppress(ssl.SSLError):
                end.do_handshake()


def _no_password() -> NoReturn:
    """Refuse a key with a password, for which OpenSSL would ask at the terminal."""
    raise OSError(0, "the key wants a password")


def _state(files: tuple[str, ...]) -> _State:
    """Return what changes when one of the files does."""
    return tuple(map(_state_of, files))


def _state_of(file: str) -> tuple[int, int, int, int] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
