"""The search of one world: alpha-beta with a table of positions, trick by trick. Pure.

Owns the cards of a world as bits and tables, and the search over them. A position is the set of the slots that still
hold a card, and the side that leads: everything else follows. All values are eyes to come of the leading side minus
those of the other; a search looks for those between `low` and `high`, and outside of them returns a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from yawc_poker.games.offiziersskat.model import ALL_EYES, PLACES
from yawc_poker.games.offiziersskat.player.position import COLOUR, EMPTY, SLOTS, Position

SIDES: Final = (0x0000FFFF, 0xFFFF0000)
"""The slots of each side."""
OPEN: Final = 0x00FF00FF
"""The slots of cards that were open from the beginning."""
BOUND: Final = ALL_EYES + 1
"""More than any value."""
MARKS: Final = 3 * COLOUR
"""Bits of one colour in a pattern: cards of side 0, cards of side 1, and which of all these are covered."""


class Reply(NamedTuple):
    """A card of the other side, played to a lead."""

    bit: int
    both: int
    """The slots of both cards."""
    eyes: int
    change: int
    """What differs in the pattern once both are gone."""
    takes: bool
    """The reply takes the trick."""


class Lead(NamedTuple):
    """A card that leads."""

    bit: int
    colour: int
    """The other side's cards of the same colour."""
    replies: tuple[Reply, ...]
    """All of the other side, the more promising first."""
    allowed: dict[int, tuple[Reply, ...]]
    """Those among a set of slots, remembered."""


Judge = Callable[[int, int], int]
"""Return the expected value of a position, by its pattern and the side that leads."""


class World(NamedTuple):
    """A possible distribution of all cards."""

    cards: int
    leads: tuple[tuple[Lead, ...], tuple[Lead, ...]]
    """By side, the more promising first."""
    rest: int
    """Eyes of all cards."""
    pattern: int
    """The cards by colour and side, `MARKS` bits each; what a position is judged by."""


def world(numbers: Sequence[int], eyes: Sequence[int]) -> World:
    """Return the world in which these numbers lie in the slots; `eyes` by number."""
    held = [slot for slot in range(SLOTS) if numbers[slot] != EMPTY]
    marks = {slot: _marks(slot, numbers) for slot in held}
    sides = [slot for slot in held if slot < SLOTS // 2], [slot for slot in held if slot >= SLOTS // 2]
    leads = (_leads(*sides, numbers, eyes, marks), _leads(sides[1], sides[0], numbers, eyes, marks))
    pattern = 0
    for slot in held:
        pattern ^= marks[slot]
    return World(sum(1 << slot for slot in held), leads, sum(eyes[numbers[slot]] for slot in held), pattern)


def _marks(slot: int, numbers: Sequence[int]) -> int:
    """Return what changes in the pattern when this card goes: it, and that the one below is not covered any more."""
    own = _mark(numbers[slot], slot // (SLOTS // 2))
    below = slot + PLACES
    return own ^ _mark(numbers[below], 2) if not slot & PLACES and numbers[below] != EMPTY else own


def _mark(number: int, kind: int) -> int:
    return 1 << number // COLOUR * MARKS + kind * COLOUR + number % COLOUR


def _leads(
    mine: Sequence[int], others: Sequence[int], numbers: Sequence[int], eyes: Sequence[int], marks: dict[int, int]
) -> tuple[Lead, ...]:
    def promise(lead: Lead) -> tuple[int, int]:
        beaten = sum(reply.takes for reply in lead.replies)
        counts = eyes[numbers[lead.bit.bit_length() - 1]]
        return (beaten, counts if beaten else -counts)

    leads = [
        Lead(
            1 << slot,
            sum(1 << other for other in others if _colour(numbers[other]) == _colour(numbers[slot])),
            tuple(_replies(slot, others, numbers, eyes, marks)),
            {},
        )
        for slot in mine
    ]
    return tuple(sorted(leads, key=promise))


def _replies(
    slot: int, others: Sequence[int], numbers: Sequence[int], eyes: Sequence[int], marks: dict[int, int]
) -> list[Reply]:
    led = numbers[slot]

    def promise(reply: Reply) -> int:
        number = numbers[(reply.both ^ 1 << slot).bit_length() - 1]
        if reply.takes:
            return -ALL_EYES - eyes[number] + (8 if number < 4 else 0)
        return eyes[number] + (9 if number < COLOUR else 0)

    replies = [
        Reply(
            1 << other,
            1 << slot | 1 << other,
            eyes[led] + eyes[numbers[other]],
            marks[slot] ^ marks[other],
            beats(numbers[other], led),
        )
        for other in others
    ]
    return sorted(replies, key=promise)


def _colour(number: int) -> int:
    return number // COLOUR


def beats(number: int, led: int) -> bool:
    """Return whether a card takes the trick from the one that led."""
    return number < led if _colour(number) == _colour(led) else number < COLOUR


def takes(known: Position, number: int) -> bool:
    """Return whether a card takes the trick against every open card that the other side may play."""
    if known.led is not None:
        return beats(number, known.slots[known.led])
    others = [other for other in known.slots[len(known.slots) // 2 :] if other >= 0]
    follow = [other for other in others if other // COLOUR == number // COLOUR] or others
    return not any(beats(other, number) for other in follow)


# --- the search -------------------------------------------------------------------------------------------------------

Value = Callable[[int, int, int, int, int, int], int]
"""Return the value of `cards` if `side` leads, between `low` and `high`; they have `rest` eyes and this `pattern`."""


class Search(NamedTuple):
    """The search of a world."""

    value: Value
    table: dict[int, tuple[int, int]]
    """What is known of each position that was met: the least and the greatest value it may have."""


def searcher(here: World, judge: Judge, horizon: int) -> Search:
    """Return the search of a world, which judges positions of `horizon` cards; 0: it plays to the end.

    Leads and replies are searched by one function: this saves a call for each of them.
    """
    table: dict[int, tuple[int, int]] = {}
    opened: tuple[dict[int, tuple[Lead, ...]], ...] = ({}, {})

    def value(cards: int, side: int, rest: int, pattern: int, low: int, high: int) -> int:
        if rest <= low or not rest:
            return rest
        if -rest >= high:
            return -rest
        if cards.bit_count() <= horizon:
            return judge(pattern, side)
        key = cards << 1 | side
        least, most = table.get(key, (-BOUND, BOUND))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        low, high = max(low, least), min(high, most)
        free = cards & ~((cards & OPEN) << PLACES)
        mine, others = free & SIDES[side], free & SIDES[1 - side]
        best, floor = -BOUND, low
        leads = opened[side].get(mine)
        if leads is None:
            leads = opened[side][mine] = tuple([lead for lead in here.leads[side] if lead.bit & mine])
        for _, colour, replies, allowed in leads:
            follow = others & colour or others
            answers = allowed.get(follow)
            if answers is None:
                answers = allowed[follow] = tuple([reply for reply in replies if reply.bit & follow])
            worst = high
            for _, both, eyes, change, takes in answers:
                if takes:
                    reached = -eyes - value(
                        cards ^ both, 1 - side, rest - eyes, pattern ^ change, -eyes - worst, -eyes - floor
                    )
                else:
                    reached = eyes + value(
                        cards ^ both, side, rest - eyes, pattern ^ change, floor - eyes, worst - eyes
                    )
                if reached < worst:
                    worst = reached
                    if worst <= floor:
                        break
            if worst > best:
                best = worst
                if best > floor:
                    floor = best
                    if best >= high:
                        break
        if best <= low:
            table[key] = (least, best)
        elif best >= high:
            table[key] = (best, most)
        else:
            table[key] = (best, best)
        return best

    return Search(value, table)


def outcomes(here: World, value: Value, led: int | None, slot: int) -> list[int]:
    """Return the value for side 0 of a card, by each reply to it, in the order of their slots.

    If side 1 has led from `led`, the card is itself the reply.
    """
    side, first, sign = (0, slot, 1) if led is None else (1, led, -1)
    lead = next(lead for lead in here.leads[side] if lead.bit == 1 << first)
    others = here.cards & ~((here.cards & OPEN) << PLACES) & SIDES[1 - side]
    follow = (others & lead.colour or others) if led is None else 1 << slot
    replies = sorted([reply for reply in lead.replies if reply.bit & follow], key=lambda reply: reply.bit)
    return [sign * _after(here, value, side, reply) for reply in replies]


def _after(here: World, value: Value, side: int, reply: Reply) -> int:
    """Return the value for `side`, which has led, of the trick that this reply completes and of all that follows."""
    cards, rest, pattern = here.cards ^ reply.both, here.rest - reply.eyes, here.pattern ^ reply.change
    if reply.takes:
        return -reply.eyes - value(cards, 1 - side, rest, pattern, -BOUND, BOUND)
    return reply.eyes + value(cards, side, rest, pattern, -BOUND, BOUND)
