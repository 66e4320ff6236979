"""Mau-Mau's protocol: one table of messages and bytes, read and written in both directions, whole and byte by byte."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.extras.maumau_wire.protocol import codec, messages
from yawc_poker.extras.maumau_wire.protocol.codec import Malformed, Reader, client_reader, encode, server_reader
from yawc_poker.extras.maumau_wire.protocol.messages import FromClient, FromServer, new_total
from yawc_poker.games.maumau import model

D7 = Card(Rank.SEVEN, Suit.DIAMONDS)
H10 = Card(Rank.TEN, Suit.HEARTS)
SK = Card(Rank.KING, Suit.SPADES)
SJ = Card(Rank.JACK, Suit.SPADES)
CA = Card(Rank.ACE, Suit.CLUBS)
CQ = Card(Rank.QUEEN, Suit.CLUBS)

NAMES: list[tuple[FromClient, str]] = [
    (messages.Id("EGAL"), "42 00 45 00 47 00 41 00 4C 00 00"),
    (messages.Id(""), "42 00 00"),
    (messages.Id("Ä🃏"), "42 00 C4 D8 3C DC CF 00 00"),
    (messages.Id("Ā1"), "42 01 00 00 31 00 00"),
]
AFTER_ID: list[tuple[FromClient, str]] = [
    (model.PlayCard(H10), "43 41 0A"),
    (model.Take(4), "44 04"),
    (model.Finish(), "45"),
    (model.Wish(Suit.SPADES), "46 92"),
    (messages.Yeet(), "47"),
]
TOLD: list[tuple[FromServer, str]] = [
    (messages.Deal((CA,)), "69 15 0E 00"),
    (messages.Deal((D7, SK)), "69 31 07 01 92 0D 00"),
    (messages.Draw(0), "6A 00"),
    (messages.WishIs(None), "6B 00"),
    (messages.WishIs(Suit.HEARTS), "6B 41"),
    (messages.Stack(SJ), "6C 92 0B"),
    (messages.Cards((7, 6)), "6D 07 01 06 00"),
    (messages.Cards((0, 1, 10)), "6D 00 01 01 01 0A 00"),
    (messages.OnTurn(2), "6E 02"),
    (messages.Time(0), "6F 00 00 00 00 00 00 00 00"),
    (messages.Time(30000), "6F 00 00 00 00 00 00 75 30"),
    (messages.Played(CQ), "70 15 0C"),
    (messages.Finished(), "71"),
    (messages.Round(1, 4), "72 01 04"),
    (messages.Result((0, 16)), "73 00 01 10 00"),
    (messages.Yeeted(2), "74 02"),
]
HELLO = bytes.fromhex("42 00 00")


def after_hello() -> Reader[FromClient]:
    reader = client_reader()
    assert list(reader.receive(HELLO)) == [messages.Id("")]
    return reader


def after_answer() -> Reader[FromServer]:
    reader = server_reader()
    assert list(reader.receive(b"\x01")) == [messages.Answer(1)]
    return reader


@pytest.mark.parametrize(("message", "code"), [*NAMES, *AFTER_ID, *TOLD], ids=str)
def test_a_message_has_these_bytes(message: FromClient | FromServer, code: str) -> None:
    assert encode(message) == bytes.fromhex(code)


@pytest.mark.parametrize(("message", "code"), NAMES, ids=str)
def test_a_name_is_read(message: FromClient, code: str) -> None:
    assert list(client_reader().receive(bytes.fromhex(code))) == [message]


@pytest.mark.parametrize(("message", "code"), AFTER_ID, ids=str)
def test_a_move_is_read(message: FromClient, code: str) -> None:
    assert list(after_hello().receive(bytes.fromhex(code))) == [message]


@pytest.mark.parametrize(("message", "code"), TOLD, ids=str)
def test_what_a_server_says_is_read(message: FromServer, code: str) -> None:
    assert list(after_answer().receive(bytes.fromhex(code))) == [message]


@pytest.mark.parametrize(
    ("reader", "table"),
    [(lambda: client_reader(), [NAMES[0], *AFTER_ID]), (after_answer, TOLD)],
    ids=["from a client", "from a server"],
)
def test_byte_by_byte_and_all_at_once_say_the_same(
    reader: Callable[[], Reader[FromClient | FromServer]], table: list[tuple[FromClient | FromServer, str]]
) -> None:
    stream = b"".join(bytes.fromhex(code) for _, code in table)
    values = [message for message, _ in table]
    slow, quick = reader(), reader()
    assert [message for byte in stream for message in slow.receive(bytes([byte]))] == values
    assert list(quick.receive(stream)) == values
    assert slow.kept == quick.kept == 0


def test_the_handshakes_answer_is_a_bare_byte() -> None:
    assert encode(messages.Answer(2)) == b"\x02"
    assert list(server_reader().receive(bytes.fromhex("69 72 01 04"))) == [messages.Answer(0x69), messages.Round(1, 4)]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("42 FE FF 00 C4 00 00", "Ä"),
        ("42 FF FE C4 00 00 00", "Ä"),
        ("42 45 00 47 00 00 00", "EG"),  # low byte first, as the original's sender does
        ("42 D8 00 00 41 00 00", "\ufffdA"),
    ],
)
def test_other_ways_to_write_a_name(code: str, name: str) -> None:
    assert list(client_reader().receive(bytes.fromhex(code))) == [messages.Id(name)]


def test_a_name_has_64_units_and_a_mark() -> None:
    assert list(client_reader().receive(b"\x42\xfe\xff" + b"\0A" * 64 + b"\0\0")) == [messages.Id("A" * 64)]
    for name in (b"\0A" * 65, b"\xfe\xff" + b"\0A" * 65, b"\0A" * 5000):
        with pytest.raises(Malformed):
            list(client_reader().receive(b"\x42" + name))


@pytest.mark.parametrize(
    "code",
    [
        "42 00 00 42",
        "42 00 00 48",
        "42 00 00 FF",
        "42 00 00 43 00",
        "42 00 00 43 41 06",
        "42 00 00 46 00",
        "43",
        "47",
        "00",
    ],
)
def test_no_message_of_a_client(code: str) -> None:
    with pytest.raises(Malformed):
        list(client_reader().receive(bytes.fromhex(code)))


@pytest.mark.parametrize("code", ["42", "69 00", "6D 01 02", "6B 01", "6F FF 00 00 00 00 00 00 00", "75", "70 31 0F"])
def test_no_message_of_a_server(code: str) -> None:
    with pytest.raises(Malformed):
        list(after_answer().receive(bytes.fromhex(code)))


def test_what_came_before_the_fault_is_given() -> None:
    received = after_hello().receive(bytes.fromhex("45 44 02 99"))
    assert [next(received), next(received)] == [model.Finish(), model.Take(2)]
    with pytest.raises(Malformed):
        next(received)


@pytest.mark.parametrize(
    "message", [model.Take(256), messages.Draw(-1), messages.Time(-1), messages.Time(2**63), messages.Cards(())]
)
def test_what_does_not_fit_is_not_sent(message: FromClient | FromServer) -> None:
    with pytest.raises(ValueError, match=r"fit|empty"):
        encode(message)


def test_a_total_travels_in_eight_bits() -> None:
    assert encode(messages.Result((255, 256, 300))) == bytes.fromhex("73 FF 01 00 01 2C 00")
    assert [new_total(old, byte) for old, byte in ((200, 255), (255, 0), (200, 0x2C), (300, 0x2C))] == [
        255,
        256,
        300,
        300,
    ]


@given(st.integers(0, 5000), st.integers(0, 255))
def test_a_total_is_told_exactly(old: int, more: int) -> None:
    assert new_total(old, (old + more) % 256) == old + more


@given(st.lists(st.binary(max_size=300)))
def test_any_bytes_lead_to_messages_or_to_a_fault(pieces: list[bytes]) -> None:
    for reader in (client_reader(), after_hello(), server_reader(), after_answer()):
        try:
            for piece in pieces:
                list(reader.receive(piece))
                assert reader.kept < codec.LONGEST
        except Malformed:
            continue


@given(st.text(max_size=32))
def test_a_name_comes_back(name: str) -> None:
    told = list(client_reader().receive(encode(messages.Id(name))))
    assert len(told) == 1
    assert isinstance(told[0], messages.Id)
    if "\0" not in name and name.isascii():
        assert told[0].name == name
