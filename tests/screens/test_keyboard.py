import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.screens.eye import MemoryLine
from yawc_poker.page.protocol import Area
from yawc_poker.terminal import keys as key_names
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keyboard import ESCAPE_DELAY, PASTE_DELAY, SEQUENCE_DELAY, UNREAD, Keyboard
from yawc_poker.terminal.keys import BACKSPACE, KEY_LEFT, KILL, PASTE, PASTED, LineEditor
from yawc_poker.terminal.kinds import KINDS, VT52, Charset
from yawc_poker.terminal.text import NOT_UNDERSTOOD, is_harmless

NAMED = [value for name, value in vars(key_names).items() if name.isupper() and isinstance(value, str)]
SEQUENCES = {
    "KEY_UP": ["\x1b[A", "\x1bOA"],
    "KEY_DOWN": ["\x1b[B", "\x1bOB"],
    "KEY_RIGHT": ["\x1b[C", "\x1bOC"],
    "KEY_LEFT": ["\x1b[D", "\x1bOD"],
    "KEY_HOME": ["\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"],
    "KEY_END": ["\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"],
    "KEY_DELETE": ["\x1b[3~"],
    "KEY_PGUP": ["\x1b[5~"],
    "KEY_PGDOWN": ["\x1b[6~"],
    "KEY_F1": ["\x1bOP", "\x1b[11~", "\x1b[[A"],
    "\r": ["\r", "\n", "\x1bOM"],
    "\x7f": ["\x7f", "\b"],
    "\t": ["\t"],
    "\x03": ["\x03"],
    "\x0c": ["\x0c"],
    "\x15": ["\x15"],
    "\x17": ["\x17"],
}
UNKNOWN = [
    "\x1b[2~", "\x1b[15~", "\x1b[1;5C", "\x1b[Z", "\x1b[201~", "\x1b[I", "\x1b[O", "\x1bOi", "\x1b[[E",
    "\x1b[<0;10;20M", "\x1b[<0;10;20m", "\x1b[M !!", "\x1b[?1;2c", "\x1b[24;80R", "\x1b[?62;1;6c", "\x1b[97u",
    "\x1bP1+r544e=787465726d\x1b\\", "\x1bP>|xterm(380)\x1b\\", "\x1b]11;rgb:0000/0000/0000\x07", "\x1b]0;title\x1b\\",
    "\x1b_G\x1b\\", "\x1b^x\x1b\\", "\x1bXx\x1b\\", "\x1b[99999999999u", "\x1b[1114112u", "\x1b[" + "1;" * 300 + "m",
    "\x1b[27;5;13~", "\x1b[48;24;80;0;0t", "\x1b[ 1q",
]  # fmt: skip


def keyboard(kind: str = "xterm-256color", charset: Charset = "utf-8") -> Keyboard:
    return Keyboard(Display(MemoryLine(kind, charset)))


def keys_of(data: bytes, board: Keyboard | None = None) -> list[str]:
    """Return the keys of bytes that nothing follows."""
    board = board or keyboard()
    board.feed(data)
    keys = board.keys(100.0)
    if board.escape_at is not None:
        keys += board.keys(board.escape_at)
    return keys


def keys_byte_by_byte(data: bytes, board: Keyboard) -> list[str]:
    keys: list[str] = []
    for byte in data:
        board.feed(bytes([byte]))
        keys += board.keys(100.0)
    if board.escape_at is not None:
        keys += board.keys(board.escape_at)
    return keys


def test_a_press_of_the_mouse_is_the_key_that_it_meets() -> None:
    line = MemoryLine()
    display = Display(line)
    board = Keyboard(display)
    display.touch((Area("b", 3, 2, 4, 2), Area("ENTER", 10, 2, 1, 1), Area("25", 12, 2, 2, 1)))
    presses = {(4, 3): ["b"], (7, 4): ["b"], (8, 3): [], (4, 5): [], (11, 3): ["\r"], (13, 3): ["2", "5", "\r"]}
    for (column, row), keys in presses.items():
        for press in (f"\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m".encode(), b"\x1b[<65;4;3M", b"\x1b[<2;4;3M"):
            expected = keys if press.startswith(b"\x1b[<0") else []
            assert keys_of(press, board) == expected
            assert keys_byte_by_byte(press, board) == expected
    assert keys_of(b"\x1b[200~\x1b[<0;4;3M\x1b[201~", board) == [PASTE, PASTED]
    display.touch(())
    assert keys_of(b"\x1b[<0;4;3M", board) == []


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("key", SEQUENCES)
def test_every_key_of_every_kind_whole_and_byte_by_byte(kind: str, key: str) -> None:
    board = keyboard(kind)
    for sequence in SEQUENCES[key]:
        assert keys_of(sequence.encode(), board) == [key]
        assert keys_byte_by_byte(sequence.encode(), board) == [key]
        assert keys_of(b"a" + sequence.encode() + b"b", board) == ["a", key, "b"]


@pytest.mark.parametrize("kind", sorted(KINDS - {VT52}))
@pytest.mark.parametrize("sequence", UNKNOWN)
def test_unknown_sequences_are_swallowed_whole(kind: str, sequence: str) -> None:
    board = keyboard(kind)
    assert keys_of(f"a{sequence}b".encode(), board) == ["a", "b"]
    assert keys_byte_by_byte(f"a{sequence}b".encode(), board) == ["a", "b"]
    assert board.escape_at is None


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        ("äß€".encode(), ["ä", "ß", "€"]),
        ("日a\u200b\u202eb\u05d0".encode(), [*"日a\u200b\u202eb\u05d0"]),
        (b"\xff\xc3", [NOT_UNDERSTOOD]),
        ("?\ufffd？".encode(), ["?", NOT_UNDERSTOOD, "？"]),
        (b"\x00\x01\x02\x1a\x1f", []),
        (b"ab\r\x03", ["a", "b", "\r", "\x03"]),
        (b"\x1b[\rx", ["\r", "x"]),
        (b"\x1b[1;\x1b[Ax", ["KEY_UP", "x"]),
        (b"\x1bOa\x1bO\rx", ["\r", "x"]),
        (b"\x1b[200~hi\x1b[201~", [PASTE, "h", "i", PASTED]),
        (b"\x1b[M", ["KEY_F1"]),
        (b"\x1b\x1b[A", ["\x1b", "KEY_UP"]),
        (b"\x1bb", ["\x1b", "b"]),
        (b"\x1b\r", ["\x1b", "\r"]),
        (b"\x1b\x1b\x1b", ["\x1b"] * 3),
        (b"\x1bP", ["\x1b", "P"]),
        (b"\x1b[", []),
        (b"\x1b[1;5", []),
        (b"\x1bPnever ends", []),
    ],
)
def test_what_comes_of_bytes(data: bytes, keys: list[str]) -> None:
    assert keys_of(data) == keys
    assert keys_byte_by_byte(data, keyboard()) == keys


@pytest.mark.parametrize(("charset", "data"), [("utf-8", "ä".encode()), ("cp437", b"\x84"), ("ascii", b"\xe4")])
def test_charsets(charset: Charset, data: bytes) -> None:
    assert keys_of(data, keyboard(charset=charset)) == ([NOT_UNDERSTOOD] if charset == "ascii" else ["ä"])


@pytest.mark.parametrize("key", ["日", "😀", "\u05d0", "\u0301", "\u200d", NOT_UNDERSTOOD])
def test_what_cannot_be_shown_is_no_key_where_no_text_is_typed(key: str) -> None:
    assert not key_names.is_key(key)
    assert not key_names.is_character(key)


def test_keys_are_keys() -> None:
    named = [value for name, value in vars(key_names).items() if name.isupper() and isinstance(value, str)]
    assert len(named) > 15
    assert all(map(key_names.is_key, {*named, *"a ?1ä█"} - {NOT_UNDERSTOOD}))


@pytest.mark.parametrize(
    ("typed", "fault"),
    [
        ("a?b", None),
        ("a\ufffdb", "not_understood"),
        ("a日b", "not_shown"),
        ("a日\ufffd", "not_understood"),
        ("x\u0302\u0302", "not_shown"),
        ("٣", "not_shown"),
        ("１", "not_shown"),
        ("abcdef", "too_long"),
        ("e\u0301a\u200d\ufe0f\u0085\xa0", None),
    ],
)
def test_a_line_that_cannot_be_taken_says_why(typed: str, fault: str | None) -> None:
    editor = LineEditor(limit=5)
    for key in keys_of(typed.encode()):
        editor = editor.key(key)
    assert editor.fault == fault
    assert fault == "not_understood" or is_harmless(editor.text) == (fault != "not_shown")
    assert editor.key(BACKSPACE).key(KEY_LEFT).key(BACKSPACE).key(KILL).fault is None


def test_one_character_less_mends_a_line_that_is_too_long() -> None:
    editor = LineEditor("abcde", limit=5).key("f")
    assert (editor.text, editor.fault) == ("abcde", "too_long")
    assert editor.key(KEY_LEFT).fault == "too_long"
    assert editor.key(BACKSPACE).fault is None


def test_a_secret_is_kept_as_it_is_typed() -> None:
    editor = LineEditor(is_secret=True)
    for key in "日\u200de\u0301\u05d0\xa0":
        editor = editor.key(key)
    assert (editor.text, editor.fault) == ("日\u200de\u0301\u05d0\xa0", None)
    assert editor.key(NOT_UNDERSTOOD).fault == "not_understood"


def test_an_accent_joins_its_letter_also_when_it_comes_later() -> None:
    assert LineEditor("a").key("\u0302").key("\u0323") == LineEditor("\u1ead")
    assert LineEditor("e").key("\u0301") == LineEditor("é")


def test_a_new_charset_counts_at_once() -> None:
    line = MemoryLine("ansi-bbs", "cp437")
    board = Keyboard(Display(line))
    assert keys_of(b"\x84", board) == ["ä"]
    line.charset = "utf-8"
    assert keys_of("ä".encode(), board) == ["ä"]


def test_escape_is_a_key_once_its_time_is_over() -> None:
    board = keyboard()
    board.feed(b"\x1b")
    assert board.keys(10.0) == []
    assert board.escape_at == 10.0 + ESCAPE_DELAY
    assert board.keys(10.0 + ESCAPE_DELAY / 2) == []
    assert board.keys(10.0 + ESCAPE_DELAY) == ["\x1b"]
    assert not board.escape_at
    assert board.keys(99.0) == []


def test_a_sequence_in_two_pieces_is_one_key() -> None:
    board = keyboard()
    board.feed(b"\x1b[")
    assert board.keys(10.0) == []
    board.feed(b"A")
    assert board.keys(10.2) == ["KEY_UP"]
    assert board.escape_at is None


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_keypad_in_application_mode_types_its_signs(kind: str) -> None:
    sent = "".join(f"\x1bO{character}" for character in "pqrstuvwxyMjklmno")
    assert keys_of(sent.encode(), keyboard(kind)) == list("0123456789\r*+,-./")
    assert keys_byte_by_byte(sent.encode(), keyboard(kind)) == list("0123456789\r*+,-./")


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"\x1bA\x1bB\x1bC\x1bD", ["KEY_UP", "KEY_DOWN", "KEY_RIGHT", "KEY_LEFT"]),
        (b"\x1b?p\x1b?y\x1b?M", ["0", "9", "\r"]),
        (b"\x1bP\x1b[A", ["KEY_F1", "KEY_UP"]),
        (b"\x1b", ["\x1b"]),
        (b"\x1b?", []),
    ],
)
def test_the_keys_of_a_vt52(data: bytes, keys: list[str]) -> None:
    assert keys_of(data, keyboard("vt52")) == keys
    assert keys_byte_by_byte(data, keyboard("vt52")) == keys
    if keys[:1] == ["KEY_UP"]:
        assert keys_of(data) != keys


@pytest.mark.parametrize(
    ("pieces", "delay"),
    [(("\x1b", "[A"), 0.3), (("\x1b", "OA"), 0.3), (("\x1b[", "A"), 1.0), (("\x1b[1;", "5A\x1b[A"), 1.0)],
)
def test_a_sequence_that_comes_apart_is_no_other_key(pieces: tuple[str, str], delay: float) -> None:
    board = keyboard()
    board.feed(pieces[0].encode())
    assert board.keys(10.0) == []
    assert board.keys(10.0 + delay) == []
    board.feed(pieces[1].encode())
    assert board.keys(10.0 + delay) == ["KEY_UP"]
    assert board.escape_at is None


def test_a_sequence_that_never_ends_is_given_up() -> None:
    board = keyboard()
    board.feed(b"\x1b[")
    assert board.keys(10.0) == []
    assert board.keys(10.0 + SEQUENCE_DELAY) == []
    assert keys_of(b"A", board) == ["A"]


@pytest.mark.parametrize(
    ("pasted", "text"),
    [
        (b"ok\rpy", "ok py"),
        (b"ok\r\npy\r\n", "ok py"),
        (b"\n\ta\n\n\nb\n", " a b"),
        (b"a\x03\x0c\x15\x7fb\x1b[A\x1bc", "abc"),
        ("ä日".encode(), "ä日"),
        (b"", ""),
    ],
)
def test_what_is_pasted_is_text(pasted: bytes, text: str) -> None:
    data = b"x\x1b[200~" + pasted + b"\x1b[201~\r"
    assert keys_of(data) == ["x", PASTE, *text, PASTED, "\r"]
    assert keys_byte_by_byte(data, keyboard()) == ["x", PASTE, *text, PASTED, "\r"]


def test_a_paste_whose_end_is_lost_ends_when_nothing_more_comes() -> None:
    board = keyboard()
    board.feed(b"\x1b[200~a\r")
    assert board.keys(10.0) == [PASTE, "a"]
    board.feed(b"b\x1b")
    assert board.keys(20.0) == [" ", "b"]
    assert board.keys(20.0 + ESCAPE_DELAY) == []
    assert board.keys(20.0 + PASTE_DELAY) == []
    assert board.keys(20.0 + ESCAPE_DELAY + PASTE_DELAY) == [PASTED]
    assert keys_of(b"\r", board) == ["\r"]


def test_a_string_that_never_ends_lets_go() -> None:
    board = keyboard()
    assert keys_of(b"\x1bP" + b"x" * 6000, board)[-10:] == ["x"] * 10
    board.feed(b"\x1b]never")
    assert board.keys(10.0) == []
    assert board.keys(11.0) == []
    assert keys_of(b"abc", board) == ["a", "b", "c"]


def test_what_is_not_taken_is_bounded() -> None:
    board = keyboard()
    for _ in range(64):
        board.feed(b"x" * 1024)
    assert board.keys(1.0) == ["x"] * UNREAD


@pytest.mark.parametrize(
    "piece", [b"x", "ä".encode(), b"\x1b[A", b"\x1b", b"\x1b[1;", b"\x1bP", b"\x1b[M", b"\x1b[3~x\r"]
)
def test_a_paste_of_64_kilobytes_costs_no_more_for_each_byte_than_a_small_one(piece: bytes) -> None:
    calls: list[int] = []

    class Counting(Keyboard):
        """Counts the pieces examined and their lengths."""

        def _step(self, text: str, at: int, keys: list[str]) -> int:
            end = super()._step(text, at, keys)
            calls.append(end - at)
            return end

    board = Counting(Display(MemoryLine()))
    data = (piece * (65536 // len(piece) + 1))[:65536]
    for at in range(0, len(data), 1024):
        board.feed(data[at : at + 1024])
        board.keys(float(at))
    # Each piece is examined once, or twice if it was cut at a kilobyte: the cost does not grow with earlier input.
    assert sum(calls) <= len(data) + 64 * 64
    assert len(calls) <= len(data) + 64 * 2


@given(st.binary(max_size=300), st.sampled_from(sorted(KINDS)), st.sampled_from(["utf-8", "cp437", "ascii"]))
@example(b"\x1b[Z\x1b[99999999999999999999u\x1b[1;99999999999A", "ansi-bbs", "utf-8")
def test_any_bytes_give_only_keys(data: bytes, kind: str, charset: Charset) -> None:
    for keys in (keys_of(data, keyboard(kind, charset)), keys_byte_by_byte(data, keyboard(kind, charset))):
        assert all(key in NAMED or (len(key) == 1 and key >= " ") for key in keys)


fragments = st.lists(
    st.sampled_from([*"[O]P~MAZ;1209<?$ \\\x07\x1b\x18ab\r", "\x1b[", "\x1bO", "\x1b]", "\x1b[M"]), max_size=40
)


@given(fragments, st.sampled_from(["xterm-256color", "ansi-bbs", "linux"]), st.integers(1, 7))
def test_pieces_do_not_matter(parts: list[str], kind: str, size: int) -> None:
    data = "".join(parts).encode()
    board, keys = keyboard(kind), list[str]()
    for at in range(0, len(data), size):
        board.feed(data[at : at + size])
        keys += board.keys(100.0)
    if board.escape_at is not None:
        keys += board.keys(board.escape_at)
    assert keys == keys_of(data, keyboard(kind))
