"""`V` in the casino: what the decisions of a game cost."""

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.extras.analysis.analysis import analyse
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.registry.games import game_of
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.menus.afterwards import FinishedGame
from yawc_poker.session.menus.history import choose_games, game_name
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark


def verdicts(caller: Caller) -> None:
    """List the caller's games, and analyse those they ask for. Raise `StoreError`."""
    choose_games(caller, lambda played: _analyse(caller, played))


def _analyse(caller: Caller, played: PastGame) -> None:
    words = caller.words
    title = words("Analysis of game {n}: {game}", n=played.game.number, game=game_name(played.game.kind, words))
    try:
        game, dealing = game_of(played.game.kind).definition, played.dealing()
    except (UnknownGame, ValueError):
        caller.console.say(words("This game cannot be played again, so it cannot be analysed."), Style.YELLOW)
        return
    analyse(caller, FinishedGame(title, game, dealing, played.actions))


ANNOUNCED = (
    AddedLine("the casino", MenuLine("V", mark("Verdict on a game: what your decisions cost"), verdicts), before="G"),
)
"""Before the list of the games that were played."""
