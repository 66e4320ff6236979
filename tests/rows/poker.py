"""What is known of a game of poker."""

from tests.rows.knowledge import Knowledge
from yawc_poker.cards import Card
from yawc_poker.games.poker import model
from yawc_poker.games.poker.hands import sort_hand
from yawc_poker.games.poker.model import Event, View


class Poker(Knowledge[View, Event]):
    def begin(self) -> None:
        self.phase = ""
        self.round = 0
        self.pot = 0
        self.hand: tuple[Card, ...] | None = None
        self.active: set[int] = set()
        """The others who compete."""
        self.open: dict[int, tuple[Card, ...]] = {}
        """Hands that were shown."""
        self.winner: int | None = None
        self.bets: list[tuple[int, int, int, bool]] = []

    def look(self, view: View) -> None:
        self.phase, self.round, self.pot, self.hand = view.phase, view.round, view.pot, view.hand
        self.active = {one.seat for one in view.opponents if one.active}
        self.open = {one.seat: one.cards for one in view.opponents if one.cards is not None}
        if view.shown and view.hand is not None:
            self.open[self.seat] = view.hand
        self.winner = view.winner
        self.bets = [(one.round, one.seat, one.amount, one.see) for one in view.bets]

    def learn(self, event: Event, names: dict[int, str]) -> None:
        self.round = max(self.round, 1)
        match event:
            case model.HandDealt(seat, ante, cards):
                self.phase, self.round = "bet", 1
                self.pot += ante
                if seat == self.seat:
                    assert cards is not None
                    self.hand = cards
                else:
                    assert cards is None
                    self.active.add(seat)
            case model.NextRound(number):
                self.round, self.phase = number, "swap" if number == 2 else "bet"
            case model.ShowdownBegins():
                self.phase = "showdown"
            case model.BetMade(seat, amount, see):
                self.pot += amount
                self.bets.append((self.round, seat, amount, see))
            case model.Passed(seat) | model.TakenOut(seat):
                self.gone(seat)
            case model.Swapped(seat, gone, come):
                assert (gone is None) == (come is None) == (seat != self.seat)
                if self.hand is not None and gone is not None and come is not None:
                    self.hand = sort_hand((*(card for card in self.hand if card not in gone), *come))
            case model.SwapMissed():
                pass
            case model.Shown(seat, cards=cards):
                self.open[seat] = cards
            case model.Won(seat):
                self.phase, self.winner, self.active = "over", seat, set()
            case model.PotLost():
                self.phase, self.active = "over", set()

    def gone(self, seat: int) -> None:
        self.active.discard(seat)
        self.open.pop(seat, None)
        if seat == self.seat:
            self.hand = None

    def stake_back(self, amount: int) -> None:
        self.pot -= amount

    @property
    def shown(self) -> object:
        return self.phase, self.round, self.pot, self.hand, self.active, self.open, self.winner, self.bets
