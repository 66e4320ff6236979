"""The encoding of tables."""

import msgspec
import pytest

from tests.rules.table_run import CELL, CODEC, TableRun
from yawc_poker.engine.table import murmur
from yawc_poker.engine.transcript import BATCH
from yawc_poker.engine.values import CHAT, GALLERY, LOG, Table
from yawc_poker.games.poker.model import Bet, Swap

WIDE = "\U0001d49c"
"""A character one column wide and four bytes long."""


def full_house() -> TableRun:
    """Return a table where everybody swaps, then people come and go and get money from outside until a batch is due."""
    run = TableRun()
    names = [f"{number}" + WIDE * 19 for number in range(5)]
    for name in names:
        run.sit(name, 10**12)
    run.start(names[0])
    for name in names:
        run.do(name, Bet(1))
    for name in names:
        run.do(name, Swap((0, 1)))
    while run.table.transcript is not None and len(run.table.transcript.actions) < BATCH - 1:
        run.give(names[0], 1)
        if names[1] in run.people():
            run.leave(names[1])
        else:
            run.sit(names[1])
    for name in (names[0], *names[3:]):
        run.give(name, 1)
        run.wait(60)
    for _ in range(LOG):
        run.chat(names[0], WIDE * CHAT)
    for number in range(GALLERY + 1):
        run.table = murmur(run.table, 99, f"{number}" + WIDE * 19, WIDE * CHAT)
    return run


def test_the_fullest_table_fits_its_cell() -> None:
    run = full_house()
    assert (len(run.table.log), len(run.table.gallery)) == (LOG, GALLERY)
    assert run.table.transcript is not None
    assert len(run.table.transcript.actions) > BATCH
    assert 10_000 < len(CODEC.encode(run.table)) <= CELL


def test_a_table_without_a_word_is_small() -> None:
    run = TableRun()
    for name in "ABCDE":
        run.sit(name)
    run.start("A")
    assert len(CODEC.encode(run.table)) < 2_420


def test_all_parts_come_back() -> None:
    table = full_house().table
    again = CODEC.decode(memoryview(CODEC.encode(table)))
    assert again == table
    assert isinstance(again, Table)
    assert again.game is not None
    assert type(again.game.stock[0]) is type(table.game.stock[0] if table.game else None)


@pytest.mark.parametrize("data", [b"", b"\x00", b"\xc1", CODEC.encode(TableRun().table)[:-1]])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        CODEC.decode(data)
