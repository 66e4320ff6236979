"""What the documents say of sizes and places is so, and their links lead somewhere."""

import re
from pathlib import Path

import pytest

from docs.diagrams import drawn
from yawc_poker.casino.instance.instance import layout
from yawc_poker.ipc.layout import (
    CELL_HEAD_BYTES,
    HEAD_BYTES,
    LAYOUT_VERSION,
    METRIC_HEAD_BYTES,
    METRIC_WORDS,
    RECORD_BYTES,
    SLOT_HEAD_BYTES,
)
from yawc_poker.registry.games import DEFAULTS

NEEDS = "every extra"

SOURCE = Path(__file__).parents[2]
INTERNALS = SOURCE / "docs" / "internals.md"
HANDBOOK = SOURCE / "docs" / "sysop.md"
FIRST_PAGE = SOURCE / "README.md"
MAP = SOURCE / "yawc_poker" / "README.md"
DOCUMENTS = sorted(
    path
    for path in SOURCE.glob("**/*.md")
    if not any(part == "build" or part.startswith(".venv") for part in path.relative_to(SOURCE).parts)
)


def section(document: Path, title: str) -> str:
    """Return the text below a heading of level 2, up to the next one."""
    return document.read_text().split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def anchors(document: Path) -> list[str]:
    """Return the anchors of a document's headings, in their order."""
    text = re.sub(r"^(```|~~~).*?^\1", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [anchor(title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]


def anchor(title: str) -> str:
    """Return the anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_the_table_of_the_segment_is_the_layout_of_the_default_configuration() -> None:
    made = layout(DEFAULTS)
    counts = f"{METRIC_HEAD_BYTES} + {made.sessions + 2} x {METRIC_WORDS * 8}"
    assert re.findall(r"^\| (\w+) \| (\d+) \| ([\dx +]+) \|", section(INTERNALS, "The segment"), re.MULTILINE) == [
        ("head", "0", str(HEAD_BYTES)),
        ("directory", str(made.directory_at), f"{made.sessions} x {RECORD_BYTES}"),
        ("ring", str(made.ring_at), f"{made.slots} x {made.slot_bytes}"),
        ("tables", str(made.tables_at), f"{made.tables} x {made.cell_bytes}"),
        ("counts", str(made.metrics_at), counts),
    ]


def test_the_sizes_told_beside_the_table_are_those_of_the_layout() -> None:
    made = layout(DEFAULTS)
    text = " ".join(section(INTERNALS, "The segment").split())
    assert f"In all {made.size:,} bytes; this is layout {LAYOUT_VERSION}." in text
    assert f"{SLOT_HEAD_BYTES} bytes of head, {made.payload} of payload" in text
    assert f"per table {CELL_HEAD_BYTES} bytes" in text
    assert f"two halves of {made.half}" in text
    header = 8 * (7 + made.seats + 3)  # seven words, the seats, the value's length, two checksums
    assert f"{made.half - header:,} bytes are left for the value" in text


def test_the_handbook_tells_what_a_caller_and_a_table_take_of_shared_memory() -> None:
    made = layout(DEFAULTS)
    caller = RECORD_BYTES + METRIC_WORDS * 8
    told = f"{caller / 1000:.1f} kB of shared memory a caller, {made.cell_bytes / 1000:.0f} kB a table"
    assert told in HANDBOOK.read_text()


@pytest.mark.parametrize("document", [INTERNALS, HANDBOOK], ids=lambda path: str(path.name))
def test_the_contents_list_has_every_section_in_its_order(document: Path) -> None:
    listed = re.findall(r"\(#([\w-]+)\)", document.read_text().split("\n## ", 1)[0])
    titles = re.findall(r"^## (.+)$", document.read_text(), re.MULTILINE)
    assert listed == [anchor(title) for title in titles]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", document.read_text()):
        place, _, heading = link.partition("#")
        target = (document.parent / place).resolve() if place else document
        assert target.exists(), link
        assert not heading or heading in anchors(target), link


@pytest.mark.parametrize(("path", "text"), [pytest.param(*one, id=one[0].name) for one in drawn()])
def test_the_diagrams_are_what_the_code_says(path: Path, text: str) -> None:
    assert path.read_text() == text, "make diagrams"


def test_every_diagram_is_shown_and_told() -> None:
    shown = re.findall(r"!\[[^\]]{20,}\]\(diagrams/([\w.]+)\)", INTERNALS.read_text())
    assert sorted(shown) == sorted(path.name for path, _ in drawn())


def test_internals_is_read_in_twenty_minutes() -> None:
    assert len(INTERNALS.read_text().split()) <= 5200


def test_the_first_page_is_short() -> None:
    assert len(FIRST_PAGE.read_text().splitlines()) <= 120


MODULE = re.compile(r"(?<![\w/.*-])((?:\.\./)*(?:[\w*.-]+/)*[\w*-]+\.(?:py|c|sh))(?![\w/])")
FOLDER = re.compile(r"`((?:\.\./)*(?:[\w-]+/)+)`")
ELSEWHERE = {"check.py", "prices.py", "round.py", "dist/"}  # a reader's own files, and what is built
SOURCES = [
    path for top in ("yawc_poker", "telnetd", "tests", "benchmarks", "docs") for path in (SOURCE / top).glob("**/*")
]


def is_there(name: str, document: Path) -> bool:
    """Return whether a module or a folder that a document names exists."""
    roots = (SOURCE, SOURCE / "yawc_poker", SOURCE / "yawc_poker" / "casino", SOURCE / "tests", document.parent)
    if "/" not in name:
        return any(path.match(name) for path in SOURCES)
    return any(any(root.glob(name)) if "*" in name else (root / name).exists() for root in roots)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_and_folders_that_are_named_exist(document: Path) -> None:
    if document.name == "CHANGELOG.md":  # tells of former versions, too
        return
    text = document.read_text()
    named = {name for name in [*MODULE.findall(text), *FOLDER.findall(text)] if "NAME" not in name} - ELSEWHERE
    assert [name for name in sorted(named) if not is_there(name, document)] == []


def test_every_package_is_in_the_map() -> None:
    rows = {(MAP.parent / name).resolve() for name in FOLDER.findall(section(MAP, "Map"))}
    packages = {path.parent for top in ("yawc_poker", "telnetd") for path in (SOURCE / top).glob("**/__init__.py")}
    with_modules = {path for path in packages if any(one.name != "__init__.py" for one in path.glob("*.py"))}
    games = {path for path in packages if MAP.parent / "games" in path.parents}  # a game is a folder and one line
    assert sorted(str(path) for path in with_modules - rows - games - {MAP.parent}) == []


METHOD = re.compile(r"`(?!Game\.|Core\.)([A-Z]\w+)\.(\w+)`")
"""A member of a class; messages of GMCP have names like these."""
NAMES = {path: path.read_text() for path in SOURCES if path.suffix == ".py"}


def has(kind: str, name: str) -> bool:
    """Return whether a class of this name has a member of that name."""
    found = [text for text in NAMES.values() if re.search(rf"^class {kind}\b", text, re.MULTILINE)]
    return any(re.search(rf"\b{name}\b", text) for text in found)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_members_that_are_named_exist(document: Path) -> None:
    if document.name == "CHANGELOG.md":
        return
    named = METHOD.findall(document.read_text())
    assert [
        f"{kind}.{name}" for kind, name in named if name not in {"md", "txt", "service"} and not has(kind, name)
    ] == []


NAME = re.compile(r"`([A-Za-z]\w*)(?:\([^`\n]*\))?`")
COMPOUND = re.compile(r"[a-z][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]")
"""What a name in code has and a plain word has not."""
OF_OTHERS = {"AcceptEnv", "MaxStartups", "PerSourceMaxStartups", "PermitUserEnvironment"}
"""Settings of sshd that nothing here writes."""
WORDS = {word for path in SOURCES if path.suffix in {".py", ".js"} for word in re.findall(r"\w+", path.read_text())}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_names_in_code_that_are_named_exist(document: Path) -> None:
    if document.name == "CHANGELOG.md":
        return
    named = {name for name in NAME.findall(document.read_text()) if COMPOUND.search(name)}
    assert sorted(named - WORDS - OF_OTHERS) == []
