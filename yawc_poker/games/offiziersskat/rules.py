"""The rules of Offiziersskat: a state and how it changes, as pure functions (spec/offiziersskat.md).

Owns legal moves, whose turn it is, and what a seat may see. Never names, sessions or clocks; no CUBES are played for.
The deal fixes all chance: the order of the first deck, and a seed that determines each round's trump
(`trumps.drawn_trump`) and every later deal (`progress.later_deal`).
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import Card, cards, written
from yawc_poker.engine import usual
from yawc_poker.engine.game import Chance, Dealing, IllegalMove, Step
from yawc_poker.games.offiziersskat import model, progress
from yawc_poker.games.offiziersskat.model import Choice, Event, Move, Options, Round, State, View
from yawc_poker.games.offiziersskat.progress import Log, open_cards, playable_cards
from yawc_poker.games.offiziersskat.scoring import eyes_of, other, totals, winner
from yawc_poker.games.offiziersskat.trumps import order_of
from yawc_poker.tricks import arranged, cheapest, colour

KIND = "offiziersskat"
SEATS = model.SEATS
FEWEST = model.SEATS
DECK = tuple(map(str, model.CARDS))

_MOVES: msgspec.json.Decoder[Move] = msgspec.json.Decoder(Move)
read_move, read_options = _MOVES.decode, msgspec.json.Decoder(Options).decode
players = usual.everybody
fund = usual.whatever_they_own
seated = usual.whoever_they_are
give_back = usual.nothing_staked
debts = usual.nothing
abandon = usual.one_by_one


def concealed(event: Event) -> Event:
    """Return an event as everybody may know it: covered cards are hidden from all (O2)."""
    return replace(event, cards=None) if isinstance(event, model.Covered) else event


# --- a match begins --------------------------------------------------------------------------------------------------


def deal(seats: Mapping[int, int], master: int, dealing: Dealing, options: Options) -> Step[State, Event]:
    """Begin a match; the master, who is a person, opens the first round (4.1)."""
    state = State(
        options=options,
        seed=dealing.seed,
        players=(model.Player(), model.Player()),
        watchers=(),
        master=master,
        round=Round(0, 0, None, 0),
    )
    log: Log = []
    opener = master if options.master_opens else 0
    return Step(progress.begin_round(state, 1, opener, cards(dealing.order), log), tuple(log))


def hands(state: State, unlike: State | None = None) -> Mapping[int, str]:
    """Return the sixteen cards that each seat was dealt in this round, trumps first; the moves tell the rest."""
    if unlike is not None and unlike.round.number == state.round.number:
        return {}
    order = order_of(state.round.trump)
    return {seat: written(arranged(order, _sixteen(state, seat))) for seat in range(SEATS)}


def _sixteen(state: State, seat: int) -> tuple[Card, ...]:
    """Return all cards of a seat in this round: open, covered and played."""
    now, places = state.round, state.players[seat].places
    played = [trick.by_player(SEATS)[seat] for trick in now.tricks]
    covered = [place.covered for place in places if place.covered is not None]
    present = now.trick if seat == now.leader else ()
    return (*open_cards(state.players[seat]), *covered, *played, *present)


# --- queries ---------------------------------------------------------------------------------------------------------


def to_move(state: State) -> int | None:
    """Return the seat whose move it is, or None once the match is over."""
    return state.current


def is_over(state: State) -> bool:
    """Return whether the match is over."""
    return state.phase == "over"


def payouts(state: State) -> Mapping[int, int]:
    """Return a share for the winner; no CUBES are played for, so the pot is empty."""
    return dict.fromkeys(won(state), 1)


def won(state: State) -> tuple[int, ...]:
    """Return the winner's seat once the match is over; nobody has won a drawn match (O9)."""
    seat = winner(state) if is_over(state) else None
    return () if seat is None else (seat,)


def points(state: State) -> Mapping[int, int]:
    """Return the points of both players once the match is over."""
    return dict(enumerate(totals(state.results))) if is_over(state) else {}


def competes(state: State, seat: int) -> bool:
    """Return whether this seat plays in a match that is not over."""
    return not is_over(state) and _is_player(state, seat)


def legal_moves(state: State, seat: int) -> tuple[Choice, ...]:
    """Return the open cards that `seat` may play now, as one choice; nothing if it is not on turn (4.2 to 4.4)."""
    return (model.MayPlay(playable_cards(state, seat)),) if seat == state.current else ()


def _is_player(state: State, seat: int | None) -> bool:
    return seat is not None and 0 <= seat < SEATS and not state.players[seat].gone


# --- looking ---------------------------------------------------------------------------------------------------------


def view(state: State, seat: int | None) -> View:
    """Return what `seat` (None: a bystander) may see: the same for all, and no covered card (O2)."""
    now = state.round
    return View(
        seat=seat,
        is_player=_is_player(state, seat),
        phase=state.phase,
        options=state.options,
        master=state.master,
        current=state.current,
        players=(_player_view(state, 0), _player_view(state, 1)),
        round=now,
        last=now.tricks[-1] if now.tricks else now.former,
        results=state.results,
        choices=() if seat is None else legal_moves(state, seat),
        forfeiter=state.forfeiter,
    )


def _player_view(state: State, seat: int) -> model.PlayerView:
    player, now = state.players[seat], state.round
    return model.PlayerView(
        seat=seat,
        places=tuple(model.PlaceView(place.open, place.covered is not None) for place in player.places),
        eyes=eyes_of(now, seat),
        tricks=sum(trick.taker == seat for trick in now.tricks),
        total=totals(state.results)[seat],
        gone=player.gone,
    )


# --- moves -----------------------------------------------------------------------------------------------------------


def play(state: State, seat: int, move: Move, rng: Chance) -> Step[State, Event]:
    """Play a card.

    Raise `IllegalMove`: "game_over", "not_your_turn", "not_held" (no open card of theirs), "must_follow" (`suit`),
    "must_follow_trump".
    """
    if state.current is None:
        raise IllegalMove("game_over")
    if seat != state.current:
        raise IllegalMove("not_your_turn")
    _check_card(state, seat, move.card)
    log: Log = []
    return Step(progress.lay(state, seat, move.card, log), tuple(log))


def _check_card(state: State, seat: int, card: Card) -> None:
    if card not in open_cards(state.players[seat]):
        raise IllegalMove("not_held")
    if card in playable_cards(state, seat):
        return
    suit = colour(order_of(state.round.trump), state.round.trick[0])
    if suit is None:
        raise IllegalMove("must_follow_trump")
    raise IllegalMove("must_follow", suit=int(suit))


def timeout(state: State, rng: Chance) -> Step[State, Event]:
    """Play the cheapest legal card for a player whose time is over. Raise `IllegalMove` "game_over"."""
    seat = state.current
    if seat is None:
        raise IllegalMove("game_over")
    card = cheapest(order_of(state.round.trump), playable_cards(state, seat))
    log: Log = []
    return Step(progress.lay(state, seat, card, log, by_clock=True), tuple(log))


# --- arrivals, departures --------------------------------------------------------------------------------------------


def join(state: State, seat: int, cash: int) -> Step[State, Event]:
    """Add somebody who sat down as a watcher until the next match."""
    return Step(replace(state, watchers=tuple(sorted({*state.watchers, seat}))))


def leave(state: State, seat: int, *, unplayed: bool = False) -> Step[State, Event]:
    """Remove the person at `seat`; a player who leaves a running match has lost it."""
    if not _is_player(state, seat):
        return Step(replace(state, watchers=tuple(one for one in state.watchers if one != seat)))
    log: Log = []
    state = progress.without(state, seat) if is_over(state) else progress.forfeit(state, seat, log)
    return Step(_passed_on(state, seat), tuple(log))


def _passed_on(state: State, seat: int) -> State:
    """Return the state with the other player as the master, where the master has left and the other is there."""
    rest = other(seat)
    return replace(state, master=rest) if state.master == seat and not state.players[rest].gone else state
