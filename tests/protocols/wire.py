"""Telnet bytes by name, and helpers that the tests of codec and line share."""

from collections.abc import Iterable, Iterator

from telnetd.telnet.events import Data, Event
from telnetd.telnet.options import Option, TelnetCommand

IAC = b"\xff"


def will(option: int) -> bytes:
    return bytes((TelnetCommand.IAC, TelnetCommand.WILL, option))


def wont(option: int) -> bytes:
    return bytes((TelnetCommand.IAC, TelnetCommand.WONT, option))


def do(option: int) -> bytes:
    return bytes((TelnetCommand.IAC, TelnetCommand.DO, option))


def dont(option: int) -> bytes:
    return bytes((TelnetCommand.IAC, TelnetCommand.DONT, option))


def command(code: int) -> bytes:
    return bytes((TelnetCommand.IAC, code))


def sub(option: int, body: bytes) -> bytes:
    return (
        bytes((TelnetCommand.IAC, TelnetCommand.SB, option)) + body.replace(IAC, IAC + IAC) + command(TelnetCommand.SE)
    )


def naws(columns: int, rows: int) -> bytes:
    return sub(Option.WINDOW_SIZE, columns.to_bytes(2, "big") + rows.to_bytes(2, "big"))


def type_is(name: bytes) -> bytes:
    return sub(Option.TERMINAL_TYPE, b"\x00" + name)


ASK_TYPE = sub(Option.TERMINAL_TYPE, b"\x01")
_OF_CLIENTS = (b"CHARSET", b"MTTS", b"SCREEN_READER")
ASK_ENVIRONMENT = sub(
    Option.NEW_ENVIRON,
    b"\x01\x03LC_ALL\x03LC_CTYPE\x03LANG"
    + b"".join(kind + name for kind in (b"\x03", b"\x00") for name in _OF_CLIENTS),
)
ASK_CHARSET = sub(Option.CHARSET, b"\x01;UTF-8;IBM437;CP437;IBM850;CP850;ISO-8859-1;US-ASCII")


def joined(events: Iterable[Event]) -> Iterator[Event]:
    """Return the events with neighbouring data joined, so that they do not depend on how the bytes were cut."""
    typed = b""
    for event in events:
        if isinstance(event, Data):
            typed += event.data
            continue
        if typed:
            yield Data(typed)
        typed = b""
        yield event
    if typed:
        yield Data(typed)
