"""What was seen of a table last and what the screen shows of it, kept so that little has to be made anew. Pure.

Owns when a scene and a drawing are still good: until something else is to be seen, or time changes what is shown. All
moments are monotonic seconds.
"""

import math

from msgspec.structs import replace

from yawc_poker.engine.values import AnyTable
from yawc_poker.table_ui.definition import AnyFace
from yawc_poker.table_ui.onlookers import MOST_TOLD, TOLD_SECONDS, changes
from yawc_poker.table_ui.scene import Scene, next_change
from yawc_poker.words import Words


class SceneCache:
    """What one session sees of its table; looked at anew once a second at most while nothing comes in."""

    def __init__(self, face: AnyFace, token: int, value: AnyTable, called: str = "") -> None:
        """`token` is the session's; `value` the table's, until another is taken.

        `called` is what somebody is called who looks on, with `ONLOOKER` as their token.
        """
        self.value = value
        self.watching: tuple[str, ...] = ()
        """The names of those who look on."""
        self.waiting = 0
        """X-messages that came in since the caller sat down."""
        self._face = face
        self._token = token
        self._called = called
        self._scene: Scene[object] | None = None
        self._until = 0.0
        self._told: tuple[float, ...] = ()
        """When comings and goings of on-lookers were told, as far as it was within `TOLD_SECONDS`."""
        self._ended = -math.inf
        """When a game was last seen to end."""

    def take(self, value: AnyTable, now: float) -> None:
        """Look at this value from now on."""
        if self.value.game is not None and value.game is None:
            self._ended = now
        self.value = value
        self._scene = None

    def count_waiting(self, waiting: int) -> None:
        """See this number of X-messages that came in."""
        self.waiting = waiting
        self._scene = None

    def show_onlookers(self, names: tuple[str, ...], words: Words, now: float) -> list[str]:
        """See these people look on; return who of them has come, and who has gone, in sentences, but not too many."""
        before, self.watching, self._scene = self.watching, names, None
        found = [] if self._called and not before else changes(before, names, words)
        recent = tuple([at for at in self._told if now < at + TOLD_SECONDS])
        found = found[: MOST_TOLD - len(recent)]
        self._told = (*recent, *[now] * len(found))
        return found

    def look(self, now: float, *, waits: bool) -> Scene[object]:
        """Return what is seen now; it is kept for the same second of the clock, if nothing came in between.

        It is not kept for a caller who `waits` for the end of the pause, whose seconds differ from the clock's.
        """
        if self._scene is None or now >= self._until or waits:
            if self._scene is None:
                self._scene = self._seen(now)
            else:
                self._scene = replace(self._scene, now=now)
            change = next_change(self._scene, waits=True)
            self._until = math.inf if change is None else change
        return self._scene

    def _seen(self, now: float) -> Scene[object]:
        """Return the game's scene, with what no game knows of."""
        scene = self._face.scene(self.value, self._token, self.waiting, now)
        if self.watching or self._called or self._ended > -math.inf:
            name = self._called or scene.name
            return replace(scene, name=name, watching=self.watching, ended=self._ended)
        return scene


class Drawing:
    """What the screen shows."""

    def __init__(self) -> None:
        self.scene: Scene[object] | None = None
        """As it was when it was drawn."""
        self.until = 0.0
        """Until then time alone changes nothing of it."""
        self.source: tuple[object, ...] = ()
        """All that it was made from, except the time; empty: the screen does not show it any more."""

    def holds_until(self, change: float | None) -> None:
        """Note that time alone changes it at that moment, or None for never."""
        self.until = math.inf if change is None else change
