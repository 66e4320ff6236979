"""What grows is found, and what does not grow is not."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from tests.stress.figures import Figures
from tests.stress.leaks import MOST_BYTES, MOST_DESCRIPTORS, Leaks

KEEPS_STILL = "kept = []"
KEEPS_MEMORY = f"kept = bytearray(range(256)) * {2 * MOST_BYTES // 256}"
KEEPS_FILES = f"kept = [open('/dev/null') for _ in range({MOST_DESCRIPTORS + 1})]"


@contextmanager
def process_that(does: str) -> Iterator[subprocess.Popen[str]]:
    """A process that does something once it is told, and says that it has."""
    program = f"import sys; print('here', flush=True); input(); {does}; print('done', flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], stdin=pipe, stdout=pipe, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "here\n"
        yield running
        running.kill()


@pytest.mark.parametrize(
    ("does", "said"),
    [(KEEPS_STILL, None), (KEEPS_MEMORY, "grew by"), (KEEPS_FILES, "descriptors, and had")],
    ids=["nothing", "memory", "descriptors"],
)
def test_a_process_that_keeps_more_and_more_is_found(does: str, said: str | None) -> None:
    figures = Figures()
    leaks = Leaks([], figures, counts_semaphores=False, settled=0, lived=0)
    with process_that(does) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        looked_at = psutil.Process(running.pid)
        leaks.take("session", looked_at)
        print(file=running.stdin, flush=True)
        assert running.stdout.readline() == "done\n"
        leaks.take("session", looked_at)
    leaks.judge()
    assert [said in line for line in figures.leaks if said is not None] == ([] if said is None else [True])
    assert said is not None or not figures.leaks
    assert any("sessions watched" in line for line in leaks.report())
