import subprocess
import sys

import pytest

from yawc_poker.session.heap import free_in_holes

PROGRAM = """
from yawc_poker.session.heap import fill_holes, free_in_holes

blocks = [bytes(size) for size in range(600, 3000, 7) for _ in range(3)]
del blocks[::2]
before = free_in_holes()
fill_holes()
print(before, free_in_holes())
del blocks
assert bytes(10_000_000)
"""


def test_no_hole_is_left_for_the_first_blocks_of_a_session() -> None:
    """In a process of its own, with one thread and so one heap, as a listener has."""
    if free_in_holes() is None:
        pytest.skip("this C library does not tell what is free")
    told = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout
    before, after = map(int, told.split())
    assert before > 300_000
    assert after < 3000
