"""Sessions in a browser against the real daemon: the page, playing, coming back, sleeping tabs, proxies, villains."""

import json
import re
import signal
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from email.utils import parsedate_to_datetime
from hashlib import sha256
from pathlib import Path

import pytest
from wsproto.events import BytesMessage

from telnetd.extras.web.files import read_page
from tests.certificates import client_context, make_certificate, needs_openssl
from tests.end_to_end.bbs import DEADLINE, FAST, Bbs, Caller
from tests.end_to_end.browser import Refused, Tab, a_bbs, exchange, get
from tests.end_to_end.daemons import lives, refused, scraped
from tests.ports import free_port
from tests.processes import serving
from tests.waiting import wait_until


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Bbs]:
    """A BBS with a door for browsers; at the end it must stop cleanly and its books be sound."""
    with a_bbs(tmp_path / "data") as running:
        yield running
        running.is_sound()


@pytest.fixture(scope="module")
def town_of() -> Callable[[Path], Bbs]:
    """For those who open no session, which would wait for its page."""
    return a_bbs


@pytest.fixture
def tabs() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def opened(tabs: ExitStack, bbs: Bbs, token: str = "", *, language: str = "en", origin: str = "") -> Tab:
    return tabs.enter_context(Tab(bbs.web_port, token, language, origin=origin))


def drained(caller: Caller) -> Caller:
    caller.drain()
    return caller


def seated(tabs: ExitStack, bbs: Bbs, name: str) -> Tab:
    tab = opened(tabs, bbs).register(name)
    tab.sit()
    return tab


# --- the page ---------------------------------------------------------------------------------------------------------


def test_the_page_is_served_with_all_its_files(town: Bbs) -> None:
    status, headers, body = get(town.web_port)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert b"Testville" in body
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "Set-Cookie" not in headers
    for path in re.findall(r'"(static/[^"]+)"', body.decode()):
        status, headers, found = get(town.web_port, f"/{path}")
        assert (status, headers["Cache-Control"]) == (200, "public, max-age=31536000, immutable")
        assert found
    assert get(town.web_port, "/static/../../etc/passwd")[0] == 404
    assert get(town.web_port, "/", f"If-None-Match: {get(town.web_port)[1]['ETag']}")[0] == 304


def test_a_proxy_hears_that_callers_may_come_in(town: Bbs) -> None:
    assert get(town.web_port, "/health")[0] == 200


def test_several_requests_by_one_connection(town: Bbs) -> None:
    once = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{town.web_port}\r\n"
    answer = exchange(town.web_port, f"{once}\r\n{once}\r\n{once}Connection: close\r\n\r\n".encode())
    assert answer.count(b"HTTP/1.1 200 ") == 3


def test_the_listener_counts_and_shows_the_door(web: Bbs, tabs: ExitStack) -> None:
    opened(tabs, web).register("Anna")
    people = [json.loads(line) for line in web.yawcctl("who", "--json").splitlines()]
    assert [(one["name"], one["address"], one["door"]) for one in people] == [("Anna", "127.0.0.1", "web")]
    assert 'yawc_connections_accepted_total{door="web"} 1' in scraped(web.data)


# --- playing ----------------------------------------------------------------------------------------------------------


def test_a_game_between_a_browser_and_telnet(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web, language="de")
    anna.see("Name:")
    assert (anna.language, anna.mode) == ("de", "line")
    anna.line("/en")
    anna.wait(lambda: anna.language == "en", "English")
    anna.register("Anna")
    anna.wait(lambda: anna.title == "Anna - Testville", "the title")
    anna.offers("s", "w", "q")
    assert anna.keys["s"] == "Casino"
    anna.sit()
    anna.wait(lambda: anna.title == "Poker - Anna - Testville", "the title")
    [bert] = web.seat("Bert")
    anna.told("Bert")
    anna.offers("s", ".", "x")
    anna.send("s")
    bert.see("Pot:    20 CUBES")
    for _ in range(2):
        anna.wait(lambda: anna.is_on_turn or "[B]" in drained(bert).text, "somebody's turn")
        if anna.is_on_turn:
            assert (anna.keys["b"], anna.keys["p"]) == ("Bet (1 or more)", "Pass")
            anna.send("b")
            anna.wait(lambda: anna.mode == "line", "a line")
            anna.line("")
            anna.wait(lambda: not anna.is_on_turn, "the end of the turn")
            bert.see("[B]")
        else:
            bert.bet()
            anna.wait(lambda: anna.is_on_turn, "Anna's turn")
    anna.send("xx")
    bert.hear("wins")
    anna.at_prompt()
    anna.send("q")
    anna.offers("y", "n")
    anna.send("y")
    anna.ends(1000)


def test_nothing_that_others_write_makes_a_button(web: Bbs, tabs: ExitStack) -> None:
    """Neither a letter nor a note on the wall; what stands in brackets there can be touched no more."""
    anna, bert = opened(tabs, web).register("Anna"), web.call().register("Bert")
    bert.press("bwAnna\r")
    bert.send("Dear Anna, [D] takes your prize, [Z] more of it\r\r")
    bert.see("The letter lies in the box of Anna.")
    bert.send("q")
    bert.at_prompt()
    bert.press("nw[D] and [Z] are for Anna\r")
    bert.see("Bert: [D] and [Z] are for Anna")
    anna.send("b01\r")
    anna.told("[D] takes your prize")
    anna.offers("a", "d")
    assert anna.keys["d"] == "delete"
    assert "z" not in anna.keys
    anna.wait(lambda: any(key == "d" for key, *_ in anna.areas), "what may be touched")
    assert {row for _, _, row, *_ in anna.areas} == {-1}
    anna.send("\r\r")
    anna.at_prompt()
    anna.send("n")
    anna.told("[D] and [Z] are for Anna")
    anna.offers("w", "d")
    assert "z" not in anna.keys
    assert {row for _, _, row, *_ in anna.areas} == {-1}


def test_a_page_commits_to_a_text_of_its_own_and_reveals_it(web: Bbs, tabs: ExitStack) -> None:
    anna = seated(tabs, web, "Anna")
    anna.wait(lambda: len(anna.seal) == 64, "the seal")
    mine = "device/" + 32 * "0"
    digest = sha256(mine.encode()).hexdigest()
    anna.frame(b"c" + digest.encode())
    anna.wait(lambda: anna.mine == digest, "the commitment")
    bert = web.call().register("Bert").sit()
    assert not anna.is_frozen
    anna.send("s")
    anna.wait(lambda: anna.is_frozen, "the freeze")
    assert "Seal of these cards" not in bert.transcript
    anna.frame(b"o" + mine.encode())
    for caller in (anna, bert):
        caller.hear("Seal of these cards:")
    assert re.search("Words: 1 device, 2 ", bert.transcript)


def test_a_password_is_told_to_be_hidden_and_never_shown(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web)
    anna.see("Name:")
    anna.line("Anna")
    anna.offers("y", "n")
    assert not anna.is_hidden_line
    anna.send("y")
    anna.wait(lambda: anna.is_hidden_line, "a hidden line")
    anna.line("secret-1")
    anna.see("Repeat the password:")
    anna.line("secret-1")
    anna.at_prompt()
    assert not any("secret-1" in one.text for one in anna.heard)
    assert b"secret-1" not in anna.raw


def test_an_on_lookers_own_lines_are_in_the_log_once(web: Bbs, tabs: ExitStack) -> None:
    [anna] = web.seat("Anna")
    anna.send("./watchers on\r")
    anna.hear("Anna lets those who watch speak to the table.")
    dora = opened(tabs, web).register("Dora")
    dora.press("/watch poker\r")
    dora.see("Master:", "Watching: Dora")
    for key, text in ((",", "psst"), (".", "good luck")):
        dora.send(f"{key}{text}\r")
        dora.see(f"Dora, watching{')' if key == ',' else ']'} {text}")
    anna.send(".welcome\r")
    dora.told("Chat, Anna: welcome")
    said = [one.text for one in dora.heard]
    assert [said.count(f"Dora, watching: {text}") for text in ("psst", "good luck")] == [1, 1]
    assert [len([one for one in said if text in one]) for text in ("psst", "good luck")] == [1, 1]


def test_an_invitation_of_somebody_who_is_banned_does_not_hold(web: Bbs, tabs: ExitStack) -> None:
    anna = seated(tabs, web, "Anna")
    anna.send("./link\r")
    anna.wait(lambda: bool(anna.link), "a link")
    _, _, invitation = anna.link.partition("http://bbs.example/#join=")
    tabs.enter_context(Tab(web.web_port, invitation=invitation)).see("Anna invites you: Poker")
    web.yawcctl("ban", "Anna", "--for", "1h", "--reason", "abuse")
    anna.ended()
    tabs.enter_context(Tab(web.web_port, invitation=invitation)).see("This invitation is no longer valid.")


def test_the_window_changes_its_size(web: Bbs, tabs: ExitStack) -> None:
    anna = seated(tabs, web, "Anna")
    anna.resize(60, 20)
    anna.see("60x20")
    anna.resize(80, 24)
    anna.see("Master:", "Pot:")


def test_the_bbs_closes_down(tmp_path: Path, tabs: ExitStack) -> None:
    with a_bbs(tmp_path / "data") as bbs:
        anna = opened(tabs, bbs).register("Anna")
        with socket.create_connection(("127.0.0.1", bbs.web_port)):  # asks for nothing
            assert bbs.stop() == 0
        anna.ends(1001)
        assert "closing down" in anna.transcript


# --- coming back ------------------------------------------------------------------------------------------------------


def test_a_line_that_broke_comes_back_to_its_seat(web: Bbs, tabs: ExitStack) -> None:
    anna = seated(tabs, web, "Anna")
    [bert] = web.seat("Bert")
    anna.told("Bert")
    token, process = anna.has_token(), web.session("Anna")
    anna.hang_up()
    wait_until(lambda: "waits for its page" in web.log.read_text(), "the session waits")
    bert.send(".hello\r")
    bert.hear("[Bert] hello")
    again = opened(tabs, web, token)
    again.see("Master:", "hello", "Bert")
    again.told("Bert: hello")
    assert again.has_token(token) != token
    assert (again.title, again.language) == ("Poker - Anna - Testville", "en")
    assert web.session("Anna") == process
    again.send(".back\r")
    bert.hear("[Anna] back")
    assert not any("left" in message or "removed" in message for message in bert.messages)


def test_a_line_comes_back_to_the_prompt_with_what_stood_there(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web).register("Anna")
    anna.send("w")
    anna.see("1 user online.")
    anna.at_prompt()
    shown, token = anna.lines, anna.has_token()
    anna.close()
    again = opened(tabs, web, token)
    again.at_prompt()
    assert again.lines == shown[-24:]
    again.offers("s", "q")
    again.send("w")
    again.at_prompt()


def test_messages_wait_for_the_page(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web).register("Anna")
    token = anna.has_token()
    anna.hang_up()
    wait_until(lambda: "waits for its page" in web.log.read_text(), "the session waits")
    bert = web.call().register("Bert")
    bert.send("X")
    bert.line("Anna")
    bert.line("are you there?")
    bert.see("Sent to Anna.")
    again = opened(tabs, web, token)
    again.told("are you there?")
    again.see("are you there?")


def place_of_anna(bbs: Bbs) -> object:
    (anna,) = [json.loads(line) for line in bbs.yawcctl("who", "--json").splitlines()]
    return anna["address"]


def test_a_line_that_comes_back_from_another_address_is_counted_and_banned_there(
    tmp_path: Path, tabs: ExitStack
) -> None:
    home, cafe, train = "127.0.0.2", "127.0.0.3", "127.0.0.4"
    config = FAST.replace("max_per_address = 200", "max_per_address = 1")
    with Bbs(tmp_path / "data", f"{config}[web]\n", web_port=free_port()) as bbs:
        anna = tabs.enter_context(Tab(bbs.web_port, address=home)).register("Anna")
        token = anna.has_token()
        anna.hang_up()
        again = tabs.enter_context(Tab(bbs.web_port, token, address=cafe))
        again.at_prompt()
        wait_until(lambda: place_of_anna(bbs) == cafe, "the new address")
        bbs.call(address=home).see("Name:")
        refused_there = bbs.call(address=cafe)
        refused_there.ended()
        assert "too many calls from your address" in refused_there.text
        bbs.yawcctl("ban", home, "--for", "1d", "--reason", "test")
        again.send("w")
        again.see("1 user online.")
        bbs.yawcctl("ban", train, "--for", "1d", "--reason", "test")
        token = again.has_token(token)
        again.hang_up()
        (bbs.data / "banned.json").unlink()
        bbs.process.send_signal(signal.SIGUSR1)
        wait_until(lambda: "banned addresses and networks: 0" in bbs.log.read_text(), "a listener that knows no ban")
        third = tabs.enter_context(Tab(bbs.web_port, token, address=train))
        third.ends(1000)
        assert "test" in third.transcript
        assert f"user 'Anna' from {train} is banned" in bbs.log.read_text()


def test_another_tab_takes_the_session_over(web: Bbs, tabs: ExitStack) -> None:
    anna = seated(tabs, web, "Anna")
    token = anna.has_token()
    other = opened(tabs, web, token)
    other.see("Master:", "Pot:")
    anna.ends(4000)
    other.send(".still here\r")
    other.see("[Anna] still here")
    newer = other.has_token(token)
    other.send(".really\r")
    other.see("[Anna] really")  # so the answer to the ping behind the token has been read as well
    opened(tabs, web, token).ends(4001)
    third = opened(tabs, web, newer)
    third.see("Master:")
    other.ends(4000)


def test_a_token_of_nobody_is_unknown(town: Bbs, tabs: ExitStack) -> None:
    opened(tabs, town, "x" * 32).ends(4001)


def test_who_says_goodbye_does_not_come_back(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web).register("Anna")
    token = anna.has_token()
    process = web.session("Anna")
    anna.close(1000)
    wait_until(lambda: not lives(process), "the session ends")
    opened(tabs, web, token).ends(4001)


def test_who_has_an_older_token_does_not_come_back_after_a_new_password(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web).register("Anna")
    token = anna.has_token()
    anna.press("p\r")
    anna.at_prompt()
    anna.press("c")
    anna.at("Old password: ").press("secret-1\r")
    anna.at("Password: ").press("another-one\r")
    anna.at("Repeat the password: ").press("another-one\r")
    anna.see("Your password has been changed.")
    newer = anna.has_token(token)
    opened(tabs, web, token).ends(4001)
    anna.at_prompt()
    anna.hang_up()
    opened(tabs, web, newer).at_prompt()


@pytest.mark.parametrize("action", ["password", "ban --for 1d", "kick", "delete --yes"])
def test_a_page_that_is_away_does_not_come_back_after_what_a_sysop_did(web: Bbs, tabs: ExitStack, action: str) -> None:
    anna = opened(tabs, web).register("Anna")
    token, process = anna.has_token(), web.session("Anna")
    anna.hang_up()
    wait_until(lambda: "the session waits for its page" in web.log.read_text(), "the session to wait")
    web.yawcctl(*action.split(), "Anna", "--reason", "stolen")
    wait_until(lambda: not lives(process), "the session ends")
    opened(tabs, web, token).ends(4001)


def test_a_session_that_nobody_comes_back_to_ends(tmp_path: Path, tabs: ExitStack) -> None:
    with a_bbs(tmp_path / "data", "resume_seconds = 0.3") as bbs:
        anna = seated(tabs, bbs, "Anna")
        [bert] = bbs.seat("Bert")
        token = anna.has_token()
        anna.hang_up()
        bert.wait(lambda: "Anna" not in bert.left(2, 5), "an empty seat")
        opened(tabs, bbs, token).ends(4001)


def test_a_line_that_breaks_before_the_login_is_no_session(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web)
    anna.see("Name:")
    assert anna.token == ""
    anna.hang_up()
    wait_until(lambda: not serving(web.process.pid), "the process ends")


def test_whose_session_is_stopped_may_call_again_when_it_goes_on(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web).register("Anna")
    token, process = anna.has_token(), web.stopped("Anna")
    try:
        opened(tabs, web, token).ends(1013)
    finally:
        process.resume()
    opened(tabs, web, token).at_prompt()


def test_an_upgrade_keeps_sessions_and_the_door(web: Bbs, tabs: ExitStack) -> None:
    anna = opened(tabs, web).register("Anna")
    token = anna.has_token()
    web.yawcctl("upgrade")
    again = opened(tabs, web, token)
    again.at_prompt()
    assert get(web.web_port)[0] == 200


# --- a tab that sleeps ------------------------------------------------------------------------------------------------


def test_a_tab_that_sleeps_is_told_in_words_and_drawn_anew_when_it_wakes(web: Bbs, tabs: ExitStack) -> None:
    anna = seated(tabs, web, "Anna")
    [bert] = web.seat("Bert")
    anna.told("Bert")
    anna.show(is_visible=False)
    anna.send(".asleep\r")
    bert.hear("[Anna] asleep")
    anna.told("Anna: asleep")
    texts = anna.texts
    bert.send(".awake?\r")
    anna.told("Bert: awake?")
    assert anna.texts == texts
    anna.show(is_visible=True)
    anna.see("[Bert] awake?", "Master:")
    assert anna.screen.cursor.hidden


# --- HTTPS ------------------------------------------------------------------------------------------------------------


@needs_openssl
def test_a_session_by_https_comes_back_through_a_relay(tmp_path: Path, tabs: ExitStack) -> None:
    files = make_certificate(tmp_path)
    with a_bbs(tmp_path / "data", f'cert = "{files.cert}"\nkey = "{files.key}"') as bbs:
        anna = tabs.enter_context(Tab(bbs.web_port, trusted=files.cert)).register("Anna")
        anna.sit()
        [bert] = bbs.seat("Bert")
        token = anna.has_token()
        anna.hang_up()
        wait_until(lambda: "waits for its page" in bbs.log.read_text(), "the session waits")
        again = tabs.enter_context(Tab(bbs.web_port, token, trusted=files.cert))
        again.see("Master:", "Bert")
        again.send(".back\r")
        bert.hear("[Anna] back")
        newer = again.has_token(token)
        again.hang_up()
        third = tabs.enter_context(Tab(bbs.web_port, newer, trusted=files.cert))
        third.see("[Anna] back")
        third.send("x")
        third.at_prompt()
        third.send("q")
        third.offers("y")
        third.send("y")
        third.ends(1000)
        assert b"HTTP/1.1 307 " in exchange(bbs.web_port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        wait_until(lambda: len(serving(bbs.process.pid)) == 1, "the relays end")


@needs_openssl
def test_by_https_too_a_tab_is_told_that_another_one_took_its_session_over(tmp_path: Path, tabs: ExitStack) -> None:
    files = make_certificate(tmp_path)
    with a_bbs(tmp_path / "data", f'cert = "{files.cert}"\nkey = "{files.key}"') as bbs:
        anna = tabs.enter_context(Tab(bbs.web_port, trusted=files.cert)).register("Anna")
        token = anna.has_token()
        other = tabs.enter_context(Tab(bbs.web_port, token, trusted=files.cert))
        anna.ends(4000)
        newer = other.has_token(token)
        third = tabs.enter_context(Tab(bbs.web_port, newer, trusted=files.cert))
        other.ends(4000)
        third.has_token(newer)


@needs_openssl
def test_whoever_asks_without_encryption_where_it_is_wanted_is_sent_to_https(tmp_path: Path, tabs: ExitStack) -> None:
    files = make_certificate(tmp_path)
    with a_bbs(tmp_path / "data", f'cert = "{files.cert}"\nkey = "{files.key}"') as bbs:
        status, headers, body = get(bbs.web_port, "/health")
        assert (status, headers["Location"]) == (307, f"https://127.0.0.1:{bbs.web_port}/health")
        assert "Date" in headers
        assert "Strict-Transport-Security" not in headers, "a browser takes no notice of it there"
        assert b"HTTPS only" in body
        assert exchange(bbs.web_port, b"POST / HTTP/1.1\r\nHost: x\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        plain = socket.create_connection(("127.0.0.1", bbs.web_port), DEADLINE)
        with client_context(files.cert).wrap_socket(plain, server_hostname="bbs.test") as asked:
            asked.sendall(b"GET / HTTP/1.1\r\nHost: bbs.test\r\nConnection: close\r\n\r\n")
            answer = asked.makefile("rb").read()
        assert b"\r\nStrict-Transport-Security: max-age=31536000\r\n" in answer
        tabs.enter_context(Tab(bbs.web_port, trusted=files.cert)).see("Name:")


def test_without_its_certificate_the_door_does_not_open(tmp_path: Path) -> None:
    config = tmp_path / "yawc.toml"
    config.write_text('[web]\ncert = "none.pem"\n')
    assert "no certificate for browsers" in refused("--config", config, "--data", tmp_path / "data", "--port", "0")


# --- proxies ----------------------------------------------------------------------------------------------------------


def test_behind_a_proxy_the_caller_counts(tmp_path: Path, tabs: ExitStack) -> None:
    with a_bbs(tmp_path / "data", 'proxies = ["127.0.0.1"]') as bbs:
        one = tabs.enter_context(Tab(bbs.web_port, headers=(("X-Forwarded-For", "6.6.6.6, 192.0.2.7"),)))
        one.register("Anna")
        two = tabs.enter_context(Tab(bbs.web_port, before=b"PROXY TCP4 192.0.2.8 127.0.0.1 1 2\r\n"))
        two.register("Bert")
        people = [json.loads(line) for line in bbs.yawcctl("who", "--json").splitlines()]
        assert {one["name"]: one["address"] for one in people} == {"Anna": "192.0.2.7", "Bert": "192.0.2.8"}
        bbs.yawcctl("ban", "192.0.2.7", "--for", "1d", "--reason", "test")
        one.wait(lambda: one.closed is not None, "the end of a banned caller")
        banned = tabs.enter_context(Tab(bbs.web_port, headers=(("X-Forwarded-For", "192.0.2.7"),)))
        assert "not taken" in banned.ends(1008)
        two.send("w")
        two.see("1 user online.")
        plain = b"GET / HTTP/1.1\r\nHost: bbs\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n"
        assert exchange(bbs.web_port, plain).startswith(b"HTTP/1.1 403 ")
        assert exchange(bbs.web_port, plain.replace(b".7", b".9")).startswith(b"HTTP/1.1 200 ")
        assert exchange(bbs.web_port, b"PROXY TCP4 nobody x 1 2\r\n" + plain) == b""


def test_limits_count_callers_and_not_their_proxy(tmp_path: Path, tabs: ExitStack) -> None:
    config = FAST.replace("max_per_address = 200", "max_per_address = 2") + '[web]\nproxies = ["127.0.0.0/8"]\n'
    with Bbs(tmp_path / "data", config, web_port=free_port()) as bbs:
        for host in range(4):
            header = (("X-Forwarded-For", f"192.0.2.{host // 2}"),)
            tabs.enter_context(Tab(bbs.web_port, headers=header)).see("Name:")
        third = tabs.enter_context(Tab(bbs.web_port, headers=(("X-Forwarded-For", "192.0.2.1"),)))
        assert "too many calls" in third.ends(1008)


def test_behind_a_proxy_the_files_of_a_page_are_no_calls(tmp_path: Path) -> None:
    config = FAST.replace("max_per_address = 200\n", "") + '[web]\nproxies = ["127.0.0.1"]\n'
    with Bbs(tmp_path / "data", config, web_port=free_port()) as bbs, ThreadPoolExecutor(40) as browser:

        def status(path: str) -> int:
            return get(bbs.web_port, path, "X-Forwarded-For: 192.0.2.7")[0]

        files = ["/", *read_page("Testville").files]
        assert len(files) > 20
        for _ in range(3):
            assert Counter(browser.map(status, files)) == {200: len(files)}


def test_nobody_else_is_believed(web: Bbs, tabs: ExitStack) -> None:
    anna = tabs.enter_context(Tab(web.web_port, headers=(("X-Forwarded-For", "192.0.2.7"),))).register("Anna")
    anna.at_prompt()
    people = [json.loads(line) for line in web.yawcctl("who", "--json").splitlines()]
    assert [one["address"] for one in people] == ["127.0.0.1"]
    with pytest.raises(Refused):
        Tab(web.web_port, before=b"PROXY TCP4 192.0.2.8 127.0.0.1 1 2\r\n")


# --- hostile ones -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_",
    [
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /b\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"GET / HTTP/1.1\nHost: x\n\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 20000,
        b"\xff\xfd\x18hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 600 + b"\r\n\r\n",
    ],
    ids=["smuggled", "folded", "two hosts", "bare lines", "endless head", "telnet", "tls"],
)
def test_broken_requests_get_one_answer_and_the_end(town: Bbs, request_: bytes) -> None:
    before = len(town.log.read_text())
    answer = exchange(town.web_port, request_)
    assert answer.startswith(b"HTTP/1.1 4")
    assert answer.count(b"HTTP/1.1") == 1
    assert "refused request" in town.log.read_text()[before:]
    assert "ended by a bug" not in town.log.read_text()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET http://x/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 200),
        (b"GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 404),
        (b"GET http://y/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /session HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n", 400),
    ],
)
def test_every_answer_has_a_date(town: Bbs, request_: bytes, status: int) -> None:
    head, _, _ = exchange(town.web_port, request_).partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    (told,) = re.findall(rb"\r\nDate: (.*?)(?:\r\n|$)", head)
    assert abs(parsedate_to_datetime(told.decode()).timestamp() - time.time()) < DEADLINE
    assert b"Strict-Transport-Security" not in head


def test_a_banned_address_is_refused_for_good(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs:
        bbs.yawcctl("ban", "127.0.0.66", "--for", "1d", "--reason", "test")
        wait_until(lambda: "banned addresses and networks: 1" in bbs.log.read_text(), "the ban at the door")
        answer = exchange(bbs.web_port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", address="127.0.0.66")
        assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\nDate: ")
        assert b"Retry-After" not in answer
        assert answer.endswith(b"Sorry, calls from your address are not taken by this BBS.\n")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1.evil"])
def test_another_sites_page_opens_no_session(town: Bbs, tabs: ExitStack, origin: str) -> None:
    before = len(town.log.read_text())
    with pytest.raises(Refused, match="403"):
        opened(tabs, town, origin=origin)
    assert "refused request: origin" in town.log.read_text()[before:]


def test_an_origin_that_is_allowed(tmp_path: Path, tabs: ExitStack) -> None:
    with a_bbs(tmp_path / "data", 'origins = ["https://door.example"]') as bbs:
        opened(tabs, bbs, origin="https://door.example").see("Name:")


BROKEN = {
    "2^63": (b"\x82\xff" + struct.pack("!Q", 1 << 63) + bytes(4), 1002),
    "endless": (b"\x82\xff" + struct.pack("!Q", (1 << 63) - 1) + bytes(4) + b"d" * 5000, 1009),
    "no mask": (b"\x82\x01d", 1002),
    "no UTF-8": (b"\x82\x82" + bytes(4) + b"d\xff", 1007),
    "text": (b"\x81\x81" + bytes(4) + b"d", 1003),
    "fragments": (b"\x02\x81" + bytes(4) + b"d" + (b"\x00\x80" + bytes(4)) * 100, 1008),
    "pings": (b"\x89\x80" + bytes(4) + (b"\x89\x80" + bytes(4)) * 100, 1008),
    "a second hello": (b"\x82\x83" + bytes(4) + b"t{}", 1002),
    "unknown kind": (b"\x82\x81" + bytes(4) + b"?", 1003),
}
"""Frames, each with the code by which the session ends."""


def test_broken_frames_end_their_session_alone(web: Bbs, tabs: ExitStack) -> None:
    bert = web.call().register("Bert")
    for number, (data, code) in enumerate(BROKEN.values()):
        anna = opened(tabs, web)
        anna.register("Anna") if number == 0 else anna.log_in("Anna")
        token = anna.has_token()
        anna.socket.sendall(data)
        anna.ends(code)
        wait_until(lambda: len(serving(web.process.pid)) == 1, "the end of Anna's session")
        opened(tabs, web, token).ends(4001)
        bert.press("w")
        bert.see("1 user online.")
    assert "ended by a bug" not in web.log.read_text()


def test_half_open_connections_are_few_and_let_go(tmp_path: Path, tabs: ExitStack) -> None:
    with a_bbs(tmp_path / "data") as bbs:
        idle = [
            tabs.enter_context(socket.create_connection(("127.0.0.1", bbs.web_port), source_address=("127.0.0.2", 0)))
            for _ in range(300)
        ]
        for one in idle[:150]:
            one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        anna = opened(tabs, bbs).register("Anna")
        anna.send("w")
        anna.see("1 user online.")
        assert len(serving(bbs.process.pid)) == 1, "there is no process before a request"
        for one in idle:
            one.settimeout(DEADLINE)
            with suppress(ConnectionError):
                while one.recv(4096):
                    pass


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nX: " + b"x" * 6000], ids=["nothing", "a long head"])
def test_who_sends_no_whole_head_is_let_go(town: Bbs, sent: bytes) -> None:
    before = len(serving(town.process.pid))
    with socket.create_connection(("127.0.0.1", town.web_port), timeout=DEADLINE) as silent:
        silent.sendall(sent)
        assert len(serving(town.process.pid)) == before
        answer = b"".join(iter(lambda: silent.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 408 ") if sent else not answer


def test_a_head_that_comes_in_parts_is_served(town: Bbs) -> None:
    with socket.create_connection(("127.0.0.1", town.web_port), timeout=DEADLINE) as slow:
        for part in (b"GET /hea", b"lth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n", b"\r\n"):
            slow.sendall(part)
            assert get(town.web_port, "/health")[0] == 200  # the listener has looked at it meanwhile
        assert b"".join(iter(lambda: slow.recv(4096), b"")).startswith(b"HTTP/1.1 200 ")


def test_a_slow_head_has_a_deadline(town: Bbs) -> None:
    with socket.create_connection(("127.0.0.1", town.web_port), timeout=0.2) as slow:
        until, answer = time.monotonic() + DEADLINE, b""
        slow.sendall(b"GET / HTTP/1.1\r\nX: ")
        while not answer and time.monotonic() < until:
            slow.sendall(b"x")
            with suppress(TimeoutError):
                answer = slow.recv(100)
        assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_page_that_types_without_end_is_slowed_down(web: Bbs, tabs: ExitStack) -> None:
    anna = seated(tabs, web, "Anna")
    [bert] = web.seat("Bert")
    anna.socket.settimeout(0.2)
    flood = b"".join(anna._web.send(BytesMessage(data=b"dq")) for _ in range(4000))
    with suppress(TimeoutError):
        for _ in range(50):
            anna.socket.sendall(flood)
    began = time.monotonic()
    bert.send(".quick\r")
    bert.hear("[Bert] quick")
    assert time.monotonic() - began < 15.0
