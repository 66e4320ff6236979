"""A session at the main prompt, on a line in memory: the program's own code for X-messages and for leaving."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.isolation.gates import STEPS
from tests.isolation.interleave import GatedHands
from tests.isolation.steps import StepStore
from tests.isolation.stores import bank_in_file
from tests.screens.eye import MemoryLine
from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.meeting.mail import Messages
from yawc_poker.casino.presence.directory import Directory, SessionInfo
from yawc_poker.casino.store.users import USERS
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session import run
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.loop.loop import Loop
from yawc_poker.session.menus import login
from yawc_poker.session.menus.mail import send
from yawc_poker.terminal.display import Display


class StepDirectory(Directory):
    """A directory that tells of a person who was looked for."""

    def of_user(self, user: int) -> SessionInfo | None:
        found = super().of_user(user)
        STEPS.at("user looked for")
        return found


class StepAccounts(Accounts):
    """Accounts in a database that tells its steps."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(StepStore(instance.data / USERS_FILE, instance.segment.bank_lock, USERS))


class StepLine(MemoryLine):
    """A line that tells when all that was written has been handed over."""

    def flush(self) -> None:
        STEPS.at("line flushed")


def with_accounts(data: Path, accounts: Path) -> Path:
    """Make a data directory whose users have accounts already: `accounts` is the file to begin with.

    Their bank is there, too, and empty: without one the start would be refused.
    """
    data.mkdir(mode=0o700)
    shutil.copy(accounts, data)
    with closing(bank_in_file(data / BANK_FILE)) as bank:
        assert bank.audit() == []
    return data


class PromptHands(GatedHands):
    """Hands at the main prompt. The users must have accounts."""

    def _enter(self) -> Instance:
        instance = super()._enter()
        instance.directory = StepDirectory(instance.segment, instance.segment.directory_lock)
        instance.accounts = StepAccounts(instance)
        instance.messages = Messages(instance.accounts.store)
        inbox, alarms, self._line = SignalInbox(), Alarms(), StepLine()
        display = Display(self._line)
        self._caller = Caller(self._line, display, Loop(self._line, display, inbox, alarms), instance)
        user = instance.accounts.by_id(self._user)
        assert user is not None, f"{self._name} has no account"
        self._caller.logged_in(user)
        return instance

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        return super()._orders(rest) | {
            "write": lambda: self._write(*rest),
            "look and go": self._look_and_go,
            "read messages": self._caller.read_messages,
            "hear of refunds": lambda: login._broken_off(self._caller),
            "shown": lambda: str(self._line.sent.count(rest[0].encode())),
        }

    def _write(self, name: str, text: str) -> str:
        person = self._instance.directory.named(name)
        if person is None:
            return "nobody"
        STEPS.at("person found")
        send(self._caller, person, text)
        return "sent" if b"Sent to" in self._line.sent else "will be read"

    def _look_and_go(self) -> None:
        for command in self._caller.look():
            self._caller._interrupt(command)
        STEPS.at("looked")
        run._leave(self._caller)
