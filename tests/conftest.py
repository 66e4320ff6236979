"""Settings of all tests, and the fixtures that tests of several folders use.

How long an example takes says more about the machine than about the program.

`nohup make test &` ignores two signals, which programs would inherit whom tests send them. A handler, too, spares this
process, but an exec resets it.
"""

import gc
import os
import signal
from pathlib import Path

import pytest
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


def pytest_collectstart() -> None:
    """Let no collection of garbage look at the tests again and again while they become more."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let none look at them later, either, which a forked process would copy for that."""
    gc.collect()
    gc.freeze()
    gc.enable()


class Absent(pytest.Module):
    """A module of tests that need an extra which is not there."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing, and do not import it."""
        return []


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Leave out the tests of extras that are not there, also if they are named."""
    return Absent.from_parent(parent, path=module_path) if missing(module_path) else None
