"""`D` in the casino: the deals of the day, their rankings, one's series, and yesterday's, solved."""

import time
from collections.abc import Iterator, Mapping
from random import SystemRandom
from typing import Final

from yawc_poker.casino.rankings.periods import day_of
from yawc_poker.durations import clock
from yawc_poker.engine import sealing
from yawc_poker.engine.game import IllegalMove
from yawc_poker.extras.daily import rows
from yawc_poker.extras.daily.course import (
    SECONDS,
    TERMS,
    Deal,
    OtherProgram,
    dealing_of,
    is_opened,
    program_of,
    result,
    whole,
)
from yawc_poker.extras.daily.lesson import Lesson
from yawc_poker.extras.daily.sitting import Sitting
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.caller.prompts import ask_key, ask_yes
from yawc_poker.session.menus.afterwards import FinishedGame, offered_for_finished
from yawc_poker.table_ui.speech import LEVEL_NAMES
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

SHOWN: Final = 5
"""Places of a ranking."""
YESTERDAY: Final = "Y"


def deals_of_the_day(caller: Caller) -> None:
    """Show the deals of the day until the caller goes back. Raise `StoreError`."""
    while True:
        settle(caller)
        today = day_of(time.time())
        games = games_of_the_day(caller)
        _show(caller, games, today)
        key = ask_key(caller, caller.words("Deal of the day") + "> ").upper()
        chosen = next((game for game in games if game.key == key), None)
        if chosen is not None:
            caller.console.finish(caller.words(chosen.titles.game))
            _today(caller, chosen, _day(caller, chosen, today))
        elif key == YESTERDAY:
            caller.console.finish(caller.words("Yesterday's"))
            _yesterday(caller, games, today - 1)
        else:
            caller.console.finish()
            return


def games_of_the_day(caller: Caller) -> list[Entry]:
    """Return the games that have tables, and a deal each day, in the order of the casino's menu."""
    return [game for game in GAMES if game.kind in TERMS and caller.tables.of(game)]


def settle(caller: Caller) -> None:
    """Keep the results of those whose time is over, wherever their sessions are. Raise `StoreError`."""
    store = caller.instance.bank.store
    definitions = {game.kind: game.definition for game in GAMES}
    for day, kind, user, play in rows.overdue(store, time.time()):
        known, game = rows.known_deal(store, day, kind), definitions.get(kind)
        try:
            if known is None or game is None or kind not in TERMS:
                raise OtherProgram
            course = whole(game, known, play.moves, user)
        except (OtherProgram, IllegalMove):
            rows.give_up(store, day, kind, user)
        else:
            rows.close(store, known, user, result(game, course), SECONDS)


def lessons(caller: Caller) -> None:
    """Ask for a game, and play a round of it with advice."""
    words, say, games = caller.words, caller.console.say, games_of_the_day(caller)
    say()
    say(words("A lesson: a first round of a game, alone, with advice at each turn. Nothing counts."), Style.CYAN)
    chosen = _ask_game(caller, {game: words(game.titles.game) for game in games}, words("Lesson"))
    if chosen is not None and Lesson(caller, chosen.definition).run() is None:
        caller.console.say(words("The lesson is over."), Style.CYAN)


def _ask_game(caller: Caller, lines: Mapping[Entry, str], prompt: str) -> Entry | None:
    """Ask for one of these games, each with its line; None: the caller goes back."""
    for game, line in lines.items():
        caller.console.say(f"  [{game.key}] {line}")
    caller.console.say("  [Q] " + caller.words("Back"))
    key = ask_key(caller, f"{prompt}> ").upper()
    chosen = next((game for game in lines if game.key == key), None)
    caller.console.finish("" if chosen is None else caller.words(chosen.titles.game))
    return chosen


# --- today ------------------------------------------------------------------------------------------------------------


def _show(caller: Caller, games: list[Entry], today: int) -> None:
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    say()
    say(words("Deal of the day: the same cards for everybody, once, alone, in five minutes."), Style.CYAN)
    for game in games:
        say(f"  [{game.key}] {words(game.titles.game)}: {_state(caller, game, _day(caller, game, today))}")
    say()
    say(f"  [{YESTERDAY}] " + words("Yesterday's, solved"))
    say("  [Q] " + words("Back"))
    if (length := rows.series(store, caller.user.id, today)) > 0:
        say(words.count("Your series: {n} day.", "Your series: {n} days in a row.", length), Style.CYAN)


def _day(caller: Caller, game: Entry, today: int) -> int:
    """Return the day whose deal is the caller's: today, or yesterday as long as their time for that one runs."""
    play = rows.play_of(caller.instance.bank.store, today - 1, game.kind, caller.user.id)
    runs = play is not None and play.result is None and play.seconds >= 0 and time.time() < play.began + SECONDS
    return today - 1 if runs else today


def _state(caller: Caller, game: Entry, today: int) -> str:
    words, store = caller.words, caller.instance.bank.store
    play = rows.play_of(store, today, game.kind, caller.user.id)
    if play is None:
        return words("not played yet, against the level {level}", level=words(LEVEL_NAMES[TERMS[game.kind].level]))
    if play.result is None and play.seconds < 0:
        return words("it cannot be played on")
    if play.result is None:
        left = max(round(play.began + SECONDS - time.time()), 0)
        return words("your time runs: {n} seconds left", n=left)
    places = rows.ranking(store, today, game.kind)
    place = next(at for at, one in enumerate(places, 1) if one.user == caller.user.id)
    told = told_result(caller, game, play.result)
    return words("{result}, place {place} of {all}", result=told, place=place, all=len(places))


def told_result(caller: Caller, game: Entry, found: int) -> str:
    """Return a result in words."""
    if game.definition.retold.counted == "cubes":
        return caller.words.count("{n} CUBE", "{n} CUBES", found)
    return caller.words.count("{n} point", "{n} points", found)


def _today(caller: Caller, game: Entry, today: int) -> None:
    """Let the caller play a deal, or show what has become of it. Raise `StoreError`."""
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    dealt = rows.deal(store, _fresh(game, today))
    play = rows.play_of(store, today, game.kind, caller.user.id)
    if play is not None and play.result is not None:
        _show_ranking(caller, game, today)
        return
    if play is None:
        say(words("The seal of these cards (SHA256), opened tomorrow:"))
        say(f"  {dealt.seal}")
        if not ask_yes(caller, words("Your five minutes begin now. Play? (y/n) ")):
            return
        try:
            play = rows.begin(store, dealt, caller.user.id, time.time())
        except rows.DayOver:
            say(words("Midnight (UTC) has passed: there is a new deal."), Style.YELLOW)
            return
    try:
        found = Sitting(caller, game.definition, dealt, play).run()
    except (OtherProgram, IllegalMove):
        say(words("The house players have changed since this was dealt: it cannot be played on."), Style.YELLOW)
        return
    if found is None:
        say(words("Your time runs on. Come back before it is over."), Style.YELLOW)
        return
    say(words("Your result: {result}", result=told_result(caller, game, found)), Style.GREEN)
    _show_ranking(caller, game, today)


def _fresh(game: Entry, day: int) -> Deal:
    """Return a deal that nobody knows, for a day that has none yet."""
    deck = sealing.shuffle(game.definition.rules.DECK, SystemRandom())
    return Deal(day, game.kind, deck.order, deck.secret, program_of(game.definition))


def _show_ranking(caller: Caller, game: Entry, day: int) -> None:
    words, say = caller.words, caller.console.say
    say()
    say(words("Ranking of the day: {game}", game=words(game.titles.game)), Style.CYAN)
    for text, is_own in _ranking_lines(caller, game, day):
        say(f"  {text}", Style.YELLOW if is_own else Style.PLAIN)


def _ranking_lines(caller: Caller, game: Entry, day: int) -> Iterator[tuple[str, bool]]:
    """Yield the first places, and the caller's own."""
    places = rows.ranking(caller.instance.bank.store, day, game.kind)
    own = next((at for at, one in enumerate(places) if one.user == caller.user.id), None)
    shown = sorted({*range(min(SHOWN, len(places))), *([] if own is None else [own])})
    names = caller.instance.accounts.names([places[at].user for at in shown])
    for at in shown:
        one = places[at]
        name = names.get(one.user, "-")
        yield f"{at + 1:>3}. {name:<20.20} {told_result(caller, game, one.result):<12} {clock(one.seconds)}", at == own
    if not places:
        yield caller.words("Nobody has played it."), False


# --- yesterday --------------------------------------------------------------------------------------------------------


def _yesterday(caller: Caller, games: list[Entry], day: int) -> None:
    """Show yesterday's rankings, and solve a deal. Raise `StoreError`."""
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    played = [game for game in games if rows.known_deal(store, day, game.kind) is not None]
    for game in played:
        _show_ranking(caller, game, day)
    if not played:
        say(words("Nobody has played it."))
        return
    say()
    if not is_opened(day, time.time()):
        say(words("The cards are opened five minutes after midnight (UTC), when nobody plays them any more."))
        return
    lines = {one: words("{game}: the cards, and your decisions", game=words(one.titles.game)) for one in played}
    chosen = _ask_game(caller, lines, words("Yesterday's"))
    if chosen is not None:
        _solve(caller, chosen, day)


def _solve(caller: Caller, game: Entry, day: int) -> None:
    """Open a deal whose day is over, and analyse what the caller made of it. Raise `StoreError`."""
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    dealt = rows.known_deal(store, day, game.kind)
    assert dealt is not None, "only those that were dealt are offered"
    say(words("The seal, the secret, and the cards by position:"))
    say(f"  {dealt.seal}")
    say(f"  {dealt.secret}")
    say(f"  {dealt.order}")
    play, analysis = rows.play_of(store, day, game.kind, caller.user.id), offered_for_finished("analysis")
    if play is None or analysis is None:
        return
    try:
        course = whole(game.definition, dealt, play.moves, caller.user.id, caller.user.name)
    except (OtherProgram, IllegalMove):
        say(words("The house players have changed since this was dealt: it cannot be told any more."), Style.YELLOW)
        return
    title = words("Deal of the day: {game}", game=words(game.titles.game))
    analysis.act(caller, FinishedGame(title, game.definition, dealing_of(dealt, course), course.actions))


ANNOUNCED = (
    AddedLine(
        "the casino",
        MenuLine("D", mark("Deal of the day"), deals_of_the_day, works=lambda caller: not caller.user.guest),
        before="O",
    ),
    AddedLine("the casino", MenuLine("L", mark("Lesson: a first round, with advice"), lessons), before="O"),
)
"""Behind the games."""
