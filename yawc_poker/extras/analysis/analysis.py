"""A caller's analysis under way: pieces of it are made in child processes, and a line tells how far it is.

Owns the conversation. The work is done at low priority, nicer than other work apart, so that nobody who plays
waits for it; any key ends it. Nothing is kept: the same game gives the same page at any time.
"""

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import msgspec

from yawc_poker.casino.instance.instance import ERRANDS_FILE
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.replay import Contradiction
from yawc_poker.extras.analysis.judging import Decision, Judged, decisions, effort_of, judged
from yawc_poker.extras.analysis.pages import lines
from yawc_poker.ipc.events import Key, Ready
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.offload import Errand, ErrandFailed
from yawc_poker.session.menus.afterwards import FinishedGame
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.session.menus.proof import WIDTH
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap

log = logging.getLogger(__name__)

NICER: Final = 5
"""Added to the niceness of other work apart."""
PIECE: Final = 1
"""Decisions that one child process judges."""


def analyse(caller: Caller, played: FinishedGame) -> None:
    """Judge a caller's decisions in a finished game, and show them; a key ends it before."""
    words = caller.words
    try:
        asked = decisions(played.game, played.dealing, played.actions, caller.user.id)
    except (Contradiction, ValueError):
        caller.console.say(words("This game cannot be played again, so it cannot be analysed."), Style.YELLOW)
        return
    found = _judged(caller, played.game, asked, played.dealing)
    if found is None:
        caller.console.say(words("Stopped."))
        return
    told = lines(played.game, asked, found, words)
    text = "\n".join("\n".join(wrap(line, WIDTH + 5)) for line in (played.title, "", *told))
    show_page(caller, Page(played.title, text))


def _judged(caller: Caller, game: AnyDefinition, asked: Sequence[Decision], dealing: Dealing) -> list[Judged] | None:
    """Return what the program thinks of these decisions; None: the caller has pressed a key meanwhile."""
    found, effort, console = list[Judged](), effort_of(len(asked)), caller.console
    for at in range(0, len(asked), PIECE):
        if not caller.preferences.linear or at == 0:
            if console.is_open:
                console.wipe()
            console.prompt(
                caller.words("Analysis: {done} of {all} decisions (any key stops) ", done=at, all=len(asked))
            )
        piece = asked[at : at + PIECE]
        answer = _apart(caller, partial(_work, game, piece, dealing.seed, effort))
        if answer is None:
            console.finish()
            return None
        found += msgspec.json.decode(answer, type=list[Judged])
    if console.is_open:
        console.wipe()
    return found


def _apart(caller: Caller, work: Callable[[], bytes]) -> bytes | None:
    """Make a child process do work, as `Caller.apart`, until the caller presses a key: then return None."""
    try:
        errand = Errand(work, caller.instance.data / ERRANDS_FILE)
    except OSError as error:
        log.warning("no process for an analysis: %s", error.strerror)
        return work()
    try:
        with caller.loop.watching(errand.fileno()):
            while True:
                event = caller.loop.next()
                if isinstance(event, Key):
                    caller.touched()
                    return None
                caller.meanwhile(event)
                if isinstance(event, Ready) and (answer := errand.take()) is not None:
                    return answer
    except ErrandFailed as error:
        log.warning("%s", error)
        return work()
    finally:
        errand.close()


def _work(game: AnyDefinition, piece: Sequence[Decision], seed: str, effort: int) -> bytes:
    """Judge some decisions; an answer is never empty."""
    with suppress(OSError):  # a service may not be allowed to
        os.nice(NICER)
    return msgspec.json.encode([one for decision in piece if (one := judged(game, decision, seed, effort)) is not None])
