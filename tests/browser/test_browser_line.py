"""The line for text, the clipboard, and what others read of it: emoji, long chat, keys that found no line."""

from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.browser import Tab, violations
from tests.browser.cable import Cable
from tests.browser.test_browser_game import sitting
from tests.browser.test_browser_sight import fits
from tests.browser.web_bbs import WebBbs
from tests.waiting import wait_until

SET = "const line = document.getElementById('line'); line.value = arguments[0]"


def wrote(tab: Tab, driver: Chrome, text: str) -> None:
    """Send a text that no keyboard of the driver's can type."""
    tab.look()
    driver.execute_script(SET, text)
    tab.click("send")


def test_emoji_are_read_as_typed_by_pages_and_as_signs_by_terminals(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    wrote(anna, desktop, "Good game \U0001f600 \U0001f389 \u4f60")
    bert.hear("[Anna] Good game :-D :party popper: ?")
    anna.hear("Anna: Good game \U0001f600 \U0001f389 \u4f60")
    anna.see("[Anna] Good game :-D :party popper: ?")
    bert.send(".Thanks \U0001f44d\U0001f3fd\r")
    anna.hear("Bert: Thanks \U0001f44d")
    anna.see("[Bert] Thanks (y)")


def test_long_chat_is_sent_in_lines(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    words = " ".join(f"word{number}" for number in range(20))
    wrote(anna, desktop, words)
    bert.hear("word19")
    said = [line.partition("[Anna] ")[2] for line in bert.lines if "[Anna] word" in line]
    assert len(said) > 1
    assert " ".join(sorted((line.strip() for line in said), key=lambda one: int(one.split()[0][4:]))) == words
    wrote(anna, desktop, words * 5)
    anna.wait(lambda: "too long" in desktop.find_element(By.ID, "hint").text, "that it is too long")
    assert desktop.execute_script("return document.getElementById('line').value") == words * 5


def test_escape_leads_back_out_of_the_line(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, _ = sitting(web_bbs, desktop)
    anna.tap("s")
    anna.tap("b")
    anna.is_offered("\r")
    line = desktop.find_element(By.ID, "line")
    line.send_keys("12", Keys.ESCAPE)
    anna.is_offered("p")
    assert line.get_attribute("value") == ""
    line.send_keys("hello", Keys.ESCAPE)
    assert line.get_attribute("value") == ""
    assert "p" in anna.keys


def test_what_is_marked_is_copied_and_what_was_copied_is_pasted(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, _ = sitting(web_bbs, desktop)
    desktop.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    )
    row = desktop.find_element(By.CSS_SELECTOR, "#terminal .xterm-rows > div:nth-child(2)")
    right = row.rect["width"] // 2 - 60
    mouse = ActionChains(desktop).move_to_element_with_offset(row, 40 - right, 0).click_and_hold()
    mouse.move_to_element_with_offset(row, right, 0).release().perform()
    ActionChains(desktop).key_down(Keys.CONTROL).send_keys("c").key_up(Keys.CONTROL).perform()
    copied = desktop.execute_async_script(
        "const done = arguments[0]; navigator.clipboard.readText().then(done, (error) => done(`${error}`))"
    )
    assert copied.strip()
    assert copied.strip() in anna.screen
    anna.type(".")
    anna.is_offered("\x1b")
    ActionChains(desktop).key_down(Keys.CONTROL).send_keys("v").key_up(Keys.CONTROL).perform()
    anna.wait(lambda: copied.split()[-1] in anna.screen.split("\n")[-1], "what was copied in the chat line")
    assert violations(anna.complaints) == []


def test_keys_that_find_no_line_are_not_lost_in_silence(web_bbs: WebBbs, desktop: Chrome) -> None:
    with Cable(web_bbs.web_port) as cable:
        anna, _ = sitting(web_bbs, desktop, cable.port)
        cable.cut()
        anna.says("The line is broken")
        hint = desktop.find_element(By.ID, "hint")
        desktop.execute_script("document.querySelector('.xterm textarea').focus()")
        anna.type("s")
        anna.wait(lambda: "Not sent" in hint.text, "that a key was not sent")
        fits(anna, desktop, "line")
        cable.mend()
        anna.says("Connected")
        anna.wait(lambda: hint.text == "", "no complaint any more")


def test_a_page_waits_for_a_session_that_is_busy(web_bbs: WebBbs, desktop: Chrome) -> None:
    with Cable(web_bbs.web_port) as cable:
        anna, _ = sitting(web_bbs, desktop, cable.port)
        session = web_bbs.stopped("Anna")
        cable.cut()
        anna.says("The line is broken")
        cable.mend()
        wait_until(lambda: "the session does not answer" in web_bbs.log.read_text(), "a call without an answer")
        session.resume()
        anna.says("Connected")
        anna.is_offered("s")
        assert not any("has ended" in message for message in anna.messages)


def test_a_session_that_another_login_has_replaced_says_so(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, _ = sitting(web_bbs, desktop)
    other = web_bbs.call()
    other.log_in("Anna")
    anna.says("another")
