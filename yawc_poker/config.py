"""Configuration: TOML becomes frozen values. Pure; `config_file` reads the file.

Owns all keys, their defaults and their bounds. Unknown keys and bad values are errors that name the file, the key and
the rule. Seconds may be fractions, so that a three-minute clock can be tested in milliseconds. Each game defines its
own section (`games.NAME.settings`), which is passed to `load`.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from ipaddress import ip_network
from typing import Annotated, ClassVar, Literal, NamedTuple, Self, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import asdict, replace

from yawc_poker.announcing import announced
from yawc_poker.words import Language

Seconds = Annotated[float, Meta(gt=0, le=86400 * 366)]
Count = Annotated[int, Meta(ge=1, le=20000)]
Port = Annotated[int, Meta(ge=0, le=65535)]
Cubes = Annotated[int, Meta(ge=0, le=10**12)]
Stake = Annotated[int, Meta(ge=1, le=10**9)]
Pace = Annotated[float, Meta(ge=0, le=60)]


class ConfigError(Exception):
    """The configuration cannot be used; `str()` is one line with file, key and rule."""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file. Its fields' docstrings are the file's comments and the configuration page.

    There `{choices}` stands for the words that a setting may have.
    """


def check_networks(texts: Sequence[str]) -> None:
    """Raise `ValueError` unless all of these are addresses or networks."""
    for text in texts:
        ip_network(text, strict=False)


class Bbs(Section, frozen=True):
    """`[bbs]`: the BBS."""

    name: Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f{}]*$")] = "Global Village"
    """The BBS's name in greeting and prompts: 1 to 40 characters, no braces."""
    language: Language = "en"
    """Language until a caller chooses one: {choices}."""
    start_cubes: Cubes = 1000
    """CUBES that a new account starts with."""
    cubes_per_hour: Annotated[float, Meta(ge=0, le=10**6)] = 10
    """CUBES earned by an hour online; fractions are allowed. 0: none."""
    allowance: Cubes = 50
    """CUBES that users get from the house, once a day if with shares and stakes they own less than an ante. 0: none."""
    guests: bool = True
    """Callers may play at once, without a name of their own; what they own then goes when they do."""
    hold_seconds: Annotated[float, Meta(ge=0, le=3600)] = 60
    """A player who loses the line keeps seat, cards and stake for this long; 0: they lose them, as in the original."""


class TelnetSettings(Section, frozen=True):
    """`[telnet]`: the front door and its limits."""

    host: str = ""
    """Address to listen on; empty: all, IPv4 and IPv6."""
    port: Port = 2323
    """TCP port; below 1024 the service needs CAP_NET_BIND_SERVICE."""
    max_sessions: Annotated[int, Meta(ge=1, le=10000)] = 500
    """Maximum callers at once; the unit's TasksMax and LimitNOFILE must allow for them."""
    max_logins: Annotated[int, Meta(ge=1, le=10000)] = 100
    """Maximum callers beyond free lines who have not logged in; one more, and the one silent for longest goes."""
    max_per_address: Count = 20
    """Maximum callers at once from one address, and calls in 10 s; IPv6: a /64, twice that a /56, four times a /48."""
    spares: Annotated[int, Meta(ge=0, le=100)] = 2
    """Processes that wait for callers to come, who then need not wait for theirs; 0: none."""
    registrations_per_hour: Annotated[int, Meta(ge=0, le=10**6)] = 20
    """Maximum new accounts from one network (IPv4 /24, IPv6 /48), the later ones delayed; 0: no limit."""
    login_seconds: Seconds = 120
    """Callers who have not logged in by then are disconnected."""
    idle_seconds: Seconds = 1800
    """Callers who type nothing for this long are disconnected, a minute after a warning."""
    ask_escape: bool = False
    """Callers by plain telnet must press ESC twice before they are greeted; programs that look for telnet do not."""
    keepalive_seconds: Seconds = 30
    """Interval at which a silent connection is probed, so that a dead peer is noticed."""
    merge_memory: bool = False
    """true: the kernel may store equal memory pages of sessions once, if its KSM is on (docs/sysop.md, Memory)."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks of proxies, at [tls] too: they must tell by PROXY protocol whom they call for."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where a proxy is no address."""
        check_networks(self.proxies)


class TlsSettings(Section, frozen=True):
    """`[tls]`: telnet in TLS from the first byte, under the limits of `[telnet]`."""

    host: str = ""
    """Address to listen on; empty: all, IPv4 and IPv6."""
    port: Port = 0
    """TCP port, by custom 992; 0: there is no such door."""
    cert: str = ""
    """File with the certificate and those that lead to its authority (PEM)."""
    key: str = ""
    """File with the certificate's private key (PEM, without a password); empty: it is in the file `cert`, too."""
    handshake_seconds: Seconds = 10
    """Callers whose handshake is not done by then are disconnected."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where the door has no certificate."""
        if self.port and not self.cert:
            raise ValueError("a port needs a certificate, cert")


class TableSettings(Section, frozen=True):
    """The settings of all games' tables; each game's own section extends them."""

    section: ClassVar[str]
    """The section's name in the file."""
    tables: Annotated[int, Meta(ge=0, le=1000)] = 1
    """Number of tables. With more than one the casino asks which; 0: the casino does not have the game."""
    turn_seconds: Annotated[float, Meta(ge=0, le=86400 * 366)] = 60
    """Time for each move; 0: no limit."""
    master_seconds: Seconds = 180
    """Time for the master to start a game, before the privilege passes on."""
    pause_seconds: Annotated[float, Meta(ge=0, le=86400)] = 30
    """Pause between two games."""
    reveal_seconds: Annotated[float, Meta(ge=0.1, le=600)] = 8
    """Time for players to reveal, when a game begins, what they are committed to."""

    @property
    def least_cubes(self) -> int:
        """CUBES without which nobody can play; 0: the game can be played without any."""
        return 0


class Engine(Section, frozen=True):
    """`[engine]`: ticks and broadcasts."""

    tick_seconds: Seconds = 5
    """Interval at which a session at a table looks again and serves clocks that others missed."""
    duty_seconds: Seconds = 60
    """Interval at which a session purges dead ones, earns for time online, and looks for news without a signal."""
    patience_seconds: Seconds = 10
    """A process that keeps a lock for this long without waiting itself is killed."""
    unlock_ms: Annotated[int, Meta(ge=1, le=60000)] = 350
    """Maximum time that a command waits for its readers, in milliseconds."""
    unlock: Literal["acknowledged", "timed"] = "acknowledged"
    """"acknowledged": a slot is free once all have read it; "timed": after unlock_ms, as in the original."""
    immortal: bool = True
    """Sessions share what the listener loaded without counting references to it; Python 3.12 or newer."""
    rehearse: bool = True
    """The listener plays every game before it opens, so sessions are smaller and start warm; false: it opens sooner."""


class House(Section, frozen=True):
    """`[house]`: house players, who play with people as sessions without a caller."""

    players: Annotated[int, Meta(ge=0, le=1000)] = 16
    """Maximum house players at once, a process each; 0: there are none. They take no caller's line."""
    level: Literal["easy", "normal", "hard"] = "normal"
    """How well they play unless those who ask them to join say otherwise: {choices}."""
    pace: tuple[Pace, Pace] = (0.5, 2.0)
    """Seconds that they let pass before a move: at least and at most."""
    talk: bool = True
    """They greet, thank and say "well played" now and then; false: they say nothing."""
    daily_share: Cubes = 200
    """CUBES that one account, and one network, can win from them on one day; from then on they play for fun with it."""
    daily_cubes: Cubes = 10000
    """The same for all accounts together. 0: everybody plays for fun with them."""

    def __post_init__(self) -> None:
        """Raise `ValueError` where the pace's bounds are the wrong way round."""
        if self.pace[0] > self.pace[1]:
            raise ValueError("the first number of pace must not be greater than the second")


LogFormat = Literal["auto", "journal", "json", "plain"]


class Log(Section, frozen=True):
    """`[log]`: the log of the listener and its sessions on standard error."""

    format: LogFormat = "auto"
    """"journal": a priority for journald before each line; "plain": the time; "json": its fields; "auto": what fits."""


SectionT = TypeVar("SectionT", bound=Section)
GameSections = Sequence[type[TableSettings]]


class AddedKeys(NamedTuple):
    """What an extra adds to the file (place `settings`): a section of its own, or keys of another one."""

    section: str
    kind: type[Section]


class CommonSections(Section, frozen=True):
    """The sections that belong to no game and no extra."""

    bbs: Bbs = Bbs()
    telnet: TelnetSettings = TelnetSettings()
    tls: TlsSettings = TlsSettings()
    engine: Engine = Engine()
    house: House = House()
    log: Log = Log()


class Config(CommonSections, frozen=True):
    """The whole file."""

    games: tuple[TableSettings, ...] = ()
    """The sections of the games; one that is missing has its defaults."""
    extras: tuple[Section, ...] = ()
    """What the extras have in the file; likewise."""

    def of(self, kind: type[SectionT]) -> SectionT:
        """Return the settings of one game, or of an extra."""
        return next((one for one in (*self.games, *self.extras) if isinstance(one, kind)), kind())

    def having(self, settings: Section) -> Self:
        """Return it with these settings of an extra."""
        others = tuple([one for one in self.extras if type(one) is not type(settings)])
        return replace(self, extras=(*others, settings))


def parse(text: str, source: str, games: GameSections = ()) -> Config:
    """Return a configuration from TOML text; raise `ConfigError` naming `source`, the key and the rule.

    `games` are the sections that the file may have for its games.
    """
    try:
        return convert(tomllib.loads(text), games)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not valid TOML: {error}") from None
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def convert(sections: Mapping[str, object], games: GameSections) -> Config:
    """Return a configuration from its sections by name; raise `ConfigError` naming the key and the rule."""
    left, shared = dict(sections), {*CommonSections.__struct_fields__, *(kind.section for kind in games)}
    extras = tuple(
        [_converted(_taken(left, part, shared), part.kind, part.section) for part in announced("settings", AddedKeys)]
    )
    own = tuple([_converted(left.pop(kind.section, {}), kind, kind.section) for kind in games])
    common = _converted(left, CommonSections, "")
    return Config(
        **{name: getattr(common, name) for name in CommonSections.__struct_fields__}, games=own, extras=extras
    )


def _taken(left: dict[str, object], part: AddedKeys, shared: Collection[str]) -> object:
    """Take what an extra understands out of the sections that are left: all keys, unless it shares the section."""
    given = left.pop(part.section, {})
    if part.section not in shared:
        return given
    if not isinstance(given, Mapping):
        left[part.section] = given
        return {}
    left[part.section] = {key: value for key, value in given.items() if key not in part.kind.__struct_fields__}
    return {key: value for key, value in given.items() if key in part.kind.__struct_fields__}


def parts(config: Config) -> list[tuple[str, Section]]:
    """Return everything in a configuration, each with the name of its section; several may be of one section."""
    common = [(name, getattr(config, name)) for name in CommonSections.__struct_fields__]
    added = {part.kind: part.section for part in announced("settings", AddedKeys)}
    return [*common, *((one.section, one) for one in config.games), *((added[type(one)], one) for one in config.extras)]


def sections(config: Config) -> dict[str, dict[str, object]]:
    """Return a configuration's sections by name, as `convert` takes them."""
    found: dict[str, dict[str, object]] = {}
    for name, part in parts(config):
        found.setdefault(name, {}).update(asdict(part))
    return found


def _converted(values: object, kind: type[SectionT], section: str) -> SectionT:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        rule, _, place = str(error).partition(" - at `$")
        raise ConfigError(f"{_key(section + place, rule)}: {rule}") from None


def _key(place: str, rule: str) -> str:
    """Return the key that msgspec's place (``poker.ante` ``) names; an unknown key is named in the rule itself."""
    section = place.strip("`.") or "top level"
    return f"[{section}]" if "unknown field" in rule else section
