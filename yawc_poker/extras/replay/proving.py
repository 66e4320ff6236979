"""A game as text, brought by a caller: read, checked and told in lines, by a process apart.

Nothing of the text is trusted. A child of low priority plays it, for a limited time, and what comes back of it is a
verdict and lines of harmless characters. Whether it is a game of this BBS is seen by its digest.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.verify import Verdict
from yawc_poker.casino.instance.instance import LONG_ERRANDS_FILE
from yawc_poker.engine.replay import Contradiction
from yawc_poker.extras.replay.notation import NotAGame, read
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.registry.games import game_of
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.offload import NICE_LONG, run_apart
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.session.menus.proof import WIDTH
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.text import clean
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words, mark

MOST: Final = 100_000
"""Characters of a text."""
END: Final = "."
LINE: Final = 250
"""Characters of a line; `notation` writes shorter ones."""
SECONDS: Final = 20.0
"""Of a processor, for one text."""
PATIENCE: Final = 600.0
"""Seconds for which a paste may take all that a caller may cost."""
_MADE_UP: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError)
"""What a text brings about that no program has written."""
_VERDICTS: Final[dict[Verdict, str]] = {
    "proven": mark("The game is proven: its cards were sealed, and all moves are by the rules."),
    "unproven": mark("The game is not proven: nothing in it was sealed."),
    "false": mark("The game is false:"),
}
_NOT_NOW: Final = mark("It could not be checked in time. yawcctl replay does so on any machine.")


class Told(msgspec.Struct, frozen=True):
    """What is found of a text."""

    why: str = ""
    """Why it is no game; else empty."""
    kind: str = ""
    number: int = 0
    digest: str = ""
    verdict: Verdict = "unproven"
    lines: list[str] = []
    """What is false, and what happened."""


def told(text: str, words: Words) -> Told:
    """Return what is found of a text. Never raise."""
    try:
        played = read(text)
        entry = game_of(played.game.kind)
        checked = entry.checked(played)
        lines = [f"{check.name}: {check.text}" for check in checked.checks if not check.ok]
        if checked.verdict != "false":
            seats = tuple(player.seat for player in played.game.players)
            story = entry.definition.retold.story(played.dealing(), played.actions, seats, words)
            lines += [line.text for line in story]
    except NotAGame as fault:
        return Told(words("This is no game as text: {why}", why=clean(str(fault), LINE)))
    except UnknownGame:
        return Told(words("This is no game as text: {why}", why="[Kind]"))
    except TimeoutError:
        return Told(words(_NOT_NOW))
    except (Contradiction, ValueError, *_MADE_UP) as fault:
        return Told(words("It cannot be played: {why}", why=clean(f"{type(fault).__name__}: {fault}", LINE)))
    harmless = [clean(line, 4 * LINE) for line in lines]
    return Told("", played.game.kind, played.game.number, digest(played), checked.verdict, harmless)


def digest(played: PastGame) -> str:
    """Return the SHA-256 of a game without the lines that tell it."""
    return sha256(msgspec.json.encode(replace(played, lines=()))).hexdigest()


def _apart(text: str, words: Words, session: int) -> bytes:
    """Look at a text in a child of the `session`, which does not do so itself; return a `Told`."""
    if os.getpid() == session:
        return msgspec.json.encode(Told(words(_NOT_NOW)))
    signal.signal(signal.SIGVTALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    return msgspec.json.encode(told(text, words))


def _out_of_time(number: int, frame: object) -> None:
    raise TimeoutError


def prove(caller: Caller) -> None:
    """Let a caller paste a game as text, and show what it is. Raise `StoreError`."""
    words, say = caller.words, caller.console.say
    text = _pasted(caller)
    if text is None:
        say(words("That is more than {most} characters.", most=MOST), Style.YELLOW)
        return
    work = partial(_apart, text, words, os.getpid())
    queue = caller.instance.data / LONG_ERRANDS_FILE
    found = msgspec.json.decode(run_apart(work, queue, caller.loop, caller.meanwhile, nice=NICE_LONG), type=Told)
    if found.why:
        say(found.why, Style.YELLOW)
        return
    own = caller.instance.bank.game(found.number)
    is_own = own is not None and digest(own) == found.digest
    known = words("It is game {n} of this BBS.", n=found.number) if is_own else words("It is no game of this BBS.")
    title = game_name(found.kind, words)
    lines = (title, "", words(_VERDICTS[found.verdict]), known, "", *found.lines)
    show_page(caller, Page(title, "\n".join("\n".join(wrap(line, WIDTH + 5)) for line in lines)))


def _pasted(caller: Caller) -> str | None:
    """Return what a caller pastes, up to a line with a dot; None: it is too long."""
    words = caller.words
    caller.console.say(words("Paste a game, up to {most} characters. A line with a dot alone ends it.", most=MOST))
    lines, length = list[str](), 0
    with _taking_lines(caller):
        while (line := ask_line(caller, "", LINE, takes_charset=False)) != END:
            length += len(line) + 1
            if length <= MOST:
                lines.append(line)
    return "\n".join(lines) if length <= MOST else None


@contextmanager
def _taking_lines(caller: Caller) -> Iterator[None]:
    """Let pasted lines end as typed ones do, and a long paste take its time."""
    meter, usual = caller.loop.meter, caller.loop.meter.flood_seconds
    meter.flood_seconds = PATIENCE
    caller.display.mark_pastes(on=False)
    try:
        yield
    finally:
        caller.display.mark_pastes()
        meter.flood_seconds = usual
