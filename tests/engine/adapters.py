"""What the conformance suite must know of each registered game beyond the contract.

How its moves are made of the choices it offers, where its cards are, and which of them are hidden from whom.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Generic

from msgspec.structs import replace

from tests.made_up_game import rules as highest
from tests.made_up_game.game import RULES as HIGHEST
from yawc_poker.cards import Card, Suit, deck
from yawc_poker.engine.codec import Codec
from yawc_poker.engine.game import EventT, Game, MoveT, OptionsT, StateT
from yawc_poker.engine.values import Table
from yawc_poker.games.doppelkopf import events as doppelkopf_events
from yawc_poker.games.doppelkopf import model as doppelkopf
from yawc_poker.games.doppelkopf.game import RULES as DOPPELKOPF
from yawc_poker.games.maumau import model as maumau
from yawc_poker.games.maumau.game import RULES as MAUMAU
from yawc_poker.games.offiziersskat import model as offiziersskat
from yawc_poker.games.offiziersskat.game import RULES as OFFIZIERSSKAT
from yawc_poker.games.poker import model as poker
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.hands import sort_hand


@dataclass(frozen=True)
class Adapter(Generic[StateT, MoveT, EventT, OptionsT]):
    """A game and what the suite must know of it."""

    game: Game[StateT, MoveT, EventT, OptionsT]
    options: OptionsT
    codec: Codec[StateT, EventT]
    pick: Callable[[object, Random], MoveT]
    """Make a move of one of the choices that `legal_moves` gave."""
    moves: Callable[[Random], MoveT]
    """Make any move, legal or not."""
    cards: Callable[[StateT], Iterable[Card | str]]
    """All cards that the state knows of."""
    hide: Callable[[StateT, int | None, Random], StateT]
    """Deal the cards that this seat must not see anew."""
    interrupts: bool = False
    """Players may move out of turn, as with an announcement."""
    passes: bool = True
    """Each move ends the turn; else a turn may take several, and only the next one's has another number."""
    full: bool = False
    """No seat is free while a game runs: a player who leaves ends it."""
    runs: int = 150
    """How often the suite plays it; fewer where a game is long."""


def pick_poker(choice: object, rng: Random) -> poker.Move:
    match choice:
        case poker.MayBet(low, high, see):
            return poker.Bet(rng.choice((low, low, high)), see and rng.random() < 0.3)
        case poker.MaySwap(most):
            return poker.Swap(tuple(rng.sample(range(poker.HAND), rng.randint(0, most))))
        case poker.MayShow():
            return poker.Show()
        case poker.MayFold():
            return poker.Fold()
    raise AssertionError(choice)


def any_poker_move(rng: Random) -> poker.Move:
    places = tuple(rng.randint(-1, 5) for _ in range(rng.randint(0, 4)))
    return rng.choice(
        (poker.Bet(rng.randint(-5, 300), rng.random() < 0.5), poker.Fold(), poker.Swap(places), poker.Show())
    )


def poker_cards(state: poker.State) -> list[Card]:
    return [*state.stock, *(card for player in state.players if player is not None for card in player.hand)]


def hide_poker(state: poker.State, seat: int | None, rng: Random) -> poker.State:
    """Mix the stock with the hands of all others who have not shown."""
    hidden = {
        other: player
        for other, player in enumerate(state.players)
        if player is not None and other != seat and not player.shown
    }
    pool = [*state.stock, *(card for player in hidden.values() for card in player.hand)]
    rng.shuffle(pool)
    dealt = {
        other: replace(player, hand=sort_hand(tuple(pool.pop() for _ in range(poker.HAND))))
        for other, player in hidden.items()
    }
    players = tuple(dealt.get(other, player) for other, player in enumerate(state.players))
    return replace(state, players=players, stock=tuple(pool))


POKER_ADAPTER: Adapter[poker.State, poker.Move, poker.Event, poker.Options] = Adapter(
    game=POKER,
    options=poker.Options(),
    codec=Codec(Table[poker.State, poker.Event]),
    pick=pick_poker,
    moves=any_poker_move,
    cards=poker_cards,
    hide=hide_poker,
)


def pick_maumau(choice: object, rng: Random) -> maumau.Move:
    match choice:
        case maumau.MayPlay(cards):
            return maumau.PlayCard(rng.choice(cards))
        case maumau.MayTake(count):
            return maumau.Take(count)
        case maumau.MayFinish():
            return maumau.Finish()
        case maumau.MayWish():
            return maumau.Wish(rng.choice(list(Suit)))
    raise AssertionError(choice)


def any_maumau_move(rng: Random) -> maumau.Move:
    return rng.choice(
        (
            maumau.PlayCard(rng.choice(deck(maumau.RANKS))),
            maumau.Take(rng.randint(0, 8)),
            maumau.Finish(),
            maumau.Wish(rng.choice(list(Suit))),
        )
    )


def maumau_cards(state: maumau.State) -> list[Card]:
    return [*state.stock, *state.pile, *(card for player in state.players for card in player.hand)]


def hide_maumau(state: maumau.State, seat: int | None, rng: Random) -> maumau.State:
    """Mix the stock with the hands of all others, change the order of the pile below its top, and the seed."""
    others = [player for player in state.players if player.seat != seat]
    pool = [*state.stock, *(card for player in others for card in player.hand)]
    rng.shuffle(pool)
    players = tuple(
        replace(player, hand=tuple(pool.pop() for _ in player.hand)) if player in others else player
        for player in state.players
    )
    below = rng.sample(state.pile[:-1], len(state.pile) - 1)
    return replace(
        state, players=players, stock=tuple(pool), pile=(*below, state.pile[-1]), seed=f"{rng.getrandbits(256):064x}"
    )


MAUMAU_ADAPTER: Adapter[maumau.State, maumau.Move, maumau.Event, maumau.Options] = Adapter(
    game=MAUMAU,
    options=maumau.Options(rounds=3),
    codec=Codec(Table[maumau.State, maumau.Event]),
    pick=pick_maumau,
    moves=any_maumau_move,
    cards=maumau_cards,
    hide=hide_maumau,
)


def pick_doppelkopf(choice: object, rng: Random) -> doppelkopf.Move:
    match choice:
        case doppelkopf.MayReserve():
            return doppelkopf.Reserve() if rng.random() < 0.15 else doppelkopf.Healthy()
        case doppelkopf.MayName(wedding):
            names_it = wedding and rng.random() < 0.8
            return doppelkopf.NoSolo() if names_it else doppelkopf.PlaySolo(rng.choice(doppelkopf.SOLOS))
        case doppelkopf.MayPlay(cards):
            return doppelkopf.PlayCard(rng.choice(cards))
        case doppelkopf.MayCall(level):
            return doppelkopf.Call(level)
        case doppelkopf.MayAnswer():
            return doppelkopf.GoOn(rng.random() < 0.97)
    raise AssertionError(choice)


def any_doppelkopf_move(rng: Random) -> doppelkopf.Move:
    return rng.choice(
        (
            doppelkopf.Healthy(),
            doppelkopf.Reserve(),
            doppelkopf.PlaySolo(rng.choice(doppelkopf.SOLOS)),
            doppelkopf.NoSolo(),
            doppelkopf.PlayCard(rng.choice(doppelkopf.CARDS)),
            doppelkopf.PlayCard(rng.choice(doppelkopf.CARDS)),
            doppelkopf.Call(rng.choice(doppelkopf.LEVELS)),
            doppelkopf.GoOn(rng.random() < 0.5),
        )
    )


def doppelkopf_cards(state: doppelkopf.State) -> list[Card]:
    """All cards of the round that is played."""
    now = state.round
    held = (card for player in state.players for card in player.hand)
    return [*now.trick, *(card for trick in now.tricks for card in trick.cards), *held]


def hide_doppelkopf(state: doppelkopf.State, seat: int | None, rng: Random) -> doppelkopf.State:
    """Mix the hands of all others, and change the seed."""
    pool = [card for place, player in enumerate(state.players) if place != seat for card in player.hand]
    rng.shuffle(pool)
    players = tuple(
        player if place == seat else replace(player, hand=tuple(pool.pop() for _ in player.hand))
        for place, player in enumerate(state.players)
    )
    return replace(state, players=players, seed=f"{rng.getrandbits(256):064x}")


DOPPELKOPF_ADAPTER: Adapter[doppelkopf.State, doppelkopf.Move, doppelkopf_events.Event, doppelkopf.Options] = Adapter(
    game=DOPPELKOPF,
    options=doppelkopf.Options(rounds=2),
    codec=Codec(Table[doppelkopf.State, doppelkopf_events.Event]),
    pick=pick_doppelkopf,
    moves=any_doppelkopf_move,
    cards=doppelkopf_cards,
    hide=hide_doppelkopf,
    interrupts=True,
    passes=False,
    runs=25,
)


def pick_offiziersskat(choice: object, rng: Random) -> offiziersskat.Move:
    assert isinstance(choice, offiziersskat.MayPlay)
    return offiziersskat.PlayCard(rng.choice(choice.cards))


def offiziersskat_cards(state: offiziersskat.State) -> list[Card]:
    """All cards of the round that is played."""
    now = state.round
    places = [place for player in state.players for place in player.places]
    held = [card for place in places for card in (place.open, place.covered) if card is not None]
    return [*now.trick, *(card for trick in now.tricks for card in trick.cards), *held]


def hide_offiziersskat(state: offiziersskat.State, seat: int | None, rng: Random) -> offiziersskat.State:
    """Mix the covered cards of both sides, and change the seed."""
    pool = [place.covered for player in state.players for place in player.places if place.covered is not None]
    rng.shuffle(pool)

    def mixed(player: offiziersskat.Player) -> offiziersskat.Player:
        places = [place if place.covered is None else replace(place, covered=pool.pop()) for place in player.places]
        return replace(player, places=tuple(places))

    first, second = state.players
    return replace(state, players=(mixed(first), mixed(second)), seed=f"{rng.getrandbits(256):064x}")


OFFIZIERSSKAT_ADAPTER: Adapter[offiziersskat.State, offiziersskat.Move, offiziersskat.Event, offiziersskat.Options] = (
    Adapter(
        game=OFFIZIERSSKAT,
        options=offiziersskat.Options(target=4),
        codec=Codec(Table[offiziersskat.State, offiziersskat.Event]),
        pick=pick_offiziersskat,
        moves=lambda rng: offiziersskat.PlayCard(rng.choice(offiziersskat.CARDS)),
        cards=offiziersskat_cards,
        hide=hide_offiziersskat,
        full=True,
        runs=50,
    )
)


def hide_highest(state: highest.State, seat: int | None, rng: Random) -> highest.State:
    """Deal the hidden cards of all others anew, from all cards that nobody sees."""
    pool = list((Counter(highest.DECK) - Counter(highest_cards(state, seat))).elements())
    rng.shuffle(pool)
    players = tuple(
        player
        if player.seat == seat and not player.gone
        else replace(player, hand=(*player.hand[: player.open], *(pool.pop() for _ in player.hand[player.open :])))
        for player in state.players
    )
    return replace(state, players=players)


def highest_cards(state: highest.State, seat: int | None) -> list[str]:
    """All cards that a seat sees."""
    return [
        card
        for player in state.players
        for card in (player.hand if player.seat == seat and not player.gone else player.hand[: player.open])
    ]


def pick_highest(choice: object, rng: Random) -> highest.Move:
    assert isinstance(choice, highest.Move)
    return choice


HIGHEST_ADAPTER: Adapter[highest.State, highest.Move, highest.Event, highest.Options] = Adapter(
    game=HIGHEST,
    options=highest.Options(cards=3),
    codec=Codec(Table[highest.State, highest.Event]),
    pick=pick_highest,
    moves=lambda rng: rng.choice((highest.TurnOver(), highest.Boast())),
    cards=lambda state: [card for player in state.players for card in player.hand],
    hide=hide_highest,
    interrupts=True,
    passes=False,
)
"""Of the game that only the tests have: what the suite takes by an adapter's word is taken."""
REGISTERED = (POKER_ADAPTER, MAUMAU_ADAPTER, DOPPELKOPF_ADAPTER, OFFIZIERSSKAT_ADAPTER)
ADAPTERS = (*REGISTERED, HIGHEST_ADAPTER)
