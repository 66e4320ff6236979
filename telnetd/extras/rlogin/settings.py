"""`[rlogin]`: the settings of the door for callers of other BBSs."""

from typing import Final

from yawc_poker.config import AddedKeys, Port, Section, check_networks


class RloginSettings(Section, frozen=True):
    """`[rlogin]`: other BBSs pass callers on with their names, under the limits of `[telnet]`; nothing is encrypted."""

    host: str = ""
    """Address to listen on; empty: all, IPv4 and IPv6."""
    port: Port = 0
    """TCP port, by custom 513; 0: there is no such door."""
    from_hosts: tuple[str, ...] = ()
    """Addresses or networks of the BBSs that may pass callers on; all others are hung up on."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where a host is no address, or the door would be nobody's."""
        check_networks(self.from_hosts)
        if self.port and not self.from_hosts:
            raise ValueError("a port needs those who may call, from_hosts")


ANNOUNCED: Final = (AddedKeys("rlogin", RloginSettings),)
