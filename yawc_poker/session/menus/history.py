"""`G` in the casino: the games that the caller has played, and for each the proof that its cards were fixed before.

Owns the list and the frame of a game's page. The proof is `session.menus.proof`'s, the books are
`casino.bank.history`'s, and the game itself tells the story, the results and the cards that a player may see
(`registry.games`). Only games at whose table the caller sat are shown.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from yawc_poker.casino.bank.history import Asked, GameLine, PastGame, PastPlayer, Summary, place_of
from yawc_poker.digits import decimal
from yawc_poker.engine.replay import Contradiction
from yawc_poker.page.protocol import Offer
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import find_game
from yawc_poker.registry.stories import paid
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import day, in_column
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.session.menus.proof import WIDTH, proof_lines
from yawc_poker.table_ui.speech import bare_name
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

LISTED = 12
AGAIN_SECONDS = 0.2
"""How long moves of house players are made again for a game's page; all of them are by `yawcctl verify`."""


class _Part(NamedTuple):
    """A part of the list: the newest games, or those before a game."""

    before: int | None


def games_played(caller: Caller) -> None:
    """List the caller's games, newest first, and show those they ask for."""
    user, words = caller.user.id, caller.words
    choose_games(caller, lambda played: show_page(caller, page(played, user, _place(caller, played.game), words)))


def choose_games(caller: Caller, show: Callable[[PastGame], None]) -> None:
    """List the caller's games, newest first, and `show` those they ask for."""
    words, say = caller.words, caller.console.say
    part: _Part | None = _Part(None)
    while part is not None:
        found = caller.instance.bank.games(Asked(user=caller.user.id, before=part.before, limit=LISTED + 1))
        say()
        if not found:
            is_all = part.before is None
            say(words("You have not played any games yet.") if is_all else words("There are no older ones."))
            return
        say(_row("#", words("When"), words("Game"), words("Table"), "CUBES", words("With")), Style.BOLD)
        for game in found[:LISTED]:
            say_game(caller, game)
        part = _ask(caller, found, part, show)


def _row(number: str, when: str, game: str, table: str, cubes: str, others: str) -> str:
    return f" {number:>5}  {when:<16} {game:<14} {table:>5} {cubes:>7}  {others}"


def say_game(caller: Caller, game: Summary) -> None:
    """Write a game in a line of a list, with what the caller won or lost; its number chooses it."""
    user, words, place = caller.user.id, caller.words, _place(caller, game)
    mine = next((player for player in game.players if player.user == user), None)
    won = "" if mine is None or game.outcome is None or not game.pot else f"{mine.got - mine.paid:+}"
    others = ", ".join(_name(player, words) for player in game.players if player.user != user)
    line = _row(str(game.number), in_column(game.opened), game_name(game.kind, words), place, won, others)
    caller.console.say(line[: max(caller.line.columns - 1, 40)], means=str(game.number))


def game_name(kind: str, words: Words) -> str:
    """Return a game's title, or the short name of a game that this program does not know."""
    game = find_game(kind)
    return kind if game is None else words(game.titles.game)


def _name(player: PastPlayer, words: Words) -> str:
    """Return a player's name; where it is heard without the marks of a house player's level."""
    name = player.name or f"#{player.user}"
    return bare_name(name) if words.spoken else name


def _ask(caller: Caller, found: list[Summary], part: _Part, show: Callable[[PastGame], None]) -> _Part | None:
    """Show the game asked for; return the part of the list to show next (the same one after a page), None: no more."""
    words, more = caller.words, len(found) > LISTED
    question = words("Which game? (+: older ones, ENTER: back) ") if more else words("Which game? (ENTER: back) ")
    listed = [Offer(str(one.number), f"{one.number} {game_name(one.kind, words)}") for one in found[:LISTED]]
    while answer := ask_line(caller, question, 9, q_is_back=True, own=lambda: listed).removeprefix("#"):
        if answer == "+" and more:
            return _Part(found[LISTED - 1].number)
        number = decimal(answer)
        played = None if number is None else caller.instance.bank.game(number)
        if played is None or not was_there(played, caller.user.id):
            caller.console.say(words("You have no game with this number."), Style.YELLOW)
        else:
            show(played)
            return part
    return None


def was_there(played: PastGame, user: int) -> bool:
    """Return whether a user sat at the table of a game."""
    missing = {one.user for deal in (played.begun.discarded if played.begun else ()) for one in deal.missing}
    return user in missing | {player.user for player in played.game.players} | {line.user for line in played.lines}


# --- the page ---------------------------------------------------------------------------------------------------------


def _place(caller: Caller, game: Summary) -> str:
    """Return which of its game's tables a past game was played at."""
    cells = caller.instance.segment.cells
    called = cells[game.table].name if game.table < len(cells) else ""
    return place_of(game.kind, game.table, called).rpartition(" ")[2]


def page(played: PastGame, user: int, place: str, words: Words) -> Page:
    """Return a game's page for a user: the story and the proof, with the cards that are theirs or were shown."""
    game, known = played.game, find_game(played.game.kind)
    shares = [paid(player, words) for player in game.players] if known is None else known.shares(played, words)
    title = words(
        "Game {number}: {kind}, table {table}",
        number=game.number,
        kind=game_name(game.kind, words),
        table=place,
    )
    lines = [title, "", day(game.opened), "", *_people(game, shares, words), "", _outcome(game, words), ""]
    lines += [*_story(known, played, user, words), "", *_proof(known, played, user, words)]
    return Page(title, "\n".join("\n".join(wrap(line, WIDTH + 5)) for line in lines))


def _people(game: Summary, shares: Sequence[str], words: Words) -> Iterator[str]:
    """Yield each player with their result in words; of an unknown game the CUBES, which the ledger knows."""
    for player, share in zip(game.players, shares, strict=True):
        seat = "" if player.seat is None else words("Seat {n}", n=player.seat + 1)
        yield f"  {seat:<8}{_name(player, words):<22}{share}"


def _outcome(game: Summary, words: Words) -> str:
    gained = [one for one in game.players if one.got > one.back]
    match game.outcome:
        case "won" if not game.pot:
            return words("Won by: {names}", names=", ".join(_name(one, words) for one in game.winners))
        case "won" if len(gained) == 1:
            return words("{name} won the pot of {pot} CUBES.", name=_name(gained[0], words), pot=game.pot)
        case "won" if gained:
            names = ", ".join(f"{_name(one, words)} ({one.got})" for one in gained)
            return words("The pot of {pot} CUBES was divided: {names}.", pot=game.pot, names=names)
        case "refunded" if not game.pot:
            return words("The game was broken off.")
        case "refunded":
            return words("The game was broken off, and the stakes went back.")
        case None:
            return words("The game is still running.")
        case "lost" if not game.pot:
            return words("The game is over.")
    return words("Nobody won: {pot} CUBES went to the system.", pot=game.pot)


def _story(known: Entry | None, played: PastGame, user: int, words: Words) -> Iterator[str]:
    """Yield the story: the whole game if the order of the cards is known, else the bets that the ledger has."""
    try:
        told = [] if known is None else [(one.at, one.text) for one in known.story(played, user, words)]
    except (Contradiction, ValueError):
        told = []
    told += [
        (line.at - played.game.opened, _paid(line, words))
        for line in played.lines
        if line.kind in {"bet", "debt"} or (line.amount and not told)
    ]
    for at, text in sorted(told, key=lambda one: one[0]):
        yield f"{int(at) // 60:>3}:{int(at) % 60:02}  {text}"


def _paid(line: GameLine, words: Words) -> str:
    if line.kind == "debt":
        return words.count("{name} pays {n} CUBE.", "{name} pays {n} CUBES.", line.amount, name=line.name)
    return words.count("{name} bets {n} CUBE.", "{name} bets {n} CUBES.", line.amount, name=line.name)


def _proof(known: Entry | None, played: PastGame, user: int, words: Words) -> Iterator[str]:
    """Yield the proof, with the cards that a user may see for good, none of an unknown game; and what it comes to."""
    yield from proof_lines(played, () if known is None else known.opened(played, user), words)
    if played.proof is None or played.game.seal is None:
        return
    yield ""
    if known is None:
        yield words("This BBS no longer knows the rules of this game, so it cannot be checked.")
        return
    yield _verdict(known, played, words)
    yield from _made_again(known, played, words)


def _made_again(game: Entry, played: PastGame, words: Words) -> Iterator[str]:
    """Make moves of house players again for a moment, and tell whether they are their programs'."""
    until, made = time.monotonic() + AGAIN_SECONDS, 0
    for is_own in game.sampled(played):
        made += 1
        if not is_own:
            yield words("A move of a house player is NOT its program's own! Please tell the sysop.")
            return
        if time.monotonic() >= until:
            break
    if made:
        yield words.count(
            "{n} move of a house player was made again: it is its program's own.",
            "{n} moves of house players were made again: they are their programs' own.",
            made,
        )


def _verdict(game: Entry, played: PastGame, words: Words) -> str:
    proven = game.checked(played).verdict == "proven"
    if proven and not played.game.pot:
        return words("Checked just now: seal, cards and moves agree.")
    if proven:
        return words("Checked just now: seal, cards, moves and CUBES agree.")
    return words("Checked just now: they do NOT agree! Please tell the sysop.")
