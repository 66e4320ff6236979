"""Past games as their own rules tell them: the story, the results, what was open to whom, and the verdict. Pure.

Owns how a `PastGame` of the bank's books and a game's `Retold` come together; who may read which cards is decided here.
Never another game's rules: `registry.entry` closes each function over one game.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from yawc_poker.casino.bank.history import PastGame, PastPlayer
from yawc_poker.engine.replay import Contradiction
from yawc_poker.table_ui.definition import AnyRetold
from yawc_poker.table_ui.narrative import Counted, Standing, StoryLine
from yawc_poker.words import Words

_UNITS: Mapping[Counted, str] = {"cubes": "", "points": "POINTS", "places": "PLACE"}


class Results(NamedTuple):
    """The results of a game of points or places."""

    unit: str
    """The heading of a column of totals; empty where results are counted in CUBES."""
    standings: tuple[Standing, ...]


def story(retold: AnyRetold, played: PastGame, user: int, words: Words) -> Iterator[StoryLine]:
    """Yield the sentences of a game for a user, with the cards that were theirs or shown.

    A game from before there were words was sealed as one text, so it is told with everybody's cards. Raise
    `Contradiction` and `ValueError`, as `engine.replay`.
    """
    everybody = tuple(player.seat for player in played.game.players)
    seats = everybody if played.game.words is None else (_seat(played, user),)
    return retold.story(played.dealing(), played.actions, seats, words)


def opened(retold: AnyRetold, deck: Collection[str], played: PastGame, user: int) -> Collection[str]:
    """Return the cards that a user may open for good, as far as their positions can be told apart.

    Where a deck has a card twice, neither position is opened unless the user may see both. Nothing is opened of a game
    that cannot be played again.
    """
    try:
        seen = Counter(retold.opened(played.dealing(), played.actions, _seat(played, user)))
    except (Contradiction, ValueError):
        return ()
    return {card for card, copies in Counter(deck).items() if seen[card] >= copies}


def consequences(retold: AnyRetold, played: PastGame, words: Words) -> dict[int, list[str]]:
    """Return what the rules made of each action, by its number; nothing where the order of the cards is not known."""
    found: dict[int, list[str]] = {}
    if played.proof is None:
        return found
    try:
        for number, text in retold.consequences(played.dealing(), played.actions, words):
            found.setdefault(number, []).append(text)
    except (Contradiction, ValueError):
        pass  # `verify` tells what is wrong with it
    return found


def results(retold: AnyRetold, played: PastGame) -> Results:
    """Return the results of a game of points or places, as far as it can be played again."""
    if played.proof is None:
        return Results(_UNITS[retold.counted], ())
    try:
        return Results(_UNITS[retold.counted], retold.standings(played.dealing(), played.actions))
    except (Contradiction, ValueError):
        return Results(_UNITS[retold.counted], ())


def shares(retold: AnyRetold, played: PastGame, words: Words) -> tuple[str, ...]:
    """Return each player's result in words, in the order of `Summary.players`."""
    standings = {one.seat: one for one in results(retold, played).standings}
    return tuple(
        _share(player, retold.counted, None if player.seat is None else standings.get(player.seat), words)
        for player in played.game.players
    )


def _share(player: PastPlayer, counted: Counted, standing: Standing | None, words: Words) -> str:
    """Return points or place, and the CUBES that were moved for them."""
    cubes = paid(player, words) if player.paid or player.got or counted == "cubes" else ""
    if counted == "cubes" or standing is None:
        return cubes
    if counted == "points":
        result = words.count("{n} point", "{n} points", standing.total)
    else:
        result = words("place {n}", n=standing.total)
    return f"{result}, {cubes}" if cubes else result


def paid(player: PastPlayer, words: Words) -> str:
    """Return a player's CUBES in words."""
    if player.paid or player.got:
        return words("paid {paid}, got {got}", paid=player.paid, got=player.got)
    return words("looked on")


def _seat(played: PastGame, user: int) -> int | None:
    """Return a user's seat when the game began."""
    return next((player.seat for player in played.game.players if player.user == user), None)
