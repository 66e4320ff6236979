"""How a caller wants things shown and is called, over telnet: bell, title, notice, suits, colours; remembered."""

import re

from tests.end_to_end.bbs import Bbs, Caller
from yawc_poker.cards import SYMBOLS

OSC = re.compile(rb"\x1b\]([^\x1b]*)\x1b\\")


class Ear:
    """What a caller's terminal was sent besides text, since the last time one asked."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._at = 0
        self.hear()

    def hear(self) -> tuple[int, list[str]]:
        """Return how often the bell rang, and the commands for the window."""
        self._caller.drain()
        heard, self._at = bytes(self._caller.raw[self._at :]), len(self._caller.raw)
        return heard.count(b"\a"), [one.decode() for one in OSC.findall(heard)]


def status(caller: Caller) -> tuple[str, bool]:
    """Return the first character of the status line, and whether all of it but the clock is reverse."""
    row = caller.screen.buffer[11]
    return str(row[0].data), all(row[column].reverse for column in range(70))


def is_called(caller: Caller) -> None:
    """Wait until the status line calls."""
    caller.wait(lambda: status(caller)[0] == ">", "the call of the status line")


def leave(caller: Caller) -> None:
    """Leave the table, also where it asks first."""
    caller.send("x")
    caller.wait(lambda: caller.prompt.endswith("> ") or "(y/n)" in caller.text, "the prompt or a question")
    if "(y/n)" in caller.text:
        caller.send("y")
    caller.at_prompt()


def is_left_alone(caller: Caller) -> None:
    caller.wait(lambda: status(caller)[0] == " ", "a status line that does not call")


def test_a_caller_is_called_by_bell_title_notice_and_status_line_and_by_nothing_that_is_switched_off(town: Bbs) -> None:
    anna = town.call().register("Anna Xterm").sit()
    ear = Ear(anna)
    bert = town.call(kind=b"VT100").register("Bert Vt")
    bert.sit()
    anna.hear("Bert Vt sits down")
    is_called(anna)
    assert status(anna) == (">", True)
    assert ear.hear() == (
        1,
        ["0;Bert Vt sits down at the table. - Testville", "9;Testville: Bert Vt sits down at the table."],
    )
    assert anna.screen.title == "Bert Vt sits down at the table. - Testville"
    dull = Ear(bert)
    anna.send("s")  # answers the call, and begins a game: she knows that it is her turn
    anna.until("Turn:", "Anna Xterm")
    is_called(anna)
    assert ear.hear() == (0, ["0;Testville"])
    anna.bet("5")
    bert.until("Turn:", "Bert Vt")
    is_called(bert)
    is_left_alone(anna)
    assert dull.hear() == (1, []), "a VT100 would print what is for a window"
    assert ear.hear() == (0, [])
    bert.bet("5")
    anna.until("Round:", "CHANGE CARDS")
    is_called(anna)
    assert ear.hear() == (1, ["0;It is your turn! - Testville", "9;Testville: It is your turn!"])

    carl = town.call().register("Carl Writer")
    carl.send("xBert Vt\r")
    carl.see("Message:")
    carl.line("hello")
    bert.see("1 X-message")
    is_called(bert)
    assert dull.hear() == (1, [])
    carl.at_prompt()
    waits = Ear(carl)
    dora = town.call().register("Dora Writer")
    dora.send("xCarl Writer\r")
    dora.see("Message:")
    dora.line("hello")
    carl.see("*** X-message from Dora Writer")
    carl.wait(lambda: carl.raw.endswith(b"\x1b]9;Testville: 1 X-message\x1b\\"), "the call")
    assert waits.hear() == (1, ["0;1 X-message - Testville", "9;Testville: 1 X-message"])

    leave(anna)
    assert anna.screen.title == ""
    anna.send("L")
    anna.see("[4]", "Bell when you are called")
    anna.send("456")
    anna.wait(lambda: [anna.lines[row].endswith("off") for row in rows(anna)] == [True] * 3, "three times off")
    anna.send("\r")
    anna.hang_up()
    leave(bert)
    anna = town.call().log_in("Anna Xterm").sit()
    ear = Ear(anna)
    bert.sit()
    anna.hear("Bert Vt sits down")
    is_called(anna)
    assert ear.hear() == (0, []), "remembered"


def rows(caller: Caller) -> list[int]:
    """Return the lines of the last menu with the bell, the title and the notice."""
    found = {
        key: max((at for at, line in enumerate(caller.lines) if line.startswith(f"  [{key}]")), default=0)
        for key in "456"
    }
    return [found[key] for key in "456"]


def test_suits_and_colours_are_chosen_shown_at_once_and_remembered(town: Bbs) -> None:
    anna = town.call().register("Anna Symbols")
    anna.send("L")
    anna.see("[1] Suits", "+ * # -", "It looks like this:")
    assert sample(anna) == {
        "A+": ("black", "white"),
        "10*": ("black", "white"),
        "K#": ("red", "white"),
        "7-": ("red", "white"),
    }
    anna.send("123")
    anna.see("♣ ♠ ♥ ♦", "four: one for each suit", "light")
    anna.wait(lambda: "7♦" in sample(anna), "the sample")
    shown = {"A♣": ("black", "green"), "10♠": ("black", "white"), "K♥": ("red", "white"), "7♦": ("blue", "white")}
    assert sample(anna) == shown
    anna.send("A")
    anna.see("symbols, but only in UTF-8")
    anna.send("U\r")
    anna.at_prompt()
    anna.hang_up()
    anna = town.call().log_in("Anna Symbols").sit()
    bert = town.call().register("Bert Signs").sit()
    anna.hear("Bert Signs sits down")
    anna.send("s")
    anna.until("Turn:", "Anna Symbols")
    assert len(re.findall(f"[{SYMBOLS}]", anna.left(7, 11))) == 10
    assert not re.search("[-+*#]", anna.left(7, 11))
    assert anna.screen.buffer[6][4].bg in {"white", "green"}
    assert anna.screen.buffer[0][0].fg == "blue", "no green on a light background"
    bert.until("Turn:", "Anna Symbols")
    assert len(re.findall("[-+*#]", bert.left(7, 11))) == 10


def sample(caller: Caller) -> dict[str, tuple[str, str]]:
    """Return colour and ground of each card in the menu's sample."""
    row = max((at for at, line in enumerate(caller.lines) if line.startswith("  It looks like this:")), default=0)
    text = caller.lines[row]
    found = {}
    for card in re.finditer(f"(10|[A-Z7])[-+*#{SYMBOLS}]", text):
        cell = caller.screen.buffer[row][card.start()]
        found[card.group()] = (str(cell.fg), str(cell.bg))
    return found
