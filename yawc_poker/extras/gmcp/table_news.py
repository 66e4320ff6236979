"""A table told to a client by GMCP: what is new, whenever something is."""

from typing import Final

from yawc_poker.engine.values import AnyTable
from yawc_poker.extras.gmcp.messages import GONE, Told, news
from yawc_poker.extras.gmcp.telnet_options import Gmcp
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.hearing import TableNews
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.scene import Local, Scene


class GmcpTeller:
    """What one client knows of its caller's table. The words are the caller's own, with cards by name."""

    def __init__(self, channel: Gmcp, caller: Caller, game: AnyDefinition, session: int) -> None:
        self._channel, self._caller, self._game, self._session = channel, caller, game, session
        self._told = Told()

    def show(self, value: AnyTable, scene: Scene[object], local: Local) -> None:
        """Send what is new, if the client wants it. Raise `LineClosed`."""
        if not self._channel.is_open:
            self._told = Told()
            return
        words = self._caller.appearance.spoken
        self._told, messages = news(self._told, self._game, value, self._session, scene, local, words)
        for message in messages:
            self._channel.send(message)

    def close(self) -> None:
        """Send that there is no table any more. Raise `LineClosed`."""
        if self._channel.is_open:
            for message in GONE:
                self._channel.send(message)


def _open(caller: Caller, game: AnyDefinition, session: int) -> GmcpTeller | None:
    channel = next((one for one in caller.line.channels if isinstance(one, Gmcp)), None)
    return None if channel is None else GmcpTeller(channel, caller, game, session)


ANNOUNCED: Final = (TableNews(_open),)
