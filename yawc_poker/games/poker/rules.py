"""The rules of poker: a state and how it changes, as pure functions (spec/poker.md 3 to 8, 17).

Owns turns, legal moves, the end of a game and its winner. Never names, sessions, clocks or the bank: payments are
returned in `Step.payments`, and the end of a player's time is a call of `timeout`.

Every change only records who is active and who has acted; `progress.advance` then advances the game.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import Rank, cards, deck, written
from yawc_poker.engine import usual
from yawc_poker.engine.game import Chance, Dealing, IllegalMove, Payment, Step
from yawc_poker.engine.house import is_house
from yawc_poker.games.poker import model
from yawc_poker.games.poker.hands import category, ranks, sort_hand
from yawc_poker.games.poker.model import Choice, Event, Move, Options, State, View
from yawc_poker.games.poker.progress import SWAP_ROUND, Log, active, advance, out, with_player

KIND = "poker"
SEATS = model.SEATS
FEWEST = 2
DECK = tuple(map(str, deck(Rank)))

_MOVES: msgspec.json.Decoder[Move] = msgspec.json.Decoder(Move)
read_move, read_options = _MOVES.decode, msgspec.json.Decoder(Options).decode
debts = usual.nothing  # all stakes are paid while the game runs
points = usual.nothing  # poker counts CUBES, or chips


# --- deal and cash ---------------------------------------------------------------------------------------------------


def seated(options: Options, users: Mapping[int, int]) -> Options:
    """Return the options with the stack of each seat, by the users who are there.

    House players play with the stacks of those who are not. A stack for which nobody plays pays its ante, too, so it is
    put into an empty seat.
    """
    if not options.chips:
        return options
    known = {stack.user: stack for stack in options.chips}
    placed = {seat: known.pop(user) for seat, user in users.items() if user in known}
    house = [seat for seat, user in sorted(users.items()) if is_house(user)]
    empty = [seat for seat in range(SEATS) if seat not in users]
    placed |= dict(zip((*house, *empty), known.values(), strict=False))
    return replace(options, stacks=tuple(placed.get(seat, model.Stack(0, 0)) for seat in range(SEATS)))


def _owned(seats: Mapping[int, int], options: Options) -> Mapping[int, int]:
    """Return what each seat plays with, also without anybody in it; `seats` are those who play, with their CUBES."""
    return {seat: stack.chips for seat, stack in enumerate(options.chips)} or seats


def _ante(seats: Mapping[int, int], options: Options) -> int:
    """Return the ante: of chips at most so many that two of those who play have some left, if two have more than one.

    So one of them goes out sooner or later, however small the stacks have become.
    """
    owned = sorted([stack.chips for seat, stack in enumerate(options.chips) if seat in seats and stack.chips])
    return min(options.ante, max(1, owned[-2] - 1)) if len(owned) > 1 else options.ante


def players(seats: Mapping[int, int], options: Options) -> tuple[int, ...]:
    """Return the seats that can pay the ante; of chips, with some left to bet, or without if nobody has more."""
    owned, ante = _owned(seats, options), _ante(seats, options)
    if not options.chips:
        return tuple([seat for seat in sorted(seats) if owned[seat] >= ante])
    able = [seat for seat in sorted(seats) if owned.get(seat)]
    return tuple([seat for seat in able if owned[seat] > ante] or able)


def after(state: State) -> Mapping[int, int]:
    """Return the chips of each user once the game is over."""
    won = payouts(state)
    return {
        stack.user: owned + won.get(seat, 0) if won else stack.chips
        for seat, (stack, owned) in enumerate(zip(state.options.chips, state.cash, strict=False))
        if stack.user
    }


def deal(seats: Mapping[int, int], master: int, dealing: Dealing, options: Options) -> Step[State, Event]:
    """Take the ante from everybody who can pay it, deal them five cards each, and begin round 1 (4.3 to 4.6).

    `seats` maps every occupied seat to its cash. Players who cannot pay become watchers without a message; a master who
    cannot pay passes the privilege to the next who can (3.7). The 40 cards always suffice for all changes.

    Of chips every stack pays the ante, as far as it goes, and nothing is paid in CUBES.
    """
    owned, ante = _owned(seats, options), _ante(seats, options)
    stock = list(reversed(cards(dealing.order)))
    paying = players(seats, options)
    hands = {seat: model.Player(sort_hand(tuple(stock.pop() for _ in range(model.HAND)))) for seat in paying}
    paid = {seat: min(ante, owned.get(seat, 0)) for seat in (owned if options.chips else paying)}
    state = State(
        options=options,
        stock=tuple(stock),
        players=tuple(hands.get(seat) for seat in range(SEATS)),
        watchers=tuple(seat for seat in sorted(seats) if seat not in paying),
        cash=tuple(owned.get(seat, 0) - paid.get(seat, 0) for seat in range(SEATS)),
        master=master,
        current=None,
        phase="bet",
        round=1,
        pot=sum(paid.values()),
    )
    log: Log = [model.HandDealt(seat, paid[seat], hands[seat].hand) for seat in paying]
    payments = () if options.chips else tuple(Payment(seat, ante) for seat in paying)
    return Step(advance(state, log), tuple(log), payments)


def fund(state: State, cash: Mapping[int, int]) -> State:
    """Set each seat's CUBES; the limits of the current turn stay (6.1: they are fixed when it begins)."""
    if state.options.chips:
        return state
    owned = tuple([cash.get(seat, 0) for seat in range(SEATS)])
    return state if owned == state.cash else replace(state, cash=owned)


def concealed(event: Event) -> Event:
    """Return an event without the cards that a player was dealt, gave away and got."""
    match event:
        case model.HandDealt():
            return replace(event, cards=None)
        case model.Swapped(seat=seat):
            return model.Swapped(seat)
        case _:
            return event


def hands(state: State, unlike: State | None = None) -> Mapping[int, str]:
    """Return all active players' hands, as ``5+ 7# 9* K- A+``, except those that are the same in `unlike`."""
    before = (None,) * SEATS if unlike is None else unlike.players
    return {
        seat: written(player.hand)
        for seat, (player, old) in enumerate(zip(state.players, before, strict=True))
        if player is not None and (old is None or old.hand != player.hand)
    }


# --- queries ---------------------------------------------------------------------------------------------------------


def to_move(state: State) -> int | None:
    """Return the seat whose turn it is, or None once the game is over."""
    return state.current


def is_over(state: State) -> bool:
    """Return whether the game is decided."""
    return state.phase == "over"


def payouts(state: State) -> Mapping[int, int]:
    """Return the whole pot for the winner (8.6); empty while the game runs or if the system gets the pot (8.1)."""
    return {} if state.winner is None else {state.winner: state.pot}


def won(state: State) -> tuple[int, ...]:
    """Return the winner's seat once the game is over; empty: the house has won."""
    return tuple(payouts(state))


def legal_moves(state: State, seat: int) -> tuple[Choice, ...]:
    """Return the legal moves of `seat` (12); a bet only if its cash covers the minimum."""
    if seat != state.current:
        return ()
    match state.phase:
        case "bet":
            low, high = _limits(state)
            bet = (model.MayBet(low, high, see=_may_see(state)),) if low <= high else ()
            return (*bet, model.MayFold())
        case "swap":
            return (model.MaySwap(model.MOST_SWAPPED),)
        case "showdown":
            return (model.MayShow(),)
        case "over":
            return ()


def view(state: State, seat: int | None) -> View:
    """Return what `seat` (None: a bystander) may see; of other players' cards, only open ones (11, A18)."""
    own = None if seat is None else state.players[seat]
    betting = seat is not None and seat == state.current and state.phase == "bet"
    low, high = _limits(state) if betting else (0, 0)
    return View(
        seat=seat,
        phase=state.phase,
        round=state.round,
        master=state.master,
        current=state.current,
        pot=state.pot,
        hand=None if own is None else own.hand,
        shown=own is not None and own.shown,
        opponents=tuple([_opponent(state, other) for other in _known(state) if other != seat]),
        low=low,
        high=high,
        winner=state.winner,
        showdown=state.showdown,
        cash=0 if seat is None else state.cash[seat] + (state.pot if _has_chips_won(state, seat) else 0),
        bets=state.bets,
        max_bet=state.options.max_bet,
        chips=bool(state.options.chips),
    )


# --- moves -----------------------------------------------------------------------------------------------------------


def play(state: State, seat: int, move: Move, rng: Chance) -> Step[State, Event]:
    """Make a move.

    Raise `IllegalMove`: "game_over", "not_your_turn", "not_now" (not in this phase or round), "bet_out_of_range"
    (`low`, `high`), "too_many_cards" (`most`), "no_such_card".
    """
    if state.current is None:
        raise IllegalMove("game_over")
    if seat != state.current:
        raise IllegalMove("not_your_turn")
    log: Log = []
    match move, state.phase:
        case model.Bet(), "bet":
            state = _bet(state, seat, move, log)
            payments = () if state.options.chips else (Payment(seat, move.amount),)
            return Step(advance(state, log), tuple(log), payments)
        case model.Fold(), "bet":
            log.append(model.Passed(seat))
            state = out(state, seat)
        case model.Swap(), "swap":
            state = _swap(state, seat, move.places, log)
        case model.Show(), "showdown":
            state = _show(state, seat, log)
        case _:
            raise IllegalMove("not_now")
    return Step(advance(state, log), tuple(log))


def timeout(state: State, rng: Chance) -> Step[State, Event]:
    """End the turn of a player whose minute is over (10). Raise `IllegalMove` "game_over".

    Betting: the player is out as if they had passed, but the event is not a fold's (6.8). Swapping: nothing is
    exchanged and the player stays in (7.4). Showdown: their cards are shown (showdown 4).
    """
    if state.current is None:
        raise IllegalMove("game_over")
    seat = state.current
    log: Log = []
    match state.phase:
        case "swap":
            log.append(model.SwapMissed(seat))
            state = _replaced(state, seat, acted=True)
        case "showdown":
            state = _show(state, seat, log, auto=True)
        case _:
            log.append(model.TakenOut(seat, "time"))
            state = out(state, seat)
    return Step(advance(state, log), tuple(log))


def join(state: State, seat: int, cash: int) -> Step[State, Event]:
    """Add somebody who sat down as a watcher until the next game (2.5); a game that is over does not change."""
    if is_over(state):
        return Step(state)
    money = tuple(cash if other == seat else owned for other, owned in enumerate(state.cash))
    money = state.cash if state.options.chips else money
    return Step(replace(state, watchers=tuple(sorted({*state.watchers, seat})), cash=money))


def leave(state: State, seat: int, *, unplayed: bool = False) -> Step[State, Event]:
    """Remove the person at `seat`; what they paid and their "Karten sehen" (A29) stay (2.6)."""
    state = _removed(state, seat)
    log: Log = []
    return Step(state if is_over(state) else advance(state, log), tuple(log))


def abandon(state: State) -> Step[State, Event]:
    """End a game all of whose players are gone at one moment: nobody is active, so the system gets the pot (8.1).

    With chips they leave one after the other, and the last one wins.
    """
    if state.options.chips:
        return Step(state)
    for seat in active(state):
        state = out(state, seat)
    log: Log = []
    return Step(advance(state, log), tuple(log))


def competes(state: State, seat: int) -> bool:
    """Return whether this seat is active in a running game."""
    return not is_over(state) and state.players[seat] is not None


def give_back(state: State, seat: int, amount: int) -> State:
    """Return the state with `amount` less in the pot; the players competing for it stay the same."""
    return replace(state, pot=state.pot - amount)


# --- helpers ---------------------------------------------------------------------------------------------------------


def _replaced(state: State, seat: int, **changes: bool) -> State:
    player = state.players[seat]
    return state if player is None else with_player(state, seat, replace(player, **changes))


def _removed(state: State, seat: int) -> State:
    return replace(with_player(state, seat, None), watchers=tuple(other for other in state.watchers if other != seat))


def _bet(state: State, seat: int, bet: model.Bet, log: Log) -> State:
    low, high = _limits(state)
    if bet.see and not _may_see(state):
        raise IllegalMove("not_now")
    if not low <= bet.amount <= high:
        raise IllegalMove("bet_out_of_range", low=low, high=high)
    log.append(model.BetMade(seat, bet.amount, bet.see, chips=bool(state.options.chips)))
    state = _replaced(state, seat, acted=True)
    return replace(
        state,
        cash=(*state.cash[:seat], state.cash[seat] - bet.amount, *state.cash[seat + 1 :]),
        pot=state.pot + bet.amount,
        previous_bet=bet.amount,
        see=state.see or bet.see,
        bets=(*state.bets, model.PastBet(state.round, seat, bet.amount, bet.see))[-model.MOST_BETS :],
    )


def _swap(state: State, seat: int, places: tuple[int, ...], log: Log) -> State:
    """Exchange the cards at these places. Discards never return to the stock (7.1)."""
    player = state.players[seat]
    if len(places) > model.MOST_SWAPPED:
        raise IllegalMove("too_many_cards", most=model.MOST_SWAPPED)
    if player is None or len(set(places)) < len(places) or not set(places) <= set(range(model.HAND)):
        raise IllegalMove("no_such_card")
    kept = tuple(card for place, card in enumerate(player.hand) if place not in places)
    left = len(state.stock) - len(places)
    come = state.stock[left:]
    log.append(model.Swapped(seat, tuple(card for card in player.hand if card not in kept), come))
    hand = sort_hand(kept + come)
    return with_player(replace(state, stock=state.stock[:left]), seat, replace(player, hand=hand, acted=True))


def _show(state: State, seat: int, log: Log, auto: bool = False) -> State:
    player = state.players[seat]
    if player is not None:
        log.append(model.Shown(seat, category(player.hand), auto, ranks(player.hand), player.hand))
    return _replaced(state, seat, acted=True, shown=True)


def _limits(state: State) -> tuple[int, int]:
    """Return the limits of the current turn, less any cash lost outside the game since it began."""
    if state.current is None:
        return 0, 0
    return state.low, min(state.high, state.cash[state.current])


def _may_see(state: State) -> bool:
    return state.round > SWAP_ROUND


def _has_chips_won(state: State, seat: int) -> bool:
    """Return whether a seat has won chips, which are in its stack at once; CUBES come from the bank."""
    return bool(state.options.chips) and seat in won(state)


def _known(state: State) -> tuple[int, ...]:
    return tuple(sorted((*active(state), *state.watchers)))


def _opponent(state: State, seat: int) -> model.Opponent:
    player = state.players[seat]
    open_cards = player.hand if player is not None and player.shown else None
    return model.Opponent(seat, active=player is not None and not is_over(state), cards=open_cards)
