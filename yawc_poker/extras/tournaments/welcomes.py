"""Who comes in reads of the tournaments that they take part in: when they begin, how far they are, how they ended."""

from typing import Final

from yawc_poker.extras.tournaments import rows
from yawc_poker.extras.tournaments.letters import title_of
from yawc_poker.extras.tournaments.menu_lines import state_of
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.presence import Welcome
from yawc_poker.terminal.frame import Style

MOST: Final = 3
"""Lines: the welcome fits a screen."""


def tell(caller: Caller) -> None:
    """Tell a caller who comes in. Raise `StoreError`."""
    user, words, store = caller.user, caller.words, caller.instance.bank.store
    if user.guest or user.last_login is None:
        return
    with store.reading() as books:
        live = rows.entered(books, user.id)
        past = [one for one in rows.past(books, MOST, user.last_login) if user.id in rows.entrants(books, one.id)]
        places = {one.id: rows.table_of(books, one.id) for one in past}
        prizes = {one.id: rows.paid(books, one.id).get(user.id, 0) for one in past}
    told: list[str] = []
    for one in past:
        title = title_of(words, one)
        if one.state == "off":
            told.append(words("The tournament was called off: {title}. All fees went back.", title=title))
            continue
        rank = next(each.rank for each in places[one.id] if each.user == user.id)
        text = words("The tournament is over: {title}. Your place: {rank}.", title=title, rank=rank)
        prize = words("{cubes} CUBES", cubes=prizes[one.id])
        told.append(f"{text} {prize}" if prizes[one.id] else text)
    for one in live:
        title, state = title_of(words, one), state_of(caller, one)
        told.append(words("Your tournament: {title}, {state}: S, E", title=title, state=state))
    for text in told[:MOST]:
        caller.console.say(text, Style.CYAN)


ANNOUNCED = (Welcome(tell),)
