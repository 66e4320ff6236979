"""`G` in the casino: the games that the caller has played, and for each the proof that its cards were fixed before.

Owns the list and the page; what the books say is `casino.history`'s, whether it is true `casino.verify`'s. Only games
in which the caller sat at the table, for the page has everybody's cards.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from yawc_poker.casino.history import Asked, Played, Player, Summary
from yawc_poker.casino.verify import Report, verify
from yawc_poker.engine.chronicle import Deed
from yawc_poker.engine.replay import Contradiction
from yawc_poker.games import MAUMAU, POKER, UnknownGame, of_kind
from yawc_poker.games.common.narrative import Told
from yawc_poker.games.maumau import narrative as maumau
from yawc_poker.games.poker import narrative as poker
from yawc_poker.session.bulletin import day
from yawc_poker.session.caller import Caller
from yawc_poker.session.pages import Page, show_page
from yawc_poker.session.questions import ask_line
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

LISTED = 12
WIDTH = 72
"""Cells of a line that a caller may want to copy."""


class _Part(NamedTuple):
    """A part of the list: the newest games, or those before one."""

    before: int | None


def games_played(caller: Caller) -> None:
    """List the caller's games, newest first, and show those he asks for."""
    words, say = caller.words, caller.console.say
    part: _Part | None = _Part(None)
    while part is not None:
        found = caller.house.bank.games(Asked(user=caller.user.id, before=part.before, limit=LISTED + 1))
        say()
        if not found:
            is_all = part.before is None
            say(words("You have not played any games yet.") if is_all else words("There are no older ones."))
            return
        say(_row("#", words("When"), words("Game"), words("Table"), "CUBES", words("With")), Style.BOLD)
        for game in found[:LISTED]:
            say(_line(game, caller.user.id, words)[: max(caller.line.columns - 1, 40)])
        part = _ask(caller, found, part)


def _row(number: str, when: str, game: str, table: str, cubes: str, others: str) -> str:
    return f"  {number:>7}  {when:<16}  {game:<7}  {table:>5}  {cubes:>7}  {others}"


def _line(game: Summary, user: int, words: Words) -> str:
    mine = next((player for player in game.players if player.user == user), None)
    won = "" if mine is None or game.outcome is None or not game.pot else f"{mine.got - mine.paid:+}"
    others = ", ".join(_name(player) for player in game.players if player.user != user)
    return _row(str(game.number), day(game.opened), game_name(game.kind, words), str(game.table + 1), won, others)


def game_name(kind: str, words: Words) -> str:
    """Return what a kind of game is called; one that is not known here by its short name."""
    return {POKER.KIND: words("Poker"), MAUMAU.KIND: words("Mau-Mau")}.get(kind, kind)


def _name(player: Player) -> str:
    return player.name or f"#{player.user}"


def _ask(caller: Caller, found: list[Summary], part: _Part) -> _Part | None:
    """Show the game asked for; give the part of the list to show next, the same one behind a page; None: no more."""
    words, more = caller.words, len(found) > LISTED
    question = words("Which game? (+: older ones, ENTER: back) ") if more else words("Which game? (ENTER: back) ")
    while answer := ask_line(caller, question, 9, q_is_back=True).removeprefix("#"):
        if answer == "+" and more:
            return _Part(found[LISTED - 1].number)
        played = caller.house.bank.game(int(answer)) if answer.isascii() and answer.isdecimal() else None
        if played is None or not _was_there(played, caller.user.id):
            caller.console.say(words("You have no game with this number."), Style.YELLOW)
        else:
            show_page(caller, page(played, words))
            return part
    return None


def _was_there(played: Played, user: int) -> bool:
    return user in {player.user for player in played.game.players} | {line.user for line in played.lines}


# --- the page ---------------------------------------------------------------------------------------------------------


def page(played: Played, words: Words) -> Page:
    """Tell a game with all that proves it."""
    game = played.game
    title = words(
        "Game {number}: {kind}, table {table}",
        number=game.number,
        kind=game_name(game.kind, words),
        table=game.table + 1,
    )
    lines = [title, "", day(game.opened), "", *_people(played, words), "", _outcome(game, words), ""]
    lines += [*_story(played, words), "", *_proof(played, words)]
    return Page(title, "\n".join("\n".join(wrap(line, WIDTH + 5)) for line in lines))


def _people(played: Played, words: Words) -> Iterator[str]:
    points = _points(played)
    for player in played.game.players:
        seat = "" if player.seat is None else words("Seat {n}", n=player.seat + 1)
        yield f"  {seat:<8}{_name(player):<22}{_share(player, played.game, points, words)}"


def _points(played: Played) -> Mapping[int, int]:
    """Give everybody's points by seat, where the game is one of points and can be played again."""
    if played.game.kind not in _POINTS or played.proof is None:
        return {}
    try:
        return _POINTS[played.game.kind](played.proof.sealed, played.deeds)
    except (Contradiction, ValueError):
        return {}


def _share(player: Player, game: Summary, points: Mapping[int, int], words: Words) -> str:
    if player.paid:
        return words("paid {paid}, got {got}", paid=player.paid, got=player.got)
    if game.kind not in _POINTS:
        return words("looked on")
    found = None if player.seat is None else points.get(player.seat)
    return "" if found is None else words.count("{n} point", "{n} points", found)


def _outcome(game: Summary, words: Words) -> str:
    match game.outcome:
        case "won" if not game.pot:
            return words("Won by: {names}", names=", ".join(map(_name, game.winners)))
        case "won" if len(game.winners) == 1:
            return words("{name} won the pot of {pot} CUBES.", name=_name(game.winners[0]), pot=game.pot)
        case "won" if game.winners:
            names = ", ".join(f"{_name(one)} ({one.got})" for one in game.winners)
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


def _story(played: Played, words: Words) -> Iterator[str]:
    """Tell what happened: all of it where the order of the cards is known, else the bets that the ledger has."""
    try:
        told = [(one.at, one.text) for one in _told(played, words)]
    except (Contradiction, ValueError, UnknownGame):
        told = []
    told += [
        (
            line.at - played.game.opened,
            words.count("{name} bets {n} CUBE.", "{name} bets {n} CUBES.", line.amount, name=line.name),
        )
        for line in played.lines
        if line.kind == "bet" or (line.amount and not told)
    ]
    for at, text in sorted(told, key=lambda one: one[0]):
        yield f"{int(at) // 60:>3}:{int(at) % 60:02}  {text}"


def _told(played: Played, words: Words) -> Iterator[Told]:
    sealed = played.proof.sealed if played.proof is not None else ""
    return of_kind(_STORIES, played.game.kind)(sealed, played.deeds, words)


def _proof(played: Played, words: Words) -> Iterator[str]:
    seal, proof = played.game.seal, played.proof
    if seal is None:
        yield words("This game was not sealed.")
        return
    yield words("The seal that was told before anybody could act, SHA256:")
    yield f"  {seal}"
    yield ""
    if proof is None:
        yield words("Order and salt are told when a game is over; those of one that broke off with the BBS are lost.")
        return
    yield words("The seal is of this text, the order of the cards as dealt and a salt. Check it on any computer:")
    yield ""
    yield from command(f"{proof.sealed} {proof.salt}")
    yield ""
    yield _verdict(played, words)


def _verdict(played: Played, words: Words) -> str:
    try:
        proven = judge(played).verdict == "proven"
    except UnknownGame:
        return words("The rules of this game are not known here any more, so it cannot be checked.")
    if proven:
        return words("Checked just now: seal, cards, moves and CUBES agree.")
    return words("Checked just now: they do NOT agree! Please tell the sysop.")


def judge(played: Played) -> Report:
    """Check a game by the rules of its kind. Raises `UnknownGame`."""
    return of_kind(_JUDGES, played.game.kind)(played)


_JUDGES: dict[str, Callable[[Played], Report]] = {
    POKER.KIND: lambda played: verify(played, POKER),
    MAUMAU.KIND: lambda played: verify(played, MAUMAU),
}
_STORIES: dict[str, Callable[[str, Sequence[Deed], Words], Iterator[Told]]] = {
    POKER.KIND: poker.narrate,
    MAUMAU.KIND: maumau.narrate,
}
_POINTS: dict[str, Callable[[str, Sequence[Deed]], Mapping[int, int]]] = {MAUMAU.KIND: maumau.points}
"""The games of points."""


def command(text: str) -> Iterator[str]:
    """Give the shell command that says the SHA-256 of a text, in lines that may be copied as they are."""
    pieces = list(_pieces(text, WIDTH - 13))
    for number, piece in enumerate(pieces):
        start = "    " if number else "  printf %s "
        end = " \\" if number < len(pieces) - 1 else " | sha256sum"
        yield f"{start}'{piece}'{end}"


def _pieces(text: str, width: int) -> Iterator[str]:
    """Cut a text behind its blanks, longer words anywhere; the pieces, one behind the other, are the text."""
    while len(text) > width:
        cut = text.rfind(" ", 0, width) + 1 or width
        yield text[:cut]
        text = text[cut:]
    yield text
