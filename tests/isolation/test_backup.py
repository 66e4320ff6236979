"""Backups of files, without a BBS: what is in them, and what becomes of them when somebody dies."""

import os
import signal
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from io import BytesIO
from pathlib import Path

import pytest

from tests.ipc.processes import forked
from tests.isolation.processes import FileLock
from tests.isolation.stores import bank_in_file, in_file
from yawc_poker.casino import backup
from yawc_poker.casino.backup import BadBackup, Manifest
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import Accounts
from yawc_poker.ipc import process
from yawc_poker.ipc.layout import Layout
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.sysop.__main__ import main


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    with closing(bank_in_file(folder / "bank.sqlite")) as bank:
        bank.welcome(1, 100)
    with closing(Accounts(in_file(folder / "users.sqlite"))) as accounts:
        accounts.register("Anna", "secret-1", "en")
    return folder


def taken(data: Path) -> tuple[bytes, Manifest]:
    out = BytesIO()
    manifest = backup.take(data, nullcontext(), out)
    return out.getvalue(), manifest


def balance(path: Path) -> int:
    with closing(bank_in_file(path, look_only=True)) as bank:
        assert bank.audit() == []
        return bank.balance(1)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_backup_holds_both_databases_and_leaves_nothing_beside_them(data: Path, tmp_path: Path) -> None:
    before = names(data)
    packed, manifest = taken(data)
    assert names(data) == before
    assert manifest.figures is not None
    assert (manifest.figures.minted, manifest.problems) == (100, [])
    assert backup.unpack(BytesIO(packed), tmp_path) == manifest
    assert balance(tmp_path / "bank.sqlite") == 100
    with closing(Accounts(in_file(tmp_path / "users.sqlite"))) as accounts:
        assert accounts.find("anna") is not None


def test_files_in_it_belong_to_whoever_owns_the_originals(data: Path) -> None:
    packed, _ = taken(data)
    with tarfile.open(fileobj=BytesIO(packed)) as tar:
        assert {(member.uid, member.gid, member.mode) for member in tar} == {(os.getuid(), os.getgid(), 0o600)}


def test_a_ledger_that_is_not_sound_is_backed_up_and_that_is_told(data: Path) -> None:
    with closing(sqlite3.connect(data / "bank.sqlite", isolation_level=None)) as bank:
        bank.execute("UPDATE account SET balance = 91 WHERE kind = 'user'")
    assert taken(data)[1].problems == ["account user 1 holds 91, its entries say 100"]


def test_a_ledger_of_another_version_is_backed_up_and_not_audited(data: Path) -> None:
    with closing(sqlite3.connect(data / "bank.sqlite", isolation_level=None)) as bank:
        bank.execute("PRAGMA user_version = 1")
    _, manifest = taken(data)
    assert (manifest.layouts["bank.sqlite"], manifest.figures, manifest.problems) == (1, None, [])


@pytest.mark.parametrize("name", ["bank.sqlite", "users.sqlite"])
def test_a_missing_database_is_told_and_not_made(data: Path, name: str) -> None:
    (data / name).unlink()
    with pytest.raises(StoreError, match="there is no such file"):
        taken(data)
    assert name not in names(data)


def test_a_writer_is_kept_out_of_both_files_while_they_are_copied(data: Path) -> None:
    """Each round moves 1 CUBE and then notes it in the other file: no backup may have the note without the CUBE."""
    with closing(Accounts(in_file(data / "users.sqlite"))) as accounts, accounts.store.writing() as users:
        users.execute("CREATE TABLE note (n INTEGER)")

    def write(say: Callable[[str], None]) -> None:
        bank, accounts = bank_in_file(data / "bank.sqlite", lock), Accounts(in_file(data / "users.sqlite", lock))
        for number in range(1, 10**6):
            bank.grant(number, 1, 1)
            with accounts.store.writing() as users:
                users.execute("INSERT INTO note VALUES (?)", (number,))
            say(str(number))

    lock = FileLock(data.parent / "lock")
    with forked(write) as writer:
        for _ in range(5):
            writer.hear()
            out = BytesIO()
            backup.take(data, FileLock(data.parent / "lock"), out)
            with unpacked(out.getvalue(), data.parent) as folder:
                with closing(sqlite3.connect(folder / "users.sqlite")) as copied:
                    (noted,) = copied.execute("SELECT count(*) FROM note").fetchone()
                assert balance(folder / "bank.sqlite") - 100 in {noted, noted + 1}


@contextmanager
def unpacked(packed: bytes, parent: Path) -> Iterator[Path]:
    with backup.folder_in(parent) as folder:
        backup.unpack(BytesIO(packed), folder)
        yield folder


def test_what_a_killed_writer_left_half_way_is_rolled_back_in_the_backup(data: Path, tmp_path: Path) -> None:
    def write(say: Callable[[str], None]) -> None:
        connection = sqlite3.connect(data / "bank.sqlite", isolation_level=None)
        connection.execute("PRAGMA journal_mode = TRUNCATE")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("PRAGMA cache_spill = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE half (x)")
        connection.executemany("INSERT INTO half VALUES (?)", [("x" * 4000,)] * 1000)
        say("half")
        signal.pause()

    with forked(write) as writer:
        assert writer.hear() == "half"
        writer.kill()
    assert (data / "bank.sqlite-journal").stat().st_size > 0
    packed, manifest = taken(data)
    assert manifest.problems == []
    with unpacked(packed, tmp_path) as folder:
        assert balance(folder / "bank.sqlite") == 100


def test_what_a_killed_backup_left_is_removed_by_the_next(data: Path) -> None:
    def take(say: Callable[[str], None]) -> None:
        with backup.folder_in(data) as folder:
            (folder / "bank.sqlite").write_bytes(b"x" * 100)
            say(folder.name)
            signal.pause()

    with forked(take) as child:
        left = child.hear()
        taken(data)
        assert left in names(data)
        child.kill()
    taken(data)
    assert left not in names(data)


def test_where_the_file_is_full_the_backup_fails_and_leaves_nothing(data: Path) -> None:
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(OSError, match="No space left"):
        backup.take(data, nullcontext(), full)
    assert not any(name.startswith(".backup") for name in names(data))


# --- putting back -----------------------------------------------------------------------------------------------------


def tar_of(**files: bytes) -> bytes:
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name.replace("_", "."))
            member.size = len(content)
            tar.addfile(member, BytesIO(content))
    return out.getvalue()


@pytest.mark.parametrize(
    "packed", [b"", b"shopping list\n" * 100, tar_of(), tar_of(manifest_json=b"{}"), tar_of(bank_sqlite=b"x" * 5000)]
)
def test_what_is_no_backup_is_refused(tmp_path: Path, packed: bytes) -> None:
    with pytest.raises(BadBackup, match="no whole backup"):
        backup.unpack(BytesIO(packed), tmp_path)


def test_half_a_backup_is_refused(data: Path, tmp_path: Path) -> None:
    packed, _ = taken(data)
    for size in (1000, len(packed) // 2, len(packed) - 20000):
        with pytest.raises(BadBackup, match="no whole backup"), backup.folder_in(tmp_path) as folder:
            backup.unpack(BytesIO(packed[:size]), folder)


def test_a_damaged_backup_is_refused(data: Path, tmp_path: Path) -> None:
    packed = bytearray(taken(data)[0])
    at = packed.index(b"SQLite format 3") + 4096
    packed[at : at + 2000] = b"\xff" * 2000
    with pytest.raises(BadBackup, match="no whole backup"), backup.folder_in(tmp_path) as folder:
        backup.unpack(BytesIO(packed), folder)


def test_a_backup_of_a_newer_version_is_refused(data: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(data / "users.sqlite", isolation_level=None)) as users:
        users.execute("PRAGMA user_version = 99")
    with pytest.raises(BadBackup, match=r"users\.sqlite has layout 99"), backup.folder_in(tmp_path) as folder:
        backup.unpack(BytesIO(taken(data)[0]), folder)


def test_other_files_in_the_tar_are_left_alone(data: Path, tmp_path: Path) -> None:
    whole = BytesIO()
    packed, _ = taken(data)
    with tarfile.open(fileobj=BytesIO(packed)) as old, tarfile.open(fileobj=whole, mode="w") as new:
        for name in ("../evil", "/tmp/evil", "evil"):
            new.addfile(tarfile.TarInfo(name))
        for member in old:
            new.addfile(member, old.extractfile(member))
    folder = tmp_path / "folder"
    folder.mkdir()
    backup.unpack(BytesIO(whole.getvalue()), folder)
    assert names(folder) == {"manifest.json", "bank.sqlite", "users.sqlite"}
    assert names(tmp_path) == {"data", "folder"}


def test_a_journal_beside_the_old_database_does_not_spoil_the_new_one(data: Path, tmp_path: Path) -> None:
    (tmp_path / "one.tar").write_bytes(taken(data)[0])
    test_what_a_killed_writer_left_half_way_is_rolled_back_in_the_backup(data, tmp_path)
    (data / "bank.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 1000)
    assert main(["--data", str(data), "restore", str(tmp_path / "one.tar"), "--replace"]) == 0
    assert balance(data / "bank.sqlite") == 100
    assert "bank.sqlite-journal" not in names(data)


def test_restores_in_one_second_lose_nothing_of_what_was_there(data: Path, tmp_path: Path) -> None:
    (tmp_path / "one.tar").write_bytes(taken(data)[0])
    with closing(bank_in_file(data / "bank.sqlite")) as bank:
        bank.welcome(2, 100)
    for _ in range(3):
        assert main(["--data", str(data), "restore", str(tmp_path / "one.tar"), "--replace"]) == 0
    aside = [path for path in data.glob("bank.sqlite.2*") if not path.name.endswith("-journal")]
    assert len(aside) == 3
    minted = []
    for path in aside:
        with closing(bank_in_file(path, look_only=True)) as bank:
            minted.append(bank.figures().minted)
    assert sorted(minted) == [100, 100, 200]


def test_nothing_is_put_back_under_living_sessions(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.tar").write_bytes(taken(data)[0])
    segment = Segment.create(segment_name(data), Layout(sessions=4, tables=1))
    try:
        segment.records[2].claim(process.me(), 5, "test")
        assert main(["--data", str(data), "restore", str(tmp_path / "one.tar"), "--replace"]) == 2
        assert "1 session live" in capsys.readouterr().err
    finally:
        segment.close()
        Segment.destroy(segment.name)


def test_a_backup_that_fails_leaves_no_file(data: Path, tmp_path: Path) -> None:
    (data / "users.sqlite").unlink()
    assert main(["--data", str(data), "backup", str(tmp_path / "one.tar")]) == 2
    assert names(tmp_path) == {"data"}


def test_a_backup_never_takes_the_place_of_a_link(data: Path, tmp_path: Path) -> None:
    (tmp_path / "one.tar").symlink_to(tmp_path / "elsewhere")
    assert main(["--data", str(data), "backup", str(tmp_path / "one.tar")]) == 2
    assert not (tmp_path / "elsewhere").exists()


def test_a_backup_is_written_into_a_file(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert main(["--data", str(data), "backup", "-"]) == 2
    assert "into a file, not to standard output" in capsys.readouterr().err
    assert names(tmp_path / "here") == set()
