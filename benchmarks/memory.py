"""The memory of a session before it plays, and whether it grows from game to game.

Many callers come at once, and their memory is read at the name prompt and, once all have logged in, at the main prompt.
Then most hang up; two of them play hundreds of games.
"""

import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.crowd import AT_A_TIME, CONFIG, LOGIN, PROMPT, Crowd, Five, Visitor
from benchmarks.report import Curve, Line, Measured, Row, at_most, count, figure
from tests.end_to_end.bbs import Bbs
from tests.kernel import memory
from tests.processes import serving

CALLERS, FEW = 200, 12
"""How many come; how many stay: with a single other process, pages that nobody writes to would be told as one's own."""
PLAYERS = 2
GAMES = (1, 10, 50, 100, 200, 300)
"""The games after which memory is read."""
TENTH = 10
"""The game after which nothing may grow."""
DUTY = 62.0
"""Seconds after that game: what every session does once a minute for all takes pages of its own the first time."""
PACE = 0.06
"""Seconds between moves: much faster, and the players would be dropped for what their keys cost."""
NEXT_AT_ONCE = CONFIG.replace("pause_seconds = 0.2", "pause_seconds = 0")


class Stages(NamedTuple):
    """What was measured, in bytes."""

    login: list[float]
    """PSS of each session at the name prompt."""
    prompt: list[float]
    """PSS of each session at the main prompt."""
    grown: list[tuple[int, list[float]]]
    """Pages of their own of those who play, by the number of games."""


def measure(quick: bool) -> Measured:
    """Make the callers come, log in, and play."""
    games = GAMES[:2] if quick else GAMES
    with tempfile.TemporaryDirectory(prefix="yawc-bench-") as name, Bbs(Path(name) / "data", NEXT_AT_ONCE) as bbs:
        found = stages(Crowd(bbs), bbs, FEW if quick else CALLERS, games, rest=0.0 if quick else DUTY)
    return Measured(_rows(found), [_curve(found)])


def stages(
    crowd: Crowd, bbs: Bbs, callers: int, games: Sequence[int], stay: int = FEW, what: str = "Pss", rest: float = 0.0
) -> Stages:
    """Return what is measured while callers come, log in and play; at the prompts it is `what`, as smaps calls it.

    Nobody plays for `rest` seconds after the tenth game.
    """
    before = _children(bbs)
    people = [Visitor(crowd.loop, bbs.port, number, "Caller", (LOGIN, PROMPT)) for number in range(callers)]
    crowd.run(lambda: all(one.is_stopped for one in people))
    sessions = _children(bbs) - before
    login = _read(sessions, what)
    _log_in(crowd, people)
    prompt = _read(sessions, what)
    for one in people[stay:]:
        one.wire.close()
    players = people[:PLAYERS]
    for one in players:
        one.go_on()
    crowd.run(lambda: all(one.is_seated for one in players))
    return Stages(login, prompt, list(_growth(crowd, crowd.table(0, players), games, rest)))


def _log_in(crowd: Crowd, people: Sequence[Visitor]) -> None:
    """Make everybody register, some at a time, up to the main prompt."""
    waiting, coming = list(people), list[Visitor]()

    def are_in() -> bool:
        coming[:] = [one for one in coming if not one.is_stopped]
        while waiting and len(coming) < AT_A_TIME:
            coming.append(waiting.pop(0))
            coming[-1].go_on()
        return not coming

    crowd.run(are_in)


def _growth(crowd: Crowd, table: Five, games: Sequence[int], rest: float) -> Iterator[tuple[int, list[float]]]:
    """Play on; yield the players' own memory after each of these numbers of games."""
    sessions = crowd.pids([table])
    for number in games:
        crowd.play_games([table], number - table.games, PACE)
        crowd.loop.run_for(rest if number == TENTH else 0.0)
        yield number, _read(sessions, "Private_Dirty")


def _children(bbs: Bbs) -> set[int]:
    return {child.pid for child in serving(bbs.process.pid)}


def _read(pids: Collection[int], what: str) -> list[float]:
    return [memory(pid, what) for pid in pids]


def _rows(stages: Stages) -> list[Row]:
    login, prompt = figure("ours", [stages.login], "B"), figure("ours", [stages.prompt], "B")
    by_game = dict(stages.grown)
    last = max(by_game)
    grown = [after - before for before, after in zip(by_game[TENTH], by_game[last], strict=True)]
    why = "A session owns what it has touched of what it shares with the listener, if only to count a reference."
    return [
        Row(
            "memory per caller, name prompt",
            "PSS of each session before the login",
            login,
            (),
            (at_most("at most 1.5 MB", login.p50, 1.5e6, "B"),),
            why,
            f"{len(stages.login)} callers; p99: of all sessions.",
        ),
        Row(
            "memory per caller, main prompt",
            "PSS of the same sessions, once all have registered and logged in",
            prompt,
            (),
            (at_most("at most 3 MB", prompt.p50, 3e6, "B"),),
            why,
        ),
        Row(
            "growth of a session",
            f"its own pages (Private_Dirty), from the end of the {TENTH}th to the end of the {last}th game",
            count("ours", grown, "B"),
            (),
            (at_most("none: at most 0.05 MB", max(grown), 0.05e6, "B"),),
            "Something is kept from game to game.",
            f"{PLAYERS} play, at one table; the mark is for the one that grew more, and allows for a dozen pages.",
        ),
    ]


def _curve(stages: Stages) -> Curve:
    points = tuple((float(number), max(owned)) for number, owned in stages.grown)
    return Curve(
        "games", "A session that plays on", "games played", "its own", (Line("ours", points),), "B", linear=True
    )
