"""`[door]`: the settings of the door for terminals."""

from typing import Annotated, Final

from msgspec import Meta

from yawc_poker.config import AddedKeys, Section


class DoorSettings(Section, frozen=True):
    """`[door]`: the Unix socket at which yawc-door hands over terminals, as for callers by ssh."""

    socket: Annotated[str, Meta(max_length=4096)] = ""
    """Its file; empty: door.sock in the data directory. Those who may connect are believed where callers come from."""
    group: str = ""
    """Group whose members may connect, too; empty: only the BBS's own user may."""
    key_users: tuple[str, ...] = ()
    """Users whose yawc-door is believed which key of ssh a caller has proven to have; see K at the prompt."""


ANNOUNCED: Final = (AddedKeys("door", DoorSettings),)
