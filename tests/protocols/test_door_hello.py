"""What `yawc-door` tells: the name of its end, its message; and what the BBS makes of anything else."""

from hypothesis import example, given
from hypothesis import strategies as st

from telnetd.doors.door import Door
from tests.doors import door
from yawc_poker.config import Config
from yawc_poker.doors import CONTROL
from yawc_poker.extras.ssh_door.doors import TERMINAL as KIND
from yawc_poker.extras.ssh_door.program.hello import (
    KEY,
    LONGEST,
    LONGEST_KEY,
    LONGEST_VALUE,
    TOLD,
    answer,
    is_whole,
    message,
    origin_in,
    own_name,
    read_message,
)
from yawc_poker.extras.ssh_door.service import SOME_TERMINAL, TerminalService

ADDRESS_BYTES = 107
NUMBER = bytes(range(8))
TERMINAL = Door(KIND, TerminalService(Config()), ())
values = st.binary(min_size=1).filter(lambda value: b"\0" not in value)


@given(st.dictionaries(st.sampled_from([*TOLD, b"PATH"]), values), values | st.just(b""))
def test_a_message_is_whole_bounded_and_read_as_it_was_told(environ: dict[bytes, bytes], key: bytes) -> None:
    told = message(environ, key)
    assert is_whole(told)
    assert len(told) <= LONGEST
    assert not any(is_whole(told[:at]) for at in range(1, len(told) - 1))
    kept = {name: value for name, value in environ.items() if name in TOLD and len(value) <= LONGEST_VALUE}
    kept |= {KEY: key} if 0 < len(key) <= LONGEST_KEY else {}
    assert read_message(told) == {name.decode(): value.decode("utf-8", "replace") for name, value in kept.items()}


@given(st.text(), st.integers(0, 255))
@example(" =", 0)
def test_the_answer_is_a_line_at_most_and_the_code(text: str, code: int) -> None:
    *lines, last = answer(text, code).decode("utf-8", "replace").removesuffix("\n").split("\n")
    assert last == f"={code}"
    assert len(lines) <= 1
    assert not any(line.startswith("=") for line in lines)


@given(st.binary())
def test_any_bytes_are_read(data: bytes) -> None:
    assert all(isinstance(value, str) for value in read_message(data).values())


@given(st.binary(max_size=200))
def test_the_name_of_its_end_fits_and_tells_the_origin(origin: bytes) -> None:
    name = own_name(origin, NUMBER)
    assert len(name) <= ADDRESS_BYTES
    told = origin_in(name)
    assert told == "" or told.encode() == origin[:64]


def test_the_longest_origins_fit() -> None:
    for origin in ("2001:db8:1234:5678:9abc:def0:255.255.255.255", "/dev/pts/1048575"):
        assert origin_in(own_name(origin.encode(), NUMBER)) == origin


def peer(origin: bytes) -> str:
    return TERMINAL.origin(own_name(origin, NUMBER))


def test_a_terminals_peer_is_an_address_or_a_plain_path() -> None:
    assert peer(b"192.0.2.7") == "192.0.2.7"
    assert peer(b"::ffff:192.0.2.7") == "192.0.2.7"
    assert peer(b"fe80::1%eth0") == "fe80::1"
    assert peer(b"2001:DB8::7") == "2001:db8::7"
    assert peer(b"/dev/pts/3") == "/dev/pts/3"
    for strange in (b"", b"UNKNOWN", b"/x from 192.0.2.7", b"/\x1b[2J", b"telnet", "/ä".encode()):
        assert peer(strange) == SOME_TERMINAL
    assert TERMINAL.origin("") == TERMINAL.origin(b"\0other/192.0.2.7") == SOME_TERMINAL


def test_at_another_door_such_a_name_tells_nothing() -> None:
    assert door(CONTROL).origin(own_name(b"192.0.2.7", NUMBER)) == "control"


@given(st.binary())
def test_any_name_of_an_end_gives_an_origin_that_a_log_may_hold(name: bytes) -> None:
    told = TERMINAL.origin(name)
    assert told.isascii()
    assert " " not in told
