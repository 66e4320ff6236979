"""Write the example configuration and the configuration page from the settings' own definitions.

make configuration      # deploy/yawc.toml and docs/configuration.md
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec

from yawc_poker.config import Section, convert, parts
from yawc_poker.doors import kinds
from yawc_poker.registry.games import SETTINGS

SOURCE = Path(__file__).parents[1]
EXAMPLE = SOURCE / "deploy" / "yawc.toml"
PAGE = SOURCE / "docs" / "configuration.md"

_EXAMPLE_HEAD = """\
# YAWC Poker: every setting there is, with its default. Install as /etc/yawc/yawc.toml and change what you like; a line
# that is left out means its default. An unknown key or a bad value stops the start with a message that names it.
# Seconds may be fractions. Only yawc-telnetd reads this file; yawc-poker finds what it runs with in the data directory.
"""
_PAGE_HEAD = """\
# Configuration

    yawc-telnetd --config FILE

The file is TOML. A key that is left out has its default; an unknown key or a bad value stops the start with one line
that names file, key and rule. [deploy/yawc.toml](../deploy/yawc.toml) is a file with every key and its default.

Seconds may be fractions. SIGHUP, or `yawcctl reload`, has the daemon read the file again, for callers to come. Hosts
and ports change with a restart only; so do the numbers of tables, `unlock`, `unlock_ms`, the database and the room that
`max_sessions`, `max_logins` and `max_clients` reserve, and then only if nobody is in: a daemon that takes up living
sessions goes on with what they have, and its log names what waits.

This page and the file are written by `make configuration` from the settings' definitions.
"""


def example() -> str:
    """Return the text of the example configuration."""
    return _EXAMPLE_HEAD + "".join(_example_section(name, section) for name, section in _sections())


def _example_section(name: str, section: list[Section]) -> str:
    lines = [f"\n[{name}]\n"]
    for key, value, text in _keys(section):
        lines += [f"# {line}\n" for line in textwrap.wrap(text, 116)]
        lines.append(f"{key} = {value}\n")
    return "".join(lines)


def page() -> str:
    """Return the text of the configuration page."""
    return _PAGE_HEAD + "".join(_page_section(name, section) for name, section in _sections())


def _page_section(name: str, section: list[Section]) -> str:
    about = (inspect.getdoc(type(section[0])) or "").partition(": ")[2].partition("(spec")[0].strip(" .\n")
    rows = [f"| `{key}` | `{value}` | {text} |\n" for key, value, text in _keys(section)]
    return f"\n## [{name}]\n\n{about[0].upper()}{about[1:]}.\n\n| key | default | |\n|---|---|---|\n{''.join(rows)}"


def _sections() -> list[tuple[str, list[Section]]]:
    """Return every section with its defaults, by name, in the order of the page; an extra may have a part of it."""
    found: dict[str, list[Section]] = {}
    for name, part in parts(convert({}, SETTINGS)):
        found.setdefault(name, []).append(part)
    doors = [kind.section for kind in kinds().values() if kind.section]
    order = {name: number for number, name in enumerate(["bbs", *doors, *(kind.section for kind in SETTINGS)])}
    return sorted(found.items(), key=lambda one: order.get(one[0], len(order)))


def _keys(section: list[Section]) -> Iterator[tuple[str, str, str]]:
    """Return each key of a section with its default, as TOML writes it, and its text."""
    for part in section:
        texts = _texts(type(part))
        for key in part.__struct_fields__:
            text = texts[key].replace("{choices}", _choices(type(part), key))
            yield key, msgspec.json.encode(getattr(part, key)).decode(), text


def _choices(kind: type[Section], key: str) -> str:
    """Return the words that a setting may have; empty: it has any."""
    *most, last = [f'"{word}"' for word in get_args(get_type_hints(kind)[key])] or [""]
    return " or ".join(filter(None, (", ".join(most), last)))


def _texts(kind: type[Section]) -> dict[str, str]:
    """Return the docstrings of a section's fields; those of a game's own section go before the common ones."""
    found: dict[str, str] = {}
    for one in reversed([base for base in kind.__mro__ if issubclass(base, Section)]):
        body = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, text in zip(body.body, body.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                match text:
                    case ast.Expr(value=ast.Constant(value=str(said))):
                        found[field.target.id] = " ".join(said.split())
    return found


def main() -> None:
    """Write both files."""
    EXAMPLE.write_text(example())
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
