"""The worked example of spec/maumau_protocol.md 7: all bytes, their senders, and the deck that leads to them."""

import re
from typing import NamedTuple

from yawc_poker.cards import Card, cards, written
from yawc_poker.engine.game import Dealing

DECK: tuple[Card, ...] = cards(
    "7* 7# 8- 7+ 10* J* Q- Q# K+ J+ A* J# 10- 9# K# J- A# 8# 10# 8+ K- 7- 9- A- 9+ 10+ Q+ A+ 8* 9* Q* K*"
)
"""Top first."""
DEALING = Dealing(written(DECK), "0" * 64)


class Line(NamedTuple):
    """`sender` None: the server; `receiver` None: both clients. Clients are counted from 0."""

    sender: int | None
    receiver: int | None
    data: bytes


_TEXT = """
1->S 42 00 45 00 47 00 41 00 4C 00 00
S->1 01
2->S 42 00 44 00 65 00 72 00 5F 00 57 00 65 00 6E 00 64 00 6C 00 65 00 72 00 00
S->2 02
S->* 72 01 04
S->1 69 92 07 01 31 08 01 92 0A 01 31 0C 01 15 0D 01 92 0E 01 31 0A 00
S->2 69 41 07 01 15 07 01 92 0B 01 41 0C 01 15 0B 01 41 0B 00
S->* 6A 00 6B 00 6C 41 09 6D 07 01 06 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 44 01
S->* 6A 01
S->1 69 41 0D 00
S->* 6A 00 6B 00 6D 08 01 06 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 43 41 0D
S->* 70 41 0D
S->* 6A 00 6B 00 6D 07 01 06 00 6E 02 6F 00 00 00 00 00 00 00 00
2->S 43 41 07
S->* 70 41 07
S->* 6A 02 6B 00 6D 07 01 05 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 43 92 07
S->* 70 92 07
S->* 6A 04 6B 00 6D 06 01 05 00 6E 02 6F 00 00 00 00 00 00 00 00
2->S 43 15 07
S->* 70 15 07
S->* 6A 06 6B 00 6D 06 01 04 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 44 06
S->* 6A 06
S->1 69 31 0B 01 41 0E 01 41 08 01 41 0A 01 15 08 01 31 0D 00
S->* 6A 00 6B 00 6D 0C 01 04 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 43 31 0B
S->* 70 31 0B
S->* 6A 00 6B 00 6D 0B 01 04 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 46 41
S->* 6B 41
S->* 6A 00 6B 41 6D 0B 01 04 00 6E 02 6F 00 00 00 00 00 00 00 00
2->S 43 92 0B
S->* 70 92 0B
S->* 6A 00 6B 41 6D 0B 01 03 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 43 41 0E
S->* 70 41 0E
S->* 6A 00 6B 00 6D 0A 01 03 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 43 41 08
S->* 70 41 08
S->* 6A 00 6B 00 6D 09 01 03 00 6E 02 6F 00 00 00 00 00 00 00 00
2->S 43 41 0C
S->* 70 41 0C
S->* 6A 00 6B 00 6D 09 01 02 00 6E 01 6F 00 00 00 00 00 00 00 00
1->S 43 31 0C
S->* 70 31 0C
S->* 6A 00 6B 00 6D 08 01 02 00 6E 02 6F 00 00 00 00 00 00 00 00
2->S 45
S->* 71
S->* 73 4D 01 00 00
"""


def _line(text: str) -> Line:
    found = re.fullmatch(r"(\w)->(\S) (.*)", text)
    assert found, text
    places = {"1": 0, "2": 1}
    return Line(places.get(found[1]), places.get(found[2]), bytes.fromhex(found[3]))


EXAMPLE = tuple(_line(text) for text in _TEXT.strip().splitlines())
