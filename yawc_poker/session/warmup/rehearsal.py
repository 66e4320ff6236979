"""A rehearsal before the first fork: one conversation and one game of poker, for an audience of nobody.

What a session's code does first, it does in its own memory: the interpreter rewrites the bytecode it meets often,
caches fill, methods are looked up. Done in the listener, all sessions share the outcome, start sooner and stay smaller.

Owns nothing and leaves nothing: no process, no database, no shared memory; the line stays its owner's.
"""

import signal
from random import Random

from yawc_poker.catalogues import text, words
from yawc_poker.engine import table as tables
from yawc_poker.engine.table import Clocks, Seat, Table
from yawc_poker.games import POKER
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet, Event, Move, Options, Show, State, Swap
from yawc_poker.games.poker.ui import keys, scene, screen
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.games import POKER_TABLES
from yawc_poker.session.caller.console import Console
from yawc_poker.session.loop.loop import Key, Loop
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keys import ENTER, LineEditor
from yawc_poker.terminal.line import Line
from yawc_poker.transport import LineClosed
from yawc_poker.words import LANGUAGES, Words

_CLOCKS = Clocks()
_CASH = {0: 100, 1: 100}


def rehearse(line: Line) -> None:
    """Serve whoever typed something into the line and ENTER, then play a game on his screen."""
    inbox, alarms = (
        SignalInbox((signal.SIGALRM,)),
        Alarms(),
    )  # what else comes is the listener's, who may hold it back just now
    display = Display(line)
    loop = Loop(line, display, inbox, alarms)
    try:
        for language in LANGUAGES:
            _talk(Console(line, display), loop, words(language))
            _play(display, words(language))
    except LineClosed:
        pass  # the audience left; what was rehearsed so far is warm
    finally:
        alarms.close()
        inbox.close()


def _talk(console: Console, loop: Loop, speak: Words) -> None:
    console.say(text(speak.language, "greeting").format(name="YAWC"))
    console.prompt(speak("Name:") + " ")
    editor = LineEditor()
    while isinstance(event := loop.next(), Key) and event.name != ENTER:
        editor = editor.key(event.name)
        console.show_typed(editor)
    console.finish()


def _play(display: Display, speak: Words) -> None:
    table: Table[State, Event] = tables.empty(POKER)
    rng, now = Random(1), 0.0
    for seat, name in enumerate(("Anna", "Bert")):
        table = tables.sit(table, POKER, Seat(seat + 1, seat + 1, name, 100), now, _CLOCKS)
    table = tables.start(table, POKER, 1, _CASH, rng, now, Options(), _CLOCKS).table
    local = scene.Local()
    moves: tuple[Move, ...] = (Bet(5), Bet(5), Swap((0, 1)), Swap(), Bet(6), Bet(7, see=True), Show(), Show())
    for move in moves:
        local = _draw(display, table, local, speak)
        assert table.game is not None, "the rehearsed game ended early"
        session = (rules.to_move(table.game) or 0) + 1
        table = tables.play(table, POKER, session, move, _CASH, rng, now, _CLOCKS).table
    _draw(display, tables.finish(table, POKER, now, _CLOCKS), local, speak)


def _draw(display: Display, table: Table[State, Event], local: scene.Local, speak: Words) -> scene.Local:
    table = POKER_TABLES.codec.decode(POKER_TABLES.codec.encode(table))
    seen = scene.scene(table, 1, 0, 0.0)
    local = keys.follow(keys.hear(local, table.log, 1, speak), seen)
    for key in (".", "x", "\x1b"):
        local, _ = keys.press(local, seen, key, speak)
        display.draw(screen.render(seen, local, speak, 80, 24))
    return local
