"""What is told once is told: SIGKILL at every step of showing an X-message, and of telling of stakes that came back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolation.operations import Operation, Scene, passes_what_is_listed
from tests.isolation.prompt import PromptHands, with_accounts
from tests.isolation.sessions import Hall, clocks
from tests.waiting import wait_until


@pytest.fixture
def hall(tmp_path: Path, accounts_file: Path) -> Iterator[Hall]:
    with Hall(with_accounts(tmp_path / "data", accounts_file), clocks(reveal=2), hands=PromptHands) as hall:
        yield hall
        hall.money()


def _written_to(hall: Hall) -> Scene:
    anna, bert = hall.session(1, "Anna"), hall.session(2, "Bert")
    assert bert("write", "Anna", "huhu") == "sent"
    return Scene(anna, [bert])


def _refunded(hall: Hall) -> Scene:
    """Anna did not live to see her game, and its stakes went back; now she is here again."""
    anna, bert = hall.seat("Anna", "Bert")
    anna.doomed("after open_game", "start")
    hall.pass_time(10)
    wait_until(lambda: bert("look after all") == "ok" and hall.names() == ["Bert"])
    return Scene(hall.session(1, "Anna"), [bert])


READING = Operation("reading a message", _written_to, ("read messages",)), "huhu"
HEARING = Operation("hearing of a refund", _refunded, ("hear of refunds",)), "was broken off"
POINTS = [
    pytest.param(operation, text, step, id=f"{operation.name}-{step}")
    for operation, text in (READING, HEARING)
    for step in operation.steps
]


@pytest.mark.parametrize(("operation", "text"), [READING, HEARING], ids=lambda one: getattr(one, "name", one))
def test_the_list_of_steps_at_the_prompt(hall: Hall, operation: Operation, text: str) -> None:
    assert passes_what_is_listed(hall, operation).actor("shown", text) == "1"


@pytest.mark.parametrize(("operation", "text", "step"), POINTS)
def test_killed_while_told_at(hall: Hall, operation: Operation, text: str, step: str) -> None:
    scene = operation.prepare(hall)
    scene.actor.doomed(step, *operation.order)
    assert hall.locks_held() == []
    again = hall.session(1, "Anna")
    assert again(*operation.order) == "ok"
    steps = operation.steps
    noted = max(at for at, name in enumerate(steps) if "COMMIT" in name)
    assert again("shown", text) == ("1" if steps.index(step) <= noted else "0"), "once more rather than never"
    assert again(*operation.order) == "ok"
    assert again("shown", text) == ("1" if steps.index(step) <= noted else "0")
