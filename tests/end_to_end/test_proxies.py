"""Callers by a proxy, by telnet and in TLS, against the real daemon: they count as themselves; who is believed."""

import json
import signal
import socket
import ssl
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import psutil
import pytest

from telnetd.doors.proxies import HINT
from telnetd.doors.proxy_header import SIGNATURE
from tests.certificates import Files, make_certificate, needs_openssl
from tests.end_to_end.bbs import FAST, Caller, TelnetCaller, connected
from tests.end_to_end.daemons import records
from tests.end_to_end.test_upgrade import children
from tests.end_to_end.tls import NAME, TlsBbs
from tests.waiting import wait_until

pytestmark = needs_openssl

PROXY = "127.0.0.2"
CONFIG = FAST.replace("max_per_address = 200", f'max_per_address = 4\nproxies = ["{PROXY}"]')
LOCAL = SIGNATURE + b"\x20\x00\x00\x00"


def calls_for(address: str) -> bytes:
    """Return the header of version 1 for a caller."""
    return f"PROXY TCP4 {address} 198.51.100.1 4660 23\r\n".encode()


def packed_for(address: str) -> bytes:
    """Return the header of version 2 for a caller."""
    return SIGNATURE + b"\x21\x11\x00\x0c" + socket.inet_aton(address) + socket.inet_aton("198.51.100.1") + bytes(4)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return make_certificate(tmp_path_factory.mktemp("certificate"), NAME)


class ProxiedBbs(TlsBbs):
    """The daemon, which believes one address."""

    def __init__(self, data: Path, files: Files) -> None:
        super().__init__(data, files, CONFIG)

    def by_proxy(self, before: bytes, address: str = PROXY) -> Caller:
        """Call by plain telnet as a proxy does, with this before all else."""
        return self.called(TelnetCaller(connected(self.port, address, before)))


@pytest.fixture
def bbs(tmp_path: Path, files: Files) -> Iterator[ProxiedBbs]:
    with ProxiedBbs(tmp_path / "data", files) as running:
        yield running
        running.is_sound()


def who(bbs: TlsBbs) -> dict[str, tuple[str, str]]:
    """Return address and door of those who are in, by name."""
    found = [json.loads(line) for line in bbs.yawcctl("who", "--json").splitlines()]
    return {one["name"]: (one["address"], one["door"]) for one in found}


def said(port: int, data: bytes, address: str = PROXY) -> bytes:
    """Return everything that is answered to these bytes."""
    with socket.create_connection(("127.0.0.1", port), 20, (address, 0)) as peer, peer.makefile("rb") as answers:
        peer.sendall(data)
        return answers.read()


def test_behind_a_proxy_the_caller_counts_at_both_doors(bbs: ProxiedBbs) -> None:
    anna = bbs.by_proxy(calls_for("192.0.2.7"))
    bert = bbs.call_in_tls(address=PROXY, before=packed_for("192.0.2.8"))
    anna.register("Anna")
    bert.register("Bert")
    carl = bbs.call().register("Carl")
    assert who(bbs) == {
        "Anna": ("192.0.2.7", "telnet"),
        "Bert": ("192.0.2.8", "tls"),
        "Carl": ("127.0.0.1", "telnet"),
    }
    bbs.yawcctl("ban", "192.0.2.7", "--for", "1d", "--reason", "test")
    bbs.yawcctl("ban", "192.0.2.8", "--for", "1d", "--reason", "test")
    anna.ended()
    bert.ended()
    assert b"not taken by this BBS" in said(bbs.port, calls_for("192.0.2.7"))
    with pytest.raises(ssl.SSLError, match=r"(?i)access.denied"):
        bbs.call_in_tls(address=PROXY, before=calls_for("192.0.2.8"))
    assert "telnet: refused 192.0.2.7: its address is banned" in bbs.log.read_text()
    assert "tls: refused 192.0.2.8: its address is banned" in bbs.log.read_text()
    for number in range(6):  # more than one address may have: the proxy's own is no caller's
        bbs.by_proxy(calls_for(f"192.0.2.{number // 4 + 10}")).see("Name:")
    assert b"too many calls" in said(bbs.port, calls_for("192.0.2.10"))
    carl.send("w")
    carl.see("1 user online.")


def test_what_is_typed_behind_the_header_is_not_lost(bbs: ProxiedBbs) -> None:
    anna = bbs.by_proxy(packed_for("192.0.2.7") + b"Anna\r\n")
    anna.see("Anna", "(y/n)")
    bert = bbs.by_proxy(calls_for("192.0.2.8") + calls_for("192.0.2.9"))
    bert.see("Name:", "PROXY TCP4")  # a second one is the caller's, and a bad name


def test_nobody_else_is_believed_and_no_proxy_without_its_header(bbs: ProxiedBbs) -> None:
    anna = bbs.by_proxy(calls_for("192.0.2.7"), "127.0.0.1")
    anna.see("Name:", "PROXY TCP4")
    anna.press(b"\r")
    anna.register("Anna")
    assert who(bbs) == {"Anna": ("127.0.0.1", "telnet")}
    assert said(bbs.port, b"Anna\r\n") == HINT
    assert said(bbs.port, b"PROXY " + b"x" * 5000) == HINT
    assert said(bbs.port, SIGNATURE + b"\x21\x11\xff\xff" + b"x" * 5000) == HINT
    assert said(bbs.tls_port, b"\x16\x03\x01")[:1] == b"\x15"
    assert f"{PROXY}: no session: no PROXY header" in bbs.log.read_text()


def test_a_proxy_looks_whether_anybody_answers(bbs: ProxiedBbs) -> None:
    listener = psutil.Process(bbs.process.pid)
    listener.suspend()  # so that none of them is served before it has hung up
    for port, hello in product((bbs.port, bbs.tls_port), (b"", LOCAL, b"PROXY UNKNOWN\r\n")):
        with socket.create_connection(("127.0.0.1", port), 20, (PROXY, 0)) as peer:
            peer.sendall(hello)
    listener.resume()
    asking = bbs.by_proxy(LOCAL)
    asking.see("Name:")
    wait_until(lambda: len(children(bbs)) == 1, "the others' end")
    assert records(bbs.data) == 1
    assert PROXY not in bbs.log.read_text()


def test_the_bbs_closes_though_headers_hang(tmp_path: Path, files: Files) -> None:
    with ProxiedBbs(tmp_path / "data", files) as bbs:
        hanging = [socket.create_connection(("127.0.0.1", port), 20, (PROXY, 0)) for port in (bbs.port, bbs.tls_port)]
        for one in hanging:
            one.sendall(b"PROXY TCP4 192.0.2")
        bbs.by_proxy(calls_for("192.0.2.7")).see("Name:")
        assert len(children(bbs)) == 1, "none for those whose header has no end"
        assert bbs.stop() == 0
        for one in hanging:
            assert one.recv(1) == b""
            one.close()
    assert "was killed" not in bbs.log.read_text()


def test_a_reload_names_other_proxies(bbs: ProxiedBbs) -> None:
    bbs.configure(bbs.config.replace(PROXY, "127.0.0.3"))
    bbs.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "configuration read again" in bbs.log.read_text(), "the reload")
    bbs.call(address=PROXY).register("Anna")
    bbs.call_in_tls(address="127.0.0.3", before=calls_for("192.0.2.7")).register("Bert")
    bbs.by_proxy(calls_for("192.0.2.8"), "127.0.0.3").register("Carl")
    assert who(bbs) == {
        "Anna": (PROXY, "telnet"),
        "Bert": ("192.0.2.7", "tls"),
        "Carl": ("192.0.2.8", "telnet"),
    }
