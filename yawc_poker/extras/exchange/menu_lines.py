"""`A` in the casino: the prices of all shares, a company with its chart, and the way to orders and seals.

Owns the two lists and their keys. What shares cost is `exchange`'s.
"""

import time
from collections.abc import Sequence

from yawc_poker.appearance.chart import EDGE_CELLS, chart
from yawc_poker.extras.exchange.exchange import Board, exchange_of
from yawc_poker.extras.exchange.market import COMPANIES, DAY, WEEK
from yawc_poker.extras.exchange.orders import buy, sell
from yawc_poker.extras.exchange.seals import show_seals
from yawc_poker.extras.exchange.settings import ExchangeSettings
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine, check_keys
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

CHART_WIDTH = 60
CHART_HEIGHT = 10
BELOW = 10
"""Lines that the chart leaves to what stands above and below."""
LEAST = 4
_SPANS = {"D": DAY, "W": WEEK, "M": 30 * DAY}
"""Hours of the charts, by their keys."""
_BACK = mark("Back")


check_keys("the exchange", ("V", "Q", *(company.key for company in COMPANIES)))


def exchange(caller: Caller) -> None:
    """Show the prices and what the caller has, until they go back. Raise `StoreError`."""
    companies = {company.key: place for place, company in enumerate(COMPANIES)}
    while True:
        _list(caller, exchange_of(caller.instance).board(caller.user.id))
        key = ask_key(caller, caller.words("Shares") + "> ").upper()
        if key in companies:
            caller.console.finish(COMPANIES[companies[key]].name)
            _company(caller, companies[key])
        elif key == "V":
            caller.console.finish(caller.words("Seals and past prices"))
            show_seals(caller)
        else:
            caller.console.finish()
            return


def _list(caller: Caller, board: Board) -> None:
    words, say = caller.words, caller.console.say
    say()
    say(_row("   ", words("Company"), words("Price"), words("24 hours"), words("Yours"), words("Worth")), Style.BOLD)
    for place, company in enumerate(COMPANIES):
        price, held = board.latest.prices[place], board.held.get(place, 0)
        worth = str(board.worth(place)) if held else ""
        say(_row(f"[{company.key}]", company.name, money(price), _change(board, place), str(held or ""), worth))
    say()
    worth_of_all = sum(board.worth(place) for place in board.held)
    say(words("You own {cubes} CUBES; your shares are worth {worth}.", cubes=board.cash, worth=worth_of_all))
    following = board.latest.began + caller.config.of(ExchangeSettings).hour_seconds
    say(words("The prices change at {time}.", time=time.strftime("%H:%M %Z", time.localtime(following))))
    if not board.account.is_covered:
        part = f"{board.account.cover // 10}.{board.account.cover % 10}%"
        text = words(
            "The exchange cannot pay all prices in full. Until it can, {part} of a price is paid, and asked.",
            part=part,
        )
        say(text, Style.YELLOW)
    say("  [V] " + words("Seals and past prices"))
    say("  [Q] " + words(_BACK))
    say()


def _row(key: str, name: str, price: str, change: str, held: str, worth: str) -> str:
    return f"  {key} {name:<24}{price:>9}{change:>12}{held:>10}{worth:>10}".rstrip()


def _change(board: Board, place: int) -> str:
    """Return by how much a price moved in a day, in tenths of a per cent."""
    tenths = round(1000 * (board.latest.prices[place] - board.earlier[place]) / board.earlier[place])
    return f"{'-' if tenths < 0 else '+'}{abs(tenths) // 10}.{abs(tenths) % 10}%"


def _company(caller: Caller, place: int) -> None:
    """Show a company and take orders, until the caller goes back."""
    words, say = caller.words, caller.console.say
    span = WEEK
    while True:
        board = exchange_of(caller.instance).board(caller.user.id)
        _details(caller, board, place, span)
        say(
            "  ".join(
                [
                    "  [B] " + words("Buy"),
                    "[S] " + words("Sell"),
                    "[D] " + words("Day"),
                    "[W] " + words("Week"),
                    "[M] " + words("Month"),
                    "[Q] " + words(_BACK),
                ]
            )
        )
        key = ask_key(caller, f"{COMPANIES[place].name}> ").upper()
        caller.console.finish(key if key in {"B", "S", *_SPANS} else "")
        if key == "B":
            buy(caller, board, place)
        elif key == "S":
            sell(caller, board, place)
        elif key in _SPANS:
            span = _SPANS[key]
        else:
            return


def _details(caller: Caller, board: Board, place: int, span: int) -> None:
    words, say, company = caller.words, caller.console.say, COMPANIES[place]
    course = exchange_of(caller.instance).course(place, span + 1)
    say()
    say(f"{company.name}: {words(company.about)}", Style.BOLD)
    if caller.display.can_draw:
        _draw(caller, course)
    text = words.count(
        "Price {price}; in the last hour between {low} and {high}.",
        "Price {price}; in the last {n} hours between {low} and {high}.",
        max(1, len(course) - 1),
        price=money(course[-1]),
        low=money(min(course)),
        high=money(max(course)),
    )
    say(text)
    held = board.held.get(place, 0)
    say(
        words.count(
            "You have {n} share, worth {cubes} CUBES.",
            "You have {n} shares, worth {cubes} CUBES.",
            held,
            cubes=board.worth(place),
        )
    )


def _draw(caller: Caller, course: list[int]) -> None:
    """Draw a chart that fits the window; it is no text, so a page around the terminal is not told."""
    width = max(LEAST, min(CHART_WIDTH, caller.line.columns - EDGE_CELLS - 1))
    height = max(LEAST, min(CHART_HEIGHT, caller.line.rows - BELOW))
    caller.display.text("\n".join([*chart(in_columns(course, width), height, money), ""]))


def in_columns(prices: Sequence[int], width: int) -> list[int]:
    """Return a price for each of so many columns: the last one of its part of the time."""
    count = len(prices)
    return [prices[max(0, (column + 1) * count // width - 1)] for column in range(width)]


def money(price: int) -> str:
    """Return a price in hundredths as people read it."""
    return f"{price // 100}.{price % 100:02}"


_SHARES = MenuLine("A", mark("Shares"), exchange, works=lambda caller: caller.config.of(ExchangeSettings).open)
ANNOUNCED = (AddedLine("the casino", _SHARES, before="O"),)
