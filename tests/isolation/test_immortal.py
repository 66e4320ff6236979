"""Objects that are never counted again, in a process of its own: nothing of it can be taken back."""

import json
import subprocess
import sys

import pytest

from yawc_poker.session.prefork.immortal import obstacle

immortal = pytest.mark.skipif(bool(obstacle()), reason=obstacle() or "objects can be made immortal")

PAGES = """
import gc, json, os
from yawc_poker.session.prefork.immortal import make_immortal

def private() -> int:
    with open("/proc/self/smaps_rollup") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty"))

kept = [[str(number)] for number in range(200_000)]
gc.collect()
count = make_immortal() if {immortal} else 0
gc.freeze()
hear, say = os.pipe()
if os.fork() == 0:
    before = private()
    for one in kept:
        held = one
    os.write(say, str(private() - before).encode())
    os._exit(0)
os.wait()
print(json.dumps([count, int(os.read(hear, 99))]))
"""


def touched(*, immortal: bool) -> tuple[int, int]:
    """Return how many objects were made immortal, and the kB that a child copied by looking at 200,000 lists."""
    done = subprocess.run([sys.executable, "-c", PAGES.format(immortal=immortal)], capture_output=True, check=True)
    count, kilobytes = json.loads(done.stdout)
    return count, kilobytes


@immortal
def test_what_was_made_before_a_fork_is_not_copied_by_looking_at_it() -> None:
    assert touched(immortal=False)[1] > 10_000
    count, copied = touched(immortal=True)
    assert count > 400_000
    assert copied < 500


@immortal
def test_an_immortal_object_outlives_its_last_reference() -> None:
    program = """
import gc, weakref
from yawc_poker.session.prefork.immortal import make_immortal
class Kept: pass
kept = Kept()
seen = weakref.ref(kept)
make_immortal()
del kept
gc.collect()
print(seen() is not None)
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"True\n"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this version knows immortal objects")
def test_an_interpreter_without_immortal_objects_is_named() -> None:
    assert obstacle() == f"the objects of cpython 3.{sys.version_info.minor} are not known"


@immortal
def test_an_instance_changes_nothing_of_its_class_once_that_is_settled() -> None:
    program = """
import ctypes, gc, sys
from yawc_poker.session.prefork.instances import settle_instances
class Used:
    def __init__(self):
        self.one, self.two = 1, 2
class Unused:
    def __init__(self):
        self.one = 1
class Deleted(Used):
    def __del__(self):
        print("deleted")
made = Deleted()
Used()
def table(cls):  # its address is behind the class's full name
    words = range(id(cls), id(cls) + type.__basicsize__ - 8, 8)
    at = max(at for at in words if ctypes.c_ssize_t.from_address(at).value == id(cls.__qualname__))
    return ctypes.c_ssize_t.from_address(at + 8).value
def bytes_of(cls):
    return ctypes.string_at(table(cls), 32)
before = bytes_of(Used), bytes_of(Unused), bytes_of(Deleted)
Used()
fresh = bytes_of(Used) != before[0]
count = settle_instances()
settled, unused, deleted = bytes_of(Used), bytes_of(Unused), bytes_of(Deleted)
found = [Used() for _ in range(100)]
known = sys.version_info >= (3, 14)  # there a class knows the names of its attributes before it has instances
print(fresh, count > 10, bytes_of(Used) == settled, known or unused == before[1], deleted == before[2], vars(found[-1]))
gc.collect()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout == "True True True True True {'one': 1, 'two': 2}\ndeleted\n"
