"""`yawcctl doctor`: each thing that can be wrong is found from what was read, with a cure, and what is good is good."""

import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.certificates import make_certificate, needs_openssl
from yawc_poker.config import Bbs as BbsSettings
from yawc_poker.config import Config, TelnetSettings
from yawc_poker.extras.doctor.checks import (
    DAY,
    Bbs,
    Certificate,
    Facts,
    Finding,
    Limits,
    Room,
    Semaphores,
    Stuck,
    Verdict,
    end_of,
    examined,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
PLENTY = Room(10**11, 10**6)
WELL = Facts(
    now=NOW,
    data="/var/lib/yawc",
    user=990,
    config=Config(bbs=BbsSettings(), telnet=TelnetSettings()),
    bbs=Bbs(listener=7, sessions=3),
    owner=990,
    semaphores=Semaphores(7, 32000),
    locks=7,
    memory=PLENTY,
    segment=3_000_000,
    disk=PLENTY,
    limits=Limits(8192, 1536),
    clock_is_kept=True,
    newest=NOW - 5,
    machine=10**11,
    certificates=(Certificate("tls", "/etc/yawc/cert.pem", NOW + 80 * DAY, key_mode=0o600),),
)
MERGING = replace(WELL.config, telnet=TelnetSettings(merge_memory=True))


def of(facts: Facts) -> list[Finding]:
    return [one for one in examined(facts) if one.verdict != "good"]


def test_where_all_is_well_everything_is_looked_at_and_nothing_found() -> None:
    assert of(WELL) == []
    assert {one.about for one in examined(WELL)} == {
        "BBS", "permissions", "disk", "clock", "shared memory", "semaphores", "files", "processes", "memory", "[tls]"
    }  # fmt: skip
    assert all(not one.cure for one in examined(WELL))


WRONG: list[tuple[Facts, str, Verdict, str, str]] = [
    (replace(WELL, bbs=Bbs(problem="segment x has layout 3")), "BBS", "wrong", "layout 3", "ipc --remove"),
    (replace(WELL, bbs=Bbs(sessions=4)), "BBS", "wrong", "4 sessions live", "systemctl start"),
    (replace(WELL, bbs=Bbs(left_behind=True)), "BBS", "look", "left shared memory", "start it"),
    (replace(WELL, bbs=Bbs(7, 3, dead=2)), "sessions", "look", "2 sessions are dead", "yawcctl ipc"),
    (replace(WELL, bbs=Bbs(7, 3, stuck=(Stuck("bank", 99, 30),))), "lock", "wrong", "99 has held bank", "kill 99"),
    (replace(WELL, owner=None), "permissions", "look", "no data directory", "--data"),
    (replace(WELL, mode=0o40777), "permissions", "wrong", "mode 777", "chmod go-w"),
    (replace(WELL, foreign=("bank.sqlite",)), "permissions", "wrong", "bank.sqlite", "chown -R 990"),
    (replace(WELL, user=1001), "permissions", "wrong", "this is user 1001", "deploy/yawcctl"),
    (replace(WELL, user=1000, owner=1000, removes_ipc=True), "permissions", "look", "logs out", "RemoveIPC=no"),
    (replace(WELL, disk=Room(50_000_000, None)), "disk", "wrong", "50.0 MB free", "make room"),
    (replace(WELL, disk=Room(500_000_000, None)), "disk", "look", "500.0 MB free", "make room"),
    (replace(WELL, disk=Room(10**11, 10)), "disk", "wrong", "10 files", "df -i"),
    (replace(WELL, newest=NOW + DAY), "clock", "wrong", "2026-03-02 00:00 UTC", "set the clock"),
    (replace(WELL, clock_is_kept=False), "clock", "look", "nothing keeps", "chrony"),
    (replace(WELL, memory=None), "shared memory", "wrong", "no /dev/shm", "--shm-size"),
    (replace(WELL, bbs=Bbs(), memory=Room(10**6, None)), "shared memory", "wrong", "3.0 MB are needed", "remount"),
    (replace(WELL, bbs=Bbs(), semaphores=Semaphores(127, 128)), "semaphores", "wrong", "7 are needed", "kernel.sem"),
    (replace(WELL, limits=Limits(1024, None)), "files", "look", "1024 at most", "LimitNOFILE="),
    (replace(WELL, limits=Limits(None, 300)), "processes", "look", "300 at most", "TasksMax="),
    (replace(WELL, machine=10**9), "memory", "look", "the machine has 1.0 GB", "max_sessions"),
    (replace(WELL, obstacle="cpython 3.99"), "memory", "look", "cpython 3.99", "Python 3.12"),
    (replace(WELL, config=MERGING, can_merge=False), "KSM", "look", "cannot merge", "Linux 6.4"),
    (replace(WELL, config=MERGING, merges=False), "KSM", "look", "does not merge", "ksm/run"),
    (replace(WELL, certificates=(Certificate("tls", "c", NOW - DAY),)), "[tls]", "wrong", "ended 2026-02-28", "renew"),
    (replace(WELL, certificates=(Certificate("web", "c", NOW + DAY),)), "[web]", "look", "c ends 2026-03-02", "renew"),
    (replace(WELL, certificates=(Certificate("tls", "c", None, "gone"),)), "[tls]", "wrong", "c: gone", "PEM"),
    (replace(WELL, certificates=(Certificate("tls", "c", NOW * 2, "", 0o644),)), "[tls]", "look", "mode 644", "chmod"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "about", "verdict", "text", "cure"), WRONG)
def test_what_is_wrong_is_found_alone_and_has_its_cure(
    facts: Facts, about: str, verdict: Verdict, text: str, cure: str
) -> None:
    (found,) = of(facts)
    assert (found.about, found.verdict) == (about, verdict)
    assert text in found.text
    assert cure in found.cure


def test_a_running_bbs_needs_no_more_semaphores_and_no_more_shared_memory() -> None:
    assert of(replace(WELL, semaphores=Semaphores(128, 128), memory=Room(0, None))) == []


def test_what_cannot_be_read_is_no_finding() -> None:
    nothing = Facts(now=NOW, data="x", user=0, config=WELL.config, owner=0, memory=PLENTY)
    assert of(nothing) == []


@needs_openssl
def test_the_end_of_a_certificate_is_read(tmp_path: Path) -> None:
    files = make_certificate(tmp_path)
    der = ssl.PEM_cert_to_DER_cert(files.cert.read_text())
    context = ssl.create_default_context(cafile=str(files.cert))
    (known,) = context.get_ca_certs()
    assert end_of(der) == ssl.cert_time_to_seconds(str(known["notAfter"]))


@pytest.mark.parametrize("der", [b"", b"\x30", b"\x30\x05abc", b"\x30\x82", b"\x30\x03\x30\x01\x02", bytes(64)])
def test_what_is_no_certificate_is_said_to_be_none(der: bytes) -> None:
    with pytest.raises(ValueError, match="no certificate"):
        end_of(der)
