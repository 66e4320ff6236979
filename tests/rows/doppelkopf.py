"""What is known of a match of Doppelkopf."""

from msgspec.structs import replace

from tests.rows.knowledge import Knowledge
from yawc_poker.cards import Card
from yawc_poker.games.doppelkopf import events, model
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import SEATS, GameType, Result, Round, View
from yawc_poker.games.doppelkopf.scoring import winners
from yawc_poker.games.doppelkopf.teams import seen_by
from yawc_poker.tricks import Trick


class Doppelkopf(Knowledge[View, Event]):
    def begin(self) -> None:
        self.phase = ""
        self.rounds = 0
        self.hand: list[Card] | None = None
        self.cards = [0] * SEATS
        self.left: set[int] = set()
        """Places whose players are gone."""
        self.total = [0] * SEATS
        self.round: Round | None = None
        self.last: Trick | None = None
        self.results: list[Result] = []
        self.won: set[int] = set()

    def look(self, view: View) -> None:
        self.phase, self.rounds, self.round, self.last = view.phase, view.options.games, view.round, view.last
        self.hand = None if view.hand is None else list(view.hand)
        self.cards = [one.cards for one in view.players]
        self.left = {one.place for one in view.players if one.gone}
        self.total = [one.total for one in view.players]
        self.results = list(view.results)
        self.won = set(winners(view.results)) if view.phase == "over" else set()
        assert self.teams == [one.team for one in view.players]

    def learn(self, event: Event, names: dict[int, str]) -> None:
        match event:
            case events.RoundBegins(_, place, number, rounds):
                self.rounds = rounds
                self.phase, self.round = "reservation", Round(number, place, leader=(place + 1) % SEATS)
                self.round = replace(self.round, former=self.last)
            case events.HandDealt(_, place, cards):
                self.cards[place] = model.HAND
                assert (cards is not None) == (place == self.seat)
                self.hand = self.hand if cards is None else list(cards)
            case events.RoundOver(result):
                self.phase = "question"
                self.results.append(result)
            case events.Scored(_, place, _, total):
                self.total[place] = total
            case events.Abandoned(_, place):
                self.left.add(place)
            case events.MatchOver():
                self.phase = "over"
                self.cards = [0] * SEATS
                self.hand = None if self.hand is None else []
            case events.Won(_, place):
                self.won.add(place)
            case events.Settled():
                pass
            case _:
                assert self.round is not None
                self.round = self._changed(self.round, event)

    def _changed(self, now: Round, event: Event) -> Round:
        match event:
            case events.SoloForced(_, place):
                self.phase = "naming"
                return replace(now, forced=place)
            case events.Spoke(_, _, reservation):
                said = (*now.said, reservation)
                self.phase = "naming" if len(said) == SEATS and any(said) else self.phase
                return replace(now, said=said)
            case events.Named(_, place, kind):
                return replace(now, named=(*now.named, model.Offer(place, kind)))
            case events.GameFixed(_, player, kind, compulsory, leader):
                self.phase = "play"
                return replace(now, game=GameType(kind, player, compulsory), leader=leader)
            case events.Played(_, place, card):
                self.cards[place] -= 1
                if place == self.seat and self.hand is not None:
                    self.hand.remove(card)
                return replace(now, trick=(*now.trick, card))
            case events.TrickTaken(_, place):
                self.last = Trick(now.leader, now.trick, place)
                return replace(now, leader=place, trick=(), tricks=(*now.tricks, self.last))
            case events.Clarified(_, place, alone):
                assert now.game is not None
                game = replace(now.game, clarified=len(now.tricks), partner=None if alone else place)
                return replace(now, game=game)
            case events.Called(_, place, team, level):
                return replace(now, calls=(*now.calls, model.Announcement(place, team, level, self.cards[place])))
            case events.Answered(_, place, yes):
                return replace(now, agreed=tuple(sorted((*now.agreed, place)))) if yes else now
            case _:
                raise AssertionError(event)

    def gone(self, seat: int) -> None:
        if self.phase == "over":
            self.left.add(seat)

    @property
    def teams(self) -> list[model.Team | None]:
        if self.round is None:
            return []
        mine = None if self.hand is None else self.seat
        hands = [model.Player(tuple(self.hand or ())) if place == mine else model.Player() for place in range(SEATS)]
        return list(seen_by(self.round, hands, mine))

    @property
    def shown(self) -> object:
        hand = None if self.hand is None else sorted(self.hand)
        known = (self.phase, self.rounds, hand, self.cards, self.left, self.total, self.round, self.last)
        return (*known, self.results, self.won, self.teams)
