"""All fuzz targets with input from hypothesis; `make fuzz` does the same for longer, guided by coverage.

Targets that serve connections run in a forked child, because a session takes over the process's signals and its timer.
"""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.ground import Ground
from tests.fuzz.seeds import SEEDS, WORDS, corpus, dictionary
from tests.fuzz.targets import PURE
from tests.ipc.processes import forked
from tests.thoroughness import sampled

LIVING = [target for target in SEEDS if target not in PURE]


def inputs(target: str) -> st.SearchStrategy[bytes]:
    """Return random bytes, and valid words in random order; the first byte decides how they are cut."""
    words = st.lists(st.sampled_from([*SEEDS[target], *WORDS]) | st.binary(max_size=8), max_size=12)
    return st.builds(bytes.__add__, st.binary(min_size=1, max_size=1), st.binary(max_size=200) | words.map(b"".join))


@pytest.mark.parametrize("target", PURE)
@settings(max_examples=sampled(200))
@given(data=st.data())
def test_any_bytes_at_a_pure_target(target: str, data: st.DataObject) -> None:
    PURE[target](data.draw(inputs(target)))


@pytest.mark.parametrize("target", PURE)
def test_the_seeds_of_a_pure_target_are_good_inputs(target: str) -> None:
    for seed in corpus(target):
        PURE[target](seed)


@pytest.mark.parametrize("target", LIVING)
def test_seeds_and_any_bytes_at_a_connection(target: str, tmp_path: Path) -> None:
    def work(say: Callable[[str], None]) -> None:
        with Ground(tmp_path / "data") as ground:
            for seed in corpus(target):
                ground.targets[target](seed)
            settings(max_examples=sampled(40))(given(inputs(target))(ground.targets[target]))()

    with forked(work) as child:
        child.end()


def test_the_dictionary_names_all_words() -> None:
    assert tuple(ast.literal_eval(f"b{line}") for line in dictionary().splitlines()) == WORDS
