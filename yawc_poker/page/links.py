"""Links to tables: where a page is, which a link begins with, and where one leads. Pure."""

from collections.abc import Callable
from typing import Final, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.config import Config


class Link(NamedTuple):
    """What the link says by which a page was opened."""

    place: str = ""
    """A table, as `Tables.word` names it; empty: none."""
    invitation: str = ""
    """The token of an invitation; empty: none."""


NO_LINK: Final = Link()


class PageAddress(NamedTuple):
    """Where an extra has a page (place `page_addresses`)."""

    of: Callable[[Config], str]
    """Return its address, as browsers have it; empty: nobody has told."""


def page_address(config: Config) -> str:
    """Return where this BBS's page is; empty: it has none, or nobody has told."""
    return next((found for one in announced("page_addresses", PageAddress) if (found := one.of(config))), "")
