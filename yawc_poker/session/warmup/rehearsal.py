"""A rehearsal before the first fork: one conversation, and some moves of the games that have them for that.

Code that a session runs first changes the session's own memory: the interpreter specialises bytecode, caches fill,
methods are looked up. Run in the listener, all sessions share the result, start sooner and stay smaller.

Owns nothing and leaves nothing: no process, no database, no shared memory; the line stays its owner's.
"""

import signal

from yawc_poker.catalogues import text, words
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.registry.games import DEFAULTS, GAMES
from yawc_poker.session.caller.console import Console
from yawc_poker.session.loop.events import Key
from yawc_poker.session.loop.loop import Loop
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keys import ENTER, LineEditor
from yawc_poker.terminal.line import Line
from yawc_poker.transport import LineClosed
from yawc_poker.words import LANGUAGES, Words

TYPED = b"Anna\r\0Bert\r\n" * len(LANGUAGES)
"""What a caller types at a rehearsal: enough names for all languages, with both of telnet's line ends."""


def rehearse(line: Line) -> None:
    """Converse with a line in which something and ENTER were typed, then play the games on its screen."""
    inbox, alarms = SignalInbox((signal.SIGALRM,)), Alarms()  # other signals are the listener's
    display = Display(line)
    loop = Loop(line, display, inbox, alarms)
    try:
        for language in LANGUAGES:
            _talk(Console(line, display), loop, words(language))
            for game in GAMES:
                game.rehearse(DEFAULTS, display.draw, words(language))
    except LineClosed:
        pass  # the line was closed; what was rehearsed so far is warm
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
