"""What is said before the first trick, and what is called: by the mean of worlds played to their ends.

Owns the margins. Worlds flatter those who plan in them, so a call must promise more than nothing, and a denial, which
loses the round if it fails, much more. A solo is another matter: the policy plays it worse than `search` does.
"""

from collections.abc import Sequence
from typing import Final

from yawc_poker.engine.players import Dice
from yawc_poker.games.doppelkopf.model import SOLOS, Kind, Level, MayCall, Solo, View
from yawc_poker.games.doppelkopf.player.decks import deck_of
from yawc_poker.games.doppelkopf.player.evidence import World, likely_worlds
from yawc_poker.games.doppelkopf.player.knowledge import Known, supposed
from yawc_poker.games.doppelkopf.player.playouts import FINE, play_out, start_of, worth

CALL_MARGIN: Final = FINE // 10
"""What an announcement must promise to win, on the average, of the two points that it may."""
AGAINST_SOLO: Final = 7 * FINE // 5
"""The same for one against a solo, whose player knows more than those who call."""
DENIAL_MARGIN: Final = 2 * FINE // 5
"""What a denial must promise to win, on the average."""
_OWED: Final = 2 * FINE
"""By how much a compulsory solo, which must be played some time, may be worse than another."""
_GLANCE: Final = 12
"""Worlds in which all solos are tried."""
_HOPELESS: Final = -5 * FINE
"""What no solo with any prospects seems to lose at a glance."""


def best_solo(view: View, dice: Dice) -> tuple[int, Solo]:
    """Return the solo that promises most at a glance."""
    return max((expected(supposed(view, kind), dice, _GLANCE), kind) for kind in SOLOS)


def wants_solo(view: View, dice: Dice, count: int, margin: int) -> bool:
    """Return whether a solo promises that much more than the game without it."""
    owes = view.place is not None and view.players[view.place].owes_solo
    glance, kind = best_solo(view, dice)
    if glance < _HOPELESS:
        return False
    without = expected(supposed(view, usual(view)), dice, count)
    return expected(supposed(view, kind), dice, count) - without > margin - (_OWED if owes else 0)


def usual(view: View) -> Kind:
    """Return the game that is played if nobody names a solo: with both queens of clubs, a wedding."""
    deck = deck_of("normal")
    held = [card for card in view.hand or () if deck.queens >> deck.number[card] & 1]
    return "wedding" if len(held) == 2 else "normal"


def expected(known: Known, dice: Dice, count: int) -> int:
    """Return what a round is worth to a place, on the average of worlds in which all play by the policy."""
    return sum(ends(known, dice, count)) // count


def ends(known: Known, dice: Dice, count: int) -> list[int]:
    """Return what a round is worth to a place in each of these worlds."""
    levels, worlds = known.levels(), likely_worlds(known, dice, count, 2)
    return [worth(play_out(known, start_of(known, world)), known.me, levels) for world in worlds]


def wanted_call(known: Known, calls: Sequence[MayCall], worlds: Sequence[World]) -> Level | None:
    """Return the call that is worth its risk, if there is one; those that may be made come in their order."""
    call = due_call(known, calls)
    if call is None:
        return None
    announcement = AGAINST_SOLO if known.game.is_solo and known.game.player != known.me else CALL_MARGIN
    margin = announcement if call.level == "team" else DENIAL_MARGIN
    return call.level if gain(known, call, worlds) > margin * len(worlds) else None


def due_call(known: Known, calls: Sequence[MayCall]) -> MayCall | None:
    """Return the first call that says something new, of those that may be made, in their order."""
    return next((call for call in calls if call.level != "team" or known.levels()[call.team] == 0), None)


def gain(known: Known, call: MayCall, worlds: Sequence[World]) -> int:
    """Return what a call wins in all worlds together, for each player of the other team."""
    before, after = known.levels(), known.levels(call.team, call.level)
    total = 0
    for world in worlds:
        end = play_out(known, start_of(known, world))
        share = 3 if end.re == 1 << known.me else 1
        total += (worth(end, known.me, after) - worth(end, known.me, before)) // share
    return total
