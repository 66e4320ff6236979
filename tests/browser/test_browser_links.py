"""Links: a stranger who opens one plays in at most three taps; invitations, their QR code, and guests."""

import re
import time

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.browser.browser import DESKTOP, PHONE, Device, Tab, become, violations
from tests.browser.cable import Cable
from tests.browser.test_browser_game import sitting
from tests.browser.test_browser_sizes import AT_200_PERCENT, name
from tests.browser.test_browser_touch import PHONE_ON_ITS_SIDE
from tests.browser.web_bbs import WebBbs, web_config
from tests.end_to_end.bbs import FAST
from tests.ports import free_port
from tests.thoroughness import few

GUEST = "guest\r"
OPEN = "return document.getElementById('share-dialog').open"
IN_REACH = """
    return ["share-code", "share-link", "share-copy", "share-close"].map((id) => {
        const one = document.getElementById(id);
        const {left, right, top, bottom} = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    });
"""
STATUSES = """
    const done = arguments[0];
    const all = Array.from(document.querySelectorAll("head link"), ({href}) => fetch(href).then(({status}) => status));
    Promise.all(all).then(done, (error) => done(`${error}`));
"""
"""Of icons, manifest and style sheets."""
SHOWN = "return document.getElementById('share-link').value"


def opened(driver: Chrome, url: str) -> Tab:
    """Open an address in a tab that has no session yet."""
    driver.switch_to.new_window("tab")
    return Tab(driver, url)


def test_a_stranger_who_opens_a_link_has_cards_after_three_taps(
    tmp_path_factory: pytest.TempPathFactory, desktop: Chrome
) -> None:
    config = FAST.replace("players = 0", "players = 3") + web_config()
    data = tmp_path_factory.mktemp("links") / "data"
    with WebBbs(data, config, web_port=free_port()) as bbs:
        tab = Tab(desktop, f"{bbs.url}#poker-1")
        tab.is_offered(GUEST)
        began = time.monotonic()
        tab.tap(GUEST)
        tab.see("Master:", "Guest 1")
        tab.hear("; level: ")
        tab.tap("s")
        tab.is_offered("b")
        assert time.monotonic() - began < 20, "some five seconds, on a machine that does nothing else"
        tab.see("Turn:", "Pot:")
        assert violations(tab.complaints) == []


def test_a_link_to_a_table_leads_beside_it_and_from_there_to_a_seat(web_bbs: WebBbs, desktop: Chrome) -> None:
    bert = web_bbs.call().register("Bert").sit()
    tab = Tab(desktop, f"{web_bbs.url}#poker-1")
    tab.tap(GUEST)
    tab.see("Bert", "Watching: Guest 1")
    tab.tap("s")
    bert.hear("Guest 1 sits down")
    tab.is_offered("x")
    tab.tap("x")
    tab.see("You play as a guest")


def test_a_user_who_opens_a_link_comes_to_its_table_after_the_login(web_bbs: WebBbs, desktop: Chrome) -> None:
    web_bbs.call().register("Bert").sit()
    tab = Tab(desktop, f"{web_bbs.url}#poker-1")
    tab.name = "Anna"
    tab.see("Name:")
    tab.answer("Anna")
    tab.tap("y")
    choose_password(tab, desktop)
    tab.see("Bert", "Watching: Anna")


def choose_password(tab: Tab, driver: Chrome) -> None:
    for prompt in ("Password:", "Repeat the password:"):
        tab.see(prompt)
        tab.wait(lambda: driver.find_element(By.ID, "line").get_attribute("type") == "password", "a hidden line")
        tab.answer("secret-1")


def test_a_guest_keeps_what_they_own_under_a_name(web_bbs: WebBbs, desktop: Chrome) -> None:
    web_bbs.call().register("Bert").sit()
    tab = Tab(desktop, f"{web_bbs.url}#poker-1")
    for key in (GUEST, "s", "x", "q", "a"):
        tab.tap(key)
    tab.see("Under which name?")
    tab.answer("Dora")
    choose_password(tab, desktop)
    tab.see("You are Dora from now on")
    web_bbs.call().log_in("Dora").see("You own 100 CUBES")


def test_a_link_to_nowhere_says_so(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, f"{web_bbs.url}#poker-99")
    tab.tap(GUEST)
    tab.see("The link leads to no table")


def test_an_invitation_lets_a_guest_in_where_none_are(
    tmp_path_factory: pytest.TempPathFactory, desktop: Chrome
) -> None:
    config = FAST.replace("[bbs]", "[bbs]\nguests = false") + web_config()
    with WebBbs(tmp_path_factory.mktemp("links") / "data", config, web_port=free_port()) as bbs:
        anna, _ = sitting(bbs, desktop)
        desktop.find_element(By.ID, "share").click()
        anna.wait(lambda: bool(desktop.execute_script(OPEN)), "the link")
        link = desktop.execute_script(SHOWN)
        assert re.fullmatch(re.escape(bbs.url) + r"#join=[\w-]{16}", link)
        assert (
            desktop.execute_script("return document.querySelector('#share-code path').getAttribute('d').length") > 500
        )
        assert any("#poker-1" in message for message in anna.messages)
        other = opened(desktop, bbs.url)
        other.see("Name:")
        assert GUEST not in other.keys
        guest = opened(desktop, link)
        guest.see("Anna invites you")
        guest.tap(GUEST)
        guest.see("Watching: Guest 1", "Bert")
        anna.look()
        anna.hear("Guest 1 is watching")


@pytest.mark.parametrize("device", few([PHONE_ON_ITS_SIDE, DESKTOP, PHONE, AT_200_PERCENT], 2), ids=name)
def test_the_whole_invitation_is_seen(web_bbs: WebBbs, desktop: Chrome, device: Device) -> None:
    become(desktop, device)
    anna, _ = sitting(web_bbs, desktop)
    anna.click("share")
    anna.wait(
        lambda: desktop.execute_script(IN_REACH) == [True] * 4, "code, link and buttons of an invitation in reach"
    )


class Folder(Cable):
    """A web server that passes requests for what is in its folder on."""

    name = "/cards/"

    def passed(self, data: bytes) -> bytes:
        return data.replace(f"GET {self.name}".encode(), b"GET /") if data.startswith(b"GET ") else data


def test_a_page_works_below_a_folder_of_a_web_server(web_bbs: WebBbs, desktop: Chrome) -> None:
    web_bbs.call().register("Bert").sit()
    with Folder(web_bbs.web_port) as server:
        own = f"http://127.0.0.1:{server.port}{server.name}"
        tab = Tab(desktop, f"{own}#poker-1")
        tab.tap(GUEST)
        tab.see("Watching: Guest 1", "Bert")
        desktop.execute_script("document.getElementById('share').click()")
        tab.wait(lambda: str(desktop.execute_script(SHOWN)).startswith(own), "a link into the folder")
        assert set(desktop.execute_async_script(STATUSES)) == {200}
        assert violations(tab.complaints) == []


def test_a_terminal_prints_links_that_begin_with_the_address_of_the_page(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    data = tmp_path_factory.mktemp("links") / "data"
    config = FAST + web_config() + 'address = "https://bbs.example/"\n'
    with WebBbs(data, config, web_port=free_port()) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("./link\r")
        anna.hear("To this table: https://bbs.example/#poker-1")
        anna.hear("https://bbs.example/#join=")
        assert "bbs.example" not in bert.text


def test_where_the_page_is_nobody_has_told_a_terminal(web_bbs: WebBbs) -> None:
    anna = web_bbs.call().register("Anna").sit()
    anna.send("./link\r")
    anna.see("There is no link")
