"""Tables as bytes."""

import msgspec
import pytest

from tests.rules.house import CELL, CODEC, House
from yawc_poker.engine.table import CHAT, LOG, Table
from yawc_poker.engine.transcript import BATCH
from yawc_poker.games.poker.model import Bet, Swap

WIDE = "\U0001d49c"
"""A character of one column that takes four bytes."""


def full_house() -> House:
    """Everybody swaps, then people come and go and money comes from outside until the bank is due to write it down."""
    house = House()
    names = [f"{number}" + WIDE * 19 for number in range(5)]
    for name in names:
        house.sit(name, 10**12)
    house.start(names[0])
    for name in names:
        house.do(name, Bet(1))
    for name in names:
        house.do(name, Swap((0, 1)))
    while house.table.chronicle is not None and len(house.table.chronicle.deeds) < BATCH - 1:
        house.give(names[0], 1)
        if names[1] in house.people():
            house.leave(names[1])
        else:
            house.sit(names[1])
    for name in (names[0], *names[3:]):
        house.give(name, 1)
        house.wait(60)
    for _ in range(LOG):
        house.chat(names[0], WIDE * CHAT)
    return house


def test_the_fullest_table_fits_its_cell() -> None:
    house = full_house()
    assert len(house.table.log) == LOG
    assert house.table.chronicle is not None
    assert len(house.table.chronicle.deeds) > BATCH
    assert 10_000 < len(CODEC.encode(house.table)) <= CELL


def test_a_table_without_a_word_is_small() -> None:
    house = House()
    for name in "ABCDE":
        house.sit(name)
    house.start("A")
    assert len(CODEC.encode(house.table)) < 2_000


def test_all_parts_come_back() -> None:
    table = full_house().table
    again = CODEC.decode(memoryview(CODEC.encode(table)))
    assert again == table
    assert isinstance(again, Table)
    assert again.game is not None
    assert type(again.game.stock[0]) is type(table.game.stock[0] if table.game else None)


@pytest.mark.parametrize("data", [b"", b"\x00", b"\xc1", CODEC.encode(House().table)[:-1]])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        CODEC.decode(data)
