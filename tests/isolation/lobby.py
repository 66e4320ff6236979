"""A caller at the prompts of the lobby, without a process of its own, and a guest beside her."""

import os
import time
from collections.abc import Callable, Collection

from tests.isolation.sessions import Hall
from tests.screens.eye import Eye, MemoryLine
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.loop.loop import Loop
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.kinds import Charset

Terminal = tuple[str, Charset]
ANNA = 1


class ReadyLine(MemoryLine):
    """A line in memory that can always be read, as far as a poll can tell."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(*terminal)
        self._ready = os.open(os.devnull, os.O_RDONLY)

    def fileno(self) -> int:
        return self._ready

    def close(self) -> None:
        os.close(self._ready)


class Lobby:
    """A caller named Anna, and a guest whose name changes."""

    def __init__(self, hall: Hall) -> None:
        self.houses = [Instance(hall.data, hall.config, hall.foundation.segment) for _ in range(2)]
        self.mine, self.guest = self.houses
        for instance in self.houses:
            instance.enter("test")
        anna = self.mine.accounts.enrol("Anna", "no hash", "en")
        self.mine.bank.welcome(anna.id, 100)
        self.mine.directory.claim_name(self.mine.notifier.index, anna.id, "Anna")
        self.anna = anna
        self.inbox, self.alarms = SignalInbox(), Alarms()

    def call_guest(self, choose: Callable[[Collection[str]], str]) -> str:
        """Rename the guest; he has just pressed a key."""
        for instance in self.houses:
            instance.own.touch(time.monotonic())
        return self.guest.directory.claim_guest(self.guest.notifier.index, choose)[1]

    def seen(self, terminal: Terminal, does: Callable[[Caller], object], typed: str = "") -> Eye:
        """Show what a prompt shows to Anna, who types this."""
        line = ReadyLine(terminal)
        display = Display(line)
        caller = Caller(line, display, Loop(line, display, self.inbox, self.alarms), self.mine)
        caller.user_or_none = self.anna
        line.typed += typed.encode(line.charset)
        try:
            does(caller)
        finally:
            line.close()
        eye = Eye(line.columns, line.rows, line.charset)
        eye.see(line.take())
        return eye

    def close(self) -> None:
        for instance in self.houses:
            instance.leave()
        self.alarms.close()
        self.inbox.close()
