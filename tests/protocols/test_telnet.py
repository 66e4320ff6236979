"""Telnet: its cases however the bytes are cut, negotiation without loops, bounded memory and time."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telnetd.telnet.codec import REPLY_LIMIT, SUB_LIMIT, Telnet
from telnetd.telnet.events import (
    Data,
    Message,
    Switched,
    TerminalType,
    WindowSize,
)
from telnetd.telnet.options import SIDE_LIMIT, SWITCHES, TRANSITIONS, Heard, Option, OptionState, TelnetCommand
from tests.protocols.telnet_cases import (
    CASES,
    charset,
    run,
    started,
)
from tests.protocols.wire import (
    IAC,
    command,
    do,
    dont,
    joined,
    naws,
    sub,
    type_is,
    will,
    wont,
)


@pytest.mark.parametrize("name", CASES)
def test_case_whole(name: str) -> None:
    received, events, replies = CASES[name]
    assert run([received]) == (events, replies)


@pytest.mark.parametrize("name", CASES)
def test_case_byte_by_byte(name: str) -> None:
    received, events, replies = CASES[name]
    assert run(bytes((byte,)) for byte in received) == (events, replies)


@given(st.sampled_from(sorted(CASES)), st.lists(st.integers(0, 200), max_size=8))
def test_case_in_any_chunks(name: str, cuts: list[int]) -> None:
    received, events, replies = CASES[name]
    edges = [0, *sorted(min(cut, len(received)) for cut in cuts), len(received)]
    assert run(received[a:b] for a, b in pairwise(edges)) == (events, replies)


telnetish = st.lists(
    st.one_of(
        st.sampled_from([value[0] for value in CASES.values()]),
        st.sampled_from([b"\r", b"\n", b"\0", b"\xff", b"\xff\xfa", b"\xff\xf0", b"a"]),
        st.builds(lambda verb, option: bytes((255, verb, option)), st.integers(250, 254), st.integers(0, 255)),
        st.binary(max_size=20),
    ),
    max_size=20,
).map(b"".join)


@given(telnetish, st.lists(st.integers(0, 400), max_size=6))
def test_what_any_bytes_mean_does_not_depend_on_the_cuts(received: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(received)) for cut in cuts), len(received)]
    assert run(received[a:b] for a, b in pairwise(edges)) == run([received])


@given(telnetish)
def test_any_bytes_leave_the_codec_in_bounds(received: bytes) -> None:
    codec = started()
    events = codec.receive(received * 20)
    assert sum(len(event.data) for event in events if isinstance(event, Data)) <= len(received) * 20
    assert len(codec.output()) <= REPLY_LIMIT
    for event in events:
        if isinstance(event, WindowSize):
            assert 1 <= event.columns <= SIDE_LIMIT
            assert 1 <= event.rows <= SIDE_LIMIT
        if isinstance(event, TerminalType):
            assert len(event.name) <= 40
            assert event.name.isascii()
            assert event.name.isprintable() or not event.name


@given(telnetish)
def test_a_closed_subnegotiation_and_one_enter_are_always_understood(received: bytes) -> None:
    codec = started()
    codec.receive(received)
    codec.receive(command(TelnetCommand.NOP) + command(TelnetCommand.SE))
    assert list(joined(codec.receive(b"x\r\n"))) == [Data(b"x\r")]


@given(st.binary(max_size=200), st.binary(max_size=200), st.booleans())
def test_what_is_encoded_arrives_unchanged_but_for_its_newlines(first: bytes, second: bytes, binary: bool) -> None:
    sender, receiver = started(), Telnet()
    if binary:
        sender.receive(do(Option.BINARY))
    events = receiver.receive(sender.encode(first) + sender.encode(second))
    plain = (first + second).replace(b"\0", b"").replace(b"\r\n", b"\r").replace(b"\n", b"\r")
    if b"\r\0" not in first + second:
        assert list(joined(events)) == ([Data(plain)] if plain else [])


@pytest.mark.parametrize(
    ("pieces", "wire"),
    [
        ([b"a\r\nb"], b"a\r\nb"),
        ([b"a\rb"], b"a\r\0b"),
        ([b"a\r", b"\nb"], b"a\r\nb"),
        ([b"a\r", b"", b"b"], b"a\r\0b"),
        ([b"\r\r\n"], b"\r\0\r\n"),
        ([b"\xff\r\xff"], b"\xff\xff\r\0\xff\xff"),
    ],
)
def test_encoding_without_binary(pieces: list[bytes], wire: bytes) -> None:
    codec = started()
    assert b"".join(codec.encode(piece) for piece in pieces) == wire


def test_encoding_with_binary_doubles_only_iac() -> None:
    codec = started()
    codec.receive(do(Option.BINARY))
    assert codec.encode(b"a\rb\xff\r") + codec.encode(b"c") == b"a\rb\xff\xff\rc"


def test_nop_waits_for_output() -> None:
    codec = started()
    codec.nop()
    assert codec.output() == command(TelnetCommand.NOP)
    assert codec.output() == b""


def test_answered_when_both_are_told() -> None:
    codec = started()
    codec.receive(will(Option.TERMINAL_TYPE) + will(Option.WINDOW_SIZE) + naws(80, 24))
    assert not codec.answered
    codec.receive(type_is(b"strange"))
    assert not codec.answered
    codec.receive(type_is(b"xterm"))
    assert not codec.answered
    codec.receive(type_is(b"MTTS 7"))
    assert codec.answered


def test_answered_when_both_are_refused() -> None:
    codec = started()
    codec.receive(wont(Option.TERMINAL_TYPE))
    assert not codec.answered
    codec.receive(wont(Option.WINDOW_SIZE))
    assert codec.answered


def test_transitions_cover_every_state_and_answer_only_changes_and_refusals() -> None:
    assert set(TRANSITIONS) == {
        (a, b) for a in OptionState for b in Heard if a is OptionState.NO or b is not Heard.UNWELCOME
    }
    for (before, heard), (after, answer) in TRANSITIONS.items():
        told = before in {OptionState.ASKED, OptionState.ENDING} or (before, heard) == (
            OptionState.REASKED,
            Heard.WELCOME,
        )
        assert (answer is not None) == ((before is not after and not told) or heard is Heard.UNWELCOME)


def test_echo_is_offered_anew_and_given_back_as_rfc_1143_says() -> None:
    codec = started()
    codec.receive(do(Option.ECHO))
    codec.receive(dont(Option.ECHO))
    assert (codec.echo, codec.output()) == (OptionState.NO, wont(Option.ECHO))
    codec.offer_echo()
    codec.offer_echo()
    assert (codec.echo, codec.output()) == (OptionState.ASKED, will(Option.ECHO))
    codec.receive(dont(Option.ECHO))
    assert (codec.echo, codec.output()) == (OptionState.NO, b"")
    codec.offer_echo()
    codec.receive(do(Option.ECHO))
    codec.end_echo()
    assert (codec.echo, codec.output()) == (OptionState.ENDING, will(Option.ECHO) + wont(Option.ECHO))
    codec.offer_echo()
    assert (codec.echo, codec.output()) == (OptionState.REASKED, b"")
    codec.receive(dont(Option.ECHO))
    assert (codec.echo, codec.output()) == (OptionState.ASKED, will(Option.ECHO))
    codec.receive(do(Option.ECHO))
    assert (codec.echo, codec.output()) == (OptionState.YES, b"")
    codec.end_echo()
    codec.offer_echo()
    codec.end_echo()
    assert (codec.echo, codec.output()) == (OptionState.ENDING, wont(Option.ECHO))
    codec.receive(dont(Option.ECHO))
    assert (codec.echo, codec.output()) == (OptionState.NO, b"")


class Mirror:
    """A peer without memory: it says yes, or no, to everything, each time."""

    def __init__(self, agrees: frozenset[int]) -> None:
        self.agrees = agrees

    def answer(self, heard: bytes) -> bytes:
        replies = b""
        at = heard.find(IAC)
        while 0 <= at < len(heard) - 2:
            verb, option = heard[at + 1], heard[at + 2]
            if verb in (TelnetCommand.WILL, TelnetCommand.WONT):
                replies += do(option) if verb == TelnetCommand.WILL and option in self.agrees else dont(option)
            elif verb in (TelnetCommand.DO, TelnetCommand.DONT):
                replies += will(option) if verb == TelnetCommand.DO and option in self.agrees else wont(option)
            at = heard.find(IAC, at + 3)
        return replies


@given(st.frozensets(st.integers(0, 50)), telnetish)
def test_a_peer_without_memory_cannot_be_drawn_into_a_loop(agrees: frozenset[int], noise: bytes) -> None:
    codec, peer = Telnet(), Mirror(agrees)
    codec.start()
    codec.receive(noise + command(TelnetCommand.NOP))
    rounds = 0
    while heard := codec.output():
        codec.receive(peer.answer(heard))
        rounds += 1
        assert rounds < 4 * SWITCHES


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 9)), max_size=60))
def test_two_servers_fall_silent_at_any_speed(steps: list[tuple[bool, int]]) -> None:
    one, other = Telnet(), Telnet()
    one.start()
    other.start()
    on_the_way = {one: b"", other: b""}
    said = 0
    for to_one, count in [*steps, *[(True, 10_000), (False, 10_000)] * 4]:
        on_the_way[one] += other.output()
        on_the_way[other] += one.output()
        receiver = one if to_one else other
        data, on_the_way[receiver] = on_the_way[receiver][:count], on_the_way[receiver][count:]
        receiver.receive(data)
        said += len(data)
    assert (one.output(), other.output()) == (b"", b"")
    assert said < 300


@given(telnetish)
def test_two_servers_fall_silent_in_the_end_even_after_noise(noise: bytes) -> None:
    one, other = Telnet(), Telnet()
    one.start()
    other.start()
    one.receive(noise + command(TelnetCommand.NOP))
    rounds = 0
    while (said := one.output()) + (answered := other.output()):
        other.receive(said)
        one.receive(answered)
        rounds += 1
        assert rounds < 4 * SWITCHES


@pytest.mark.parametrize("flood", [do(99), will(77), command(TelnetCommand.AYT), charset(1, b";x")])
def test_a_flood_is_answered_at_most_once_each_and_not_beyond_the_limit(flood: bytes) -> None:
    codec = started()
    codec.receive(flood * 3)
    few = len(codec.output())
    codec.receive(flood * 100_000)
    assert few > 0
    assert REPLY_LIMIT - few < len(codec.output()) <= REPLY_LIMIT
    codec.receive(flood)
    assert 0 < len(codec.output()) <= few


def test_an_option_switched_to_and_fro_is_left_as_it_is_in_the_end() -> None:
    codec = started()
    codec.receive(do(Option.ECHO))
    codec.receive((dont(Option.ECHO) + do(Option.ECHO)) * 1000)
    assert codec.output() == (wont(Option.ECHO) + will(Option.ECHO)) * (SWITCHES // 2)
    codec.receive(dont(99) + do(99) + wont(Option.SGA) + will(Option.SGA) * 2)
    assert codec.output() == wont(99) + do(Option.SGA)


def kept(codec: Telnet) -> int:
    return sum(len(value) for value in vars(codec).values() if isinstance(value, (bytes, bytearray, list)))


@pytest.mark.parametrize("filling", [b"x", b"\xff\xff", b"\r", b"\0", b"\xff\xffx"])
def test_an_unterminated_subnegotiation_keeps_little(filling: bytes) -> None:
    codec = started()
    codec.receive(bytes((*IAC, TelnetCommand.SB, Option.TERMINAL_TYPE)))
    assert codec.receive(filling * (1_000_000 // len(filling))) == []
    assert kept(codec) <= SUB_LIMIT
    assert list(joined(codec.receive(command(TelnetCommand.SE) + b"x"))) == [Data(b"x")]
    assert codec.output() == b""


@pytest.mark.parametrize("filling", [b"x", b"\r\n", b"\n", b"\0", b"x\xff\xff", b"\xff\xf4", b"\xff\xfa\x1f"])
def test_time_grows_with_the_bytes_and_no_faster(filling: bytes) -> None:
    def seconds(size: int) -> float:
        data = filling * (size // len(filling))
        codec = started()
        start = time.process_time()
        codec.receive(data)
        return time.process_time() - start

    few = min(seconds(100_000) for _ in range(3))
    # Quadratic time would make this a factor of a hundred.
    assert seconds(1_000_000) < 40 * few + 0.05


def test_plain_text_costs_no_more_than_a_few_copies() -> None:
    block = b"the quick brown fox " * 50_000
    codec = started()
    start = time.process_time()
    for _ in range(20):
        codec.receive(block)
    assert time.process_time() - start < 1.0  # 20 MB; an interpreter's loop over the bytes would take several seconds


# --- options that extras add ------------------------------------------------------------------------------------------

ADDED = 201


def extended() -> Telnet:
    codec = Telnet(added=(ADDED,))
    codec.start()
    assert codec.output().endswith(will(ADDED))
    return codec


def test_an_added_option_is_offered_and_its_messages_are_events_once_it_is_on() -> None:
    codec = extended()
    assert codec.receive(sub(ADDED, b"too early")) == []
    assert codec.receive(do(ADDED)) == [Switched(ADDED, on=True)]
    assert codec.receive(b"a" + sub(ADDED, b"said \xff") + b"b") == [
        Data(b"a"),
        Message(ADDED, b"said \xff"),
        Data(b"b"),
    ]
    assert codec.receive(dont(ADDED)) == [Switched(ADDED, on=False)]
    assert codec.receive(sub(ADDED, b"too late")) == []
    assert codec.output() == wont(ADDED)
    assert started().receive(do(ADDED) + sub(ADDED, b"unknown")) == []


def test_a_message_by_an_added_option_is_bounded_and_so_are_its_switches() -> None:
    codec = extended()
    codec.receive(do(ADDED))
    assert codec.receive(sub(ADDED, b"x" * (SUB_LIMIT - 2))) == [Message(ADDED, b"x" * (SUB_LIMIT - 2))]
    assert codec.receive(sub(ADDED, b"x" * SUB_LIMIT * 1000)) == []
    codec.receive((dont(ADDED) + do(ADDED)) * 1000)
    assert len(codec.output()) <= SWITCHES * 3
    assert codec.receive(b"a") == [Data(b"a")]


@given(telnetish, st.lists(st.integers(0, 400), max_size=6))
def test_any_bytes_are_understood_beside_an_added_option(received: bytes, cuts: list[int]) -> None:
    whole, cut = extended(), extended()
    said = do(ADDED) + sub(ADDED, received.replace(IAC, b"")) + received
    edges = [0, *sorted(min(at, len(said)) for at in cuts), len(said)]
    pieces = [event for a, b in pairwise(edges) for event in cut.receive(said[a:b])]
    assert list(joined(pieces)) == list(joined(whole.receive(said)))
    assert cut.output() == whole.output()
