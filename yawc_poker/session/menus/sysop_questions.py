"""The questions at the sysop's desk: the user, the reason, the time, the amount.

Owns the questions; an empty answer gives the whole sysop action up. No action from the desk is for another sysop.
"""

from yawc_poker.casino.moderation.procedure import Refused
from yawc_poker.casino.users.accounts import User
from yawc_poker.casino.users.sysop_log import REASON_LENGTH
from yawc_poker.digits import decimal
from yawc_poker.durations import parse_duration
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_line, ask_yes
from yawc_poker.terminal.frame import Style

NAME_LIMIT, SPAN_LIMIT, AMOUNT_LIMIT = 20, 20, 13
MOST_NAMES = 8


class GivenUp(Exception):
    """The sysop answered a question with an empty line: nothing is done."""


def ask(caller: Caller, question: str, limit: int, *, q_is_back: bool = False) -> str:
    """Ask for a line. Raise `GivenUp` if it is empty."""
    answer = ask_line(caller, question + " ", limit, q_is_back=q_is_back)
    if not answer:
        raise GivenUp
    return answer


def ask_user(caller: Caller) -> User:
    """Ask for a user; the beginning of a name will do, if it is that of one name only. Users online go first."""
    return chosen_user(caller, ask(caller, caller.words("Name:"), NAME_LIMIT))


def chosen_user(caller: Caller, name: str) -> User:
    """Return the user of a name or of the beginning of one."""
    user = caller.instance.accounts.find(name) or _completed(caller, name)
    if user.name != name:
        caller.console.say(f"  {user.name}", Style.CYAN)
    return user


def _completed(caller: Caller, beginning: str) -> User:
    online = [one.name for one in caller.instance.directory.people() if _begins(one.name, beginning)]
    names = online if len(online) == 1 else caller.instance.accounts.complete(beginning, MOST_NAMES)
    found = caller.instance.accounts.find(names[0]) if len(names) == 1 else None
    if found is not None:
        return found
    if not names:
        raise Refused("no_user", beginning)
    caller.console.say(caller.words("Which one? {names}", names=", ".join(names)), Style.YELLOW)
    return ask_user(caller)


def _begins(name: str, beginning: str) -> bool:
    return name.casefold().startswith(beginning.casefold())


def ask_other(caller: Caller) -> User:
    """Ask for a user who is no sysop."""
    return judged(caller, ask_user(caller))


def judged(caller: Caller, user: User) -> User:
    """Return the user. Raise `GivenUp` for a sysop, who cannot be judged from here."""
    if user.sysop:
        text = caller.words("{name} is a sysop: that can only be done with yawcctl.", name=user.name)
        caller.console.say(text, Style.YELLOW)
        raise GivenUp
    return user


def ask_reason(caller: Caller) -> str:
    """Ask for the reason."""
    return ask(caller, caller.words("Reason:"), REASON_LENGTH)


def ask_span(caller: Caller) -> float | None:
    """Ask for a length of time, in seconds; None: for ever."""
    while True:
        answer = ask(caller, caller.words("For how long? (30m, 2h, 3d, forever)"), SPAN_LIMIT, q_is_back=True)
        try:
            return None if answer.strip().casefold() == caller.words("forever") else parse_duration(answer)
        except ValueError:
            caller.console.say(caller.words("That is not a length of time."), Style.YELLOW)


def ask_amount(caller: Caller) -> int:
    """Ask for a number of CUBES."""
    answer = ask(caller, caller.words("How many CUBES?"), AMOUNT_LIMIT, q_is_back=True)
    amount = decimal(answer)
    if amount is None:
        raise Refused("bad_amount")
    return amount


def make_sure(caller: Caller, question: str) -> None:
    """Ask for a confirmation. Raise `GivenUp` at a no."""
    if not ask_yes(caller, question + " "):
        raise GivenUp
