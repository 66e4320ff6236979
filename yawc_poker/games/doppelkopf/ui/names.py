"""Names of Doppelkopf's teams, calls, games and lines of the score, as sentences and screen use them. Pure."""

from yawc_poker.games.doppelkopf.model import GameType, Item, Kind, Level, Result, Team
from yawc_poker.words import Words, mark

_TEAMS: dict[Team, str] = {"re": mark("Re"), "contra": mark("Contra")}
_DENIALS: dict[Level, str] = {
    "no90": mark("no 90"),
    "no60": mark("no 60"),
    "no30": mark("no 30"),
    "black": mark("black"),
}
_LEVEL_OF: dict[int, Level] = {90: "no90", 60: "no60", 30: "no30", 0: "black"}
_KINDS: dict[Kind, str] = {
    "normal": mark("normal game"),
    "wedding": mark("wedding"),
    "queens": mark("queens solo"),
    "jacks": mark("jacks solo"),
    "clubs": mark("clubs solo"),
    "spades": mark("spades solo"),
    "hearts": mark("hearts solo"),
    "diamonds": mark("diamonds solo"),
    "aces": mark("aces solo"),
}


def team_name(team: Team, words: Words) -> str:
    """Return a team's name, which is also its announcement."""
    return words(_TEAMS[team])


def call_name(team: Team, level: Level, words: Words) -> str:
    """Return a call as it is spoken: "Re", "no 90"."""
    return team_name(team, words) if level == "team" else words(_DENIALS[level])


def kind_name(kind: Kind, words: Words) -> str:
    """Return what is played, as it is named for a reservation."""
    return words(_KINDS[kind])


def game_name(game: GameType, words: Words) -> str:
    """Return what a round is played as, as far as everybody knows it."""
    if game.compulsory:
        return words("{game} (compulsory)", game=kind_name(game.kind, words))
    if game.kind == "wedding" and game.clarified and game.partner is None:
        return words("wedding without a partner")
    return kind_name(game.kind, words)


def result_name(result: Result, words: Words) -> str:
    """Return what a round has been played as, once it is scored."""
    if result.game.kind == "normal" and len(result.re) == 1:
        return words("silent wedding")
    return game_name(result.game, words)


def item_text(item: Item, words: Words) -> str:
    """Return a line of the score without its points."""
    team = team_name(item.team, words)
    match item.kind:
        case "won":
            return words("{team} wins", team=team)
        case "announced":
            return words("{team} announced", team=team)
        case "below":
            return words("{team} below {n}", team=team, n=item.eyes) if item.eyes else words("{team} black", team=team)
        case "denied":
            return words("{team} called {call}", team=team, call=call_name(item.team, _LEVEL_OF[item.eyes], words))
        case "against_queens":
            return words("against the queens of clubs")
        case "doppelkopf":
            return words("{team}: Doppelkopf", team=team)
        case "fox":
            return words("{team}: fox caught", team=team)
        case "charlie":
            return words("{team}: charlie", team=team)
