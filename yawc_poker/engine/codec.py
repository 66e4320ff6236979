"""Tables as bytes, for shared memory: MessagePack of the whole value.

Owns the encoding only, not where the bytes are stored. A codec is created once per game from the type of its tables,
which fixes what the decoder accepts: ``Codec(Table[State, Event])``.
"""

from typing import Generic

import msgspec

from yawc_poker.engine.game import EventT, GameEvent, GameState, StateT
from yawc_poker.engine.values import Table


class Codec(Generic[StateT, EventT]):
    """Encoder and decoder for the tables of one game."""

    def __init__(self, kind: type[Table[StateT, EventT]]) -> None:
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(kind)

    def encode(self, table: Table[StateT, EventT]) -> bytes:
        """Return the table's bytes: at most about 24 kB, however long the chat lines are."""
        return self._encoder.encode(table)

    def decode(self, data: bytes | memoryview) -> Table[StateT, EventT]:
        """Return the table that was encoded; raise `msgspec.DecodeError` if the bytes are not a table."""
        return self._decoder.decode(data)


AnyCodec = Codec[GameState, GameEvent]
