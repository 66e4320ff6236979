"""What a profile tells of games of points: the totals of the newest ones, as the games themselves count them."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.engine.adapters import MAUMAU_ADAPTER, Adapter
from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import Hall
from tests.isolation.test_history import play_anything
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import Asked
from yawc_poker.casino.instance.instance import BANK_FILE
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT
from yawc_poker.registry.games import game_of
from yawc_poker.session.menus.history import newest_points


@pytest.mark.parametrize("adapter", [MAUMAU_ADAPTER], ids=["maumau"])
def test_points_are_those_of_the_match(tmp_path: Path, adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    kind = adapter.game.KIND

    def play() -> None:
        play_anything(hall, adapter, Bank)
        bank = Bank(hall.data / BANK_FILE, nullcontext())
        played = bank.game(1)
        assert played is not None
        standings = game_of(kind).results(played).standings
        assert standings
        assert any(one.total for one in standings)
        for user, one in enumerate(standings, 1):
            assert newest_points(bank, user, kind) == (one.total,)
        assert newest_points(bank, len(standings) + 1, kind) == (), "who has not played"
        assert newest_points(bank, 1, "poker") == newest_points(bank, 1, "unheard of") == ()
        assert [game.kind for game in bank.games(Asked(user=1, kind=kind))] == [kind]
        assert bank.games(Asked(user=1, kind="poker")) == bank.games(Asked(table=0, kind="poker")) == []
        bank.close()

    with Hall(tmp_path / "data") as hall:
        assert exit_code(fork(play)) == 0
