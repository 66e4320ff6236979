"""The answers to `yawcctl tournament`."""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from msgspec.structs import asdict

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import Connection
from yawc_poker.control.protocol import BadRequest
from yawc_poker.control.requests import Asked, request_row
from yawc_poker.extras.tournaments import protocol, rows
from yawc_poker.extras.tournaments.duties import look_again
from yawc_poker.extras.tournaments.letters import write
from yawc_poker.extras.tournaments.matches import match_of
from yawc_poker.extras.tournaments.rows import Plan, Refused, Tournament
from yawc_poker.terminal.text import clean

log = logging.getLogger(__name__)


def row_of(instance: Instance, one: Tournament) -> protocol.TournamentRow:
    """Return a tournament as `yawcctl` prints it. Raise `StoreError`."""
    with instance.bank.store.reading() as books:
        there, held = rows.entrants(books, one.id), rows.fees(books, one.id)
    known, host = asdict(one), instance.accounts.names([one.host]).get(one.host, "") if one.host else ""
    known |= {"number": one.id, "host": host, "entrants": len(there), "fees": held}
    return protocol.TournamentRow(**{name: known[name] for name in protocol.TournamentRow.__struct_fields__})


def _list(request: protocol.ListTournaments, asked: Asked) -> Iterator[protocol.TournamentRow]:
    with asked.instance.bank.store.reading() as books:
        found = [*rows.live(books), *rows.past(books, request.limit)]
    for one in found:
        yield row_of(asked.instance, one)


def _show(request: protocol.ShowTournament, asked: Asked) -> Iterator[protocol.Standings]:
    one = _found(asked.instance, request.number)
    with asked.instance.bank.store.reading() as books:
        order, prizes = rows.table_of(books, one.id), rows.paid(books, one.id)
    names = asked.instance.accounts.names([each.user for each in order])
    yield protocol.Standings(
        row_of(asked.instance, one),
        [
            protocol.PlaceRow(
                each.rank,
                names.get(each.user, f"#{each.user}"),
                each.points,
                each.opposition,
                each.won,
                prizes.get(each.user, 0),
                each.out,
            )
            for each in order
        ],
    )


def _found(instance: Instance, number: int) -> Tournament:
    try:
        with instance.bank.store.reading() as books:
            return rows.find(books, number)
    except Refused:
        raise BadRequest(f"there is no tournament {number}") from None


def _call(request: protocol.CallTournament, asked: Asked) -> Iterator[protocol.TournamentRow]:
    instance = asked.instance
    if not any(cell.game == request.kind for cell in instance.segment.cells):
        here = sorted({cell.game for cell in instance.segment.cells})
        raise BadRequest(f"no table has the game {request.kind[:20]!r}; there are {', '.join(here)}")
    match = match_of(request.kind)
    if request.length > match.most:
        raise BadRequest(f"a match of {request.kind} has a length from 1 to {match.most}")
    plan = Plan(
        request.kind,
        clean(request.name, protocol.NAME).strip(),
        0,
        request.starts,
        request.every,
        0 if match.chips else request.rounds,
        request.length or match.usual,
        request.entry,
        request.swiss,
    )
    store = instance.bank.store
    with store.writing() as books:
        one = rows.find(books, rows.call(books, store.clock(), plan))
    look_again(instance)
    log.info("%s calls tournament %d: %s", asked.by, one.id, one.kind)
    yield row_of(instance, one)


def _begin(request: protocol.BeginTournament, asked: Asked) -> Iterator[protocol.TournamentRow]:
    log.info("%s lets tournament %d begin", asked.by, request.number)
    yield _changed(asked.instance, request.number, rows.hasten, "has begun already")


def _call_off(request: protocol.CallOffTournament, asked: Asked) -> Iterator[protocol.TournamentRow]:
    log.info("%s calls off tournament %d", asked.by, request.number)
    row = _changed(asked.instance, request.number, partial(rows.call_off, running=True), "is over")
    write(asked.instance, _found(asked.instance, request.number), "off")
    yield row


def _changed(
    instance: Instance, number: int, change: Callable[[Connection, float, int], None], refusal: str
) -> protocol.TournamentRow:
    store = instance.bank.store
    _found(instance, number)
    try:
        with store.writing() as books:
            change(books, store.clock(), number)
    except Refused:
        raise BadRequest(f"tournament {number} {refusal}") from None
    look_again(instance)
    return row_of(instance, _found(instance, number))


ANNOUNCED: Final = (
    request_row(protocol.ListTournaments, _list),
    request_row(protocol.ShowTournament, _show),
    request_row(protocol.CallTournament, _call),
    request_row(protocol.BeginTournament, _begin),
    request_row(protocol.CallOffTournament, _call_off),
)
