"""`yawcctl accounts`: accounts that could not be made any more, by their name or by their password.

Only looks, at a running BBS too. Names that look alike or are reserved by now stay: what to do about them is the
sysops' to decide. Passwords of question marks were stored by older programs for any characters that not every terminal
shows. Which accounts have one can only be found out by trying.
"""

import argparse
import os
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from yawc_poker.casino.instance.databases import CONFIG_FILE, marked
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.casino.users.names import is_reserved
from yawc_poker.casino.users.passwords import question_marks, verified
from yawc_poker.sysop.command import Command, count, print_rows

NICE: Final = 10
"""Trying passwords is work for minutes on a machine where people play."""


class Finding(msgspec.Struct, frozen=True):
    """Something about an account."""

    name: str
    fault: Literal["alike", "reserved", "question_marks"]
    other: str = ""
    """The older account whose name looks alike."""

    def __str__(self) -> str:
        match self.fault:
            case "alike":
                return f"{self.name}: looks like {self.other}"
            case "reserved":
                return f"{self.name}: a reserved name"
            case "question_marks":
                return f"{self.name}: the password is stored as question marks (yawcctl password)"


def _arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--weak-passwords",
        action="store_true",
        help="also try passwords of 8 to 16 question marks: a fifth of a second for each account",
    )


def run(chosen: argparse.Namespace) -> int:
    """Print what is found; return 1 if anything is. Raise `StoreError`."""
    with closing(marked(chosen.data).accounts_to_look_at()) as accounts:
        found = list(_names(accounts, _own_name(chosen.data)))
        if chosen.weak_passwords:
            os.nice(NICE)
            found += _question_marks(accounts)
    print_rows(chosen, found, lambda rows: [*map(str, rows), f"{count(len(rows), 'finding')}."])
    return 1 if found else 0


def _names(accounts: Accounts, bbs: str) -> Iterator[Finding]:
    for account in accounts.listed():
        if not account.is_first and (other := accounts.alike(account.name, beside=account.id)):
            yield Finding(account.name, "alike", other)
        if is_reserved(account.name, bbs):
            yield Finding(account.name, "reserved")


def _question_marks(accounts: Accounts) -> Iterator[Finding]:
    for account in accounts.listed():
        stored = accounts.stored(account.id)
        if any(verified(stored, password) is not None for password in question_marks()):
            yield Finding(account.name, "question_marks")


class _Running(msgspec.Struct):
    """The part of `CONFIG_FILE` that names the BBS."""

    class Bbs(msgspec.Struct):
        name: str = ""

    bbs: Bbs = msgspec.field(default_factory=Bbs)


def _own_name(data: Path) -> str:
    """Return the name of the BBS that was started last; empty: none was."""
    with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
        return msgspec.json.decode((data / CONFIG_FILE).read_bytes(), type=_Running).bbs.name
    return ""


COMMAND: Final = Command(
    "accounts",
    run,
    "list accounts whose names look alike or are reserved, or whose passwords others fit; the BBS may run",
    ("accounts", "accounts --weak-passwords"),
    _arguments,
)
