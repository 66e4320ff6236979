"""`E` in the casino: tournaments; sign up, go to one's table, standings, call one, the hall of fame.

Owns the dialogue. What a tournament does is `rows`' and `conduct`'s.
"""

import logging
from collections.abc import Sequence
from typing import Final

from yawc_poker.casino.bank.ledger import NotEnough
from yawc_poker.casino.bank.wagers import StillPlaying
from yawc_poker.digits import decimal
from yawc_poker.extras.tournaments import chips, rows
from yawc_poker.extras.tournaments.duties import CONDUCT, look_again
from yawc_poker.extras.tournaments.letters import title_of, write
from yawc_poker.extras.tournaments.matches import match_of
from yawc_poker.extras.tournaments.protocol import MOST_ENTRY, MOST_ROUNDS, NAME
from yawc_poker.extras.tournaments.rows import Plan, Refused, Tournament
from yawc_poker.extras.tournaments.settings import TournamentSettings
from yawc_poker.extras.tournaments.standings import Standing
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.caller.notices import day
from yawc_poker.session.caller.prompts import ask_key, ask_line, ask_text, ask_yes
from yawc_poker.session.menus.casino import ask_game, games_here
from yawc_poker.session.menus.guests import remind
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.table.play import play_at
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

log = logging.getLogger(__name__)

LISTED: Final = 9
"""Tournaments that have a key."""
ENDED: Final = 3
"""Of those that are over, as many are listed as there is room for, and at most so many."""
SHOWN: Final = 20
"""Places that are shown, besides one's own."""
FAME: Final = 5
MOST_MINUTES: Final = 7 * 24 * 60
_BACK: Final = mark("Back")
_STATES: Final = {
    "open": mark("open until {time}"),
    "running": mark("round {round} of {rounds}"),
    "over": mark("over"),
    "off": mark("called off"),
}


def tournaments(caller: Caller) -> None:
    """Show the tournaments until the caller goes back. Raise `StoreError`."""
    while True:
        CONDUCT.go_on(caller.instance)
        words, say, store = caller.words, caller.console.say, caller.instance.bank.store
        with store.reading() as books:
            live = rows.live(books)
            found = [*live, *rows.past(books, ENDED)][:LISTED]
            mine = rows.seats_of(books, caller.user.id)
            entered = {one.id for one in found if caller.user.id in rows.entrants(books, one.id)}
        say()
        say(words("Tournaments"), Style.CYAN)
        for number, one in enumerate(found, 1):
            text = f"  [{number}] {title_of(caller.words, one)}, {state_of(caller, one)}"
            takes_part = words("you take part")
            say(f"{text}: {takes_part}" if one.id in entered else text)
        if not found:
            say("  " + words("None is called at the moment."))
        say()
        places = [bout.place for _, bout in mine if bout.place is not None and bout.place < len(caller.tables)]
        if places:
            say(
                "  [T] " + words("To your table: {table}", table=caller.others.table_name(places[0], words)),
                Style.YELLOW,
            )
        if _may_call(caller):
            say("  [N] " + words("Call a new one"))
        say("  [H] " + words("Hall of fame"))
        say("  [Q] " + words(_BACK))
        key = ask_key(caller, words("Tournaments") + "> ").upper()
        if key == "T" and places:
            caller.console.finish(words("To your table"))
            _sit(caller, places[0])
        elif key == "N" and _may_call(caller):
            caller.console.finish(words("Call a new one"))
            _call(caller)
        elif key == "H":
            caller.console.finish(words("Hall of fame"))
            _fame(caller)
        elif (chosen := dict(zip("123456789", found, strict=False)).get(key)) is not None:
            caller.console.finish(title_of(caller.words, chosen))
            _tournament(caller, chosen.id)
        else:
            caller.console.finish()
            return


def state_of(caller: Caller, one: Tournament) -> str:
    """Return when a tournament begins, or how far it is."""
    if one.state == "running" and match_of(one.kind).chips:
        return caller.words("hand {n}", n=one.round)
    return caller.words(_STATES[one.state], time=day(one.starts), round=one.round, rounds=one.rounds)


def _may_call(caller: Caller) -> bool:
    return caller.config.of(TournamentSettings).callers and not caller.user.guest


def _sit(caller: Caller, place: int) -> None:
    """Let the caller sit down at the table of their match."""
    play_at(caller, caller.tables[place], caller.tables.game(place).definition)
    remind(caller)


# --- one of them ------------------------------------------------------------------------------------------------------


def _tournament(caller: Caller, number: int) -> None:
    """Show a tournament until the caller goes back."""
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    while True:
        with store.reading() as books:
            one = rows.find(books, number)
            order, paid = rows.table_of(books, number), rows.paid(books, number)
        takes_part = any(each.user == caller.user.id for each in order)
        say()
        say(f"{title_of(caller.words, one)}, {state_of(caller, one)}", Style.CYAN)
        _tell_terms(caller, one, len(order))
        _tell_standings(caller, one, order, paid)
        say()
        if one.state == "open" and not takes_part and not caller.user.guest:
            say("  [S] " + words("Sign up"))
        if one.state == "open" and takes_part:
            say("  [W] " + words("Withdraw"))
        if one.state == "open" and one.host == caller.user.id:
            say("  [C] " + words("Call it off"))
        say("  [Q] " + words(_BACK))
        key = ask_key(caller, words("Tournament") + "> ").upper()
        if key == "S" and one.state == "open" and not takes_part and not caller.user.guest:
            caller.console.finish(words("Sign up"))
            _sign_up(caller, one)
        elif key == "W" and one.state == "open" and takes_part:
            caller.console.finish(words("Withdraw"))
            _withdraw(caller, one)
        elif key == "C" and one.state == "open" and one.host == caller.user.id:
            caller.console.finish(words("Call it off"))
            _call_off(caller, one)
        else:
            caller.console.finish()
            return


def _tell_terms(caller: Caller, one: Tournament, entrants: int) -> None:
    words, say = caller.words, caller.console.say
    say("  " + words("Begins: {time}", time=day(one.starts)))
    if match_of(one.kind).chips:
        say("  " + words("For {n} chips each; the first ante is {ante}.", n=chips.START, ante=chips.ANTE))
        say("  " + words("Whoever has none left is out; the last one wins."))
    else:
        system = words("Swiss system") if one.swiss else words("everybody meets everybody")
        say("  " + words.count("{n} round, {system}", "{n} rounds, {system}", one.rounds, system=system))
    length = words(match_of(one.kind).length)
    say(f"  {length}: {one.length}")
    fee = words("Fee: {cubes} CUBES; all fees are paid out as prizes.", cubes=one.entry)
    say("  " + (fee if one.entry else words("No fee, and no prizes.")))
    say("  " + words.count("{n} takes part.", "{n} take part.", entrants))


def _tell_standings(caller: Caller, one: Tournament, order: Sequence[Standing], paid: dict[int, int]) -> None:
    """Tell who takes part, with points once there are any."""
    words, say = caller.words, caller.console.say
    names = caller.instance.accounts.names([each.user for each in order])
    say()
    for place, each in enumerate(order, 1):
        is_own = each.user == caller.user.id
        if place > SHOWN and not is_own:
            continue
        name = names.get(each.user, f"#{each.user}")
        if one.round:
            reached = _reached(caller, one, each)
            prize = words("{cubes} CUBES", cubes=paid[each.user]) if each.user in paid else ""
            text = f"  {each.rank:>3}. {name:<20.20} {reached}  {prize}".rstrip()
        else:
            text = f"  {place:>3}. {name}"
        say(text, Style.YELLOW if is_own else Style.PLAIN)
    if one.round and order and not match_of(one.kind).chips:
        say("  " + words("In brackets: the opponents' points, and matches won alone. They decide among equals."))


def _reached(caller: Caller, one: Tournament, each: Standing) -> str:
    """Return the points of somebody with what decides among equals, or their chips."""
    words = caller.words
    if match_of(one.kind).chips:
        chips_left = words.count("{n} chip", "{n} chips", each.points)
        return words("out in hand {n}", n=each.out) if each.out else chips_left
    return f"{words.count('{n} point', '{n} points', each.points)} ({each.opposition}, {each.won})"


def _sign_up(caller: Caller, one: Tournament) -> None:
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    question = words("Pay {cubes} CUBES and take part? (y/n) ", cubes=one.entry)
    if one.entry and not ask_yes(caller, question):
        return
    try:
        with store.writing() as books:
            rows.enter(books, store.clock(), one.id, caller.user.id)
    except NotEnough as short:
        say(words("You own only {cubes} CUBES.", cubes=short.balance), Style.YELLOW)
    except StillPlaying:
        say(words("You can do that once your game is over."), Style.YELLOW)
    except Refused:
        say(words("It is too late for that."), Style.YELLOW)
    else:
        say(words("You take part. When it begins, you are called to your table: J goes there."), Style.GREEN)


def _withdraw(caller: Caller, one: Tournament) -> None:
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    try:
        with store.writing() as books:
            rows.withdraw(books, store.clock(), one.id, caller.user.id)
    except Refused:
        say(words("It is too late for that."), Style.YELLOW)
    else:
        say(words("You do not take part any more; the fee is yours again."), Style.GREEN)


def _call_off(caller: Caller, one: Tournament) -> None:
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    if not ask_yes(caller, words("Call it off, and give all fees back? (y/n) ")):
        return
    try:
        with store.writing() as books:
            rows.call_off(books, store.clock(), one.id)
    except Refused:
        say(words("It is too late for that."), Style.YELLOW)
    else:
        log.info("%r calls off tournament %d", caller.user.name, one.id)
        write(caller.instance, one, "off")
        say(words("It is called off; all fees went back."), Style.GREEN)


# --- a new one --------------------------------------------------------------------------------------------------------


def _call(caller: Caller) -> None:
    """Let the caller call a tournament."""
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    if not caller.may_write():
        return
    with store.reading() as books:
        has_called = rows.has_called(books, caller.user.id)
    if has_called:
        say(words("One that you called is still to begin."), Style.YELLOW)
        return
    game = ask_game(caller, words("Which game? "))
    if game is None:
        return
    match = match_of(game.kind)
    minutes = _asked(caller, words("In how many minutes does it begin, 1 to {most}? ", most=MOST_MINUTES), MOST_MINUTES)
    if not minutes:
        return
    rounds = 0
    if not match.chips:
        rounds = _asked(caller, words("How many rounds, 1 to {most}? ", most=MOST_ROUNDS), MOST_ROUNDS) or 0
        if not rounds:
            return
    length_of = words(match.length)
    text = words("{what}, 1 to {most} (ENTER: {usual})? ", what=length_of, most=match.most, usual=match.usual)
    length = _asked(caller, text, match.most, match.usual)
    entry = _asked(caller, words("The fee in CUBES, up to {most} (ENTER: none)? ", most=MOST_ENTRY), MOST_ENTRY, 0)
    if length is None or entry is None:
        return
    name = ask_text(caller, words("What is it called? (ENTER: no name) "), NAME)
    if (name and not caller.may_write(line=True)) or not ask_yes(caller, words("Call it? (y/n) ")):
        return
    plan = Plan(game.kind, name, caller.user.id, store.clock() + 60 * minutes, 0, rounds, length, entry, swiss=True)
    with store.writing() as books:
        number = rows.call(books, store.clock(), plan)
    look_again(caller.instance)
    log.info("%r calls tournament %d: %s", caller.user.name, number, game.kind)
    say(words("It is called. Sign up, too, if you want to play."), Style.GREEN)
    _tournament(caller, number)


def _asked(caller: Caller, question: str, most: int, usual: int | None = None) -> int | None:
    """Ask for a number from 1 until there is one; ENTER alone is answered by `usual`, None: the caller gives up."""
    while answer := ask_line(caller, question, len(str(most)), q_is_back=True):
        if 1 <= (number := decimal(answer) or 0) <= most:
            return number
        caller.console.say(caller.words("That is no number from 1 to {most}.", most=most), Style.YELLOW)
    return usual


# --- hall of fame -----------------------------------------------------------------------------------------------------


def _fame(caller: Caller) -> None:
    """Show who has won most tournaments of each game."""
    words, say = caller.words, caller.console.say
    with caller.instance.bank.store.reading() as books:
        found = {game.kind: rows.fame(books, game.kind, FAME) for game in GAMES}
    names = caller.instance.accounts.names([user for places in found.values() for user, _, _ in places])
    say()
    for kind, places in found.items():
        if places:
            say(game_name(kind, words), Style.CYAN)
        for user, won, cubes in places:
            times = words.count("won {n} tournament", "won {n} tournaments", won)
            prizes = words("{cubes} CUBES", cubes=cubes)
            say(f"  {names.get(user, f'#{user}'):<20.20} {times}, {prizes}")
    if not any(found.values()):
        say(words("No tournament has been played yet."))


_LINE = MenuLine("E", mark("Tournaments"), tournaments, works=lambda caller: bool(games_here(caller)))
ANNOUNCED = (AddedLine("the casino", _LINE, before="O"),)
