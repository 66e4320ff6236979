"""Tables whose values live in rows that two hosts share: one game on both, and what is left when something dies."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest

from tests.isolation.processes import exit_code, fork
from tests.isolation.two_hosts import LEASE, POKER, SKEW, TURN, Cluster, Person, cluster_of, open_books
from tests.postgres import Server
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import EVERYTHING
from yawc_poker.casino.bank.verify import verify
from yawc_poker.casino.store.connection import Fenced, StoreError
from yawc_poker.engine.events import Voided
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import moved
from yawc_poker.extras.cluster import table_rows
from yawc_poker.extras.cluster.table_rows import commits
from yawc_poker.games.poker.game import RULES
from yawc_poker.games.poker.model import Bet, Show, State, Swap
from yawc_poker.games.poker.progress import SWAP_ROUND
from yawc_poker.ipc import process
from yawc_poker.ipc.cell import Cell, Header
from yawc_poker.ipc.semaphore import LockTimeout
from yawc_poker.session.table.sitting import trouble

MOVES = 60
TRIAL = 0.5
"""Seconds for which a transaction stays open that others wait for."""


@pytest.fixture
def cluster(database: str) -> Iterator[Cluster]:
    with cluster_of(database) as cluster:
        yield cluster
        cluster.pot()


def newest(cluster: Cluster) -> Person:
    """Return somebody on the host that is not behind."""
    return max(cluster.people, key=lambda person: person.host.commit)


def mover(cluster: Cluster, at: Person) -> Person:
    """Return who is on turn by what one of them sees."""
    value = at.table.look()
    assert isinstance(value.game, State)
    assert value.game.current is not None
    who = value.seats[value.game.current]
    return next(one for one in cluster.people if who is not None and one.token == who.session)


def play_out(cluster: Cluster, *, courier: bool = True) -> None:
    """Play until there is no game, and show that it is proven; without `courier` no host hears of the other."""
    for _ in range(MOVES):
        if courier:
            cluster.take_over()
        at = newest(cluster)
        game = at.table.look().game
        if game is None:
            break
        assert isinstance(game, State)
        person = mover(cluster, at)
        if game.phase == "bet":
            person.play(Bet(max(game.low, 1), see=game.round > SWAP_ROUND))
        else:
            person.play(Swap((0,)) if game.phase == "swap" else Show())
    assert cluster.pot() == 0
    assert newest(cluster).table.look().game is None
    assert newest(cluster).table.look().override == 0
    bank = Bank(open_books(cluster.url))
    played = bank.game(bank.games(EVERYTHING)[0].number)
    bank.close()
    assert played is not None
    assert (played.game.outcome, verify(played, RULES).verdict) == ("won", "proven")


def agree(cluster: Cluster) -> None:
    """Show that all hosts have what the row has, each by its own clock."""
    cluster.take_over()
    first, *others = cluster.hosts
    for other in others:
        assert (first.commit, other.commit) == (cluster.version, cluster.version)
        ours, theirs = first.value, moved(other.value, -SKEW * other.number)
        assert abs((ours.deadline or 0.0) - (theirs.deadline or 0.0)) < 0.001
        assert ours.transcript is None or ours.transcript.began > 0
        assert (ours.seats, ours.game, ours.log, ours.number) == (theirs.seats, theirs.game, theirs.log, theirs.number)


def patiently(work: Callable[[], object]) -> None:
    """Repeat what the database could not do now, as a session does at its next tick."""
    for _ in range(20):
        with suppress(StoreError):
            work()
            return
    raise AssertionError("never to be had")


def refused(ask: Callable[[], object]) -> str:
    with pytest.raises(IllegalMove) as refusal:
        ask()
    return refusal.value.reason


# --- a game -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("courier", [True, False])
def test_one_game_on_two_hosts(cluster: Cluster, *, courier: bool) -> None:
    anna, bert, _ = cluster.seat("Anna", "Bert", "Carl")
    if courier:
        agree(cluster)
    cluster.start(anna)
    if courier:
        agree(cluster)
        assert bert.table.look().deadline == pytest.approx(bert.host.clock() + TURN, abs=5)
    assert cluster.pot() == 30
    play_out(cluster, courier=courier)
    agree(cluster)
    master = anna.table.look().master
    assert master is not None
    cluster.start(cluster.people[master])
    play_out(cluster, courier=courier)


def test_a_cell_has_the_number_of_its_row_and_is_taken_over_once(cluster: Cluster) -> None:
    anna, bert, carl = cluster.seat("Anna", "Bert", "Carl")
    agree(cluster)
    carl.notifier.told.clear()
    bert.notifier.told.clear()
    before = cluster.version
    anna.table.say("one")
    anna.table.say("two")  # the other host's number is then of the same parity
    assert (anna.host.commit, cluster.version, bert.host.commit) == (before + 2, before + 2, before)
    assert anna.notifier.told[-1] == ("chat", [carl.index])
    assert bert.table.take_over()
    assert not bert.table.take_over()
    assert bert.host.commit == before + 2
    assert bert.table.look().logged == anna.table.look().logged
    assert bert.notifier.told == [("row", [])]


def test_a_transaction_that_finds_news_wakes_those_of_its_own_host(cluster: Cluster) -> None:
    anna, bert, carl = cluster.seat("Anna", "Bert", "Carl")
    agree(cluster)
    bert.table.say("news")
    anna.notifier.told.clear()
    assert refused(lambda: anna.play(Show())) == "no_game"
    assert anna.notifier.told == [("row", [carl.index])]
    assert anna.host.commit == cluster.version


def test_a_row_that_was_read_before_a_commit_is_not_put_back(cluster: Cluster) -> None:
    anna, _ = cluster.seat("Anna", "Bert")
    store = open_books(cluster.url)
    with store.reading() as rows:
        old = table_rows.values(rows, [POKER])[POKER]
        assert table_rows.versions(rows)[POKER] == old[0]
    store.close()
    anna.table.say("newer")
    assert not anna.table.take_over(old)
    assert anna.host.commit == cluster.version == commits(old[0]) + 1


def test_the_courier_is_woken_after_each_commit(cluster: Cluster) -> None:
    anna, _ = cluster.seat("Anna", "Bert")
    woken: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: woken.append(number))
    try:
        anna.host.here.courier = process.me()
        anna.table.say("something")
        assert len(woken) == 1
        anna.table.take_over()
        assert refused(lambda: anna.play(Show())) == "no_game"
        assert len(woken) == 1
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_many_processes_of_two_hosts_lose_nothing_of_each_other(cluster: Cluster) -> None:
    people = cluster.seat("Anna", "Bert", "Carl", "Dora")
    agree(cluster)
    before, logged, lines = cluster.version, people[0].table.look().logged, 25

    def talk(person: Person) -> None:
        for number in range(lines):
            person.table.say(str(number))

    children = [fork(partial(talk, person)) for person in people]
    assert [exit_code(child) for child in children] == [0] * len(people)
    agree(cluster)
    assert cluster.version == before + lines * len(people)
    assert people[0].table.look().logged == logged + lines * len(people)


# --- refused, and overdue ---------------------------------------------------------------------------------------------


def test_a_refused_step_keeps_what_was_due_before_it(cluster: Cluster) -> None:
    anna, bert, _ = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    assert mover(cluster, anna) is anna
    cluster.passed += TURN + 30
    assert refused(bert.table.start) == "game_running"
    assert mover(cluster, bert) is not anna
    assert bert.host.commit == cluster.version == anna.host.commit + 1
    assert anna.table.take_over()
    assert mover(cluster, anna) is not anna
    play_out(cluster)


def test_who_leaves_leaves_the_stake_and_the_others_go_on(cluster: Cluster) -> None:
    anna, bert, carl, _ = cluster.seat("Anna", "Bert", "Carl", "Dora")
    cluster.start(anna)
    carl.table.leave()
    cluster.people.remove(carl)
    assert cluster.pot() == 40
    play_out(cluster, courier=False)
    agree(cluster)
    bert.table.leave()
    assert sum(who is not None for who in bert.table.sitting()) == 2


def test_after_an_outage_everybody_has_time_to_act(cluster: Cluster) -> None:
    anna, bert, _ = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    version = cluster.version
    cluster.passed += 600
    for host in cluster.hosts:
        host.here.back_since = host.clock()
    for person in (anna, bert):
        person.table.maintain()
    assert cluster.version == version
    anna.play(Bet(5))
    assert cluster.pot() == 35
    bert.table.take_over()
    assert mover(cluster, bert) is bert
    cluster.passed += LEASE + TURN + 30
    bert.table.maintain()
    assert mover(cluster, bert) is not bert


# --- killed -----------------------------------------------------------------------------------------------------------


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before_commit() -> None:
    """Die once the row has its next value, before the COMMIT."""
    from yawc_poker.extras.cluster.server.postgres import Transaction

    pytest.MonkeyPatch().setattr(Transaction, "_commit", lambda self: die())


def after_commit() -> None:
    """Die after the COMMIT, before the cell is changed."""
    pytest.MonkeyPatch().setattr(Cell, "take", lambda self, number, header, value: die())


def inside_cell() -> None:
    """Die when the half that is not live is written, and the number is not."""
    commit = Cell._commit

    def half(self: Cell, number: int, header: Header, value: bytes) -> int:
        at = self._start(number)
        self.memory[at : at + 512] = b"\xa5" * 512
        die()
        return commit(self, number, header, value)

    pytest.MonkeyPatch().setattr(Cell, "_commit", half)


def after_part() -> None:
    """Die after the first of the bank's parts, before its end is known."""
    from yawc_poker.extras.cluster.server.postgres import JointStatements, JointTransaction

    part = JointTransaction.part

    @contextmanager
    def doomed(self: JointTransaction, for_update: str) -> Iterator[JointStatements]:
        with part(self, for_update) as books:
            yield books
            die()

    pytest.MonkeyPatch().setattr(JointTransaction, "part", doomed)


@pytest.mark.parametrize("kill", [after_part, before_commit, after_commit, inside_cell])
@pytest.mark.parametrize("behind", [0, 1])
def test_killed_in_the_middle_of_a_bet(cluster: Cluster, kill: Callable[[], None], behind: int) -> None:
    """All of it has happened, or nothing; with `behind` commits of the other host that this one has not seen."""
    anna, bert, _ = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    for _ in range(behind):
        bert.table.say("unseen")
    version = cluster.version

    def doomed() -> None:
        kill()
        anna.play(Bet(5))

    assert exit_code(fork(doomed)) == -signal.SIGKILL
    done = kill in {after_commit, inside_cell}
    assert cluster.version == version + done
    assert cluster.pot() == 30 + 5 * done
    assert not anna.host.segment.cells[POKER].lock.is_held
    assert anna.host.value.game is not None, "whoever reads the cell finds a whole value"
    assert anna.table.take_over() == (done or bool(behind))
    agree(cluster)
    assert (mover(cluster, anna) is anna) == (not done)
    assert anna.host.value.pot == cluster.pot()
    play_out(cluster)
    agree(cluster)


@pytest.mark.parametrize("kill", [before_commit, after_commit])
def test_killed_when_a_game_is_decided(cluster: Cluster, kill: Callable[[], None]) -> None:
    """Its end is one transaction: no override, no pot that waits."""
    anna, bert = cluster.seat("Anna", "Bert")
    cluster.start(anna)
    agree(cluster)

    def doomed() -> None:
        kill()
        bert.table.leave()

    assert exit_code(fork(doomed)) == -signal.SIGKILL
    done = kill is after_commit
    assert cluster.pot() == (0 if done else 20)
    agree(cluster)
    assert (anna.table.look().game is None, anna.table.look().override) == (done, 0)
    if not done:
        play_out(cluster)


# --- a server that goes away ------------------------------------------------------------------------------------------


def test_a_server_that_dies_before_the_commit_has_done_nothing(
    cluster: Cluster, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from yawc_poker.extras.cluster.server.postgres import Transaction

    anna, bert, carl = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    version, commit = cluster.version, Transaction._commit

    def fail(self: Transaction) -> None:
        monkeypatch.undo()
        postgres.kill()
        commit(self)

    monkeypatch.setattr(Transaction, "_commit", fail)
    with pytest.raises(StoreError) as told:
        anna.play(Bet(5))
    assert told.value.maybe_done, "nobody could look"
    assert told.value.is_whole
    assert "In a moment the table shows" in trouble(told.value)
    for person in (anna, bert, carl):
        with pytest.raises(StoreError):
            person.table.say("is anybody there?")
        person.table.maintain()
        assert person.table.look().game is not None
    postgres.start()
    patiently(lambda: cluster.take_over())
    assert (cluster.version, cluster.pot()) == (version, 30)
    assert mover(cluster, anna) is anna
    play_out(cluster)


def test_a_server_that_dies_at_any_point_of_a_bet_has_done_all_of_it_or_nothing(
    cluster: Cluster, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is killed before one message of the bet or another, and at last after the COMMIT, whose answer is lost."""
    import psycopg  # not everybody has it

    from yawc_poker.extras.cluster.server.link import Answer, Link, Sent

    anna, bert, _ = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    send, sent, doomed = Link.send, list[bytes](), 0

    def counted(self: Link, *statements: Sent) -> "list[Answer]":
        sent.append(statements[-1][0])
        if len(sent) - 1 == doomed:
            postgres.kill()
        found = send(self, *statements)
        if sent[-1] == b"COMMIT" and doomed < 0:
            postgres.kill()
            raise psycopg.OperationalError("no answer")
        return found

    for doomed in (0, 1, 2, -1):  # BEGIN, the look, all that is written with COMMIT, after that
        patiently(lambda: anna.bank.balance(1))  # connected
        sent.clear()
        version = cluster.version
        monkeypatch.setattr(Link, "send", counted)
        with pytest.raises(StoreError) as told:
            anna.play(Bet(5))
        monkeypatch.undo()
        postgres.start()
        patiently(lambda: cluster.version)
        assert told.value.maybe_done == (sent[-1] == b"COMMIT"), sent
        assert cluster.version == version + (doomed < 0)
        assert cluster.pot() == 30 + 5 * (doomed < 0)
        assert bert.host.commit == version
    assert sent[-1] == b"COMMIT"
    assert anna.table.take_over()
    agree(cluster)
    assert mover(cluster, anna) is bert
    play_out(cluster)


@pytest.mark.parametrize("done", [True, False])
def test_a_commit_without_an_answer_is_looked_for(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, *, done: bool
) -> None:
    from yawc_poker.extras.cluster.server.postgres import Transaction

    anna, bert, _ = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    version, commit = cluster.version, Transaction._commit

    def lose(self: Transaction) -> None:
        monkeypatch.undo()
        if done:
            commit(self)
            assert exit_code(fork(lambda: bert.table.say("the next commit"))) == 0
        self._store.close()
        lost = StoreError("no answer")
        lost.maybe_done = True
        raise lost

    monkeypatch.setattr(Transaction, "_commit", lose)
    if done:
        anna.play(Bet(5))
    else:
        with pytest.raises(StoreError, match="no answer") as told:
            anna.play(Bet(5))
        assert not told.value.maybe_done
    assert cluster.pot() == 30 + 5 * done
    assert cluster.version == version + 2 * done
    agree(cluster)
    assert anna.table.look().pot == cluster.pot()
    play_out(cluster)


def test_words_and_leaving_wait_for_a_database_that_is_gone(
    cluster: Cluster, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bert = cluster.seat("Anna", "Bert")
    cluster.start(anna)
    bert.table.leave()
    anna.table.take_over()
    assert anna.table.word.is_owed, "a game has just ended"
    postgres.kill()
    for _ in range(2):
        anna.table.tend()
    with pytest.raises(StoreError):
        anna.table.leave()
    assert any(anna.table.sitting()), "the seat stays"
    postgres.start()
    patiently(lambda: cluster.version)
    version = cluster.version
    anna.table.tend()
    assert cluster.version == version, "not so soon"
    monkeypatch.setattr(anna.table.word, "_not_before", 0.0)
    anna.table.tend()
    assert cluster.version == version + 1
    patiently(anna.table.leave)
    assert not any(anna.table.sitting())


# --- damaged ----------------------------------------------------------------------------------------------------------


def test_a_damaged_cell_is_read_anew_from_its_row(cluster: Cluster, postgres: Server) -> None:
    anna, bert, carl = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    value, strangers = anna.table.look(), [host.person(9, "Somebody") for host in cluster.hosts]
    anna.host.spoil()
    bert.host.spoil()
    carl.table.maintain()  # finds a header that cannot be read
    assert anna.host.value.game == value.game
    assert strangers[1].table.look().game == value.game
    agree(cluster)
    anna.host.spoil()
    anna.table.say("is it still there?")
    assert not any(isinstance(entry.event, Voided) for entry in anna.table.look().log)
    assert cluster.pot() == 30
    anna.host.spoil()
    postgres.kill()
    with pytest.raises(LockTimeout):
        strangers[0].table.look()
    postgres.start()
    patiently(lambda: cluster.version)
    assert strangers[0].table.look().game == value.game
    play_out(cluster)


def test_a_row_that_this_program_cannot_read_is_left_alone(cluster: Cluster) -> None:
    anna, bert = cluster.seat("Anna", "Bert")
    cluster.asks(f"UPDATE place SET version = version + 1048576, value = 'rubbish' WHERE number = {POKER}")
    version = cluster.version
    asks: list[Callable[[], object]] = [lambda: anna.table.say("hello"), anna.table.take_over, anna.table.start]
    for ask in asks:
        with pytest.raises(StoreError, match="its row cannot be read"):
            ask()
    anna.table.maintain()
    assert (cluster.version, len(bert.table.sitting())) == (version, RULES.SEATS)
    assert any("cannot be made" in line for line in anna.bank.audit()), "nobody can compare the pots"
    cluster.asks(f"UPDATE place SET value = '' WHERE number = {POKER}")


def test_a_table_without_a_row_gets_one_and_a_cleared_one_is_empty(cluster: Cluster) -> None:
    cluster.asks(f"DELETE FROM place WHERE number = {POKER}")
    anna, bert = cluster.seat("Anna", "Bert")
    agree(cluster)
    store = open_books(cluster.url)
    with store.writing() as rows:
        table_rows.clear(rows)
        found = table_rows.values(rows, [POKER, 1])
        assert (commits(found[POKER][0]), found[POKER][1], found[1]) == (cluster.version + 1, b"", (0, b""))
    store.close()
    assert cluster.take_over() == [True, True]
    assert not any(bert.table.sitting())
    agree(cluster)
    bert.sit()
    agree(cluster)
    assert [who is not None for who in anna.table.sitting()].count(True) == 1


# --- fenced -----------------------------------------------------------------------------------------------------------


def test_a_host_whose_lease_was_taken_away_changes_nothing(cluster: Cluster) -> None:
    anna, bert, carl = cluster.seat("Anna", "Bert", "Carl")
    cluster.start(anna)
    agree(cluster)
    version = cluster.version
    cluster.fence(0)
    asks: list[Callable[[], object]] = [
        lambda: anna.play(Bet(5)),
        lambda: carl.table.say("hello"),
        anna.table.leave,
        lambda: anna.bank.grant(1, 1, 5),
        lambda: anna.bank.bet(1, 9, 1, 5),
    ]
    for ask in asks:
        with pytest.raises(Fenced):
            ask()
    anna.table.maintain()
    assert (cluster.version, cluster.pot(), anna.bank.balance(1)) == (version, 30, 990)
    bert.table.say("we are still here")
    assert anna.table.take_over(), "it still reads"


def test_nothing_is_played_before_what_nobody_plays_is_settled(cluster: Cluster) -> None:
    anna, bert, _ = cluster.seat("Anna", "Bert", "Carl")
    here = anna.host.here
    version, here.fenced = cluster.version, here.epoch
    with pytest.raises(Fenced):
        cluster.start(anna)
    anna.table.maintain()
    assert (cluster.version, cluster.pot()) == (version, 0)
    here.fenced = 0
    cluster.start(anna)
    agree(cluster)
    assert cluster.pot() == 30
    assert bert.table.look().game is not None


def test_taking_a_lease_away_waits_for_what_is_under_way(cluster: Cluster) -> None:
    """And renewing it waits for nobody, nor does anybody for that."""
    (anna,) = cluster.seat("Anna")
    store = open_books(cluster.url, 0)

    def take_away() -> None:
        cluster.fence(0)
        assert time.monotonic() - began >= TRIAL

    with store.writing() as books:
        books.execute("UPDATE account SET balance = balance")
        cluster.asks("UPDATE host SET until = clock_timestamp() WHERE number = 0")
        anna.table.say("nobody waits for a renewal")
        began = time.monotonic()
        child = fork(take_away)  # from then on nobody of this epoch begins anything
        time.sleep(TRIAL)  # the duration of the trial, not a synchronisation
    assert exit_code(child) == 0
    with pytest.raises(Fenced), store.writing():
        pass
    with store.reading() as books:
        assert books.execute("SELECT count(*) FROM account").fetchone() is not None
    store.close()


def test_where_there_is_one_host_nothing_is_shared(cluster: Cluster) -> None:
    host = cluster.hosts[0]
    host.segment.head.user[5] = 0
    person = host.person(1, "Anna")
    assert not host.here.is_clustered
    person.sit()
    assert not person.table.take_over()
    assert (cluster.version, host.segment.cells[POKER].number) == (0, 2), "the seat, and the word"
    assert host.value.seats[0] is not None
