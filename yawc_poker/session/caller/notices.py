"""What others did, in one caller's language: sysop actions, messages, notices; whether the caller may write, or stay.

Owns the sentences and this session's look at the sysop actions; never what an action does
(`casino.moderation.actions`), never where a line is shown.
"""

import logging
import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.meeting.mail import Message
from yawc_poker.casino.moderation.actions import BANNED, ENDED, KINDS, MUTED, TOLD
from yawc_poker.casino.moderation.rows import Notice
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.session.caller.endings import ShownOut
from yawc_poker.terminal.frame import Style
from yawc_poker.words import Words

log = logging.getLogger(__name__)


LINES = 5
SECONDS = 5.0
AT_ONCE = 2
"""Lines that somebody may write at once who calls again: a message, and the notice that it is being written."""


class WriteRate:
    """How fast a caller may write to others, at the table and by messages together: `LINES` within `SECONDS`. Pure."""

    def __init__(self) -> None:
        self._written: deque[float] = deque(maxlen=LINES)

    def go_on(self, began: float) -> None:
        """Take it that a session of the same user, which began then, has written most of what it might."""
        self._written.extend([began] * (LINES - AT_ONCE))

    def allows(self, now: float) -> bool:
        """Return whether one more line may be written now (seconds of any steady clock), and count it if so."""
        if len(self._written) == LINES and now - self._written[0] < SECONDS:
            return False
        self._written.append(now)
        return True


class Bulletin:
    """What one session knows of the sysop actions."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._pace = WriteRate()
        self._heard = 0
        """Number of the newest sysop action at the last look for what was said to everybody."""
        self._seen: int | None = None
        """`Instance.latest_sysop_action` when it last told all, or None for never."""

    def begin(self, user: User) -> None:
        """Take over what was decided about the user who logs in; what sysops say counts from now. Raise `StoreError`.

        Called once others can see who logs in: this session is told of later decisions.
        """
        if user.twit_until:
            self._instance.own.muted_until = user.twit_until
        if user.last_login is not None:  # to call again is no way to write faster
            self._pace.go_on(time.monotonic() - max(0.0, self._instance.accounts.store.clock() - user.last_login))
        self._heard = self._instance.sysop_log.newest()

    @property
    def has_news(self) -> bool:
        """Whether there may be something to show; cheap."""
        return self._instance.latest_sysop_action != self._seen

    @contextmanager
    def news(self, user: User) -> Iterator[tuple[User, list[SysopAction]]]:
        """Yield the user, read anew, and what sysops did to them or said since the last look, oldest first.

        It counts as told once the block was left without an error (`SysopLog.telling`). Raise `StoreError`.
        """
        latest = self._instance.latest_sysop_action
        user = self._look_at(user)
        said = self._instance.sysop_log.said_since(self._heard)
        with self._instance.sysop_log.telling(user.id, TOLD) as mine:
            yield user, sorted(said + mine, key=lambda action: action.id)
        self._heard = max((action.id for action in said), default=self._heard)
        self._seen = latest

    def _look_at(self, user: User) -> User:
        found = self._instance.accounts.by_id(user.id) or user
        if found.twit_until != user.twit_until:
            self._instance.own.muted_until = found.twit_until
        return found

    def may_not_write(self, words: Words) -> str:
        """Return why the caller may not write a line to others now; empty: they may, and the line is counted."""
        if refusal := self.silenced(words):
            return refusal
        return "" if self._pace.allows(time.monotonic()) else words("Not so fast, please: that line was not sent.")

    def silenced(self, words: Words) -> str:
        """Return the sentence that the caller's right to write was taken; empty: it was not."""
        until = self._instance.own.muted_until
        return muted(until, words) if until > self._instance.here.now() else ""

    def farewell(self, action: int, words: Words) -> str:
        """Return why a sysop action ended this session."""
        try:
            return _farewell(self._instance.sysop_log.by_id(action), words)
        except StoreError as error:
            log.error("the reason of sysop action %d cannot be read: %s", action, error)
            return _farewell(None, words)


def in_column(when: float) -> str:
    """Return a moment (epoch seconds) as it stands in a list, below others of the same zone."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(when))


def day(when: float) -> str:
    """Return a moment (epoch seconds) as players read it, with the zone."""
    return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(when))


def message(found: Message, words: Words) -> str:
    """Return an X-message as it is shown."""
    at = time.strftime("%H:%M %Z", time.localtime(found.sent))
    return words("*** X-message from {name} at {time}: {text}", name=found.from_name, time=at, text=found.text)


def until(when: float | None, words: Words) -> str:
    """Return how long something lasts; infinite: for ever."""
    if when is None or math.isinf(when):
        return words("for ever")
    return words("until {when}", when=day(when))


def sentence(action: SysopAction, words: Words) -> tuple[str, Style]:
    """Return what the user reads of a sysop action: text and colour."""
    told = KINDS[action.kind].notice
    if told is None:
        raise ValueError(f"nobody is told of {action.kind}")
    style = Style.ALERT if told.urgent else Style.BOLD if action.user is None else Style.YELLOW
    return _written(told, words, action.until, action.reason, action.cubes), style


def muted(until: float, words: Words) -> str:
    """Return the sentence that somebody may not write, and until when."""
    return _written(MUTED, words, until)


def refuse_banned(instance: Instance, user: User, origin: str, words: Words) -> None:
    """Raise `ShownOut` if a user is banned, or the address that they call from; or `StoreError`."""
    ban = instance.bans.of(user.name, origin)
    if ban is not None:
        log.info("user %r from %s is banned", user.name, origin)
        raise ShownOut(_written(BANNED, words, ban.until, ban.reason))


def _farewell(action: SysopAction | None, words: Words) -> str:
    """Return why a sysop ended a session; the action may not be known any more."""
    kind = None if action is None else KINDS.get(action.kind)  # one that a newer program has, where both run
    if action is None or kind is None:
        return _written(ENDED, words)
    return _written(kind.farewell or ENDED, words, action.until, action.reason)


def _written(
    notice: Notice, words: Words, until: float | None = None, reason: str = "", cubes: int | None = None
) -> str:
    """Write a notice for its user; `until` infinite or None: for ever."""
    ends = notice.until and until is not None and not math.isinf(until)
    when = day(until) if ends and until is not None else ""
    text = words(notice.until if ends else notice.text, reason=reason, text=reason, cubes=cubes, when=when)
    return f"{text} ({reason})" if notice.adds_reason and reason else text
