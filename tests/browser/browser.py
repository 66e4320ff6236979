"""A browser for the tests: chromium without a window, and a page in it as a caller.

Needs Debian's `chromium` and `chromium-driver`; `the_browser_is_missing` says what is not there. Nothing sleeps: who
waits, waits for a condition on the page, with a deadline.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Self

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.switch_to import SwitchTo

from tests.end_to_end.bbs import DEADLINE
from tests.waiting import wait_until

LOOKS = 0.03
"""Seconds between two looks at a page, each of which takes three processes some milliseconds."""
PROGRAMS = ("chromium", "chromedriver")
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
]


class Device(NamedTuple):
    """What the browser takes itself for."""

    width: int
    height: int
    is_phone: bool = False
    sharpness: int = 1


DESKTOP = Device(1280, 800)
PHONE = Device(360, 640, is_phone=True, sharpness=2)


def the_browser_is_missing() -> str:
    """Return what is not installed; empty: all is there."""
    return ", ".join(program for program in PROGRAMS if shutil.which(program) is None)


class Front(SwitchTo):
    """Brings tabs to the front; not the one that is there already, which would take as long as a look."""

    _window = ""

    def _w3c_window(self, window_name: str) -> None:
        """Bring a tab to the front, also one that was just opened."""
        if window_name != self._window:
            super()._w3c_window(window_name)
            self._window = window_name


@contextmanager
def browser(device: Device = DESKTOP, scheme: str = "dark") -> Iterator[Chrome]:
    """Start an English browser with a profile of its own."""
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*QUIET, "--lang=en", f"--window-size={device.width},{device.height}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"intl.accept_languages": "en"})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory(prefix="yawc-browser-") as profile:
        options.add_argument(f"--user-data-dir={profile}")
        driver = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
        driver._switch_to = Front(driver)
        try:
            driver.set_script_timeout(DEADLINE)
            _begin(driver, device, scheme)
            yield driver
        finally:
            driver.quit()


def _begin(driver: Chrome, device: Device, scheme: str) -> None:
    """Make the tab one of this device."""
    scheme_of_the_device(driver, scheme)
    if device.is_phone:
        become(driver, device)


@contextmanager
def new_tab(driver: Chrome, device: Device = DESKTOP, scheme: str = "dark", language: str = "en") -> Iterator[Chrome]:
    """Open a tab in a browser that runs; at the end it is as if that had just started, without a tab but its first."""
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    _begin(driver, device, scheme)
    itself = {"userAgent": driver.execute_script("return navigator.userAgent"), "acceptLanguage": language}
    driver.execute_cdp_cmd("Emulation.setUserAgentOverride", itself)
    driver.execute(Command.GET_LOG, {"type": "browser"})  # the complaints about the pages of others
    try:
        yield driver
    finally:
        for window in driver.window_handles:
            if window != first:
                driver.switch_to.window(window)
                driver.close()
        driver.switch_to.window(first)
        driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        driver.execute_cdp_cmd("Browser.resetPermissions", {})


def scheme_of_the_device(driver: Chrome, scheme: str) -> None:
    """Make the device prefer light or dark."""
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


def become(driver: Chrome, device: Device) -> None:
    """Make the window exactly this large; on a phone, with a finger instead of a mouse."""
    metrics = {
        "width": device.width,
        "height": device.height,
        "deviceScaleFactor": device.sharpness,
        "mobile": device.is_phone,
    }
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    touch = {"enabled": device.is_phone, "maxTouchPoints": 1}
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touch)


SCREEN = """
    const shown = document.body.dataset.view === "whole" ? "#terminal .xterm-rows > div" : "#narrow .part > div";
    return Array.from(document.querySelectorAll(shown), (line) => line.textContent);
"""


class Tab:
    """The page in one tab of a browser: what its reader sees and does."""

    def __init__(self, driver: Chrome, url: str) -> None:
        self.driver = driver
        self._url = url
        self.name = ""
        driver.get(url)
        self._window = driver.current_window_handle

    def look(self) -> None:
        """Bring this tab to the front."""
        self.driver.switch_to.window(self._window)

    # --- what there is to see -----------------------------------------------------------------------------------------

    @property
    def view(self) -> str:
        """`whole` where the terminal itself is shown, else `table` or `text`."""
        return str(self._script("return document.body.dataset.view || ''"))

    @property
    def screen(self) -> str:
        """The text of the screen, as it is shown."""
        lines = self._script(SCREEN)
        return "\n".join(str(line).replace("\u00a0", " ").rstrip() for line in _list(lines))

    @property
    def keys(self) -> list[str]:
        """What is sent by each button."""
        codes = "Array.from(document.querySelectorAll('#keys button'), (one) => one.dataset.code)"
        return [str(code) for code in _list(self._script(f"return {codes}"))]

    @property
    def messages(self) -> list[str]:
        """The log, the oldest first."""
        lines = self._script("return Array.from(document.querySelectorAll('#log p'), (line) => line.textContent)")
        return [str(line) for line in _list(lines)]

    @property
    def state(self) -> str:
        """What the page says of its line."""
        return str(self._script("return document.getElementById('state').textContent"))

    @property
    def title(self) -> str:
        """The tab's title."""
        return self.driver.title

    @property
    def complaints(self) -> list[str]:
        """What the browser complained about since it was asked last: violated policies, failed scripts."""
        entries = self.driver.execute(Command.GET_LOG, {"type": "browser"})["value"]
        return [str(entry["message"]) for entry in entries]

    def _script(self, script: str, *values: object) -> object:
        self.look()
        return self.driver.execute_script(script, *values)

    def imported(self, module: str, expression: str, *values: object) -> object:
        """Return what an expression gives with a module of the page as `module`, and what is passed as `values`."""
        self.look()
        script = """
            const [name, ...values] = arguments, done = values.pop();
            const own = document.querySelector("script[type=module]").src;
            import(new URL(name, own))
                .then(async (module) => done([await (EXPRESSION)])).catch((error) => done(`${error}`));
        """.replace("EXPRESSION", expression)
        found = self.driver.execute_async_script(script, module, *values)
        assert isinstance(found, list), found
        return found[0]

    # --- waiting ------------------------------------------------------------------------------------------------------

    def wait(self, condition: Callable[[], bool], what: str, deadline: float = DEADLINE) -> None:
        def story() -> str:
            shown = f"{self.state}\n{self.screen}\nkeys: {self.keys}\n" + "\n".join(self.messages[-5:])
            return f"{what}; the page shows:\n{shown}\n{self.complaints}"

        wait_until(condition, story, deadline, LOOKS)

    def see(self, *texts: str, deadline: float = DEADLINE) -> None:
        """Wait until all texts are on the screen."""
        self.wait(lambda: all(text in self.screen for text in texts), repr(texts), deadline)

    def hear(self, text: str) -> None:
        """Wait for a message in the log."""
        self.wait(lambda: any(text in message for message in self.messages), f"message {text!r}")

    def is_offered(self, key: str) -> None:
        """Wait for the button of a key."""
        self.wait(lambda: key in self.keys, f"the button {key!r}")

    def says(self, text: str) -> None:
        """Wait until the page says this of its line."""
        self.wait(lambda: text in self.state, f"state {text!r}")

    # --- doing --------------------------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Press keys of the keyboard, wherever the focus is."""
        self.look()
        ActionChains(self.driver).send_keys(text).perform()

    def tap(self, key: str) -> None:
        """Touch the button of a key, as soon as it is there."""
        self.is_offered(key)
        self._script(
            "const sought = arguments[0];"
            "const found = Array.from(document.querySelectorAll('#keys button')).find("
            "  (one) => one.dataset.code === sought);"
            "found.scrollIntoView({block: 'nearest'}); found.click();",
            key,
        )

    def point(self, key: str) -> None:
        """Click on the button of a key by the mouse, once it has been there for a moment."""
        self.is_offered(key)
        ripe = (
            "const one = document.querySelector(`#keys button[data-code='${arguments[0]}']`);"
            "return one !== null && performance.now() > Number(one.dataset.since) + 250"
        )
        self.wait(lambda: bool(self._script(ripe, key)), f"a button {key!r} that has been there")
        self.driver.find_element(By.CSS_SELECTOR, f"#keys button[data-code='{key}']").click()

    def answer(self, text: str) -> None:
        """Write into the line for text, and send it."""
        self.look()
        line = self.driver.find_element(By.ID, "line")
        line.clear()
        line.send_keys(text)
        self.driver.find_element(By.ID, "send").click()

    def click(self, element: str) -> None:
        """Click on something by its id."""
        self.look()
        self.driver.find_element(By.ID, element).click()

    def choose(self, setting: str) -> None:
        """Open the settings, click on one, close them."""
        self._script("document.getElementById('settings').open = true")
        self.click(setting)
        self._script("document.getElementById('settings').open = false")

    # --- what callers do ----------------------------------------------------------------------------------------------

    def register(self, name: str, password: str = "secret-1") -> Self:
        """Register by the line for text and the buttons."""
        self.name = name
        self.see("Name:")
        self.answer(name)
        self.tap("y")
        for prompt in ("Password:", "Repeat the password:"):
            self.see(prompt)
            self.wait(lambda: self._line_is("password"), "a line that is not shown")
            self.answer(password)
        self.is_offered("s")
        return self

    def sit(self) -> Self:
        """Sit down at the poker table."""
        for key in "s2y":
            self.tap(key)
        self.see("Master:", "Pot:")
        return self

    def leave(self) -> None:
        """Leave the table, where no seat is held then, and the casino, for the main prompt."""
        self.tap("x")
        self.tap("q")
        self.is_offered("w")

    def _line_is(self, kind: str) -> bool:
        return self._script("return document.getElementById('line').type") == kind


def _list(value: object) -> list[object]:
    assert isinstance(value, list), value
    return value


def violations(complaints: list[str]) -> list[str]:
    """Return what the browser says of a violated policy or of a script that failed."""
    return [text for text in complaints if "Content Security Policy" in text or "Uncaught" in text]


def found_by_axe(driver: Chrome, axe: str) -> list[str]:
    """Return the serious and critical faults that axe finds on the page, each with the places."""
    driver.execute_script(axe)
    done = "arguments[arguments.length - 1]"
    result = driver.execute_async_script(
        f"const done = {done}; axe.run().then((found) => done(JSON.stringify(found)));"
    )
    found = json.loads(result)
    assert len(found["passes"]) > 20, found["passes"]
    faults = found["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: {[node['target'] for node in fault['nodes']]}"
        for fault in faults
        if fault["impact"] in {"serious", "critical"}
    ]
