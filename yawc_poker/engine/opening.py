"""A game that begins: what players are committed to is frozen, their texts are revealed, then it is dealt. Pure.

Owns what a player may commit to and until when, whose text counts, and what becomes of a start in which a text is not
revealed; `engine.sealing` has the arithmetic, `engine.next_game` seals the decks. docs/fairness.md has what follows
from it.

A start freezes the commitments of all who play. Each session then reveals its player's text, and the last one deals.
Until then nobody's part can be changed: no commitment, no option, no seat of a player. Who leaves meanwhile keeps the
seat until the game is dealt (`hold_back`), and leaves that. If a text is missing when the time is over, nobody plays
that deck: the next one is sealed, and the others commit anew (the stage "commit", then "draw"), and are frozen again.

Invariants: an opening exists only between games. While texts are revealed its players sit where they sat, and nobody
else is dealt in. A text counts only if it gives the hash that was frozen. So whoever is committed to a text that nobody
else knows has a hand that nobody chose, and whoever is missing decides nothing but that this deck is not dealt.
"""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import events, sealing, transcript
from yawc_poker.engine.absence import looking_on
from yawc_poker.engine.effects import advance, funded, led_by, log, turn_ends, with_seat
from yawc_poker.engine.game import Dealing, EventT, Game, IllegalMove, MoveT, OptionsT, Rules, StateT
from yawc_poker.engine.next_game import with_time_to_read
from yawc_poker.engine.sealing import Commitment, Custody, Discarded, Frozen, Missing, PlayerWord
from yawc_poker.engine.transcript import Action, Dealt, Participant, detail
from yawc_poker.engine.values import Barred, Change, Clocks, Opening, Seat, Table, is_here, own_seat, persons, seat_of

SITS_OUT: Final = 3
"""Games that a player sits out who has withheld a text."""
AGAIN_SECONDS: Final = 3.0
"""How long a game that the bank could not deal waits at most before it is tried again."""
MOST_DISCARDED: Final = 4
"""Deals that may come to nothing one after the other, so that a table always fits its cell."""

# --- before a start --------------------------------------------------------------------------------------------------


def owes_commitment(table: Table[StateT, EventT], session: int, *, by_hand: bool = False) -> bool:
    """Return whether a session sits here and is not committed to a text for the next game, and may be.

    `by_hand`: its player was, for the deck that was discarded, and has some seconds to do so again.
    """
    if table.next_deck is None or _reveals(table):
        return False
    if by_hand and table.opening is not None and table.opening.stage == "commit":
        return False
    seat = seat_of(table, session)
    return seat is not None and all(one.seat != seat for one in table.next_deck.commitments)


def commit(
    table: Table[StateT, EventT],
    session: int,
    digest: str,
    custody: Custody,
    now: float,
    clocks: Clocks,
    *,
    told: bool = False,
) -> Table[StateT, EventT]:
    """Commit the player of a session to a text for the next game.

    If it is to be `told`, or replaces another one, it is logged, and a pause follows where others sit. Raise
    "not_seated", "word_late" while a game runs, "frozen" while one begins, "bad_commitment", or "commitment_taken":
    another player at this table has the same one.
    """
    seat = own_seat(table, session)
    if table.next_deck is None:
        raise IllegalMove("word_late")
    if _reveals(table):
        raise IllegalMove("frozen")
    if not sealing.is_commitment(digest):
        raise IllegalMove("bad_commitment")
    mine = Commitment(seat, digest, custody)
    others = tuple(one for one in table.next_deck.commitments if one.seat != seat)
    if any(one.hash == digest for one in others):
        raise IllegalMove("commitment_taken")
    if mine in table.next_deck.commitments:
        return table
    told = told or len(others) < len(table.next_deck.commitments)
    known = tuple(sorted((*others, mine), key=lambda one: one.seat))
    table = replace(table, next_deck=replace(table.next_deck, commitments=known))
    if told:
        table = log(table, events.Committed(seat, digest), seat)
        if len(persons(table)) > 1 and table.opening is None:
            table = with_time_to_read(table, now, clocks)
    return _frozen_if_complete(table, now, clocks)


def without_commitment(table: Table[StateT, EventT], seat: int) -> Table[StateT, EventT]:
    """Drop what a player who leaves a seat was committed to, also beside a game that begins without them."""
    if table.next_deck is None or is_frozen(table, seat):
        return table
    kept = tuple(one for one in table.next_deck.commitments if one.seat != seat)
    return replace(table, next_deck=replace(table.next_deck, commitments=kept))


# --- frozen ----------------------------------------------------------------------------------------------------------


def begin(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    master: int,
    cash: Mapping[int, int],
    options: OptionsT,
    now: float,
    clocks: Clocks,
) -> Table[StateT, EventT]:
    """Freeze what all who are here and can play are committed to; the deck is sealed."""
    people = {seat: who for seat, who in enumerate(table.seats) if who is not None and is_here(who)}
    options = game.seated(options, {seat: who.user for seat, who in people.items()})
    playing = game.players({seat: cash.get(seat, 0) for seat in people}, options)
    frozen = tuple(Frozen(seat, people[seat].user, people[seat].name, people[seat].session) for seat in playing)
    beside = tuple(who.user for seat, who in people.items() if seat not in playing)
    text = msgspec.json.encode(options).decode()
    return _freeze(table, Opening("reveal", text, frozen, beside, master), now, clocks)


def is_frozen(table: Table[StateT, EventT], seat: int) -> bool:
    """Return whether the player in a seat is about to be dealt in, so that the seat is theirs until then."""
    return table.opening is not None and _reveals(table) and any(one.seat == seat for one in table.opening.frozen)


def owed(table: Table[StateT, EventT], session: int) -> Frozen | None:
    """Return the part in the deal whose text this session has still to reveal; None: there is none."""
    if table.opening is None or not _reveals(table):
        return None
    seat = seat_of(table, session)
    return next(
        (one for one in table.opening.frozen if one.owes and (one.session == session or one.seat == seat)), None
    )


def revealed(table: Table[StateT, EventT], session: int, text: str) -> Table[StateT, EventT]:
    """Take the text of a session's player. Raise "nothing_to_reveal", or "wrong_text": it does not give the hash."""
    mine = owed(table, session)
    if table.opening is None or mine is None:
        raise IllegalMove("nothing_to_reveal")
    if not sealing.is_text(text) or sealing.commitment(text) != mine.hash:
        raise IllegalMove("wrong_text")
    frozen = tuple(replace(one, text=text) if one is mine else one for one in table.opening.frozen)
    return replace(table, opening=replace(table.opening, frozen=frozen))


def is_ready(table: Table[StateT, EventT]) -> bool:
    """Return whether a game begins and all texts are there."""
    return table.opening is not None and _reveals(table) and not any(one.owes for one in table.opening.frozen)


def postponed(table: Table[StateT, EventT], now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Tell once that the game is dealt when the bank can be asked; all texts are there, so nothing of it can change."""
    if not is_ready(table):
        return table
    is_told = bool(table.log) and isinstance(table.log[-1].event, events.WaitsForBank)
    table = replace(table, deadline=now + min(clocks.reveal, AGAIN_SECONDS))
    return table if is_told else log(table, events.WaitsForBank(), None)


def hold_back(table: Table[StateT, EventT], seat: int, now: float) -> Table[StateT, EventT]:
    """Keep the seat of a player who leaves before they are dealt in: it is due to be freed as soon as they are."""
    who = table.seats[seat]
    if who is None or (who.held and who.held <= now):
        return table
    return replace(table, seats=with_seat(table.seats, seat, replace(who, held=now)))


def deal(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    cash: Mapping[int, int],
    now: float,
    clocks: Clocks,
) -> Change[StateT, EventT]:
    """Deal the game that begins, by all texts. Its players are those who were frozen, whatever they do meanwhile.

    Who cannot pay any more counts as one whose text is lost.
    """
    opening = table.opening
    assert opening is not None, "nothing was started"
    table, options = funded(table, game, cash), game.read_options(opening.options)
    seats = {one.seat: cash.get(one.seat, 0) for one in opening.frozen}
    playing = game.players(seats, options)
    if poor := [one for one in opening.frozen if one.seat not in playing]:
        return Change(
            _discard(table, game, [Missing(one.seat, one.user, one.name, "lost") for one in poor], now, clocks)
        )
    beside = {
        seat: cash.get(seat, 0)
        for seat, who in enumerate(table.seats)
        if who is not None and who.user in opening.beside and is_here(who) and seat not in seats
    }
    if game.players({**seats, **beside}, options) == playing:  # else they can pay by now, and were not frozen
        seats = {**seats, **beside}
    deck = None if table.next_deck is None else table.next_deck.deck
    words = tuple(PlayerWord(one.seat, one.text) for one in opening.frozen)
    dealing = Dealing("") if deck is None else sealing.dealing(deck, words)
    step = game.deal(seats, opening.master, dealing, options)
    forfeits = _owing(table, seats)
    ante = max([payment.amount for payment in step.payments if forfeits], default=0)
    book = transcript.begin(now, deck, words, opening.frozen, table.discarded, forfeits, ante)
    people = tuple(
        Participant(at, who.user, who.name, cash.get(at, 0), who.program)
        for at, who in enumerate(table.seats)
        if who is not None and at in seats
    )
    dealt = Dealt(opening.master, people, msgspec.Raw(opening.options.encode()))
    table = replace(table, last=None, number=table.number + 1, action=0, pot=0, deadline=turn_ends(now, clocks))
    players = tuple([who.user if who is not None and seat in seats else 0 for seat, who in enumerate(table.seats)])
    names = tuple([who.name if who is not None and seat in seats else "" for seat, who in enumerate(table.seats)])
    table = replace(table, due=(), debts=(), players=players, names=names, opening=None, discarded=(), helped=())
    table = _forfeited(one_game_less(table, opening.forfeits), forfeits, ante)
    master = opening.master
    table = log(replace(table, next_deck=None, transcript=book), events.Started(master), master)
    if book.seal:
        table = log(table, events.DealtBy(book.seal, book.words), None)
    who = table.seats[master]
    action = Action(0, 0, "deal", master, 0 if who is None else who.user, detail(dealt))
    change = advance(table, game, step, now, clocks, action)
    return looking_on(change, game, now, clocks, seats)


def _owing(table: Table[StateT, EventT], seats: Collection[int]) -> tuple[int, ...]:
    """Return the users who owe the game that is dealt an ante for texts that they withheld, also at earlier starts.

    A start for which too few are left has no pot, so the next game gets it. Who is dealt in owes nothing beside.
    """
    dealt = {who.user for seat, who in enumerate(table.seats) if who is not None and seat in seats}
    withheld = [one.user for gone in table.discarded for one in gone.missing if one.why == "withheld"]
    return tuple(user for user in dict.fromkeys(withheld) if user not in dealt)


# --- when the time is over -------------------------------------------------------------------------------------------


def overdue(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    cash: Mapping[int, int],
    now: float,
    clocks: Clocks,
) -> Change[StateT, EventT]:
    """End a stage of an opening whose time is over.

    A text that a device holds was withheld; one that a session of this house holds was lost with it, which is nobody's
    fault.
    """
    opening = table.opening
    assert opening is not None, "nothing was started"
    match opening.stage:
        case "reveal":
            if is_ready(table):
                return deal(table, game, cash, now, clocks)
            missing = [
                Missing(one.seat, one.user, one.name, "withheld" if one.custody == "device" else "lost")
                for one in opening.frozen
                if one.owes
            ]
            return Change(_discard(table, game, missing, now, clocks))
        case "commit":
            table = replace(table, opening=replace(opening, stage="draw"), deadline=now + clocks.reveal)
            return Change(log(table, events.ByHandOver(), None))
        case "draw":
            table = _freeze(table, opening, now, clocks)
            return deal(table, game, cash, now, clocks) if is_ready(table) else Change(table)


def without_player(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], seat: int, now: float, clocks: Clocks
) -> Table[StateT, EventT]:
    """Go on with a start without somebody who has left before the commitments were frozen again."""
    opening = table.opening
    if opening is None or _reveals(table) or all(one.seat != seat for one in opening.frozen):
        return table
    left = tuple(one for one in opening.frozen if one.seat != seat)
    return _frozen_if_complete(_go_on(table, game, replace(opening, frozen=left), now, clocks), now, clocks)


def barred_shown(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Return the table with the games that somebody sits out shown in their seat."""
    games = {one.user: one.games for one in table.barred}
    seats = table.seats
    for seat, who in enumerate(table.seats):
        if who is not None and who.out != games.get(who.user, 0):
            seats = with_seat(seats, seat, replace(who, out=games.get(who.user, 0)))
    return table if seats is table.seats else replace(table, seats=seats)


def one_game_less(table: Table[StateT, EventT], fresh: Collection[int] = ()) -> Table[StateT, EventT]:
    """Count a game for those who sit out, but for those who do so because of its start.

    A master's clock that runs out counts as a game, too: perhaps none can be played without them.
    """
    if not table.barred:
        return table
    left = [one if one.user in fresh else replace(one, games=one.games - 1) for one in table.barred]
    return barred_shown(replace(table, barred=tuple(one for one in left if one.games > 0)))


# --- inside ----------------------------------------------------------------------------------------------------------


def _reveals(table: Table[StateT, EventT]) -> bool:
    return table.opening is not None and table.opening.stage == "reveal"


def _freeze(table: Table[StateT, EventT], opening: Opening, now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Fix what the players of an opening are committed to now; who is not committed plays with an empty text."""
    known = {} if table.next_deck is None else {one.seat: one for one in table.next_deck.commitments}
    frozen = tuple(_fixed(one, table.seats[one.seat], known.get(one.seat)) for one in opening.frozen)
    opening = replace(opening, stage="reveal", frozen=frozen)
    table = replace(table, opening=opening, deadline=now + clocks.reveal)
    if any(one.custody == "device" for one in frozen):
        table = log(table, events.Fixed(opening.master, round(clocks.reveal)), opening.master)
    return table


def _fixed(one: Frozen, who: Seat | None, known: Commitment | None) -> Frozen:
    session = one.session if who is None else who.session
    if known is None:
        return replace(one, session=session, hash="", custody="session", text="")
    return replace(one, session=session, hash=known.hash, custody=known.custody, text="")


def _frozen_if_complete(table: Table[StateT, EventT], now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Freeze an opening for which all who are left are committed anew."""
    opening = table.opening
    if opening is None or table.next_deck is None or _reveals(table):
        return table
    committed = {one.seat for one in table.next_deck.commitments}
    return _freeze(table, opening, now, clocks) if committed >= {one.seat for one in opening.frozen} else table


def _discard(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], missing: Collection[Missing], now: float, clocks: Clocks
) -> Table[StateT, EventT]:
    """Return the table without a deck for which texts are missing; the others begin anew, if they are enough."""
    opening = table.opening
    assert opening is not None
    assert table.next_deck is not None, "a text was committed to without a deck"
    gone = Discarded(table.next_deck.deck, opening.frozen, tuple(missing))
    discarded = (*table.discarded, gone)[-MOST_DISCARDED:]
    for one in missing:
        table = log(table, events.Unrevealed(one.seat, one.why), one.seat, left=Seat(0, one.user, one.name, 0))
    withheld = [one.user for one in missing if one.why == "withheld"]
    barred = [one for one in table.barred if one.user not in withheld] + [Barred(user, SITS_OUT) for user in withheld]
    table = barred_shown(replace(table, next_deck=None, discarded=discarded, barred=tuple(barred)))
    away = {one.user for one in missing}
    left = tuple(one for one in opening.frozen if one.user not in away and _stays(table.seats[one.seat], one.user))
    forfeits = (*opening.forfeits, *withheld)
    opening = replace(opening, stage="commit", frozen=left, forfeits=forfeits)
    if len(discarded) == MOST_DISCARDED:
        return _over(table, now, clocks)
    return _go_on(replace(table, deadline=now + clocks.reveal), game, opening, now, clocks)


def _forfeited(table: Table[StateT, EventT], users: Collection[int], ante: int) -> Table[StateT, EventT]:
    """Return the table with what those own who pay an ante without being dealt in, as far as they have it."""
    for seat, who in enumerate(table.seats):
        if who is not None and who.user in users:
            table = replace(table, seats=with_seat(table.seats, seat, replace(who, cash=max(who.cash - ante, 0))))
    return table


def _stays(who: Seat | None, user: int) -> bool:
    return who is not None and who.user == user and is_here(who)


def _go_on(
    table: Table[StateT, EventT], game: Rules[StateT, EventT], opening: Opening, now: float, clocks: Clocks
) -> Table[StateT, EventT]:
    """Return the table with an opening that waits for commitments, led by one of its players, or without it."""
    seats = [one.seat for one in opening.frozen]
    people = [seat for seat in persons(table) if seat in seats]
    if len(seats) < game.FEWEST or not people:
        return _over(table, now, clocks)
    master = opening.master
    if master not in people:
        master = next((seat for seat in people if seat > master), people[0])
    return led_by(replace(table, opening=replace(opening, master=master)), master)


def _over(table: Table[StateT, EventT], now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Return the table with a start that came to nothing; who sits out does not lead, if anybody else can."""
    table = replace(table, opening=None, deadline=now + clocks.master)
    able = [seat for seat in persons(table) if (who := table.seats[seat]) is not None and is_here(who)]
    if table.master is not None and able and table.master not in able:
        table = led_by(table, next((seat for seat in able if seat > (table.master or 0)), able[0]))
    return log(table, events.NotStarted(), None)
