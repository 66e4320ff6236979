"""What a page is sent that reads slowly, sleeps or is away; and the screen that it is shown when it is back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from telnetd.extras.web import frames
from telnetd.extras.web.outbox import BEGINNING, MOST_KEPT, MOST_MESSAGES, MOST_TEXT, MOST_WORDS, Outbox, Tail
from tests.screens.eye import Eye


def texts(box: Outbox) -> bytes:
    return b"".join(frame[1:] for frame in box.take() if frame[:1] == b"d")


def test_text_that_is_read_is_sent_as_it_is() -> None:
    box = Outbox()
    box.write(b"one ")
    box.write(b"two")
    assert (box.must_redraw(), box.take(), box.take()) == (False, [b"done two"], [])


def test_a_page_that_sleeps_is_sent_everything_but_text() -> None:
    box = Outbox()
    box.see(is_visible=False)
    box.write(b"a line\r\n")
    box.show(frames.title("Poker"))
    box.tell("It is your turn!", "bold")
    assert [frame[:1] for frame in box.take()] == [b"m", b"b"]
    assert not box.must_redraw()
    box.see(is_visible=True)
    assert box.must_redraw()
    assert texts(box) == BEGINNING + b"a line\r\n\x1b[?25h"
    assert not box.must_redraw()


def test_a_slow_line_is_sent_nothing_and_then_the_newest() -> None:
    box = Outbox()
    box.is_slow = True
    for number in range(100):
        box.show(frames.title(f"place {number}"))
        box.tell(f"message {number}", "")
        box.write(b"text\r\n")
    assert (box.take(), box.must_redraw()) == ([], False)
    box.is_slow = False
    assert box.must_redraw()
    found = box.take()
    assert [frame for frame in found if frame[:1] == b"b"] == [frames.title("place 99")]
    first = next(frame for frame in found if frame[:1] == b"m")
    assert first == frames.message(f"message {100 - MOST_MESSAGES}", "", 101 - MOST_MESSAGES)


def test_at_a_table_the_session_draws_and_the_cursor_is_as_it_was() -> None:
    box = Outbox()
    box.redraws = True
    box.write(b"\x1b[?25hold\x1b[?25l")
    box.see(is_visible=False)
    box.write(b"frame")
    box.see(is_visible=True)
    assert box.must_redraw()
    assert texts(box) == b"\x1b[?25l"


def test_more_text_than_fits_is_dropped_and_shown_from_its_end() -> None:
    box = Outbox()
    line = b"x" * 99 + b"\n"
    for _ in range(MOST_TEXT // 50):
        box.write(line)
    assert box.must_redraw()
    shown = texts(box)
    assert MOST_KEPT - 100 <= len(shown) <= MOST_KEPT + 100
    assert shown.endswith(line + b"\x1b[?25h")


def test_another_page_is_told_everything_again() -> None:
    box = Outbox()
    box.show(frames.language("de"))
    box.show(frames.title("Poker"))
    box.tell("old", "")
    box.take()
    box.show(frames.title("Poker"))
    assert box.take() == []
    box.is_away = True
    box.write(b"news")
    box.tell("new", "")
    assert box.take() == []
    box.begin_again(0)
    assert box.must_redraw()
    assert [frame[:1] for frame in box.take()] == [b"d", b"h", b"m", b"l", b"b"]


def test_a_page_that_was_loaded_anew_is_shown_the_last_messages_at_once_and_told_the_new_ones() -> None:
    box = Outbox()
    for number in range(1, MOST_MESSAGES + 10):
        box.tell(f"message {number}", "")
        box.take()
    box.is_away = True
    box.tell("new", "")
    box.begin_again(0)
    old, new = box.take()
    kept = [(one["text"], one["number"]) for one in json.loads(old[1:])]
    assert kept == [(f"message {number}", number) for number in range(11, MOST_MESSAGES + 10)]
    assert new == frames.message("new", "", MOST_MESSAGES + 10)
    assert box.take() == []


@given(st.integers(-5, 200), st.integers(0, 100), st.integers(0, 100))
def test_a_page_whose_line_broke_is_told_what_it_has_not_heard(heard: int, sent: int, more: int) -> None:
    box = Outbox()
    for step in range(sent + more):
        box.tell(f"{step}", "")
        if step == sent - 1:
            box.take()
    box.begin_again(heard)
    told = [json.loads(frame[1:]) for frame in box.take()]
    last = max(sent + more - MOST_MESSAGES, 0)
    if heard > 0:
        assert [one["number"] for one in told] == list(range(max(heard, last) + 1, sent + more + 1))
    else:
        numbers = [one["number"] for part in told for one in (part if isinstance(part, list) else [part])]
        assert numbers == list(range(last + 1, sent + more + 1))


def test_long_messages_leave_room_for_fewer() -> None:
    box = Outbox()
    for number in range(MOST_MESSAGES):
        box.tell(f"{number}" + "\u00e4" * 5000, "")
    box.take()
    box.begin_again(0)
    assert MOST_WORDS // 2 < sum(map(len, box.take())) <= MOST_WORDS + 100


def test_a_tail_begins_with_a_whole_line_or_behind_a_clearing() -> None:
    tail = Tail()
    for number in range(2000):
        tail.add(b"line %d of many\r\n" % number)
    assert tail.screen().startswith(BEGINNING + b"line ")
    tail.add(b"gone\x1b[H\x1b[2Jhere")
    assert tail.screen() == BEGINNING + b"here"
    tail.add(b"x" * 5 * MOST_KEPT)
    assert tail.screen() == BEGINNING


WORDS = st.sampled_from([b"word ", b"\x1b[1mbold\x1b[m\r\n", b"\r\n", b"\b \b", b"x" * 90, b"\x1b[H\x1b[2J", b"> "])


@given(st.lists(WORDS, max_size=60), st.integers(0, 60))
def test_the_screen_afterwards_is_that_of_a_page_that_never_slept(pieces: list[bytes], sleeps: int) -> None:
    awake, sleepy, eyes = Outbox(), Outbox(), (Eye(), Eye())
    for number, piece in enumerate(pieces):
        if number == sleeps:
            sleepy.see(is_visible=False)
        for box, eye in zip((awake, sleepy), eyes, strict=True):
            box.write(piece)
            box.must_redraw()
            eye.see(texts(box))
    sleepy.see(is_visible=True)
    sleepy.must_redraw()
    eyes[1].see(texts(sleepy))
    assert eyes[0].screen.display == eyes[1].screen.display


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=3000),
            st.sampled_from(["hidden", "seen", "slow", "fast", "away", "back", "take", "redraws", "scrolls"]),
        ),
        max_size=80,
    )
)
def test_whatever_happens_little_is_kept(course: list[bytes | str]) -> None:
    box = Outbox()
    for step in course:
        match step:
            case bytes():
                box.write(step * 20)
                box.tell("m" * 5000, "")
            case "hidden" | "seen":
                box.see(is_visible=step == "seen")
            case "slow" | "fast":
                box.is_slow = step == "slow"
            case "away":
                box.is_away = True
            case "back":
                box.begin_again(len(course) % 7)
            case "redraws" | "scrolls":
                box.redraws = step == "redraws"
            case _:
                box.must_redraw()
                assert sum(map(len, box.take())) <= MOST_TEXT + 3 * MOST_KEPT + MOST_WORDS + 100
    assert len(box._text) <= MOST_TEXT + 3 * MOST_KEPT
    assert len(box._tail) <= 3 * MOST_KEPT + 60000
