"""`R` at the main prompt: the ladder of each game, and the own curve."""

from typing import Final

from yawc_poker.appearance.chart import EDGE_CELLS, chart
from yawc_poker.extras.ratings.reckoning import LEAST_GAMES, NEW, Rating
from yawc_poker.extras.ratings.rows import course, ladder, of_user
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.session.menus.history import game_name
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

SHOWN: Final = 15
_SPARE: Final = 30
"""Places more that are looked up: those of closed accounts are left out."""
_ROWS: Final = 6
_MOST: Final = 60
_LEAST: Final = 10
"""Columns of the curve."""


def ratings(caller: Caller) -> None:
    """Show ladders until the caller leaves. Raise `StoreError`."""
    kinds = [game.kind for game in GAMES if caller.tables.of(game)]
    place = 0
    while kinds:
        _show(caller, kinds[place])
        key = ask_key(caller, caller.words("Ratings") + "> ").upper()
        if key != "G" or len(kinds) == 1:
            caller.console.finish()
            return
        place = (place + 1) % len(kinds)
        caller.console.finish(game_name(kinds[place], caller.words))


def _show(caller: Caller, kind: str) -> None:
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    places = ladder(store, kind)
    names = caller.instance.accounts.names([place.user for place in places[: SHOWN + _SPARE]])
    say()
    say(words("Ratings: {game}", game=game_name(kind, words)), Style.CYAN)
    listed = [place for place in places if place.user in names][:SHOWN]
    for rank, place in enumerate(listed, 1):
        own = place.user == caller.user.id
        say(f"  {rank:>3}. {_cells(caller, names[place.user], place.rating)}", Style.YELLOW if own else Style.PLAIN)
    mine = of_user(store, caller.user.id).get(kind, NEW)
    if not listed and not mine.games:
        say("  " + words("Nobody yet: a rating is shown after {n} games.", n=LEAST_GAMES))
    elif not mine.is_shown:
        text = words.count(
            "Yours is shown after {n} more game.", "Yours is shown after {n} more games.", LEAST_GAMES - mine.games
        )
        say("  " + text)
    else:
        _show_own(caller, kind, mine)
    say()
    if len(GAMES) > 1:
        say("  [G] " + words("Another game"))
    say("  [Q] " + words("Back"))


def _cells(caller: Caller, name: str, rating: Rating) -> str:
    played = caller.words.count("{n} game", "{n} games", rating.games)
    return f"{name:<20.20} {rating.points:>5} +-{rating.error:<4} {played}"


def _show_own(caller: Caller, kind: str, mine: Rating) -> None:
    """Tell the caller's own rating, with the curve of it unless they read lines."""
    room = max(min(caller.line.columns - EDGE_CELLS - 3, _MOST), _LEAST)
    points = [one.points for one in course(caller.instance.bank.store, kind, caller.user.id, room)]
    caller.console.say(
        "  "
        + caller.words(
            "Yours: {points}, give or take {error}; lately between {low} and {high}.",
            points=mine.points,
            error=mine.error,
            low=min(points),
            high=max(points),
        )
    )
    if not caller.preferences.linear:
        for line in chart(points, _ROWS):
            caller.console.say(f"  {line}")


ANNOUNCED = (AddedLine("the main menu", MenuLine("R", mark("Ratings: who plays how well"), ratings), before="H"),)
