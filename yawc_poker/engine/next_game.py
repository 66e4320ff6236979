"""A table's next game before it begins: the sealed deck, and the options. Pure.

Owns when a deck is sealed; `engine.sealing` has the arithmetic, `engine.opening` what players are committed to. Owns
who may choose the options of the games to come: the master, while no game runs nor begins. They belong to the table:
they stay until they are changed, whoever is the master, or until the table is empty. Never knows what an option means.
Invariants: while somebody sits and no game runs there is a deck, and its seal has been announced; only the game that is
dealt from a deck replaces it, or a start that was given up. Players commit to texts after the seal was announced, so
one that the house could have known when it shuffled does not count.
"""

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import sealing
from yawc_poker.engine.effects import log
from yawc_poker.engine.events import OptionsChosen, Sealed
from yawc_poker.engine.game import Chance, EventT, Game, IllegalMove, MoveT, OptionsT, Rules, StateT
from yawc_poker.engine.reserving import need_free
from yawc_poker.engine.values import Clocks, NextDeck, Table, own_seat, persons, seated


def prepared(table: Table[StateT, EventT], game: Rules[StateT, EventT], rng: Chance) -> Table[StateT, EventT]:
    """Seal a deck for the next game and announce its seal, if that is due; called before each commit of a table."""
    if table.next_deck is not None or table.game is not None or not game.DECK or not seated(table):
        return table
    return announced(replace(table, next_deck=NextDeck(sealing.shuffle(game.DECK, rng))))


def announced(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Log the seal of the next deck, if there is one: also for the first person at a table that was left with it."""
    return table if table.next_deck is None else log(table, Sealed(sealing.seal(table.next_deck.deck)), None)


def options_of(table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT], usual: OptionsT) -> OptionsT:
    """Return the options of the next game: those that were chosen for this table, else the `usual` ones."""
    return game.read_options(table.options) if table.options else usual


def choose(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    session: int,
    usual: OptionsT,
    change: Callable[[OptionsT], OptionsT],
    now: float,
    clocks: Clocks,
) -> Table[StateT, EventT]:
    """Choose the options of the games to come, and log them for all; `change` makes them of the present ones.

    A pause follows where others sit (`with_time_to_read`), who may leave. The same options again change nothing. Raise
    "not_seated", "reserved_fixed", "game_running", "frozen" while one begins, "not_master", and before these three what
    `change` raises.
    """
    seat = own_seat(table, session)
    need_free(table)
    options = change(options_of(table, game, usual))
    need_decider(table, seat)
    if options == options_of(table, game, usual):
        return table
    text = msgspec.json.encode(options).decode()
    table = replace(table, options="" if options == usual else text)
    if len(persons(table)) > 1:
        table = with_time_to_read(table, now, clocks)
    return log(table, OptionsChosen(seat, text), seat)


def need_decider(table: Table[StateT, EventT], seat: int) -> None:
    """Raise as `choose` where the one in a seat may not decide now how the next game is played."""
    need_free(table)
    if table.game is not None:
        raise IllegalMove("game_running")
    if table.opening is not None:
        raise IllegalMove("frozen")
    if table.master != seat:
        raise IllegalMove("not_master")


def with_time_to_read(table: Table[StateT, EventT], now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Begin the pause anew: nobody is dealt in before they could read what is at stake, and leave."""
    return replace(table, pause_until=max(table.pause_until, now + clocks.pause))
