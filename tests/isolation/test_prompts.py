"""The lobby's prompts beside strangers: lists keep their columns, what comes in between leaves the prompt."""

import os
import signal
import time
from collections.abc import Callable, Collection, Iterator

import pytest
from hypothesis import assume, given, settings

from tests.isolation.sessions import Hall
from tests.screens.eye import Eye, MemoryLine
from tests.screens.strangers import assert_same_but_marks, marked, strangers, terminals
from tests.thoroughness import sampled
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.meeting.ignored import IgnoreLists
from yawc_poker.casino.meeting.wall import Wall, WallLine
from yawc_poker.casino.moderation import actions
from yawc_poker.casino.users.messages import TEXT_LENGTH
from yawc_poker.casino.users.sysop_log import REASON_LENGTH
from yawc_poker.extras.exchange import orders
from yawc_poker.extras.exchange.exchange import exchange_of
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.signals import SignalInbox
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.loop.loop import Loop
from yawc_poker.session.menus import wall as notes
from yawc_poker.session.menus.ignoring import ignore_list
from yawc_poker.session.menus.mail import x_message
from yawc_poker.session.menus.presence import who
from yawc_poker.session.menus.profile import profile
from yawc_poker.session.wire.guest_names import guest_name
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.kinds import Charset
from yawc_poker.terminal.text import clean

Terminal = tuple[str, Charset]
ANNA = 1


class ReadyLine(MemoryLine):
    """A line in memory that can always be read, as far as a poll can tell."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(*terminal)
        self._ready = os.open(os.devnull, os.O_RDONLY)

    def fileno(self) -> int:
        return self._ready

    def close(self) -> None:
        os.close(self._ready)


class Lobby:
    """A caller named Anna, and a guest whose name changes."""

    def __init__(self, hall: Hall) -> None:
        self.houses = [Instance(hall.data, hall.config, hall.foundation.segment) for _ in range(2)]
        self.mine, self.guest = self.houses
        for instance in self.houses:
            instance.enter("test")
        anna = self.mine.accounts.enrol("Anna", "no hash", "en")
        self.mine.bank.welcome(anna.id, 100)
        self.mine.directory.claim_name(self.mine.notifier.index, anna.id, "Anna")
        self.anna = anna
        self.inbox, self.alarms = SignalInbox(), Alarms()

    def call_guest(self, choose: Callable[[Collection[str]], str]) -> str:
        """Rename the guest; he has just pressed a key."""
        for instance in self.houses:
            instance.own.touch(time.monotonic())
        return self.guest.directory.claim_guest(self.guest.notifier.index, choose)[1]

    def seen(self, terminal: Terminal, does: Callable[[Caller], object], typed: str = "") -> Eye:
        """Show what a prompt shows to Anna, who types this."""
        line = ReadyLine(terminal)
        display = Display(line)
        caller = Caller(line, display, Loop(line, display, self.inbox, self.alarms), self.mine)
        caller.user_or_none = self.anna
        line.typed += typed.encode(line.charset)
        try:
            does(caller)
        finally:
            line.close()
        eye = Eye(line.columns, line.rows, line.charset)
        eye.see(line.take())
        return eye

    def close(self) -> None:
        for instance in self.houses:
            instance.leave()
        self.alarms.close()
        self.inbox.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lobby]:
    before = signal.getsignal(signal.SIGUSR1)
    with Hall(tmp_path_factory.mktemp("prompts") / "data") as hall:
        place = Lobby(hall)
        yield place
        place.close()
    signal.signal(signal.SIGUSR1, before)


@settings(max_examples=sampled(25))
@given(terminals, strangers)
def test_who_keeps_its_columns(place: Lobby, at: Terminal, text: str) -> None:
    name = place.call_guest(lambda taken: guest_name(f"w{text}", taken))  # behind Anna, as its marks
    eye = place.seen(at, who)
    place.call_guest(lambda taken: marked(name))
    assert_same_but_marks(eye, place.seen(at, who))
    rows = [row for row in eye.rows if row[23:].startswith("Main prompt")]
    assert [len(row.rstrip()) for row in rows] == [55, 55]


def can_type(terminal: Terminal, text: str) -> bool:
    """Return whether a text can be typed in a terminal's characters; else its line is refused."""
    try:
        return bool(text.encode(terminal[1]))
    except UnicodeEncodeError:
        return False


@settings(max_examples=sampled(10))
@given(terminals, strangers)
def test_a_guest_is_spoken_of_in_its_cells(place: Lobby, at: Terminal, text: str) -> None:
    name = place.call_guest(lambda taken: guest_name(text, taken))
    assume(can_type(at, name))
    for prompt in (profile, x_message):
        line = place.seen(at, prompt, name + "\r")
        assert line.actions == []
        assert all(not row.strip() for row in line.rows[3:])


@settings(max_examples=sampled(15))
@given(terminals, strangers, strangers)
def test_messages_and_sysops_leave_the_prompt(place: Lobby, at: Terminal, text: str, said: str) -> None:
    text, said = clean(text, TEXT_LENGTH).strip() or "x", clean(said, REASON_LENGTH).strip() or "x"

    def hears(message: str, word: str) -> Callable[[Caller], None]:
        def show(caller: Caller) -> None:
            caller.bulletin.begin(place.anna)  # what was said before is not for her
            caller.console.prompt("To: ")
            caller.console.show_typed(LineEditor(text="half"))
            place.guest.messages.send(place.anna.id, "Bert", place.anna.id, message)
            caller.read_messages()
            actions.say(place.guest, word, by=word)
            caller.show_news()

        return show

    eye = place.seen(at, hears(text, said))
    assert_same_but_marks(eye, place.seen(at, hears(marked(text), marked(said))))
    assert eye.cursor is not None
    assert eye.rows[eye.cursor[1]].rstrip() == "To: half"


# --- booked, and then the bank is gone --------------------------------------------------------------------------------


def test_an_order_that_is_booked_is_told_so_though_the_bank_is_gone(
    place: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who read "please try again" would buy twice."""

    def gone(*_: object) -> int:
        raise BankUnavailable("the disk is gone")

    def buys(caller: Caller) -> None:
        board = exchange_of(caller.instance).look(ANNA)
        monkeypatch.setattr(type(caller.instance.bank), "balance", gone)
        orders.buy(caller, board, 0)

    place.mine.bank.grant(10**6, ANNA, 1000)
    shown = place.seen(("xterm", "utf-8"), buys, "1\ry")
    assert "Done." in "\n".join(shown.rows)
    assert exchange_of(place.mine).look(ANNA).held == {0: 1}


def test_a_line_that_is_on_the_wall_is_told_so_though_the_wall_cannot_be_read(
    place: Lobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, reads = type(place.mine.meeting.wall).lines, list[int]()

    def once(wall: Wall) -> list[WallLine]:
        reads.append(1)
        if len(reads) > 1:
            raise BankUnavailable("the disk is gone")
        return lines(wall)

    with monkeypatch.context() as broken:
        broken.setattr(type(place.mine.meeting.wall), "lines", once)
        shown = place.seen(("xterm", "utf-8"), notes.wall, "whello\r")
    assert "Done." in "\n".join(shown.rows)
    assert [line.text for line in place.mine.meeting.wall.lines()] == ["hello"]


@pytest.mark.parametrize("key", ["a", "d"])
def test_a_list_that_was_changed_is_told_so_though_it_cannot_be_read(
    place: Lobby, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Whom the caller ignores from then on is known of the change itself."""
    lists, seen = place.mine.meeting.ignored, list[bool]()
    pest = place.mine.accounts.find("Pest") or place.mine.accounts.enrol("Pest", "no hash", "en")
    if key == "d":
        lists.add(ANNA, pest.id)
    before = lists.of(ANNA)
    works = type(lists).of

    def once(one: IgnoreLists, user: int) -> dict[int, str]:
        if works(one, user) != before:
            raise BankUnavailable("the disk is gone")
        return before

    def changes(caller: Caller) -> None:
        caller.others.ignore(before)
        ignore_list(caller)
        seen.append(caller.others.ignores(pest.id))

    with monkeypatch.context() as broken:
        broken.setattr(type(lists), "of", once)
        broken.setattr(type(lists), "in_force", once)
        shown = place.seen(("xterm", "utf-8"), changes, f"{key}Pest\r")
    assert "Done." in "\n".join(shown.rows)
    assert seen == [key == "a"]
    lists.remove(ANNA, pest.id)
