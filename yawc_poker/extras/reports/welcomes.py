"""A sysop who comes in reads how many reports wait."""

from yawc_poker.extras.reports.rows import open_reports
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.presence import Welcome
from yawc_poker.terminal.frame import Style

MOST = 100


def tell(caller: Caller) -> None:
    """Tell a sysop of open reports. Raise `StoreError`."""
    if caller.user.sysop and (found := len(open_reports(caller.instance.accounts.store, MOST))):
        text = caller.words.count("{n} report waits: ! R", "{n} reports wait: ! R", found)
        caller.console.say(text, Style.CYAN)


ANNOUNCED = (Welcome(tell),)
