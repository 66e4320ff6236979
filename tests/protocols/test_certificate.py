"""A door's certificate: renewed while it is served, never given up for one that cannot be used."""

import logging
import os
import re
import shlex
import ssl
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from telnetd.doors.certificate import Certificate, CertificateError, make_context
from telnetd.doors.sockets import ListenError
from telnetd.doors.tls import TlsService
from tests.certificates import Files, client_context, make_certificate, needs_openssl
from yawc_poker.config import Config, TlsSettings

pytestmark = needs_openssl

HANDBOOK = Path(__file__).parents[2] / "docs" / "sysop.md"
STAYS = "the certificate stays as it was"
TAKEN = "certificate read again"


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A certificate in use, which a test may overwrite."""
    made = make_certificate(tmp_path, "old.test")
    return Files(made.cert.rename(tmp_path / "cert.pem"), made.key.rename(tmp_path / "key.pem"))


def renew(files: Files, name: str = "new.test") -> None:
    """Put another certificate in place of this one, each file as a whole."""
    made = make_certificate(files.cert.parent, name)
    made.key.replace(files.key)
    made.cert.replace(files.cert)


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> str:
    """Shake hands in memory and return the cipher; raise `ssl.SSLError`."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(back, there, server_hostname=name), server.wrap_bio(there, back, server_side=True)]
    for _ in range(3):
        for end in ends:
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()
    cipher = ends[0].cipher()
    assert cipher is not None
    return cipher[0]


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage().partition(":")[0] for record in caplog.records]


def test_files_that_stay_are_read_once(files: Files) -> None:
    certificate = Certificate(str(files.cert), str(files.key))
    before = certificate.context
    for _ in range(3):
        certificate.follow()
    assert certificate.context is before


def test_renewed_files_are_taken_at_the_next_look(files: Files, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    certificate = Certificate(str(files.cert), str(files.key))
    before = certificate.context
    renew(files)
    certificate.follow()
    after = certificate.context
    certificate.follow()
    assert after is not before
    assert certificate.context is after
    assert told(caplog) == [TAKEN]


def test_a_renewed_link_is_noticed_as_a_renewed_file_is(tmp_path: Path) -> None:
    """As certbot does it: the names are links, which lead to other files from then on."""
    first, second = make_certificate(tmp_path, "one.test"), make_certificate(tmp_path, "two.test")
    links = Files(tmp_path / "fullchain.pem", tmp_path / "privkey.pem")
    for link, file in zip(links, first, strict=True):
        link.symlink_to(file)
    certificate = Certificate(str(links.cert), str(links.key))
    before = certificate.context
    for link, file in zip(links, second, strict=True):
        link.unlink()
        link.symlink_to(file)
    certificate.follow()
    assert certificate.context is not before


@pytest.mark.parametrize("damage", ["empty", "garbage", "missing", "another's key", "half"])
def test_files_that_cannot_be_used_change_nothing_and_are_told_once(
    files: Files, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    caplog.set_level(logging.INFO)
    certificate = Certificate(str(files.cert), str(files.key))
    before = certificate.context
    match damage:
        case "empty":
            files.cert.write_text("")
        case "garbage":
            files.cert.write_bytes(os.urandom(1000))
        case "missing":
            files.key.unlink()
        case "another's key":
            make_certificate(files.cert.parent, "other.test").key.replace(files.key)
        case "half":
            files.cert.write_text(files.cert.read_text()[:200])
    for _ in range(3):
        certificate.follow()
    assert certificate.context is before
    assert told(caplog) == [STAYS]
    assert "\n" not in caplog.text.strip()
    renew(files)
    certificate.follow()
    assert certificate.context is not before
    assert told(caplog) == [STAYS, TAKEN]


def test_a_reload_reads_the_files_again_or_others(files: Files, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    service = TlsService(Config(tls=TlsSettings(cert=str(files.cert), key=str(files.key))))
    other = make_certificate(files.cert.parent, "other.test")
    service.reload(Config(tls=TlsSettings(cert=str(files.cert), key=str(files.key))))
    service.reload(Config(tls=TlsSettings(cert=str(other.cert), key=str(other.key))))
    service.reload(Config(tls=TlsSettings(cert=str(other.cert), key=str(files.key))))
    service.reload(Config())  # its port is closed by a restart only
    service.prepare()
    assert told(caplog) == [TAKEN, TAKEN, STAYS]


def test_a_key_may_be_in_the_certificates_file(files: Files) -> None:
    both = files.cert.parent / "both.pem"
    both.write_text(files.key.read_text() + files.cert.read_text())
    Certificate(str(both), "").follow()


def test_a_key_of_rsa_will_do_too(tmp_path: Path) -> None:
    made = make_certificate(tmp_path, "rsa.test", algorithm="rsa:2048")
    make_context(str(made.cert), str(made.key))


def test_what_a_context_allows(files: Files) -> None:
    context = make_context(str(files.cert), str(files.key))
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert context.options & ssl.OP_NO_RENEGOTIATION
    assert context.options & ssl.OP_NO_TICKET
    assert context.options & ssl.OP_NO_COMPRESSION
    assert (context.num_tickets, context.verify_mode) == (0, ssl.CERT_NONE)


def test_what_cannot_be_used_is_told_in_one_line(files: Files, tmp_path: Path) -> None:
    missing, folder = str(tmp_path / "none.pem"), str(tmp_path)
    locked = make_certificate(tmp_path, "locked.test", password="secret")
    other = make_certificate(tmp_path, "other.test")
    for cert, key, words in (
        (missing, str(files.key), r"none\.pem: No such file or directory"),
        (str(files.cert), missing, r"none\.pem: No such file or directory"),
        (folder, str(files.key), "."),
        (str(locked.cert), str(locked.key), "the key wants a password"),
        (str(files.cert), str(other.key), "key values mismatch"),
        (str(files.key), str(files.key), r"key\.pem: "),
    ):
        with pytest.raises(CertificateError, match=words) as refused:
            make_context(cert, key)
        assert "\n" not in str(refused.value)


def test_a_door_without_a_certificate_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(ListenError, match="wants a certificate"):
        TlsService(Config())
    with pytest.raises(ListenError, match=r"no certificate for telnet in TLS: .*No such file"):
        TlsService(Config(tls=TlsSettings(port=992, cert=str(tmp_path / "none.pem"))))


def test_the_handbooks_own_certificate_is_a_servers_and_no_authority(tmp_path: Path) -> None:
    found = re.search(r"^    (openssl req -x509 (?:.*\\\n)*.*)$", HANDBOOK.read_text(), re.MULTILINE)
    assert found
    recipe = found[1].replace("\\\n", " ").replace("/etc/yawc/tls", str(tmp_path))
    subprocess.run(shlex.split(recipe), check=True, capture_output=True)
    cert = tmp_path / "cert.pem"
    command = ["openssl", "x509", "-in", str(cert), "-noout", "-text"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for extension, value in {
        "Basic Constraints": "CA:FALSE",
        "Subject Alternative Name": "DNS:bbs.example.org",
        "Extended Key Usage": "TLS Web Server Authentication",
    }.items():
        assert re.search(rf"X509v3 {extension}: ?(?:critical)?\n +{value}\n", told), told
    verify = "openssl verify -x509_strict -purpose sslserver -verify_hostname bbs.example.org -CAfile"
    subprocess.run([*verify.split(), cert, cert], check=True, capture_output=True)
    shake_hands(make_context(str(cert), str(tmp_path / "key.pem")), client_context(cert), "bbs.example.org")


@pytest.mark.parametrize("cipher", ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])
def test_a_client_of_tls_1_2_is_served_by_what_is_sound(files: Files, cipher: str) -> None:
    client = client_context(files.cert, version=ssl.TLSVersion.TLSv1_2)
    client.set_ciphers(cipher)
    assert shake_hands(make_context(*map(str, files)), client, "old.test") == cipher


@pytest.mark.parametrize("cipher", ["ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES128-SHA"])
def test_no_records_whose_padding_tells_are_spoken(files: Files, cipher: str) -> None:
    client = client_context(files.cert, version=ssl.TLSVersion.TLSv1_2)
    client.set_ciphers(f"{cipher}:@SECLEVEL=0")
    with pytest.raises(ssl.SSLError):
        shake_hands(make_context(*map(str, files)), client, "old.test")
