"""The rules: some hidden cards each, turned over one after the other; the best sum wins. A boast, once, at any time."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import usual
from yawc_poker.engine.game import Chance, Dealing, IllegalMove, Step

KIND, SEATS, FEWEST = "highest", 4, 3
RANKS = "9JQKA"
DECK = tuple(f"{rank}{suit}" for rank in RANKS for suit in "-#*+") * 2


class Options(msgspec.Struct, frozen=True):
    cards: int = 2


class TurnOver(msgspec.Struct, frozen=True, tag=True):
    """The next of one's own cards; whoever is on turn stays it until all of theirs are open."""


class Boast(msgspec.Struct, frozen=True, tag=True):
    """Out of turn, once."""


Move = TurnOver | Boast


class TurnedOver(msgspec.Struct, frozen=True, tag=True):
    seat: int
    card: str


class Boasted(msgspec.Struct, frozen=True, tag=True):
    seat: int


class Placed(msgspec.Struct, frozen=True, tag=True):
    seat: int
    place: int


Event = TurnedOver | Boasted | Placed
_MOVES: msgspec.json.Decoder[Move] = msgspec.json.Decoder(Move)
read_move, read_options = _MOVES.decode, msgspec.json.Decoder(Options).decode
players, fund, give_back, abandon = usual.everybody, usual.whatever_they_own, usual.nothing_staked, usual.one_by_one
seated = usual.whoever_they_are
debts = points = usual.nothing
concealed = usual.open_to_all


class Player(msgspec.Struct, frozen=True, array_like=True):
    seat: int
    hand: tuple[str, ...]
    open: int = 0
    boasted: bool = False
    gone: bool = False

    @property
    def worth(self) -> int:
        return -1 if self.gone else sum(RANKS.index(card[0]) for card in self.hand[: self.open])


class State(msgspec.Struct, frozen=True):
    players: tuple[Player, ...]
    master: int
    current: int | None = 0
    """The place of the player on turn."""
    turn: int = 0


def deal(seats: Mapping[int, int], master: int, dealing: Dealing, options: Options) -> Step[State, Event]:
    cards = dealing.order.split()
    hands = (cards[at * options.cards :][: options.cards] for at in range(len(seats)))
    dealt = tuple(Player(seat, tuple(hand)) for seat, hand in zip(sorted(seats), hands, strict=True))
    return Step(State(dealt, master))


def to_move(state: State) -> int | None:
    return None if state.current is None else state.players[state.current].seat


def is_over(state: State) -> bool:
    return state.current is None


def legal_moves(state: State, seat: int) -> tuple[Move, ...]:
    own = None if is_over(state) else player(state, seat)
    turns: tuple[Move, ...] = (TurnOver(),) if own is not None and to_move(state) == seat else ()
    return turns if own is None or own.boasted else (*turns, Boast())


def play(state: State, seat: int, move: Move, rng: Chance) -> Step[State, Event]:
    if move not in legal_moves(state, seat):
        raise IllegalMove("game_over" if is_over(state) else "not_your_turn" if player(state, seat) else "not_now")
    own = player(state, seat)
    assert own is not None
    if isinstance(move, Boast):
        return Step(_with(state, replace(own, boasted=True)), (Boasted(seat),))
    return _settled(_with(state, replace(own, open=own.open + 1)), (TurnedOver(seat, own.hand[own.open]),))


def timeout(state: State, rng: Chance) -> Step[State, Event]:
    if state.current is None:
        raise IllegalMove("game_over")
    own = state.players[state.current]
    events = tuple(TurnedOver(own.seat, card) for card in own.hand[own.open :])
    return _settled(_with(state, replace(own, open=len(own.hand))), events)


def join(state: State, seat: int, cash: int) -> Step[State, Event]:
    return Step(state)


def leave(state: State, seat: int, *, unplayed: bool = False) -> Step[State, Event]:
    own = player(state, seat)
    if own is None or is_over(state):
        return Step(state)
    state = _with(state, replace(own, gone=True))
    left = [one.seat for one in state.players if not one.gone]
    return _settled(state if state.master in left or not left else replace(state, master=left[0]), ())


def competes(state: State, seat: int) -> bool:
    return not is_over(state) and player(state, seat) is not None


class View(msgspec.Struct, frozen=True):
    seat: int | None
    hand: tuple[str, ...]
    open: dict[int, tuple[str, ...]]
    hidden: dict[int, int]
    boasted: tuple[int, ...]
    over: bool


def view(state: State, seat: int | None) -> View:
    here = [one for one in state.players if not one.gone]
    own = None if seat is None else player(state, seat)
    return View(
        seat,
        () if own is None else own.hand,
        {one.seat: one.hand[: one.open] for one in here},
        {one.seat: len(one.hand) - one.open for one in here},
        tuple(one.seat for one in here if one.boasted),
        is_over(state),
    )


def hands(state: State, unlike: State | None = None) -> Mapping[int, str]:
    return {} if unlike is not None else {one.seat: " ".join(one.hand) for one in state.players}


def payouts(state: State) -> Mapping[int, int]:
    return {one.seat: 1 for one in state.players if is_over(state) and place(state, one) == 1 and not one.gone}


def won(state: State) -> tuple[int, ...]:
    return tuple(payouts(state))


def player(state: State, seat: int) -> Player | None:
    return next((one for one in state.players if one.seat == seat and not one.gone), None)


def place(state: State, own: Player) -> int:
    return 1 + sum(one.worth > own.worth for one in state.players)


def _with(state: State, changed: Player) -> State:
    return replace(state, players=tuple(changed if one.seat == changed.seat else one for one in state.players))


def _settled(state: State, events: tuple[Event, ...]) -> Step[State, Event]:
    """Lead the game on to the next player with a hidden card, or to its end."""
    waiting = [at for at, one in enumerate(state.players) if not one.gone and one.open < len(one.hand)]
    over = not waiting or sum(not one.gone for one in state.players) < 2
    current = None if over else waiting[0]
    state = replace(state, current=current, turn=state.turn + (current != state.current))
    placed = tuple(Placed(one.seat, place(state, one)) for one in state.players if over and not one.gone)
    return Step(state, (*events, *placed))
