"""A BBS with a door for telnet in TLS, and callers who come by it."""

import socket
import ssl
from pathlib import Path

from tests.certificates import Files, client_context
from tests.end_to_end.bbs import FAST, Bbs, TelnetCaller, connected
from tests.ports import free_port

NAME = "bbs.test"
"""Of the certificates."""


def encrypted(plain: socket.socket, context: ssl.SSLContext, name: str = NAME) -> ssl.SSLSocket:
    """Return a connection in TLS. It takes an end without close_notify for an error. Raise `ssl.SSLError`."""
    try:
        return context.wrap_socket(plain, server_hostname=name, suppress_ragged_eofs=False)
    except BaseException:
        plain.close()
        raise


class TlsCaller(TelnetCaller):
    """A telnet caller in TLS, who trusts one certificate alone.

    Raises `ssl.SSLError` where there is no handshake.
    """

    def __init__(
        self,
        port: int,
        trusted: Path,
        *,
        name: str = NAME,
        address: str = "127.0.0.1",
        version: ssl.TLSVersion | None = None,
        before: bytes = b"",
    ) -> None:
        self.tls = encrypted(connected(port, address, before), client_context(trusted, version=version), name)
        super().__init__(self.tls)


def section(port: int, files: Files, handshake: float = 10) -> str:
    """Return the section of the configuration for a door at this port."""
    return f'\n[tls]\nport = {port}\ncert = "{files.cert}"\nkey = "{files.key}"\nhandshake_seconds = {handshake}\n'


class TlsBbs(Bbs):
    """The daemon, with both doors."""

    def __init__(
        self, data: Path, files: Files, config: str = FAST, *, program: Path | None = None, handshake: float = 10
    ) -> None:
        self.tls_port = free_port()
        self.files = files
        super().__init__(data, config + section(self.tls_port, files, handshake), program)

    def call_in_tls(
        self, *, trusted: Path | None = None, name: str = NAME, address: str = "127.0.0.1", before: bytes = b""
    ) -> TlsCaller:
        """Call by the encrypted door."""
        return self.called(
            TlsCaller(self.tls_port, trusted or self.files.cert, name=name, address=address, before=before)
        )

    def half_open(self, said: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
        """Connect to the encrypted door and say only this."""
        return connected(self.tls_port, address, said)

    def configure(self, text: str) -> None:
        """Write another configuration, which a reload reads."""
        self._config.write_text(text)
