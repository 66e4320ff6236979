from contextlib import nullcontext
from pathlib import Path

import pytest

from yawc_poker.casino.accounts import Accounts
from yawc_poker.casino.house import USERS_FILE


@pytest.fixture(scope="session")
def accounts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `users.sqlite` with three users, to be copied; to make them takes longer than a test."""
    file = tmp_path_factory.mktemp("accounts") / USERS_FILE
    accounts = Accounts(file, nullcontext())
    for name in ("Anna", "Bert", "Carl"):
        accounts.register(name, "secret-1", "en")
    accounts.close()
    return file
