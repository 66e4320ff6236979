"""The doors by which the listener takes connections: everything about each kind that is not a program, in one table.

A kind of door is one `DoorKind`: here, or, if it belongs to an extra, in the extra's module `doors` (`ANNOUNCED`). All
else reads this table: the listener, its command line and its sockets from systemd, an upgrade, the counters, the
directory's words for how a caller came in, the page of the configuration.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, NamedTuple, Protocol

from yawc_poker.announcing import announced
from yawc_poker.config import Config

# How a session's caller came in. The number stands in the directory, so it keeps its meaning.
NOBODY: Final = 0
"""Without a caller, as a house player; or by a program that did not tell."""
BY_TELNET: Final = 1
BY_TLS: Final = 2
AT_CONSOLE: Final = 4
"""At a terminal of this machine."""
BY_SSH: Final = 5
_WITHOUT_DOOR: Final = ((NOBODY, ""), (AT_CONSOLE, "console"), (BY_SSH, "ssh"))
"""The words for those who came by no door, or by one that does not say how."""


class At(NamedTuple):
    """Where a door listens."""

    host: str = ""
    """Empty: as the command line says, or else all addresses."""
    port: int | None = None
    """None: at no TCP port."""
    file: str = ""
    """A Unix socket in the data directory; empty: there is none."""
    group: str = ""
    """The group whose members may connect to it, too."""


class _WithPort(Protocol):
    """Settings of a door with a TCP port of its own."""

    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int: ...


def at_port(settings: _WithPort) -> At:
    """Return where a door listens that its own settings open, by a port that is not 0."""
    return At(settings.host, settings.port or None)


class PortOption(NamedTuple):
    """The option of the command line that says a door's port; 0: there is no such door."""

    flag: str
    help: str
    above: int
    """Where only telnet's port is named, this door's lies so far above."""


def _as_many_as_come(config: Config) -> int:
    return 0


def sixteen(config: Config) -> int:
    """Return the limit of a door of the sysop's."""
    return 16


class DoorKind(NamedTuple):
    """A kind of door."""

    name: str
    """In the log, as the label of its metric, as the name of its socket (FileDescriptorName=), and for its callers."""
    counter: int
    """Which of the counters of accepted connections is its own, 4 being nobody's; it keeps its meaning."""
    service: str
    """The `bbs.service.Service` that serves it, as MODULE:CLASS. It is loaded only if the door is opened."""
    at: Callable[[Config], At]
    way: int | None = None
    """Stands in the directory for how its callers came in, or None if it has none, or they know it by themselves."""
    is_public: bool = True
    """Its connections are callers', and count against the limits of `[telnet]`. Others are the sysop's."""
    limit: Callable[[Config], int] = _as_many_as_come
    """Returns the most connections at once by this door; 0: only the limits of all public doors hold."""
    reserved: Callable[[Config], int] = _as_many_as_come
    """Returns the records of the directory that are for its callers alone."""
    announcement: str = ""
    """What the log says of its address at the start, as "browsers: port {}"; empty: nothing."""
    call: str = ""
    """How somebody calls here, as "telnet {host} {port}" or, with the host as in a URL, "http://{in_url}:{port}/".

    Empty: it is nothing that somebody would do who has just started a BBS."""
    section: str = ""
    """The section of the configuration that is about nothing but this door, one where callers come in."""
    option: PortOption | None = None


TELNET: Final = DoorKind(
    "telnet",
    counter=0,
    service="telnetd.doors.telnet:TelnetService",
    at=lambda config: At(config.telnet.host, config.telnet.port),
    way=BY_TELNET,
    call="telnet {host} {port}",
    section="telnet",
)
TLS: Final = DoorKind(
    "tls",
    counter=6,
    service="telnetd.doors.tls:TlsService",
    at=lambda config: at_port(config.tls),
    way=BY_TLS,
    announcement="telnet in TLS: {}",
    section="tls",
)
CONTROL: Final = DoorKind(
    "control",
    counter=1,
    service="telnetd.listener.control:ControlService",
    at=lambda config: At(file="control.sock"),
    is_public=False,
    limit=sixteen,
)


@cache
def kinds() -> Mapping[str, DoorKind]:
    """Return all kinds of doors by their names, in the order of their counters.

    Raise `ValueError` if two of them have a name, a counter or a number in common.
    """
    known = sorted((TELNET, TLS, CONTROL, *announced("doors", DoorKind)), key=lambda kind: kind.counter)
    for what, taken in (("name", [kind.name for kind in known]), ("counter", [4, *(kind.counter for kind in known)])):
        if len(set(taken)) < len(taken):
            raise ValueError(f"two doors have one {what}: {taken}")
    return {kind.name: kind for kind in known}


@cache
def words() -> Mapping[int, str]:
    """Return how a caller came in, in a word, by the number in the directory.

    Raise `ValueError` if a number has two meanings.
    """
    ways = [*_WITHOUT_DOOR, *((kind.way, kind.name) for kind in kinds().values() if kind.way is not None)]
    found = dict(ways)
    if len(found) < len(ways):
        raise ValueError(f"two ways in have one number: {ways}")
    return found
