"""A caller who cannot see: knows the page by its accessibility tree alone, as a screen reader does, by roles and names.

Nothing here looks at an element, an id or the terminal.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple, Self

from selenium.common.exceptions import WebDriverException
from selenium.webdriver import Chrome

from tests.browser.browser import LOOKS
from tests.end_to_end.bbs import DEADLINE
from tests.waiting import wait_until
from yawc_poker.catalogues import words
from yawc_poker.words import Language

SEND: Final = {"en": "Send", "de": "Senden", "nl": "Versturen", "fr": "Envoyer"}
KEYS: Final = {"en": "Keys", "de": "Tasten", "nl": "Toetsen", "fr": "Touches"}
_SIGN_NAME: Final = re.compile(r"\] \([^)]*\) ")
"""The name of a sign behind its key, as in "[+] (plus) clubs"."""


class Node(NamedTuple):
    """Something that a screen reader can come to."""

    role: str
    name: str
    place: int
    """By which the browser knows it."""
    children: tuple[str, ...]
    live: str
    """How what changes in it is spoken: "assertive", "polite", or "off"."""


class Reader:
    """A page, as it is read aloud."""

    def __init__(self, driver: Chrome, url: str, language: Language = "en") -> None:
        """With an empty address: of the page that is there."""
        self.driver = driver
        self.language = language
        self.words = words(language)
        if url:
            driver.get(url)
        driver.execute_cdp_cmd("Accessibility.enable", {})

    # --- what there is ------------------------------------------------------------------------------------------------

    def tree(self) -> dict[str, Node]:
        """Return all that is not hidden from screen readers."""
        found = self.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return {one["nodeId"]: _node(one) for one in found}

    def under(self, tree: dict[str, Node], top: Callable[[Node], bool]) -> Iterator[Node]:
        """Yield what stands inside the nodes that `top` chooses, in reading order."""
        waiting = [child for node in tree.values() if top(node) for child in node.children][::-1]
        while waiting:
            node = tree.get(waiting.pop())
            if node is not None:
                yield node
                waiting += node.children[::-1]

    def texts(self, tree: dict[str, Node], top: Callable[[Node], bool]) -> list[str]:
        return [node.name for node in self.under(tree, top) if node.role == "StaticText"]

    def log(self, tree: dict[str, Node]) -> list[str]:
        """Return what happened, the oldest first."""
        return self.texts(tree, lambda node: node.role == "log")

    def asked(self, tree: dict[str, Node]) -> str:
        """Return what is asked, as it is spoken at once."""
        return " ".join(self.texts(tree, lambda node: node.live == "assertive"))

    def buttons(self, tree: dict[str, Node]) -> list[str]:
        """Return the names of the keys of the BBS."""
        keys = KEYS[self.language]
        inside = self.under(tree, lambda node: node.role == "group" and node.name == keys)
        return [node.name for node in inside if node.role == "button"]

    def choices(self, tree: dict[str, Node]) -> list[str]:
        """Return the buttons that what is asked names, or that answer it by yes; but none that moves no game."""
        asked, found, say = _SIGN_NAME.sub("] ", self.asked(tree)), self.buttons(tree), self.words
        others = {say(text).partition("] ")[2] for text in ("[.] Chat", "[=] State", "[!] A hint")} | {say("Back")}
        named = [name for name in found if name not in others and f"] {name.partition(' (')[0]}" in asked]
        return named or [name for name in found if asked and name == say("yes")]

    # --- waiting ------------------------------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], bool], what: str, deadline: float = DEADLINE) -> None:
        def story() -> str:
            tree = self.tree()
            told = "\n".join(self.log(tree)[-12:])
            return f"{what}:\n{told}\nasked: {self.asked(tree)}\nbuttons: {self.buttons(tree)}"

        wait_until(condition, story, deadline, LOOKS)

    def hears(self, text: str) -> None:
        """Wait until the log says this."""
        self.wait(lambda: any(text in said for said in self.log(self.tree())), repr(text))

    # --- doing --------------------------------------------------------------------------------------------------------

    def press(self, name: str) -> None:
        """Press the button with this name, as soon as it is there."""
        found: list[int] = []

        def is_there() -> bool:
            found[:] = [node.place for node in self.tree().values() if (node.role, node.name) == ("button", name)]
            return len(found) == 1

        self.wait(is_there, f"one button {name!r}")
        self._call(found[0], "function() { this.click(); }")

    def press_in(self, tree: dict[str, Node], name: str) -> None:
        """Press a button that was there a moment ago, if it still is."""
        with suppress(WebDriverException):
            for place in [node.place for node in tree.values() if (node.role, node.name) == ("button", name)][:1]:
                self._call(place, "function() { this.click(); }")

    def answer(self, question: str, text: str) -> None:
        """Write into the field that is called as the question, and send it."""
        found: list[int] = []

        def is_there() -> bool:
            found[:] = [node.place for node in self.tree().values() if (node.role, node.name) == ("textbox", question)]
            return len(found) == 1

        self.wait(is_there, f"a field {question!r}")
        self.driver.execute_cdp_cmd("DOM.focus", {"backendNodeId": found[0]})
        self.driver.execute_cdp_cmd("Input.insertText", {"text": text})
        self.press(SEND[self.language])

    def _call(self, place: int, function: str) -> None:
        node = self.driver.execute_cdp_cmd("DOM.resolveNode", {"backendNodeId": place})["object"]
        told = {"objectId": node["objectId"], "functionDeclaration": function}
        self.driver.execute_cdp_cmd("Runtime.callFunctionOn", told)

    # --- what callers do ----------------------------------------------------------------------------------------------

    def register(self, name: str, password: str = "secret-1") -> Self:
        """Come in as a new caller."""
        say = self.words
        self.answer(say("Name:"), name)
        self.press(say("yes"))
        for question in (say("Password:"), say("Repeat the password:")):
            self.answer(question, password)
        self.wait(lambda: say("Casino") in self.buttons(self.tree()), "the main prompt")
        return self

    def sit(self, game: str) -> None:
        """Sit down with house players at the table of the game that is called so."""
        for name in ("Casino", game, "Play with the house", "normal"):
            self.press(self.words(name))

    def leave(self, *, is_asked: bool = False) -> None:
        """Leave the table, where no seat is held then, for the casino; who plays is asked whether they mean it."""
        self.press(self.words("[.] Chat   [X] Leave the table").partition("[X] ")[2])
        if is_asked:
            self.press(self.words("yes"))
        self.wait(lambda: self.words("Watch a table") in self.buttons(self.tree()), "the casino")


def _node(told: dict[str, object]) -> Node:
    properties = told.get("properties")
    assert isinstance(properties, list | None)
    live = next((one["value"].get("value", "") for one in properties or [] if one["name"] == "live"), "off")
    children = told.get("childIds")
    assert isinstance(children, list | None)
    place = told.get("backendDOMNodeId", 0)
    assert isinstance(place, int)
    role = "" if told.get("ignored") else _value(told.get("role"))
    return Node(role, _value(told.get("name")), place, tuple(children or ()), str(live))


def _value(told: object) -> str:
    return str(told.get("value", "")) if isinstance(told, dict) else ""
