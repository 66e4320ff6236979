"""What is known of a match of Offiziersskat."""

from dataclasses import dataclass, field

from msgspec.structs import replace

from tests.rows.knowledge import Knowledge
from yawc_poker.games.offiziersskat import model
from yawc_poker.games.offiziersskat.model import Event, PlaceView, Result, Round, View
from yawc_poker.tricks import Trick


@dataclass
class Player:
    places: list[PlaceView] = field(default_factory=list)
    eyes: int = 0
    tricks: int = 0
    total: int = 0
    gone: bool = False


class Offiziersskat(Knowledge[View, Event]):
    def begin(self) -> None:
        self.phase = ""
        self.players = [Player(), Player()]
        self.round: Round | None = None
        self.last: Trick | None = None
        self.results: list[Result] = []
        self.scored: dict[int, model.Scored] = {}
        self.forfeiter: int | None = None

    def look(self, view: View) -> None:
        self.phase, self.round, self.last, self.forfeiter = view.phase, view.round, view.last, view.forfeiter
        self.results = list(view.results)
        self.players = [Player(list(one.places), one.eyes, one.tricks, one.total, one.gone) for one in view.players]

    def learn(self, event: Event, names: dict[int, str]) -> None:
        if isinstance(event, model.RoundBegins):
            self.phase = "play"
            self.round = Round(event.round, event.seat, event.trump, event.seat, former=self.last)
            for player in self.players:
                player.eyes = player.tricks = 0
            return
        now = self.round
        assert now is not None
        match event:
            case model.HandDealt(seat, cards):
                self.players[seat].places = [PlaceView(card, covered=False) for card in cards]
            case model.Covered():
                for player in self.players:
                    player.places = [replace(place, covered=True) for place in player.places]
            case model.Played(seat, card):
                self.round = replace(now, trick=(*now.trick, card))
                places = self.players[seat].places
                places[:] = [replace(place, open=None) if place.open == card else place for place in places]
            case model.TrickTaken(seat, _, eyes, turned):
                self.last = Trick(now.leader, now.trick, seat)
                self.round = replace(now, leader=seat, trick=(), tricks=(*now.tricks, self.last))
                self.players[seat].eyes += eyes
                self.players[seat].tricks += 1
                for player, up in zip(self.players, turned, strict=True):
                    player.places = [
                        PlaceView(up, covered=False) if place.open is None and place.covered else place
                        for place in player.places
                    ]
            case model.RoundOver():
                pass
            case model.Scored(seat, total=total):
                self.scored[seat] = event
                self.players[seat].total = total
                if len(self.scored) == model.SEATS:
                    first, second = self.scored[0], self.scored[1]
                    eyes_of, points = (first.eyes, second.eyes), (first.points, second.points)
                    self.results.append(Result(now.number, now.opener, now.trump, eyes_of, points))
                    self.scored = {}
            case model.Forfeited(seat):
                self.forfeiter = seat
                self.players[seat].gone = True
            case model.Won() | model.Drawn():
                self.phase = "over"

    def gone(self, seat: int) -> None:
        if self.phase == "over":
            self.players[seat].gone = True

    @property
    def shown(self) -> object:
        return self.phase, self.players, self.round, self.last, self.results, self.forfeiter
