from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.isolation.books import Place
from tests.isolation.stores import EMPTIED, OpenUsers, in_database, in_file, in_file_of_many
from tests.postgres import Server
from yawc_poker.casino.instance.databases import USERS_FILE
from yawc_poker.casino.users.accounts import Accounts


@pytest.fixture(scope="session")
def accounts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `users.sqlite` with three users, to be copied; to make them takes longer than a test."""
    file = tmp_path_factory.mktemp("accounts") / USERS_FILE
    accounts = Accounts(in_file(file))
    for name in ("Anna", "Bert", "Carl"):
        accounts.register(name, "secret-1", "en")
    accounts.close()
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where books are made at their first use, in either kind of database."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("database")
    return Place(tmp_path / "bank.sqlite", url)


@pytest.fixture(scope="session")
def used_database(postgres: Server) -> str:
    """The name of a database that one test after the other uses: to make one takes longer than most of them."""
    return postgres.create()


@pytest.fixture
def open_postgres_users(postgres: Server, used_database: str) -> OpenUsers:
    """Users in a PostgreSQL database, where nobody has an account yet."""
    open_users = partial(in_database, postgres.url(used_database))
    with closing(open_users()) as store, store.reading():
        pass  # the first test's makes the tables
    postgres.asks(used_database, EMPTIED)
    return open_users


@pytest.fixture(params=["sqlite", "postgresql"])
def open_users(request: pytest.FixtureRequest, tmp_path: Path) -> OpenUsers:
    """Users in either kind of database, where nobody has an account yet."""
    if request.param == "sqlite":
        return partial(in_file_of_many, tmp_path)
    found: OpenUsers = request.getfixturevalue("open_postgres_users")
    return found
