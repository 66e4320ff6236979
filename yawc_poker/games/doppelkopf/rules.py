"""The rules of Doppelkopf: a state and how it changes, as pure functions (spec/doppelkopf.md).

Owns legal moves, whose turn it is, and what a seat may see. Never names, sessions, clocks or the bank. All chance is
fixed by the deal: the order of the first deck, and a seed from which every later deal follows
(`progress.later_deal`).

Calls (`Call`) and answers (`GoOn`) may be made out of turn; a call changes neither turn nor clock.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import Card, cards, written
from yawc_poker.engine import usual
from yawc_poker.engine.game import Chance, Dealing, IllegalMove, Step
from yawc_poker.games.doppelkopf import model, progress, scoring
from yawc_poker.games.doppelkopf.events import Event, HandDealt
from yawc_poker.games.doppelkopf.model import Choice, Move, Options, Round, State, View
from yawc_poker.games.doppelkopf.progress import Log, advance, by_clock, may_wed, playable_cards
from yawc_poker.games.doppelkopf.scoring import totals
from yawc_poker.games.doppelkopf.teams import check_call, played_by, possible_calls, seen_by
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.tricks import arranged

KIND = "doppelkopf"
SEATS = model.SEATS
FEWEST = model.SEATS
DECK = tuple(map(str, model.CARDS))
"""Each card is named twice; which of the two it is does not matter."""

_MOVES: msgspec.json.Decoder[Move] = msgspec.json.Decoder(Move)
read_move, read_options = _MOVES.decode, msgspec.json.Decoder(Options).decode
players = usual.everybody
fund = usual.whatever_they_own  # what is at stake depends on what everybody owned at the start
seated = usual.whoever_they_are
give_back = usual.nothing_staked
abandon = usual.one_by_one  # a round is scored for those who left, too


# --- a match begins --------------------------------------------------------------------------------------------------


def deal(seats: Mapping[int, int], master: int, dealing: Dealing, options: Options) -> Step[State, Event]:
    """Begin a match; the first seat deals the first round (D1)."""
    state = State(
        options=options,
        seed=dealing.seed,
        players=(model.Player(owes_solo=options.tournament),) * SEATS,
        watchers=(),
        master=master,
        round=Round(0, 0),
        at_start=tuple(seats.get(seat, 0) for seat in range(SEATS)),
    )
    log: Log = []
    return Step(progress.begin_round(state, 1, 0, cards(dealing.order), log), tuple(log))


def concealed(event: Event) -> Event:
    """Return an event without the cards that a player was dealt."""
    return replace(event, cards=None) if isinstance(event, HandDealt) else event


def hands(state: State, unlike: State | None = None) -> Mapping[int, str]:
    """Return the hands that the players were dealt in this round; what is left of them follows from the moves."""
    now = state.round
    if unlike is not None and unlike.round.number == now.number:
        return {}
    order = order_of("normal")
    return {
        seat: written(arranged(order, (*player.hand, *played_by(now, seat))))
        for seat, player in enumerate(state.players)
        if not player.gone
    }


# --- queries ---------------------------------------------------------------------------------------------------------


def to_move(state: State) -> int | None:
    """Return the seat whose clock runs, or None once the match is over; after a round, the first that has to answer."""
    return state.current


def is_over(state: State) -> bool:
    """Return whether the match is over."""
    return state.phase == "over"


def payouts(state: State) -> Mapping[int, int]:
    """Return the winners' shares (`scoring.shares`); empty while the match runs."""
    return scoring.shares(state) if is_over(state) else {}


def debts(state: State) -> Mapping[int, int]:
    """Return what the losers owe (`scoring.debts`); nothing while the match runs."""
    return scoring.debts(state) if is_over(state) else {}


def won(state: State) -> tuple[int, ...]:
    """Return the places with the most points once the match is over (9.1)."""
    return scoring.winners(state.results) if is_over(state) else ()


def points(state: State) -> Mapping[int, int]:
    """Return the points of all players once the match is over."""
    return dict(enumerate(totals(state.results))) if is_over(state) else {}


def competes(state: State, seat: int) -> bool:
    """Return whether this seat plays in a match that is not over."""
    return not is_over(state) and _is_player(state, seat)


def legal_moves(state: State, seat: int) -> tuple[Choice, ...]:
    """Return what `seat` may do now: the move that is asked of it, if any, then calls, which need no turn."""
    if not _is_player(state, seat) or is_over(state):
        return ()
    if state.phase == "question":
        return () if seat in state.round.agreed else (model.MayAnswer(),)
    return (*_asked(state, seat), *possible_calls(state, seat))


def _asked(state: State, seat: int) -> tuple[Choice, ...]:
    if seat != state.current:
        return ()
    match state.phase:
        case "reservation":
            return (model.MayReserve(),)
        case "naming":
            return (model.MayName(may_wed(state, seat), state.players[seat].owes_solo),)
        case _:
            choice = dict.fromkeys(playable_cards(state, seat))
            return (model.MayPlay(_sorted(state, tuple(choice))),)


def _sorted(state: State, hand: tuple[Card, ...]) -> tuple[Card, ...]:
    game = state.round.game
    return arranged(order_of("normal" if game is None else game.kind), hand)


def _is_player(state: State, seat: int | None) -> bool:
    return seat is not None and 0 <= seat < SEATS and not state.players[seat].gone


# --- looking ---------------------------------------------------------------------------------------------------------


def view(state: State, seat: int | None) -> View:
    """Return what `seat` (None: a bystander) may see: of hidden cards its own, of teams what it can know."""
    place = seat if _is_player(state, seat) else None
    now = state.round
    return View(
        seat=seat,
        place=place,
        phase=state.phase,
        options=state.options,
        master=state.master,
        current=state.current,
        hand=None if place is None else _sorted(state, state.players[place].hand),
        players=_player_views(state, place),
        round=now,
        last=now.tricks[-1] if now.tricks else now.former,
        results=state.results,
        choices=() if place is None else legal_moves(state, place),
    )


def _player_views(state: State, viewer: int | None) -> tuple[model.PlayerView, ...]:
    now, teams, sums = state.round, seen_by(state.round, state.players, viewer), totals(state.results)
    said = dict(zip(progress.speaking_order(now.dealer), now.said, strict=False))
    return tuple(
        model.PlayerView(
            place=place,
            gone=player.gone,
            cards=len(player.hand),
            tricks=sum(trick.taker == place for trick in now.tricks),
            team=teams[place],
            reservation=said.get(place),
            owes_solo=player.owes_solo,
            total=sums[place],
        )
        for place, player in enumerate(state.players)
    )


# --- moves -----------------------------------------------------------------------------------------------------------


def play(state: State, seat: int, move: Move, rng: Chance) -> Step[State, Event]:
    """Make a move.

    Raise `IllegalMove`: "game_over", "no_player", "not_now" (not in this phase), "not_your_turn", "answered" (already),
    "no_wedding" (without both queens of clubs), "solo_forced" (a wedding, where a solo is due), "not_held",
    "must_follow" (`suit`), "must_follow_trump", and what `teams.check_call` raises.
    """
    if state.current is None:
        raise IllegalMove("game_over")
    if not _is_player(state, seat):
        raise IllegalMove("no_player")
    log: Log = []
    return _step(_moved(state, seat, move, log), log)


def _moved(state: State, seat: int, move: Move, log: Log) -> State:
    match move:
        case model.Call(level):
            return progress.call(state, seat, check_call(state, seat, level), level, log)
        case model.GoOn(yes):
            _check_answer(state, seat)
            return progress.answer(state, seat, yes, log)
        case model.Healthy() | model.Reserve():
            _check_turn(state, seat, "reservation")
            return progress.speak(state, seat, isinstance(move, model.Reserve), log)
        case model.PlaySolo(kind):
            _check_turn(state, seat, "naming")
            return progress.name(state, seat, kind, log)
        case model.NoSolo():
            _check_wedding(state, seat)
            return progress.name(state, seat, "wedding", log)
        case model.PlayCard(card):
            _check_card(state, seat, card)
            return progress.lay(state, seat, card, log)


def _step(state: State, log: Log) -> Step[State, Event]:
    """Return a step after everything that follows by itself."""
    return Step(advance(state, log), tuple(log))


def _check_turn(state: State, seat: int, phase: model.Phase) -> None:
    if state.phase != phase:
        raise IllegalMove("not_now")
    if seat != state.current:
        raise IllegalMove("not_your_turn")


def _check_answer(state: State, seat: int) -> None:
    if state.phase != "question":
        raise IllegalMove("not_now")
    if seat in state.round.agreed:
        raise IllegalMove("answered")


def _check_wedding(state: State, seat: int) -> None:
    _check_turn(state, seat, "naming")
    if state.round.forced is not None:
        raise IllegalMove("solo_forced")
    if not may_wed(state, seat):
        raise IllegalMove("no_wedding")


def _check_card(state: State, seat: int, card: Card) -> None:
    _check_turn(state, seat, "play")
    if card not in state.players[seat].hand:
        raise IllegalMove("not_held")
    if card in playable_cards(state, seat):
        return
    suit = progress.suit_led(state)
    if suit is None:
        raise IllegalMove("must_follow_trump")
    raise IllegalMove("must_follow", suit=int(suit))


def timeout(state: State, rng: Chance) -> Step[State, Event]:
    """Make the move of a player whose time is over (`progress.by_clock`). Raise `IllegalMove` "game_over"."""
    if state.current is None:
        raise IllegalMove("game_over")
    log: Log = []
    return _step(by_clock(state, log), log)


# --- people come and go ----------------------------------------------------------------------------------------------


def join(state: State, seat: int, cash: int) -> Step[State, Event]:
    """Add somebody who sat down, as a watcher until the next match; the place of a player who left stays theirs."""
    return Step(replace(state, watchers=tuple(sorted({*state.watchers, seat}))))


def leave(state: State, seat: int, *, unplayed: bool = False) -> Step[State, Event]:
    """Remove the person at `seat`.

    The place of a player is played on until the round is scored; then the match ends with the points so far, for which
    those who left pay or are paid like the others. It ends at once if this round is `unplayed`.
    """
    if not _is_player(state, seat):
        return Step(replace(state, watchers=tuple(other for other in state.watchers if other != seat)))
    log: Log = []
    if is_over(state):
        return Step(_passed_on(progress.without(state, seat), seat))
    return _step(_passed_on(progress.leave(state, seat, log, unplayed=unplayed), seat), log)


def _passed_on(state: State, seat: int) -> State:
    """Return the state with another player as the master, where the master has left and somebody is there."""
    there = [other for other, player in enumerate(state.players) if not player.gone]
    if state.master != seat or not there:
        return state
    return replace(state, master=next((other for other in there if other > seat), there[0]))
