"""Bytecode moved together, in a process of its own: the functions of a whole program get other code objects."""

import json
import subprocess
import sys

PROGRAM = """
import json
from yawc_poker.session.prefork.bytecode import Bytecode, move_together

def outer(step):
    def inner(number):
        return sum(one * step for one in range(number))
    return inner

class Counter:
    def __init__(self):
        self.count = 0
    def up(self):
        self.count += 1
        return self

def idle():
    return 1

def untouched():
    return 2

used, counter = outer(3), Counter()
functions = [used, Counter.up]
before = [function.__code__ for function in functions]
kept = untouched.__code__
seen = Bytecode()
for _ in range(200):
    used(10)
    counter.up()
    outer(1)
changed = seen.changed()
first = {id(Counter.up.__code__)}
moved = move_together([first, changed])
print(json.dumps({
    "moved": len(moved) >= 2,
    "changed": [id(code) in changed for code in before],
    "replaced": [one.__code__ is not code and one.__code__ == code for one, code in zip(functions, before)],
    "inner": any(used.__code__ is one for one in outer.__code__.co_consts),
    "kept": untouched.__code__ is kept,
    "works": [used(4), outer(2)(4), counter.up().count, idle()],
}))
"""

LOOKING = """
import gc, json, tracemalloc
from yawc_poker.session.prefork.bytecode import Bytecode

names = {}
gc.disable()
Bytecode().changed()
tracemalloc.start()
for number in range(200):
    exec(f"def new_{number}(a):\\n" + "    a = a * 2 + 1\\n" * 100, names)
before = tracemalloc.get_traced_memory()[0]
Bytecode().changed()
print(json.dumps(tracemalloc.get_traced_memory()[0] - before))
"""


def test_what_has_run_is_moved_and_works_as_before() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True, text=True)
    assert json.loads(done.stdout) == {
        "moved": True,
        "changed": [True, True],
        "replaced": [True, True],
        "inner": True,
        "kept": True,
        "works": [18, 12, 201, 1],
    }


def test_looking_at_bytecode_leaves_nothing_behind() -> None:
    done = subprocess.run([sys.executable, "-c", LOOKING], capture_output=True, check=True, text=True)
    kept = int(json.loads(done.stdout))
    assert kept < 50_000, "200 functions of a kilobyte and more keep no copy of their bytecode"
