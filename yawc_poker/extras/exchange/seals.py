"""The seal of the prices to come, and a day that is over with all that is needed to check it.

Owns the page that the script of docs/fairness.md reads; its lines `seal` and `seed` and its rows of numbers are the
same in all languages.
"""

from collections.abc import Iterator

from yawc_poker.digits import decimal
from yawc_poker.extras.exchange.exchange import Day, exchange_of
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

_WIDTH = 77
_DIGITS = 6


def show_seals(caller: Caller) -> None:
    """Ask which day the caller wants to check, if one is over, and show it with the seal that holds now."""
    exchange, words = exchange_of(caller.instance), caller.words
    today, seal = exchange.sealed()
    day = None
    if today:
        question = words("Which day, 0 to {last}? (ENTER: {last}) ", last=today - 1)
        answer = ask_line(caller, question, _DIGITS) or str(today - 1)
        number = decimal(answer)
        day = None if number is None else exchange.day(number)
        if day is None:
            caller.console.say(words("There is no such day, or it is not over yet."), Style.YELLOW)
            return
    title = words("Seals and past prices")
    lines = [wrapped for line in _lines(today, seal, day, words) for wrapped in (wrap(line, _WIDTH) or [""])]
    show_page(caller, Page(title, "\n".join([title, "", *lines])))


def _lines(today: int, seal: str, day: Day | None, words: Words) -> Iterator[str]:
    yield words(
        "A day of the exchange has 24 hours; its prices follow from one seed, told when the day is over. The seal is"
        " the SHA256 of the seed. Note it now, and check the prices tomorrow. This is the seal of day {day}:",
        day=today,
    )
    yield f"  {seal}"
    if day is None:
        return
    yield ""
    yield words(
        "Day {day} is over. Here are its seal, its seed, and the prices in hundredths of a CUBE, from A to J: first"
        " those of the hour before, then those of each hour. docs/fairness.md tells how they follow from the seed.",
        day=day.number,
    )
    yield f"  seal {day.seal}"
    yield f"  seed {day.seed}"
    for number, prices in day.prices:
        yield f"{number:>7}" + "".join([f"{price:>7}" for price in prices])
