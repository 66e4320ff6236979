"""The README's moving picture: somebody opens a link, plays as a guest at once, and takes part in a trick.

Starts the daemon on free ports and a browser, and writes `docs/moving.png`, an animated PNG of some 20 seconds, whose
pictures are the browser's own. Run it from the top folder as `python -m docs.moving` (`make moving`). Needs Debian's
chromium and chromium-driver. The cards are dealt by chance: each run gives another game.
"""

import argparse
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.browser.browser import Device, Tab, become, browser, the_browser_is_missing
from tests.browser.web_bbs import WebBbs, web_config
from tests.end_to_end.bbs import FAST
from tests.ports import free_port

TARGET = Path(__file__).parent / "moving.png"
WINDOW = Device(900, 520)
SIGNATURE = b"\x89PNG\r\n\x1a\n"
GUEST = "guest\r"
ALWAYS = frozenset(".x=?!+-sht/, \r\x1b")
"""Keys that are no cards, and choose no trump."""
FOCUS = "document.querySelector(`#keys button[data-code='${arguments[0]}']`).focus()"
"""Outlines a card on the table, too."""


class Picture(NamedTuple):
    """A picture (PNG), and how long it is shown."""

    data: bytes
    seconds: float


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and body of each chunk of a PNG."""
    at = len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack_from("!I", data, at)
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += 12 + length


def chunk(kind: bytes, body: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack("!I", len(body)) + kind + body + struct.pack("!I", zlib.crc32(kind + body))


def animated(pictures: Sequence[Picture]) -> bytes:
    """Return pictures of one size as one that moves, for ever (APNG): their data stay as they are."""
    (head,) = [body for kind, body in chunks(pictures[0].data) if kind == b"IHDR"]
    width, height = struct.unpack_from("!II", head)
    made = SIGNATURE + chunk(b"IHDR", head) + chunk(b"acTL", struct.pack("!II", len(pictures), 0))
    number = 0
    for at, picture in enumerate(pictures):
        control = struct.pack("!IIIIIHHBB", number, width, height, 0, 0, round(picture.seconds * 1000), 1000, 0, 0)
        made += chunk(b"fcTL", control)
        number += 1
        for body in (body for kind, body in chunks(picture.data) if kind == b"IDAT"):
            if at:
                made += chunk(b"fdAT", struct.pack("!I", number) + body)
                number += 1
            else:
                made += chunk(b"IDAT", body)
    return made + chunk(b"IEND", b"")


def choices(tab: Tab) -> list[str]:
    """Return the keys that play a card or choose a trump; none: it is another's turn."""
    is_turn = tab.driver.execute_script("return document.body.classList.contains('turn')")
    return [key for key in tab.keys if key not in ALWAYS] if is_turn else []


def show_a_card(tab: Tab, look: Callable[[], None]) -> None:
    """Play a card, or choose a trump, as soon as it is one's turn; look at it before, outlined on the table."""
    tab.wait(lambda: bool(choices(tab)), "cards, or the choice of a trump")
    chosen, told = choices(tab)[0], tab.messages[-1]
    tab.driver.execute_script(FOCUS, chosen)
    look()
    tab.tap(chosen)
    tab.wait(lambda: tab.messages[-1] != told, "what comes of it")


def play() -> list[Picture]:
    """Play up to the first trick, and return what the browser showed."""
    config = FAST.replace("players = 0", "players = 3") + web_config()
    shown: list[Picture] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        browser(WINDOW) as driver,
        WebBbs(Path(folder) / "data", config, web_port=free_port()) as bbs,
    ):

        def look(seconds: float) -> None:
            shown.append(Picture(driver.get_screenshot_as_png(), seconds))

        become(driver, WINDOW)
        tab = Tab(driver, f"{bbs.url}#offiziersskat-1")
        tab.is_offered(GUEST)
        look(3)
        tab.tap(GUEST)
        tab.hear("; level: ")
        look(3)
        for _ in range(5):
            show_a_card(tab, lambda: look(2.5))
        look(3)
    return shown


def main() -> int:
    """Write the picture."""
    argparse.ArgumentParser(prog="python -m docs.moving", description=__doc__.partition("\n\n")[0]).parse_args()
    if missing := the_browser_is_missing():
        sys.stderr.write(f"{missing} not installed (Debian: chromium, chromium-driver)\n")
        return 1
    TARGET.write_bytes(animated(play()))
    sys.stdout.write(f"{TARGET.name}: {TARGET.stat().st_size} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
