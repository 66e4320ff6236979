"""`[web]`: the settings of the door for browsers."""

from typing import Annotated, Final

from msgspec import Meta

from yawc_poker.config import AddedKeys, Port, Section, check_networks


class WebSettings(Section, frozen=True):
    """`[web]`: the door for browsers, a page with a terminal, under the limits of `[telnet]`."""

    host: str = ""
    """Address to listen on; empty: all, IPv4 and IPv6."""
    port: Port = 8023
    """TCP port; 0: there is no such door."""
    name: Annotated[str, Meta(max_length=60, pattern=r"^[^\x00-\x1f\x7f-\x9f{}]*$")] = ""
    """The page's title; empty: the BBS's name."""
    address: Annotated[str, Meta(max_length=200, pattern=r"^(https?://[!-~]+/)?$")] = ""
    """Where browsers find the page, as "https://bbs.example/": `/link` at a terminal begins with it; empty: unknown."""
    origins: tuple[Annotated[str, Meta(max_length=200, pattern=r"^https?://[^/\s]+$")], ...] = ()
    """Origins besides the page's own whose pages may open a session, as "https://bbs.example"."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies: they are believed whom they call for, by PROXY protocol or X-Forwarded-For."""
    cert: str = ""
    """File with a certificate (PEM): the door speaks HTTPS instead of HTTP; empty: HTTP, as behind a proxy."""
    key: str = ""
    """File with the certificate's private key (PEM, without a password); empty: it is in the file `cert`, too."""
    resume_seconds: Annotated[float, Meta(ge=0, le=3600)] = 120
    """A session whose line broke goes on for this long, until its page calls again; 0: it ends at once."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where a proxy is no address."""
        check_networks(self.proxies)


ANNOUNCED: Final = (AddedKeys("web", WebSettings),)
