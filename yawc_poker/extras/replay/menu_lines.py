"""`R` in the casino: finished games that the caller may look at again, and the way to one of them."""

from yawc_poker.casino.bank.history import Asked
from yawc_poker.digits import decimal
from yawc_poker.engine.replay import Contradiction
from yawc_poker.extras.replay.film import Film
from yawc_poker.extras.replay.proving import prove
from yawc_poker.extras.replay.rows import LISTED, others_games, seats_open
from yawc_poker.extras.replay.viewer import Viewer
from yawc_poker.page.protocol import Offer
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.registry.games import game_of
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.caller.prompts import ask_line
from yawc_poker.session.menus.history import game_name, say_game
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark


def replays(caller: Caller) -> None:
    """List games, and show those that the caller asks for. Raise `StoreError`."""
    words, say, bank = caller.words, caller.console.say, caller.instance.bank
    own = bank.games(Asked(user=caller.user.id, limit=LISTED))
    numbers = [
        number for number in others_games(bank.store, caller.user.id) if number not in {one.number for one in own}
    ]
    others = [played.game for number in numbers if (played := bank.game(number)) is not None]
    for title, games in ((words("Your last games:"), own), (words("Watched, or laid open by others:"), others)):
        if games:
            say()
            say(title, Style.CYAN)
            for game in games:
                say_game(caller, game)
    say()
    question = words("Which game shall be played again? (T: one as text; ENTER: back) ")
    listed = [
        Offer("T", words("A game as text")),
        *(Offer(str(one.number), f"{one.number} {game_name(one.kind, words)}") for one in (*own, *others)),
    ]
    while answer := ask_line(caller, question, 9, q_is_back=True, own=lambda: listed).removeprefix("#"):
        if answer.upper() == "T":
            prove(caller)
        else:
            look_at(caller, decimal(answer) or 0)


def look_at(caller: Caller, number: int) -> None:
    """Show a finished game to a caller who may see it, else say why not. Raise `StoreError`."""
    words, bank = caller.words, caller.instance.bank
    played = bank.game(number)
    seats = None if played is None else seats_open(bank.store, played, caller.user.id)
    if played is None or seats is None:
        caller.console.say(words("There is no game with this number that you may look at."), Style.YELLOW)
        return
    if played.game.outcome is None:
        caller.console.say(words("The game is still running."), Style.YELLOW)
        return
    try:
        film = Film(game_of(played.game.kind).definition, played, seats)
    except (Contradiction, ValueError, UnknownGame):
        caller.console.say(words("This game cannot be played again: its cards are lost."), Style.YELLOW)
        return
    Viewer(caller, film, played).run()


_REPLAY = MenuLine("R", mark("Replay: a finished game, move by move"), replays)
ANNOUNCED = (AddedLine("the casino", _REPLAY, before="G"),)
