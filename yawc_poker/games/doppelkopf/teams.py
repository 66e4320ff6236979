"""Who plays with whom, and what may be called (spec/doppelkopf.md 2, 5, 6). Pure.

Owns what follows from the hands (`re_places`), what everybody has been shown (`shown`), what a player knows of their
own team (`own_team`), and the deadlines of the calls. Never changes a state.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.cards import Card
from yawc_poker.engine.game import IllegalMove
from yawc_poker.games.doppelkopf import model
from yawc_poker.games.doppelkopf.model import Round, State
from yawc_poker.games.doppelkopf.trumps import QUEEN_OF_CLUBS

LEAST: Final[dict[model.Level, int]] = {"team": 11, "no90": 10, "no60": 9, "no30": 8, "black": 7}
"""Cards that a speaker must hold at least, unless a wedding became clear later than by the first trick (6.2)."""

# --- teams -----------------------------------------------------------------------------------------------------------


def played_by(now: Round, place: int) -> tuple[Card, ...]:
    """Return the cards that a place has played in this round, in order."""
    laid = [(trick.leader, trick.cards) for trick in now.tricks] + [(now.leader, now.trick)]
    indexed = (((place - leader) % model.SEATS, cards) for leader, cards in laid)
    return tuple(cards[index] for index, cards in indexed if index < len(cards))


def queens_of(now: Round, players: Sequence[model.Player], place: int) -> int:
    """Return how many queens of clubs a place was dealt."""
    return (*players[place].hand, *played_by(now, place)).count(QUEEN_OF_CLUBS)


def re_places(now: Round, players: Sequence[model.Player]) -> tuple[int, ...]:
    """Return the places of the Re team, as the cards have it; of a wedding that is not clear, the bride's alone."""
    if now.game is not None and now.game.player is not None:
        return _named(now.game)
    return tuple(place for place in range(model.SEATS) if queens_of(now, players, place))


def own_team(now: Round, players: Sequence[model.Player], place: int) -> model.Team | None:
    """Return the team that a player knows to be theirs; None before the game is fixed and in an open wedding."""
    if now.game is None:
        return None
    if now.game.player is not None:
        return _shown_by_game(now.game)[place]
    return "re" if queens_of(now, players, place) else "contra"


def shown(now: Round) -> tuple[model.Team | None, ...]:
    """Return each place's team as far as everybody has been shown it, by the game, cards, or calls."""
    if now.game is None:
        return (None,) * model.SEATS
    if now.game.player is not None:
        return _shown_by_game(now.game)
    queens = [played_by(now, place).count(QUEEN_OF_CLUBS) for place in range(model.SEATS)]
    known: list[model.Team | None] = ["re" if count else None for count in queens]
    for call in now.calls:
        known[call.place] = call.team
    if 2 in queens:
        return tuple(team or "contra" for team in known)
    return concluded(known)


def concluded(known: Sequence[model.Team | None]) -> tuple[model.Team | None, ...]:
    """Return teams with what follows: beside two of Re there is only Contra, beside three of Contra one of Re."""
    if known.count("re") == 2:
        return tuple(team or "contra" for team in known)
    if known.count("contra") == model.SEATS - 1:
        return tuple(team or "re" for team in known)
    return tuple(known)


def seen_by(now: Round, players: Sequence[model.Player], place: int | None) -> tuple[model.Team | None, ...]:
    """Return the teams as a place knows them: what all have been shown, and what follows from the own hand."""
    known = list(shown(now))
    if place is None or now.game is None:
        return tuple(known)
    known[place] = own_team(now, players, place)
    if now.game.player is None and queens_of(now, players, place) == 2:
        return tuple(team or "contra" for team in known)
    return concluded(known)


def _named(game: model.GameType) -> tuple[int, ...]:
    return tuple(sorted(place for place in (game.player, game.partner) if place is not None))


def _shown_by_game(game: model.GameType) -> tuple[model.Team | None, ...]:
    others: model.Team | None = None if game.is_open else "contra"
    return tuple("re" if place in _named(game) else others for place in range(model.SEATS))


# --- calls -----------------------------------------------------------------------------------------------------------


def level_of(calls: Sequence[model.Announcement], team: model.Team) -> int:
    """Return how many of the five levels a team has called."""
    return len({call.level for call in calls if call.team == team})


def least_for(game: model.GameType, level: model.Level) -> int:
    """Return how many cards a speaker must still hold for a call (6.2)."""
    return LEAST[level] - max(game.clarified - 1, 0)


def check_call(state: State, place: int, level: model.Level) -> model.Team:
    """Return the team that a player would call `level` for.

    Raise `IllegalMove`: "call_too_early" (before the game is fixed), "call_after_round", "wedding_open",
    "already_called", "announce_first" (a denial without an announcement), "call_skips" (`level` is due first, an index
    of `LEVELS`), "call_too_late" (`level` needed `least` cards, `held` are).
    """
    now, held = state.round, len(state.players[place].hand)
    if now.game is None:
        raise IllegalMove("call_too_early")
    if state.phase != "play":
        raise IllegalMove("call_after_round")
    team = own_team(now, state.players, place)
    if now.game.is_open or team is None:
        raise IllegalMove("wedding_open")
    if not _is_new(now.calls, place, team, level):
        raise IllegalMove("already_called")
    _check_order(level_of(now.calls, team), model.LEVELS.index(level))
    least = least_for(now.game, level)
    if held < least:
        raise IllegalMove("call_too_late", level=model.LEVELS.index(level), least=least, held=held)
    return team


def _is_new(calls: Sequence[model.Announcement], place: int, team: model.Team, level: model.Level) -> bool:
    """Return whether a call says something: both of a team may announce it, which counts once (D9)."""
    before = [call for call in calls if call.team == team and call.level == level]
    return all(call.place != place for call in before) if level == "team" else not before


def _check_order(reached: int, wanted: int) -> None:
    if wanted > 0 and reached == 0:
        raise IllegalMove("announce_first")
    if wanted > reached:
        raise IllegalMove("call_skips", level=reached)


def possible_calls(state: State, place: int) -> tuple[model.MayCall, ...]:
    """Return the calls that a player may make now, each with its deadline."""
    return tuple(choice for level in model.LEVELS if (choice := _possible(state, place, level)))


def _possible(state: State, place: int, level: model.Level) -> model.MayCall | None:
    try:
        team = check_call(state, place, level)
    except IllegalMove:
        return None
    assert state.round.game is not None, "a call without a game"
    return model.MayCall(level, team, least_for(state.round.game, level))
