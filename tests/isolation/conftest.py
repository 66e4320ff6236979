from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.isolation.books import Place
from yawc_poker.casino.instance.instance import USERS_FILE
from yawc_poker.casino.users.accounts import Accounts


@pytest.fixture(scope="session")
def accounts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `users.sqlite` with three users, to be copied; to make them takes longer than a test."""
    file = tmp_path_factory.mktemp("accounts") / USERS_FILE
    accounts = Accounts(file, nullcontext())
    for name in ("Anna", "Bert", "Carl"):
        accounts.register(name, "secret-1", "en")
    accounts.close()
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where books are made at their first use, in either kind of database."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("database")
    return Place(tmp_path / "bank.sqlite", url)
