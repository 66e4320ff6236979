"""The handbook's screenshots of the page in a browser: a real table on a desktop and on a phone.

Starts the daemon on free ports and a browser, lets callers play by telnet and in the browser, and writes
`docs/browser.png` and `docs/phone.png`. Run it from the top folder as `python -m docs.screenshots` (`make
screenshots`). Needs Debian's chromium and chromium-driver. The cards are dealt by chance: each run gives another hand.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.browser.browser import PHONE, Device, Tab, become, browser, the_browser_is_missing
from tests.browser.web_bbs import WebBbs, web_config
from tests.end_to_end.bbs import FAST
from tests.ports import free_port

FOLDER = Path(__file__).parent
SCENES = {"browser.png": (Device(1080, 600), "dark"), "phone.png": (PHONE, "light")}
"""Files, the device of each, and its colours."""


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


def main() -> int:
    """Take both pictures."""
    argparse.ArgumentParser(prog="python -m docs.screenshots", description=__doc__.partition("\n\n")[0]).parse_args()
    if missing := the_browser_is_missing():
        sys.stderr.write(f"{missing} not installed (Debian: chromium, chromium-driver)\n")
        return 1
    for name, (device, scheme) in SCENES.items():
        shoot(device, scheme, FOLDER / name)
        sys.stdout.write(f"{name}: {(FOLDER / name).stat().st_size} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
