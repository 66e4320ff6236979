"""What a client of the protocol knows, built up from the server's messages alone. Pure.

Owns the order in which messages may come (spec/maumau_protocol.md 4) and what each reveals of the game. Legal moves are
asked of the rules, with a state that leaves out everything hidden. A message that cannot be right raises `Confused`.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.engine.events import Left
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.messages import FromServer, new_total
from yawc_poker.games.maumau import model, rules
from yawc_poker.games.maumau.model import HAND, CourseStep, Options, Player, PlayerView, State, View
from yawc_poker.games.maumau.standing import losers, winners

DECK = 32

Expects = Literal["answer", "round", "deal", "block", "move", "mirrored", "result", "closed"]
"""What comes next. block: the rest of a turn block, or a whole one. move: the move of the player on turn. mirrored:
that move has been mirrored; cards may follow, then a block or the end of the round."""

Event = model.Event | Left


class Confused(Exception):
    """The server has sent something that cannot be right now. `str()` describes it in one line."""


class Known(msgspec.Struct, frozen=True):
    """All that a client knows. A player's place is their id less the first player's."""

    expects: Expects = "answer"
    place: int = 0
    """The client's own place."""
    number: int = 1
    """The client's own id, as the server sent it."""
    base: int = 1
    """The first player's id: 1 by the protocol, 0 from its author's server; the first turn reveals which."""
    round: int = 0
    rounds: int = 0
    hand: tuple[Card, ...] = ()
    """In the order in which they came."""
    counts: tuple[int, ...] = ()
    """The number of everybody's cards."""
    points: tuple[tuple[int, ...], ...] = ()
    """Everybody's points of each round."""
    gone: frozenset[int] = frozenset()
    """Places of players who are out, and of empty seats."""
    left: frozenset[int] = frozenset()
    """Places of players who left or were put out and so lost."""
    top: Card | None = None
    pile: int = 1
    """Cards that lie open."""
    penalty: int = 0
    suit: Suit | None = None
    current: int | None = None
    """The place of the player asked for a move."""
    milliseconds: int = 0
    """The time allowed for it; 0: no limit."""
    turn: int = 0
    """Grows by one each time a player is asked for a move."""
    acted: Literal["", "jack", "taken"] = ""
    """The client's own last move if it matters: it laid a jack, or took a card because none fitted."""
    new: Card | None = None
    """The card that was taken because none fitted."""
    taken: tuple[Card, ...] = ()
    """The cards the client took last, if it has done nothing else since."""
    must_wish: bool = False
    drawn: Card | None = None
    """The card that must be laid now."""

    @property
    def is_mine(self) -> bool:
        """Whether it is the client's own turn."""
        return self.expects == "move" and self.current == self.place

    @property
    def is_out(self) -> bool:
        """Whether the client has been put out of the game."""
        return self.place in self.gone

    @property
    def totals(self) -> tuple[int, ...]:
        """Everybody's points of all rounds together."""
        return tuple(map(sum, self.points))


# --- legal moves ------------------------------------------------------------------------------------------------------


def choices(known: Known) -> tuple[model.Choice, ...]:
    """Return the client's legal moves."""
    return rules.legal_moves(_state(known), known.place) if known.is_mine and known.top is not None else ()


def _state(known: Known) -> State:
    """Return the state as far as it is known: enough to judge the client's own hand."""
    assert known.top is not None, "a game without a card on the pile"
    return State(
        options=Options(max(known.rounds, 1)),
        seed="",
        players=tuple(Player(place, known.hand if place == known.place else ()) for place in range(len(known.counts))),
        watchers=(),
        master=0,
        current=known.current,
        pile=(known.top,),
        penalty=known.penalty,
        suit=known.suit,
        must_wish=known.must_wish,
        drawn=known.drawn,
    )


def view(known: Known) -> View | None:
    """Return the game as a screen shows it, or None before the first turn."""
    if known.top is None or not known.counts:
        return None
    return View(
        seat=known.place,
        place=known.place,
        phase="over" if known.expects == "closed" else "play",
        round=known.round,
        rounds=known.rounds,
        master=0,
        current=known.current if known.expects in {"move", "mirrored"} else None,
        hand=known.hand,
        taken=known.taken,
        players=_players(known),
        seats=tuple(range(len(known.counts))),
        top=known.top,
        stock=max(0, DECK - sum(known.counts) - known.pile),
        penalty=known.penalty,
        suit=known.suit,
        must_wish=known.must_wish,
        course=(CourseStep("ask"),),
        steps=known.turn,
        choices=choices(known),
    )


def _players(known: Known) -> tuple[PlayerView, ...]:
    """Return all players, including those who left; empty seats are left out."""
    places = [at for at in range(len(known.counts)) if at in known.left or at not in known.gone]
    return tuple(
        PlayerView(at, None if at in known.left else at, known.counts[at], known.points[at], at in known.left)
        for at in places
    )


# --- messages ---------------------------------------------------------------------------------------------------------


def hear(known: Known, message: FromServer) -> tuple[Known, tuple[Event, ...]]:
    """Return what is known after a message, and the events it reports. Raise `Confused`.

    The end of a round is reported with everybody's points. A player who was put out is reported as `Left`.
    """
    match message:
        case messages.Answer(number) if known.expects == "answer":
            known = replace(known, expects="round", number=number, base=min(number, known.base))
            return replace(known, place=_place(known, number)), ()
        case messages.Yeeted(number) if known.expects not in {"answer", "closed"}:
            return _gone(known, _place(known, number))
        case messages.Round(number, total) if known.expects in {"round", "result"}:
            return _begun(known, number, total), ()
        case messages.Deal(cards):
            return _dealt(known, cards), ()
        case messages.Draw() | messages.WishIs() if known.expects == "move":
            return _mirrored(known, message)
        case messages.Played() | messages.Finished() if known.expects == "move":
            return _mirrored(known, message)
        case messages.Result(totals) if known.expects in {"mirrored", "round", "block", "move"}:
            return _counted(known, totals)
    return _asked(known, message)


def _place(known: Known, number: int) -> int:
    if number < known.base:
        raise Confused(f"no player has the id {number}")
    return number - known.base


def _counting(known: Known, number: int) -> Known:
    """Find the first player's id at a game's first turn, which belongs to the only player with one card more."""
    first = [place for place, count in enumerate(known.counts) if count == HAND + 1]
    if known.turn or len(first) != 1 or number - first[0] not in {0, 1}:
        return known
    base = number - first[0]
    return replace(known, base=base, place=max(known.number - base, 0))


def _begun(known: Known, number: int, total: int) -> Known:
    if not 1 <= number <= total:
        raise Confused(f"round {number} of {total}")
    kept = replace(Known("deal", known.place, known.number, known.base, number, total), turn=known.turn)
    kept = replace(kept, points=known.points, gone=known.gone, left=known.left)
    return replace(kept, counts=(0,) * len(known.points))


def _dealt(known: Known, cards: Sequence[Card]) -> Known:
    """Take the new cards; an older server deals the whole hand again (P8)."""
    fresh = tuple(card for card in dict.fromkeys(cards) if card not in known.hand)
    hand = (*known.hand, *fresh)
    if known.expects == "deal":
        return replace(known, expects="block", hand=hand)
    if known.expects != "mirrored" or known.current != known.place:
        raise Confused("cards out of turn")
    new = fresh[0] if known.acted == "taken" and len(fresh) == 1 else None
    return replace(known, hand=hand, new=new, taken=fresh)


# --- a turn block -----------------------------------------------------------------------------------------------------


def _asked(known: Known, message: FromServer) -> tuple[Known, tuple[Event, ...]]:
    """Take a part of a turn block; the time completes it, and a player is asked for a move."""
    if known.expects not in {"block", "mirrored"}:
        raise Confused(f"{type(message).__name__} where {known.expects} is to come")
    match message:
        case messages.Draw(count):
            return replace(known, penalty=count), ()
        case messages.WishIs(suit):
            return replace(known, suit=suit), ()
        case messages.Stack(card):
            return _stacked(known, card)
        case messages.Cards(counts):
            return _counted_cards(known, counts), ()
        case messages.OnTurn(number):
            known = _counting(known, number)
            return _turned(known, _place(known, number))
        case messages.Time(milliseconds):
            return _timed(known, milliseconds), ()
        case _:
            raise Confused(f"{type(message).__name__} in the middle of a turn block")


def _stacked(known: Known, card: Card) -> tuple[Known, tuple[Event, ...]]:
    if known.top is None:
        return replace(known, top=card), ()
    if card != known.top:
        raise Confused(f"{card} lies on top, where {known.top} was laid")
    return replace(known, pile=1), (model.Reshuffled(card),)


def _counted_cards(known: Known, counts: tuple[int, ...]) -> Known:
    if known.points and len(counts) != len(known.points):
        raise Confused(f"{len(counts)} players, where there were {len(known.points)}")
    if not known.points:  # in the very first block only empty seats have no cards
        empty = frozenset(place for place, count in enumerate(counts) if not count)
        known = replace(known, points=((),) * len(counts), gone=known.gone | empty)
    return replace(known, counts=counts)


def _turned(known: Known, place: int) -> tuple[Known, tuple[Event, ...]]:
    if place >= len(known.counts) or place in known.gone or known.top is None:
        raise Confused(f"nobody with the id {place + known.base} plays")
    if known.place >= len(known.counts) or known.counts[known.place] != len(known.hand):
        raise Confused("the number of one's own cards is another")
    begun = (model.RoundBegins(place, known.round, known.rounds, known.top),) if known.current is None else ()
    mine = place == known.place and known.current == place
    drawn = known.new if mine and known.acted == "taken" else None
    return replace(known, current=place, must_wish=mine and known.acted == "jack", drawn=drawn), begun


def _timed(known: Known, milliseconds: int) -> Known:
    if known.top is None or not known.counts or known.current is None:
        raise Confused("a turn block that lacks something")
    return replace(known, expects="move", milliseconds=milliseconds, turn=known.turn + 1, acted="", new=None)


# --- moves ------------------------------------------------------------------------------------------------------------


def _mirrored(known: Known, message: FromServer) -> tuple[Known, tuple[Event, ...]]:
    """Take the move of the player on turn."""
    place = known.current
    if place is None:
        raise Confused("a move of nobody")
    mine = place == known.place
    after = replace(known, expects="mirrored", must_wish=False, drawn=None, taken=() if mine else known.taken)
    match message:
        case messages.Played(card):
            return _laid(after, place, card), (model.Played(place, card, left=known.counts[place] - 1),)
        case messages.Draw(count):
            acted: Literal["", "taken"] = "taken" if mine and not known.penalty else ""
            return replace(after, acted=acted), (model.Took(place, count, known.penalty > 0),)
        case messages.WishIs(suit) if suit is not None:
            return after, (model.Wished(place, suit),)
        case messages.Finished():
            jacks = known.counts[place]
            return replace(after, hand=() if mine else after.hand), (model.Finished(place, jacks),)
        case _:
            raise Confused("a wish for nothing")


def _laid(known: Known, place: int, card: Card) -> Known:
    if place == known.place:
        if card not in known.hand:
            raise Confused(f"one has laid {card}, which one does not hold")
        hand = tuple(one for one in known.hand if one != card)
        known = replace(known, hand=hand, acted="jack" if card.rank == Rank.JACK else "")
    return replace(known, top=card, pile=known.pile + 1)


def _gone(known: Known, place: int) -> tuple[Known, tuple[Event, ...]]:
    gone = replace(known, gone=known.gone | {place}, left=known.left | {place})
    if place == known.place:
        return replace(gone, expects="closed"), ()
    if known.expects == "move" and place == known.current:
        gone = replace(gone, expects="block", must_wish=False, drawn=None)
    return gone, (Left(place), model.Forfeited(place))


def _counted(known: Known, totals: tuple[int, ...]) -> tuple[Known, tuple[Event, ...]]:
    """Take the totals at the end of a round; the last one ends the game."""
    before = known.points or ((),) * len(totals)
    if len(before) != len(totals):
        raise Confused(f"totals of {len(totals)} players, where there were {len(before)}")
    now = [new_total(sum(old), byte) for old, byte in zip(before, totals, strict=True)]
    points = tuple((*old, total - sum(old)) for old, total in zip(before, now, strict=True))
    left = [place for place in range(len(now)) if place not in known.gone]
    over = known.round >= known.rounds or len(left) < 2
    after = replace(known, expects="closed" if over else "result", points=points, current=None)
    winner = known.current if known.current is not None and known.expects == "mirrored" else known.place
    events: list[Event] = [model.RoundOver(winner, known.round)] if known.expects == "mirrored" else []
    events += [model.Scored(place, points[place][-1], now[place]) for place in left]
    if over and len(left) < 2:
        events += [model.GaveUp(place) for place in left]
    elif over and len(known.counts) != len(totals):
        raise Confused(f"totals of {len(totals)} players at the end, where {len(known.counts)} were dealt cards")
    elif over:
        events += _verdict(after, left)
    return after, tuple(events)


def _verdict(known: Known, left: Sequence[int]) -> list[Event]:
    """Return the losers and winners, as the server's table names them."""
    played = _players(known)
    found: list[Event] = [model.Lost(one.place, one.total) for one in losers(played) if one.place in left]
    return found + [model.Won(one.place, one.total) for one in winners(played) if one.place in left]
