"""Which parts of the work before the first fork are done: all, unless the environment leaves some out to measure them.

`python -m benchmarks.prefork` does so; README.md has its figures. Imports almost nothing.
"""

import os
from typing import Final, Literal, get_args

Part = Literal["allocator", "rehearsal", "bytecode", "blocks", "immortal", "instances", "pools", "freeze", "holes"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)
VARIABLE: Final = "YAWC_PREFORK_WITHOUT"
"""Parts that are left out, with commas between them."""


def is_done(part: Part) -> bool:
    """Return whether a part is done. Raise `ValueError` if something is left out that is none."""
    left_out = set(filter(None, os.environ.get(VARIABLE, "").split(",")))
    if unknown := left_out - set(PARTS):
        raise ValueError(f"{VARIABLE}: no such part: {', '.join(sorted(unknown))}")
    return part not in left_out
