"""The pictures of docs/internals.md, as `docs/diagrams/*.svg`, drawn from the code's own tables.

make diagrams           # after a change of what they show; a test compares the files with what is drawn here

Sizes and words are those of `ipc.layout`, `ipc.record` and `ipc.cell`, the order of locks is `ipc.semaphore.LockLevel`,
alarms fall as `ipc.alarms.Alarms` has them fall. What an operation does, and which lock it holds meanwhile, is read
from the lists in tests/isolation/steps. Tests compare these with what a session passes, and kill one at each step.

Each picture has a background of its own, light or dark as the reader's system is, and says in `<desc>` what it shows.
"""

import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple

from yawc_poker.casino.instance.databases import BANK_FILE, USERS_FILE
from yawc_poker.casino.instance.instance import layout, records_by_doors
from yawc_poker.casino.local_host import most_hosts
from yawc_poker.casino.presence.entrances import CONTROLS, TERMINALS, Entrance
from yawc_poker.doors import kinds
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.ipc.broadcast import ADDRESSEES
from yawc_poker.ipc.cell import Cell, Header
from yawc_poker.ipc.layout import (
    CELL_HEAD_BYTES,
    HEAD_BYTES,
    LAYOUT_VERSION,
    METRIC_HEAD_BYTES,
    METRIC_WORDS,
    RECORD_BYTES,
    SLOT_HEAD_BYTES,
    Block,
    Head,
    Layout,
    Word,
)
from yawc_poker.ipc.record import Record
from yawc_poker.ipc.semaphore import LockLevel
from yawc_poker.registry.games import DEFAULTS

FOLDER = Path(__file__).parent / "diagrams"
STEPS = Path(__file__).parents[1] / "tests" / "isolation" / "steps"

WIDTH: Final = 900
SIZE: Final = 13
LETTER: Final = 7.83
"""Width of a letter: 0.602 of the size in all the fonts below."""
LINE: Final = 18
Colour = Literal["plain", "blue", "yellow", "green", "red", "violet"]

_STYLE = """
.paper{fill:#ffffff;stroke:#d1d9e0} .ink{fill:#1f2328} .soft{fill:#59636e} .bold{font-weight:bold}
.line{stroke:#59636e;fill:none} .thin{stroke:#d1d9e0;fill:none} .tip{fill:#59636e}
.plain{fill:#f6f8fa;stroke:#818b98} .blue{fill:#ddf4ff;stroke:#0969da} .yellow{fill:#fff8c5;stroke:#9a6700}
.green{fill:#dafbe1;stroke:#1a7f37} .red{fill:#ffebe9;stroke:#cf222e} .violet{fill:#fbefff;stroke:#8250df}
@media (prefers-color-scheme:dark){
.paper{fill:#0d1117;stroke:#3d444d} .ink{fill:#f0f6fc} .soft{fill:#9198a1}
.line{stroke:#9198a1} .thin{stroke:#3d444d} .tip{fill:#9198a1}
.plain{fill:#151b23;stroke:#656c76} .blue{fill:#0c2d6b;stroke:#4493f8} .yellow{fill:#3b2300;stroke:#d29922}
.green{fill:#033a16;stroke:#3fb950} .red{fill:#490202;stroke:#f85149} .violet{fill:#271052;stroke:#ab7df8}
}
"""
LOCKS: Final[Mapping[LockLevel, Colour]] = {
    LockLevel.DIRECTORY: "violet",
    LockLevel.TABLE: "blue",
    LockLevel.BANK: "yellow",
    LockLevel.BROADCAST: "green",
}


class Sheet:
    """A picture in the making; distances are pixels."""

    def __init__(self, title: str, about: str) -> None:
        self._title = title
        self._about = about
        self._parts: list[str] = []

    def box(
        self, x: float, y: float, width: float, height: float, colour: Colour = "plain", *, dashed: bool = False
    ) -> None:
        """Draw a box."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<rect class="{colour}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4"{dash}/>'
        )

    def text(
        self, x: float, y: float, text: str, *, soft: bool = False, bold: bool = False, anchor: str = "start"
    ) -> None:
        """Write one line; `y` is its baseline."""
        kind = ("soft" if soft else "ink") + (" bold" if bold else "")
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}"{where}>{escape(text, quote=False)}</text>')

    def lines(self, x: float, y: float, text: str, width: float, *, soft: bool = False) -> float:
        """Write a text in lines of so many pixels at most; return where the next line would be."""
        for line in textwrap.wrap(text, int(width / LETTER)):
            self.text(x, y, line, soft=soft)
            y += LINE
        return y

    def path(self, points: str, *, arrow: bool = False, thin: bool = False) -> None:
        """Draw a line, perhaps with a tip at its end."""
        tip = ' marker-end="url(#tip)"' if arrow else ""
        self._parts.append(f'<path class="{"thin" if thin else "line"}" d="{points}"{tip}/>')

    def svg(self, height: float) -> str:
        """Return the picture as a file."""
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}"'
                f' height="{height:g}" role="img" aria-labelledby="title about" font-size="{SIZE}"'
                ' font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace">',
                f'<title id="title">{escape(self._title, quote=False)}</title>',
                f'<desc id="about">{escape(self._about, quote=False)}</desc>',
                f"<style>{_STYLE}</style>",
                '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
                ' orient="auto-start-reverse"><path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
                f'<rect class="paper" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" rx="6"/>',
                *self._parts,
                "</svg>\n",
            ]
        )


# --- processes --------------------------------------------------------------------------------------------------------

ENTRANCES: Final[Mapping[Entrance, tuple[str, str]]] = {
    Entrance.DOOR: ("session", "one for each caller"),
    Entrance.TERMINAL: ("yawc-poker", "a session at a terminal"),
    Entrance.HOUSE: ("house player", "a session without a caller"),
    Entrance.CONTROL: ("control process", "one for each yawcctl"),
    Entrance.COURIER: ("courier", "only of several hosts"),
}
"""What a process is called that takes a record by each entrance."""


def processes() -> str:
    """Draw who there is, and what they have in common."""
    config = DEFAULTS
    records = {
        Entrance.DOOR: records_by_doors(config),
        Entrance.TERMINAL: TERMINALS,
        Entrance.CONTROL: CONTROLS,
        Entrance.HOUSE: config.house.players,
        Entrance.COURIER: int(bool(most_hosts(config))),
    }
    sheet = Sheet(
        "Processes",
        f"The listener has the doors {', '.join(kinds())}. It forks a process for each connection, each house player,"
        " and the courier. All of them, and sessions at terminals, which it does not fork, share one segment of memory"
        f" with its locks, and the databases {BANK_FILE} and {USERS_FILE}. They wake each other by SIGUSR1.",
    )
    sheet.box(20, 20, 406, 86, "blue")
    sheet.text(34, 44, "listener", bold=True)
    sheet.text(412, 44, "accepts, forks, reaps", soft=True, anchor="end")
    sheet.lines(34, 68, "doors: " + ", ".join(kinds()), 380)
    sheet.text(452, 44, "a console, a terminal emulator", soft=True)
    top, step, width = 160, 173, 160
    sheet.path(f"M100 106V{top}", arrow=True)
    sheet.text(110, 130, "fork")
    sheet.path(f"M440 40H{440 - 6}V118H{20 + step + width / 2:g}V{top}", arrow=True)
    for place, (entrance, (name, about)) in enumerate(ENTRANCES.items()):
        left = 20 + place * step
        middle = left + width / 2
        sheet.box(left, top, width, 104, "green", dashed=entrance is Entrance.COURIER)
        sheet.text(left + 10, top + 24, name, bold=True)
        below = sheet.lines(left + 10, top + 44, about, width - 20, soft=True)
        many = records[entrance]
        sheet.text(left + 10, below + 4, f"{many} records" if many else "no record here", soft=True)
        sheet.path(f"M{middle:g} {top + 104}V306", arrow=True)
        if entrance not in {Entrance.DOOR, Entrance.TERMINAL}:
            sheet.path(f"M100 142H{middle:g}V{top}", arrow=True)
    sheet.box(20, 306, 852, 84, "yellow")
    sheet.text(34, 330, "one segment of shared memory", bold=True)
    sheet.text(34, 350, "head, directory, ring of commands, tables, counts")
    sheet.text(34, 374, "locks beside it: " + ", ".join(level.name.lower() for level in LockLevel), soft=True)
    sheet.text(858, 330, "SIGUSR1 to each other: look again", soft=True, anchor="end")
    sheet.box(20, 402, 852, 64, "plain")
    sheet.text(34, 426, f"{BANK_FILE}, {USERS_FILE}", bold=True)
    sheet.text(858, 426, "or two schemas of one PostgreSQL database", soft=True, anchor="end")
    sheet.text(34, 450, "each process opens them for itself; the listener, while it serves, does not", soft=True)
    return sheet.svg(486)


# --- the segment ------------------------------------------------------------------------------------------------------


def words_of(kind: type[Block]) -> dict[int, str]:
    """Return the names of the words that a class has of its block, by their place there."""
    return {word.index: name for name, word in vars(kind).items() if isinstance(word, Word)}


def _list(sheet: Sheet, x: float, y: float, named: Mapping[int, str], columns: int, width: float) -> float:
    """Write the names of words in columns; return where the next line would be."""
    items = [f"{index:>3} {name}" for index, name in sorted(named.items())]
    rows = -(-len(items) // columns)
    for place, item in enumerate(items):
        sheet.text(x + place // rows * width, y + place % rows * LINE, item)
    return y + rows * LINE


class Part(NamedTuple):
    """A part of the segment."""

    name: str
    at: int
    size: str
    colour: Colour
    changed: str
    """Who may change it."""


def segment() -> str:
    """Draw the parts of the segment, and what one of each holds."""
    made: Layout = layout(DEFAULTS)
    blocks = f"{METRIC_HEAD_BYTES} bytes and {made.sessions + 2} blocks of {METRIC_WORDS * 8}"
    parts = [
        Part("head", 0, f"{HEAD_BYTES} bytes", "plain", "word by word"),
        Part("directory", made.directory_at, f"{made.sessions} records of {RECORD_BYTES}", "violet", "lock directory"),
        Part("ring", made.ring_at, f"{made.slots} slots of {made.slot_bytes}", "green", "lock broadcast"),
        Part("tables", made.tables_at, f"{made.tables} cells of {made.cell_bytes}", "blue", "a lock for each table"),
        Part("counts", made.metrics_at, blocks, "yellow", "one writer for each block"),
    ]
    sheet = Sheet(
        f"The segment, layout {LAYOUT_VERSION}",
        "From its first byte to its last: "
        + "; ".join(f"{part.name} at {part.at}, {part.size}, changed by {part.changed}" for part in parts)
        + f"; {made.size} bytes in all. Below are the words of the head, a record, a slot and a cell.",
    )
    left, more = 20.0, 40
    scale = (860.0 - 4 * more) / made.size  # some pixels more for each part, so that the head can be seen
    ends = [*(part.at for part in parts[1:]), made.size]
    for part, end in zip(parts, ends, strict=True):
        width = (end - part.at) * scale + (0 if end == made.size else more)
        sheet.box(left, 44, width, 36, part.colour)
        sheet.text(left + 2, 36, f"{part.at}", soft=True)
        left += width
    sheet.text(880, 36, f"{made.size:,} bytes", soft=True, anchor="end")
    for place, part in enumerate(parts):
        y = 106 + place * 21
        sheet.box(20, y - 11, 14, 14, part.colour)
        sheet.text(42, y, part.name, bold=True)
        sheet.text(140, y, part.size)
        sheet.text(480, y, f"changed: {part.changed}", soft=True)

    y = 216
    sheet.box(20, y, 316, 214, "plain")
    sheet.text(32, y + 22, "head: words", bold=True)
    _list(sheet, 28, y + 46, words_of(Head) | {15: "listener", 64: "casino's"}, 2, 140)
    sheet.box(346, y, 286, 214, "violet")
    sheet.text(358, y + 22, "a record: words", bold=True)
    named = words_of(Record) | {1: "pid", 2: "start", 4: "place", 7: "last_input", 10: "last_wait", 11: "muted_until"}
    _list(sheet, 354, y + 46, named | {12: "door", 16: "name", 27: "peer", 36: "host"}, 2, 134)
    sheet.box(642, y, 238, 214, "green")
    sheet.text(654, y + 22, "a slot", bold=True)
    below = sheet.lines(654, y + 46, f"{SLOT_HEAD_BYTES} bytes: number, kind, table, sender, time, checksum,", 216)
    below = sheet.lines(654, below, f"{ADDRESSEES} addressees at most", 216)
    sheet.lines(654, below + 8, f"{made.payload} bytes of payload", 216)

    y += 226
    sheet.box(20, y, 860, 146, "blue")
    sheet.text(32, y + 22, "a cell", bold=True)
    _list(sheet, 28, y + 42, words_of(Cell) | {2: "game", 5: "taken"}, 1, 132)
    sheet.text(32, y + 134, f"{CELL_HEAD_BYTES} bytes", soft=True)
    header = 8 * (len(Header.__struct_fields__) - 1 + made.seats + 3)
    for place, half in enumerate(("0: even commits", "1: odd commits")):
        x = 180 + place * 350
        sheet.box(x, y + 12, 338, 122, "plain")
        sheet.text(x + 12, y + 34, f"half {half}", bold=True)
        below = sheet.lines(x + 12, y + 56, "header: " + ", ".join(Header.__struct_fields__), 318)
        sheet.text(x + 12, below + 6, f"value: {made.half - header:,} bytes of MessagePack")
    return sheet.svg(y + 160)


# --- locks and the steps of an operation ------------------------------------------------------------------------------


class Held(NamedTuple):
    """A lock that an operation holds, from one of its steps to another."""

    level: LockLevel
    first: int
    last: int


def steps_of(name: str) -> list[str]:
    """Return the steps of an operation, in their order."""
    return (STEPS / f"{name}.txt").read_text().splitlines()


def held(steps: Sequence[str]) -> list[Held]:
    """Return which locks are held from where to where."""
    taken: dict[str, int] = {}
    found: list[Held] = []
    for place, step in enumerate(steps):
        lock, _, rest = step.partition(" lock ")
        if rest.startswith("taken"):
            taken[lock] = place
        elif rest.startswith("given back"):
            found.append(Held(LockLevel[lock.partition(" ")[0].upper()], taken.pop(lock), place))
    return sorted(found, key=lambda one: one.first)


def nestings(steps: Sequence[str]) -> set[tuple[LockLevel, LockLevel]]:
    """Return which locks are taken while which other ones are held."""
    locks = held(steps)
    return {(a.level, b.level) for a in locks for b in locks if a.first < b.first and b.last < a.last}


OPERATIONS: Final = ("entering", "sit-down", "start", "reveal", "bet", "swap", "leave", "purge", "payout", "broadcast")
"""Those whose locks are shown."""


def locks() -> str:
    """Draw the order of locks, and which ones each operation holds, step by step."""
    found = {name: held(steps_of(name)) for name in OPERATIONS}
    nested = {pair for name in OPERATIONS for pair in nestings(steps_of(name))}
    pairs = ", ".join(f"{b.name.lower()} inside {a.name.lower()}" for a, b in sorted(nested))
    sheet = Sheet(
        "Locks: their order, and who holds which one when",
        f"The order is {', '.join(level.name.lower() for level in LockLevel)}: a process takes higher ones only."
        f" Taken while another one is held: {pairs}; nothing else. Rows are operations, step by step.",
    )
    sheet.text(20, 32, "order", bold=True)
    for place, level in enumerate(LockLevel):
        x = 80 + place * 200
        sheet.box(x, 16, 156, 24, LOCKS[level])
        sheet.text(x + 10, 33, f"{int(level)} {level.name.lower()}", bold=True)
        if level is not max(LockLevel):
            sheet.path(f"M{x + 160} 28H{x + 196}", arrow=True)
    y = 66.0
    for name, locks_held in found.items():
        last = len(steps_of(name))
        sheet.text(20, y + 25, name.replace("_", " "))
        sheet.path(f"M124 {y + 33:g}H{124 + last * 11}", thin=True)
        for one in locks_held:
            row = 12 if one.level is LockLevel.BANK else 0
            width = (one.last - one.first) * 11
            sheet.box(124 + one.first * 11, y + row, width, 32 - 2 * row + (10 if row else 0), LOCKS[one.level])
        y += 44
    sheet.text(20, y + 10, f"Taken inside another one: {pairs}, and nothing else.", soft=True)
    return sheet.svg(y + 28)


class Zone(NamedTuple):
    """What is so if the process is killed at a step, from this one on."""

    begins: str
    """The first step of it."""
    colour: Colour
    title: str
    text: str


BET: Final = (
    Zone(
        "table 1 lock wanted",
        "plain",
        "nothing has happened",
        "The kernel frees the locks. What SQLite had begun, the next process rolls back.",
    ),
    Zone(
        "bank lock to be given back",
        "yellow",
        "the money is in the pot, the table does not know",
        "The others free the dead player's seat. What is paid out is what the pot's account holds, this bet included.",
    ),
    Zone(
        "number moved",
        "green",
        "the bet is made",
        "The others see it at their next tick, five seconds later at most, and free the dead player's seat.",
    ),
    Zone(
        "head moved",
        "green",
        "the bet is made, and told in the ring",
        "Who is not signalled any more looks at the next tick.",
    ),
)
PAYOUT: Final = (
    Zone("table 1 lock wanted", "plain", "nothing has happened", "The move that ends the game was not made."),
    Zone(
        "number moved",
        "yellow",
        "the game is decided, the override is set",
        "Whoever looks next finds the holder of the override dead, writes their own token there, and pays out.",
    ),
    Zone(
        "bank lock to be given back (2)",
        "yellow",
        "paid, and the table does not know",
        "The same. The ledger finds the payout done and moves nothing twice.",
    ),
    Zone(
        "number moved (2)",
        "green",
        "the game is over",
        "Winners have their CUBES, the next deck is sealed. The others see it at their next tick.",
    ),
)


def operation(title: str, name: str, zones: Sequence[Zone]) -> str:
    """Draw the steps of an operation one below the other, the locks beside them, and what a kill leaves."""
    steps = steps_of(name)
    begins = [steps.index(zone.begins) for zone in zones]
    locks_held = held(steps)
    about = "; ".join(f'from "{zone.begins}" on, {zone.title}' for zone in zones)
    sheet = Sheet(title, f"{len(steps)} steps: {', '.join(steps)}. Killed there: {about}.")
    row, top = 17, 40
    sheet.text(20, 28, "a step of the process", bold=True)
    sheet.text(330, 28, "locks", bold=True)
    sheet.text(470, 28, "killed at one of these steps", bold=True)
    for place, step in enumerate(steps):
        sheet.text(20, top + place * row + 12, step)
    for one in locks_held:
        x = 330 + (one.level - LockLevel.TABLE) * 40
        sheet.box(x, top + one.first * row + 2, 14, (one.last - one.first) * row, LOCKS[one.level])
    for zone, (first, last) in zip(zones, pairwise([*begins, len(steps)]), strict=True):
        sheet.box(456, top + first * row + 1, 424, (last - first) * row - 3, zone.colour)
        sheet.text(470, top + first * row + 18, zone.title, bold=True)
        sheet.lines(470, top + first * row + 36, zone.text, 404)
    y = top + len(steps) * row + 24
    for level, x in ((LockLevel.TABLE, 20), (LockLevel.BANK, 140), (LockLevel.BROADCAST, 260)):
        sheet.box(x, y - 11, 14, 14, LOCKS[level])
        sheet.text(x + 22, y, level.name.lower())
    return sheet.svg(y + 18)


# --- signals and alarms -----------------------------------------------------------------------------------------------


def falls(seconds: float) -> dict[str, list[float]]:
    """Return when the alarms of somebody who sits and thinks fall, in seconds from the beginning of the grid."""
    engine, telnet = DEFAULTS.engine, DEFAULTS.telnet
    now = [0.0]
    alarms = Alarms(lambda: now[0], lambda after, again: None)
    alarms.every("duty", engine.duty_seconds)
    alarms.every("keepalive", telnet.keepalive_seconds)
    found: dict[str, list[float]] = {"duty": [], "keepalive": [], "tick": [], "deadline": []}
    sat_down, deadline = 12.4, 12.4 + 37.0
    while (due := alarms.next_at) is not None and due <= seconds:
        if now[0] < sat_down < due:
            now[0] = sat_down
            alarms.every("tick", engine.tick_seconds)
            alarms.set("deadline", deadline)
            continue
        now[0] = due
        for name in alarms.due():
            found[name].append(due)
    return found


def alarms() -> str:
    """Draw a minute of one process's alarms."""
    found = falls(65)
    moments = sorted({moment for times in found.values() for moment in times})
    sheet = Sheet(
        "Alarms: one timer, one grid",
        "A minute of a player who sits down at 12.4 s. "
        + "; ".join(f"{name}: {', '.join(f'{moment:g}' for moment in times)} s" for name, times in found.items())
        + f". The process wakes {len(moments)} times.",
    )
    left, scale = 124, 11.4
    for mark in range(0, 66, 5):
        x = left + mark * scale
        sheet.path(f"M{x:g} 44V206", thin=True)
        sheet.text(x, 36, str(mark), soft=True, anchor="middle")
    sheet.text(20, 36, "seconds", soft=True)
    colours: Mapping[str, Colour] = {"duty": "violet", "keepalive": "green", "tick": "blue", "deadline": "red"}
    for place, (name, times) in enumerate(found.items()):
        y = 60 + place * 36
        sheet.text(20, y + 14, name, bold=True)
        for moment in times:
            sheet.box(left + moment * scale - 5, y, 10, 20, colours[name])
    sheet.path(f"M{left + 12.4 * scale:g} 44V222", arrow=False)
    sheet.text(
        left + 12.4 * scale + 6, 220, "sits down: the ticks join the grid that is there, and move nothing", soft=True
    )
    sheet.text(20, 246, f"{len(moments)} wakes: what falls together wakes the process once.", soft=True)
    return sheet.svg(262)


def unlock() -> str:
    """Draw when a slot of the ring may be used again."""
    limit = DEFAULTS.engine.unlock_ms
    rows: list[tuple[str, str, list[tuple[str, float]], float]] = [
        ("acknowledged", "two readers, both awake", [("reads", 4), ("reads", 9)], 9),
        ("acknowledged", "one of them is killed", [("reads", 4), ("dies", 60)], 60),
        ("acknowledged", "one of them is stopped", [("reads", 4)], limit),
        ("timed", "two readers, both awake", [("reads", 4), ("reads", 9)], limit),
    ]
    sheet = Sheet(
        f"When a slot is unlocked: at {limit} ms, or before",
        "; ".join(f"{mode}, {case}: after {free:g} ms" for mode, case, _, free in rows) + ".",
    )
    left, scale = 250, 1.62
    for mark in (*range(0, limit, 50), limit):
        sheet.path(f"M{left + mark * scale:g} 44V{60 + 52 * len(rows)}", thin=True)
        sheet.text(left + mark * scale, 36, str(mark), soft=True, anchor="middle")
    sheet.text(20, 36, "ms since it was posted", soft=True)
    for place, (mode, case, events, free) in enumerate(rows):
        y = 60 + place * 52
        sheet.text(20, y + 14, mode, bold=True)
        sheet.text(20, y + 32, case, soft=True)
        sheet.box(left, y, free * scale, 26, "green" if mode == "acknowledged" else "yellow")
        for _, moment in events:
            x = left + moment * scale
            sheet.path(f"M{x:g} {y}V{y + 34}")
        last = max(moment for _, moment in events)
        names = ", ".join(f"{what} at {moment:g}" for what, moment in events)
        sheet.text(left + max(last * scale, 40) + 12, y + 18, names)
    sheet.text(
        20, y + 10, f"acknowledged: {layout(DEFAULTS).slots} slots; timed: one, so the next sender waits", soft=True
    )
    return sheet.svg(92 + 52 * len(rows))


def drawn() -> Iterator[tuple[Path, str]]:
    """Return each picture with its file."""
    yield FOLDER / "processes.svg", processes()
    yield FOLDER / "segment.svg", segment()
    yield FOLDER / "locks.svg", locks()
    yield FOLDER / "alarms.svg", alarms()
    yield FOLDER / "unlock.svg", unlock()
    yield FOLDER / "bet.svg", operation("The life of a bet, and what a kill leaves", "bet", BET)
    yield FOLDER / "closing.svg", operation("Closing a game, and what a kill leaves", "payout", PAYOUT)


def main() -> int:
    """Write the files that are not up to date."""
    FOLDER.mkdir(exist_ok=True)
    for path, text in drawn():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.name}: {len(text)} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
