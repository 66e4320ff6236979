import pytest

from tests.isolation.processes import exit_code, fork
from yawc_poker.session.heap import fill_holes, free_in_holes


def test_no_hole_is_left_for_the_first_blocks_of_a_session() -> None:
    if free_in_holes() is None:
        pytest.skip("this C library does not tell what is free")

    def work() -> None:
        blocks = [bytes(size) for size in range(600, 3000, 7) for _ in range(3)]
        del blocks[::2]
        before = free_in_holes()
        assert before is not None
        assert before > 300_000
        fill_holes()
        after = free_in_holes()
        assert after is not None
        assert after < 3000
        del blocks
        assert bytes(10_000_000)  # there is a heap as before

    assert exit_code(fork(work)) == 0
