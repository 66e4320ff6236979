"""A phone in portrait: a game by buttons and the line for text, everything readable and large enough for a thumb."""

from selenium.webdriver import Chrome

from tests.browser.browser import PHONE, Device, Tab, become, violations
from tests.browser.test_browser_game import play, sitting
from tests.browser.test_browser_touch import TOUCHED
from tests.browser.web_bbs import WebBbs

THUMB = 44
"""Pixels of what is touched, at least."""
READABLE = 12
"""Pixels of the letters of a table, at least."""
BOXES = """
    return Array.from(document.querySelectorAll("#keys button, #line, #send"), (one) => {
        const box = one.getBoundingClientRect();
        return [one.id || one.dataset.code, box.left, box.right, box.width, box.height];
    });
"""
BOX = """
    const {x, y, width, height} = document.querySelector(arguments[0]).getBoundingClientRect();
    return {x, y, width, height};
"""
"""In one script: the table is drawn anew each second."""
LETTERS = "return parseFloat(getComputedStyle(document.querySelector('#narrow .is-cards span')).fontSize)"
ACROSS = "return [document.documentElement.scrollWidth, document.getElementById('narrow').scrollWidth]"


def test_a_game_by_buttons_only(web_bbs: WebBbs, phone: Chrome) -> None:
    anna, bert = sitting(web_bbs, phone)
    assert anna.view == "table"
    play(anna, bert)
    bert.hear("Anna wins")
    anna.answer("Good game")
    bert.hear("[Anna] Good game")
    assert violations(anna.complaints) == []


def test_the_table_is_readable_without_zooming(web_bbs: WebBbs, phone: Chrome) -> None:
    anna, _ = sitting(web_bbs, phone)
    anna.tap("s")
    anna.is_offered("b")
    anna.see("Turn:   Anna", "Pot:", "Bert", "┌────┐")
    assert phone.execute_script(LETTERS) >= READABLE
    assert all(width <= PHONE.width for width in phone.execute_script(ACROSS))
    parts = ("#narrow .is-cards", "#narrow .is-status", "#keys")
    cards, status, keys = (phone.execute_script(BOX, one) for one in parts)
    assert cards["y"] >= 0
    assert status["y"] + status["height"] <= keys["y"]
    assert keys["y"] + 2 * THUMB <= PHONE.height


def test_on_its_side_the_table_stands_beside_the_keys(web_bbs: WebBbs, phone: Chrome) -> None:
    become(phone, Device(720, 360, is_phone=True))
    anna, _ = sitting(web_bbs, phone)
    anna.tap("s")
    anna.is_offered("b")
    anna.see("Turn:   Anna", "Pot:", "┌────┐")
    assert phone.execute_script(LETTERS) >= READABLE
    status = phone.execute_script(BOX, "#narrow .is-status")
    assert status["y"] + status["height"] <= 360
    for _, left, right, *_, top, bottom in phone.execute_script(
        BOXES.replace("box.width, box.height", "box.top, box.bottom")
    ):
        assert left >= status["x"] + status["width"]
        assert (right <= 720, top >= 0, bottom <= 360) == (True, True, True)


def test_what_is_touched_is_large_enough(web_bbs: WebBbs, phone: Chrome) -> None:
    anna, _ = sitting(web_bbs, phone)
    anna.tap("s")
    anna.is_offered("b")
    for name, left, right, width, height in phone.execute_script(BOXES):
        assert min(width, height) >= THUMB, name
        assert left >= 0, name
        assert right <= PHONE.width, name


def test_prose_is_broken_where_the_phone_ends(web_bbs: WebBbs, phone: Chrome) -> None:
    tab = Tab(phone, web_bbs.url).register("Carola")
    assert tab.view == "text"
    tab.tap("h")
    tab.tap("1")
    tab.wait(lambda: len(tab.screen) > 400, "a page of the help")
    assert all(width <= PHONE.width for width in phone.execute_script(ACROSS))
    assert (
        phone.execute_script("return getComputedStyle(document.querySelector('#narrow .is-text')).fontSize") == "15px"
    )


def test_with_its_keyboard_up_a_phone_is_still_one(web_bbs: WebBbs, phone: Chrome) -> None:
    anna, _ = sitting(web_bbs, phone)
    become(phone, Device(PHONE.width, 330, is_phone=True))
    anna.wait(lambda: phone.execute_script("return document.body.dataset.shape") == "phone", "the shape of a phone")
    send, line = (phone.find_element("id", name).rect for name in ("send", "line"))
    assert send["y"] == line["y"]
    assert send["x"] > line["x"] + line["width"]


def test_the_help_at_a_table_is_read_from_its_beginning(web_bbs: WebBbs, phone: Chrome) -> None:
    anna, _ = sitting(web_bbs, phone)
    anna.tap("?")
    anna.wait(lambda: anna.view == "text" and anna.keys == ["\r"], "the help")
    assert phone.execute_script(
        "const {scrollTop, scrollHeight, clientHeight} = document.getElementById('narrow');"
        "return [scrollTop, scrollHeight > clientHeight]"
    ) == [0, True]
    anna.wait(lambda: set(phone.execute_script(TOUCHED)) == {"ENTER"}, "nothing of the table below to be touched")
    phone.execute_script("document.querySelector('#narrow [data-touch]').click()")
    anna.wait(lambda: anna.view == "table", "the table")
