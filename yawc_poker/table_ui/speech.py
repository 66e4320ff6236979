"""Sentences about any table: arrivals, departures, games, seals, payments; suits and cards in words. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

from yawc_poker.cards import SIGNS, SYMBOLS, Card, Rank, Suit
from yawc_poker.durations import clock
from yawc_poker.engine import events, sealing
from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.house import HOUSE_MARK, LEVELS, level_in
from yawc_poker.engine.opening import SITS_OUT
from yawc_poker.engine.sealing import TOLD, PlayerWord, word_in
from yawc_poker.engine.values import LogEntry, Table
from yawc_poker.table_ui.onlookers import called
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words, mark

SYSTEM = "[SYSTEM]"
"""Prefix of what the system does."""
INFO = "[INFO]"
"""Prefix of what players do."""
ROOM = 67
"""Cells of a message line after `SYSTEM` and a blank."""
_SHORT = 8
"""Digits of a seal that was told before the words, and is only to be recognised."""
_OF_COMMITMENT = 16
"""Digits of a commitment in a message line; `/seal` shows all."""
_SUITS = {
    Suit.CLUBS: mark("clubs"),
    Suit.SPADES: mark("spades"),
    Suit.HEARTS: mark("hearts"),
    Suit.DIAMONDS: mark("diamonds"),
}
LEVEL_NAMES: Final = dict(zip(LEVELS, (mark("easy"), mark("normal"), mark("hard")), strict=True))
"""How well house players play, in English, marked for the catalogues."""
_PHRASES: Final[Mapping[events.Phrase, str]] = {
    "hello": mark("Hello! Have a good game."),
    "thanks": mark("Thank you for the game!"),
    "well_played": mark("Well played!"),
}
_COURT = {
    Suit.CLUBS: (mark("ace of clubs"), mark("king of clubs"), mark("queen of clubs"), mark("jack of clubs")),
    Suit.SPADES: (mark("ace of spades"), mark("king of spades"), mark("queen of spades"), mark("jack of spades")),
    Suit.HEARTS: (mark("ace of hearts"), mark("king of hearts"), mark("queen of hearts"), mark("jack of hearts")),
    Suit.DIAMONDS: (
        mark("ace of diamonds"),
        mark("king of diamonds"),
        mark("queen of diamonds"),
        mark("jack of diamonds"),
    ),
}
"""The cards with letters, in the order of `_LETTERED`: some languages make one word of rank and suit."""
COURT: Final = {Rank.ACE: mark("ace"), Rank.KING: mark("king"), Rank.QUEEN: mark("queen"), Rank.JACK: mark("jack")}
"""The ranks with letters, and their names."""
_LETTERED = tuple(COURT)
ENGLISH_CARDS: Final = "A K Q J"
"""The letters of ace, king, queen and jack in English."""


def level_names(words: Words) -> Sequence[str]:
    """Return what the levels of house players are called, the easiest first."""
    return [words(LEVEL_NAMES[level]) for level in LEVELS]


def told_name(name: str, words: Words) -> str:
    """Return a name as it is read where there is no screen: a house player's level in words, not by its marks."""
    level = level_in(name)
    if level is None or not words.spoken:
        return name
    return words("{name} (house player, {level})", name=name.rstrip(HOUSE_MARK), level=words(LEVEL_NAMES[level]))


def bare_name(name: str) -> str:
    """Return a name without the marks of a house player's level, which were told when they came."""
    return name if level_in(name) is None else name.rstrip(HOUSE_MARK)


def suit_sign(suit: Suit, words: Words) -> str:
    """Return a suit's sign or symbol, whichever the caller has chosen."""
    return (SYMBOLS if words.symbols else SIGNS)[suit]


def in_symbols(text: str, words: Words) -> str:
    """Return a text that names suits behind their signs, with symbols in their place if the caller has chosen those."""
    for sign, symbol in zip(SIGNS, SYMBOLS, strict=True) if words.symbols else ():
        text = text.replace(f" {sign} ", f" {symbol} ")
    return text


def suit_name(suit: Suit, words: Words) -> str:
    """Return a suit's name with its sign; without it where it is spoken."""
    name = words(_SUITS[suit])
    return name if words.spoken else f"{name} {suit_sign(suit, words)}"


def rank_text(rank: Rank, words: Words) -> str:
    """Return a rank by its letter or number; where it is spoken, by its name."""
    if rank not in _LETTERED:
        return str(int(rank))
    return words(COURT[rank]) if words.spoken else letters(words).split()[_LETTERED.index(rank)]


def letters(words: Words) -> str:
    """Return the letters of the court cards: those of the caller's language, or the English ones if they chose them."""
    return ENGLISH_CARDS if words.english_cards else words("A K Q J")


def court(words: Words) -> dict[str, str]:
    """Return the court cards by the names that texts call them by: ``{ace}``, ``{king}``, ``{queen}``, ``{jack}``."""
    return {rank.name.lower(): rank_text(rank, words) for rank in _LETTERED}


def card_text(card: Card, words: Words) -> str:
    """Return rank and sign in the caller's language: ``Q+``, ``10#``; where it is spoken, the card's name."""
    return card_name(card, words) if words.spoken else f"{rank_text(card.rank, words)}{suit_sign(card.suit, words)}"


def card_name(card: Card, words: Words) -> str:
    """Return a card in words: "king of hearts"."""
    if card.rank in _LETTERED:
        return words(_COURT[card.suit][_LETTERED.index(card.rank)])
    return words("{rank} of {suit}", rank=int(card.rank), suit=words(_SUITS[card.suit]))


def in_words(text: str, words: Words) -> str:
    """Return a text with the cards in it, which are written by letters and signs, in words."""
    found_in, ranks = _written(words("A K Q J"))
    return found_in.sub(lambda found: ", ".join(card_name(_read(one, ranks), words) for one in found[0].split()), text)


@cache
def _written(letters: str) -> tuple[re.Pattern[str], Mapping[str, Rank]]:
    """Return where cards stand in a text, separated by blanks, and the ranks by these letters, and by the English."""
    english, own = (dict(zip(text.split(), _LETTERED, strict=True)) for text in (ENGLISH_CARDS, letters))
    ranks = english | own
    one = f"(?:10|[5-9{''.join(ranks)}])[{re.escape(SIGNS + SYMBOLS)}]"
    return re.compile(rf"(?<![\w\[]){one}(?: {one})*(?![\w-])"), ranks


def _read(text: str, ranks: Mapping[str, Rank]) -> Card:
    rank, sign = text[:-1], text[-1]
    return Card(ranks.get(rank) or Rank(int(rank)), Suit((SIGNS if sign in SIGNS else SYMBOLS).index(sign)))


def cards_text(cards: Iterable[Card], words: Words) -> str:
    """Return several cards, separated by blanks; spoken, by commas."""
    return _row((card_text(card, words) for card in cards), words)


def ranks_text(ranks: Iterable[Rank], words: Words) -> str:
    """Return several ranks, as `cards_text`."""
    return _row((rank_text(rank, words) for rank in ranks), words)


def _row(texts: Iterable[str], words: Words) -> str:
    return (", " if words.spoken else " ").join(texts)


def said(event: object, name: str, words: Words) -> str:
    """Return a line that somebody said at the table, or beside it; empty for other events."""
    match event:
        case events.Chat(text=text):
            return f"[{name}] {text}"
        case events.OnlookerChat(text=text):
            return f"[{called(name, words)}] {text}"
        case events.HouseSays(phrase=phrase):
            return f"[{name}] {words(_PHRASES[phrase])}"
        case _:
            return ""


def person(event: object, name: str, words: Words) -> str:
    """Return what somebody did at the table, in any game; empty for other events."""
    match event:
        case events.OnlookerChat(text=text):
            return f"{called(name, words)}: {text}"
        case events.OnlookersMay(speak=True):
            return words("{name} lets those who watch speak to the table.", name=name)
        case events.OnlookersMay():
            return words("{name} lets those who watch speak among themselves only.", name=name)
        case events.HintsMay(allowed=True):
            return words("{name} allows hints in the games to come.", name=name)
        case events.HintsMay():
            return words("{name} allows no hints in the games to come.", name=name)
        case events.TakesHints():
            return words("{name} takes hints in this game.", name=name)
        case events.SatDown() if (level := level_in(name)) is not None:
            shown = name.rstrip(HOUSE_MARK) if words.spoken else name
            return words("{name} sits down at the table; level: {level}.", name=shown, level=words(LEVEL_NAMES[level]))
        case events.SatDown():
            return words("{name} sits down at the table.", name=name)
        case events.Left():
            return words("{name} leaves the table.", name=name)
        case events.Started():
            return words("{name} starts a game.", name=name)
        case events.Committed(hash=digest):
            return words("{name} seals another word: {digits}", name=name, digits=digest[:_OF_COMMITMENT])
        case events.Fixed(seconds=seconds):
            return words("{name} starts. Words are due in {n} s; by hand: /reveal", name=name, n=seconds)
        case events.OptionsChosen():
            return words("{name} chooses how the next game is played:", name=name)
        case _:
            return ""


def system(event: object, name: str, words: Words) -> str:
    """Return what the system did, in any game; empty for other events."""
    match event:
        case events.Sealed(seal=seal):
            return _of_next(seal[:TOLD], words)
        case events.DealtBy(seal=seal, words=given):
            return _dealt_by(seal, given, words)
        case events.Paid(seat=None, amount=amount):
            return words("The pot held {amount} CUBES.", amount=amount)
        case events.Paid(amount=amount):
            return words("The pot held {amount} CUBES; {name} gets them all.", name=name, amount=amount)
        case events.NewMaster():
            return words("{name} is the new Game-Master.", name=name)
        case events.StakeBack(amount=amount):
            return words("{name} gets the stake of {amount} CUBES back.", name=name, amount=amount)
        case events.Removed():
            return words("{name} was removed from the table.", name=name)
        case events.SeatFreed():
            return words("{name}'s seat is free now.", name=name)
        case events.WentAway():
            return words("{name} is away.", name=name)
        case events.CameBack():
            return words("{name} is back.", name=name)
        case events.LineGone(seconds=seconds):
            return words("{name}'s line is gone; the seat is kept for {time}.", name=name, time=clock(seconds))
        case events.Unrevealed(why="withheld"):
            return words.count(
                "{name} withholds their word, and sits out {n} game.",
                "{name} withholds their word, and sits out {n} games.",
                SITS_OUT,
                name=name,
            )
        case events.Unrevealed():
            return words("{name} is not dealt in: their word is lost.", name=name)
        case events.ByHandOver():
            return words("For those who have sealed none again, their session draws a word.")
        case events.NotStarted():
            return words("No game begins: too few are left.")
        case events.WaitsForBank():
            return words("The bank cannot be reached; the game begins as soon as it can.")
        case events.PlaysForFun():
            return words("{name} has won today's share: with house players it is for fun.", name=name)
        case events.WentBack(amount=amount) if amount < 0:
            return words("{amount} CUBES of {name}'s go back to house players: for fun.", amount=-amount, name=name)
        case events.WentBack(amount=amount):
            return words("{name} gets {amount} CUBES back from house players: for fun.", amount=amount, name=name)
        case events.Voided(reason="ledger"):
            return words("The game was called off: the bank has already closed it.")
        case events.Voided():
            return words("The game was called off; everybody gets their stakes back.")
        case _:
            return ""


def _of_next(seal: str, words: Words) -> str:
    return words("Seal for the next game: {seal}", seal=seal)


def _of_these(seal: str, words: Words) -> str:
    return words("Seal of these cards: {seal}", seal=seal)


def _dealt_by(seal: str, given: Sequence[PlayerWord], words: Words) -> str:
    """Return in one line by which seal and words a game is dealt; where the words have no room, how to read them."""
    start = _of_these(seal[:_SHORT], words)
    both = f"{start}   " + words("Words: {words}", words=_given(given, words))
    return both if len(both) <= ROOM else f"{start}   " + words("(all words: /seal)")


def _given(given: Sequence[PlayerWord], words: Words) -> str:
    """Return the players' words by seat, without their random parts; an empty word is shown as none."""
    none = words("(none)")
    return ", ".join(f"{word.seat + 1} {word_in(word.text) or none}" for word in given)


def line(
    entry: LogEntry[EventT], text: str, words: Words, *, is_own: bool, loud: tuple[type, ...]
) -> tuple[str, Style]:
    """Return a log entry as a line, prefix and text, and its colour; in bold if it is of a kind that is `loud`.

    `text` is what has happened; `is_own`: a player did it.
    """
    if spoken := said(entry.event, entry.name, words):
        return spoken, Style.PLAIN
    style = Style.BOLD if isinstance(entry.event, loud) else Style.CYAN if is_own else Style.YELLOW
    return f"{INFO if is_own else SYSTEM} {text}", style


def with_terms(
    first: tuple[str, Style], event: object, terms: Callable[[str], Sequence[str]]
) -> tuple[tuple[str, Style], ...]:
    """Return a line, and below it, where options were chosen, how the next game is played by them."""
    chosen = event.options if isinstance(event, events.OptionsChosen) else ""
    more = term_lines(terms(chosen)) if chosen else []
    return (first, *((f"{SYSTEM} {text}", first[1]) for text in more))


def term_lines(terms: Sequence[str]) -> list[str]:
    """Return how a game is played, one sentence after the other, in lines that fit behind a prefix."""
    return [line for sentence in terms for line in wrap(sentence, ROOM)]


def hints_allowed(words: Words) -> str:
    """Return that hints may be taken at a table of people."""
    return words("Hints are allowed, on one's own turn.")


def seal_again(table: Table[StateT, EventT], words: Words) -> list[str]:
    """Return the whole seal of the cards in play, with the texts they are dealt by, and whose these are.

    Else of the next cards, with what players are committed to; while a game begins, with the texts revealed so far.
    """
    if table.transcript is not None and table.transcript.seal:
        seal, names = _of_these(table.transcript.seal, words), table.names
        given = {one.seat: one.text for one in table.transcript.words}
    elif table.next_deck is not None:
        seal = _of_next(sealing.seal(table.next_deck.deck), words)
        names = tuple(["" if who is None else who.name for who in table.seats])
        given = {one.seat: one.hash for one in table.next_deck.commitments}
        if table.opening is not None and table.opening.stage == "reveal":
            given = {one.seat: one.text or one.hash for one in table.opening.frozen}
    else:
        return []
    players = ", ".join(f"{seat + 1} {bare_name(names[seat])}" for seat in given)
    whose = [words("Players by seat: {names}", names=players)] if given else []
    return [seal, *whose, *(f"{seat + 1} {text or words('(none)')}" for seat, text in given.items())]


def seal_now(table: Table[StateT, EventT], words: Words) -> tuple[str, str]:
    """Return which cards are sealed, those in play or the next ones, and the whole seal; empty: none are."""
    if table.transcript is not None and table.transcript.seal:
        return words("Seal now"), table.transcript.seal
    if table.next_deck is None:
        return "", ""
    return words("Next seal"), sealing.seal(table.next_deck.deck)


def seal_line(table: Table[StateT, EventT], words: Words) -> str:
    """Return in one line what is sealed for the next game, as the table told it; empty while a game runs."""
    if table.game is not None or table.next_deck is None:
        return ""
    return _of_next(sealing.seal(table.next_deck.deck)[:TOLD], words)


def refusal(illegal: IllegalMove, seats: int, words: Words) -> str:
    """Return why any table refuses a command; a game's own refusals are not known here."""
    match illegal.reason:
        case "alone":
            return _too_few(illegal.values.get("here", 1), illegal.values.get("needed", 2), words)
        case "asleep":
            return words("Too few are there: a game needs at least {n} players.", n=illegal.values["needed"])
        case "closing":
            return words("The last game is still being settled.")
        case "table_full":
            return words("The table is full; there are only {n} seats.", n=seats)
        case "already_seated":
            return words("You sit at this table already.")
        case "gallery_closed":
            return words("The Game-Master does not let those who watch speak to the table.")
        case "no_house":
            return words("No house player sits here.")
        case "word_late":
            return words("The cards are dealt already: give your word after this game.")
        case "bad_word":
            return words(
                "A word has 1 to {most} ASCII letters, digits or symbols and no spaces.", most=illegal.values["most"]
            )
        case "frozen":
            return words("A game begins: nothing can be changed any more.")
        case "bad_commitment":
            return words("A commitment is a SHA256: 64 digits, 0 to 9 and a to f.")
        case "commitment_taken":
            return words("Another player has sealed the same: take one of your own.")
        case "nothing_to_reveal":
            return words("There is nothing for you to reveal now.")
        case "wrong_text":
            return words("That is not what you have sealed: its SHA256 is another one.")
        case "sits_out":
            return more_games_out(illegal.values["games"], words)
        case "too_late":
            return words("Your time is over.")
        case "not_master":
            return words("Only the Game-Master may do that.")
        case "game_running":
            return words("A game is running.")
        case "reserved":
            return words("This table is reserved for others at the moment.")
        case "reserved_fixed":
            return words("This table is reserved: who plays here, and how, is fixed.")
        case "reserved_waits":
            return words("The game begins by itself once all {n} players are here.", n=illegal.values["needed"])
        case "reserved_next":
            return words("A match of a tournament is next at this table.")
        case "reserved_over":
            return words("This round is over; if there is another, it begins by itself.")
        case "option_range":
            return words("Please type a number from {low} to {high}.", **illegal.values)
        case _:
            return words("That is not possible now.")


def more_games_out(games: int, words: Words) -> str:
    """Return for how many games after this one somebody is not dealt in, for a word that they withheld."""
    return words.count("You sit out {n} more game.", "You sit out {n} more games.", games)


def trick_refusal(illegal: IllegalMove, words: Words) -> str:
    """Return why a game of tricks refuses a card; empty for other refusals."""
    match illegal.reason:
        case "game_over":
            return words("The match is over.")
        case "not_your_turn":
            return words("It is not your turn.")
        case "not_held":
            return words("You do not hold that card.")
        case "must_follow":
            return words("You must follow suit: {suit}.", suit=suit_name(Suit(illegal.values["suit"]), words))
        case "must_follow_trump":
            return words("A trump was led: you must play a trump.")
        case _:
            return ""


def _too_few(here: int, needed: int, words: Words) -> str:
    if here == 1:
        return words("You are alone at the table: a game needs at least {n} players.", n=needed)
    return words("There are only {here} of you: a game needs at least {n} players.", here=here, n=needed)


def still_to_wait(seconds: int, words: Words) -> str:
    """Return how long it takes until a game may start (spec/poker.md 4.2)."""
    return words.count(
        "{n} second to wait until a new game may be started.",
        "{n} seconds to wait until a new game may be started.",
        seconds,
    )
