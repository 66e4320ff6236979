"""The protocol's worked example: a whole round of two clients, byte for byte, from the rules and the pure protocol."""

from random import Random

from tests.protocols.maumau_example import DEALING, DECK, EXAMPLE
from yawc_poker.extras.maumau_wire.protocol.codec import Reader, client_reader, encode
from yawc_poker.extras.maumau_wire.protocol.messages import FromClient, Id, Yeet
from yawc_poker.extras.maumau_wire.protocol.server import ClientProgress, tell
from yawc_poker.games.maumau import rules
from yawc_poker.games.maumau.model import Options, State


class Client:
    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.reader: Reader[FromClient] = client_reader()
        self.told = ClientProgress()
        self.sent = b""

    def look(self, state: State) -> None:
        self.told, new = tell(self.told, rules.view(state, self.seat), 0)
        self.sent += b"".join(encode(message) for message in new)

    def says(self, data: bytes) -> FromClient:
        (message,) = self.reader.receive(data)
        return message


def test_the_worked_example_byte_for_byte() -> None:
    clients = [Client(0), Client(1)]
    expected = [b"", b""]
    state: State | None = None
    for line in EXAMPLE:
        if line.sender is None:
            for place in (0, 1) if line.receiver is None else (line.receiver,):
                expected[place] += line.data
            continue
        client = clients[line.sender]
        message = client.says(line.data)
        assert not isinstance(message, Yeet)
        if isinstance(message, Id):
            client.sent += bytes([client.seat + 1])
            if client.seat == 1:
                state = rules.deal({0: 0, 1: 0}, 0, DEALING, Options(rounds=4)).state
        else:
            assert state is not None
            state = rules.play(state, client.seat, message, Random(0)).state
        if state is not None:
            for one in clients:
                one.look(state)
    got = [client.sent for client in clients]
    for place in (0, 1):
        assert got[place].startswith(expected[place])  # then the next round begins
        assert got[place][len(expected[place]) :].startswith(bytes.fromhex("72 02 04"))


def test_a_client_that_looks_late_is_told_the_same() -> None:
    """A client that looks only at its own turns is told everything, in the same order."""
    now, late = Client(0), Client(0)
    state = rules.deal({0: 0, 1: 0}, 0, DEALING, Options(rounds=4)).state
    for line in EXAMPLE:
        if line.sender is None or line.data[0] == 0x42:
            continue
        move = _message(line.data)
        assert not isinstance(move, Id | Yeet)
        now.look(state)
        if line.sender == 0:
            late.look(state)
        state = rules.play(state, line.sender, move, Random(0)).state
    now.look(state)
    late.look(state)
    assert late.sent == now.sent
    assert len(DECK) == 32


def _message(data: bytes) -> FromClient:
    reader = client_reader()
    list(reader.receive(b"\x42\0\0"))
    (message,) = reader.receive(data)
    return message
