"""Configuration: a TOML file becomes frozen values.

Owns every key, its default and its bounds. Unknown keys and bad values are errors that name the file, the key and the
rule. Seconds may be fractions, so that a three-minute clock can be tested in milliseconds.
"""

import os
import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from yawc_poker.words import Language

Seconds = Annotated[float, Meta(gt=0, le=86400 * 366)]
Count = Annotated[int, Meta(ge=1, le=20000)]
Port = Annotated[int, Meta(ge=0, le=65535)]
Cubes = Annotated[int, Meta(ge=0, le=10**12)]
Stake = Annotated[int, Meta(ge=1, le=10**9)]


class ConfigError(Exception):
    """The configuration cannot be used; `str()` is one line with file, key and rule."""


class _Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file."""


class Bbs(_Section, frozen=True):
    """`[bbs]`: the house."""

    name: Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f{}]*$")] = "Global Village"
    language: Language = "en"
    start_cubes: Cubes = 1000
    cubes_per_hour: Annotated[float, Meta(ge=0, le=10**6)] = 10


class Telnet(_Section, frozen=True):
    """`[telnet]`: the front door and its limits."""

    host: str = ""
    """Address to listen on; empty: every address, IPv4 and IPv6."""
    port: Port = 2323
    max_sessions: Annotated[int, Meta(ge=1, le=10000)] = 500
    max_per_address: Count = 20
    registrations_per_hour: Annotated[int, Meta(ge=0, le=10**6)] = 20
    """Accounts that may be made from one network, IPv4 /24 or IPv6 /48; 0: no limit."""
    login_seconds: Seconds = 120
    idle_seconds: Seconds = 1800
    keepalive_seconds: Seconds = 30
    """A silent line is probed this often, so that a dead peer is noticed."""
    merge_memory: bool = False
    """The kernel may keep equal pages of sessions once (KSM)."""


class Poker(_Section, frozen=True):
    """`[poker]`: clocks and stakes (spec/poker.md 10, 4, 6)."""

    turn_seconds: Seconds = 60
    master_seconds: Seconds = 180
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 30
    tables: Annotated[int, Meta(ge=1, le=1000)] = 1
    ante: Stake = 10
    max_bet: Stake = 200


class Maumau(_Section, frozen=True):
    """`[maumau]`: Mau-Mau at a terminal, and for clients of its binary protocol (spec/maumau_protocol.md)."""

    tables: Annotated[int, Meta(ge=0, le=1000)] = 1
    turn_seconds: Annotated[float, Meta(ge=0, le=86400 * 366)] = 60
    """For each move; 0: no limit."""
    master_seconds: Seconds = 180
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 5
    rounds: Annotated[int, Meta(ge=1, le=255)] = 4
    """What the master is offered."""
    players: Annotated[int, Meta(ge=2, le=5)] = 2
    """A table whose master is a client of the protocol begins by itself once so many sit there."""
    host: str = ""
    """Address to listen on for clients of the protocol; empty: every address."""
    port: Port = 2324
    """0: no such clients."""
    max_clients: Annotated[int, Meta(ge=1, le=1000)] = 50
    """At once; the limit per address, and of all sessions, is `[telnet]`'s."""
    wait_seconds: Annotated[float, Meta(ge=0, le=86400 * 366)] = 600
    """For a game to begin; then a client at whose table nobody with an account sits is let go. 0: no limit."""


class Engine(_Section, frozen=True):
    """`[engine]`: ticks and broadcasts."""

    tick_seconds: Seconds = 5
    duty_seconds: Seconds = 60
    patience_seconds: Seconds = 10
    """A process that keeps a lock for so long, and waits for nothing itself, is killed."""
    unlock_ms: Annotated[int, Meta(ge=1, le=60000)] = 350
    unlock: Literal["acknowledged", "timed"] = "acknowledged"


LogFormat = Literal["auto", "journal", "plain"]


class Log(_Section, frozen=True):
    """`[log]`: what the listener and its sessions write to standard error."""

    format: LogFormat = "auto"
    """`journal`: each line begins with its priority, as journald reads it; `plain`: with the time; `auto`: as fits."""


class Metrics(_Section, frozen=True):
    """`[metrics]`: where figures can be fetched, besides the Unix socket in the data directory."""

    port: Port = 0
    """On 127.0.0.1; 0: nowhere else."""


class Config(_Section, frozen=True):
    """The whole file."""

    bbs: Bbs = Bbs()
    telnet: Telnet = Telnet()
    poker: Poker = Poker()
    maumau: Maumau = Maumau()
    engine: Engine = Engine()
    log: Log = Log()
    metrics: Metrics = Metrics()


def default_data() -> Path:
    """Give the data directory where none is named: `$YAWC_DATA`, or `var` in the current directory."""
    return Path(os.environ.get("YAWC_DATA", "var"))


def parse(text: str, source: str) -> Config:
    """Read a configuration from TOML text; raises `ConfigError` naming `source`, the key and the rule."""
    try:
        return msgspec.convert(tomllib.loads(text), Config)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}") from None
    except msgspec.ValidationError as error:
        rule, _, place = str(error).partition(" - at `$")
        raise ConfigError(f"{source}: {_key(place, rule)}: {rule}") from None


def _key(place: str, rule: str) -> str:
    """Turn msgspec's place (``.poker.ante` ``) into a key; an unknown key is named in the rule itself."""
    section = place.strip("`.") or "top level"
    return f"[{section}]" if "unknown field" in rule else section


def load(path: Path | None) -> Config:
    """Read the configuration file, or give the defaults where there is none; raises `ConfigError`."""
    if path is None:
        return Config()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}") from None
    return parse(text, str(path))
