"""Hostile callers: `python -m tests.hostile.villains ACT --port P --seconds S`, a process of its own.

Each act is repeated until its time is up: a dropped caller calls again at once. The counts are printed as one line of
JSON, by name: calls, refused, dropped, bytes and so on.
"""

import argparse
import json
import os
import selectors
import socket
import ssl
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random

from tests.certificates import client_hello
from tests.hostile.client import PASSWORD, Client, Gone, Unanswered
from tests.stress.wire import OPENING

MOST = 100_000_000
"""Maximum bytes that one connection sends."""
PIECE = 64 * 1024
PAUSE = 0.1
"""Seconds before a refused caller calls again."""
STORM = 40
"""Simultaneous calls of a storm."""
BANNED = "127.66.6.6"
"""An address that the sysop bans beforehand."""
PROXY = "127.77.7.7"
"""An address that is a proxy's."""


class World:
    """The state shared by all hostile callers of one act."""

    def __init__(self, port: int, seconds: float, tables: int) -> None:
        self.port = port
        self.tag = f"{os.getpid()}"
        self.until = time.monotonic() + seconds
        self.tables = tables
        self.did: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def is_over(self) -> bool:
        """Whether the time of the act is up."""
        return time.monotonic() >= self.until

    def count(self, what: str, number: int = 1) -> None:
        """Count something that was done; from any thread."""
        with self._lock:
            self.did[what] += number

    def name(self, number: int) -> str:
        """Return a hostile caller's name, a new one in each act because a flood may change an account's language."""
        return f"V{self.tag} {number}"

    def call(self, source: str = "127.0.0.1", *, opening: bytes = OPENING, narrow: bool = False) -> Client:
        """Call; raise `Gone`."""
        self.count("calls")
        return Client(self.port, source, opening=opening, narrow=narrow)


Act = Callable[[World, int], None]
"""One attempt of a hostile caller, until dropped or the time is up; the argument is the caller's number."""
Place = Callable[[World, int, Client], None]
"""How a hostile caller gets to the place of the act."""


# --- where ------------------------------------------------------------------------------------------------------------


def at_name(world: World, number: int, client: Client) -> None:
    """Wait for the name prompt."""
    client.expect(b"Name:")


def at_prompt(world: World, number: int, client: Client) -> None:
    """Log in."""
    client.log_in(world.name(number))


def at_table(world: World, number: int, client: Client) -> None:
    """Log in and take the free seat beside ordinary callers."""
    client.log_in(world.name(number))
    client.sit(number % world.tables)


# --- floods -----------------------------------------------------------------------------------------------------------


def sent(world: World, client: Client, pieces: Iterator[bytes], *, reads: bool = True) -> None:
    """Send pieces as fast as the other side takes them, `MOST` bytes at most, with or without reading."""
    total, rest = 0, b""
    client.socket.setblocking(False)
    wanted = selectors.EVENT_WRITE | (selectors.EVENT_READ if reads else 0)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(client.socket, wanted)
            while total < MOST and not world.is_over:
                for _, ready in selector.select(0.2):
                    if ready & selectors.EVENT_READ:
                        client.hear()
                    if ready & selectors.EVENT_WRITE:
                        rest = rest or next(pieces)
                        taken = client.socket.send(rest)
                        rest, total = rest[taken:], total + taken
    except OSError as error:
        raise Gone(str(error)) from None
    finally:
        world.count("bytes", total)


def again(piece: bytes) -> Iterator[bytes]:
    """Yield the same bytes repeatedly, in pieces of some length."""
    whole = piece * max(1, PIECE // len(piece))
    while True:
        yield whole


def noise() -> Iterator[bytes]:
    """Yield random bytes for ever, except for L, which would change the language of the prompt."""
    rng = Random(1)
    while True:
        yield rng.randbytes(PIECE).translate(None, b"lL")


def flood(place: Place, pieces: Callable[[], Iterator[bytes]], *, reads: bool = True) -> Act:
    """Return the act of sending some pieces at a place."""

    def act(world: World, number: int) -> None:
        with world.call(narrow=not reads) as client:
            place(world, number, client)
            sent(world, client, pieces(), reads=reads)

    return act


NAWS_ZERO = bytes.fromhex("fffa1f00000000fff0")
NAWS_HUGE = bytes.fromhex("fffa1fffffffffffffffff fff0")
COMMANDS = OPENING + bytes.fromhex("fff6 fffd01 fffe01 fffb1f fffc1f fffd63 fffb63 fff4 fff1")
ESCAPES = b"\x1b\x1b\x1b[A\x1bOP\x1b[1;5~\x1b[999999999Z\x1bPq\x1b\\\x1b]0;x\x07"
PAGE = b"all work and no play makes jack a dull boy\r\n" * (PIECE // 44)
CHAT = b".buy cheap cubes\r"


# --- other acts -------------------------------------------------------------------------------------------------------


def many(sources: int) -> Act:
    """Open a thousand connections, each from its own address, and hold those that are not refused."""

    def act(world: World, number: int) -> None:
        held: list[socket.socket] = []
        try:
            for index in range(1000):
                if world.is_over:
                    break
                world.count("calls")
                held.append(opened(world.port, source_of(index % sources)))
            hold(world, held)
        finally:
            for one in held:
                one.close()

    return act


def source_of(index: int) -> str:
    """Return an unused address of the loopback network."""
    return f"127.{1 + index // 250}.7.{1 + index % 250}"


def opened(port: int, source: str) -> socket.socket:
    """Start to connect without waiting."""
    one = socket.socket()
    one.setblocking(False)
    one.bind((source, 0))
    one.connect_ex(("127.0.0.1", port))
    return one


def hold(world: World, held: list[socket.socket]) -> None:
    """Hold connections until the time is up, reading from them; count those that were closed."""
    with selectors.DefaultSelector() as selector:
        for one in held:
            selector.register(one, selectors.EVENT_READ)
        while not world.is_over and selector.get_map():
            for key, _ in selector.select(0.2):
                assert isinstance(key.fileobj, socket.socket)
                if not drained(key.fileobj):
                    selector.unregister(key.fileobj)
                    world.count("closed by the BBS")
        world.count("still open at the end", len(selector.get_map()))


def drained(one: socket.socket) -> bool:
    """Read once; return False if the other side has closed."""
    try:
        return bool(one.recv(65536))
    except BlockingIOError:
        return True
    except OSError:
        return False


def churn(world: World, number: int) -> None:
    """Call and hang up, as fast as possible."""
    while not world.is_over:
        world.count("calls")
        one = opened(world.port, "127.0.0.1")
        time.sleep(0.001)
        one.close()


def storm(source: str) -> Act:
    """Keep `STORM` calls open: each refused one is repeated at once."""

    def act(world: World, number: int) -> None:
        with selectors.DefaultSelector() as selector:
            while not world.is_over:
                while len(selector.get_map()) < STORM:
                    world.count("calls")
                    selector.register(opened(world.port, source), selectors.EVENT_READ)
                for key, _ in selector.select(0.2):
                    assert isinstance(key.fileobj, socket.socket)
                    if not drained(key.fileobj):
                        selector.unregister(key.fileobj)
                        key.fileobj.close()
                        world.count("turned away")
            for key in list(selector.get_map().values()):
                assert isinstance(key.fileobj, socket.socket)
                key.fileobj.close()

    return act


def slow(world: World, number: int) -> None:
    """Hold all lines that an address may have, with a byte now and then on each."""
    held = [opened(world.port, source_of(index // 20)) for index in range(100)]
    world.count("calls", len(held))
    try:
        while not world.is_over:
            for one in held:
                try:
                    drained(one)
                    one.send(b"a")
                    world.count("bytes")
                except OSError:
                    world.count("dropped")
            held = [one for one in held if is_open(one)]
            time.sleep(min(3.0, max(0.0, world.until - time.monotonic())))
    finally:
        for one in held:
            one.close()


def is_open(one: socket.socket) -> bool:
    """Return whether a byte can still be sent."""
    try:
        one.send(b"a")
    except BlockingIOError:
        return True
    except OSError:
        return False
    return True


def half_closed(world: World, number: int) -> None:
    """Close the sending side at once, and never the connection."""
    held = [opened(world.port, source_of(index)) for index in range(100)]
    world.count("calls", len(held))
    time.sleep(0.5)
    for one in held:
        try:
            one.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    try:
        hold(world, held)
    finally:
        for one in held:
            one.close()


def guess(world: World, number: int) -> None:
    """Guess passwords of an ordinary caller."""
    with world.call() as client:
        client.expect(b"Name:")
        client.type("N0\r")
        for attempt in range(100):
            client.expect(b"Password:")
            if world.is_over:
                return
            client.type(f"wrong{attempt}\r")
            world.count("passwords")


def sit_and_leave(world: World, number: int) -> None:
    """Sit down and stand up, as fast as possible."""
    with world.call() as client:
        client.log_in(world.name(number))
        while not world.is_over:
            client.sit(number % world.tables)
            client.type("x")
            client.expect(b"Casino>")
            client.type("q")
            client.expect(b"?: help)>")
            world.count("times seated")


def write(world: World, number: int) -> None:
    """Send X-messages to an ordinary caller, as fast as possible."""
    with world.call() as client:
        client.log_in(world.name(number))
        while not world.is_over:
            client.type("xN0\r")
            client.expect(b"Message:")
            client.type("buy cheap cubes\r")
            client.expect(b"?: help)>")
            world.count("X-messages")


def register(world: World, number: int) -> None:
    """Register accounts, as fast as possible."""
    with world.call() as client:
        client.expect(b"Name:")
        client.type(f"R{world.tag} {time.monotonic_ns() % 10**9}\r")
        client.expect(b"(y/n)")
        client.type("y")
        for prompt in (b"Password:", b"Repeat the password:"):
            client.expect(prompt)
            client.type(f"{PASSWORD}\r")
        client.expect(b"?: help)>")
        world.count("accounts")


# --- at the door for TLS ----------------------------------------------------------------------------------------------


def half_handshakes(world: World, number: int) -> None:
    """Send half of a ClientHello on a thousand connections, and nothing more."""
    half = client_hello()[:100]
    held: list[socket.socket] = []
    try:
        for index in range(1000):
            if world.is_over:
                break
            world.count("calls")
            held.append(opened(world.port, source_of(index % 250)))
        time.sleep(0.5)
        for one in held:
            with suppress(OSError):
                one.send(half)
        hold(world, held)
    finally:
        for one in held:
            one.close()


def drip(world: World, number: int) -> None:
    """Send a ClientHello byte by byte on a hundred connections at once."""
    whole = client_hello()
    held = [opened(world.port, source_of(index)) for index in range(100)]
    world.count("calls", len(held))
    try:
        for byte in whole:
            time.sleep(0.05)
            for one in held:
                with suppress(OSError):
                    world.count("bytes", one.send(bytes([byte])))
            if world.is_over:
                break
    finally:
        for one in held:
            one.close()


HEAD = bytes.fromhex("16 0301 0200 01 0001fc 0303")
"""How a record with a ClientHello begins."""


def rubbish(world: World, number: int) -> None:
    """Send random bytes, behind the head of a handshake's record or none."""
    rng = Random(number)
    while not world.is_over:
        world.count("calls")
        with suppress(OSError), socket.create_connection(("127.0.0.1", world.port), 5) as one:
            one.sendall(rng.choice((HEAD, b"")) + rng.randbytes(600))
            while one.recv(4096):
                pass
            world.count("turned away")


def handshakes(world: World, number: int) -> None:
    """Shake hands and hang up, as fast as possible."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    while not world.is_over:
        world.count("calls")
        with suppress(OSError), context.wrap_socket(socket.create_connection(("127.0.0.1", world.port), 5)):
            world.count("handshakes")


# --- from a proxy's address -------------------------------------------------------------------------------------------


def endless_headers(world: World, number: int) -> None:
    """Send a header of the PROXY protocol byte by byte on two hundred connections at once, and never its end."""
    held = [opened(world.port, PROXY) for _ in range(200)]
    world.count("calls", len(held))
    try:
        for byte in b"PROXY UNKNOWN " + b"x" * 90:
            time.sleep(0.05)
            for one in held:
                with suppress(OSError):
                    world.count("bytes", one.send(bytes([byte])))
            if world.is_over:
                break
    finally:
        for one in held:
            one.close()


def bad_headers(world: World, number: int) -> None:
    """Send random bytes behind the beginning of a header, of either version or none."""
    rng = Random(number)
    while not world.is_over:
        world.count("calls")
        with suppress(OSError), socket.create_connection(("127.0.0.1", world.port), 5, (PROXY, 0)) as one:
            one.sendall(rng.choice((b"PROXY ", b"\r\n\r\n\0\r\nQUIT\n", b"")) + rng.randbytes(600))
            while one.recv(4096):
                pass
            world.count("turned away")


STORMS = ("a storm of calls", "a storm of calls from a banned address")

ACTS: dict[str, tuple[Act, int]] = {
    "random bytes at the name prompt": (flood(at_name, noise), 3),
    "random bytes at the main prompt": (flood(at_prompt, noise), 3),
    "random bytes at the table": (flood(at_table, noise), 3),
    "telnet commands at the name prompt": (flood(at_name, lambda: again(COMMANDS)), 3),
    "telnet commands at the table": (flood(at_table, lambda: again(COMMANDS)), 3),
    "IAC IAC at the name prompt": (flood(at_name, lambda: again(b"\xff")), 3),
    "endless subnegotiation": (flood(at_name, lambda: again(b"\xff\xfa\x18" + b"x" * PIECE)), 3),
    "ESC at the name prompt": (flood(at_name, lambda: again(ESCAPES)), 3),
    "ESC at the main prompt": (flood(at_prompt, lambda: again(ESCAPES)), 3),
    "ESC at the table": (flood(at_table, lambda: again(ESCAPES)), 3),
    "ENTER at the name prompt": (flood(at_name, lambda: again(b"\r")), 3),
    "ENTER at the main prompt": (flood(at_prompt, lambda: again(b"\r")), 3),
    "ENTER at the table": (flood(at_table, lambda: again(b"\r")), 3),
    "who, profile, help without reading": (flood(at_prompt, lambda: again(b"wp\rh1qq"), reads=False), 3),
    "repaints without reading, at the table": (flood(at_table, lambda: again(b"\x0c"), reads=False), 3),
    "chat without reading": (flood(at_table, lambda: again(CHAT), reads=False), 3),
    "chat flood": (flood(at_table, lambda: again(CHAT)), 3),
    "a page of 64 kB pasted at the table": (flood(at_table, lambda: again(PAGE)), 3),
    "a page of 64 kB pasted into the chat line": (flood(at_table, lambda: again(b"." + b"x" * PIECE)), 3),
    "window of 0x0 and 65535x65535 at the table": (flood(at_table, lambda: again(NAWS_ZERO + NAWS_HUGE)), 3),
    "sits down and gets up": (sit_and_leave, 3),
    "X-messages": (write, 3),
    "wrong passwords": (guess, 10),
    "registrations": (register, 10),
    "a thousand connections from one address": (many(1), 1),
    "a thousand connections from 250 addresses": (many(250), 1),
    "a thousand connections from a thousand addresses": (many(1000), 1),
    "calls and hangs up": (churn, 2),
    STORMS[0]: (storm("127.0.0.1"), 1),
    STORMS[1]: (storm(BANNED), 1),
    "a byte now and then on a hundred lines": (slow, 1),
    "a hundred half-closed connections": (half_closed, 1),
    "PROXY headers that never end": (endless_headers, 1),
    "PROXY headers that are none": (bad_headers, 3),
    "TLS: a thousand half handshakes": (half_handshakes, 1),
    "TLS: a hundred handshakes byte by byte": (drip, 1),
    "TLS: rubbish": (rubbish, 3),
    "TLS: handshakes": (handshakes, 3),
    "TLS: a thousand connections": (many(1000), 1),
}
"""The acts by name, with the number of simultaneous hostile callers."""
ENCRYPTED = "TLS: "
"""How the names of those begin that call by the door for TLS."""


def every_act() -> dict[str, tuple[Act, int]]:
    """Return the acts at all doors."""
    from tests.hostile.browsers import WEB_ACTS

    return ACTS | WEB_ACTS


def again_and_again(world: World, act: Act, number: int) -> None:
    """Repeat an act until the time is up."""
    while not world.is_over:
        try:
            act(world, number)
        except Gone:
            world.count("dropped")
        except Unanswered:
            world.count("unanswered")
        time.sleep(PAUSE)


def main(arguments: list[str] | None = None) -> int:
    """Run one act and print its counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("act", choices=every_act())
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--tables", type=int, required=True)
    chosen = parser.parse_args(arguments)
    act, callers = every_act()[chosen.act]
    world = World(chosen.port, chosen.seconds, chosen.tables)
    threads = [
        threading.Thread(target=again_and_again, args=(world, act, number), daemon=True) for number in range(callers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, world.until - time.monotonic()) + 5.0)
    sys.stdout.write(json.dumps(world.did) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
