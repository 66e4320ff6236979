"""What sysops do, without telnet: rows, money, records, and processes that die in between."""

import math
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.isolation import sysops as actions
from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import CONFIG, Hall
from tests.postgres import on_server
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation import procedure
from yawc_poker.casino.moderation.actions import TOLD
from yawc_poker.casino.moderation.procedure import Done, Refused
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.config import Config
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.semaphore import held
from yawc_poker.registry.tables import Tables
from yawc_poker.sysop.actions import sentence

BY, WHY = "Root (uid 0)", "blocked the table"


class Desk(Instance):
    """A house with accounts Anna, Bert and Carl (users 1 to 3), entered as a control process does."""

    def __init__(self, hall: Hall) -> None:
        super().__init__(hall.data, hall.config, hall.foundation.segment)
        self.tables = Tables(self)
        for name in ("Anna", "Bert", "Carl"):
            if self.accounts.find(name) is None:
                user = self.accounts.enrol(name, "no hash", "en")
                self.bank.welcome(user.id, 100)

    def kinds(self, name: str) -> list[str]:
        return [action.kind for action in actions.sysop_actions(self, name)]


@pytest.fixture(params=["sqlite", "postgresql"])
def config(request: pytest.FixtureRequest) -> Config:
    """The configuration of a BBS in either kind of database."""
    if request.param == "sqlite":
        return CONFIG
    return on_server(CONFIG, request.getfixturevalue("database"))


@pytest.fixture
def hall(tmp_path: Path, config: Config) -> Iterator[Hall]:
    with Hall(tmp_path / "data", config) as hall:
        yield hall


@pytest.fixture
def instance(hall: Hall) -> Iterator[Desk]:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    instance = Desk(hall)
    instance.enter("control")
    yield instance
    instance.leave()
    signal.signal(signal.SIGUSR1, before)


@contextmanager
def refused(reason: str) -> Iterator[None]:
    with pytest.raises(Refused) as refusal:
        yield
    assert refusal.value.reason == reason
    assert str(refusal.value)
    assert "\n" not in str(refusal.value)


def record(instance: Instance, user: int) -> Record:
    person = instance.directory.of_user(user)
    assert person is not None
    return instance.segment.records[person.index]


# --- passwords --------------------------------------------------------------------------------------------------------


def test_a_new_password_is_kept_as_a_hash_and_in_no_act(instance: Desk) -> None:
    instance.attempts.turn(2, "192.0.2.7")
    done = actions.reset_password(instance, "bert", by=BY)
    assert done.password
    assert instance.accounts.check(2, done.password)
    bert = instance.accounts.find("Bert")
    assert bert is not None
    assert bert.must_change
    assert (done.action.kind, done.action.target, done.action.reason, done.ended) == ("password", "Bert", "", 0)
    assert actions.sysop_actions(instance, "Bert") == [done.action]
    assert done.password not in repr(done.action)
    assert [instance.attempts.turn(2, "192.0.2.7") for _ in range(2)] == [0, 0], "tries at the old one are over"
    actions.delete(instance, "Bert", by=BY, reason=WHY)
    with refused("closed"):
        actions.reset_password(instance, "Bert", by=BY)
    with refused("no_user"):
        actions.reset_password(instance, "Nemo", by=BY)


# --- what follows a written action, and fails ---


def gone(*_: object) -> int:
    raise BankUnavailable("the disk is gone")


def test_warnings_that_cannot_be_counted_are_no_reason_to_warn_again(
    instance: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(instance.sysop_log), "warnings", gone)
    done = actions.warn(instance, "Bert", by=BY, reason=WHY)
    assert done.warnings is None
    assert instance.kinds("Bert") == ["warn"]
    assert "?" in sentence(done)


def test_cubes_that_were_moved_are_not_told_to_be_moved_again(instance: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(type(instance.sysop_log), "settle", gone)
        done = actions.grant(instance, "Bert", 50, by=BY, reason=WHY)
    assert (done.balance, done.action.cubes, instance.bank.balance(2)) == (150, 50, 150)
    actions.finish_pending(instance.sysop_log, instance.bank)
    assert (instance.bank.balance(2), instance.sysop_log.pending()) == (150, [])


def test_a_new_password_is_told_though_a_table_is_busy(instance: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(instance.tables[0]), "free_held", gone)
    done = actions.reset_password(instance, "Bert", by=BY)
    assert done.password
    assert instance.accounts.check(2, done.password)


# --- words and rights -------------------------------------------------------------------------------------------------


def test_a_warning_is_kept_with_who_and_why_and_counted(instance: Desk) -> None:
    done = actions.warn(instance, "bERT", by=BY, reason="slept two games\x1b[2J\nthrough")
    assert (done.online, done.warnings) == (False, 1)
    assert done.action == SysopAction(
        1, "warn", 2, "Bert", None, None, "slept two games[2J through", BY, done.action.at
    )
    assert actions.warn(instance, "Bert", by=BY, reason=WHY).warnings == 2
    assert [action.reason for action in actions.sysop_actions(instance, "Bert")] == [WHY, "slept two games[2J through"]
    assert actions.sysop_actions(instance, "Anna") == []
    assert [action.id for action in actions.sysop_actions(instance)] == [2, 1]
    assert instance.sysop_log.warnings(2) == 2


def test_news_are_told_until_they_were_shown(instance: Desk) -> None:
    actions.warn(instance, "Bert", by=BY, reason="one")
    actions.grant(instance, "Bert", 5, by=BY, reason="two")
    actions.warn(instance, "Anna", by=BY, reason="not for Bert")
    with pytest.raises(ConnectionError), instance.sysop_log.telling(2, TOLD) as news:
        raise ConnectionError("killed before it was shown")
    for expected in (["one", "two"], []):
        with instance.sysop_log.telling(2, TOLD) as news:
            assert [action.reason for action in news] == expected


def test_what_was_said_is_heard_from_a_moment_on(instance: Desk) -> None:
    actions.say(instance, "too early", by=BY)
    since = instance.sysop_log.newest()
    actions.warn(instance, "Bert", by=BY, reason="no saying")
    actions.say(instance, "closing at ten", by=BY)
    assert [action.reason for action in instance.sysop_log.said_since(since)] == ["closing at ten"]


def test_a_twit_is_in_the_account_and_in_the_record_of_who_is_online(hall: Hall, instance: Desk) -> None:
    bert = hall.session(2, "Bert")
    done = actions.twit(instance, "Bert", 3600, by=BY, reason=WHY)
    assert done.online
    assert done.action.until is not None
    user = instance.accounts.by_id(2)
    assert user is not None
    assert user.twit_until == done.action.until
    assert record(instance, 2).muted_until == math.ceil(done.action.until)
    actions.twit(instance, "Bert", None, by=BY, reason=WHY)
    assert record(instance, 2).muted_until == math.inf
    actions.untwit(instance, "Bert", by=BY)
    assert record(instance, 2).muted_until == 0
    assert instance.kinds("Bert") == ["untwit", "twit", "twit"]
    bert.kill()


def test_many_sessions_are_told_though_a_command_names_but_sixteen(hall: Hall, instance: Desk) -> None:
    people = [hall.session(user, f"user {user}") for user in range(10, 30)]
    instance.notifier.tell(Kind.SYSOP, [one.index for one in instance.directory.people()])
    for one in instance.directory.people():
        reading = instance.notifier._ring.read(instance.segment.records[one.index])
        assert [command.kind for command in reading.commands].count(Kind.SYSOP) == 1
    assert len(people) == 20


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (lambda instance: actions.warn(instance, "Nobody", by=BY, reason=WHY), "no_user"),
        (lambda instance: actions.warn(instance, "Bert", by=BY, reason=" \t\x07"), "no_reason"),
        (lambda instance: actions.twit(instance, "Bert", 60, by=BY, reason=""), "no_reason"),
        (lambda instance: actions.kick(instance, "Bert", by=BY, reason=WHY), "not_online"),
        (lambda instance: actions.ban(instance, "Nobody", 60, by=BY, reason=WHY), "no_user"),
        (lambda instance: actions.ban(instance, "10.0.0.0/4", 60, by=BY, reason=WHY), "too_wide"),
        (lambda instance: actions.ban(instance, "Bert", 60, by=BY, reason=WHY, kind="address"), "no_user"),
        (lambda instance: actions.unban(instance, "Bert", by=BY), "not_banned"),
        (lambda instance: actions.unban(instance, "192.0.2.1", by=BY), "not_banned"),
        (lambda instance: actions.say(instance, "\n", by=BY), "no_reason"),
        (lambda instance: actions.say(instance, "closed for \N{CIRCUS TENT}", by=BY), "not_shown"),
        (lambda instance: actions.warn(instance, "Bert", by=BY, reason="密码"), "not_shown"),
        (lambda instance: actions.warn(instance, "Bert", by=BY, reason="x" * 201), "too_long"),
        (lambda instance: actions.grant(instance, "Bert", 5, by=BY, reason="bad\udce4"), "not_shown"),
        (lambda instance: actions.grant(instance, "Bert", 0, by=BY, reason=WHY), "bad_amount"),
        (lambda instance: actions.grant(instance, "Bert", -5, by=BY, reason=WHY), "bad_amount"),
        (lambda instance: actions.take(instance, "Bert", 101, by=BY, reason=WHY), "not_enough"),
        (lambda instance: actions.sysop_actions(instance, "Nobody"), "no_user"),
    ],
)
def test_what_is_refused_changes_nothing(instance: Desk, action: Callable[[Instance], object], reason: str) -> None:
    with refused(reason):
        action(instance)
    assert actions.sysop_actions(instance) == []
    assert instance.sysop_log.pending() == []
    assert instance.bans.all() == []
    assert instance.bank.balance(2) == 100


def test_an_act_holds_no_lock_and_is_one_line_of_the_log(instance: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="yawc_poker")
    actions.ban(instance, "Bert", None, by="Sys\nop", reason="a\r\nb")
    assert held() == ()
    (line,) = [entry.getMessage() for entry in caplog.records]
    assert line == "sysop's act 1: ban 'Bert' by 'Sys op': 'a  b'"


def test_a_line_is_taken_off_the_wall_and_written_down_with_its_text(instance: Desk) -> None:
    wall = instance.meeting.wall
    wall.write(1, "welcome")
    wall.write(2, "Anna cheats")
    kept, line = instance.meeting.wall.lines()
    done = actions.wipe(instance, line.id, by=BY, reason=WHY)
    assert (done.action.kind, done.action.target, done.action.by) == ("wall", "Bert", BY)
    assert done.action.reason == f'"Anna cheats": {WHY}'
    assert instance.meeting.wall.lines() == [kept]
    with instance.sysop_log.telling(2, TOLD) as news:
        assert [action.kind for action in news] == ["wall"]
    for number in (line.id, 99):
        with refused("no_line"):
            actions.wipe(instance, number, by=BY)
    assert instance.kinds("Bert") == ["wall"]


# --- out of the house -------------------------------------------------------------------------------------------------


def test_a_session_that_does_not_end_is_killed_and_its_seat_freed(
    hall: Hall, instance: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procedure, "END_SECONDS", 0.2)
    _, bert = hall.seat("Anna", "Bert")
    bert.stop()
    done = actions.kick(instance, "Bert", by=BY, reason=WHY)
    assert (done.ended, done.killed) == (0, 1)
    assert bert.reap() == -signal.SIGKILL
    assert hall.names() == ["Anna"]
    assert hall.removed() == ["Bert"]
    assert instance.directory.of_user(2) is None


@pytest.mark.parametrize(
    "action",
    [
        lambda instance: actions.kick(instance, "Bert", by=BY, reason=WHY),
        lambda instance: actions.ban(instance, "Bert", 60, by=BY, reason=WHY),
        lambda instance: actions.delete(instance, "Bert", by=BY, reason=WHY),
    ],
    ids=["kick", "ban", "delete"],
)
def test_a_seat_that_waits_for_a_session_that_was_killed_is_freed(
    hall: Hall, instance: Desk, action: Callable[[Instance], Done]
) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == bert("lose line") == "ok"
    bert.kill()
    instance.maintain_all()
    assert hall.is_held("Bert")
    done = action(instance)
    assert (done.ended, done.killed, done.freed) == (0, 0, 1)
    assert (hall.names(), hall.removed(), hall.phase()) == (["Anna"], ["Bert"], "none")
    assert (hall.money().pots, instance.bank.balance(1)) == (0, 110)


def test_a_session_without_a_line_that_does_not_end_loses_the_seat_too(
    hall: Hall, instance: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(procedure, "END_SECONDS", 0.2)
    _, bert = hall.seat("Anna", "Bert")
    assert bert("lose line") == "ok"
    bert.stop()
    done = actions.ban(instance, "Bert", 60, by=BY, reason=WHY)
    assert (done.killed, done.freed) == (1, 1)
    assert bert.reap() == -signal.SIGKILL
    assert hall.names() == ["Anna"]


def test_a_seat_whose_holder_lives_is_freed_by_nobody_else(hall: Hall, instance: Desk) -> None:
    """Somebody who was kicked may have come back meanwhile, and have lost the line again."""
    _, bert = hall.seat("Anna", "Bert")
    table = instance.tables[0]
    assert bert("lose line") == "ok"
    assert not table.free_held(2)
    bert.kill()
    again = hall.session(2, "Bert")
    assert again("take over") == "ok"
    assert not table.free_held(2)
    assert (hall.names(), hall.removed()) == (["Anna", "Bert"], [])


def test_a_deleted_account_is_empty_closed_and_its_name_taken(instance: Desk) -> None:
    done = actions.delete(instance, "Bert", by=BY, reason=WHY)
    assert (done.action.cubes, done.balance, instance.bank.balance(2)) == (100, 0, 0)
    user = instance.accounts.find("Bert")
    assert user is not None
    assert user.closed is not None
    instance.accounts.renew(2, "no hash", "a hash that comes too late")
    assert instance.accounts.stored(2) == ""
    assert instance.accounts.complete("b") == []
    assert instance.bank.audit() == []
    assert instance.bank.figures().house == 100
    for action in (actions.warn, actions.kick, actions.delete):
        with refused("closed"):
            action(instance, "Bert", by=BY, reason=WHY)
    assert instance.kinds("Bert") == ["delete"]


def test_an_address_wins_over_a_name_that_looks_like_one(instance: Desk) -> None:
    older = instance.accounts.enrol("Carola", "no hash", "en")  # made when a name could be an address
    with instance.accounts.store.writing() as users:
        users.execute("UPDATE user SET name = ?, name_key = ? WHERE id = ?", ("192.0.2.7", "192.0.2.7", older.id))
    assert actions.ban(instance, "192.0.2.7", 60, by=BY, reason=WHY).action.user is None
    assert actions.ban(instance, "192.0.2.7", 60, by=BY, reason=WHY, kind="name").action.user == 4
    assert [(ban.kind, ban.target) for ban in instance.bans.all()] == [
        ("address", "192.0.2.7"),
        ("name", "192.0.2.7"),
    ]
    actions.unban(instance, "192.0.2.7", by=BY, kind="name")
    assert [ban.kind for ban in instance.bans.all()] == ["address"]


def test_nobody_ends_the_session_he_acts_from(instance: Desk) -> None:
    instance.directory.claim_name(instance.notifier.index, 1, "Anna")
    done = actions.kick(instance, "Anna", by=BY, reason=WHY)
    assert (done.ended, done.killed) == (0, 0)
    assert instance.own.live() is not None


# --- CUBES ------------------------------------------------------------------------------------------------------------


def test_cubes_come_from_the_mint_and_go_to_the_house(instance: Desk) -> None:
    assert actions.grant(instance, "Bert", 50, by=BY, reason=WHY).balance == 150
    assert actions.take(instance, "Bert", 150, by=BY, reason=WHY).balance == 0
    figures = instance.bank.figures()
    assert (figures.minted, figures.cash, figures.house) == (350, 200, 150)
    assert instance.bank.audit() == []
    assert [(action.kind, action.cubes) for action in actions.sysop_actions(instance, "Bert")] == [
        ("take", 150),
        ("grant", 50),
    ]


def test_what_the_bank_cannot_do_waits_for_it_and_is_done_once(
    hall: Hall, instance: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hall.bank_broken(), monkeypatch.context() as broken:
        broken.setattr(type(instance.sysop_log), "drop", gone)
        done = actions.grant(instance, "Bert", 50, by=BY, reason=WHY)
    assert (done.waits, done.online, done.balance) == (True, False, None)
    assert "as soon as the bank works again" in sentence(done)
    with instance.sysop_log.telling(2, TOLD) as news:
        assert news == []
    assert actions.grant(instance, "Bert", 1, by=BY, reason=WHY).balance == 151
    with instance.sysop_log.telling(2, TOLD) as news:
        assert [action.cubes for action in news] == [50, 1]


class ForgetfulBank(Bank):
    """A bank that moves CUBES, and whose answer is lost."""

    def grant(self, action: int, user: int, amount: int) -> tuple[int, int]:
        super().grant(action, user, amount)
        raise self._lost()

    def take(self, action: int, user: int, amount: int | None) -> tuple[int, int]:
        super().take(action, user, amount)
        raise self._lost()

    def _lost(self) -> BankUnavailable:
        error = BankUnavailable("no answer in time")
        error.maybe_done = True
        return error


@pytest.mark.parametrize(("action", "owned"), [(actions.grant, 150), (actions.take, 50)], ids=["grant", "take"])
def test_cubes_whose_answer_is_lost_are_moved_once(instance: Desk, action: Callable[..., Done], owned: int) -> None:
    bank = instance.bank
    instance.bank = ForgetfulBank(bank.store)
    assert action(instance, "Bert", 50, by=BY, reason=WHY).waits
    instance.bank = bank
    assert bank.balance(2) == owned
    actions.finish_pending(instance.sysop_log, bank)
    assert (bank.balance(2), instance.sysop_log.pending()) == (owned, [])
    assert [kept.cubes for kept in actions.sysop_actions(instance, "Bert")] == [50]
    assert bank.audit() == []


def test_a_deleted_account_is_emptied_as_soon_as_the_bank_can(hall: Hall, instance: Desk) -> None:
    with hall.bank_broken():
        done = actions.delete(instance, "Bert", by=BY, reason=WHY)
    assert (done.action.kind, done.balance, instance.bank.balance(2)) == ("delete", None, 100), "it is closed"
    assert instance.accounts.stored(2) == ""
    actions.grant(instance, "Anna", 1, by=BY, reason=WHY)
    assert instance.bank.balance(2) == 0
    assert instance.bank.figures().house == 100


class MortalBank(Bank):
    """A bank whose user is killed before or after it moved CUBES."""

    when = ""

    def grant(self, action: int, user: int, amount: int) -> tuple[int, int]:
        return self._dying(lambda: super(MortalBank, self).grant(action, user, amount))

    def take(self, action: int, user: int, amount: int | None) -> tuple[int, int]:
        return self._dying(lambda: super(MortalBank, self).take(action, user, amount))

    def _dying(self, move: Callable[[], tuple[int, int]]) -> tuple[int, int]:
        if self.when == "after":
            move()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def die(hall: Hall, when: str, action: Callable[[Instance], object]) -> None:
    """Carry out an action in a process that is killed before or after the ledger moved its CUBES."""

    def work() -> None:
        mortal = Desk(hall)
        mortal.enter("control")
        mortal.bank = bank = MortalBank(mortal.bank.store)
        bank.when = when
        action(mortal)

    assert exit_code(fork(work)) == -signal.SIGKILL


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("action", "owned"),
    [
        (lambda instance: actions.grant(instance, "Bert", 50, by=BY, reason=WHY), 150),
        (lambda instance: actions.take(instance, "Bert", 30, by=BY, reason=WHY), 70),
        (lambda instance: actions.delete(instance, "Bert", by=BY, reason=WHY), 0),
    ],
    ids=["grant", "take", "delete"],
)
def test_a_sysop_killed_in_between_moves_cubes_once(
    hall: Hall, instance: Desk, when: str, action: Callable[[Instance], object], owned: int
) -> None:
    die(hall, when, action)
    assert instance.bank.balance(2) == (owned if when == "after" else 100)
    for _ in range(2):
        actions.finish_pending(instance.sysop_log, instance.bank)
        assert instance.bank.balance(2) == owned
    assert instance.sysop_log.pending() == []
    assert len(actions.sysop_actions(instance, "Bert")) == 1
    assert instance.bank.audit() == []


def left_pending(hall: Hall, instance: Desk, action: Callable[[Instance], object]) -> None:
    """Kill a process before the ledger has moved what it had written down."""

    die(hall, "before", action)
    assert len(instance.sysop_log.pending()) == 1
    with instance.sysop_log.telling(2, TOLD) as news:
        assert news == [], "nobody is told of CUBES that have not come"


def test_two_who_finish_one_action_at_once_move_cubes_once(hall: Hall, instance: Desk) -> None:
    left_pending(hall, instance, lambda mortal: actions.grant(mortal, "Bert", 50, by=BY, reason=WHY))
    gate, open_gate = os.pipe()

    def work() -> None:
        os.close(open_gate)
        other = Desk(hall)
        os.read(gate, 1)
        actions.finish_pending(other.sysop_log, other.bank)

    children = [fork(work) for _ in range(4)]
    os.close(open_gate)
    assert [exit_code(child) for child in children] == [0] * 4
    os.close(gate)
    assert instance.bank.balance(2) == 150
    assert instance.bank.audit() == []


def test_a_pending_take_that_became_too_much_is_dropped(hall: Hall, instance: Desk) -> None:
    left_pending(hall, instance, lambda mortal: actions.take(mortal, "Bert", 80, by=BY, reason=WHY))
    instance.bank.take(999, 2, 50)
    actions.finish_pending(instance.sysop_log, instance.bank)
    assert instance.bank.balance(2) == 50
    assert instance.sysop_log.pending() == []
    assert actions.sysop_actions(instance, "Bert") == []


def test_a_start_finishes_what_was_left(tmp_path: Path, config: Config) -> None:
    with Hall(tmp_path / "data", config) as hall:
        instance = Desk(hall)
        left_pending(hall, instance, lambda mortal: actions.grant(mortal, "Bert", 50, by=BY, reason=WHY))
        instance.bank.close()
        instance.accounts.close()
    with Hall(tmp_path / "data", config) as hall:
        assert hall.balances(2) == [150]


def test_cash_from_outside_reaches_the_table_in_mid_game(hall: Hall, instance: Desk) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    actions.take(instance, "Bert", 75, by=BY, reason=WHY)
    assert bert("fund") == "ok"
    seat = hall.table.seats[1]
    assert seat is not None
    assert seat.cash == 15
    assert anna("bet", 10) == "ok"
    assert bert("bet", 90) != "ok"
    assert bert("fund") == "ok"
    assert instance.bank.audit() == []
