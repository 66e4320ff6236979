"""An order of a caller's: how many shares, at which price, and what came of it.

A price that changed before the caller agreed is asked again; nothing is done that was not shown.
"""

import logging
import time

from yawc_poker.casino.bank.ledger import NotEnough
from yawc_poker.casino.bank.wagers import StillPlaying
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.extras.exchange.exchange import Board, PriceChanged, Refused, exchange_of
from yawc_poker.extras.exchange.market import COMPANIES, MOST_SHARES, Quote
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_number, ask_yes
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


def buy(caller: Caller, board: Board, company: int) -> None:
    """Let the caller buy shares of a company. Raise `StoreError`."""
    words = caller.words
    most, held = exchange_of(caller.instance).limits(board, company)
    if held >= MOST_SHARES:
        caller.console.say(
            words("Nobody may own more than {most} shares of a company.", most=MOST_SHARES), Style.YELLOW
        )
    elif not most:
        caller.console.say(words("You cannot pay for a single share."), Style.YELLOW)
    else:
        _order(caller, company, _asked(caller, most))


def sell(caller: Caller, board: Board, company: int) -> None:
    """Let the caller sell shares of a company. Raise `StoreError`."""
    _, held = exchange_of(caller.instance).limits(board, company)
    if held:
        _order(caller, company, -_asked(caller, held))
    else:
        caller.console.say(caller.words("You have no shares of this company."), Style.YELLOW)


def _asked(caller: Caller, most: int) -> int:
    """Return how many shares the caller wants to trade, 1 to `most`; 0: none."""
    question = caller.words("How many shares, 1 to {most}? (ENTER: none) ", most=most)
    return ask_number(caller, question, most, caller.words("That is no number from 1 to {most}.", most=most)) or 0


def _order(caller: Caller, company: int, shares: int) -> None:
    """Ask whether the caller agrees to a price, until it holds, and trade at it."""
    if not shares:
        return
    words, say, exchange = caller.words, caller.console.say, exchange_of(caller.instance)
    name = f"{caller.instance.notifier.token:016x}:{time.time_ns()}"
    try:
        quote = exchange.quote(caller.user.id, company, shares)
        while _agrees(caller, company, quote):
            try:
                exchange.order(caller.user.id, name, company, quote)
            except PriceChanged as changed:
                say(words("The price has changed meanwhile."), Style.YELLOW)
                quote = changed.quote
            else:
                say(_done(caller), Style.GREEN)
                return
    except NotEnough as short:
        say(words("You own only {cubes} CUBES.", cubes=short.balance), Style.YELLOW)
    except StillPlaying:
        say(words("You can do that once your game is over."), Style.YELLOW)
    except Refused:
        say(words("Your shares have changed meanwhile; please look again."), Style.YELLOW)


def _done(caller: Caller) -> str:
    """Return that an order was booked, and what the caller owns now, if that can be read: they must not try again."""
    try:
        cubes = caller.instance.bank.balance(caller.user.id)
    except StoreError as error:
        log.warning("the order of %s is booked; what they own is not known now: %s", caller.user.name, error)
        return caller.words("Done.")
    return caller.words("Done. You own {cubes} CUBES now.", cubes=cubes)


def _agrees(caller: Caller, company: int, quote: Quote) -> bool:
    """Tell what an order costs or brings, and ask whether the caller agrees."""
    caller.console.say(_told(caller, company, quote))
    return ask_yes(caller, caller.words("Buy? (y/n) ") if quote.shares > 0 else caller.words("Sell? (y/n) "))


def _told(caller: Caller, company: int, quote: Quote) -> str:
    count, name = caller.words.count, COMPANIES[company].name
    if quote.shares > 0:
        return count(
            "{n} share of {company} costs {total} CUBES with the fee of {fee}.",
            "{n} shares of {company} cost {total} CUBES with the fee of {fee}.",
            quote.shares,
            company=name,
            total=quote.total,
            fee=quote.fee,
        )
    return count(
        "{n} share of {company} brings {total} CUBES after the fee of {fee}.",
        "{n} shares of {company} bring {total} CUBES after the fee of {fee}.",
        -quote.shares,
        company=name,
        total=quote.total,
        fee=quote.fee,
    )
