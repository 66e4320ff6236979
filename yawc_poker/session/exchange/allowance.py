"""What a caller without CUBES reads when the house gives them some."""

import logging

from yawc_poker.casino.store.connection import StoreError
from yawc_poker.session.caller.caller import Caller
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


def take_allowance(caller: Caller) -> None:
    """Pay the caller today's allowance if they own less than one ante, and say so. Never raise `StoreError`."""
    config = caller.config
    least = min((game.least_cubes for game in config.games if game.tables and game.least_cubes), default=0)
    try:
        got = caller.instance.exchange.allow(caller.user.id, config.bbs.allowance, least)
    except StoreError as error:
        log.warning("the allowance of %s waits for the next time: %s", caller.user.name, error)
        return
    if got:
        words = caller.words
        text = words.count(
            "The house gives you {n} CUBE; come again tomorrow.",
            "The house gives you {n} CUBES; come again tomorrow.",
            got,
        )
        caller.console.say(text, Style.CYAN)
