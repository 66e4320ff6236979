"""Where the page is, for links that are told at terminals."""

from typing import Final

from telnetd.extras.web.settings import WebSettings
from yawc_poker.page.links import PageAddress

ANNOUNCED: Final = (PageAddress(lambda config: config.of(WebSettings).address),)
