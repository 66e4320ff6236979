"""A game in the browser against a caller by telnet: by keyboard, through a broken line, in two tabs, in other sizes."""

from selenium.webdriver import Chrome

from tests.browser.browser import Tab, violations
from tests.browser.cable import Cable
from tests.browser.web_bbs import WebBbs
from tests.end_to_end.bbs import Caller
from tests.end_to_end.browser import Tab as Page

HIDE = """
    Object.defineProperty(document, "hidden", {value: arguments[0], configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
"""
"""What the browser does when a tab is left or looked at."""
TOKEN = "sessionStorage.getItem('yawc.session')"


PASTE = """
    const data = new DataTransfer();
    data.setData("text/plain", arguments[0]);
    const field = document.querySelector(".xterm-helper-textarea");
    field.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
"""


def give_session(driver: Chrome, url: str, token: str) -> None:
    """Let the page that a tab loads next go on with a session."""
    driver.get(f"{url}style.css")  # of the same site, but no page that would keep a token of its own
    driver.execute_script("sessionStorage.setItem('yawc.session', arguments[0])", token)


def sitting(web_bbs: WebBbs, driver: Chrome, port: int = 0) -> tuple[Tab, Caller]:
    """Seat Anna in the browser, then Bert by telnet.

    Her page goes on with a session that sits already: to register by a page takes longer than most tests.
    """
    url = f"http://127.0.0.1:{port}/" if port else web_bbs.url
    before = web_bbs.called(Page(web_bbs.web_port).register("Anna").sit())
    give_session(driver, url, before.token)
    before.hang_up()
    anna = Tab(driver, url)
    anna.name = "Anna"
    anna.see("Master:", "Pot:")
    bert = web_bbs.call().register("Bert").sit()
    anna.hear("Bert sits down")
    return anna, bert


def play(anna: Tab, bert: Caller) -> None:
    """Play from the start to the end: Anna by buttons and the line for text; Bert passes, and Anna shows her cards."""
    anna.tap("s")
    anna.tap("b")
    anna.tap("\r")
    bert.bet()
    anna.tap("d")
    bert.see("[D] Done")
    bert.send("d")
    anna.tap("b")
    anna.is_offered("\r")  # how many CUBES? Before that, text is chat
    anna.answer("7")
    bert.see("[P]")
    bert.send("p")
    bert.see("(y/n)")
    bert.send("y")
    anna.tap("r")
    anna.hear("Anna wins")


def test_what_is_pasted_into_the_page_is_text(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    anna.tap("s")
    bert.until("Turn:", "Anna")
    desktop.execute_script(PASTE, "py\n")
    anna.type(".")
    anna.is_offered("\x1b")
    desktop.execute_script(PASTE, "ok\npy\n")
    anna.see("Anna: ok py")
    anna.type("!")
    anna.see("Anna: ok py!")
    anna.tap("\r")
    bert.hear("[Anna] ok py!")
    assert bert.field("Turn:") == "Anna"


def test_a_game_against_a_caller_by_telnet(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    assert anna.view == "whole"
    assert "With you at the table" in anna.screen
    play(anna, bert)
    bert.hear("Anna wins")
    anna.answer("Well played, Bert!")
    bert.hear("[Anna] Well played, Bert!")
    anna.hear("Well played, Bert!")
    said = [message for message in anna.messages if "Well played" in message]
    assert len(said) == 1  # a screen reader speaks it once
    assert violations(anna.complaints) == []


def test_typing_works_at_once(web_bbs: WebBbs, desktop: Chrome) -> None:
    tab = Tab(desktop, web_bbs.url)
    tab.see("Name:")
    tab.type("Carola\n")
    tab.see("Carola", "(y/n)")
    tab.type("y")
    tab.see("Password:")
    tab.type("secret-1\n")
    tab.see("Repeat the password:")
    tab.type("secret-1\n")
    tab.is_offered("s")
    assert "secret-1" not in tab.screen


def test_a_key_by_the_mouse_then_text_by_the_keyboard(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    anna.tap("s")
    anna.point("b")
    anna.see("How many CUBES")
    anna.type("12\n")
    bert.hear("Anna bets 12 CUBES")


def test_the_title_and_the_page_tell_whose_turn_it_is(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    assert "Your turn" not in anna.title
    anna.tap("s")
    anna.wait(lambda: "Your turn" in anna.title, "the title")
    anna.tap("b")
    anna.tap("\r")
    anna.wait(lambda: "Your turn" not in anna.title, "the title of another's turn")
    bert.see("[B]")


def test_the_line_breaks_and_the_seat_is_kept(web_bbs: WebBbs, desktop: Chrome) -> None:
    with Cable(web_bbs.web_port) as cable:
        anna, bert = sitting(web_bbs, desktop, cable.port)
        anna.tap("s")
        anna.is_offered("b")
        cable.cut()
        anna.says("The line is broken")
        bert.send(".Are you there?\r")
        bert.hear("Are you there?")
        cable.mend()
        anna.says("Connected")
        anna.see("Are you there?", "Pot:")
        anna.tap("b")
        anna.tap("\r")
        bert.see("[B]")
        assert "Anna leaves" not in bert.transcript
        assert sum("Are you there?" in message for message in anna.messages) <= 1


def test_a_tab_that_nobody_sees_is_drawn_anew_when_it_is_looked_at(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    desktop.execute_script(HIDE, True)
    for number in range(3):
        bert.send(f".Line {number}\r")
        bert.hear(f"[Bert] Line {number}")
    anna.hear("Bert: Line 2")
    assert "Line 2" not in anna.screen
    desktop.execute_script(HIDE, False)
    anna.see("Pot:", "[Bert] Line 0", "[Bert] Line 2")
    assert sum("Line 2" in message for message in anna.messages) == 1
    anna.tap("s")
    bert.see("Turn:", "Anna")


def test_two_tabs_are_two_callers(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna = Tab(desktop, web_bbs.url).register("Anna").sit()
    desktop.switch_to.new_window("tab")
    emil = Tab(desktop, web_bbs.url)
    anna.see("Pot:")
    emil.register("Emil").sit()
    emil.answer("Hello from the other tab")
    anna.hear("Emil: Hello from the other tab")
    emil.hear("Emil: Hello from the other tab")


def test_a_copied_tab_takes_the_session_over(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    token = desktop.execute_script(f"return {TOKEN}")
    assert token
    desktop.switch_to.new_window("tab")
    give_session(desktop, web_bbs.url, str(token))
    copy = Tab(desktop, web_bbs.url)
    copy.see("Pot:", "Anna")
    anna.says("another tab")
    copy.tap("s")
    bert.see("Turn:", "Anna")


def test_a_larger_window_and_a_narrow_one(web_bbs: WebBbs, desktop: Chrome) -> None:
    anna, bert = sitting(web_bbs, desktop)
    desktop.set_window_size(1900, 1100)
    letters = "return parseFloat(getComputedStyle(document.querySelector('.xterm-rows')).fontSize)"
    anna.wait(lambda: desktop.execute_script(letters) >= 22, "large letters")
    anna.see("Pot:", "Bert sits down")
    desktop.set_window_size(500, 900)
    anna.wait(lambda: anna.view == "table", "the narrow view")
    anna.see("Pot:")
    desktop.set_window_size(1280, 800)
    anna.wait(lambda: anna.view == "whole", "the whole screen")
    anna.see("Pot:", "Bert sits down")
    play(anna, bert)


def test_a_page_without_its_terminal_says_what_to_do(web_bbs: WebBbs, desktop: Chrome) -> None:
    desktop.execute_cdp_cmd("Network.enable", {})
    desktop.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/vendor/*"]})
    tab = Tab(desktop, web_bbs.url)
    tab.wait(lambda: "make page" in desktop.find_element("id", "missing").text, "the command")
    tab.says("Connected")
    tab.answer("Dora")
    tab.tap("y")
