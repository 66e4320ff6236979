"""A table's next game before it begins: the sealed deck, the words that decide how it is dealt, the options. Pure.

Owns when a deck is sealed, whose word counts, and until when; `engine.sealing` has the arithmetic. Owns who may choose
the options of the games to come: the master, while no game runs. They belong to the table: they stay until they are
changed, whoever is the master, or until the table is empty. Never knows what an option means. Invariants: while
somebody sits and no game runs there is a deck, and its seal has been announced; only the game that is dealt from a deck
replaces it; a word is given after the seal was announced, by a seated person, and is dropped when they leave. So a word
that the house could have known when it shuffled does not count.
"""

from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from yawc_poker.engine import sealing
from yawc_poker.engine.changes.attendance import own_seat
from yawc_poker.engine.changes.effects import log
from yawc_poker.engine.changes.events import OptionsChosen, Sealed, WordGiven
from yawc_poker.engine.game import Chance, EventT, Game, IllegalMove, MoveT, OptionsT, StateT
from yawc_poker.engine.sealing import PlayerWord
from yawc_poker.engine.values import (
    Clocks,
    NextDeck,
    Table,
    persons,
    seat_of,
    seated,
)


def prepared(
    table: Table[StateT, EventT], game: Game[StateT, MoveT, EventT, OptionsT], rng: Chance
) -> Table[StateT, EventT]:
    """Seal a deck for the next game and announce its seal, if that is due; called before each commit of a table."""
    if table.next_deck is not None or table.game is not None or not game.DECK or not seated(table):
        return table
    return announced(replace(table, next_deck=NextDeck(sealing.shuffle(game.DECK, rng))))


def announced(table: Table[StateT, EventT]) -> Table[StateT, EventT]:
    """Log the seal of the next deck, if there is one: also for the first person at a table that was left with it."""
    return table if table.next_deck is None else log(table, Sealed(sealing.seal(table.next_deck.deck)), None)


def owes_word(table: Table[StateT, EventT], session: int) -> bool:
    """Return whether a session sits here and has not given a word for the next game."""
    if table.next_deck is None:
        return False
    seat = seat_of(table, session)
    return seat is not None and all(word.seat != seat for word in table.next_deck.words)


def draw_word(table: Table[StateT, EventT], session: int, rng: Chance) -> Table[StateT, EventT]:
    """Draw a word for a session that owes one; a word that was given is not drawn again."""
    seat = seat_of(table, session)
    if seat is None or not owes_word(table, session):
        return table
    return _with_word(table, PlayerWord(seat, sealing.drawn_word(rng)))


def give_word(table: Table[StateT, EventT], session: int, text: str) -> Table[StateT, EventT]:
    """Replace the drawn word with the player's own for the next game, and log it for all.

    Raise "not_seated", "bad_word" (`most` characters), or "word_late" if no deck is sealed, as while a game runs.
    """
    seat = own_seat(table, session)
    if table.next_deck is None:
        raise IllegalMove("word_late")
    if not sealing.is_word(text):
        raise IllegalMove("bad_word", most=sealing.MOST_LETTERS)
    if PlayerWord(seat, text) in table.next_deck.words:
        return table
    return log(_with_word(table, PlayerWord(seat, text)), WordGiven(seat, text), seat)


def without_word(table: Table[StateT, EventT], seat: int) -> Table[StateT, EventT]:
    """Drop the word of a person who has left."""
    if table.next_deck is None:
        return table
    words = tuple(word for word in table.next_deck.words if word.seat != seat)
    return replace(table, next_deck=replace(table.next_deck, words=words))


def words_of(
    table: Table[StateT, EventT],
    game: Game[StateT, MoveT, EventT, OptionsT],
    seats: Mapping[int, int],
    options: OptionsT,
) -> tuple[PlayerWord, ...]:
    """Return the words of those who play if a game begins now, by seat; empty for a player without one."""
    given = {} if table.next_deck is None else {word.seat: word for word in table.next_deck.words}
    return tuple(given.get(seat, PlayerWord(seat, "")) for seat in game.players(seats, options))


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
    "not_seated", "game_running", "not_master", and before the last two what `change` raises.
    """
    seat = own_seat(table, session)
    options = change(options_of(table, game, usual))
    if table.game is not None:
        raise IllegalMove("game_running")
    if table.master != seat:
        raise IllegalMove("not_master")
    if options == options_of(table, game, usual):
        return table
    text = msgspec.json.encode(options).decode()
    table = replace(table, options="" if options == usual else text)
    if len(persons(table)) > 1:
        table = with_time_to_read(table, now, clocks)
    return log(table, OptionsChosen(seat, text), seat)


def with_time_to_read(table: Table[StateT, EventT], now: float, clocks: Clocks) -> Table[StateT, EventT]:
    """Begin the pause anew: nobody is dealt in before they could read what is at stake, and leave."""
    return replace(table, pause_until=max(table.pause_until, now + clocks.pause))


def _with_word(table: Table[StateT, EventT], word: PlayerWord) -> Table[StateT, EventT]:
    table = without_word(table, word.seat)
    if table.next_deck is None:
        return table
    words = tuple(sorted((*table.next_deck.words, word), key=lambda one: one.seat))
    return replace(table, next_deck=replace(table.next_deck, words=words))
