"""Cases of telnet, by name: bytes in, events and bytes out; and a codec to try them on."""

from collections.abc import Iterable

from telnetd.telnet.codec import Telnet
from telnetd.telnet.events import (
    AreYouThere,
    Capabilities,
    CharsetAccepted,
    Data,
    Environment,
    Event,
    Interrupt,
    TerminalType,
    WindowSize,
)
from telnetd.telnet.options import SIDE_LIMIT, Option, TelnetCommand
from tests.protocols.wire import (
    ASK_CHARSET,
    ASK_ENVIRONMENT,
    ASK_TYPE,
    IAC,
    command,
    do,
    dont,
    joined,
    naws,
    sub,
    type_is,
    will,
    wont,
)

KNOWN = {"xterm", "ansi", "linux"}
OFFER = (
    will(Option.ECHO)
    + will(Option.SGA)
    + will(Option.BINARY)
    + will(Option.CHARSET)
    + do(Option.SGA)
    + do(Option.BINARY)
    + do(Option.TERMINAL_TYPE)
    + do(Option.WINDOW_SIZE)
)
LINEMODE, TSPEED, STATUS, TIMING_MARK = 34, 32, 5, 6


def started() -> Telnet:
    codec = Telnet(lambda name: name.lower() in KNOWN)
    codec.start()
    assert codec.output() == OFFER
    return codec


def run(chunks: Iterable[bytes]) -> tuple[list[Event], bytes]:
    codec = started()
    events = [event for chunk in chunks for event in codec.receive(chunk)]
    return list(joined(events)), codec.output()


def env(*pairs: tuple[bytes, bytes]) -> bytes:
    return sub(Option.NEW_ENVIRON, b"\x00" + b"".join(b"\x03" + name + b"\x01" + value for name, value in pairs))


def charset(code: int, body: bytes) -> bytes:
    return sub(Option.CHARSET, bytes((code,)) + body)


# name: (bytes in, events, bytes out)
CASES: dict[str, tuple[bytes, list[Event], bytes]] = {
    "nothing": (b"", [], b""),
    "text": (b"hello", [Data(b"hello")], b""),
    "umlauts": ("Jürgen".encode(), [Data("Jürgen".encode())], b""),
    "enter is CR LF": (b"a\r\nb", [Data(b"a\rb")], b""),
    "enter is CR NUL": (b"a\r\0b", [Data(b"a\rb")], b""),
    "enter is CR": (b"a\rb", [Data(b"a\rb")], b""),
    "enter is LF": (b"a\nb", [Data(b"a\rb")], b""),
    "two CR LF": (b"\r\n\r\n", [Data(b"\r\r")], b""),
    "two CR NUL": (b"\r\0\r\0", [Data(b"\r\r")], b""),
    "two CR": (b"\r\r", [Data(b"\r\r")], b""),
    "two LF": (b"\n\n", [Data(b"\r\r")], b""),
    "CR NUL LF are two": (b"\r\0\n", [Data(b"\r\r")], b""),
    "CR LF NUL is one": (b"\r\n\0", [Data(b"\r")], b""),
    "CR CR LF are two": (b"\r\r\n", [Data(b"\r\r")], b""),
    "LF CR are two": (b"\n\r", [Data(b"\r\r")], b""),
    "a command between CR and LF": (b"\r" + command(TelnetCommand.NOP) + b"\n", [Data(b"\r")], b""),
    "an erased character between CR and LF": (b"\r" + command(TelnetCommand.EC) + b"\n", [Data(b"\r\x7f\r")], b""),
    "NUL is nothing": (b"\0a\0", [Data(b"a")], b""),
    "0xFF doubled is data": (b"a\xff\xffb", [Data(b"a\xffb")], b""),
    "0xFF doubled twice": (b"\xff\xff\xff\xff", [Data(b"\xff\xff")], b""),
    "CR, 0xFF, LF": (b"\r\xff\xff\n", [Data(b"\r\xff\r")], b""),
    "interrupt keeps its place": (b"a" + command(TelnetCommand.IP) + b"b", [Data(b"a"), Interrupt(), Data(b"b")], b""),
    "break": (command(TelnetCommand.BRK), [Interrupt()], b""),
    "erase character": (command(TelnetCommand.EC), [Data(b"\x7f")], b""),
    "erase line": (command(TelnetCommand.EL), [Data(b"\x15")], b""),
    "are you there": (command(TelnetCommand.AYT), [AreYouThere()], b"[Yes]\r\n"),
    "abort output, data mark, go ahead, NOP": (b"a\xff\xf5\xff\xf2\xff\xf9\xff\xf1b", [Data(b"ab")], b""),
    "codes that are no command": (b"\xff\x00\xff\x7fz\xff\xf0", [Data(b"z")], b""),
    "agreed offers are not answered": (
        do(Option.ECHO) + do(Option.SGA) + do(Option.BINARY) + will(Option.SGA) + will(Option.BINARY),
        [],
        b"",
    ),
    "all refused": (
        b"".join(dont(option) for option in (1, 3, 0, 42)) + b"".join(wont(option) for option in (3, 0, 24, 31)),
        [],
        b"",
    ),
    "unknown options are refused": (do(99) + will(99) + dont(99) + wont(99), [], wont(99) + dont(99)),
    "the caller may not echo": (will(Option.ECHO), [], dont(Option.ECHO)),
    "linemode, speed, status": (
        will(LINEMODE) + will(TSPEED) + do(STATUS),
        [],
        dont(LINEMODE) + dont(TSPEED) + wont(STATUS),
    ),
    "every timing mark is answered": (do(TIMING_MARK) * 2, [], wont(TIMING_MARK) * 2),
    "an option taken back": (do(Option.ECHO) + dont(Option.ECHO) * 2, [], wont(Option.ECHO)),
    "and given again": (dont(Option.ECHO) + do(Option.ECHO) * 2, [], will(Option.ECHO)),
    "window": (will(Option.WINDOW_SIZE) + naws(132, 50), [WindowSize(132, 50)], b""),
    "window of 255": (naws(255, 255), [WindowSize(255, 255)], b""),
    "window without end": (naws(65535, 501), [WindowSize(SIDE_LIMIT, SIDE_LIMIT)], b""),
    "window of unknown size": (naws(0, 0), [WindowSize(80, 24)], b""),
    "window of partly unknown size": (naws(100, 40) + naws(0, 30), [WindowSize(100, 40), WindowSize(100, 30)], b""),
    "window too short": (sub(Option.WINDOW_SIZE, b"\x00\x50\x00"), [], b""),
    "window too long": (sub(Option.WINDOW_SIZE, b"\x00\x50\x00\x18\x00"), [], b""),
    "a known type is asked once": (
        will(Option.TERMINAL_TYPE) + type_is(b"XTERM"),
        [TerminalType("XTERM")],
        ASK_TYPE + do(Option.NEW_ENVIRON),
    ),
    "a client for MUDs tells what it can do, third": (
        will(Option.TERMINAL_TYPE) + type_is(b"TINTIN++") + type_is(b"foo") + type_is(b"MTTS 271"),
        [TerminalType("TINTIN++"), TerminalType("foo"), Capabilities(True, True, False)],
        ASK_TYPE * 3 + do(Option.NEW_ENVIRON),
    ),
    "a client for MUDs on a known terminal, with a screen reader": (
        will(Option.TERMINAL_TYPE) + type_is(b"MUDLET") + type_is(b"ANSI") + type_is(b"MTTS 69") * 2,
        [TerminalType("MUDLET"), TerminalType("ANSI"), Capabilities(False, True, True)],
        ASK_TYPE * 3 + do(Option.NEW_ENVIRON),
    ),
    "a strange type is asked three times": (
        will(Option.TERMINAL_TYPE) + type_is(b"foo") + type_is(b"bar") + type_is(b"baz") + type_is(b"MTTS 64"),
        [TerminalType("foo"), TerminalType("bar"), TerminalType("baz")],
        ASK_TYPE * 3 + do(Option.NEW_ENVIRON),
    ),
    "numbers that are none": (
        will(Option.TERMINAL_TYPE) + type_is(b"MTTS") + type_is(b"MTTS -64") + type_is(b"MTTS " + b"9" * 30),
        [TerminalType("MTTS"), TerminalType("MTTS -64"), TerminalType("MTTS " + "9" * 30)],
        ASK_TYPE * 3 + do(Option.NEW_ENVIRON),
    ),
    "what a client can do, as a variable": (
        sub(Option.NEW_ENVIRON, b"\x00\x00MTTS\x0164\x00CHARSET\x01UTF-8"),
        [Environment((("MTTS", "64"), ("CHARSET", "UTF-8"))), Capabilities(False, False, True)],
        b"",
    ),
    "a type that repeats": (
        will(Option.TERMINAL_TYPE) + type_is(b"foo") * 2,
        [TerminalType("foo")],
        ASK_TYPE * 2 + do(Option.NEW_ENVIRON),
    ),
    "types asked again after WONT and WILL": (
        (will(Option.TERMINAL_TYPE) + wont(Option.TERMINAL_TYPE)) * 2,
        [],
        ASK_TYPE + dont(Option.TERMINAL_TYPE) + do(Option.TERMINAL_TYPE) + dont(Option.TERMINAL_TYPE),
    ),
    "a type with controls in it": (type_is(b"x\x1b[0mterm\r\n\xff"), [TerminalType("x[0mterm")], ASK_TYPE),
    "Microsoft's telnet is not asked for its environment": (
        will(Option.NEW_ENVIRON) + will(Option.TERMINAL_TYPE) + type_is(b"ANSI"),
        [TerminalType("ANSI")],
        do(Option.NEW_ENVIRON) + ASK_TYPE,
    ),
    "environment offered first is asked after the type": (
        will(Option.NEW_ENVIRON) + will(Option.TERMINAL_TYPE) + type_is(b"linux"),
        [TerminalType("linux")],
        do(Option.NEW_ENVIRON) + ASK_TYPE + ASK_ENVIRONMENT,
    ),
    "environment asked and given": (
        will(Option.TERMINAL_TYPE) + type_is(b"linux") + will(Option.NEW_ENVIRON) + env((b"LANG", b"de_DE.UTF-8")),
        [TerminalType("linux"), Environment((("LANG", "de_DE.UTF-8"),))],
        ASK_TYPE + do(Option.NEW_ENVIRON) + ASK_ENVIRONMENT,
    ),
    "environment refused is not asked again": (
        will(Option.TERMINAL_TYPE) + type_is(b"linux") + wont(Option.NEW_ENVIRON) + do(Option.ECHO) + will(Option.SGA),
        [TerminalType("linux")],
        ASK_TYPE + do(Option.NEW_ENVIRON),
    ),
    "a user's name is nobody's business": (
        env((b"USER", b"anna"), (b"LANG", b"C")),
        [Environment((("LANG", "C"),))],
        b"",
    ),
    "only a user's name": (sub(Option.NEW_ENVIRON, b"\x00\x00USER\x01anna"), [], b""),
    "variables without value, with escapes, both kinds, as news": (
        sub(Option.NEW_ENVIRON, b"\x02\x03LC_ALL\x03A\x02\x03\x01x\x02\x01y\x00B\x01z\x01w"),
        [Environment((("A", "xy"), ("B", "z")))],
        b"",
    ),
    "charset asked and given": (
        do(Option.CHARSET) + charset(2, b"UTF-8"),
        [CharsetAccepted("UTF-8")],
        ASK_CHARSET,
    ),
    "charset asked and refused": (do(Option.CHARSET) + charset(3, b"") + charset(2, b"UTF-8"), [], ASK_CHARSET),
    "charset accepted unasked": (charset(2, b"UTF-8"), [], b""),
    "charset wished by the caller": (
        will(Option.CHARSET) + charset(1, b" ISO-8859-1 utf-8 US-ASCII"),
        [CharsetAccepted("utf-8")],
        do(Option.CHARSET) + charset(2, b"utf-8"),
    ),
    "charset wished with a table": (
        charset(1, b"[TTABLE]\x01;IBM437"),
        [CharsetAccepted("IBM437")],
        charset(2, b"IBM437"),
    ),
    "charset wished that is not ours": (charset(1, b";KOI8-R") + charset(1, b""), [], charset(3, b"") * 2),
    "charset wished while ours is open": (
        do(Option.CHARSET) + charset(1, b";UTF-8") + charset(2, b"CP437"),
        [CharsetAccepted("CP437")],
        ASK_CHARSET + charset(3, b""),
    ),
    "charset's table refused": (charset(4, b"\x01;x"), [], charset(5, b"")),
    "subnegotiation of an unknown option": (sub(201, b"\x00" * 20) + b"x", [Data(b"x")], b""),
    "empty subnegotiations": (b"\xff\xfa\xff\xf0" + sub(Option.TERMINAL_TYPE, b"") + b"x", [Data(b"x")], b""),
    "subnegotiation without end": (
        bytes((*IAC, TelnetCommand.SB, Option.WINDOW_SIZE)) + b"\0\x50" + do(99) + naws(90, 30),
        [WindowSize(90, 30)],
        wont(99),
    ),
    "huge subnegotiation": (sub(Option.TERMINAL_TYPE, b"\0" + b"x" * 600) + b"y", [Data(b"y")], b""),
    "PuTTY": (
        will(Option.WINDOW_SIZE)
        + will(TSPEED)
        + will(Option.TERMINAL_TYPE)
        + will(Option.NEW_ENVIRON)
        + do(Option.ECHO)
        + will(Option.SGA)
        + do(Option.SGA)
        + naws(80, 24)
        + dont(Option.BINARY)
        + dont(Option.CHARSET)
        + wont(Option.BINARY)
        + type_is(b"XTERM"),
        [WindowSize(80, 24), TerminalType("XTERM")],
        dont(TSPEED) + ASK_TYPE + do(Option.NEW_ENVIRON) + ASK_ENVIRONMENT,
    ),
    "busybox": (
        do(Option.ECHO)
        + do(Option.SGA)
        + dont(Option.BINARY)
        + dont(Option.CHARSET)
        + wont(Option.BINARY)
        + will(Option.TERMINAL_TYPE)
        + will(Option.WINDOW_SIZE)
        + naws(80, 25)
        + type_is(b"linux")
        + wont(Option.NEW_ENVIRON),
        [WindowSize(80, 25), TerminalType("linux")],
        ASK_TYPE + do(Option.NEW_ENVIRON),
    ),
}
