"""What a seat can tell of the hidden cards, from what it has seen of the round. Pure.

Owns the reasoning, not the drawing of samples. The rules make players lay a card that fits: who takes one holds none,
and no jack; who takes two because of a seven holds no seven. A card that lay in the pile is in nobody's hand until the
pile becomes the stock.

It is not known which of somebody's cards was laid. So a history is read several times, and each time chance names the
card (`Story`).
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest

from yawc_poker.cards import Suit
from yawc_poker.games.maumau.model import CourseStep, View
from yawc_poker.games.maumau.player.bits import ALL, BIT, JACKS, PLAIN, SEVENS, SUITS, fitting, mask

Below = Callable[[int], int]
"""Chance: a whole number from 0 up to a limit, without it."""
KEPT = 4
"""Of five players who lay a jack, so many hold nothing else that fits."""
WANTED = 4
"""Of five players who wish, so many hold a card of the suit."""


def round_of(view: View) -> tuple[CourseStep, ...]:
    """Return the steps of the running round, as far as they are kept."""
    starts = [at for at, step in enumerate(view.course) if step.kind == "round"]
    return view.course[starts[-1] :] if starts else view.course


def is_wish_open(view: View) -> bool:
    """Return whether a suit is wished for that nobody has laid yet; a jack laid now fulfils the wish."""
    done = (step.kind for step in reversed(round_of(view)) if step.kind in {"play", "wish"})
    return next(done, "play") == "wish" and not view.must_wish


class Choice:
    """A card that another player laid, though they may have held others that fit."""

    def __init__(self, place: int, time: int, card: int, fit: int, seen: int, following: int, left: int) -> None:
        self.place = place
        self.time = time
        self.card = card
        self.fit = fit
        """The cards that fitted."""
        self.seen = seen
        """The pile and its top card before."""
        self.following = following
        """How many cards the next player held."""
        self.left = left
        """How many cards were left to this one."""
        self.later = 0
        """Cards that they held already and laid later."""


class Story:
    """One reading of a round: for each hidden card of each other player, the cards that it may be."""

    def __init__(self, view: View, below: Below) -> None:
        """Read the round as the seat of a view saw it."""
        assert view.place is not None, "the view of somebody who does not play"
        self._place, self._below = view.place, below
        steps, hand = round_of(view), mask(view.hand or ())
        self.own = _owned_before(steps, view.place, hand)
        self.pile = 0
        """Cards that surely lie below the top card."""
        self.top = 0
        self.slots: dict[int, list[int]] = {}
        """By place: for each card in the hand the cards that it may be."""
        self.choices: list[Choice] = []
        """The other players', oldest first."""
        self._born: dict[int, list[int]] = {}
        """By place: when each hidden card came into the hand."""
        self._fit, self._penalty, self._drawn, self._time = ALL, False, False, 0
        self._counts: tuple[int, ...] = ()
        for step, following in zip_longest(steps, steps[1:]):
            self._read(step, following)
            self._time += 1
        self.own, self.top = hand, BIT[view.top]
        self.pile &= ~(self.own | self.top)
        self._exclude(self.own | self.top)
        self._agree(view)
        self.tightest = sorted(self._hidden_cards(), key=lambda hidden: hidden[1].bit_count())
        """All hidden cards, those first that may be the fewest cards: place, cards that it may be, when it came."""

    def _read(self, step: CourseStep, following: CourseStep | None) -> None:
        match step.kind:
            case "deal":
                self._dealt(step)
            case "ask":
                self._asked(step)
            case "play" if step.card is not None:
                self._played(step.place, BIT[step.card])
            case "take":
                self._took(step, following)
            case "wish" if step.suit is not None:
                self._wished(step.place, step.suit)
            case "leave":
                self.slots.pop(step.place, None)
            case "play" | "wish" | "round" | "finish" | "result":
                pass

    # --- one kind of step each

    def _dealt(self, step: CourseStep) -> None:
        self.own = mask(step.cards)
        self._begin(step.counts)

    def _begin(self, counts: Sequence[int]) -> None:
        others = [(place, count) for place, count in enumerate(counts) if self._hidden(place)]
        self.slots = {place: [ALL & ~self.own] * count for place, count in others}
        self._born = {place: [self._time] * count for place, count in others}

    def _asked(self, step: CourseStep) -> None:
        if not self.slots:  # the beginning of the round is not kept
            self._begin(step.counts)
        if step.card is not None:
            self.pile, self.top = 0, BIT[step.card]
            self._exclude(self.top)
        self._penalty, self._counts = step.count > 0, step.counts
        if step.suit is not None:
            self._fit = fitting(self.top, step.suit)
        else:
            self._fit = fitting(self.top, None) if self.top else ALL

    def _played(self, place: int, card: int) -> None:
        seen, drawn = self.pile | self.top, self._drawn
        self.pile, self.top, self._drawn = seen, card, False
        if not self._hidden(place):
            self.own &= ~card
            return
        slots = self.slots.get(place, [])
        if slots:
            at = self._laid(slots, card)
            slots.pop(at)
            self._remember(place, self._born[place].pop(at), card)
        if not drawn and self._counts:
            self._chose(place, card, seen)
        self._exclude(card)
        if card & JACKS and self._fit != ALL and not self._penalty and self._below(5) < KEPT:
            self._narrow(place, ~(self._fit & PLAIN))

    def _remember(self, place: int, born: int, card: int) -> None:
        """Note with the earlier choices of a player that they held this card then."""
        for choice in self.choices:
            if choice.place == place and choice.time >= born:
                choice.later |= card

    def _chose(self, place: int, card: int, seen: int) -> None:
        there = [at for at, count in enumerate(self._counts) if count and at != place]
        following = next((at for at in there if at > place), there[0] if there else place)
        fit = SEVENS if self._penalty else self._fit
        left = self._counts[place] - 1
        self.choices.append(Choice(place, self._time, card, fit, seen, self._counts[following], left))

    def _laid(self, slots: Sequence[int], card: int) -> int:
        """Return which hidden card was laid: the fewer a card may be, the likelier it is this one."""
        chances = [720720 // slot.bit_count() if slot & card else 0 for slot in slots]
        number = self._below(sum(chances) or 1)
        for at, chance in enumerate(chances):
            number -= chance
            if number < 0 and chance:
                return at
        return len(slots) - 1

    def _took(self, step: CourseStep, following: CourseStep | None) -> None:
        if not self._hidden(step.place):
            took = mask(step.cards)
            self.own |= took
            self._exclude(took)
            return
        self._narrow(step.place, ~(SEVENS if self._penalty else self._fit))
        restocked = following is not None and following.card is not None
        new = ALL & ~(self.own | self.top | (0 if restocked else self.pile))
        if not self._penalty and step.count == 1:
            goes_on = following is not None and following.kind == "ask" and following.place == step.place
            new &= self._fit if goes_on else ~self._fit
            self._drawn = goes_on
        self.slots.setdefault(step.place, []).extend([new] * step.count)
        self._born.setdefault(step.place, []).extend([self._time] * step.count)

    def _wished(self, place: int, suit: Suit) -> None:
        """Believe most players that they hold what they wish for."""
        slots, bits = self.slots.get(place, []), SUITS[suit] & PLAIN
        able = [at for at, slot in enumerate(slots) if slot & bits]
        if able and self._below(5) < WANTED:
            slots[able[self._below(len(able))]] &= bits

    # --- helpers

    def _hidden(self, place: int) -> bool:
        return place != self._place

    def _exclude(self, cards: int) -> None:
        """Nobody holds these cards."""
        for place in self.slots:
            self._narrow(place, ~cards)

    def _narrow(self, place: int, cards: int) -> None:
        """Each card of a player is among these; a card that could be none of them stays as it was."""
        self.slots[place] = [slot & cards or slot for slot in self.slots.get(place, [])]

    def _agree(self, view: View) -> None:
        """Make the numbers of hidden cards those of the view."""
        hidden = ALL & ~(self.own | self.pile | self.top)
        for player in view.players:
            if player.seat is not None and self._hidden(player.place):
                slots = self.slots.get(player.place, [])
                self.slots[player.place] = (slots + [hidden] * player.cards)[: player.cards]
                born = self._born.get(player.place, [])
                self._born[player.place] = (born + [self._time] * player.cards)[: player.cards]

    def _hidden_cards(self) -> list[tuple[int, int, int]]:
        return [
            (place, slot, born)
            for place, slots in sorted(self.slots.items())
            for slot, born in zip(slots, self._born[place], strict=True)
        ]


def _owned_before(steps: Sequence[CourseStep], place: int, hand: int) -> int:
    """Return the cards that a player, whose hand is known now, held before the first of these steps."""
    for step in reversed(steps):
        if step.place == place and step.kind == "play" and step.card is not None:
            hand |= BIT[step.card]
        elif step.place == place and step.kind == "take":
            hand &= ~mask(step.cards)
    return hand
