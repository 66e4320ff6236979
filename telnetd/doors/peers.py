"""Who is at the other end of a connection that has just been accepted, and whether they are still there."""

import fcntl
import select
import socket
import sys
import termios

from telnetd.doors.kinds import TERMINAL, Door
from yawc_poker.addresses import parse_address
from yawc_poker.door.hello import origin_in

SOME_TERMINAL = "/dev/tty"
"""The origin of a terminal that does not tell one."""


def has_hung_up(connection: socket.socket, *, even_with_input: bool) -> bool:
    """Return whether a caller who waited in the queue has hung up meanwhile and left nothing to be read.

    With `even_with_input` what was left does not matter.
    """
    poller = select.poll()
    poller.register(connection, select.POLLRDHUP)
    if not poller.poll(0):
        return False
    if even_with_input:
        return True
    waiting = fcntl.ioctl(connection, termios.FIONREAD, bytes(4))
    return int.from_bytes(waiting, sys.byteorder) == 0


def origin_of(door: Door, address: object) -> str:
    """Return the origin of a connection, given what `accept` returned: an address, or else the door's name.

    Of a terminal it is the address that its door tells, or the terminal's name.
    """
    if isinstance(address, tuple):
        return _plain(str(address[0]))
    if door.name != TERMINAL:
        return door.name
    told = origin_in(address)
    known = parse_address(told)
    if known is not None:
        return str(known)
    return told if told.startswith("/") and told.replace("/", "").isalnum() else SOME_TERMINAL


def _plain(address: str) -> str:
    """Return the IPv4 address of an IPv4 caller on the IPv6 socket; other addresses are unchanged."""
    return address.removeprefix("::ffff:")
