"""Sentences about Doppelkopf: log entries to lines of the message area. Pure.

A card that is played is seen on the screen, so it is told only where the clock has played it. Owns also the names of
teams, calls, games and lines of the score.
"""

from typing import Final

from yawc_poker.engine.events import Notice
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.doppelkopf import events, rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import HAND, LEVELS, SEATS, GameType, Item, Kind, Level, Result, Team
from yawc_poker.games.doppelkopf.scoring import ALL
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.games.doppelkopf.ui.choices import terms
from yawc_poker.table_ui import speech as common
from yawc_poker.table_ui.speech import card_text, cards_text, trick_refusal
from yawc_poker.terminal.frame import Style
from yawc_poker.tricks import arranged
from yawc_poker.words import Words, mark

_LOUD: Final = (events.Called, events.RoundOver, events.MatchOver, events.Won)


def sentences(entry: LogEntry[Event], words: Words) -> tuple[tuple[str, Style], ...]:
    """Return a log entry as lines; none for a hand, and for a card that a player has played, which are seen.

    A choice of options is followed by how the next match is played.
    """
    event = entry.event
    if isinstance(event, events.HandDealt) or (isinstance(event, events.Played) and not _is_by_clock(event)):
        return ()
    return common.with_terms(sentence(entry, words), event, lambda text: terms(rules.read_options(text), words))


def sentence(entry: LogEntry[Event], words: Words) -> tuple[str, Style]:
    """Return a log entry as a line, prefix and text, and its colour."""
    event, name = entry.event, entry.name
    is_own = not _is_by_clock(event) and bool(_info(event, name, words))
    return common.line(entry, plain(event, name, words), words, is_own=is_own, loud=_LOUD)


def plain(event: Event | Notice, name: str, words: Words) -> str:
    """Return an event as one sentence, without a prefix."""
    info = _info(event, name, words)
    if info and _is_by_clock(event):
        return words("The time is over: {what}", what=info)
    return info or _system(event, name, words)


def _is_by_clock(event: Event | Notice) -> bool:
    """Return whether the clock has moved for somebody who is there."""
    return (
        isinstance(event, events.Spoke | events.Named | events.Played | events.Answered)
        and event.by_clock
        and event.seat is not None
    )


def _info(event: Event | Notice, name: str, words: Words) -> str:
    """Return what a player did; empty if the system did it."""
    match event:
        case events.Spoke(reservation=False):
            return words("{name} says: healthy.", name=name)
        case events.Spoke():
            return words("{name} says: reservation.", name=name)
        case events.Named(kind=kind):
            return words("{name} declares: {game}.", name=name, game=kind_name(kind, words))
        case events.Called(team=team, level=level):
            return words("{name} says: {call}!", name=name, call=call_name(team, level, words))
        case events.Played(card=card):
            return words("{name} plays {card}.", name=name, card=card_text(card, words))
        case events.Answered(yes=yes):
            return words("{name} wants to go on.", name=name) if yes else words("{name} wants to stop.", name=name)
        case _:
            return common.person(event, name, words)


def _system(event: Event | Notice, name: str, words: Words) -> str:
    """Return what the system did."""
    match event:
        case events.RoundBegins(round=number, rounds=rounds):
            return words("Round {n} of {rounds}: {name} deals.", n=number, rounds=rounds, name=name)
        case events.HandDealt(cards=None):
            return words.count("{name} is dealt {n} card.", "{name} is dealt {n} cards.", HAND, name=name)
        case events.HandDealt(cards=cards):
            hand = arranged(order_of("normal"), cards or ())
            return words("{name} is dealt {cards}.", name=name, cards=cards_text(hand, words))
        case events.SoloForced():
            return words("{name} must play the compulsory solo now.", name=name)
        case events.GameFixed():
            return _fixed(event, name, words)
        case events.TrickTaken(number=number, eyes=eyes):
            return words("{name} takes trick {n} with {eyes} eyes.", name=name, n=number, eyes=eyes)
        case events.Clarified(alone=True):
            return words("{name} finds no partner and plays a diamonds solo.", name=name)
        case events.Clarified():
            return words("{name} wins the clarifying trick and is the partner.", name=name)
        case events.RoundOver():
            return _round_over(event.result, words)
        case events.Scored(points=points, total=total):
            return words(
                "{name}: {points} for this round, {total} in all.", name=name, points=signed(points), total=total
            )
        case events.Abandoned():
            return words("{name} has left; this round is the last one.", name=name)
        case events.MatchOver(reason=reason, rounds=rounds):
            return _match_over(reason, rounds, words)
        case events.Won(points=points):
            return words.count(
                "{name} wins the match with {n} point.", "{name} wins the match with {n} points.", points, name=name
            )
        case events.Settled(cubes=cubes):
            return words("{name}: {cubes} CUBES.", name=name, cubes=signed(cubes))
        case _:
            return common.system(event, name, words)


def _fixed(event: events.GameFixed, name: str, words: Words) -> str:
    if event.kind == "normal":
        return words("All are healthy: the normal game is played.")
    if event.kind == "wedding":
        return words("{name} has a wedding and looks for a partner.", name=name)
    game = kind_name(event.kind, words)
    if event.compulsory:
        return words("{name} leads in the compulsory solo: {game}.", name=name, game=game)
    return words("{name} plays alone: {game}.", name=name, game=game)


def _round_over(done: Result, words: Words) -> str:
    if done.winner is None:
        return words("Nobody wins round {n}: both denials have failed.", n=done.number)
    team = team_name(done.winner, words)
    eyes = done.re_eyes if done.winner == "re" else ALL - done.re_eyes
    return words.count(
        "Round {round} goes to {team} with {eyes} eyes, for {n} point.",
        "Round {round} goes to {team} with {eyes} eyes, for {n} points.",
        done.value,
        round=done.number,
        team=team,
        eyes=eyes,
    )


def _match_over(reason: events.WhyOver, rounds: int, words: Words) -> str:
    match reason:
        case "rounds":
            return words.count("The match is over after {n} round.", "The match is over after {n} rounds.", rounds)
        case "stopped":
            return words.count(
                "The match ends after {n} round: not everybody wants to go on.",
                "The match ends after {n} rounds: not everybody wants to go on.",
                rounds,
            )
        case "left":
            return words.count(
                "The match ends after {n} round: somebody has left.",
                "The match ends after {n} rounds: somebody has left.",
                rounds,
            )


def signed(points: int) -> str:
    """Return points with their sign; 0 has none."""
    return f"{points:+}" if points else "0"


# --- names ------------------------------------------------------------------------------------------------------------


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


# --- refusals --------------------------------------------------------------------------------------------------------


def refusal(illegal: IllegalMove, words: Words) -> str:
    """Return why a command was refused."""
    return _refused_call(illegal, words) or _refused_move(illegal, words) or common.refusal(illegal, SEATS, words)


def _refused_move(illegal: IllegalMove, words: Words) -> str:
    match illegal.reason:
        case "no_player":
            return words("You do not play in this match.")
        case "answered":
            return words("You have answered already.")
        case "no_wedding":
            return words("A wedding needs both queens of clubs: name a solo.")
        case "solo_forced":
            return words("Your compulsory solo is due: name a solo.")
        case _:
            return trick_refusal(illegal, words)


def _refused_call(illegal: IllegalMove, words: Words) -> str:
    match illegal.reason:
        case "call_too_early":
            return words("Nobody may call before all reservations are known.")
        case "call_after_round":
            return words("Nobody may call any more: the round is over.")
        case "wedding_open":
            return words("Nobody may call before the wedding has found its partner.")
        case "already_called":
            return words("That has been called already.")
        case "announce_first":
            return words("Your team must announce Re or Contra first.")
        case "call_skips":
            return words('"{call}" must be called first.', call=_call(illegal, words))
        case "call_too_late":
            return words(
                '"{call}" must be called with {least} cards or more; you hold {held}.',
                call=_call(illegal, words),
                least=illegal.values["least"],
                held=illegal.values["held"],
            )
        case _:
            return ""


def _call(illegal: IllegalMove, words: Words) -> str:
    """Return the call that a refusal is about."""
    level = LEVELS[illegal.values["level"]]
    if level == "team":
        return words("Re/Contra")
    return call_name("re", level, words)
