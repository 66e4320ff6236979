"""What a process that waits can be told, as values. Pure."""

import msgspec


class Key(msgspec.Struct, frozen=True):
    """The caller pressed a key: one character, or a name as in `yawc_poker.terminal.keys`."""

    name: str


class Woken(msgspec.Struct, frozen=True):
    """Another process sent SIGUSR1: look into shared memory."""


class AlarmDue(msgspec.Struct, frozen=True):
    """A named alarm fired."""

    name: str


class Resized(msgspec.Struct, frozen=True):
    """The window or the kind of terminal changed, or the screen was disturbed: draw anew."""


class Terminated(msgspec.Struct, frozen=True):
    """This process was asked to end, or its terminal went away."""


class Ready(msgspec.Struct, frozen=True):
    """A descriptor that is watched besides the caller's line can be read."""


Event = Key | Woken | AlarmDue | Resized | Terminated | Ready
