"""The lobby's prompts beside strangers: lists keep their columns, what comes in between leaves the prompt."""

import signal
from collections.abc import Callable, Iterator

import pytest
from hypothesis import assume, given, settings

from tests.isolation import sysops as actions
from tests.isolation.lobby import ANNA, Lobby, Terminal
from tests.isolation.sessions import Hall
from tests.screens.strangers import assert_same_but_marks, marked, strangers, terminals
from tests.thoroughness import sampled
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.meeting.ignored import IgnoreLists
from yawc_poker.casino.meeting.mail import TEXT_LENGTH
from yawc_poker.casino.meeting.wall import Wall, WallLine
from yawc_poker.casino.users.sysop_log import REASON_LENGTH
from yawc_poker.extras.maumau_wire.seating import guest_name
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus import wall as notes
from yawc_poker.session.menus.ignoring import ignore_list
from yawc_poker.session.menus.mail import x_message
from yawc_poker.session.menus.presence import who
from yawc_poker.session.menus.profile import profile
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.text import clean


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


# --- done, and then the bank is gone --------------------------------------------------------------------------------


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
        shown = place.seen(("xterm", "utf-8"), changes, f"{key}Pest\r")
    assert "Done." in "\n".join(shown.rows)
    assert seen == [key == "a"]
    lists.remove(ANNA, pest.id)
