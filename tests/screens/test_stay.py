"""A stay at the table by its clock: after any events in any order, a drawn screen shows the table as it is.

The session's own code (`session.table.play`, `session.table.screen`), with a table that does not change, in the test's
own time.
"""

from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.screens.eye import MemoryLine
from tests.screens.poker_pictures import EN, pause
from tests.thoroughness import sampled
from yawc_poker.appearance.preferences import Preferences
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import Table
from yawc_poker.games.poker.game import POKER
from yawc_poker.games.poker.model import Event, Options, State
from yawc_poker.games.poker.ui.scene import Local
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.events import AlarmDue, Key
from yawc_poker.session.caller.appearance import Appearance
from yawc_poker.session.caller.attention import Attention
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table import play
from yawc_poker.session.table import screen as session_screen
from yawc_poker.session.table.attendance import SeatedPlayer
from yawc_poker.table_ui.definition import plain
from yawc_poker.table_ui.screen import CLOCK, STATUS_ROW
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.terminal.sequences import AS_SHIPPED, worn

TICK = 5.0


class Clock:
    now = 0.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (play, session_screen):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


class Master:
    """The master at their table, in the pause after a game."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        instance, *_ = pause()
        self.value: Table[State, Event] = instance.table
        assert self.value.master is not None
        who = self.value.seats[self.value.master]
        assert who is not None
        self.token = who.session
        self.alarms: dict[str, float] = {}
        self.ticks_through: float | None = None
        self.loop = SimpleNamespace(
            busy=False,
            piece=0,
            end_text=lambda opened: None,
            alarms=SimpleNamespace(
                set=self.alarms.__setitem__, cancel=lambda name: self.alarms.pop(name, None), every=self.tick_every
            ),
        )
        line = MemoryLine()
        self.display = Display(line)
        appearance = Appearance(line, self.display, "en")
        caller = SimpleNamespace(
            loop=self.loop,
            display=self.display,
            line=line,
            words=EN,
            appearance=appearance,
            idle_notice="",
            page=None,
            preferences=Preferences(),
            attention=Attention(self.display, appearance, "Testville"),
            instance=SimpleNamespace(
                notifier=SimpleNamespace(token=self.token),
                config=SimpleNamespace(house=SimpleNamespace(players=0)),
            ),
            config=SimpleNamespace(engine=SimpleNamespace(tick_seconds=TICK), bbs=SimpleNamespace(hold_seconds=0.0)),
            background=lambda event: (),
            bulletin=SimpleNamespace(may_not_write=lambda words: ""),
            others=SimpleNamespace(audible=lambda value: value, goes_over=False),
        )
        self.table = SimpleNamespace(
            commit_number=7,
            tend=lambda: None,
            number=0,
            context=SimpleNamespace(session=self.token, notifier=caller.instance.notifier),
            rules=SimpleNamespace(game=POKER.rules, options=Options()),
            look=lambda: self.value,
            unchanged=lambda *, sits: SimpleNamespace(forget=lambda: None),
            gallery=lambda: SimpleNamespace(state=0),
            maintain=lambda timeout: None,
        )
        self.table.start = self.start
        clock.now = instance.now
        player = SeatedPlayer(
            cast(GameTable, self.table),
            cast(Alarms, self.loop.alarms),
            TICK,
        )
        self.stay = play.Stay(cast(Caller, caller), player, plain(POKER), player.table.look())
        self.stay.refresh(force=True)
        self.stay._screen.draw()

    def tick_every(self, name: str, seconds: float, through: float | None) -> None:
        assert (name, seconds) == ("tick", TICK)
        self.ticks_through = through

    def start(self, options: Options | None) -> None:
        if self.clock.now < self.value.pause_until:
            raise IllegalMove("pause", seconds=1)

    def meet(self, event: Key | AlarmDue, *, busy: bool = False) -> None:
        """Apply an event; `busy`: more events are waiting."""
        self.loop.busy = busy
        if isinstance(event, Key):
            self.stay._press(event.name)
        else:
            self.stay._happened(event)
        self.stay.refresh()
        self.stay._screen.draw()

    def shown(self) -> Frame:
        frame = self.display.shown
        assert frame is not None
        return frame

    def due(self) -> Frame:
        """Return what a full redraw would show now."""
        scene = FACE.scene(self.value, self.token, 0, self.clock.now)
        local = self.stay._screen._local
        assert isinstance(local, Local)
        return worn(FACE.layout.render(scene, local, EN, 80, 24), AS_SHIPPED)


def without_clock(frame: Frame) -> tuple[object, ...]:
    row = frame.rows[STATUS_ROW]
    rows = [one if at != STATUS_ROW else (row.text[:-CLOCK], row.styles[:-CLOCK]) for at, one in enumerate(frame.rows)]
    return (*rows, frame.cursor)


def clock_of(frame: Frame) -> int:
    minutes, seconds = frame.rows[STATUS_ROW].text[-CLOCK:].split(":")
    return 60 * int(minutes) + int(seconds)


def test_the_end_of_the_pause_shows_though_a_key_without_meaning_came_with_it(clock: Clock) -> None:
    for first, busy in ((AlarmDue("second"), True), (Key("q"), False)):
        master = Master(clock)
        assert "░" not in master.shown().rows[8].text
        clock.now = master.value.pause_until + 0.001
        master.meet(first, busy=busy)
        clock.now += 0.001
        master.meet(Key("q") if busy else AlarmDue("second"))
        assert master.shown() == master.due()
        assert "░" in master.shown().rows[8].text


def test_the_masters_clock_goes_down_evenly_by_ticks_alone(clock: Clock) -> None:
    """3:00, 2:55, 2:50: each step of the coarse clock at its moment, without an alarm of its own."""
    master = Master(clock)
    deadline = master.value.deadline
    assert deadline is not None
    assert master.ticks_through == deadline
    clock.now = master.value.pause_until + 0.001
    master.meet(AlarmDue("second"))
    shown = []
    for step in range(int(deadline - clock.now) // 5, 6, -1):
        clock.now = deadline - 5 * step + 0.002
        assert master.stay._screen.pass_tick(clock.now)
        shown.append(clock_of(master.shown()))
        if shown[-1] > 40:
            assert "second" not in master.alarms
    assert shown == list(range(shown[0], 30, -5))
    assert shown[0] > 140


def test_starting_too_early_shows_the_seconds_and_then_nothing(clock: Clock) -> None:
    master = Master(clock)
    clock.now = master.value.pause_until - 2.5
    master.meet(Key("s"))
    assert master.stay._screen._local.waits
    for _ in range(4):
        clock.now += 1.0
        master.meet(AlarmDue("second"))
        assert without_clock(master.shown()) == without_clock(master.due())
    assert not master.stay._screen._local.waits


def test_a_line_of_chat_that_came_meanwhile_is_not_left_out_for_a_key(clock: Clock) -> None:
    """The short way of a key is closed while the screen is not up to date."""
    master = Master(clock)
    for key in ".ab":
        master.meet(Key(key))
    master.stay._screen.announce("Somebody said something.", Style.YELLOW)
    master.meet(Key("c"))
    assert master.shown() == master.due()
    assert any("Somebody said something." in row.text for row in master.shown().rows)


def test_what_was_committed_while_more_waited_is_drawn_with_the_next_key(clock: Clock) -> None:
    master = Master(clock)
    for key in ".ab":
        master.meet(Key(key))
    seats = [None if who is None else replace(who, name="Somebody") for who in master.value.seats]
    master.value = replace(master.value, seats=tuple(seats))
    master.table.commit_number += 1
    master.meet(AlarmDue("idle"), busy=True)
    master.meet(Key("c"))
    assert master.shown() == master.due()
    assert master.shown().rows[1].text.startswith("Somebody")


def test_a_notice_is_gone_with_the_next_key_of_a_chat_line(clock: Clock) -> None:
    master = Master(clock)
    for key in ".ab":
        master.meet(Key(key))
    shown = master.stay._screen
    shown._local = replace(shown._local, notice="Nobody is here.", offered=("nothing",))
    shown.draw()
    assert any("Nobody is here." in row.text for row in master.shown().rows)
    master.meet(Key("c"))
    assert not any("Nobody is here." in row.text for row in master.shown().rows)


happenings = st.lists(
    st.tuples(
        st.sampled_from(
            [Key(key) for key in ".sq\x1b\rab c\x7f"] + [AlarmDue("second"), AlarmDue("tick"), AlarmDue("idle")]
        ),
        st.booleans(),
        st.sampled_from([0.0, 0.001, 0.3, 1.0, 4.9, 5.0, 17.0]),
    ),
    max_size=40,
)


@settings(max_examples=sampled(150), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(happenings)
def test_the_screen_is_right_after_any_events_in_any_order(
    clock: Clock, story: list[tuple[Key | AlarmDue, bool, float]]
) -> None:
    master = Master(clock)
    master.table.say = lambda text: None
    for event, busy, seconds in story:
        clock.now = min(clock.now + seconds, master.value.pause_until + 100)
        master.meet(event, busy=busy)
        if not busy:
            assert without_clock(master.shown()) == without_clock(master.due())
            assert 0 <= clock_of(master.shown()) - clock_of(master.due()) <= TICK
