from contextlib import nullcontext
from pathlib import Path

import pytest

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
