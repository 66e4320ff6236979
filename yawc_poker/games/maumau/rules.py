"""The rules of Mau-Mau: a state and how it changes, as pure functions (spec/maumau.md).

Owns turns, legal moves, the stock, the points and the end of a game. Never names, sessions or clocks; no CUBES are
played for. The deal fixes all chance: the order of the first deck, and a seed that determines every later shuffle
(`progress.shuffled`).
"""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import Card, Rank, cards, deck, written
from yawc_poker.engine import usual
from yawc_poker.engine.game import Chance, Dealing, IllegalMove, Step
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.model import Event, Move, Options, State, View
from yawc_poker.games.maumau.progress import Log, begin_round, finish, fits, go, lay, only_jacks, take, wish
from yawc_poker.games.maumau.standing import winners

KIND = "maumau"
SEATS = model.SEATS
FEWEST = 2
DECK = tuple(map(str, deck(model.RANKS)))

_MOVES: msgspec.json.Decoder[Move] = msgspec.json.Decoder(Move)
read_move, read_options = _MOVES.decode, msgspec.json.Decoder(Options).decode
players = usual.everybody
fund = usual.whatever_they_own
seated = usual.whoever_they_are
give_back = usual.nothing_staked
debts = usual.nothing  # all stakes are paid while the game runs
abandon = usual.one_by_one  # one who is left last wins no CUBES


# --- deal -----------------------------------------------------------------------------------------------------------


def deal(seats: Mapping[int, int], master: int, dealing: Dealing, options: Options) -> Step[State, Event]:
    """Begin a game among all who are seated; places follow the seats, and the first begins round 1 (2, M3)."""
    state = State(
        options=options,
        seed=dealing.seed,
        players=tuple(model.Player(seat) for seat in sorted(seats)),
        watchers=(),
        master=master,
        seats=tuple(sorted(seats)),
    )
    log: Log = []
    return Step(begin_round(state, tuple(reversed(cards(dealing.order))), log), tuple(log))


def concealed(event: Event) -> Event:
    """Return an event without the cards that a player was dealt or took."""
    return replace(event, cards=None) if isinstance(event, model.HandDealt | model.Took) else event


def hands(state: State, unlike: State | None = None) -> Mapping[int, str]:
    """Return all players' hands, cards in the order in which they came, except those that are the same in `unlike`."""
    before = {} if unlike is None else {player.seat: player.hand for player in unlike.players}
    return {
        player.seat: written(player.hand)
        for player in state.players
        if player.seat is not None and before.get(player.seat) != player.hand
    }


# --- queries ---------------------------------------------------------------------------------------------------------


def to_move(state: State) -> int | None:
    """Return the seat whose move it is, or None once the game is over."""
    return None if state.current is None else state.players[state.current].seat


def is_over(state: State) -> bool:
    """Return whether the last round is over."""
    return state.phase == "over"


def payouts(state: State) -> Mapping[int, int]:
    """Return a share for each winner; no CUBES are played for, so they share an empty pot."""
    return {one.seat: 1 for one in winners(state.players) if one.seat is not None} if is_over(state) else {}


def won(state: State) -> tuple[int, ...]:
    """Return the winners' seats once the game is over."""
    return tuple(payouts(state))


def points(state: State) -> Mapping[int, int]:
    """Return the points of all players once the game is over; few are better."""
    return {seat: one.total for seat, one in zip(state.seats, state.players, strict=True)} if is_over(state) else {}


def competes(state: State, seat: int) -> bool:
    """Return whether this seat plays in a game that is not over."""
    return not is_over(state) and place_of(state, seat) is not None


def place_of(state: State, seat: int | None) -> int | None:
    """Return the place of the player at `seat`, or None if no player sits there."""
    found = (place for place, player in enumerate(state.players) if seat is not None and player.seat == seat)
    return next(found, None)


def legal_moves(state: State, seat: int) -> tuple[model.Choice, ...]:
    """Return the legal moves of `seat` (4)."""
    if state.current is None or to_move(state) != seat:
        return ()
    hand = state.players[state.current].hand
    if state.must_wish:
        return (model.MayWish(),)
    playable = _playable(state, hand)
    if not playable:
        return (model.MayTake(state.penalty or 1),)
    if only_jacks(hand) and not state.penalty:
        return model.MayPlay(playable), model.MayFinish()
    return (model.MayPlay(playable),)


def _playable(state: State, hand: tuple[Card, ...]) -> tuple[Card, ...]:
    if state.penalty:
        return tuple(card for card in hand if card.rank == Rank.SEVEN)
    if state.drawn is not None:
        return (state.drawn,)
    return tuple(card for card in hand if fits(state, card))


def _seen(step: model.CourseStep, place: int | None) -> model.CourseStep:
    """Return a step with only the cards that the player at `place` may know."""
    if step.kind == "deal":
        return replace(step, cards=() if place is None else step.hands[place], hands=())
    return replace(step, cards=()) if step.kind == "take" and step.place != place else step


def _taken(state: State, place: int | None) -> tuple[Card, ...]:
    """Return the cards that this place took with its last move; none if that was not a `Take`."""
    done = (step for step in reversed(state.course) if step.kind == "round" or _is_move(step, place))
    last = next(done, None)
    return last.cards if last is not None and last.kind == "take" else ()


def _is_move(step: model.CourseStep, place: int | None) -> bool:
    return step.place == place and step.kind in {"play", "take", "wish", "finish"}


def view(state: State, seat: int | None) -> View:
    """Return what `seat` may see: its own cards, and how many the others hold."""
    place = place_of(state, seat)
    return View(
        seat=seat,
        place=place,
        phase=state.phase,
        round=state.round,
        rounds=state.options.rounds,
        master=state.master,
        current=to_move(state),
        hand=None if place is None else state.players[place].hand,
        taken=_taken(state, place),
        players=tuple(
            model.PlayerView(place, player.seat, len(player.hand), player.points, player.forfeited)
            for place, player in enumerate(state.players)
        ),
        seats=state.seats,
        top=state.pile[-1],
        stock=len(state.stock),
        penalty=state.penalty,
        suit=state.suit,
        must_wish=state.must_wish,
        course=tuple(_seen(step, place) for step in state.course),
        steps=state.steps,
        choices=() if seat is None else legal_moves(state, seat),
    )


# --- moves -----------------------------------------------------------------------------------------------------------


def play(state: State, seat: int, move: Move, rng: Chance) -> Step[State, Event]:
    """Make a move (4, 5).

    Raise `IllegalMove`: "game_over", "not_your_turn", "must_wish" (and nothing else), "no_wish" (none is due),
    "not_held", "does_not_fit", "must_play", "take_first" (a seven is open and the hand has none), "play_seven",
    "wrong_count" (`count` would be right), "drawn_card", "other_cards" (not only jacks).
    """
    if state.current is None:
        raise IllegalMove("game_over")
    if to_move(state) != seat:
        raise IllegalMove("not_your_turn")
    if state.must_wish != isinstance(move, model.Wish):
        raise IllegalMove("must_wish" if state.must_wish else "no_wish")
    log: Log = []
    match move:
        case model.PlayCard(card):
            _check_card(state, card)
            changed = lay(state, seat, card, log)
        case model.Take(count):
            _check_take(state, count)
            changed = take(state, seat, log)
        case model.Finish():
            _check_finish(state)
            changed = finish(state, seat, log)
        case model.Wish(suit):
            changed = wish(state, seat, suit, log)
    return Step(changed, tuple(log))


def timeout(state: State, rng: Chance) -> Step[State, Event]:
    """Make the forced move for a player whose time is over. Raise `IllegalMove` "game_over".

    It is a wish for the suit of their jack, else the first card they got that fits (a jack only if nothing else does),
    else a `Take`.
    """
    seat = to_move(state)
    if seat is None:
        raise IllegalMove("game_over")
    step = play(state, seat, _forced(state, legal_moves(state, seat)), rng)
    return replace(step, events=tuple(map(_by_clock, step.events)))


def _by_clock(event: Event) -> Event:
    return replace(event, by_clock=True) if isinstance(event, model.Played | model.Took | model.Wished) else event


def _forced(state: State, choices: Sequence[model.Choice]) -> Move:
    match choices[0]:
        case model.MayPlay(playable):
            return model.PlayCard(min(playable, key=lambda card: card.rank == Rank.JACK))
        case model.MayTake(count):
            return model.Take(count)
        case model.MayWish():
            return model.Wish(state.pile[-1].suit)
        case model.MayFinish():
            return model.Finish()


def _hand(state: State) -> tuple[Card, ...]:
    assert state.current is not None, "a move in a game that is over"
    return state.players[state.current].hand


def _check_card(state: State, card: Card) -> None:
    hand = _hand(state)
    if card not in hand:
        raise IllegalMove("not_held")
    playable = _playable(state, hand)
    if card in playable:
        return
    if state.penalty:
        raise IllegalMove("play_seven" if playable else "take_first", count=state.penalty)
    raise IllegalMove("does_not_fit" if state.drawn is None else "drawn_card")


def _check_take(state: State, count: int) -> None:
    if _playable(state, _hand(state)):
        raise IllegalMove("play_seven" if state.penalty else "must_play", count=state.penalty)
    right = state.penalty or 1
    if count != right:
        raise IllegalMove("wrong_count", count=right)


def _check_finish(state: State) -> None:
    if state.penalty:
        raise IllegalMove("take_first", count=state.penalty)
    if not only_jacks(_hand(state)):
        raise IllegalMove("other_cards")


# --- arrivals, departures --------------------------------------------------------------------------------------------


def join(state: State, seat: int, cash: int) -> Step[State, Event]:
    """Add somebody who sat down as a watcher until the next game."""
    return Step(replace(state, watchers=tuple(sorted({*state.watchers, seat}))))


def leave(state: State, seat: int, *, unplayed: bool = False) -> Step[State, Event]:
    """Remove the person at `seat` (M16); the master's privilege passes to the next player.

    The cards of a round that is `unplayed` cost them nothing, nor the one who is left alone by that.
    """
    place = place_of(state, seat)
    if place is None:
        return Step(replace(state, watchers=tuple(other for other in state.watchers if other != seat)))
    log: Log = []
    if is_over(state):
        gone = replace(state.players[place], seat=None, hand=())
        changed = replace(state, players=(*state.players[:place], gone, *state.players[place + 1 :]))
    else:
        changed = go(state, place, log, unplayed=unplayed)
    left = sorted(player.seat for player in changed.players if player.seat is not None)
    if changed.master == seat and left:
        changed = replace(changed, master=next((other for other in left if other > seat), left[0]))
    return Step(changed, tuple(log))
