"""Friends, challenges and private tables in the users' database."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.isolation.sessions import Hall
from tests.isolation.stores import in_file
from tests.isolation.test_others import Pair
from yawc_poker.casino.meeting.ignored import IgnoreLists
from yawc_poker.casino.meeting.meeting import forget
from yawc_poker.casino.store.connection import Store
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.extras.friends import rows
from yawc_poker.extras.friends.notices import CAME, MEET
from yawc_poker.session.caller.others import MOST_REMEMBERED, QUIET_SECONDS

ANNA, BERT, CARL = 1, 2, 3


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Accounts(in_file(tmp_path / "users.sqlite"))) as accounts:
        for name in ("Anna", "Bert", "Carl"):
            accounts.enrol(name, "hash", "en")
        yield accounts.store


def test_a_friend_is_listed_once_and_waited_for_unless_they_ignore_whoever_waits(store: Store) -> None:
    for whom in (CARL, BERT, BERT):
        rows.befriend(store, ANNA, whom)
    assert rows.friends_of(store, ANNA) == {BERT: "Bert", CARL: "Carl"}
    assert rows.friends_of(store, BERT) == {}, "it is Anna's list alone"
    assert rows.who_waits_for(store, BERT) == [ANNA]
    IgnoreLists(store).add(BERT, ANNA)
    assert rows.who_waits_for(store, BERT) == []
    rows.unfriend(store, ANNA, BERT)
    assert rows.friends_of(store, ANNA) == {CARL: "Carl"}


def test_there_are_only_so_many_friends(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_FRIENDS", 1)
    rows.befriend(store, ANNA, BERT)
    rows.befriend(store, ANNA, BERT)
    with pytest.raises(rows.TooMany):
        rows.befriend(store, ANNA, CARL)


def test_a_challenge_waits_for_both_once_a_pair(store: Store) -> None:
    assert rows.challenge(store, ANNA, BERT, "poker")
    assert rows.challenge(store, ANNA, BERT, "maumau")
    (found,) = rows.challenges_of(store, BERT)
    assert (found.name, found.whom_name, found.kind) == ("Anna", "Bert", "maumau")
    assert rows.challenges_of(store, ANNA) == [found]
    assert rows.challenges_of(store, CARL) == []
    rows.take_back(store, found)
    assert rows.challenges_of(store, BERT) == []


def test_a_challenge_of_somebody_ignored_stands_on_their_own_list_only(store: Store) -> None:
    """They learn nothing: it looks as any other. So does one that was kept before."""
    IgnoreLists(store).add(BERT, ANNA)
    assert not rows.challenge(store, ANNA, BERT, "poker")
    assert rows.challenge(store, CARL, BERT, "poker")
    IgnoreLists(store).add(BERT, CARL)
    assert rows.challenges_of(store, BERT) == []
    for user in (ANNA, CARL):
        assert [one.whom for one in rows.challenges_of(store, user)] == [BERT]


def test_who_ignores_a_challenger_or_whom_they_challenged_is_not_told_to_them(store: Store) -> None:
    rows.challenge(store, ANNA, BERT, "poker")
    rows.challenge(store, BERT, CARL, "poker")
    assert rows.who_plays_with(store, BERT) == {ANNA, CARL}
    for whom in (ANNA, CARL):
        IgnoreLists(store).add(BERT, whom)
    assert rows.who_plays_with(store, BERT) == set()
    assert rows.who_plays_with(store, CARL) == {BERT}, "it is Bert who ignores"


def test_a_challenge_of_long_ago_is_over(store: Store) -> None:
    assert rows.challenge(store, BERT, CARL, "poker")
    with store.writing() as users:
        users.execute("UPDATE challenge SET since = ?", (store.clock() - rows.KEPT_SECONDS,))
    assert rows.challenges_of(store, CARL) == []


def test_whoever_comes_again_and_again_calls_others_once_a_minute(tmp_path: Path) -> None:
    with Hall(tmp_path / "data") as hall:
        pair = Pair(hall)
        heard = [pair.heard(f"{MEET} Bert", 100.0 + second) for second in range(int(QUIET_SECONDS) + 1)]
        assert [second for second, text in enumerate(heard) if text] == [0, QUIET_SECONDS]
        assert pair.heard(f"{CAME} Bert", 101.0) == "*** Your friend Bert has come: F"
        assert pair.heard("login Bert", 102.0) == "", "it is told already"
        for number in range(3 * MOST_REMEMBERED):
            pair.heard(f"{CAME} User {number}", 200.0 + number, meet=False)
        assert len(pair.others._came_or_went) <= MOST_REMEMBERED + QUIET_SECONDS
        for instance in pair.houses:
            instance.leave()


def test_a_table_is_private_to_one_user_until_it_is_opened(store: Store) -> None:
    assert rows.private_to(store, "poker-1") is None
    rows.set_private(store, "poker-1", ANNA)
    rows.set_private(store, "poker-1", BERT)
    assert rows.private_to(store, "poker-1") == BERT
    rows.set_private(store, "poker-1", None)
    assert rows.private_to(store, "poker-1") is None


def test_nothing_is_left_of_a_closed_account(store: Store) -> None:
    rows.befriend(store, ANNA, BERT)
    rows.befriend(store, BERT, CARL)
    rows.challenge(store, CARL, BERT, "poker")
    rows.set_private(store, "poker-1", BERT)
    with store.writing() as users:
        forget(users, BERT)
    assert rows.friends_of(store, ANNA) == {}
    assert rows.friends_of(store, BERT) == {}
    assert rows.challenges_of(store, CARL) == []
    assert rows.private_to(store, "poker-1") is None
