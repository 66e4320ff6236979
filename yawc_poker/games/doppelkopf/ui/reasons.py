"""Why one move is better than another, by the rules of thumb that people know. Pure.

Owns the sentences, and when they hold. The first rule that holds is told. Who may trump or overtake a card is counted
in worlds that agree with what the place knows.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from yawc_poker.engine.house import SealedChance
from yawc_poker.engine.players import rolled
from yawc_poker.games.doppelkopf import model
from yawc_poker.games.doppelkopf.model import SEATS, Move, View
from yawc_poker.games.doppelkopf.player import evidence, knowledge
from yawc_poker.games.doppelkopf.player.bids import usual
from yawc_poker.games.doppelkopf.player.evidence import World
from yawc_poker.games.doppelkopf.player.knowledge import PLACES, Known
from yawc_poker.games.doppelkopf.player.policy import standing
from yawc_poker.table_ui.narrative import Reason
from yawc_poker.words import mark

WORLDS: Final = 100
TRIES: Final = 3
CLEAR: Final = 10
"""Worlds, of a hundred, that make a difference worth telling."""
ACE: Final = 11
"""Eyes of an ace."""
TEN: Final = 10


def reason(view: View, mine: Move | None, choice: Move | None, chance: SealedChance) -> Reason | None:
    """Return why the choice is better; None: no rule tells."""
    match mine, choice:
        case model.PlayCard(card), model.PlayCard(better):
            known = knowledge.read(view)
            numbers = known.deck.number
            return next(_Cards(known, numbers[card], numbers[better], chance).reasons(), None)
        case None, model.Call():
            return Reason(mark("What is called and reached counts more: it pays if your side wins clearly more often."))
        case model.Call(), None:
            return Reason(mark("What is called and not reached counts for the others, and your side wins too seldom."))
        case model.Healthy(), model.Reserve() if usual(view) == "wedding":
            return Reason(mark("Who holds both queens of clubs and says nothing plays alone against three."))
        case model.Healthy(), model.Reserve():
            return Reason(mark("A solo counts three times for who plays it, and this hand is good enough."))
        case model.Reserve(), model.Healthy():
            return Reason(mark("A solo that is lost costs three times as much, and this hand is not good enough."))
        case _:
            return None


class _Cards:
    """A card that was played, and a better one."""

    def __init__(self, known: Known, mine: int, better: int, chance: SealedChance) -> None:
        self._known, self._deck, self._mine, self._better = known, known.deck, mine, better
        own = known.teams[known.me]
        self._mates = [own is not None and team == own for team in known.teams]
        self._worlds = evidence.likely_worlds(known, rolled(chance), WORLDS, TRIES)

    def reasons(self) -> Iterator[Reason]:
        """Yield what tells for the better card."""
        yield from self._of_replies() if self._known.trick else self._of_leads()
        worse, better = self._beaten(self._mine), self._beaten(self._better)
        if worse - better >= CLEAR:
            yield Reason(
                mark("Others can beat {mine} in {worse} of 100 worlds, {choice} in {better}."),
                {"worse": worse, "better": better},
            )
        yield from self._of_eyes(max(worse, better))

    def _of_leads(self) -> Iterator[Reason]:
        deck, mine, better = self._deck, self._mine, self._better
        unseen = self._known.hidden
        if self._is_plain(better, ACE) and not self._is_plain(mine, ACE):
            now, later = self._trumped(better, 0), self._trumped(better, 1)
            if later - now >= CLEAR:
                yield Reason(
                    mark("An ace that is led later is trumped in {later} of 100 worlds, now in {now}."),
                    {"later": later, "now": now},
                )
        if self._is_plain(mine, TEN) and deck.colour[mine] & deck.above[mine] & unseen:
            yield Reason(mark("A ten was led while others hold the ace of its suit."))
        if deck.foxes >> mine & 1 and deck.above[mine] & unseen:
            yield Reason(mark("A fox was led: whoever has a better trump catches it."))
        if self._is_plain(mine, ACE) and (now := self._trumped(mine, 0)) >= CLEAR:
            yield Reason(mark("{mine} is trumped in {now} of 100 worlds."), {"now": now})
        trumps, every = self._known.hand & deck.trumps, (self._known.hand | unseen) & deck.trumps
        if trumps >> better & 1 and not trumps >> mine & 1 and SEATS * trumps.bit_count() > every.bit_count():
            yield Reason(
                mark("Who has many trumps leads them: you hold {many} of the {every} that are left."),
                {"many": trumps.bit_count(), "every": every.bit_count()},
            )

    def _of_replies(self) -> Iterator[Reason]:
        deck, mine, better, trick = self._deck, self._mine, self._better, self._known.trick
        best, winner = standing(self._known)
        eyes = sum([deck.eyes[card] for card in trick])
        is_mates = self._mates[winner]
        takes, should = self._beats(mine, best), self._beats(better, best)
        if deck.foxes >> mine & 1 and not deck.foxes >> better & 1 and not is_mates and not takes:
            yield Reason(mark("A fox was thrown into a trick that the others may get: that is a point for them."))
        if is_mates and takes and not should:
            yield Reason(mark("The partner's trick was overtaken."))
        if is_mates and not takes and deck.eyes[better] > deck.eyes[mine]:
            yield Reason(
                mark("The partner has the trick: {choice} brings {many} eyes to it, {mine} {few}."),
                {"many": deck.eyes[better], "few": deck.eyes[mine]},
            )
        if not is_mates and should and not takes:
            yield Reason(
                mark("The trick was there to be taken: {many} eyes with {choice}."), {"many": eyes + deck.eyes[better]}
            )
        if not is_mates and takes and not should:
            yield Reason(mark("{mine} is too good for a trick of {many} eyes."), {"many": eyes})

    def _of_eyes(self, beaten: int) -> Iterator[Reason]:
        """Yield what the eyes and the rank of the cards tell, where others can beat them in so many worlds."""
        eyes, mine, better = self._deck.eyes, self._mine, self._better
        many, few = eyes[mine], eyes[better]
        if many > few + 1 and beaten >= CLEAR:
            yield Reason(
                mark("The trick may be lost: {mine} gives it {many} eyes, {choice} {few}."),
                {"many": many, "few": few},
            )
        if few > many + 1 and beaten < CLEAR:
            yield Reason(
                mark("Both can take the trick: {choice} brings {many} eyes home, {mine} {few}."),
                {"many": few, "few": many},
            )
        if self._deck.above[better] >> mine & 1 and self._deck.trumps >> mine & 1:
            yield Reason(mark("{choice} does as well here, and the better card is kept."))

    # --- what holds

    def _is_plain(self, card: int, eyes: int) -> bool:
        return self._deck.eyes[card] == eyes and not self._deck.trumps >> card & 1

    def _beats(self, card: int, best: int) -> bool:
        """Return whether a card beats another one of the present trick."""
        led = self._deck.colour[self._known.trick[0]] if self._known.trick else self._deck.colour[best]
        return bool(self._deck.above[best] & (led | self._deck.trumps) & 1 << card)

    def _later(self) -> Sequence[int]:
        """Return who plays after this place and is no known partner."""
        known = self._known
        later = [(known.leader + at) % SEATS for at in range(len(known.trick) + 1, SEATS)]
        return [place for place in later if not self._mates[place]]

    def _trumped(self, card: int, most: int) -> int:
        """Return in how many worlds somebody has trumps, and at most so many cards of this one's suit."""
        colour, trumps = self._deck.colour[card], self._deck.trumps
        others = [place for place in PLACES if place != self._known.me and not self._mates[place]]
        return len(
            [world for world in self._worlds if any(_ruffs(world[place], colour, trumps, most) for place in others)]
        )

    def _beaten(self, card: int) -> int:
        """Return in how many worlds this card does not win its trick, if others want that."""
        if self._known.trick:
            best, winner = standing(self._known)
            if not self._beats(card, best):
                if not self._mates[winner]:
                    return WORLDS
                card = best
        led = self._deck.colour[(self._known.trick or (card,))[0]]
        later = self._later()
        return len([world for world in self._worlds if any(self._can_beat(world, place, led, card) for place in later)])

    def _can_beat(self, world: World, place: int, led: int, best: int) -> bool:
        may = world[place] & led or world[place] & self._deck.trumps
        return bool(may & self._deck.above[best])


def _ruffs(hand: int, suit: int, trumps: int, most: int) -> bool:
    """Return whether a hand has trumps, and at most so many cards of a suit."""
    return (hand & suit).bit_count() <= most and bool(hand & trumps)
