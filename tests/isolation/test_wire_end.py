"""A wire client whose move is on its way while its game ends."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from yawc_poker.bbs.lifecycle import Foundation
from yawc_poker.config import Config, TelnetSettings
from yawc_poker.extras.maumau_wire import session as wire
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.codec import encode, server_reader
from yawc_poker.extras.maumau_wire.session import WireLine
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.game import MaumauSettings
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.tables import Tables
from yawc_poker.session.table.table_session import Over

CONFIG = Config(telnet=TelnetSettings(max_sessions=4), games=(MaumauSettings(pause_seconds=0),))


class Client:
    """A wire session that is told what comes, and its client's end of the line."""

    def __init__(self, foundation: Foundation, inbox: SignalInbox, alarms: Alarms, stack: ExitStack) -> None:
        here, self.there = socket.socketpair()
        self.there.setblocking(False)
        stack.enter_context(self.there)
        self._line = WireLine(here, "somewhere", inbox, alarms)
        stack.callback(self._line.close)
        instance = foundation.instance(CONFIG)
        instance.enter("somewhere")
        stack.callback(instance.leave)
        instance.tables = Tables(instance)
        self.session = wire.Client(self._line, alarms, instance)

    def asks(self, message: messages.FromClient) -> None:
        """Hand the session a message of its client."""
        self.session._hear(encode(message))

    def told(self) -> list[messages.FromServer]:
        """Return what the client was sent."""
        self._line.flush()
        return list(server_reader().receive(self.there.recv(65536)))


@contextmanager
def two_clients(data: Path) -> Iterator[list[Client]]:
    foundation = Foundation.found(data, CONFIG)
    try:
        with ExitStack() as stack:
            inbox = SignalInbox()
            stack.callback(inbox.close)
            alarms = Alarms()
            stack.callback(alarms.close)
            yield [Client(foundation, inbox, alarms, stack) for _ in range(2)]
    finally:
        foundation.demolish()
        foundation.segment.close()


def test_a_move_that_crosses_the_end_of_its_game_is_answered_by_the_result(tmp_path: Path) -> None:
    with two_clients(tmp_path) as (anna, bert):
        anna.asks(messages.Id("Anna"))
        bert.asks(messages.Id("Bert"))
        anna.session.look(force=True)
        bert.session.look(force=True)
        anna.session.look(force=True)  # deals, once Bert has revealed
        bert.session._stand_up(removed=False)
        with pytest.raises(Over, match="the game is over") as end:
            anna.asks(model.Take(1))
        assert end.value.ended
        assert any(isinstance(one, messages.Result) for one in anna.told())


def test_a_move_before_any_game_is_none(tmp_path: Path) -> None:
    with two_clients(tmp_path) as (anna, _):
        anna.asks(messages.Id("Anna"))
        with pytest.raises(Over, match="no_game") as end:
            anna.asks(model.Take(1))
        assert not end.value.ended


def test_a_move_whose_first_try_was_done_after_all_is_not_held_against_its_client(tmp_path: Path) -> None:
    """As where the answer to a COMMIT is lost: the second try finds the move done, and is refused."""
    with two_clients(tmp_path) as (anna, bert):
        anna.asks(messages.Id("Anna"))
        bert.asks(messages.Id("Bert"))
        anna.session.look(force=True)
        bert.session.look(force=True)
        again = model.Take(1)
        bert.session._late = again  # whose turn it is not
        bert.session._take_alarm("late")
        with pytest.raises(Over, match="may not do that"):
            bert.asks(model.Take(1))


def test_nobody_acts_while_their_last_move_is_tried_again(tmp_path: Path) -> None:
    with two_clients(tmp_path) as (anna, _):
        anna.asks(messages.Id("Anna"))
        anna.session._late = model.Take(1)
        with pytest.raises(Over, match="out of turn"):
            anna.asks(model.Take(1))
