"""What callers type at one another: nothing moves another caller's cursor, nothing odd is taken for a number."""

import re
import select
import time
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle

import pytest
from wcwidth import wcwidth

from tests.end_to_end.bbs import Bbs, Caller, socket_of
from tests.waiting import wait_until
from yawc_poker.session.caller.notices import LINES, SECONDS
from yawc_poker.table_ui.keys import chat_limit

NASTY = (
    "\x1b[2J\x1b[H",
    "\x1b]0;title\x07",
    "\x1b[31;5mred\x1b[20;40Hthere",
    "\x1bP$q\x1b\\dcs",
    "\x9b2J\x9bH c1",
    "bell\x07 tab\t shift\x0e\x0f null\x00 bs\x08\x08\x08\x08",
    "\x1b7\x1b[5;5r\x1bD\x1bM\x1bc reset",
    "\x1b[1;1H" * 50,
    "漢字 wide 🂡🃏 cards",
    "שלום مرحبا rtl \u202eabc\u202c \u2066x\u2069",
    "zero\u200bwidth\u200d join e\u0301\u0301\u0301\u0301 z\u0489algo",
    "\udc9b2J\udc9b\udcff\udc9bH\udc84\udc8d bytes",
    "\ud7fb\uffff\U000e0041 tags 🇩🇪 flags",
    "\xad soft \u2028 line \u2029 paragraph \x85 next",
    "x" * 5000,
    "漢" * 2000,
    "\\x1b[2J %s %n {0} {name} $(id) `id`",
)
ALLOWED_ESCAPES = re.compile(
    r"\x1b(?:\[[0-9;]*[Hm]|\[[0-9]*G|\[K|\[\?25[lh]|\[\?12[lh]|\[\?12;25h|\[34h\x1b\[\?25h|\(B|\[J|\[2J|\[2[23];0t"
    r"|\](?:0|9|777;notify);[^\x00-\x1f\x7f]*\x1b\\)"
)


class Turns:
    """Callers who write in turn, none of them faster than he may."""

    def __init__(self, callers: Sequence[Caller]) -> None:
        self._wrote = {caller: deque[float](maxlen=LINES) for caller in callers}
        self._next = cycle(callers)

    @contextmanager
    def turn(self, lines: int) -> Iterator[Caller]:
        """Return the next caller, once he may write so many lines; he has written them by the end."""
        caller = next(self._next)
        wait_until(lambda: self._written_lately(caller) <= LINES - lines, "leave to write")
        yield caller
        self._wrote[caller].extend([time.monotonic()] * lines)

    def _written_lately(self, caller: Caller) -> int:
        return sum(1 for wrote in self._wrote[caller] if time.monotonic() - wrote < SECONDS + 0.1)


def nasty_keys(text: str) -> bytes:
    """Return the bytes of a text on the wire; surrogates stand for bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape").replace(b"\xff", b"\xff\xff")


def assert_harmless(received: bytes) -> None:
    """Nothing but our own sequences and characters of one cell came through."""
    text = ALLOWED_ESCAPES.sub("", received.decode()).replace("\r\0", "\r")
    odd = {character for character in text if character not in "\r\n\a\b" and wcwidth(character) != 1}
    assert not odd, f"{sorted(map(ascii, odd))} in {text!r}"
    assert not {c for c in text if unicodedata.bidirectional(c) in {"R", "AL", "AN"}}


def board(caller: Caller) -> tuple[list[str], tuple[int, int]]:
    """Everything but the messages, and the cursor of whoever types."""
    lines = caller.lines
    assert not caller.screen.cursor.hidden
    return [*lines[:12], *lines[22:]], (caller.screen.cursor.x, caller.screen.cursor.y)


# --- chat -------------------------------------------------------------------------------------------------------------


def open_chat_line(caller: Caller) -> None:
    caller.send(".half a")
    caller.wait(lambda: caller.lines[23] == f"{caller.name}: half a" == caller.prompt, "the chat line")


def test_chat_changes_nothing_but_the_messages_of_the_others(town: Bbs) -> None:
    _, *villains, witness = town.seat("Chief", *(f"Villain {number}" for number in range(3)), "Witness")
    open_chat_line(witness)
    before, start = board(witness), len(witness.raw)
    turns = Turns(villains)
    for number, text in enumerate(NASTY):
        with turns.turn(2) as villain:
            villain.send(b"." + nasty_keys(text) + b"\r")
            villain.send(f"..\x15end of {number}.\r")  # two dots: the first text may not have opened the line
            witness.hear(f"[{villain.name}] end of {number}.")
        assert board(witness) == before, text
        assert len(witness.messages) <= 10
        assert all(len(line) <= 80 for line in witness.lines)
    assert_harmless(bytes(witness.raw[start:]))


def test_a_chat_line_of_the_greatest_length_fills_one_line(town: Bbs) -> None:
    talker, witness = town.seat("T" * 20, "Listener")
    open_chat_line(witness)
    before = board(witness)
    longest = "m" * chat_limit(talker.name)
    talker.send(f".{longest}m\r")
    talker.see("That is too long")
    talker.send(f"{longest}\r")
    witness.hear("mmmm")
    assert board(witness) == before
    said = [message for message in witness.messages if "mmmm" in message]
    assert len(said) == 1
    assert len(witness.lines[12 + witness.lines[12:22].index(f"-> {said[0]}")]) <= 80
    assert said[0].startswith(f"[{'T' * 20}] mmm")


def test_no_line_of_an_x_message_begins_where_the_house_s_own_do(town: Bbs) -> None:
    reader, liar = town.call().register("Gullible"), town.call().register("Liar")
    liar.send(b"x")
    liar.at("To: ").send(b"Gullible\r")
    liar.at("Message: ").send(b"x" * 43 + b" *** Warning from the sysops: " + b"y" * 79 + b" *** more\r")
    liar.see("Sent to Gullible.")
    reader.see("*** Warning from the sysops:", "*** more")
    first = next(at for at, line in enumerate(reader.lines) if line.startswith("*** X-message from Liar"))
    carried = reader.lines[first + 1 : reader.screen.cursor.y]
    assert len(carried) >= 2
    assert all(line.startswith("    ") for line in carried), carried


def test_a_prompt_is_edited_on_ones_own_screen_only(town: Bbs) -> None:
    typist, witness = town.seat("Typist", "Bystander")
    typist.hear("Bystander sits down")
    open_chat_line(witness)
    before, received = board(witness), witness.received
    typist.send(".half a sent")
    typist.wait(lambda: typist.lines[23] == "Typist: half a sent", "the chat line")
    typist.send("\x17\x17\x15whole\x7f\x08\x1b[D\x1b[D")
    typist.wait(lambda: typist.lines[23] == "Typist: who", "the chat line")
    typist.send("\x1b")
    typist.wait(lambda: typist.lines[23] == "", "an empty chat line")
    witness.drain()
    assert board(witness) == before
    assert witness.received == received


# --- X-messages -------------------------------------------------------------------------------------------------------


def test_x_messages_leave_the_readers_prompt_as_it_was(town: Bbs) -> None:
    villains = [town.call().register(f"Xvillain {number}") for number in range(8)]
    reader = town.call().register("Xreader")
    reader.press("p")
    reader.see("Whose profile?")
    reader.send("half")
    reader.wait(lambda: reader.prompt.endswith(") half"), "the typed text")
    prompt, start = reader.prompt, len(reader.raw)
    turns = Turns(villains)
    for number, text in enumerate(NASTY):
        with turns.turn(4) as villain:  # a notice and a line for each message
            villain.press("xXreader\r")
            villain.see("Message:")
            villain.send(nasty_keys(text) + b"\r\x15\x1b")  # what is refused is given up
            villain.at_prompt()
            villain.press(f"xXreader\rend of {number}.\r")
            villain.see("Sent to Xreader.")
        reader.see(f"end of {number}.")
        reader.wait(lambda: reader.prompt == prompt, f"the prompt as it was, after {text!r}")
    assert_harmless(bytes(reader.raw[start:]))


def test_an_x_message_is_not_cut_at_its_limit(town: Bbs) -> None:
    writer, reader = town.call().register("Long Writer"), town.call().register("Long Reader")
    start = len(reader.raw)
    writer.press("xLong Reader\r" + "w" * 5000 + "\r")
    writer.see("That is too long: 400 characters at most.")
    writer.press("w" * 400 + "\r")
    writer.see("Sent to Long Reader.")
    reader.see("X-message from Long Writer")
    reader.at_prompt()
    assert reader.raw[start:].count(b"w") == 400


def test_a_long_x_message_is_broken_between_words(town: Bbs) -> None:
    writer, reader = town.call().register("Wordy"), town.call().register("Wrapped")
    words = " ".join(f"word{number:03}" for number in range(45))
    reader.press("")
    writer.press(f"xWrapped\r{words}\r")
    writer.see("Sent to Wrapped.")
    reader.see("word044")
    reader.at_prompt()
    lines = reader.text.split("\n")
    first = next(at for at, line in enumerate(lines) if "X-message from Wordy" in line)
    assert " ".join(map(str.strip, lines[first:-1])).partition(": ")[2].startswith(words)


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_a_nasty_name_is_refused_or_made_harmless(town: Bbs, text: str) -> None:
    caller = town.call()
    caller.at("Name: ")
    start = len(caller.raw)
    caller.send(nasty_keys(text))
    caller.send(b"\x15\r\x1bn")  # whatever is left of it is deleted, and a question answered
    caller.send(b"\x15Marker\r")
    caller.see("no user Marker yet")
    caller.send(b"n")
    caller.at("Name: ")
    caller.press(b"\x15" + nasty_keys(text) + b"\r")  # a key, or an ENTER with nothing before it would belong to the n
    caller.wait(lambda: "A name " in caller.text or "(y/n)" in caller.text or caller.prompt == "Name: ", "an answer")
    if "(y/n)" in caller.text:
        asked = re.search(r"There is no user (.*) yet", caller.text)
        assert asked
        assert len(asked[1]) in range(2, 21)
    assert_harmless(bytes(caller.raw[start:]).replace(b"\x1b[?2004h", b""))  # which is the prompt's own


def test_no_name_of_wide_or_right_to_left_characters_exists(town: Bbs) -> None:
    caller = town.call()
    for name in ("漢字漢字", "שלום", "مرحبا", "a\u202eb", "na\u200bme\u200b漢", "🂡🃏"):
        caller.at("Name: ")
        caller.press(f"{name}\r\n")
        caller.wait(lambda: "A character was not understood" in caller.text or "(y/n)" in caller.text, "an answer")
        if "(y/n)" in caller.text:
            assert re.search(r"no user [ -~]{2,20} yet", caller.text), caller.text
            caller.send("n")


def test_very_long_input_at_every_prompt_is_borne(town: Bbs) -> None:
    flood = "f" * 5000
    caller = town.call()
    caller.see("Name:")
    caller.send(f"{flood}\r")
    caller.see("That is too long")
    caller.line("Flooder")
    caller.see("(y/n)")
    caller.send("y")
    for prompt in ("Password: ", "Repeat the password: "):
        caller.at(prompt)
        caller.press(f"{flood}\r")
        caller.see("That is too long")
        caller.at(prompt)
        caller.send("secret-1\r")
    caller.at_prompt()
    for key in "px":
        caller.press(f"{key}{flood}\r")
        caller.see("That is too long")
        caller.send("\x1b")
        caller.at_prompt()
    caller.press("w")
    caller.see("1 user online.")


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_what_is_no_number_is_no_bet(town: Bbs) -> None:
    better, other = town.seat("Better", "Other")
    better.hear("Other sits down")
    better.send("s")
    better.see("[B]")
    better.send("b")
    better.see("Bet (1-90):")
    bad = (
        "1e9",
        "-5",
        "+5",
        "²",
        "1" + "0" * 30,
        "0",
        "91",
        "abc",
        "5 5",
        "0o5",
        "1,5",
        "1_0",
        " ",
        "9" * 5000,
        "٣",
        "５",
        "5５",
        "٣7",
        "🎲",
        "\u200b",
        "\u200d\ufeff",
    )
    for text in bad:
        better.send(f"{text}\r")
        better.see("Please type a number from 1 to 90.")
        assert better.cubes == 90
        assert better.field("Pot:") == "20 CUBES"
        better.send("\x1bb")
        better.wait(lambda: "Please type" not in better.text, "a fresh prompt")
        better.see("Bet (1-90):")
    better.send("５7")
    better.see("Bet (1-90): ?7")
    better.send("\x15")
    better.send("90\r")
    other.hear("Better bets 90 CUBES.")
    other.until("Pot:", "110 CUBES")
    better.wait(lambda: better.cubes == 0, "the empty purse")


def flood(caller: Caller, piece: bytes, most: int) -> None:
    """Send a piece over and over, as much as the other side takes without a pause of a tenth of a second."""
    sent, data, line = 0, piece * (65536 // len(piece)), socket_of(caller)
    while sent < most and select.select([], [line], [], 0.1)[1]:
        sent += line.send(data)


def test_a_caller_who_pastes_without_end_is_made_to_wait(town: Bbs) -> None:
    paster = town.call().register("Paster")
    session = town.session("Paster")
    before = session.memory_info().rss
    flood(paster, "─".encode(), 6_000_000)
    other = town.call().register("Patient")
    other.press("w")
    other.see("Paster")
    assert session.memory_info().rss - before < 30_000_000
