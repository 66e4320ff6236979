"""At tables and prompts, no stranger's text reaches a cell outside its own or a title, or makes a terminal answer."""

import unicodedata
from collections.abc import Callable, Sequence
from random import Random
from typing import Generic

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.screens.eye import MemoryLine
from tests.screens.strangers import Stage, assert_same_but_marks, marked, strangers, terminals
from tests.thoroughness import sampled
from yawc_poker.casino.bank.history import PastGame, PastPlayer, Summary
from yawc_poker.casino.meeting.mail import TEXT_LENGTH, Message
from yawc_poker.casino.users.names import bad_name
from yawc_poker.casino.users.sysop_log import REASON_LENGTH, SysopAction
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine import values
from yawc_poker.engine.game import EventT, Game, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import Clocks, Seat
from yawc_poker.extras.maumau_wire.seating import guest_name
from yawc_poker.games.maumau import model as maumau
from yawc_poker.games.maumau.game import RULES as MAUMAU
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU_SCREEN
from yawc_poker.games.poker import model as poker
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.ui.screen import FACE as POKER_SCREEN
from yawc_poker.session.caller import notices
from yawc_poker.session.caller.console import Console
from yawc_poker.session.caller.others import NOTICES
from yawc_poker.session.menus import history
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.keys import MESSAGE_WIDTH, announced, chat_limit, press_chat
from yawc_poker.table_ui.scene import Local, LocalT
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Frame
from yawc_poker.terminal.keyboard import Keyboard
from yawc_poker.terminal.keys import LineEditor
from yawc_poker.terminal.kinds import KINDS, Charset, terminal
from yawc_poker.terminal.text import clean, in_signs, is_harmless
from yawc_poker.words import LANGUAGES, Language

Terminal = tuple[str, Charset]
CLOCKS = Clocks()
ME = 1
"""The viewer's session; the strangers are 2, 3, ..."""
REASONS: tuple[str, ...] = ("say", "warn", "twit", "grant", "take")
languages = st.sampled_from(LANGUAGES)
EVERYTHING = "\x1b[2J\x1b]0;x\a\x9b6n\5♣漢e\u0301\u202eש"


# --- the tables -------------------------------------------------------------------------------------------------------


class Table(Generic[StateT, MoveT, EventT, OptionsT, ViewT, LocalT]):
    """A game with strangers, as a player sees it who is typing."""

    def __init__(
        self,
        game: Game[StateT, MoveT, EventT, OptionsT],
        options: OptionsT,
        face: Face[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
        language: Language,
    ) -> None:
        self._game, self._options, self._face, self._words = game, options, face, words(language)

    def frames(self, names: Sequence[str], chat: Sequence[str], said: Sequence[str]) -> list[Frame]:
        """Return the screens before a game, at its beginning, and after all this was said; a stranger is master."""
        table: values.Table[StateT, EventT] = tables.empty(self._game)
        people = [*enumerate(names, ME + 1), (ME, "Watcher")]
        for session, name in people:
            table = tables.sit(table, self._game, Seat(session, session, name, 100), 1.0, CLOCKS)
        frames = [self._frame(table, said)]
        cash = dict.fromkeys(range(len(people)), 100)
        table = tables.start(table, self._game, ME + 1, cash, Random(1), 1.0, self._options, CLOCKS).table
        frames.append(self._frame(table, said))
        for at, text in enumerate(chat):
            table = tables.chat(table, ME + 1 + at % len(names), text)
        return [*frames, self._frame(table, said)]

    def _frame(self, table: values.Table[StateT, EventT], said: Sequence[str]) -> Frame:
        face, speech = self._face, self._words
        scene = face.scene(table, ME, 0, 1.0)
        local = face.follow(face.hear(face.fresh(self._options), table.log, ME, speech), scene)
        for text in said:
            local = announced(local, *notices.sentence(sysop("say", text), speech))
        for key in ".half a":
            local, _ = face.press(local, scene, key, speech)
        return face.layout.render(scene, local, speech, 80, 24)


def poker_table(language: Language, names: Sequence[str], chat: Sequence[str], said: Sequence[str]) -> list[Frame]:
    return Table(POKER, poker.Options(), POKER_SCREEN, language).frames(names, chat, said)


def maumau_table(language: Language, names: Sequence[str], chat: Sequence[str], said: Sequence[str]) -> list[Frame]:
    return Table(MAUMAU, maumau.Options(rounds=1), MAUMAU_SCREEN, language).frames(names, chat, said)


Shown = Callable[[Language, Sequence[str], Sequence[str], Sequence[str]], list[Frame]]
encodable = strangers.map(lambda text: text.encode("utf-8", "replace").decode())
in_a_line = encodable.map(lambda text: as_long(text, MESSAGE_WIDTH - 24))
"""Texts whose line is never cut, whoever says them: one with signs goes on in the next line, one of marks does not."""
some_names = st.lists(encodable, min_size=1, max_size=3).map(
    lambda names: [f"{at}{as_long_in_signs(x)}"[:20] for at, x in enumerate(names)]
)


def as_long_in_signs(name: str) -> str:
    """Return a name without emoji, which no name can have, and which messages would spell."""
    return "".join(character for character in name if len(in_signs(character)) == 1)


def as_long(text: str, most: int) -> str:
    """Return the beginning of a text that takes so many cells at most."""
    return next(text[:end] for end in range(len(text), -1, -1) if len(in_signs(text[:end])) <= most)


def sysop(kind: str, text: str) -> SysopAction:
    """An act as `acts.write_act` keeps it."""
    return SysopAction(1, kind, 1, "", None, 5, clean(text, REASON_LENGTH).strip(), "Root", 0.0)


@pytest.mark.parametrize("table", [poker_table, maumau_table])
@settings(max_examples=sampled(20))
@given(terminals, languages, some_names, st.lists(in_a_line, max_size=12), st.lists(strangers, max_size=2))
@example(("putty-256color", "cp437"), "en", ["0" + EVERYTHING], [EVERYTHING], [EVERYTHING])
@example(("xterm-256color", "utf-8"), "de", ["0" + EVERYTHING], [EVERYTHING], [EVERYTHING])
def test_at_a_table_strangers_stay_in_their_cells(
    table: Shown, at: Terminal, language: Language, names: list[str], chat: list[str], said: list[str]
) -> None:
    said = [clean(text, REASON_LENGTH) for text in said]
    real = table(language, names, chat, said)
    marks = [name[0] + marked(name[1:]) for name in names]
    plain = table(language, marks, [marked(in_signs(text)) for text in chat], list(map(marked, said)))
    stage, beside = Stage(at), Stage(at)
    for frame, other in zip(real, plain, strict=True):
        stage.display.draw(frame)
        beside.display.draw(other)
        assert_same_but_marks(stage.look(), beside.look())
    stage.display.draw(plain[-1])  # none of it is left where the next screen shows something else
    assert stage.look().cells() == beside.eye.cells()


@settings(max_examples=sampled(40))
@given(terminals, strangers, st.binary(max_size=20))
def test_what_is_typed_into_the_chat_line_is_harmless_when_it_leaves(at: Terminal, text: str, junk: bytes) -> None:
    line = MemoryLine(*at)
    keyboard = Keyboard(Display(line))
    keyboard.feed(text.encode("utf-8", "surrogatepass") + junk)
    editor = LineEditor(limit=chat_limit("Anna"))
    for key in keyboard.keys(0.0):
        editor = editor.key(key)
    _, said = press_chat(Local(mode="chat", editor=editor), "\r")
    assert said is None or is_harmless(said.text)
    assert (said is None) == (editor.fault is not None or not editor.text.strip())
    assert len(editor.text) <= chat_limit("Anna")
    assert not line.sent


def test_no_window_makes_a_frame_larger_than_what_mau_mau_shows() -> None:
    table = tables.sit(tables.empty(MAUMAU), MAUMAU, Seat(ME, ME, "Anna", 100), 1.0, CLOCKS)
    scene = MAUMAU_SCREEN.scene(table, ME, 0, 1.0)
    for columns, rows in ((500, 500), (500, 1), (1, 500), (79, 500), (500, 23)):
        frame = MAUMAU_SCREEN.layout.render(scene, MAUMAU_SCREEN.fresh(maumau.Options()), words("en"), columns, rows)
        assert frame.columns <= min(columns, 132)
        assert len(frame.rows) <= min(rows, 60)


# --- names, terminals -------------------------------------------------------------------------------------------------


@given(strangers, st.lists(strangers, max_size=3))
@example("ﬀ" * 30, ["ﬀ" * 30])
def test_a_guests_name_is_harmless_short_and_no_others(text: str, others: list[str]) -> None:
    taken = [guest_name(one, ()).casefold() for one in others]
    name = guest_name(text, taken)
    assert is_harmless(name)
    assert len(name) <= 20
    assert name.casefold() not in taken
    assert bad_name(name) is not None  # no account's


@pytest.mark.parametrize("name", ["The Bank", "sys0p", "root@bbs", "Bo (y/n)", " "])
def test_a_guest_does_not_pass_for_the_house(name: str) -> None:
    assert guest_name(name, {"mau^"}) == "Mau2^"


@pytest.mark.parametrize("name", ["Testville", "test-v1lle", "The Testville BBS", "T\u00e9stville"])
def test_a_guest_does_not_pass_for_the_bbs_itself(name: str) -> None:
    assert guest_name(name, (), "Testville") == "Mau^"
    assert guest_name(name, (), "Elsewhere") != "Mau^"


def test_no_two_guests_look_alike_on_any_screen() -> None:
    assert guest_name("Ant\u00f6n", {"anton^"}) == "Ant\u00f6n2^"
    assert guest_name("Ant\u00f6n", {"anton^", "anton2^"}) == "Ant\u00f6n3^"
    assert guest_name("Anton", {"anton"}) == "Anton^", "a user has no mark"


@given(strangers)
def test_an_accounts_name_is_harmless(text: str) -> None:
    name = unicodedata.normalize("NFC", text[:20])
    assert bad_name(name) is not None or is_harmless(name)


@given(strangers, st.sampled_from(["", "xterm", "ansi", "vt", "putty", "\x1b[2J"]), strangers)
def test_no_terminals_name_comes_back(before: str, known: str, text: str) -> None:
    kind, charset = terminal(f"{before}{known}{text}")
    assert kind in KINDS
    line = MemoryLine(kind, charset)
    Display(line).text("Name: ")
    assert bytes(line.sent) == b"Name: "


# --- scrolling prompts ------------------------------------------------------------------------------------------------


def assert_told(at: Terminal, texts: Sequence[tuple[str, str]], columns: int) -> None:
    """A notice above a half typed answer fills only its own cells; `texts` are real ones, each with its marks."""
    stages = Stage(at, columns), Stage(at, columns)
    for which, stage in enumerate(stages):
        console = Console(stage.line, stage.display)
        console.say("Above\nit")
        console.prompt("To: ")
        console.show_typed(LineEditor(text="half an answer"))
        for both in texts:
            console.interrupt(both[which])
        console.show_typed(LineEditor(text="half an answer, and"))
        console.finish()
        for both in texts[:2]:
            console.say(both[which])
    assert_same_but_marks(stages[0].look(), stages[1].look())
    assert len(stages[0].eye.screen.title) == 0


widths = st.sampled_from([80, 80, 40, 132])


@settings(max_examples=sampled(30))
@given(terminals, languages, strangers, strangers, widths)
@example(("putty-256color", "cp437"), "en", EVERYTHING, EVERYTHING, 80)
@example(("xterm-256color", "utf-8"), "de", EVERYTHING, EVERYTHING, 80)
def test_what_comes_in_between_leaves_the_prompt(
    at: Terminal, language: Language, name: str, text: str, columns: int
) -> None:
    speech, name, text = words(language), guest_name(name, ()), clean(text, TEXT_LENGTH).strip()
    texts = []
    for sentence in NOTICES.values():
        texts.append((speech(sentence, name=name), speech(sentence, name=marked(name))))
    letters = [
        notices.message(Message(1, 2, *both, 0.0), speech) for both in ((name, text), (marked(name), marked(text)))
    ]
    acts = [[notices.sentence(sysop(kind, one), speech)[0] for kind in REASONS] for one in (text, marked(text))]
    assert_told(at, [*texts, (letters[0], letters[1]), *zip(*acts, strict=True)], columns)


def summary(names: Sequence[str]) -> Summary:
    """A game of these people in the books."""
    players = tuple(PastPlayer(user, name, user - 1, 5, 9, 0) for user, name in enumerate(names, 1))
    return Summary(7, 0, POKER.KIND, 0.0, 9.0, "won", None, None, players, 18, players[0])


@settings(max_examples=sampled(20))
@given(terminals, languages, st.lists(strangers, min_size=2, max_size=5), widths)
def test_the_page_of_a_game_keeps_its_columns(at: Terminal, language: Language, names: list[str], columns: int) -> None:
    names = [guest_name(name, ()) for name in names]
    pages = [
        history.page(PastGame(summary(one), (), None, (), None), 1, "1", words(language)).text
        for one in (names, list(map(marked, names)))
    ]
    assert_told(at, [(pages[0], pages[1])], columns)
    seats = [line for line in pages[0].split("\n") if line.endswith(("paid 9, got 0", "bezahlt 9, bekommen 0"))]
    assert len({len(line) for line in seats}) <= 1
