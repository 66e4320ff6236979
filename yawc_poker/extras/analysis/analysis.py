"""A caller's analysis under way: each decision is judged in a child process, and a line tells how far it is.

Owns the conversation. The work is done at low priority, nicer than other work apart, so that nobody who plays
waits for it; any key ends it. Nothing is kept: the same game gives the same page at any time.
"""

from collections.abc import Sequence
from functools import partial

import msgspec

from yawc_poker.casino.instance.instance import LONG_ERRANDS_FILE
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.replay import Contradiction
from yawc_poker.extras.analysis.judging import Decision, Judged, decisions, effort_of, judged
from yawc_poker.extras.analysis.pages import lines
from yawc_poker.ipc.events import Event, Key
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.offload import NICE_LONG, run_apart
from yawc_poker.session.menus.afterwards import FinishedGame
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.session.menus.proof import WIDTH
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap


class _Stopped(Exception):
    """The caller has pressed a key."""


def analyse(caller: Caller, played: FinishedGame) -> None:
    """Judge a caller's decisions in a finished game, and show them; a key ends it before."""
    words = caller.words
    try:
        asked = decisions(played.game, played.dealing, played.actions, caller.user.id)
    except (Contradiction, ValueError):
        caller.console.say(words("This game cannot be played again, so it cannot be analysed."), Style.YELLOW)
        return
    try:
        found = _judged(caller, played.game, asked, played.dealing)
    except _Stopped:
        caller.console.finish()
        caller.console.say(words("Stopped."))
        return
    told = lines(played.game, asked, found, words)
    text = "\n".join("\n".join(wrap(line, WIDTH + 5)) for line in (played.title, "", *told))
    show_page(caller, Page(played.title, text))


def _judged(caller: Caller, game: AnyDefinition, asked: Sequence[Decision], dealing: Dealing) -> list[Judged]:
    """Return what the program thinks of these decisions. Raise `_Stopped`."""
    found, effort, console = list[Judged](), effort_of(len(asked)), caller.console
    queue, meanwhile = caller.instance.data / LONG_ERRANDS_FILE, partial(_until_key, caller)
    for at, decision in enumerate(asked):
        if not caller.preferences.linear or at == 0:
            if console.is_open:
                console.wipe()
            console.prompt(
                caller.words("Analysis: {done} of {all} decisions (any key stops) ", done=at, all=len(asked))
            )
        work = partial(_work, game, decision, dealing.seed, effort)
        answer = run_apart(work, queue, caller.loop, meanwhile, nice=NICE_LONG, keys=True)
        found += msgspec.json.decode(answer, type=list[Judged])
    if console.is_open:
        console.wipe()
    return found


def _until_key(caller: Caller, event: Event) -> None:
    """Deal with an event at the prompt. Raise `_Stopped`."""
    if isinstance(event, Key):
        caller.touched()
        raise _Stopped
    caller.meanwhile(event)


def _work(game: AnyDefinition, decision: Decision, seed: str, effort: int) -> bytes:
    """Judge a decision; an answer is never empty."""
    return msgspec.json.encode(judged(game, decision, seed, effort))
