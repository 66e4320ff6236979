"""An analysis as a page: the most expensive decisions first, each with what was better and in how many worlds. Pure."""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final

from yawc_poker.durations import clock
from yawc_poker.engine.game import GameEvent
from yawc_poker.engine.values import LogEntry
from yawc_poker.extras.analysis.judging import Decision, Judged
from yawc_poker.table_ui.advice import hoped, priced, share
from yawc_poker.table_ui.definition import AnyDefinition
from yawc_poker.table_ui.linear import others
from yawc_poker.table_ui.speech import INFO, SYSTEM, in_words
from yawc_poker.table_ui.telling import as_heard, linear_of
from yawc_poker.words import Words

FIRST: Final = 3
"""Decisions that are told at length."""
OTHERS: Final = 12
"""Further ones that are told in a line."""
_EVENTS: Final = 4
"""The newest of what happened before a decision."""


def lines(
    game: AnyDefinition,
    asked: Sequence[Decision],
    found: Sequence[Judged],
    words: Words,
) -> Iterator[str]:
    """Yield the lines of a page about decisions, some of which were judged."""
    if not found:
        yield words("There was nothing to decide, or nothing that this program could weigh.")
        return
    by_price = sorted((one for one in found if one.clear), key=lambda one: (-one.price, one.number))
    yield words('How a house player of the level "hard" sees your decisions, by what you knew then.')
    yield ""
    yield _summary(game, found, by_price, words)
    decisions = {one.number: one for one in asked}
    for place, one in enumerate(by_price[:FIRST], 1):
        yield ""
        yield from _at_length(game, place, decisions[one.number], one, words)
    if rest := by_price[FIRST : FIRST + OTHERS]:
        yield ""
        yield words("What else cost something:")
        yield from (f"  {_line(game, decisions[one.number], one, words)}" for one in rest)
    if same := [one for one in found if not one.clear and one.mine != one.choice]:
        yield ""
        yield words("As good, as far as these worlds tell:")
        yield from (f"  {_even(game, decisions[one.number], one, words)}" for one in same[:OTHERS])


def _summary(game: AnyDefinition, found: Sequence[Judged], dear: Sequence[Judged], words: Words) -> str:
    cheap = len(found) - len(dear)
    same = words.count(
        "Of {n} decision {same} cost nothing.", "Of {n} decisions {same} cost nothing.", len(found), same=cheap
    )
    if not dear:
        return same
    error = sqrt(sum([one.error * one.error for one in dear]))
    cost = priced(game, sum([one.price for one in dear]), error, words)
    return f"{same} " + words("The others cost {price} together.", price=cost)


def _at_length(game: AnyDefinition, place: int, decision: Decision, one: Judged, words: Words) -> Iterator[str]:
    mine, choice = _move(game, one.mine, words), _move(game, one.choice, words)
    price = priced(game, one.price, one.error, words)
    yield words(
        "{place}. At {at} you chose: {mine}. Better: {choice}. The price: {price}.",
        place=place,
        at=clock(decision.at),
        mine=mine,
        choice=choice,
        price=price,
    )
    yield from (f"   {text}" for text in _seen(game, decision, words))
    told = [text for entry in decision.before for text in _told(game, entry, words)]
    yield from (f"   {text}" for text in told[-_EVENTS:])
    yield "   " + words(
        "Of 100 worlds that agree with what you knew it is better in {better}, and worse in {worse}.",
        better=share(one.better, one.worlds),
        worse=share(one.worse, one.worlds),
    )
    if one.reason is not None:
        yield "   " + words(one.reason.text, mine=mine, choice=choice, **one.reason.facts)
    hopes = share(one.mine_hope, one.worlds), share(one.choice_hope, one.worlds)
    yield from (f"   {text}" for text in hoped(game, (mine, hopes[0]), (choice, hopes[1]), words))


def _seen(game: AnyDefinition, decision: Decision, words: Words) -> Iterator[str]:
    """Yield what the caller saw: their cards, those that lay open, and what else the state key tells of the game."""
    scene, linear = decision.scene, linear_of(game)
    local = game.face.follow(game.face.fresh(game.rules.read_options("{}")), scene)
    comma = ", " if words.spoken else " "
    held = [one.name for one in linear.cards(scene, local, words)]
    yield words("Your cards: {cards}", cards=comma.join(held))
    for one in others(decision.hands, scene, words):
        if one.open:
            yield f"{one.name}: {comma.join(one.open)}"
    yield "; ".join([fact.rstrip(".") for fact in linear.facts(as_heard(scene), local, words)])


def _line(game: AnyDefinition, decision: Decision, one: Judged, words: Words) -> str:
    return words(
        "{at}  {mine}, better {choice}: {price}",
        at=clock(decision.at),
        mine=_move(game, one.mine, words),
        choice=_move(game, one.choice, words),
        price=priced(game, one.price, one.error, words),
    )


def _even(game: AnyDefinition, decision: Decision, one: Judged, words: Words) -> str:
    return words(
        "{at}  {mine}, as good as {choice}",
        at=clock(decision.at),
        mine=_move(game, one.mine, words),
        choice=_move(game, one.choice, words),
    )


def _move(game: AnyDefinition, text: str, words: Words) -> str:
    """Return a move, from its JSON, in a word or two."""
    assert game.retold.told is not None, "a game whose moves are weighed names them"
    return game.retold.told(game.rules.read_move(text) if text else None, words)


def _told(game: AnyDefinition, entry: LogEntry[GameEvent], words: Words) -> Iterator[str]:
    """Yield what happened as everybody at the table reads it."""
    for text, _ in game.sentences(entry, words):
        yield in_words(text, words) if words.spoken else text.removeprefix(f"{SYSTEM} ").removeprefix(f"{INFO} ")
