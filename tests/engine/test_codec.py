"""Tables as bytes."""

import msgspec
import pytest

from tests.rules.house import CELL, CODEC, House
from yawc_poker.engine.table import CHAT, LOG, Table
from yawc_poker.games.poker.model import Bet

WIDE = "\U0001d49c"
"""A character of one column that takes four bytes."""


def full_house() -> House:
    house = House()
    names = [f"{number}" + WIDE * 19 for number in range(5)]
    for name in names:
        house.sit(name, 10**12)
    house.start(names[0])
    house.do(names[0], Bet(200))
    for _ in range(LOG):
        house.chat(names[4], WIDE * CHAT)
    return house


def test_the_fullest_table_fits_its_cell() -> None:
    house = full_house()
    assert len(house.table.log) == LOG
    assert 13_000 < len(CODEC.encode(house.table)) <= CELL


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
