"""Sessions of two hosts that are one casino, with a real database: who sees whom, who may log in, who hears what."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Barrier, Thread

import msgspec
import pytest

from tests.ipc.processes import forked
from tests.isolation import sysops as actions
from tests.isolation.both_hosts import Casino, Host, casino
from tests.postgres import Server
from tests.waiting import wait_until
from yawc_poker.casino.instance.everybody import ask_to_end, claim_user, kill
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation import procedure
from yawc_poker.casino.presence.directory import PlaceKind, SessionInfo
from yawc_poker.casino.presence.entrances import Entrance
from yawc_poker.casino.presence.onlookers import Onlookers
from yawc_poker.casino.presence.own_record import EndReason
from yawc_poker.casino.snapshot import Snapshot, Visitor, overview, visitors
from yawc_poker.casino.store.connection import Connection
from yawc_poker.extras.cluster import messages, sessions
from yawc_poker.extras.cluster.messages import Acted, LookAgain, Posted
from yawc_poker.extras.cluster.sessions import Listed
from yawc_poker.ipc import process
from yawc_poker.ipc.broadcast import Command, Kind
from yawc_poker.session.house.house_player import enter_name
from yawc_poker.sysop.status import caller_lines

ANNA, BERT = 1, 2
BY, WHY = "Root (uid 0)", "blocked the table"


@pytest.fixture
def both(tmp_path: Path, database: str) -> Iterator[Casino]:
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # all sessions are this process, and wake it
    with casino(tmp_path, database) as both:
        for name in ("Anna", "Bert"):
            user = both.north.courier.accounts.enrol(name, "no hash", "en")
            both.north.courier.bank.welcome(user.id, 100)
        both.run()
        both.pass_on()
        yield both
    signal.signal(signal.SIGUSR1, before)


def heard(instance: Instance) -> list[Command]:
    """Return what a session has to read."""
    return list(instance.notifier.read().commands)


def coming(host: Host) -> Callable[[Callable[[str], None]], None]:
    """Return what a process does that logs Anna in, and reads nothing."""

    def come(say: Callable[[str], None]) -> None:
        host.log_in(ANNA, "Anna")
        say("in")
        while True:
            signal.pause()

    return come


def person(host: Host, user: int) -> SessionInfo:
    found = host.courier.directory.of_user(user)
    assert found is not None
    return found


# --- who sees whom ----------------------------------------------------------------------------------------------------


def test_everybody_is_in_the_directory_of_both_hosts(both: Casino) -> None:
    anna, bert = both.north.log_in(ANNA, "Anna"), both.south.log_in(BERT, "Bert", "192.0.2.2")
    both.look()
    assert both.north.seen() == {"Anna": "", "Bert": "south"}
    assert both.south.seen() == {"Anna": "north", "Bert": ""}
    far, near = person(both.south, ANNA), person(both.north, ANNA)
    assert (far.index, far.token, far.peer, far.door) == (near.index, near.token, near.peer, near.door)
    assert abs(far.login_time - time.time()) < 5
    assert far.idle < 5
    anna.own.stand_at(PlaceKind.TABLE, 1, 2)
    bert.own.touch(time.monotonic() + 0.5)
    both.look()
    assert person(both.south, ANNA).place == person(both.north, ANNA).place
    anna.leave()
    assert both.south.seen() == {"Anna": "north", "Bert": ""}
    both.look()
    assert both.south.seen() == {"Bert": ""}
    assert bert.other_hosts.users(bert) == {BERT}


def test_only_what_has_changed_is_written(both: Casino, postgres: Server, database: str) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    assert both.north.write()
    assert not both.north.write()
    anna.own.touch(time.monotonic() + 10)
    assert not both.north.write(1.0), "a key is no news"
    anna.own.touch(time.monotonic() + 40)
    assert not both.north.write(1.0), "only a tick looks at it"
    assert both.north.write(2.0)
    assert anna.own.call_from("192.0.2.99")
    assert both.north.write(3.0)
    anna.own.count_waiting(2)
    assert both.north.write()
    name = database.rpartition("/")[2].partition("?")[0]
    assert postgres.asks(name, "SELECT waiting FROM cluster.session") == [(2,)]
    both.north.renew()
    assert both.north.write(), "a new courier knows nothing of what was written"
    assert not both.north.write()


def test_who_looks_on_at_one_host_is_named_at_the_other(both: Casino) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    beside = Onlookers(both.south.segment, 0)
    Onlookers(both.north.segment, 0).come(anna.own)
    both.look()
    assert beside.state != 0
    assert beside.names() == ("Anna",)
    anna.leave()
    both.look()
    assert (beside.state, beside.names()) == (0, ())


def test_the_row_of_a_session_that_was_killed_goes_with_its_record(both: Casino) -> None:
    with forked(coming(both.north)) as child:
        child.hear()
        both.look()
        assert both.south.seen() == {"Anna": "north"}
        child.kill()
        both.north.courier.maintain_all()
        both.look()
        assert both.south.seen() == {}
        assert both.south.courier.other_hosts.users(both.south.courier) == set()


def test_a_row_that_no_courier_has_seen_is_deleted_when_its_session_is_gone(both: Casino) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    anna.own.give_back()
    assert anna.other_hosts.users(anna) == {ANNA}
    both.look()
    assert both.south.courier.other_hosts.users(both.south.courier) == set()


def test_a_row_that_was_lost_comes_back(both: Casino) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    with anna.accounts.store.writing() as users:
        sessions.forget(users, [anna.own.token])
    both.look()
    assert both.south.seen() == {}, "it may be about to leave"
    both.look()
    assert both.south.seen() == {"Anna": "north"}


def test_guests_and_house_players_are_everywhere_under_names_of_their_own(both: Casino) -> None:
    names = set()
    for host in both.hosts:
        for _ in range(2):
            house = host.enter("house", Entrance.HOUSE)
            found = enter_name(house, "normal")
            assert found is not None
            names.add(found)
        guest = host.enter()
        guest.directory.claim_guest(guest.notifier.index, lambda taken: f"Guest {len(taken)}")
        both.look()
    assert len(names) == 4
    assert set(both.south.seen()) == set(both.north.seen()) == {name for _, name in names} | {"Guest 2", "Guest 5"}


def test_sysops_see_the_hosts_and_only_this_one_is_measured(both: Casino) -> None:
    both.north.log_in(ANNA, "Anna")
    both.south.log_in(BERT, "Bert")
    both.look()
    north = both.north.courier
    seen = Snapshot.of(north.segment)
    found = visitors(seen, north.config)
    assert [(one.name, one.host, one.is_remote, one.alive) for one in found] == [
        ("Anna", "north", False, True),
        ("Bert", "south", True, True),
    ]
    head, anna, bert = caller_lines(found, 120)
    assert head.split()[:3] == ["NAME", "HOST", "WHERE"]
    assert (anna.split()[:3], bert.split()[:3]) == (["Anna", "north", "prompt"], ["Bert", "south", "prompt"])
    assert bert.split()[-1] == "-"
    whole = overview(seen, north.config)
    assert (whole.callers, whole.arriving, whole.memory.measured) == (1, 0, 1)
    assert msgspec.json.decode(msgspec.json.encode(found[1]), type=Visitor) == found[1]
    alone = msgspec.structs.replace(found[0], host=msgspec.UNSET)
    assert b"host" not in msgspec.json.encode(alone)
    assert "HOST" not in caller_lines([alone], 120)[0]


# --- one session for each user ----------------------------------------------------------------------------------------


def test_a_user_who_calls_another_host_takes_over_there(both: Casino) -> None:
    anna = both.north.log_in(ANNA, "Anna", "192.0.2.7")
    anna.own.stand_at(PlaceKind.TABLE, 1, 0)
    both.look()
    again = both.south.enter()
    older = claim_user(again, ANNA, "Anna")
    assert older is not None
    assert (older.token, older.host, older.is_remote, older.peer) == (anna.own.token, "north", True, "192.0.2.7")
    assert (older.at_table, older.place.table) == (True, 1)
    ask_to_end(again, [older], EndReason.REPLACED)
    both.pass_on()
    mine = anna.own.live()
    assert mine is not None
    assert mine.end_reason == EndReason.REPLACED
    assert [command.kind for command in heard(anna)] == [Kind.END]
    assert claim_user(again, ANNA, "Anna") is not None
    anna.leave()
    assert claim_user(again, ANNA, "Anna") is None
    assert claim_user(again, ANNA, "Anna") is None, "a commit that got no answer is tried again"
    assert both.south.seen() == {"Anna": ""}
    both.look()
    assert both.north.seen() == {"Anna": "south"}


def test_before_the_other_host_is_known_to_have_one_it_is_found(both: Casino) -> None:
    """No courier has looked since the older session logged in."""
    anna = both.north.log_in(ANNA, "Anna")
    again = both.south.enter()
    older = claim_user(again, ANNA, "Anna")
    assert older is not None
    assert both.south.seen() == {}
    ask_to_end(again, [older], EndReason.REPLACED)
    both.pass_on()
    mine = anna.own.live()
    assert mine is not None
    assert mine.end_reason == EndReason.REPLACED


def test_of_two_who_log_in_at_once_on_two_hosts_one_is_in(both: Casino) -> None:
    for _ in range(5):
        callers = [host.enter() for host in both.hosts]
        together = Barrier(2)
        found: dict[int, bool] = {}

        def log_in(caller: Instance, together: Barrier = together, found: dict[int, bool] = found) -> None:
            together.wait()
            found[caller.notifier.index] = claim_user(caller, ANNA, "Anna") is None

        threads = [Thread(target=log_in, args=(caller,)) for caller in callers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(found.values()) == [False, True]
        for caller in callers:
            caller.leave()


def test_a_session_that_does_not_end_is_killed_by_its_host(both: Casino) -> None:
    with forked(coming(both.north)) as child:
        child.hear()
        again = both.south.enter()
        older = claim_user(again, ANNA, "Anna")
        assert older is not None
        kill(again, older, EndReason.REPLACED)
        both.pass_on()
        wait_until(lambda: process.find(child.pid) is None, "its death")
        both.north.courier.maintain_all()
        both.look()
        assert claim_user(again, ANNA, "Anna") is None
        child.kill()


def test_a_dead_session_of_the_same_host_is_in_nobodys_way(both: Casino) -> None:
    with forked(coming(both.north)) as child:
        child.hear()
        again = both.north.enter()
        older = claim_user(again, ANNA, "Anna")
        assert older is not None
        assert not older.is_remote
        child.kill()
        assert claim_user(again, ANNA, "Anna") is None
        assert again.other_hosts.users(again) == {ANNA}


def test_sessions_of_a_host_whose_lease_was_taken_away_are_in_nobodys_way(
    both: Casino, postgres: Server, database: str
) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    both.look()
    again = both.south.enter()
    name = database.rpartition("/")[2].partition("?")[0]
    postgres.asks(name, "UPDATE cluster.host SET until = now() - interval '1 hour' WHERE number = 0")
    older = claim_user(again, ANNA, "Anna")
    assert older is not None, "it may come back"
    assert older.token == anna.own.token
    postgres.asks(name, "UPDATE cluster.host SET epoch = epoch + 1, until = '-infinity' WHERE number = 0")
    assert claim_user(again, ANNA, "Anna") is None
    both.south.here.note_lease(0, 2, False)
    both.south.neighbours.forget(0)
    both.south.write()
    both.south.neighbours.read()
    assert both.south.seen() == {"Anna": ""}


# --- commands ---------------------------------------------------------------------------------------------------------


def test_a_command_to_somebody_on_another_host_comes_there_once(both: Casino) -> None:
    anna, bert = both.north.log_in(ANNA, "Anna"), both.south.log_in(BERT, "Bert")
    carl = both.south.enter()
    both.look()
    anna.notifier.tell(Kind.XMESSAGE, [person(both.north, BERT).index], 1, b"payload")
    told = both.pass_on()
    assert len(told) == 1
    (command,) = heard(bert)
    assert (command.kind, command.table, command.payload) == (Kind.XMESSAGE, 1, b"payload")
    assert (command.sender, command.record) == (anna.own.token, anna.notifier.index)
    sender = bert.directory.at(command.record or 0)
    assert sender is not None
    assert sender.user == ANNA, "so an ignore list knows whom it is from"
    assert heard(carl) == []
    assert both.pass_on() == [], "what was told is not told again"
    assert heard(bert) == []


def test_what_is_for_everybody_is_heard_on_all_hosts(both: Casino) -> None:
    anna, bert = both.north.log_in(ANNA, "Anna"), both.south.log_in(BERT, "Bert")
    both.look()
    anna.notifier.tell_all(Kind.NOTICE, b"login Anna")
    both.pass_on()
    assert [(one.kind, one.payload) for one in heard(bert)] == [(Kind.NOTICE, b"login Anna")]
    assert heard(anna) == []
    assert both.pass_on() == []


def test_tables_and_deaths_are_not_for_other_hosts(both: Casino) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    both.south.log_in(BERT, "Bert")
    both.look()
    far = person(both.north, BERT).index
    for kind in (Kind.TABLE, Kind.PURGE):
        anna.notifier.tell(kind, [far], 0)
    assert both.pass_on() == []


def test_what_many_are_told_at_once_is_told_to_all(both: Casino) -> None:
    anna, bert = both.north.log_in(ANNA, "Anna"), both.south.log_in(BERT, "Bert")
    both.look()
    far = person(both.north, BERT).index
    for number in range(40):
        anna.notifier.tell(Kind.NOTICE, [far], number)
    assert [one.table for payload in both.pass_on() if isinstance(one := messages.decoded(payload), Posted)] == [
        *range(40)
    ]
    assert [one.table for one in heard(bert)] == [*range(40)]


def test_if_commands_are_lost_on_the_way_everybody_looks(both: Casino) -> None:
    anna, bert = both.north.log_in(ANNA, "Anna"), both.south.log_in(BERT, "Bert")
    both.look()
    for _ in range(both.north.segment.layout.slots + 5):
        anna.notifier.tell_all(Kind.NOTICE, b"one of many")
    told = [messages.decoded(payload) for payload in both.pass_on()]
    assert LookAgain(0) in told
    kinds = {one.kind for one in heard(bert)}
    assert {Kind.XMESSAGE, Kind.SYSOP} <= kinds
    assert both.pass_on() == []


def test_after_an_outage_both_sides_look_at_everything(both: Casino) -> None:
    anna, bert = both.north.log_in(ANNA, "Anna"), both.south.log_in(BERT, "Bert")
    both.look()
    both.north.forwarding.refresh()
    assert [one.kind for one in heard(anna)] == [Kind.XMESSAGE, Kind.SYSOP]
    both.pass_on()
    assert [one.kind for one in heard(bert)] == [Kind.XMESSAGE, Kind.SYSOP]
    assert heard(anna) == []


def test_a_message_of_another_version_or_program_does_nothing(both: Casino) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    stranger = Posted(1, 99, 1 << 63 | 60, None, None, b"", None)
    for payload in ("", "rubbish", '{"type":"colours"}', messages.encoded(stranger)):
        both.north.forwarding.incoming(payload)
    assert heard(anna) == []


# --- sysops -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def desk(both: Casino) -> Instance:
    """Where a sysop acts: on the south host."""
    return both.south.enter("control", Entrance.CONTROL)


def test_who_is_kicked_on_another_host_reads_why_and_goes(both: Casino, desk: Instance) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    both.look()

    def meanwhile(seconds: float) -> None:
        both.pass_on()
        mine = anna.own.live()
        if mine is not None and mine.end_reason:
            reasons.append(mine.end_reason)
            anna.leave()
        both.look()

    reasons: list[int] = []
    done = actions.kick(desk, "Anna", by=BY, reason=WHY, pause=meanwhile)
    assert (done.online, done.ended, done.killed) == (True, 1, 0)
    assert reasons == [EndReason.BY_SYSOP | done.action.id << 8]
    assert both.north.seen() == {}


def test_who_does_not_go_is_killed_there(both: Casino, desk: Instance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procedure, "END_SECONDS", 0.1)

    def meanwhile(seconds: float) -> None:
        both.pass_on()
        both.north.courier.maintain_all()
        both.look()

    with forked(coming(both.north)) as child:
        child.hear()
        both.look()
        done = actions.kick(desk, "Anna", by=BY, reason=WHY, pause=meanwhile)
        assert (done.online, done.ended, done.killed) == (True, 0, 1)
        assert both.south.seen() == {}
        child.kill()


def test_a_twit_holds_on_another_host_at_once(both: Casino, desk: Instance) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    both.look()
    done = actions.twit(desk, "Anna", 3600, by=BY, reason=WHY)
    assert done.online
    assert done.action.until is not None
    both.pass_on()
    assert anna.own.muted_until == math.ceil(done.action.until)
    actions.warn(desk, "Anna", by=BY, reason=WHY)
    both.pass_on()
    assert anna.own.muted_until == math.ceil(done.action.until), "what else a sysop does changes nothing of it"
    actions.twit(desk, "Anna", None, by=BY, reason=WHY)
    both.pass_on()
    assert anna.own.muted_until == math.inf
    actions.untwit(desk, "Anna", by=BY)
    both.pass_on()
    assert anna.own.muted_until == 0.0
    assert {one.kind for one in heard(anna)} == {Kind.SYSOP}


def test_a_ban_shuts_out_on_all_hosts_and_ends_sessions_there(both: Casino, desk: Instance) -> None:
    anna = both.north.log_in(ANNA, "Anna", "198.51.100.9")
    both.look()
    before = both.north.courier.latest_sysop_action

    def meanwhile(seconds: float) -> None:
        both.pass_on()
        mine = anna.own.live()
        if mine is not None and mine.end_reason:
            anna.leave()
        both.look()

    done = actions.ban(desk, "198.51.100.0/24", 3600, by=BY, reason=WHY, pause=meanwhile)
    assert done.ended == 1
    both.pass_on()
    assert both.north.courier.latest_sysop_action == done.action.id > before
    assert "198.51.100.0/24" in (both.north.data / "banned.json").read_text()
    lifted = actions.unban(desk, "198.51.100.0/24", by=BY)
    told = [messages.decoded(payload) for payload in both.pass_on()]
    assert Acted(1, lifted.action.id) in told
    assert "198.51.100.0/24" not in (both.north.data / "banned.json").read_text()
    assert both.pass_on() == []


def test_what_a_sysop_says_is_heard_everywhere(both: Casino, desk: Instance) -> None:
    anna, bert = both.north.log_in(ANNA, "Anna"), both.south.log_in(BERT, "Bert")
    both.look()
    actions.say(desk, "We close in ten minutes.", by=BY)
    both.pass_on()
    assert [one.kind for one in heard(anna)] == [one.kind for one in heard(bert)] == [Kind.SYSOP]


# --- changes only -----------------------------------------------------------------------------------------------------


def test_only_what_has_changed_is_read(both: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    """The courier asks for the rows of a host that has news, and of these for the new ones."""
    asked: list[tuple[int, int]] = []
    of_host = sessions.of_host

    def counted(users: Connection, host: int, after: int = 0) -> list[Listed]:
        listed = of_host(users, host, after)
        asked.append((host, len(listed)))
        return listed

    for user in range(10, 15):
        both.north.log_in(user, f"User {user}")
    both.look()
    monkeypatch.setattr(sessions, "of_host", counted)
    both.look()
    assert asked == []
    anna = both.north.log_in(ANNA, "Anna")
    both.look()
    assert asked == [(0, 1)]
    anna.leave()
    both.look()
    assert asked == [(0, 1), (0, 0)]
    assert both.south.seen() == {f"User {user}": "north" for user in range(10, 15)}
    both.south.renew()
    both.look()
    assert asked[-1] == (0, 5), "a new courier knows nothing of what was shown"
    both.north.renew()
    both.look()
    assert asked[-1] == (0, 5), "nor does anybody know what a courier has missed that died"


def test_who_left_while_no_courier_looked_is_not_shown_for_ever(both: Casino) -> None:
    anna = both.north.log_in(ANNA, "Anna")
    both.look()
    assert both.south.seen() == {"Anna": "north"}
    anna.leave()
    both.north.renew()
    both.look()
    assert both.south.seen() == {}


def test_who_reads_seldom_reads_all(both: Casino, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "KEPT_CHANGES", 2)
    anna = both.north.log_in(ANNA, "Anna")
    both.look()
    anna.leave()
    both.north.write()
    bert = both.north.log_in(BERT, "Bert")
    for waiting in range(1, 5):
        bert.own.count_waiting(waiting)
        assert both.north.write()
    both.south.neighbours.read()
    assert both.south.seen() == {"Bert": "north"}
