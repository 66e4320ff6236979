"""The handbook's screenshots of the page in a browser: a real table on a desktop and on a phone.

Starts the daemon on free ports and a browser, lets callers play by telnet and in the browser, and writes
`docs/browser.png`, `docs/phone.png`, and the page's own preview and icons. Run it from the top folder as `python -m
docs.screenshots` (`make screenshots`). Needs Debian's chromium and chromium-driver. The cards are dealt by chance: each
run gives another hand.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from tests.browser.browser import PHONE, Device, Tab, become, browser, the_browser_is_missing
from tests.browser.web_bbs import WebBbs, web_config
from tests.end_to_end.bbs import FAST
from tests.ports import free_port

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "telnetd" / "extras" / "web" / "page"
ICONS = (192, 512)
"""Pixels of each side."""
SCENES = {
    FOLDER / "browser.png": (Device(1280, 720), "dark"),
    FOLDER / "phone.png": (PHONE, "light"),
    PAGE / "preview.png": (Device(600, 336), "dark"),
}
"""Files, the device of each, and its colours; the last one is what other sites show of a link."""


def shoot(device: Device, scheme: str, target: Path) -> None:
    """Play up to the third round, and take a picture of what Anna sees."""
    config = FAST.replace("start_cubes = 100", "start_cubes = 1000") + web_config()
    with (
        tempfile.TemporaryDirectory() as folder,
        browser(device, scheme=scheme) as driver,
        WebBbs(Path(folder) / "data", config, web_port=free_port()) as bbs,
    ):
        become(driver, device)
        anna = Tab(driver, bbs.url).register("Anna").sit()
        bert, clara = (bbs.call().register(name).sit() for name in ("Bert", "Carla"))
        anna.hear("Carla sits down")
        anna.tap("s")
        anna.tap("b")
        anna.is_offered("\r")
        anna.answer("10")
        for caller in (bert, clara):
            caller.bet()
        anna.tap("1")
        anna.tap("d")
        for caller in (bert, clara):
            caller.see("[D] Done")
            caller.send("23d")
        anna.tap("b")
        anna.is_offered("\r")
        anna.answer("40")
        bert.bet()
        clara.bet("60")
        bert.hear("Carla bets 60")
        bert.send(".What have you got, Anna?\r")
        anna.hear("What have you got")
        anna.is_offered("h")
        driver.save_screenshot(str(target))


def draw_icons() -> None:
    """Draw the page's icons from its own SVG, as large as devices want them that install it."""
    svg = (PAGE / "icon.svg").read_text()
    page = (
        f"data:text/html,<style>*{{margin:0;background:%231d5c3a}}svg{{width:100vw;height:100vh}}</style>{quote(svg)}"
    )
    with browser() as driver:
        for size in ICONS:
            become(driver, Device(size, size))
            driver.get(page)
            driver.save_screenshot(str(PAGE / f"icon-{size}.png"))


def main() -> int:
    """Take all pictures."""
    argparse.ArgumentParser(prog="python -m docs.screenshots", description=__doc__.partition("\n\n")[0]).parse_args()
    if missing := the_browser_is_missing():
        sys.stderr.write(f"{missing} not installed (Debian: chromium, chromium-driver)\n")
        return 1
    draw_icons()
    for target, (device, scheme) in SCENES.items():
        shoot(device, scheme, target)
        sys.stdout.write(f"{target.name}: {target.stat().st_size} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
