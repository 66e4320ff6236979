"""Why one card is better than another, by the rules of thumb that people know. Pure.

Owns the sentences, and when they hold. The first rule that holds is told. All that they ask for lies open.
"""

from collections.abc import Iterator, Sequence

from yawc_poker.engine.house import SealedChance
from yawc_poker.games.offiziersskat.model import Move, View
from yawc_poker.games.offiziersskat.player.position import COLOUR, Position, order, position
from yawc_poker.games.offiziersskat.player.search import beats, takes
from yawc_poker.table_ui.narrative import Reason
from yawc_poker.words import mark


def reason(view: View, mine: Move | None, choice: Move | None, _: SealedChance) -> Reason | None:
    """Return why the choice is better; None: no rule tells."""
    if mine is None or choice is None:
        return None
    cards = order(view.round.trump)
    known = position(view, cards)
    number = {card: number for number, card in cards.items()}
    told = _of_leads if known.led is None else _of_replies
    return next(told(known, number[mine.card], number[choice.card]), None)


def _of_leads(known: Position, mine: int, better: int) -> Iterator[Reason]:
    eyes, others = known.eyes, [number for number in known.slots[len(known.slots) // 2 :] if number >= 0]
    is_taken, is_safe = not takes(known, mine), takes(known, better)
    if _is_plain(mine, 1) and mine - 1 in (*others, *known.unseen):
        yield Reason(mark("A ten was led while the ace of its suit may still take it."))
    if _is_plain(mine, 0) and not _is_plain(better, 0) and _may_stay(mine + 1, others, known.unseen):
        yield Reason(mark("An ace is kept for the ten of its suit, which has not come out."))
    if is_taken and is_safe:
        yield Reason(mark("No open card of the other side takes {choice}; {mine} can be taken."))
    if is_taken and eyes[mine] > eyes[better]:
        yield Reason(
            mark("The trick may be lost: {mine} gives it {many} eyes, {choice} {few}."),
            {"many": eyes[mine], "few": eyes[better]},
        )
    trumps = sum([number < COLOUR for number in others])
    if better < COLOUR <= mine and trumps:
        yield Reason(
            mark("Trumps are drawn first, so that they take nothing later: {many} lie open on the other side."),
            {"many": trumps},
        )
    if mine < COLOUR <= better:
        yield Reason(mark("A trump takes a rich trick later; {choice} can be led now."))
    if eyes[better] > eyes[mine] and is_safe:
        yield Reason(
            mark("Both can take the trick: {choice} brings {many} eyes home, {mine} {few}."),
            {"many": eyes[better], "few": eyes[mine]},
        )


def _of_replies(known: Position, mine: int, better: int) -> Iterator[Reason]:
    assert known.led is not None, "a reply answers a card"
    eyes, led = known.eyes, known.slots[known.led]
    takes_it, should = beats(mine, led), beats(better, led)
    if should and not takes_it:
        yield Reason(
            mark("The trick was there to be taken: {many} eyes with {choice}."), {"many": eyes[led] + eyes[better]}
        )
    if takes_it and not should:
        yield Reason(mark("{mine} is too good for a trick of {many} eyes."), {"many": eyes[led]})
    if not takes_it and eyes[mine] > eyes[better]:
        yield Reason(
            mark("The trick may be lost: {mine} gives it {many} eyes, {choice} {few}."),
            {"many": eyes[mine], "few": eyes[better]},
        )
    if takes_it and eyes[better] > eyes[mine]:
        yield Reason(
            mark("Both can take the trick: {choice} brings {many} eyes home, {mine} {few}."),
            {"many": eyes[better], "few": eyes[mine]},
        )
    if takes_it and should and mine < better:
        yield Reason(mark("{choice} takes the trick, too, and the better card is kept."))


def _is_plain(number: int, rank: int) -> bool:
    """Return whether a card is the ace of a plain suit, or with 1 the ten."""
    return number >= COLOUR and number % COLOUR == rank


def _may_stay(ten: int, others: Sequence[int], unseen: Sequence[int]) -> bool:
    """Return whether a ten has not come out, and need not do so if its suit is led."""
    return ten in unseen or (ten in others and sum([one // COLOUR == ten // COLOUR for one in others]) > 1)
