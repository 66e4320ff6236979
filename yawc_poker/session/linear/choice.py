"""The choice between lines and a screen: by `/linear` and `/screen`, at the name prompt and everywhere behind it."""

from msgspec.structs import replace

from yawc_poker.session.caller.caller import Caller
from yawc_poker.terminal.frame import Style


def choose(caller: Caller, *, lines: bool) -> None:
    """Show a caller lines from now on, or a screen where their terminal can draw one, and say so."""
    caller.prefer(replace(caller.preferences, linear=lines))
    caller.console.say(what_is_shown(caller), Style.CYAN)


def what_is_shown(caller: Caller) -> str:
    """Return how this caller's tables are shown."""
    words = caller.words
    if caller.display.can_draw:
        return words("Tables are drawn on a screen.")
    told = words("Tables are told in lines. There [=] tells the state, [?] the keys.")
    if not caller.display.moves_cursor:
        return words("Your terminal moves no cursor.") + f" {told}"
    return f"{told} " + words("/screen draws them again.")
