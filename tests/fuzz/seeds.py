"""The seeds of fuzzing: a few valid inputs for each target, and a dictionary of words."""

from typing import Final

from telnetd.telnet.options import Option, TelnetCommand
from tests.certificates import client_hello
from tests.frames import HANDSHAKE, masked
from tests.protocols.maumau_example import EXAMPLE
from tests.protocols.wire import command, do, naws, sub, type_is, will
from yawc_poker.control.server import REQUESTS

_ALL = b"\xff"
"""A first byte that keeps the rest in one piece (`targets.pieces`)."""

ADDED_OPTION: Final = 201
"""An option that an extra announces: GMCP's number."""
TELNET: Final = (
    will(Option.TERMINAL_TYPE) + type_is(b"XTERM"),
    will(Option.TERMINAL_TYPE) + type_is(b"MUDLET") + type_is(b"ANSI-TRUECOLOR") + type_is(b"MTTS 365"),
    sub(Option.NEW_ENVIRON, b"\x00\x00MTTS\x0164\x03SCREEN_READER\x011\x00CHARSET\x01UTF-8"),
    naws(132, 50) + naws(0, 0) + naws(65535, 65535),
    do(Option.ECHO)
    + do(Option.SGA)
    + will(Option.NEW_ENVIRON)
    + sub(Option.NEW_ENVIRON, b"\x00\x03LANG\x01de_DE.UTF-8"),
    do(ADDED_OPTION) + sub(ADDED_OPTION, b'Core.Supports.Set ["Game 1"]'),
    do(Option.CHARSET) + sub(Option.CHARSET, b"\x02UTF-8") + sub(Option.CHARSET, b"\x01;IBM437;UTF-8"),
    command(TelnetCommand.AYT) + command(TelnetCommand.IP) + command(TelnetCommand.EC) + b"a\r\0b\r\nc\xff\xff",
)
KEYS: Final = (
    b"\x1b[A\x1b[1;5C\x1bOP\x1b[3~\x1b[[A\x1b[M abc\x1b[200~paste\x1b[201~",
    b"\x1bPq#0\x1b\\\x1b]0;title\x07\x1b\x1b[",
    "äöü€漢é\u202e".encode(),
    b"text\x7f\x08\x15\x17\x0c\x03\t",
)
TALK: Final = (
    b"/de\r/en\r/cp437\r/ascii\r/utf8\r",
    b"Somebody New\rnq\r/quit\r",
    b"wp\rpFuzz\rxNobody\rh1  qh3qq",
    b"lducaue\rm",
    b"S2y.chat line\rb5\rp1y12dh5\rrsx",
    b"S1ys1\r\x1b[A dpx",
)
FRAMES: Final = (
    masked(b't{"kind": "xterm", "language": "de", "columns": 80, "rows": 24}') + masked(b"dwq"),
    masked(b"s" + b"A" * 32 + b"\n{}") + masked(b"w\0\x50\0\x18") + masked(b"v\0") + masked(b"v\1"),
    masked(b"d", 0x02) + masked(b"", 0x89) + masked(b"abc", 0x80) + masked(b"\3\xe9", 0x88),
    b"\x82\xff\x7f" + b"\xff" * 7 + bytes(4) + b"d" * 600,
)
REQUESTED: Final = (
    HANDSHAKE,
    b"GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
)
PROXIED: Final = (
    b"PROXY TCP4 192.0.2.7 10.0.0.1 1 2\r\n",
    b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\2\7\x0a\0\0\1\0\1\0\2",
    b"6.6.6.6, [2001:db8::7]:1, unknown",
)
SEEDS: Final[dict[str, tuple[bytes, ...]]] = {
    "telnet": TELNET,
    "tls": (client_hello(), *map(bytes.fromhex, ("1603010005 0100000100", "1503030002 0231", "1703030001 00"))),
    "keyboard": KEYS,
    "editor": KEYS,
    "characters": KEYS,
    "maumau": tuple(line.data for line in EXAMPLE),
    "client": tuple(b"".join(line.data for line in EXAMPLE if line.receiver in {None, at}) for at in (0, 1)),
    "order": tuple(f'{{"do": "{word}", "args": {{"name": "Fuzz", "reason": "x"}}}}'.encode() for word in REQUESTS),
    "door": (
        b"TERM=xterm\0LANG=de_DE.UTF-8\0KEY=ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==\0\0",
        b"TERM=\xff\xfe\x1b[2J\0\0",
        b"\0yawc-door/0001020304050607/192.0.2.7",
    ),
    "frames": FRAMES,
    "http": REQUESTED,
    "proxy": PROXIED,
    "web": (*REQUESTED, *(HANDSHAKE + one for one in FRAMES)),
    "page": (*TALK, *FRAMES),
    "session": (*TELNET, *TALK),
    "prompt": (*TALK, *KEYS),
    "poker": (b"schat\x1bb5\rpy123dh9\rrx.line\r", *KEYS),
    "Mau-Mau": (b"s1\rdk1234567890\rx.line\r", *KEYS),
    "control": tuple(f'{{"do": "{word}", "args": {{"name": "Fuzz", "reason": "x"}}}}\n'.encode() for word in REQUESTS),
    "metrics": (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.0\n\n"),
    "wire": (bytes.fromhex("42 00 45 00 47 00 41 00 4C 00 00 44 01 43 41 0D 47"),),
}
WORDS: Final = (
    *(bytes((TelnetCommand.IAC, code)) for code in range(240, 256)),
    *(b"\xff\xfa" + bytes((option,)) for option in Option),
    *(f'"{word}"'.encode() for word in (*REQUESTS, "do", "args", "name", "reason", "table", "once", "every")),
    *(b"\x82\x85\0\0\0\0", b"\x89\x80\0\0\0\0", b"\r\n", b"\r\n\r\n", b" HTTP/1.1", b"Host: "),
    *(b"\x1b[", b"\x1bO", b"\x1b]", b"\x1bP", b"\x1b\\", b"\r", b"Fuzz", b"S2y", b"S1y"),
)


def corpus(target: str) -> tuple[bytes, ...]:
    """Return the initial inputs of a target, whole and cut into pieces."""
    return tuple(cut + seed for seed in SEEDS[target] for cut in (_ALL, b"\x00", b"\x03"))


def dictionary() -> str:
    """Return the words in libFuzzer's dictionary format."""
    return "".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n' for word in WORDS)
