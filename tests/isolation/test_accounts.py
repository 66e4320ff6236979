import os
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from tests.clock import Clock
from tests.isolation.stores import OpenUsers, at_once, in_file, with_clock
from yawc_poker.casino.users.accounts import (
    Accounts,
    BadName,
    BadPassword,
    NameAlike,
    NameTaken,
    User,
    write_closed,
    write_password,
)
from yawc_poker.casino.users.passwords import hashed

SECRET = "open sesame"


@pytest.fixture
def clock() -> Clock:
    return Clock(1000.0)


@pytest.fixture
def accounts(open_users: OpenUsers, clock: Clock) -> Iterator[Accounts]:
    accounts = Accounts(with_clock(open_users(), clock))
    yield accounts
    accounts.close()


@pytest.mark.parametrize(
    ("name", "reason"),
    [("A", "too_short"), ("An{na}", "bad_character"), ("SYS0P", "reserved"), ("The Sysops", "reserved")],
)
def test_nobody_registers_what_is_no_name(accounts: Accounts, name: str, reason: str) -> None:
    with pytest.raises(BadName) as refused:
        accounts.register(name, SECRET, "en")
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("password", "reason"), [("1234567", "too_short"), ("sur\ud800rogate", "bad_character"), ("anna1234", "like_name")]
)
def test_nobody_registers_with_what_is_no_password(accounts: Accounts, password: str, reason: str) -> None:
    with pytest.raises(BadPassword) as refused:
        accounts.register("Anna", password, "en")
    assert refused.value.reason == reason
    assert password not in str(refused.value)
    assert accounts.find("Anna") is None


def test_a_password_of_older_rules_stays_valid(accounts: Accounts) -> None:
    anna = accounts.enrol("Anna", hashed("anna"), "en")
    assert accounts.check(anna.id, "anna")
    assert not accounts.check(anna.id, "bodo")


def test_a_password_is_changed_only_if_nobody_else_has_changed_it_meanwhile(accounts: Accounts) -> None:
    anna = accounts.register("Anna", SECRET, "en")
    stored = accounts.stored(anna.id)
    with accounts.store.writing() as users:
        write_password(users, anna.id, "a sysop's")
    found = accounts.by_id(anna.id)
    assert found is not None
    assert found.must_change
    accounts.renew(anna.id, stored, "renewed")
    assert not accounts.change_password(anna.id, stored, "chosen", "192.0.2.1")
    assert accounts.stored(anna.id) == "a sysop's"
    assert accounts.change_password(anna.id, "a sysop's", "chosen", "192.0.2.1")
    assert accounts.stored(anna.id) == "chosen"
    assert accounts.by_id(anna.id) == anna


def test_a_user_is_found_by_name_in_any_case_and_by_id(accounts: Accounts) -> None:
    anna = accounts.register("Anna", SECRET, "de")
    assert anna == User(anna.id, "Anna", "de", None, 1000.0, None, None)
    assert anna.id >= 1
    assert accounts.find("aNNA") == accounts.by_id(anna.id) == anna
    assert accounts.find("Bodo") is None
    assert accounts.by_id(anna.id + 1) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [("Anna", "ANNA"), ("Straße", "STRASSE"), ("Ärger", unicodedata.normalize("NFD", "ÄRGER")), ("ΣΊΣΥΦΟΣ", "σίσυφος")],
)
def test_a_name_is_taken_in_every_spelling(accounts: Accounts, first: str, second: str) -> None:
    user = accounts.register(first, SECRET, "en")
    with pytest.raises(NameTaken):
        accounts.register(second, SECRET, "en")
    assert accounts.find(second) == user


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("OTTO", "ОТТО"),
        ("Otto", "0tt0"),
        ("Bill", "BiII"),
        ("Anna", "Anna."),
        ("Jean-Luc", "Jean Luc"),
        ("Emma", "Ernma"),
        ("Anton", "Antön"),
        ("Antön", "Anton"),
        ("Kæthe", "Kaethe"),
        ("Kaethe", "Kæthe"),
    ],
)
def test_a_name_that_looks_like_another_is_refused_even_when_that_account_is_closed(
    accounts: Accounts, first: str, second: str
) -> None:
    user = accounts.register(first, SECRET, "en")
    with accounts.store.writing() as users:
        write_closed(users, user.id, 2000.0)
    assert accounts.find(second) is None
    assert accounts.alike(second) == first
    with pytest.raises(NameAlike) as refused:
        accounts.register(second, SECRET, "en")
    assert refused.value.name == first
    assert accounts.alike("Somebody else") is None


def test_keys_of_an_older_rule_are_made_anew_once_and_all_accounts_stay(
    accounts: Accounts, caplog: pytest.LogCaptureFixture
) -> None:
    names = ("Anton", "Antön", "The Bank", "Bodo", "Clara")
    with accounts.store.writing() as users:
        for name in names:
            row = (name, name.casefold(), name.casefold(), "hash", "en", 1.0)
            columns = "name, name_key, look_key, password_hash, language, created"
            users.execute(f"INSERT INTO user ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
    assert accounts.alike("Antôn") is None, "by the older rule"
    for _ in range(2):
        accounts.renew_look_keys()
    assert caplog.messages == [
        "names of older accounts that look like others' (they stay): 1",
        "names of older accounts that are reserved by now (they stay): 2",
    ]
    assert [one.name for one in accounts.listed()] == [*names]
    assert [one.name for one in accounts.listed() if not one.is_first] == ["Antön"]
    assert all(accounts.find(name) for name in names)
    assert accounts.alike("Antôn") == "Anton"
    assert accounts.alike("Antön") == "Antön"
    assert accounts.alike("Antön", beside=2) == "Anton"
    with pytest.raises(NameAlike):
        accounts.enrol("Bódo", "hash", "en")


def test_a_name_is_kept_composed(accounts: Accounts) -> None:
    assert accounts.register(unicodedata.normalize("NFD", "Jürgen"), SECRET, "de").name == "Jürgen"


def test_only_the_password_opens_the_account(accounts: Accounts) -> None:
    anna = accounts.register("Anna", SECRET, "en")
    bodo = accounts.register("Bodo", "another one", "en")
    assert accounts.check(anna.id, SECRET)
    assert accounts.check(bodo.id, "another one")
    for wrong in ("another one", SECRET + " ", "", "x" * 100000, "\ud800" * 8):
        assert not accounts.check(anna.id, wrong)
    assert not accounts.check(99, SECRET)


def test_a_password_is_the_same_however_a_terminal_sends_umlauts(accounts: Accounts) -> None:
    anna = accounts.register("Anna", unicodedata.normalize("NFD", "Schlüssel"), "de")
    assert accounts.check(anna.id, unicodedata.normalize("NFC", "Schlüssel"))


def stored_hash(accounts: Accounts, user: int) -> str:
    with accounts.store.reading() as users:
        return str(users.execute("SELECT password_hash FROM user WHERE id = ?", (user,)).fetchone()[0])


def test_a_password_is_kept_as_argon2id_and_nowhere_else(tmp_path: Path) -> None:
    with closing(Accounts(in_file(tmp_path / "users.sqlite"))) as accounts:
        anna = accounts.register("Anna", SECRET, "en")
        assert stored_hash(accounts, anna.id).startswith("$argon2id$v=19$m=19456,t=2,p=1$")
        assert SECRET.encode() not in (tmp_path / "users.sqlite").read_bytes()
        assert "argon2" not in repr(accounts.find("Anna"))


def test_an_old_hash_is_renewed_by_a_right_password_alone(accounts: Accounts) -> None:
    anna = accounts.register("Anna", SECRET, "en")
    old = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(SECRET)
    with accounts.store.writing() as users:
        users.execute("UPDATE user SET password_hash = ?", (old,))
    assert not accounts.check(anna.id, "wrong one")
    assert stored_hash(accounts, anna.id) == old
    assert accounts.check(anna.id, SECRET)
    assert "m=19456,t=2,p=1" in stored_hash(accounts, anna.id)
    assert accounts.check(anna.id, SECRET)


def test_a_damaged_hash_lets_nobody_in(accounts: Accounts) -> None:
    anna = accounts.register("Anna", SECRET, "en")
    with accounts.store.writing() as users:
        users.execute("UPDATE user SET password_hash = 'rubbish'")
    assert not accounts.check(anna.id, SECRET)
    assert not accounts.check(anna.id, "rubbish")


def test_a_login_tells_of_the_one_before(accounts: Accounts, clock: Clock) -> None:
    anna = accounts.register("Anna", SECRET, "en")
    assert accounts.seen(anna.id, "192.0.2.7") is None
    clock.now = 2000.0
    assert accounts.seen(anna.id, "2001:db8::1\x1b[2J" + "x" * 200) == (1000.0, "192.0.2.7")
    found = accounts.find("Anna")
    assert found is not None
    assert found.last_login == 2000.0
    assert found.last_from is not None
    assert found.last_from.startswith("2001:db8::1[2Jx")
    assert len(found.last_from) == 64


def test_language_and_character_set_are_kept(accounts: Accounts) -> None:
    anna = accounts.register("Anna", SECRET, "en")
    bodo = accounts.register("Bodo", SECRET, "en")
    accounts.set_language(anna.id, "de")
    accounts.set_charset(anna.id, "cp437")
    found = accounts.by_id(anna.id)
    assert found is not None
    assert (found.language, found.charset) == ("de", "cp437")
    assert accounts.by_id(bodo.id) == bodo
    accounts.set_charset(anna.id, None)
    assert accounts.find("Anna") == User(anna.id, "Anna", "de", None, 1000.0, None, None)


def register(name: str, accounts: Accounts) -> None:
    """What a process does that ends with 7 or 8 where it does not get the name."""
    try:
        accounts.enrol(name, "no hash", "en")
    except NameTaken:
        os._exit(7)
    except NameAlike:
        os._exit(8)


def test_of_many_processes_that_register_a_name_one_gets_it(open_users: OpenUsers) -> None:
    assert at_once(open_users, [partial(register, name) for name in ("Anna", "ANNA", "anna", "aNNa")]) == [0, 7, 7, 7]


def test_of_many_processes_that_register_names_that_look_alike_one_gets_its(open_users: OpenUsers) -> None:
    assert at_once(open_users, [partial(register, name) for name in ("Otto", "0tt0", "О\u0442\u0442о")]) == [0, 8, 8]


@pytest.mark.parametrize("name", ["An\0na", "\0", "Bodo"])
def test_nobody_is_found_by_what_is_no_name(accounts: Accounts, name: str) -> None:
    accounts.enrol("Anna", "no hash", "en")
    assert accounts.find(name) is None
    assert accounts.complete(name) == []
    with pytest.raises(BadName):
        accounts.enrol(name[:2] + "\0", "no hash", "en")


def test_names_begin_alike_and_come_sorted_and_by_number(accounts: Accounts) -> None:
    made = {name: accounts.enrol(name, "no hash", "en").id for name in ("Zoë", "Änne", "anton", "Anna", "Bodo")}
    assert accounts.complete("an") == ["Anna", "anton"]
    assert accounts.complete("") == ["Anna", "anton", "Bodo", "Zoë", "Änne"]
    assert accounts.names([made["Zoë"], made["Anna"], 99]) == {made["Zoë"]: "Zoë", made["Anna"]: "Anna"}
    assert accounts.names([]) == {}
    assert accounts.names([*made.values(), *range(100, 1095)]) == {user: name for name, user in made.items()}
