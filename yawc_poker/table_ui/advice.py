"""What a game's program would do on a seat's turn, and why, in sentences; and prices as people read them. Pure.

The advice follows from the view of the seat and from a text, and from nothing else: no card that the seat does not see
has part in it.
"""

from yawc_poker.engine.house import SealedChance, Weighed, lead
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.words import Words


def advice(game: AnyDefinition, view: object, text: str, effort: int, words: Words) -> list[str]:
    """Return what a hard house player would do, and why; nothing where nothing is compared.

    `effort` is in hundredths of what a choice of "hard" takes, and chance follows from the `text`.
    """
    player = game.player
    if player is None or player.weigh is None:
        return []
    chance, found, compared = SealedChance(text), list[str](), set[frozenset[object]]()
    for choose in (player.choose, player.chooser(stands_in=True)):  # a stand-in lays a card where the other says a word
        weighed = player.weigh(view, choose(view, "normal", chance), chance, effort)
        if weighed is not None and weighed.worths[0] and len(moves := frozenset(weighed.moves)) > 1:
            found += _told(game, weighed, words) if moves not in compared else ()
            compared.add(moves)
        if player.stand_in is None:
            break
    return found


def _told(game: AnyDefinition, weighed: Weighed[object], words: Words) -> list[str]:
    """Return which of some moves is best, by how much, and how often what one hopes for comes true."""
    told, choice, worlds = game.retold.told, weighed.choice, len(weighed.worths[0])
    assert told is not None, "a game whose moves are weighed names them"
    others = [at for at in range(len(weighed.moves)) if at != choice]
    other = max(others, key=lambda at: sum(weighed.worths[at]))
    best, second = told(weighed.moves[choice], words), told(weighed.moves[other], words)
    ahead = lead(weighed, choice, other)
    found = [words("Advice: {best}. Next best: {second}.", best=best, second=second)]
    price = priced(game, ahead.price, ahead.error, words)
    found[0] += " " + (
        words("That is worth {price} less.", price=price) if ahead.clear else words("That is about as good.")
    )
    mine, others_share = (share(sum(weighed.hopes[at]), worlds) for at in (choice, other))
    return found + hoped(game, (best, mine), (second, others_share), words)


def hoped(game: AnyDefinition, move: tuple[str, int], other: tuple[str, int], words: Words) -> list[str]:
    """Return how often what one hopes for comes true by either of two moves, in hundredths; nothing of some games."""
    if not game.retold.hope:
        return []
    hope, often, other_often = words(game.retold.hope), _often(move[1], words), _often(other[1], words)
    if often == other_often:
        return [words("{hope}: {often}, by either.", hope=hope, often=often)]
    return [
        words(
            '{hope}: {often} by "{move}", {other_often} by "{other}".',
            hope=hope,
            often=often,
            move=move[0],
            other_often=other_often,
            other=other[0],
        )
    ]


def _often(hundredths: int, words: Words) -> str:
    if hundredths in {0, 100}:
        return words("always") if hundredths else words("never")
    return words.count("{n} time in 100", "{n} times in 100", hundredths)


def priced(game: AnyDefinition, price: float, error: float, words: Words) -> str:
    """Return a price in what the game is counted in, with its error; without one if that is next to nothing."""
    cost, about = _figure(price, words), _figure(error, words)
    if not round(error, 2):
        is_cubes = game.retold.counted == "cubes"
        return words("{price} CUBES", price=cost) if is_cubes else words("{price} points", price=cost)
    if game.retold.counted == "cubes":
        return words("{price} CUBES (give or take {error})", price=cost, error=about)
    return words("{price} points (give or take {error})", price=cost, error=about)


def _figure(value: float, words: Words) -> str:
    text = f"{value:.2f}" if value < 10 else f"{value:.1f}"
    return text if words.language == "en" else text.replace(".", ",")


def share(part: int, whole: int) -> int:
    """Return a part in hundredths of the whole; 0 and 100 are exact."""
    return min(max(round(100 * part / whole), 1), 99) if 0 < part < whole else 100 * part // whole
