"""`R` at the main prompt: the ladder of each game, and the own curve; `J` in the casino: somebody of one's strength."""

from collections.abc import Sequence
from typing import Final

from yawc_poker.appearance.chart import EDGE_CELLS, chart
from yawc_poker.extras.ratings.picture import GAMES as MOST_DRAWN
from yawc_poker.extras.ratings.picture import drawn
from yawc_poker.extras.ratings.reckoning import LEAST_GAMES, NEW, Rating, distance
from yawc_poker.extras.ratings.rows import course, ladder, of_user
from yawc_poker.registry.games import GAMES
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.caller.prompts import ask_key
from yawc_poker.session.menus.casino import sit_at
from yawc_poker.session.menus.history import game_name
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

SHOWN: Final = 15
_ROWS: Final = 6
_MOST: Final = 60
_LEAST: Final = 10
"""Columns of the curve."""


def ratings(caller: Caller) -> None:
    """Show ladders until the caller leaves. Raise `StoreError`."""
    kinds = [game.kind for game in GAMES if caller.tables.of(game)]
    place = 0
    while kinds:
        shows_curve = _show(caller, kinds[place]) and caller.page is not None
        if shows_curve:
            caller.console.say("  [C] " + caller.words("The curve as a drawing"))
        caller.console.say("  [Q] " + caller.words("Back"))
        key = ask_key(caller, caller.words("Ratings") + "> ").upper()
        if key == "C" and shows_curve:
            caller.console.finish(caller.words("The curve as a drawing"))
            _draw(caller, kinds[place])
            continue
        if key != "G" or len(kinds) == 1:
            caller.console.finish()
            return
        place = (place + 1) % len(kinds)
        caller.console.finish(game_name(kinds[place], caller.words))


def _draw(caller: Caller, kind: str) -> None:
    """Show the caller's curve on their page."""
    found, title = course(caller.instance.bank.store, kind, caller.user.id, MOST_DRAWN), game_name(kind, caller.words)
    if caller.page is not None:
        heading = caller.words("Ratings: {game}", game=title)
        caller.page.draw(heading, drawn(found, f"{heading}. {_lately(caller, found)}"))


def _show(caller: Caller, kind: str) -> bool:
    """Show a ladder; return whether the caller's own rating is shown, too."""
    words, say, store = caller.words, caller.console.say, caller.instance.bank.store
    names = caller.instance.accounts.lasting()
    listed = [place for place in ladder(store, kind) if place.user in names][:SHOWN]
    say()
    say(words("Ratings: {game}", game=game_name(kind, words)), Style.CYAN)
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
        _show_own(caller, kind)
    say()
    if len(GAMES) > 1:
        say("  [G] " + words("Another game"))
    return mine.is_shown


def _cells(caller: Caller, name: str, rating: Rating) -> str:
    played = caller.words.count("{n} game", "{n} games", rating.games)
    return f"{name:<20.20} {rating.points:>5} +-{rating.error:<4} {played}"


def _show_own(caller: Caller, kind: str) -> None:
    """Tell the caller's own rating, with the curve of it unless they read lines."""
    room = max(min(caller.line.columns - EDGE_CELLS - 3, _MOST), _LEAST)
    found = course(caller.instance.bank.store, kind, caller.user.id, room)
    caller.console.say(f"  {_lately(caller, found)}")
    if not caller.preferences.linear:
        for line in chart([one.points for one in found], _ROWS):
            caller.console.say(f"  {line}")


def _lately(caller: Caller, found: Sequence[Rating]) -> str:
    """Return the caller's rating, which is the last of these, and between which it lay, in a sentence."""
    points = [one.points for one in found]
    return caller.words(
        "Yours: {points}, give or take {error}; lately between {low} and {high}.",
        points=points[-1],
        error=found[-1].error,
        low=min(points),
        high=max(points),
    )


def join_an_equal(caller: Caller) -> None:
    """Lead the caller to the table where somebody of about their strength waits, the nearest of them.

    Raise `StoreError`.
    """
    store, words, found = caller.instance.bank.store, caller.words, list[tuple[int, int]]()
    mine = of_user(store, caller.user.id)
    for game in GAMES:
        for table in caller.tables.of(game):
            who = caller.others.who_waits(table)
            if who is None or who.user == caller.user.id or not caller.others.hears(who.name):
                continue
            points = distance(mine.get(game.kind, NEW), of_user(store, who.user).get(game.kind, NEW))
            if points is not None:
                found.append((points, table))
    if not found:
        caller.console.say(words("Nobody of about your strength waits at a table."), Style.YELLOW)
        return
    _, nearest = min(found)
    caller.console.say(caller.others.table_name(nearest, words), Style.CYAN)
    sit_at(caller, nearest, by_command=False)


ANNOUNCED = (
    AddedLine("the main menu", MenuLine("R", mark("Ratings: who plays how well"), ratings), before="H"),
    AddedLine("the casino", MenuLine("J", mark("Join somebody of about your strength"), join_an_equal), before="O"),
)
