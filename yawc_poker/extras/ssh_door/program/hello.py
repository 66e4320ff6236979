"""What `yawc-door` and the BBS tell each other over the Unix socket `door.sock`. Pure.

The door first binds its end of the connection to a name of its own that says where the caller comes from. So the
listener, which asks about limits and bans, knows that as soon as it has accepted, and reads nothing. Then the door
sends one message: `NAME=VALUE` for what it knows of the terminal, each ended by a zero byte, and one more zero byte.
With its first byte comes the terminal's descriptor (SCM_RIGHTS). From then on it sends a byte when the window may have
changed (`w`), when a shell wants to stop it (`s`), and when one lets it go on (`c`); the end of the connection means
that the caller is gone. To an `s` the BBS answers by a line with "!" once it has given the terminal back, and the door
stops. At the end the BBS sends a line for the terminal, if there is one, and a line with "=" and the exit code. An end
without that means that the session was lost.

Invariant: imports nothing, not even from the standard library, since the program loads it before every call.
"""

SOCKET_FILE = b"door.sock"
"""In the data directory."""
TOLD = (b"TERM", b"LANG", b"LC_ALL", b"LC_CTYPE", b"LC_MESSAGES")
"""The variables that are told as they are."""
KEY = b"KEY"
"""The public key that the caller proved to have, as in a line of `authorized_keys`, without options and comment."""
LONGEST = 6144
"""Bytes of a message. A key of RSA with 16384 bits takes half of it."""
LONGEST_VALUE = 128
"""Bytes of a variable; what is longer is not told."""
LONGEST_KEY = 4096

STOPS = b"s"
GOES_ON = b"c"
GIVEN_BACK = b"!\n"

_OWN_NAME = b"\0yawc-door/"
_ORIGIN_BYTES = 64


def own_name(origin: bytes, number: bytes) -> bytes:
    """Return the name, in Linux's abstract namespace, of the connection's end; `number` makes it the only one."""
    return _OWN_NAME + number.hex().encode() + b"/" + origin[:_ORIGIN_BYTES]


def origin_in(name: object) -> str:
    """Return the origin that a door has put into its end's name; empty: this is no door's name."""
    if not isinstance(name, bytes) or not name.startswith(_OWN_NAME):
        return ""
    text = name[len(_OWN_NAME) :].partition(b"/")[2].decode("ascii", "replace")
    return text if text.isascii() and text.isprintable() else ""


def message(environ: dict[bytes, bytes], key: bytes) -> bytes:
    """Return the message for a terminal with this environment, whose caller has proven to have this key, or none."""
    told = [(name, environ[name]) for name in TOLD if 0 < len(environ.get(name, b"")) <= LONGEST_VALUE]
    if 0 < len(key) <= LONGEST_KEY and b"\0" not in key:
        told.append((KEY, key))
    return b"".join([name + b"=" + value + b"\0" for name, value in told]) + b"\0"


def answer(text: str, code: int) -> bytes:
    """Return what the BBS says at the end: a line for the terminal, empty for none, and the door's exit code."""
    line = " ".join(text.split()).lstrip("=! ")
    return (line + "\n" if line else "").encode() + b"=%d\n" % code


def is_whole(data: bytes) -> bool:
    """Return whether a message has come to its end."""
    return data == b"\0" or data.endswith(b"\0\0")


def read_message(data: bytes) -> dict[str, str]:
    """Return the variables of a whole message; what is none is left out."""
    pairs = [one.partition(b"=") for one in data.split(b"\0")]
    return {name.decode("ascii", "replace"): value.decode("utf-8", "replace") for name, sign, value in pairs if sign}
