"""What a window and a desktop are told: a title, kept and given back, a notice. What takes them, and their bytes. Pure.

Owns the table of terminal names, and the bytes. Invariant: whatever text is given, what comes out is one command that
ends where it should; no text can end it early, add a field, or begin another.

A terminal that knows nothing of such commands prints them. So they are sent only to terminals that are known by the
name their side told (telnet's TTYPE, $TERM), and never to one whose name says nothing: a Linux console, a VT100, a DOS
program. docs/sysop.md has the table with the reasons.
"""

from functools import lru_cache
from typing import Final, Literal, NamedTuple

Notice = Literal["osc9", "osc777"]
"""``ESC ] 9 ; text ST``, of iTerm2; ``ESC ] 777 ; notify ; heading ; text ST``, of rxvt-unicode."""


class Takes(NamedTuple):
    """What a terminal takes."""

    title: bool
    notice: Notice | None
    """None: it shows none, or does not say so."""
    stack: bool = False
    """It keeps its own title meanwhile, and gives it back (xterm's XTWINOPS 22 and 23)."""


NOTHING: Final = Takes(title=False, notice=None)
_TITLE: Final = Takes(title=True, notice=None)
_OSC9: Final = Takes(title=True, notice="osc9")
_OSC777: Final = Takes(title=True, notice="osc777")
_STACK_TITLE: Final = _TITLE._replace(stack=True)
_STACK_OSC9: Final = _OSC9._replace(stack=True)
_STACK_OSC777: Final = _OSC777._replace(stack=True)

# By the beginning of the terminal's name; the longest that fits counts.
#
# Many emulators call themselves xterm or xterm-256color: iTerm2 and WezTerm, which show the notice of OSC 9, and xterm,
# PuTTY, Terminal.app, VTE, Windows Terminal, Konsole, which read it to its end and show nothing. xterm, iTerm2 and VTE
# among them keep titles; the others ignore that, as they do any control sequence that they do not know.
_TERMINALS: Final[tuple[tuple[str, Takes], ...]] = (
    ("xterm", _STACK_OSC9),  # also xterm-kitty, xterm-ghostty
    ("iterm", _STACK_OSC9),
    ("kitty", _STACK_OSC9),
    ("ghostty", _OSC9),
    ("wezterm", _OSC9),
    ("foot", _STACK_OSC777),
    ("contour", _STACK_OSC777),
    ("konsole", _OSC777),
    ("rxvt", _OSC777),
    ("vte", _STACK_OSC777),  # Fedora's and Debian's show it, others drop it
    ("gnome", _STACK_OSC777),
    ("alacritty", _STACK_TITLE),
    ("mintty", _STACK_TITLE),
    ("mlterm", _TITLE),
    ("ms-terminal", _TITLE),
    ("nsterm", _TITLE),
    ("putty", _TITLE),
    ("screen", _TITLE),  # in its status line; the terminal around it is sent nothing
    ("st-", _TITLE),
    ("tmux", _STACK_TITLE),  # the pane's; since 3.0
    ("vscode", _TITLE),
)

KEEP: Final = b"\x1b[22;0t"
"""The command that puts a window's title aside."""
GIVE_BACK: Final = b"\x1b[23;0t"
"""The command that gives a window the title back that was put aside last."""
LONGEST: Final = 80
"""Bytes of a text; longer ones are cut."""
_CONTROLS: Final = bytes((*range(0x20), 0x7F))
_BEGIN: Final = b"\x1b]"
_END: Final = b"\x1b\\"
"""ST and not BEL: a terminal that does not know the command at least does not ring."""


@lru_cache(maxsize=1)
def takes(name: str) -> Takes:
    """Return what the terminal of this name takes, in any case of letters. A session asks for its caller's only."""
    lower = name.strip().lower()
    fitting = [row for row in _TERMINALS if lower.startswith(row[0])]
    return max(fitting, key=lambda row: len(row[0]))[1] if fitting else NOTHING


def title(text: bytes) -> bytes:
    """Return the command that names a window; an empty text gives it the name back that it has by itself."""
    return _BEGIN + b"0;" + _clean(text) + _END


def notice(kind: Notice, heading: bytes, text: bytes) -> bytes:
    """Return the command that shows a notice."""
    heading, text = _clean(heading), _clean(text)
    if kind == "osc777":
        return _BEGIN + b"777;notify;" + _field(heading) + b";" + _field(text) + _END
    both = heading + b": " + text
    # Digits behind OSC 9 are other commands, to ConEmu and Windows Terminal: progress, sleep, run a program.
    return _BEGIN + b"9;" + (b"* " + both if both[:1].isdigit() else both) + _END


def _clean(text: bytes) -> bytes:
    """Return a text without controls; one that is cut ends with a whole character."""
    harmless = text.translate(None, _CONTROLS)
    if len(harmless) <= LONGEST:
        return harmless
    return harmless[:LONGEST].decode("utf-8", "ignore").encode()


def _field(text: bytes) -> bytes:
    return text.replace(b";", b",")
