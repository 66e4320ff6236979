"""Requests of browsers and of those who only pretend to be one; the page's files; the handshake."""

import gzip
import json
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telnetd.extras.web.files import FOLDER, PageFiles, read_page
from telnetd.extras.web.http import (
    HEAD_LIMIT,
    BadRequest,
    HttpConnection,
    Request,
    Response,
    has_head,
    is_own_origin,
    last_response,
    text_response,
    to_https,
    upgraded,
)

GET = b"GET / HTTP/1.1\r\nHost: bbs\r\n\r\n"
UPGRADE = (
    b"GET /session HTTP/1.1\r\nHost: bbs:8023\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: other, yawc.1\r\nOrigin: http://bbs:8023\r\n\r\n"
)


def parsed(data: bytes) -> Request:
    request = HttpConnection().receive(data)
    assert request is not None
    return request


def status(data: bytes) -> int:
    with pytest.raises(BadRequest) as refused:
        HttpConnection().receive(data)
    return refused.value.status


def with_headers(*lines: bytes) -> bytes:
    return b"\r\n".join([b"GET / HTTP/1.1", b"Host: bbs", *lines, b"", b""])


# --- requests ---------------------------------------------------------------------------------------------------------


def settled(said: bytes) -> bool:
    """Return whether no more bytes are needed to serve or to refuse a request."""
    try:
        return HttpConnection().receive(said) is not None
    except BadRequest:
        return True


@given(st.lists(st.sampled_from([b"GET / HTTP/1.1", b"Host: bbs", b"\r\n", b"\n", b"\r", b" ", b"x", b"\x16"])))
def test_a_head_is_whole_when_it_can_be_served_or_refused(parts: list[bytes]) -> None:
    said = b"".join(parts)
    assert has_head(said) == settled(said)


def test_a_request_comes_whole_or_byte_by_byte() -> None:
    whole = parsed(b"GET /a?b HTTP/1.1\r\nHost: bbs\r\nX-One: 1\r\nX-One: 2\r\n\r\n")
    assert (whole.method, whole.path, whole.get("x-one"), whole.get("x-two")) == ("GET", "/a", "1, 2", "")
    http = HttpConnection()
    found = [http.receive(GET[at : at + 1]) for at in range(len(GET))]
    assert found[:-1] == [None] * (len(GET) - 1)
    assert found[-1] == parsed(GET)


@pytest.mark.parametrize(
    ("target", "host", "path"),
    [
        ("http://bbs/a?b", "bbs", "/a"),
        ("HTTP://BBS:80/", "bbs", "/"),
        ("https://bbs", "bbs:443", "/"),
        ("http://bbs?x", "bbs", "/"),
        ("http://[2001:db8::1]:8023/a", "[2001:db8::1]:8023", "/a"),
    ],
)
def test_a_request_may_name_a_whole_address_of_this_host(target: str, host: str, path: str) -> None:
    """As a proxy is asked; every server must understand it (RFC 9112, 3.2.2)."""
    assert parsed(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()).path == path
    assert parsed(f"GET {target} HTTP/1.0\r\n\r\n".encode()).path == path


def test_requests_follow_each_other_also_in_one_piece() -> None:
    http = HttpConnection()
    request = http.receive(GET + GET.replace(b"/ ", b"/b "))
    assert request is not None
    data, goes_on = http.respond(Response(200, [], b"one"), request, closes=False)
    assert (goes_on, data.endswith(b"\r\n\r\none")) == (True, True)
    request = http.receive(b"")
    assert request is not None
    assert request.path == "/b"
    assert http.respond(Response(200, [], b""), request, closes=True)[1] is False


def test_a_head_has_no_body_and_an_old_client_one_request() -> None:
    http = HttpConnection()
    request = http.receive(GET.replace(b"GET", b"HEAD"))
    assert request is not None
    data, _ = http.respond(Response(200, [], b"body"), request, closes=False)
    assert b"Content-Length: 4\r\n" in data
    assert data.endswith(b"\r\n\r\n")
    http = HttpConnection()
    request = http.receive(b"GET / HTTP/1.0\r\n\r\n")
    assert request is not None
    assert http.respond(Response(200, [], b"body"), request, closes=False)[1] is False


@pytest.mark.parametrize(
    "data",
    [
        with_headers(b"Content-Length: 5", b"Transfer-Encoding: chunked") + b"0\r\n\r\nGET /b HTTP/1.1\r\n\r\n",
        with_headers(b"Transfer-Encoding: chunked"),
        with_headers(b"Content-Length: 5"),
    ],
    ids=["both lengths", "chunked", "a body"],
)
def test_a_request_has_no_body(data: bytes) -> None:
    assert status(data) == 413


@pytest.mark.parametrize(
    "data",
    [
        with_headers(b"Host: other"),
        with_headers(b"X-Folded: a", b" b"),
        with_headers(b"X-Folded: a", b"\tb"),
        GET.replace(b"\r\n", b"\n"),
        with_headers(b"X: a\nTransfer-Encoding: chunked"),
        with_headers(b"X: a\rb"),
        with_headers(b"X : a"),
        with_headers(b"X: a\x00b"),
        with_headers(b"Content-Length: 5, 6"),
        with_headers(b"Content-Length: +0"),
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://other/ HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"GET http://bbs:8080/ HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"GET https://bbs/ HTTP/1.1\r\nHost: bbs:80\r\n\r\n",
        b"GET http://anna@bbs/ HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"GET http:///bbs HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"GET ftp://bbs/ HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"GET bbs HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"GET  / HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"CONNECT bbs:80 HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: bbs\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\xff\xfb\x18\xff\xfb\x1f\r\n\r\n",
    ],
)
def test_what_a_proxy_may_read_in_another_way_is_refused(data: bytes) -> None:
    assert status(data) == 400


def test_a_head_without_end_is_refused() -> None:
    http = HttpConnection()
    assert http.receive(b"GET / HTTP/1.1\r\nX: ") is None
    for _ in range(HEAD_LIMIT // 1000 - 1):
        assert http.receive(b"x" * 1000) is None
    with pytest.raises(BadRequest) as refused:
        http.receive(b"x" * 2000)
    assert refused.value.status == 431


@given(st.lists(st.binary(max_size=60), max_size=6), st.sampled_from([b"", b"GET / HTTP/1.1\r\nHost: b\r\n"]))
def test_any_bytes_are_a_request_or_refused(pieces: list[bytes], begun: bytes) -> None:
    http, status = HttpConnection(), 400
    try:
        for piece in [begun, *pieces]:
            request = http.receive(piece)
            if request is not None:
                assert request.path.startswith("/")
                return
    except BadRequest as refused:
        status = refused.status
    assert 400 <= status < 600
    assert b"\r\n\r\n" in last_response(text_response(status, "Bad request."))


# --- the page and its files -------------------------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path) -> PageFiles:
    (tmp_path / "vendor").mkdir()
    (tmp_path / "index.html").write_text('<title>{{NAME}}</title><script src="{{static:app.js}}">')
    (tmp_path / "app.js").write_text("import './more.js';" * 50)
    (tmp_path / "vendor" / "tiny.js").write_text("1")
    (tmp_path / ".hidden").write_text("secret")
    return read_page("<Anna's>", tmp_path)


def get(page: PageFiles, path: str, *headers: tuple[str, str], method: str = "GET") -> Response:
    return page.respond(Request(method, path, headers))


def test_the_page_names_its_files_by_their_hash(page: PageFiles) -> None:
    text = get(page, "/").body.decode()
    found = re.fullmatch(r'<title>&lt;Anna&#x27;s&gt;</title><script src="(static/[0-9a-f]{16}/)app\.js">', text)
    assert found, text
    assert sorted(page.files) == [f"/{found[1]}app.js", f"/{found[1]}vendor/tiny.js"]
    response = get(page, f"/{found[1]}app.js")
    assert (response.status, dict(response.headers)["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert dict(response.headers)["Cache-Control"] == "public, max-age=31536000, immutable"
    assert dict(get(page, "/").headers)["Cache-Control"] == "no-cache"


def test_the_whole_page_is_small() -> None:
    page = read_page("Testville")
    packed = {path: len(file.packed or file.body) for path, file in page.files.items()}
    assert sum(packed.values()) + len(page.index.packed) <= 200_000, packed


def test_the_manifest_bears_the_name_and_leads_back_to_the_page() -> None:
    page = read_page('Anna\'s "BBS"')
    path = next(path for path in page.files if path.endswith(".webmanifest"))
    manifest = json.loads(page.files[path].body)
    assert manifest["name"] == 'Anna\'s "BBS"'
    assert urljoin(path, manifest["start_url"]) == "/"
    assert all(urljoin(path, icon["src"]) in page.files for icon in manifest["icons"])


def test_files_are_packed_for_those_who_take_them_so(page: PageFiles) -> None:
    path = next(path for path in page.files if path.endswith("app.js"))
    packed = get(page, path, ("accept-encoding", "br, gzip;q=0.5"))
    assert dict(packed.headers)["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == get(page, path).body
    for refused in ("identity", "gzip;q=0", "xgzip"):
        assert "Content-Encoding" not in dict(get(page, path, ("accept-encoding", refused)).headers)
    tiny = next(path for path in page.files if path.endswith("tiny.js"))
    assert "Content-Encoding" not in dict(get(page, tiny, ("accept-encoding", "gzip")).headers)


def test_what_a_browser_has_kept_is_not_sent_again(page: PageFiles) -> None:
    tag = dict(get(page, "/").headers)["ETag"]
    assert (get(page, "/", ("if-none-match", tag)).status, get(page, "/", ("if-none-match", '"x"')).status) == (
        304,
        200,
    )


@pytest.mark.parametrize(
    "path", ["/static/app.js", "/.hidden", "/static/../index.html", "/etc/passwd", "//", "/favicon"]
)
def test_there_is_nothing_else(page: PageFiles, path: str) -> None:
    assert get(page, path).status == 404


def test_only_reading_is_understood(page: PageFiles) -> None:
    assert (get(page, "/", method="POST").status, get(page, "/", method="HEAD").status) == (405, 200)


def test_without_its_files_the_page_says_so(tmp_path: Path) -> None:
    assert b"missing" in get(read_page("Testville", tmp_path), "/").body
    assert b"Testville" in get(read_page("Testville", FOLDER), "/").body


def test_every_response_has_the_headers_that_keep_a_page_to_itself() -> None:
    http = HttpConnection()
    request = http.receive(GET)
    assert request is not None
    for data in (http.respond(Response(200, []), request, closes=False)[0], last_response(text_response(400, "Bad."))):
        assert b"default-src 'none'; script-src 'self'" in data
        assert b"X-Content-Type-Options: nosniff" in data
        assert b"Set-Cookie" not in data


@pytest.mark.parametrize(
    ("data", "status", "location"),
    [
        (GET, 307, "https://bbs/"),
        (b"HEAD /a?b HTTP/1.1\r\nHost: [::1]:8023\r\n\r\n", 307, "https://[::1]:8023/a"),
        (GET.replace(b"GET", b"DELETE"), 400, None),
        (GET.replace(b"bbs", b"b/../s"), 400, None),
        (b"GET / HTTP/1.0\r\n\r\n", 400, None),
        (b"GET / HT", 400, None),
        (b"\xff\xfd\x18", 400, None),
        (b"", 400, None),
    ],
)
def test_whoever_forgets_to_encrypt_is_told_where_to_ask(data: bytes, status: int, location: str | None) -> None:
    response = to_https(data)
    assert (response.status, dict(response.headers).get("Location")) == (status, location)
    assert b"https" in response.body


# --- the handshake ----------------------------------------------------------------------------------------------------


def test_a_browser_gets_its_websocket() -> None:
    request = parsed(UPGRADE)
    assert request.wants_websocket
    answer = upgraded(request)
    assert answer.startswith(b"HTTP/1.1 101 ")
    assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in answer  # as in RFC 6455, 1.3
    assert b"yawc.1" in answer


def test_what_stands_behind_a_handshake_is_left() -> None:
    http = HttpConnection()
    assert http.receive(UPGRADE + b"\x82\x81rest") is not None
    assert http.rest == b"\x82\x81rest"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"Version: 13", b"Version: 8"),
        (b"dGhlIHNhbXBsZSBub25jZQ==", b"short"),
        (b"Upgrade: websocket", b"Upgrade: h2c"),
        (b"keep-alive, Upgrade", b"keep-alive"),
        (b"other, yawc.1", b"other"),
        (b"other, yawc.1", b"\xff"),
        (b"GET /session", b"HEAD /session"),
    ],
)
def test_no_other_handshake_will_do(old: bytes, new: bytes) -> None:
    with pytest.raises(BadRequest):
        upgraded(parsed(UPGRADE.replace(old, new)))


@pytest.mark.parametrize(
    ("host", "origin", "is_own"),
    [
        ("bbs:8023", "http://bbs:8023", True),
        ("BBS", "https://bbs", True),
        ("bbs", "https://bbs:443", True),
        ("bbs:80", "http://bbs", True),
        ("bbs:8023", "https://door.example", True),
        ("bbs:8023", "http://bbs", False),
        ("bbs", "http://evil/bbs", False),
        ("bbs", "http://bbs.evil", False),
        ("bbs", "null", False),
        ("bbs", "", False),
        ("", "http://", False),
        ("bbs", "file://bbs", False),
    ],
)
def test_only_our_own_page_opens_a_session(host: str, origin: str, is_own: bool) -> None:
    request = Request("GET", "/session", (("host", host), ("origin", origin)))
    assert is_own_origin(request, ["https://Door.example"]) is is_own
