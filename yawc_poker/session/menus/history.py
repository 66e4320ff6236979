"""`G` in the casino: the games that the caller has played, and for each the proof that its cards were fixed before.

Owns the list, and of the page the story; what proves it is `session.menus.proof`'s, what the books say
`casino.bank.history`'s, whether it is true `casino.bank.verify`'s. Only games in which the caller sat at the table. Of
a game of poker they see their own cards and those that were shown (spec/poker.md A33, 8.2), as at the table.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from yawc_poker.casino.bank.history import Asked, PastGame, PastPlayer, Summary
from yawc_poker.casino.bank.verify import Verification, verify
from yawc_poker.engine.game import Dealing
from yawc_poker.engine.replay import Contradiction
from yawc_poker.engine.transcript import Action
from yawc_poker.games import MAUMAU, POKER, UnknownGame, of_kind
from yawc_poker.games.maumau.ui import narrative as maumau
from yawc_poker.games.poker.ui import narrative as poker
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import day
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.menus.pager import Page, show_page
from yawc_poker.session.menus.proof import WIDTH, proof_lines
from yawc_poker.table_ui.narrative import StoryLine
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

LISTED = 12


class _Part(NamedTuple):
    """A part of the list: the newest games, or those before one."""

    before: int | None


def games_played(caller: Caller) -> None:
    """List the caller's games, newest first, and show those he asks for."""
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


def _name(player: PastPlayer) -> str:
    return player.name or f"#{player.user}"


def _ask(caller: Caller, found: list[Summary], part: _Part) -> _Part | None:
    """Show the game asked for; give the part of the list to show next, the same one behind a page; None: no more."""
    words, more = caller.words, len(found) > LISTED
    question = words("Which game? (+: older ones, ENTER: back) ") if more else words("Which game? (ENTER: back) ")
    while answer := ask_line(caller, question, 9, q_is_back=True).removeprefix("#"):
        if answer == "+" and more:
            return _Part(found[LISTED - 1].number)
        played = caller.instance.bank.game(int(answer)) if answer.isascii() and answer.isdecimal() else None
        if played is None or not _was_there(played, caller.user.id):
            caller.console.say(words("You have no game with this number."), Style.YELLOW)
        else:
            show_page(caller, page(played, caller.user.id, words))
            return part
    return None


def _was_there(played: PastGame, user: int) -> bool:
    return user in {player.user for player in played.game.players} | {line.user for line in played.lines}


# --- the page ---------------------------------------------------------------------------------------------------------


def page(played: PastGame, user: int, words: Words) -> Page:
    """Tell a user a game, with all that proves it, as far as the cards are theirs or were open to all."""
    game = played.game
    title = words(
        "Game {number}: {kind}, table {table}",
        number=game.number,
        kind=game_name(game.kind, words),
        table=game.table + 1,
    )
    lines = [title, "", day(game.opened), "", *_people(played, words), "", _outcome(game, words), ""]
    lines += [*_story(played, user, words), "", *_proof(played, user, words)]
    return Page(title, "\n".join("\n".join(wrap(line, WIDTH + 5)) for line in lines))


def _people(played: PastGame, words: Words) -> Iterator[str]:
    points = _points(played)
    for player in played.game.players:
        seat = "" if player.seat is None else words("Seat {n}", n=player.seat + 1)
        yield f"  {seat:<8}{_name(player):<22}{_share(player, played.game, points, words)}"


def _points(played: PastGame) -> Mapping[int, int]:
    """Give everybody's points by seat, where the game is one of points and can be played again."""
    if played.game.kind not in _POINTS or played.proof is None:
        return {}
    try:
        return _POINTS[played.game.kind](played.dealing(), played.actions)
    except (Contradiction, ValueError):
        return {}


def _share(player: PastPlayer, game: Summary, points: Mapping[int, int], words: Words) -> str:
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


def _story(played: PastGame, user: int, words: Words) -> Iterator[str]:
    """Tell what happened: all of it where the order of the cards is known, else the bets that the ledger has."""
    try:
        told = [(one.at, one.text) for one in _told(played, user, words)]
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


def _told(played: PastGame, user: int, words: Words) -> Iterator[StoryLine]:
    """Tell the story with the cards that were this user's or shown; where all were sealed as one, with everybody's."""
    story, seat = of_kind(_STORIES, played.game.kind), _seat(played, user)
    seats = (seat,) if played.game.words is not None else tuple(player.seat for player in played.game.players)
    return story(played.dealing(), played.actions, seats, words)


def _proof(played: PastGame, user: int, words: Words) -> Iterator[str]:
    yield from proof_lines(played, _opened(played, user), words)
    if played.proof is None or played.game.seal is None:
        return
    yield ""
    yield _verdict(played, words)


def _verdict(played: PastGame, words: Words) -> str:
    try:
        proven = judge(played).verdict == "proven"
    except UnknownGame:
        return words("This BBS no longer knows the rules of this game, so it cannot be checked.")
    if proven:
        return words("Checked just now: seal, cards, moves and CUBES agree.")
    return words("Checked just now: they do NOT agree! Please tell the sysop.")


def _opened(played: PastGame, user: int) -> Collection[str]:
    """Give the cards that a user may see for good: of poker their own and those that were shown, of Mau-Mau all."""
    try:
        opened = of_kind(_OPENED, played.game.kind)
        return opened(played.dealing(), played.actions, _seat(played, user))
    except (Contradiction, ValueError, UnknownGame):
        return ()


def _seat(played: PastGame, user: int) -> int | None:
    """Give the seat that a user had when the game began."""
    return next((player.seat for player in played.game.players if player.user == user), None)


def judge(played: PastGame) -> Verification:
    """Check a game by the rules of its kind. Raises `UnknownGame`."""
    return of_kind(_JUDGES, played.game.kind)(played)


_JUDGES: dict[str, Callable[[PastGame], Verification]] = {
    POKER.KIND: lambda played: verify(played, POKER),
    MAUMAU.KIND: lambda played: verify(played, MAUMAU),
}
_STORIES: dict[str, Callable[[Dealing, Sequence[Action], Collection[int | None], Words], Iterator[StoryLine]]] = {
    POKER.KIND: poker.narrate,
    MAUMAU.KIND: lambda dealing, actions, _, words: maumau.narrate(dealing, actions, words),
}
_OPENED: dict[str, Callable[[Dealing, Sequence[Action], int | None], Collection[str]]] = {
    POKER.KIND: poker.opened,
    MAUMAU.KIND: lambda *_: MAUMAU.DECK,
}
_POINTS: dict[str, Callable[[Dealing, Sequence[Action]], Mapping[int, int]]] = {MAUMAU.KIND: maumau.points}
"""The games of points."""
