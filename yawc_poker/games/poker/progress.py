"""The progress of a poker game: from any change to the next decision a player has to make (spec/poker.md 5, 8).

Owns the order of turns, rounds and endings; never a move. A change (a move, the clock, a departure) only records who is
active and who has acted; `advance` does the rest. So 8.1 to 8.3 are checked after every change, in every phase. The
turn always belongs to the first active player, counted from the master, who has not acted in this round: players who
have acted always come first in this order, even when the master changes.

Chips never go to the system: whoever is left alone gets them at once, also before inactive people (not 8.1, 8.3).
"""

from msgspec.structs import replace

from yawc_poker.games.poker.hands import category, ranks, strength
from yawc_poker.games.poker.model import (
    LAST_ROUND,
    Event,
    NextRound,
    Phase,
    Player,
    PotLost,
    ShowdownBegins,
    State,
    TakenOut,
    Won,
)

SWAP_ROUND = 2

Log = list[Event]
"""The events of the step being made."""


def active(state: State) -> tuple[int, ...]:
    """Return the active players' seats, ascending."""
    return tuple([seat for seat, player in enumerate(state.players) if player is not None])


def with_player(state: State, seat: int, player: Player | None) -> State:
    """Return the state with this player in a seat; None: nobody active."""
    return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def out(state: State, seat: int) -> State:
    """Return the state with an active player turned into a watcher."""
    return replace(with_player(state, seat, None), watchers=tuple(sorted({*state.watchers, seat})))


def _from_master(state: State) -> tuple[int, ...]:
    """Return the active seats in the order of play: the master, then ascending, cyclic (1.8, A31)."""
    seats = active(state)
    return (*[seat for seat in seats if seat >= state.master], *[seat for seat in seats if seat < state.master])


def advance(state: State, log: Log) -> State:
    """Advance the game until a player has to decide or it is over."""
    while True:
        order = _from_master(state)
        if not order:
            log.append(PotLost(state.pot))
            return _over(state, None)
        if state.master != order[0]:
            state = replace(state, master=order[0])
        if len(order) == 1 and (state.options.chips or not state.watchers):
            log.append(Won(order[0], state.pot, chips=bool(state.options.chips)))
            return _over(state, order[0])
        waiting = next((seat for seat in order if not _acted(state, seat)), None)
        if waiting is None:
            if state.phase == "showdown":
                return _won(state, order, log)
            state = _next_round(state, log)
        elif waiting == state.current:
            return state
        else:
            state = _begin_turn(state, waiting)
            if state.phase != "bet" or state.low <= state.high:
                return state
            log.append(TakenOut(waiting, "max_below_min", chips=bool(state.options.chips)))
            state = out(state, waiting)


def _acted(state: State, seat: int) -> bool:
    player = state.players[seat]
    return player is not None and player.acted


def _begin_turn(state: State, seat: int) -> State:
    """Begin the turn of `seat`; a bet's limits are fixed here (6.1)."""
    state = replace(state, current=seat, turn=state.turn + 1)
    if state.phase != "bet":
        return replace(state, low=0, high=0)
    return replace(state, low=state.previous_bet or 1, high=min(state.options.max_bet, state.cash[seat]))


def _next_round(state: State, log: Log) -> State:
    """Begin the next round, or the showdown (5.3 to 5.5)."""
    players = tuple(player and replace(player, acted=False) for player in state.players)
    state = replace(state, players=players, current=None)
    if state.see or len(active(state)) == 1 or state.round >= LAST_ROUND:
        log.append(ShowdownBegins())
        return replace(state, phase="showdown", showdown=True)
    number = state.round + 1
    log.append(NextRound(number))
    phase: Phase = "swap" if number == SWAP_ROUND else "bet"
    return replace(state, phase=phase, round=number)


def _won(state: State, order: tuple[int, ...], log: Log) -> State:
    """End a showdown: the best hand shown wins (8.4)."""
    hands = {seat: player.hand for seat, player in enumerate(state.players) if player is not None}
    winner = max(order, key=lambda seat: strength(hands[seat]))
    shown = hands[winner]
    log.append(Won(winner, state.pot, category(shown), ranks(shown), chips=bool(state.options.chips)))
    return _over(state, winner)


def _over(state: State, winner: int | None) -> State:
    return replace(state, phase="over", current=None, winner=winner, low=0, high=0)
