"""What a process may do with the tables of a database."""

from enum import Enum


class Access(Enum):
    """By which right a store is opened."""

    MAKE = "make"
    """Tables that are missing are made, and older ones brought up to date."""
    USE = "use"
    """They are brought up to date, and never made: tables that a running BBS misses were taken away."""
    LOOK = "look"
    """Nothing is made or written, and every write raises `Unavailable`."""
    LOOK_AT_ANY = "look at any"
    """The same, whatever version they have, by statements that fit all: for looks before a start."""

    @property
    def looks_only(self) -> bool:
        """Whether nothing is written."""
        return self in {Access.LOOK, Access.LOOK_AT_ANY}
