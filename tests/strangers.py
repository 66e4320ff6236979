"""A process whose controlling terminal belongs to another user, as after su."""

import sys
from textwrap import dedent

import pexpect

_BEFORE = """
import fcntl, logging, os, signal, sys
from yawc_poker.bbs.log_format import to_stderr
from yawc_poker.extras.ssh_door.program.program import _own_terminal
from yawc_poker.terminal.tty import TtyLine
os.fchmod(0, 0)
if os.getuid() == 0:
    os.setuid(65534)
"""


def stranger(code: str) -> "pexpect.spawn[str]":
    """Run this in such a process, whose terminal is read by whoever called this."""
    return pexpect.spawn(sys.executable, ["-c", _BEFORE + dedent(code)], encoding="utf-8")


def said_as_a_stranger(code: str) -> list[str]:
    """Run this in such a process; return the lines that came to its terminal."""
    child = stranger(code)
    child.expect(pexpect.EOF)
    child.close()
    said = str(child.before).splitlines()
    assert child.exitstatus == 0, said
    return said
