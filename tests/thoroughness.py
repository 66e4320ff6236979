"""How much the tests try: a sample in `make test`, everything in `make soak`."""

import os
from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")

SOAK: Final = bool(os.environ.get("YAWC_SOAK"))
"""`make soak`: all examples, all kill points, all orders."""
_SAMPLE: Final = 10
"""Of so many examples `make test` tries one."""
_FEWEST: Final = 2


def sampled(examples: int) -> int:
    """Return how many of so many examples of a property are tried now."""
    return examples if SOAK else max(_FEWEST, examples // _SAMPLE)


def few(examples: Sequence[T], most: int) -> Sequence[T]:
    """Return the first of examples that show much the same, each of which takes long; in `make soak` all of them."""
    return examples if SOAK else examples[:most]
