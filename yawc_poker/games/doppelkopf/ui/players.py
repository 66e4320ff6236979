"""The right half of the Doppelkopf screen while a match runs: a line for each player, and what is played. Pure.

Owns the columns of the four players and the title of the game. Shows teams and calls only as far as the view does.
"""

from typing import Final, NamedTuple

from yawc_poker.games.doppelkopf.model import LEVELS, GameType, PlayerView, Result, Team, View
from yawc_poker.games.doppelkopf.ui.scene import Scene, name_of
from yawc_poker.games.doppelkopf.ui.speech import call_name, game_name, result_name, signed, team_name
from yawc_poker.games.doppelkopf.ui.trick import spoken
from yawc_poker.table_ui.screen import BORDER, COLUMNS, COUNTER_ROW, RIGHT, WIDTH, draw_title
from yawc_poker.terminal.frame import Canvas, Style, region
from yawc_poker.tricks import eyes
from yawc_poker.words import Words

NAMES: Final = 9
SAID_COLUMN: Final = 52
SAID: Final = 15
TRICKS_END: Final = 70
EYES_END: Final = 75


class Line(NamedTuple):
    """One player."""

    name: str
    said: str
    """Team and highest call, a reservation, or the answer to the question."""
    tricks: str
    eyes: str
    total: str
    is_turn: bool


def draw_players(canvas: Canvas, scene: Scene, view: View, words: Words) -> None:
    """Draw a line for each player, and the title of the game below."""
    lines = tuple(_line(scene, view, player, words) for player in view.players)
    tricks, counted = ("", words("Round")) if view.phase == "question" else (words("Tr"), words("Eyes"))
    heads = f"{tricks:>2} {counted:>4} {words('Pts.'):>4}".strip()
    _draw_lines(canvas, lines, heads, game_title(scene, view, words), words)


def _line(scene: Scene, view: View, player: PlayerView, words: Words) -> Line:
    name, total = name_of(scene, player.place), signed(player.total)
    if view.phase == "question" and view.results:
        return Line(name, *_answered(view, player.place, words), total, False)
    taken = sum(eyes(trick.cards) for trick in view.round.tricks if trick.taker == player.place)
    is_played = view.round.game is not None
    said = team_and_call(view, player, words) if is_played else spoken(view, player.place, words)
    if not said and player.owes_solo:
        said = words("owes a solo")
    tricks = str(player.tricks) if is_played else ""
    return Line(name, said, tricks, str(taken) if is_played else "", total, view.current == player.place)


def _answered(view: View, place: int, words: Words) -> tuple[str, str, str]:
    result = view.results[-1]
    agreed = words("goes on") if place in view.round.agreed else words("thinks")
    return f"{team_name(team_in(result, place), words)} {agreed}", "", signed(result.points[place])


def team_in(result: Result, place: int) -> Team:
    """Return the team that a place was in."""
    return "re" if place in result.re else "contra"


def team_and_call(view: View, player: PlayerView, words: Words) -> str:
    """Return a player's team, and the highest call that they made: ``Re!`` is announced, ``Re no 90`` denied."""
    if player.team is None:
        return "?"
    team = team_name(player.team, words)
    made = [call.level for call in view.round.calls if call.place == player.place]
    if not made:
        return team
    highest = max(made, key=LEVELS.index)
    return f"{team}!" if highest == "team" else f"{team} {call_name(player.team, highest, words)}"


def game_title(scene: Scene, view: View, words: Words) -> str:
    """Return what is played and by whom; empty while that is asked."""
    now = view.round
    if now.game is None:
        return words("Reservations") if now.forced is None else words("A solo is due")
    if view.phase == "question" and view.results:
        return result_title(scene, view.results[-1], words)
    return _title(scene, now.game, words)


def result_title(scene: Scene, result: Result, words: Words) -> str:
    """Return what was played and by whom; then a silent wedding is named."""
    if len(result.re) == 1 and result.game.player is None:
        return capital(f"{result_name(result, words)}: {name_of(scene, result.re[0])}")
    return _title(scene, result.game, words)


def _title(scene: Scene, game: GameType, words: Words) -> str:
    kind = capital(game_name(game, words))
    if game.player is None:
        return kind
    name = name_of(scene, game.player)
    if game.partner is not None:
        return words("{game}: {name} with {partner}", game=kind, name=name, partner=name_of(scene, game.partner))
    return f"{kind}: {name}"


def capital(text: str) -> str:
    """Return a text with a capital letter in front."""
    return text[:1].upper() + text[1:]


@region(BORDER + 1, 0, COLUMNS - BORDER - 1, COUNTER_ROW + 1)
def _draw_lines(canvas: Canvas, lines: tuple[Line, ...], heads: str, game: str, words: Words) -> None:
    """Draw the players, below the `heads` of their numbers, and the title of the game."""
    for row in (0, COUNTER_ROW):
        canvas.put(BORDER + 1, row, "─" * (COLUMNS - BORDER - 1), Style.FELT)
    draw_title(canvas, RIGHT, 0, words("Players")[:NAMES])
    draw_title(canvas, SAID_COLUMN - 1, 0, words("Team"))
    canvas.put(COLUMNS - len(heads) - 1, 0, f" {heads}", Style.GREEN)
    draw_title(canvas, RIGHT, COUNTER_ROW, game[: WIDTH - 3])
    for row, line in enumerate(lines, 1):
        style = Style.NEWEST if line.is_turn else Style.PLAIN
        canvas.put(BORDER + 1, row, ">" if line.is_turn else " ", style)
        canvas.put(RIGHT, row, line.name[:NAMES], Style.NEWEST if line.is_turn else Style.BOLD)
        canvas.put(SAID_COLUMN, row, line.said[:SAID], style)
        for end, text in ((TRICKS_END, line.tricks), (EYES_END, line.eyes), (COLUMNS, line.total)):
            canvas.put(end - len(text), row, text, style)
