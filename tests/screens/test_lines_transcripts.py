"""A whole game of each kind as one caller hears it in lines, in each language: transcripts that people read.

`YAWC_GOLDEN=1 pytest` writes them anew. The caller is Anna; everybody plays by chance, as do the cards.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from tests.engine.adapters import DOPPELKOPF_ADAPTER, MAUMAU_ADAPTER, OFFIZIERSSKAT_ADAPTER, POKER_ADAPTER
from tests.screens.golden import agrees
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.table import split
from yawc_poker.engine.values import AnyTable, Clocks, Seat
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.doppelkopf.model import Options as DoppelkopfOptions
from yawc_poker.games.maumau.game import MAUMAU
from yawc_poker.games.maumau.model import Options as MauMauOptions
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.offiziersskat.model import Options as OffiziersskatOptions
from yawc_poker.games.poker.game import POKER
from yawc_poker.games.poker.model import Options as PokerOptions
from yawc_poker.table_ui.definition import AnyDefinition, plain
from yawc_poker.table_ui.linear import folded, spoken_keys
from yawc_poker.table_ui.scene import ONLOOKER
from yawc_poker.table_ui.telling import Heard, telling
from yawc_poker.words import LANGUAGES, Language

GOLDEN = Path(__file__).parent / "golden_lines"
CLOCKS = Clocks()
NAMES = ("Anna", "Bert", "Carl", "Dora")
ANNA = 10
"""Anna's session."""


class Played(NamedTuple):
    """A game to be heard."""

    game: AnyDefinition
    options: object
    pick: Callable[[object, Random], object]
    people: int
    seed: int


GAMES = {
    "poker": Played(plain(POKER), PokerOptions(), POKER_ADAPTER.pick, 3, 5),
    "maumau": Played(plain(MAUMAU), MauMauOptions(rounds=2), MAUMAU_ADAPTER.pick, 3, 2),
    "doppelkopf": Played(plain(DOPPELKOPF), DoppelkopfOptions(rounds=1, cubes=5), DOPPELKOPF_ADAPTER.pick, 4, 3),
    "offiziersskat": Played(plain(OFFIZIERSSKAT), OffiziersskatOptions(target=1), OFFIZIERSSKAT_ADAPTER.pick, 2, 4),
}


def course(played: Played) -> Iterator[tuple[AnyTable, float]]:
    """Yield a table as it is after each change, with the time, to the end of a game and its payout."""
    rules, rng, now = played.game.rules, Random(played.seed), 0.0
    table: AnyTable = tables.empty(rules)
    for seat, name in enumerate(NAMES[: played.people]):
        table = tables.sit(table, rules, Seat(ANNA + seat, seat + 1, name, 1000), now, CLOCKS)
        yield table, now
    table = tables.start(table, rules, ANNA, cash_of(table), rng, now, played.options, CLOCKS).table
    yield tables.chat(table, ANNA + 1, "Viel Erfolg!"), now
    table = tables.chat(tables.chat(table, ANNA + 1, "Viel Erfolg!"), ANNA, "Danke!")
    while table.game is not None and not rules.is_over(table.game):
        now += 1
        mover = rules.to_move(table.game)
        assert mover is not None
        choices = rules.legal_moves(table.game, mover)
        move = played.pick(choices[0] if rng.random() < 0.9 else rng.choice(choices), rng)
        table = tables.play(table, rules, ANNA + mover, move, cash_of(table), rng, now, CLOCKS).table
        yield table, now
    parts = split(table.pot, {due.user: due.share for due in table.due})
    owed = {debt.user: debt.amount for debt in table.debts}
    cash = {
        seat: who.cash + parts.get(who.user, 0) - owed.get(who.user, 0)
        for seat, who in enumerate(table.seats)
        if who is not None
    }
    yield tables.finish(table, rules, now, CLOCKS, cash), now


def cash_of(table: AnyTable) -> dict[int, int]:
    return {seat: who.cash for seat, who in enumerate(table.seats) if who is not None}


def heard(played: Played, language: Language, session: int = ANNA, *, brief: bool = False) -> list[str]:
    """Return all that a session is told."""
    said, lines, known = words(language, spoken=True), [], Heard()
    face, local = played.game.face, played.game.face.fresh(played.options)
    for table, now in course(played):
        scene = face.scene(table, session, 0, now)
        local = face.follow(local, scene)
        known, new = telling(played.game, table, session, scene, local, known, said, brief=brief)
        lines += [*new.events, *(spoken_keys(line, said) for line in (*new.said, *new.asked))]
    return lines


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_game_reads_like_its_transcript(name: str, language: Language) -> None:
    lines = heard(GAMES[name], language)
    agrees("".join(f"{line}\n" for line in lines), GOLDEN / f"{name}_{language}.txt")


@pytest.mark.parametrize("name", GAMES)
def test_a_narrow_or_brief_transcript_and_an_onlookers(name: str) -> None:
    lines = heard(GAMES[name], "en")
    narrow = [part for line in lines for part in folded(line, 39, "    ")]
    assert max(map(len, narrow)) <= 39
    assert " ".join(part.strip() for part in narrow) == " ".join(" ".join(lines).split())
    brief, beside = heard(GAMES[name], "en", brief=True), heard(GAMES[name], "en", ONLOOKER)
    assert sum(map(len, brief)) < sum(map(len, lines))
    assert not [line for line in beside if line.startswith(("Your ", "You get", "You own", "You may"))]
