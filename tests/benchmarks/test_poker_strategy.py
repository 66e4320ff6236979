"""How the strategy of poker's house players is found: by the rules, without gifts, and better with every round."""

import pytest

from benchmarks.poker_strategy import TABLES, Change, Node, Odds, Solver, Turn, begun, counted, told, tree, written
from yawc_poker.games.poker.player import strategy

ODDS: Odds = counted(3000)


def turns(node: Node) -> list[Turn]:
    match node:
        case Turn():
            return [node, *[turn for then in node.then for turn in turns(then)]]
        case Change():
            return turns(node.then)
    return []


@pytest.mark.parametrize(("players", "sizes"), [(players, sizes) for players, sizes, _ in TABLES])
def test_the_strategy_has_a_row_for_each_turn_that_its_players_meet(players: int, sizes: str) -> None:
    met: dict[str, set[str]] = {}
    for turn in turns(tree(begun(players), sizes)):
        met.setdefault(turn.spot, set()).update(turn.actions)
    for spot, actions in met.items():
        if spot[0] == str(players - 1):
            assert set(strategy.STRATEGY[spot]) <= actions


def test_what_one_gains_the_others_lose_and_the_best_answer_gains_less_and_less() -> None:
    solver = Solver(2, "lpm", ODDS, 0.05)
    best = []
    for _ in range(3):
        solver.learn(12)
        assert sum(solver.values(best=False)) == pytest.approx(0)
        best.append(sum(solver.values(best=True)))
    assert best == sorted(best, reverse=True)
    assert best[-1] < best[0] / 2


def test_the_table_is_read_as_it_was_written() -> None:
    solver = Solver(2, "lpm", ODDS, 0.05)
    solver.learn(5)
    found = solver.strategy()
    text = "\n".join(written(ODDS, [0.5], found))
    table = text.partition('read("""')[2].partition('"""')[0]
    assert strategy.read(table) == {spot: told(rows) for spot, rows in found.items()}
