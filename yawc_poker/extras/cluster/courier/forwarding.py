"""The courier's part in commands: what sessions here post for sessions of other hosts is told to those hosts' couriers,
and what theirs tell is posted here.

Owns which commands go to other hosts: those to somebody there, and those to everybody. Not those that say where to look
at a table: couriers tell of committed tables themselves, and each host purges its own dead. What others have told is
never told again. A command that is lost may have told of something that is in the database, such as an X-message; so
whenever some may be lost, on the way here or from here, all sessions that were to get them look at everything.
"""

import logging
import signal
from typing import Final

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.presence.directory import SessionInfo, index_of
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.extras.cluster import messages
from yawc_poker.extras.cluster.local_host import ClusteredHost
from yawc_poker.extras.cluster.messages import Acted, EndSession, LookAgain, Message, Posted
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import ADDRESSEES, Command, Kind, Passing, Ring

log = logging.getLogger(__name__)

PASSED_ON: Final = frozenset({Kind.XMESSAGE, Kind.NOTICE, Kind.END, Kind.SYSOP})


class Forwarding:
    """The commands between this host's sessions and those of others. The courier has entered the directory."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._here = ClusteredHost(instance.segment.head)
        self._records = instance.segment.records
        self._own = instance.own
        self._ring = Ring(instance.segment)
        self._told = instance.latest_sysop_action
        """Number of the sysop action that other hosts were told of last, or told of."""
        self._owes_look = False
        """The others have to be told that they may have missed something."""

    # --- from here ----------------------------------------------------------------------------------------------------

    def outgoing(self) -> list[str]:
        """Return what is to be notified to the other hosts: all that was posted for them since the last look."""
        posted, is_incomplete = self._own.follow(self._ring)
        told: list[Message] = [one for passing in posted if (one := self._passed_on(passing)) is not None]
        latest = self._instance.latest_sysop_action
        if latest != self._told:
            self._told = latest
            told.append(Acted(self._here.number, latest))
        if is_incomplete or self._owes_look:
            self._owes_look = False
            told.append(LookAgain(self._here.number))
        return [messages.encoded(one) for one in told]

    def _passed_on(self, passing: Passing) -> Posted | None:
        """Return what the other hosts are told of a command; None: nothing."""
        command, to = passing.command, passing.to
        is_ours = self._here.is_own(index_of(command.sender)) and command.sender not in {0, self._own.token}
        if not is_ours or command.kind not in PASSED_ON:
            return None
        addressees = None if to is None else self._elsewhere(command, to)
        if addressees == ():
            return None
        return Posted(
            self._here.number, command.kind, command.sender, command.record, command.table, command.payload, addressees
        )

    def _elsewhere(self, command: Command, to: tuple[int, ...]) -> tuple[int, ...]:
        """Return the tokens of those addressees of a command that are on other hosts."""
        ending = EndSession.decoded(command.payload) if command.kind == Kind.END else None
        found = [self._records[index].token for index in to if not self._here.is_own(index)]
        if ending is not None and found:
            return (ending.token,)  # the record here may be another's, or nobody's yet
        return tuple([token for token in found if token])

    # --- to here ------------------------------------------------------------------------------------------------------

    def incoming(self, payload: str) -> None:
        """Do what another host tells of its commands."""
        message = messages.decoded(payload)
        if message is None:
            log.info("another host told what this program does not know: %.60r", payload)
        elif message.host != self._here.number:
            self._receive(message)

    def _receive(self, message: Message) -> None:
        match message:
            case Posted():
                self._post(message)
            case Acted(number=number):
                self._follow_actions(number)
            case LookAgain():
                self._look_at_everything()
            case _:  # tables and sessions are others' to look after
                pass

    def refresh(self) -> None:
        """Look at everything, and have the others do so: nobody knows what was told while there was no connection."""
        self._owes_look = True
        try:
            self._follow_actions(self._instance.sysop_log.newest())
        except StoreError as error:
            log.warning("what sysops did meanwhile is seen later: %s", error)
        self._look_at_everything()

    def _post(self, message: Posted) -> None:
        kind = message.kind
        if kind not in PASSED_ON:
            return
        command = Command(kind, message.table, message.sender, message.record, message.payload)
        if message.to is None:
            self._instance.notifier.pass_on(command, None, tables=kind == Kind.SYSOP)
            return
        people = [one for token in message.to if (one := self._at_home(token)) is not None]
        ending = EndSession.decoded(message.payload) if kind == Kind.END else None
        until = messages.read_muting(message.payload) if kind == Kind.SYSOP else None
        for one in people:
            if ending is not None:
                self._instance.directory.end(one, ending.reason)
            if until is not None:
                self._instance.directory.mute(one, until)
        for first in range(0, len(people), ADDRESSEES):
            self._instance.notifier.pass_on(command, [one.index for one in people[first : first + ADDRESSEES]])
        if ending is not None and ending.kill:
            self._kill(people)

    def _at_home(self, token: int) -> SessionInfo | None:
        """Return the session of this host that has a token; None: it has left."""
        if not self._here.is_own(index_of(token)):
            return None
        person = self._instance.directory.at(index_of(token))
        return person if person is not None and person.token == token and token != self._own.token else None

    def _kill(self, people: list[SessionInfo]) -> None:
        """Kill sessions; the listener frees their records, and their tables are looked after as ever."""
        for one in people:
            log.warning("session %d of %r did not end and was killed", one.identity.pid, one.name or one.peer)
            process.kill(one.identity, signal.SIGKILL)

    def _follow_actions(self, number: int) -> None:
        """Let sessions see that a sysop acted on another host, and the listener which addresses are banned."""
        instance = self._instance
        instance.latest_sysop_action = self._told = max(number, instance.latest_sysop_action)
        try:
            instance.bans.publish()
        except (OSError, StoreError) as error:
            log.error("the listener does not know of all bans: %s", error)
        instance.tell_listener()

    def _look_at_everything(self) -> None:
        """Make all sessions look for what commands that were lost may have told them of."""
        notifier = self._instance.notifier
        for kind in (Kind.XMESSAGE, Kind.SYSOP):
            notifier.pass_on(Command(kind, None, notifier.token, notifier.index), None, tables=True)
