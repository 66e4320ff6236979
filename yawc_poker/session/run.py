"""A session from birth to exit code, and the few things the listener asks of the BBS.

`load` and `settle` are what happens before a fork, with a rehearsal between them (`bbs.rehearsal`): no database and no
thread is left of it. `serve` is all that happens after it: the signals first, then the instance, the login, the prompt.
However it ends, the table is left, the terminal restored, the record freed, and the exit code shows how it went
(`Exit`).
"""

import errno
import gc
import logging
import signal
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress

from yawc_poker.announcing import announced
from yawc_poker.casino import counters
from yawc_poker.casino.bank.allowance import Property
from yawc_poker.casino.instance.guests import retire
from yawc_poker.casino.instance.instance import Duty, Instance, OtherHostsKind
from yawc_poker.casino.meeting.meeting import Forgetting
from yawc_poker.casino.presence.directory import DirectoryFull
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users import names
from yawc_poker.catalogues import words
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.segment import SegmentError
from yawc_poker.ipc.semaphore import LockGone, LockTimeout
from yawc_poker.ipc.signals import JOB_SIGNALS, SESSION_SIGNALS, SignalInbox
from yawc_poker.page.links import NO_LINK, Link, PageAddress
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.endings import ClosingDown, Ending, Exit, Full, free_reserve
from yawc_poker.session.caller.others import AddedNotice
from yawc_poker.session.loop.loop import Loop
from yawc_poker.session.menus import casino, login, main, sysop
from yawc_poker.session.menus.afterwards import OfFinishedGame
from yawc_poker.session.menus.help import help_pages
from yawc_poker.session.menus.links import AddedLink
from yawc_poker.session.menus.passwords import KeptKeys
from yawc_poker.session.menus.presence import Welcome
from yawc_poker.session.menus.profile import ProfileLines
from yawc_poker.session.menus.wall import AboveWall
from yawc_poker.session.prefork.heap import fill_holes, fill_pools, return_free_pages, return_large_blocks
from yawc_poker.session.prefork.immortal import make_immortal, obstacle
from yawc_poker.session.prefork.instances import settle_instances
from yawc_poker.session.prefork.parts import is_done
from yawc_poker.session.prefork.slices import let_others_pass
from yawc_poker.session.table.errand import TableErrand
from yawc_poker.session.table.hearing import TableNews
from yawc_poker.session.table.sitting import SeatRule
from yawc_poker.session.table.table_session import Deed
from yawc_poker.session.table.watch import Watching
from yawc_poker.table_ui.added_keys import added_keys
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.kinds import KINDS
from yawc_poker.terminal.line import DROPPED, Line
from yawc_poker.terminal.sequences import warm
from yawc_poker.terminal.tty import Job, TtyLine
from yawc_poker.transport import LineClosed
from yawc_poker.words import LANGUAGES, Language, mark

log = logging.getLogger(__name__)

OpenInstance = Callable[[], Instance]
"""Returns the instance for this process; raises `SegmentError` or `OSError` if there is none."""

NEGOTIATION_SECONDS = 0.5
"""How long to wait for a caller's side to report its terminal; some never do."""
_SHORTAGE = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_TROUBLE = mark("The BBS has a problem and must end this session; your CUBES are safe. Please call again.")


def load() -> None:
    """Load everything a session needs: texts, terminals, tables of characters. No database, no thread."""
    for language in LANGUAGES:
        words(language)
        words(language, symbols=True)
        words(language, spoken=True)
        help_pages(language)
    main.prompt_menu()
    casino.casino_menu()
    sysop.menu()
    announced("profile_lines", ProfileLines)
    announced("welcomes", Welcome)
    announced("notices", AddedNotice)
    announced("seat_rules", SeatRule)
    announced("deeds", Deed)
    announced("forgetting", Forgetting)
    announced("new_passwords", KeptKeys)
    announced("duties", Duty)
    announced("other_hosts", OtherHostsKind)
    announced("property", Property)
    announced("page_addresses", PageAddress)
    announced("finished_games", OfFinishedGame)
    announced("above_wall", AboveWall)
    announced("links", AddedLink)
    announced("watching", Watching)
    announced("errands", TableErrand)
    added_keys()
    announced("table_news", TableNews)
    warm(KINDS)
    names.warm()


def settle(*, immortal: bool = False) -> None:
    """Freeze what is loaded, so that forked sessions share it (design: processes). Nothing more may be loaded.

    With `immortal` it is no longer counted, either, where the interpreter is known for that (`prefork.immortal`).
    """
    if is_done("blocks"):
        return_large_blocks()
    gc.collect()
    if immortal and is_done("immortal"):
        _make_immortal()
    if is_done("pools"):
        fill_pools()
    if is_done("freeze"):
        gc.freeze()
    if is_done("holes"):
        fill_holes()


def _make_immortal() -> None:
    reason = obstacle()
    if not reason:
        if is_done("instances"):  # first: what is immortal may be unknown to the garbage collector, which is asked
            log.debug("instances of %d classes change nothing shared", settle_instances())
        log.debug("%d objects made immortal", make_immortal())
        gc.collect()  # its free lists would keep what the walk took, and so the listener some megabytes
        return_free_pages()
    elif sys.version_info >= (3, 12):  # before that nothing else is to be expected
        log.info("[engine] immortal does nothing here, so sessions take more memory: %s", reason)


def takes_callers(open_instance: OpenInstance) -> bool:
    """Return whether callers may come in now, for a proxy that asks."""
    try:
        instance = open_instance()
    except (SegmentError, StoreError, OSError):
        return False
    return not (instance.closing or instance.here.is_leaving) and instance.other_hosts.takes_callers(instance)


def serve(
    line: Line,
    open_instance: OpenInstance,
    *,
    entrance: Entrance = Entrance.DOOR,
    ends: Collection[int] = (signal.SIGTERM,),
    language: Language | None = None,
    key: str = "",
    link: Link = NO_LINK,
    name: str = "",
) -> Exit:
    """Serve one caller in this process until the end of their stay, and return how it ended. Never raises.

    `entrance` is how they came: the listener does not know of a caller whom it has not let in, and is told. `language`
    is the caller's side's, None: the instance's. `key` is what they proved to have, if whoever says so is believed;
    `link` is what the link says by which their page was opened, `name` what they are called where they come from.
    `ends` are the signals that end the session. SIGINT and SIGHUP do so only for one that has a terminal of its own: a
    telnet session is in the listener's process group, and Ctrl-C there is the listener's to hear.
    """
    display = Display(line)
    on_job = Job(line, display).hear if isinstance(line, TtyLine) else None
    try:
        inbox = SignalInbox(SESSION_SIGNALS if on_job is None else (*SESSION_SIGNALS, *JOB_SIGNALS))
    except OSError as error:  # no descriptors
        return _not_now(line, display, error)
    alarms = Alarms()
    try:
        line.flush()  # offers, which the caller's side answers meanwhile
        loop = Loop(line, display, inbox, alarms, ends, on_job=on_job)
        return serve_in(loop, display, open_instance, entrance, language, key, link, name)
    except LineClosed:
        return Exit.OK
    except Exception as error:
        code = _broken(line, display, error)
        with suppress(LineClosed):
            _refuse(display, language, _TROUBLE)
        return code
    finally:
        let_others_pass()  # the record is free
        display.restore()
        line.close()
        alarms.close()
        inbox.close()


def serve_in(
    loop: Loop,
    display: Display,
    open_instance: OpenInstance,
    entrance: Entrance = Entrance.DOOR,
    language: Language | None = None,
    key: str = "",
    link: Link = NO_LINK,
    name: str = "",
) -> Exit:
    """Serve one caller in a loop that stands already, and return how it ended. Raise `LineClosed`."""
    line = loop.line
    try:
        instance = open_instance()
    except (SegmentError, OSError) as error:
        log.error("no BBS to enter: %s", error)
        return _refuse(display, language, mark("The BBS is not running: {reason}"), str(error))
    try:
        instance.enter(line.peer, entrance, line.way)
        instance.tally.count(counters.SESSIONS)
        if entrance is Entrance.TERMINAL:
            instance.tell_listener()
    except DirectoryFull:
        log.warning("%s: no place in the directory", line.peer)
        return _refuse(display, language or instance.config.bbs.language, Full.farewell)
    except LockGone:
        return _refuse(display, language or instance.config.bbs.language, ClosingDown.farewell)
    except (LockTimeout, OSError, MemoryError) as error:
        free_reserve()
        log.error("%s cannot enter: %r", line.peer, error)
        return _refuse(display, language or instance.config.bbs.language, _TROUBLE)
    caller = Caller(line, display, loop, instance)
    if language is not None:
        caller.speak(language)  # until the user's own is known
    caller.login.key, caller.login.link, caller.login.name = key, link, name
    return _stay(caller)


def _broken(line: Line, display: Display, error: Exception) -> Exit:
    """Log what ends a session, a shortage or a bug, make way for a word of it, and return the exit code."""
    free_reserve()
    display.restore()  # a table that could not take its frame away would have that done after the last words
    is_shortage = isinstance(error, OSError) and error.errno in _SHORTAGE
    if is_shortage or isinstance(error, StoreError | LockTimeout | MemoryError):
        log.error("session of %s ended: %r", line.peer, error)
        return Exit.UNAVAILABLE
    log.exception("session of %s ended by a bug", line.peer)
    return Exit.BUG


def _not_now(line: Line, display: Display, error: OSError) -> Exit:
    """End a session that could not even receive signals."""
    log.error("%s cannot be served: %s", line.peer, error)
    with suppress(LineClosed):
        _refuse(display, None, _TROUBLE)
    display.restore()
    line.close()
    return Exit.UNAVAILABLE


def _refuse(display: Display, language: Language | None, text: str, reason: str = "") -> Exit:
    """Tell somebody who has no record in the directory why there is none."""
    display.text(words(language or LANGUAGES[0])(text, reason=reason) + "\n")
    return Exit.UNAVAILABLE


def _stay(caller: Caller) -> Exit:
    """Serve a caller who has a record in the directory; it is given back in any case."""
    try:
        if caller.instance.closing:  # the listener looks for records after it sets this: one of the two sees the other
            raise ClosingDown
        caller.begin()
        _wait_for_negotiation(caller.loop)
        caller.appearance.follow_line()
        caller.display.mark_pastes()
        login.log_in(caller)
        main.run(caller)
    except LineClosed as closed:
        _log_end(caller, closed)
    except Ending as ending:
        _farewell(caller, ending)
    except LockGone as gone:
        if not caller.instance.closing:
            log.error("session of %s ended: %r", caller.line.peer, gone)
        _farewell(caller, ClosingDown())
    except Exception as error:
        code = _broken(caller.line, caller.display, error)
        _farewell_text(caller, caller.words(_TROUBLE))
        return code
    finally:
        _leave(caller)
    return Exit.OK


def _log_end(caller: Caller, closed: LineClosed) -> None:
    if str(closed) not in DROPPED:
        log.info("%s: %s", caller.line.peer, closed)
        return
    user = caller.user_or_none
    log.warning("dropped %s (%s): %s", caller.line.peer, repr(user.name) if user else "not logged in", closed)


def _leave(caller: Caller) -> None:
    """Credit the online time, tell the others, and give the record back."""
    for step in (caller.tidy, lambda: _tell_logout(caller), lambda: _retire(caller), caller.instance.leave):
        try:
            step()
        except (LockGone, LockTimeout, StoreError, OSError, MemoryError) as error:
            log.warning("session of %s left without tidying up: %r", caller.line.peer, error)


def _tell_logout(caller: Caller) -> None:
    user = caller.user_or_none
    if user is not None and not caller.instance.closing:
        log.info("user %r logged out", user.name)
        caller.others.tell_going(user.name, time.monotonic())
        caller.instance.accounts.left(user.id)


def _retire(caller: Caller) -> None:
    """End the account of a guest, who cannot come back."""
    if caller.user_or_none is not None and caller.user.guest:
        retire(caller.instance, caller.user.id)


def _wait_for_negotiation(loop: Loop) -> None:
    """Wait a moment for the caller's side to report its terminal, but not for all answers: some clients send none."""
    until = time.monotonic() + NEGOTIATION_SECONDS
    while not loop.line.negotiated and (left := until - time.monotonic()) > 0:
        loop.pause(left)


def _farewell(caller: Caller, ending: Ending) -> None:
    log.info("%s: %s", caller.line.peer, type(ending).__name__)
    if caller.page is not None and ending.parting is not None:
        caller.page.part(ending.parting)
    _farewell_text(caller, caller.words(ending.farewell))


def _farewell_text(caller: Caller, text: str) -> None:
    try:
        caller.console.say()
        caller.console.say(text, Style.YELLOW)
    except LineClosed:
        pass
