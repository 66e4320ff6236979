"""Tables as bytes, for shared memory: MessagePack of the whole value.

Owns the encoding only; where the bytes lie is no concern of it. Made once a game, from the type of its tables, which
fixes what the decoder accepts: ``Codec(Table[State, Event])``.
"""

from typing import Generic

import msgspec

from yawc_poker.engine.game import EventT, StateT
from yawc_poker.engine.table import Table


class Codec(Generic[StateT, EventT]):
    """Encodes and decodes the tables of one game."""

    def __init__(self, kind: type[Table[StateT, EventT]]) -> None:
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(kind)

    def encode(self, table: Table[StateT, EventT]) -> bytes:
        """Give the table's bytes; at most about 16 kB, whatever was chatted."""
        return self._encoder.encode(table)

    def decode(self, data: bytes | memoryview) -> Table[StateT, EventT]:
        """Read a table back; raises `msgspec.DecodeError` where these bytes are none."""
        return self._decoder.decode(data)
