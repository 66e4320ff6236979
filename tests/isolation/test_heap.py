import ctypes
import subprocess
import sys
from collections.abc import Callable

import pytest

from yawc_poker.session.prefork.heap import return_free_pages
from yawc_poker.table_ui.screen import draw_keys
from yawc_poker.terminal.frame import Canvas

PROGRAM = """
from yawc_poker.session.prefork.heap import fill_holes

blocks = [bytes(size) for size in range(600, 3000, 7) for _ in range(3)]
del blocks[::2]
print(fill_holes(), fill_holes())
del blocks
assert bytes(10_000_000)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="this C library does not tell what is free")
def test_no_hole_is_left_for_the_first_blocks_of_a_session() -> None:
    """In a process of its own, with one thread and so one heap, as a listener has."""
    told = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True).stdout
    taken, left = map(int, told.split())
    assert taken > 300_000
    assert left < 3000


POOLS = """
from yawc_poker.session.prefork.heap import fill_pools

blocks = [bytes(95) for _ in range(2000)]
holes = set(map(id, blocks[::2]))
del blocks[::2]
print(fill_pools())
blocks += [bytes(95) for _ in range(500)]
print(len(holes & set(map(id, blocks))))
"""


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="another allocator")
def test_no_hole_is_left_for_the_first_objects_of_a_session() -> None:
    told = subprocess.run([sys.executable, "-c", POOLS], check=True, capture_output=True, text=True).stdout
    taken, used = map(int, told.split())
    assert 128_000 < taken < 3_000_000
    assert used == 0


SCATTERED = """
import ctypes
from tests.kernel import memory
from yawc_poker.session.prefork.heap import return_free_pages

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
blocks = [libc.malloc(2000) for _ in range(5000)]
for block in blocks:
    ctypes.memset(ctypes.c_void_p(block), 1, 2000)
for number, block in enumerate(blocks):
    if number % 50:
        libc.free(block)
before = memory("self", "Private_Dirty")
return_free_pages()
print(before - memory("self", "Private_Dirty"))
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this C library does not return pages")
def test_pages_between_blocks_in_use_are_returned() -> None:
    told = subprocess.run([sys.executable, "-c", SCATTERED], check=True, capture_output=True, text=True).stdout
    assert int(told) > 8_000_000


TIMES = 1000
LINE = "[B] Bet   [P] Pass"


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="another cache of methods")
@pytest.mark.parametrize(
    "work",
    [lambda: draw_keys(Canvas(80, 24), 0, 0, LINE), return_free_pages],
    ids=["drawing keys", "returning pages"],
)
def test_what_a_session_does_all_the_time_leaves_nothing(work: Callable[[], object]) -> None:
    """A method that is looked up by a new string leaves it in a cache of 4,096, as `finditer` and ctypes do."""
    work()
    between: list[object] = []
    before = sys.getallocatedblocks()
    for _ in range(TIMES):
        work()
        between.append(bytes(9))  # else the next string would lie where the last one did
    assert sys.getallocatedblocks() - before - TIMES < TIMES / 10
