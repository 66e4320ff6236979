"""What is known of a game of Mau-Mau."""

from dataclasses import dataclass

from tests.rows.knowledge import Knowledge
from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.model import Event, View
from yawc_poker.games.maumau.standing import losers, winners

DECK = 32


@dataclass
class Player:
    seat: int | None
    """None: they are gone."""
    cards: int = 0
    points: tuple[int, ...] = ()
    forfeited: bool = False


class MauMau(Knowledge[View, Event]):
    def begin(self) -> None:
        self.phase = ""
        self.round = self.rounds = 0
        self.hand: list[Card] | None = None
        self.taken: tuple[Card, ...] = ()
        self.players: dict[int, Player] = {}
        """By the seat in which they began."""
        self.top: Card | None = None
        self.pile = 0
        self.penalty = 0
        self.suit: Suit | None = None
        self.is_open_wish = False
        self.wisher: int | None = None
        """Who has laid a jack and names a suit now."""
        self.lost: set[int] = set()
        self.won: set[int] = set()

    def look(self, view: View) -> None:
        self.phase, self.round, self.rounds = view.phase, view.round, view.rounds
        self.hand = None if view.hand is None else list(view.hand)
        self.taken = view.taken
        self.players = {
            seat: Player(one.seat, one.cards, one.points, one.forfeited)
            for seat, one in zip(view.seats, view.players, strict=True)
        }
        self.top, self.penalty, self.suit = view.top, view.penalty, view.suit
        self.pile = DECK - view.stock - sum(one.cards for one in view.players)
        self.is_open_wish = view.suit is not None  # if not, a jack would ask for a wish, which is told
        self.wisher = view.current if view.must_wish else None
        is_over = view.phase == "over"
        lost = losers(view.players) if is_over else [one for one in view.players if one.forfeited]
        self.lost = {view.seats[one.place] for one in lost}
        self.won = {view.seats[one.place] for one in winners(view.players)} if is_over else set()

    def learn(self, event: Event, names: dict[int, str]) -> None:
        match event:
            case model.RoundBegins(_, number, rounds, top):
                self.round, self.rounds, self.top = number, rounds, top
                self.phase, self.pile, self.penalty, self.suit = "play", 1, 0, None
                self.is_open_wish, self.wisher, self.taken = False, None, ()
            case model.HandDealt(seat, count, cards):
                self.players.setdefault(seat, Player(seat)).cards = count
                assert (cards is not None) == (seat == self.seat)
                self.hand = self.hand if cards is None else list(cards)
            case model.Played(seat, card, left=left):
                self.players[seat].cards -= 1
                assert self.players[seat].cards == left
                self.top = card
                self.pile += 1
                self._own(seat, card)
                if left:
                    self._effect(seat, card)
            case model.Took(seat, count, penalty, cards=cards):
                self.players[seat].cards += count
                self.penalty = 0 if penalty else self.penalty
                assert (cards is not None) == (seat == self.seat)
                if cards is not None and self.hand is not None:
                    self.taken = cards
                    self.hand += cards
            case model.Wished(seat, suit):
                self.suit, self.is_open_wish, self.wisher = suit, True, None
                self._own(seat)
            case model.Finished(seat, jacks, cards):
                self.players[seat].cards = 0
                self.pile += jacks
                self.top = cards[-1]
                self._own(seat, *cards)
            case model.Skipped() | model.RoundOver():
                pass
            case model.Reshuffled(top):
                assert top == self.top
                self.pile = 1
            case model.Scored(seat, points, total):
                self.players[seat].points += (points,)
                assert sum(self.players[seat].points) == total
                for gone in self.players.values():
                    gone.points += (0,) if gone.forfeited and len(gone.points) < self.round else ()
            case model.Forfeited(seat, points):
                self.players[seat].forfeited = True
                self.players[seat].points += (points,)
                self.lost.add(seat)
                self.wisher = None if self.wisher == seat else self.wisher
            case model.Lost(seat):
                self.lost.add(seat)
                self._end()
            case model.Won(seat) | model.GaveUp(seat):
                self.won.add(seat)
                self._end()

    def _end(self) -> None:
        self.phase, self.penalty, self.suit, self.wisher = "over", 0, None, None

    def _own(self, seat: int, *cards: Card) -> None:
        if seat == self.seat and self.hand is not None:
            self.taken = ()
            self.hand = [card for card in self.hand if card not in cards]

    def _effect(self, seat: int, card: Card) -> None:
        if card.rank == Rank.JACK:
            self.suit = self.suit if self.is_open_wish else None
            self.wisher = None if self.is_open_wish else seat
            self.is_open_wish = False
            return
        self.suit, self.is_open_wish = None, False
        self.penalty += 2 if card.rank == Rank.SEVEN else 0

    def gone(self, seat: int) -> None:
        if (player := self.players.get(seat)) is not None and player.seat is not None:
            self.pile += player.cards if self.phase == "over" else 0  # they vanish; else they go under the stock
            player.seat, player.cards = None, 0

    @property
    def shown(self) -> object:
        stock = DECK - self.pile - sum(one.cards for one in self.players.values())
        known = (self.phase, self.round, self.rounds, self.hand, self.taken, self.players, self.top, stock)
        return (*known, self.penalty, self.suit, self.wisher, self.lost, self.won)
