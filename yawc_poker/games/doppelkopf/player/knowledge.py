"""What a seat knows of a round, by the numbers of the cards: read from its view, and from nothing else.

Owns the certain conclusions: who cannot have a suit, and where the queens of clubs are. `evidence` deals what is left.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from yawc_poker.cards import Card
from yawc_poker.games.doppelkopf.model import HAND, SEATS, Announcement, GameType, Kind, Level, Round, Team, View
from yawc_poker.games.doppelkopf.player.decks import ALL, Deck, deck_of
from yawc_poker.games.doppelkopf.teams import level_of

PLACES = range(SEATS)


class Taken(NamedTuple):
    """A trick that was taken."""

    leader: int
    cards: tuple[int, ...]
    """Numbers, in the order in which they were played."""
    taker: int
    eyes: int


class Known(NamedTuple):
    """A round as one place knows it. Tuples are by place; integers are sets of cards."""

    deck: Deck
    game: GameType
    me: int
    hand: int
    hidden: int
    """Cards that the others hold."""
    held: tuple[int, ...]
    """How many cards each holds."""
    laid: tuple[int, ...]
    """Cards that each has played."""
    barred: tuple[int, ...]
    """Cards that each cannot hold."""
    owed: tuple[bool, ...]
    """Whether each must hold a queen of clubs that is hidden."""
    tricks: tuple[Taken, ...]
    leader: int
    trick: tuple[int, ...]
    """The cards of the present trick, from the leader on."""
    calls: tuple[Announcement, ...]
    teams: tuple[Team | None, ...]
    """As far as this place knows them for certain."""
    shown: int
    """Places whose team everybody has been shown, as a set of bits."""
    healthy: tuple[bool, ...]
    """Who has said so."""

    @property
    def gone(self) -> int:
        """All cards that have been played."""
        return ALL & ~(self.hand | self.hidden)

    @property
    def bride(self) -> int:
        """The place with a wedding that is not clear yet; -1: none."""
        return self.game.player if self.game.is_open and self.game.player is not None else -1

    def levels(self, team: Team | None = None, level: Level | None = None) -> dict[Team, int]:
        """Return how many levels each team has called; with `team` and `level`, after that call."""
        calls = self.calls if team is None or level is None else (*self.calls, Announcement(self.me, team, level, 0))
        return {"re": level_of(calls, "re"), "contra": level_of(calls, "contra")}


def read(view: View) -> Known:
    """Return what the view's place knows of a round whose game is fixed. Raise `ValueError` where there is none."""
    if view.round.game is None:
        raise ValueError("no game is fixed yet")
    return _known(view, view.round.game, view.round.leader)


def supposed(view: View, kind: Kind) -> Known:
    """Return what the view's place would know at the first lead if this kind of game were played, by itself."""
    place, now = view.place or 0, view.round
    if kind == "normal":
        return _known(view, GameType("normal"), now.leader)
    is_compulsory = kind != "wedding" and view.players[place].owes_solo
    return _known(view, GameType(kind, place, is_compulsory), place if is_compulsory else now.leader)


def _known(view: View, game: GameType, leader: int) -> Known:
    if view.place is None or view.hand is None:
        raise ValueError("a bystander plays nothing")
    deck, now, numbering = deck_of(game.kind), view.round, _Numbering(deck_of(game.kind))
    tricks = tuple(
        Taken(trick.leader, cards, trick.taker, sum(deck.eyes[number] for number in cards))
        for trick in now.tricks
        for cards in (numbering.of(trick.cards),)
    )
    trick = numbering.of(now.trick)
    hand = _set(numbering.of(view.hand))
    laid = _laid(tricks, leader, trick)
    hidden = ALL & ~hand & ~(laid[0] | laid[1] | laid[2] | laid[3])
    barred = _voids(deck, tricks, leader, trick)
    teams = tuple(player.team for player in view.players)
    called = _set(call.place for call in now.calls)
    queens = _set(place for place in PLACES if laid[place] & deck.queens)
    owed, no_queen = _queens(deck, game, now, laid, view.place, hidden)
    return Known(
        deck=deck,
        game=game,
        me=view.place,
        hand=hand,
        hidden=hidden,
        held=tuple(HAND - laid[place].bit_count() for place in PLACES),
        laid=laid,
        barred=tuple(barred[place] | (deck.queens if no_queen[place] else 0) for place in PLACES),
        owed=owed,
        tricks=tricks,
        leader=leader,
        trick=trick,
        calls=now.calls,
        teams=teams if view.round.game is not None else _own_team(game, view.place, hand & deck.queens),
        shown=called | queens if game.player is None else (1 << SEATS) - 1,
        healthy=tuple(player.reservation is False for player in view.players),
    )


def _own_team(game: GameType, place: int, queens: int) -> tuple[Team | None, ...]:
    own: Team = "re" if game.player == place or queens else "contra"
    others: Team | None = "contra" if game.is_solo else None
    return tuple(own if other == place else others for other in PLACES)


class _Numbering:
    """Gives each card that appears a number of its own: of two equal cards, the first gets the lower one."""

    def __init__(self, deck: Deck) -> None:
        self._number: Mapping[Card, int] = deck.number
        self._seen = 0

    def of(self, cards: Iterable[Card]) -> tuple[int, ...]:
        """Return the numbers of cards that have not appeared before."""
        return tuple(self._next(card) for card in cards)

    def _next(self, card: Card) -> int:
        number = self._number[card]
        number += self._seen >> number & 1
        self._seen |= 1 << number
        return number


def _set(numbers: Iterable[int]) -> int:
    return sum({1 << number for number in numbers})


def _laid(tricks: Sequence[Taken], leader: int, trick: Sequence[int]) -> tuple[int, ...]:
    laid = [0] * SEATS
    for first, cards in (*((one.leader, one.cards) for one in tricks), (leader, trick)):
        for at, number in enumerate(cards):
            laid[(first + at) % SEATS] |= 1 << number
    return tuple(laid)


def _voids(deck: Deck, tricks: Sequence[Taken], leader: int, trick: Sequence[int]) -> tuple[int, ...]:
    """Return the colours that each place has not followed."""
    voids = [0] * SEATS
    for first, cards in (*((one.leader, one.cards) for one in tricks), (leader, trick)):
        for at, number in enumerate(cards):
            if deck.colour[number] != deck.colour[cards[0]]:
                voids[(first + at) % SEATS] |= deck.colour[cards[0]]
    return tuple(voids)


def _queens(
    deck: Deck, game: GameType, now: Round, laid: Sequence[int], me: int, hidden: int
) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """Return who must hold a hidden queen of clubs, and who cannot, by what was called and named.

    Nobody is expected to play a silent wedding: who has shown one queen does not hold the other.
    """
    if game.is_solo or not hidden & deck.queens:
        return (False,) * SEATS, (False,) * SEATS
    if game.player is not None:
        bride = game.player
        return tuple(place == bride for place in PLACES), tuple(place != bride for place in PLACES)
    called: dict[int, Team] = {call.place: call.team for call in now.calls}
    shown = [bool(laid[place] & deck.queens) for place in PLACES]
    owed = tuple(called.get(place) == "re" and not shown[place] and place != me for place in PLACES)
    return owed, tuple(shown[place] or called.get(place) == "contra" for place in PLACES)
