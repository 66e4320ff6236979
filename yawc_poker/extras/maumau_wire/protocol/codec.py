"""Mau-Mau's messages as bytes (spec/maumau_protocol.md 2, 3): encoder and decoder for both sides. Pure.

Owns the encodings and the end of each message. Never their order or effect, which `server` and `client` own. The first
byte of a message determines its end, except for the handshake's answer: a bare byte, recognised by the state of a
`Reader`.

A reader's memory is bounded: it keeps one unfinished message, and no message is longer than `LONGEST`.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, Literal, TypeVar

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.games.maumau import model

NAME_UNITS = 64
"""Most UTF-16 units of a name, not counting a byte order mark (P16)."""
LONGEST = 1 + 2 * 255
"""Bytes of the longest message: a list of 255 integers."""
LONGEST_TIME = 2**63 - 1

_SUITS = {Suit.DIAMONDS: 0x31, Suit.HEARTS: 0x41, Suit.CLUBS: 0x15, Suit.SPADES: 0x92}
_SUIT_OF = {byte: suit for suit, byte in _SUITS.items()}
_RANK_OF = {int(rank): rank for rank in model.RANKS}
_NONE, _MORE, _END = 0x00, 0x01, 0x00
_MARKS: dict[bytes, Literal["utf-16-be", "utf-16-le"]] = {b"\xfe\xff": "utf-16-be", b"\xff\xfe": "utf-16-le"}

ValueT = TypeVar("ValueT")


class Malformed(Exception):
    """These bytes are no message, and the rest of the stream cannot be decoded. `str()` says what is wrong."""


class Incomplete(Exception):
    """The message is not complete yet."""


# --- to bytes ---------------------------------------------------------------------------------------------------------


def encode(message: messages.FromClient | messages.FromServer) -> bytes:
    """Return a message's bytes. Raise `ValueError` if a number does not fit."""
    match message:
        case messages.Answer(number):
            return _integer(number)
        case messages.Id(name):
            return b"\x42" + _string(name)
        case model.PlayCard(card):
            return b"\x43" + _card(card)
        case model.Take(count):
            return b"\x44" + _integer(count)
        case model.Finish():
            return b"\x45"
        case model.Wish(suit):
            return bytes((0x46, _SUITS[suit]))
        case messages.Yeet():
            return b"\x47"
        case messages.Deal(cards):
            return b"\x69" + _list(_card(card) for card in cards)
        case messages.Draw(count):
            return b"\x6a" + _integer(count)
        case messages.WishIs(asked):
            return bytes((0x6B, _NONE if asked is None else _SUITS[asked]))
        case messages.Stack(card):
            return b"\x6c" + _card(card)
        case messages.Cards(counts):
            return b"\x6d" + _list(_integer(count) for count in counts)
        case messages.OnTurn(number):
            return b"\x6e" + _integer(number)
        case messages.Time(milliseconds):
            return b"\x6f" + _long(milliseconds)
        case messages.Played(card):
            return b"\x70" + _card(card)
        case messages.Finished():
            return b"\x71"
        case messages.Round(number, total):
            return b"\x72" + _integer(number) + _integer(total)
        case messages.Result(totals):
            return b"\x73" + _list(bytes((total & 0xFF,)) for total in totals)
        case messages.Yeeted(number):
            return b"\x74" + _integer(number)


def _integer(number: int) -> bytes:
    if not 0 <= number <= 255:
        raise ValueError(f"{number} does not fit into a byte")
    return bytes((number,))


def _long(number: int) -> bytes:
    if not 0 <= number <= LONGEST_TIME:
        raise ValueError(f"{number} does not fit into a long")
    return number.to_bytes(8, "big")


def _string(text: str) -> bytes:
    """Return a name in big endian and its final zero unit; other zero units would end it and are left out."""
    return text.replace("\0", "").encode("utf-16-be", "replace") + b"\0\0"


def _card(card: Card) -> bytes:
    return bytes((_SUITS[card.suit], int(card.rank)))


def _list(values: Iterable[bytes]) -> bytes:
    joined = bytes((_MORE,)).join(values)
    if not joined:
        raise ValueError("an empty list is never sent")
    return joined + bytes((_END,))


# --- from bytes -------------------------------------------------------------------------------------------------------


class _Bytes:
    """The bytes of a message received so far, and the position read up to."""

    def __init__(self, data: bytes | bytearray) -> None:
        self._data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if self.at + count > len(self._data):
            raise Incomplete
        self.at += count
        return bytes(self._data[self.at - count : self.at])

    def integer(self) -> int:
        return self.take(1)[0]

    def long(self) -> int:
        number = int.from_bytes(self.take(8), "big", signed=True)
        if number < 0:
            raise Malformed(f"a time of {number} ms")
        return number

    def suit(self) -> Suit:
        byte = self.integer()
        if byte not in _SUIT_OF:
            raise Malformed(f"no colour is {byte:02X}")
        return _SUIT_OF[byte]

    def suit_or_none(self) -> Suit | None:
        if self.take(1)[0] == _NONE:
            return None
        self.at -= 1
        return self.suit()

    def card(self) -> Card:
        suit, byte = self.suit(), self.integer()
        if byte not in _RANK_OF:
            raise Malformed(f"no value is {byte:02X}")
        return Card(Rank(byte), suit)

    def list(self, value: Callable[[], ValueT]) -> tuple[ValueT, ...]:
        values = [value()]
        while (separator := self.integer()) == _MORE:
            if len(values) == 255:
                raise Malformed("a list of more than 255 values")
            values.append(value())
        if separator != _END:
            raise Malformed(f"{separator:02X} separates nothing")
        return tuple(values)

    def string(self) -> str:
        """Return the units before a zero unit. Too many of them raise `Malformed` even before the end has come."""
        units = b""
        while (unit := self.take(2)) != b"\0\0":
            units += unit
            if len(units) > 2 * (NAME_UNITS + (units[:2] in _MARKS)):
                raise Malformed(f"a name of more than {NAME_UNITS} units")
        return _text(units)


def _text(units: bytes) -> str:
    """Decode a name by its mark, else as big endian, or as little endian if only that gives plain Latin (P1)."""
    if units[:2] in _MARKS:
        return units[2:].decode(_MARKS[units[:2]], "replace")
    text, swapped = units.decode("utf-16-be", "replace"), units.decode("utf-16-le", "replace")
    return swapped if _is_latin(swapped) and not _is_latin(text) else text


def _is_latin(text: str) -> bool:
    return all(character < "\u0250" for character in text)


def _from_client(data: _Bytes) -> messages.FromClient:
    opcode = data.integer()
    match opcode:
        case 0x42:
            return messages.Id(data.string())
        case 0x43:
            return model.PlayCard(data.card())
        case 0x44:
            return model.Take(data.integer())
        case 0x45:
            return model.Finish()
        case 0x46:
            return model.Wish(data.suit())
        case 0x47:
            return messages.Yeet()
        case _:
            raise Malformed(f"no opcode of a client is {opcode:02X}")


def _from_server(data: _Bytes) -> messages.FromServer:
    opcode = data.integer()
    match opcode:
        case 0x69:
            return messages.Deal(data.list(data.card))
        case 0x6A:
            return messages.Draw(data.integer())
        case 0x6B:
            return messages.WishIs(data.suit_or_none())
        case 0x6C:
            return messages.Stack(data.card())
        case 0x6D:
            return messages.Cards(data.list(data.integer))
        case 0x6E:
            return messages.OnTurn(data.integer())
        case 0x6F:
            return messages.Time(data.long())
        case 0x70:
            return messages.Played(data.card())
        case 0x71:
            return messages.Finished()
        case 0x72:
            return messages.Round(data.integer(), data.integer())
        case 0x73:
            return messages.Result(data.list(data.integer))
        case 0x74:
            return messages.Yeeted(data.integer())
        case _:
            raise Malformed(f"no opcode of a server is {opcode:02X}")


MessageT = TypeVar("MessageT")


class Reader(Generic[MessageT]):
    """Turns bytes as they come into whole messages. Unusable after `Malformed`."""

    def __init__(self, first: Callable[[_Bytes], MessageT], further: Callable[[_Bytes], MessageT]) -> None:
        """Create one by `client_reader` or `server_reader`."""
        self._next = first
        self._further = further
        self._kept = bytearray()

    @property
    def kept(self) -> int:
        """How many bytes of an incomplete message are kept."""
        return len(self._kept)

    def receive(self, data: bytes) -> Iterator[MessageT]:
        """Yield the messages that are now complete. Raise `Malformed` after the valid messages before it."""
        self._kept += data
        while self._kept:
            source = _Bytes(self._kept)
            try:
                message = self._next(source)
            except Incomplete:
                return
            del self._kept[: source.at]
            self._next = self._further
            yield message


def client_reader() -> Reader[messages.FromClient]:
    """Return a reader of a client's messages: its id first, and never again."""
    return Reader(_id, _after_id)


def server_reader() -> Reader[messages.FromServer]:
    """Return a reader of a server's messages: the handshake's answer first."""
    return Reader(lambda data: messages.Answer(data.integer()), _from_server)


def _id(data: _Bytes) -> messages.FromClient:
    opcode = data.integer()
    if opcode != 0x42:
        raise Malformed(f"{opcode:02X} is no handshake")
    return messages.Id(data.string())


def _after_id(data: _Bytes) -> messages.FromClient:
    if data.integer() == 0x42:
        raise Malformed("a second handshake")
    data.at = 0
    return _from_client(data)
