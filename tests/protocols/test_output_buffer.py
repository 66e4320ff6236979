"""An output buffer: what it hands on, what it keeps, and why a write fails."""

import errno

import pytest

from yawc_poker.transport import HUNG_UP, NOT_READING, LineClosed, OutputBuffer


def test_output_buffer_hands_on_what_is_taken_and_keeps_the_rest() -> None:
    taken = bytearray()

    def take_three(waiting: bytearray) -> int:
        if len(taken) >= 6:
            raise BlockingIOError
        taken.extend(waiting[:3])
        return min(3, len(waiting))

    buffer = OutputBuffer(limit=10)
    buffer.put(b"0123456789")
    with pytest.raises(LineClosed, match=NOT_READING):
        buffer.put(b"a")
    buffer.write_to(take_three)
    assert (bytes(taken), len(buffer.waiting)) == (b"012345", 4)
    buffer.put(b"abcdef")
    taken.clear()
    buffer.write_to(take_three)
    assert (bytes(taken), len(buffer.waiting)) == (b"6789ab", 4)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), HUNG_UP),
        (OSError(errno.EIO, "Input/output error"), HUNG_UP),
        (TimeoutError(errno.ETIMEDOUT, "Connection timed out"), "lost: Connection timed out"),
        (OSError("no number"), "lost: no number"),
    ],
)
def test_output_buffer_says_why_a_write_failed(error: OSError, reason: str) -> None:
    def fail(_: bytearray) -> int:
        raise error

    buffer = OutputBuffer()
    buffer.put(b"x")
    with pytest.raises(LineClosed) as closed:
        buffer.write_to(fail)
    assert str(closed.value) == reason
    assert len(buffer.waiting) == 1
