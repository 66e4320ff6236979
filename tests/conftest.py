"""Settings of all tests, and the fixtures that tests of several folders use.

How long an example takes says more about the machine than about the program.

`nohup make test &` ignores two signals, which programs would inherit whom tests send them. A handler, too, spares this
process, but an exec resets it.
"""

import os
import signal
from pathlib import Path

from hypothesis import HealthCheck, settings

from tests.absent import missing
from tests.memory_disk import memory_disk
from tests.postgres import database, empty_database, kept_database, postgres, renewed_database
from tests.thoroughness import sampled

__all__ = ["database", "empty_database", "kept_database", "postgres", "renewed_database"]

settings.register_profile(
    "any machine", deadline=None, max_examples=sampled(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

if (in_memory := memory_disk()) is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(in_memory))

for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda number, frame: None)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the tests of extras that are not there."""
    return True if collection_path.suffix == ".py" and missing(collection_path) else None
