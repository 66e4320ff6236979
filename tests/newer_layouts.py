"""``python -m tests.newer_layouts expands telnetd ...``: the program as it may be one day, each layout a step ahead.

The first argument says whether programs of today may use what the step has made (`expands`), or not (`contracts`); of
files they never may. The second one is ``telnetd`` or ``yawcctl``.
"""

import sys
from typing import Final, Literal

from msgspec.structs import replace

from yawc_poker.casino.store import books, users
from yawc_poker.casino.store.layout import Layout
from yawc_poker.extras.cluster import layout as cluster

STEP: Final = """
CREATE TABLE made_up (id INTEGER PRIMARY KEY);
"""

How = Literal["expands", "contracts"]


def add_steps(how: How) -> None:
    """Add a step to every layout, before anybody else has looked at one."""
    for module in (books, users, cluster):
        for name, layout in [*vars(module).items()]:
            if isinstance(layout, Layout):
                oldest = layout.version("postgresql") if how == "expands" else 0
                setattr(module, name, replace(layout, steps=(*layout.steps, STEP), oldest=oldest))


def main() -> int:
    """Run the command that the second argument names."""
    how, command = sys.argv.pop(1), sys.argv.pop(1)
    assert how in ("expands", "contracts"), how
    add_steps("expands" if how == "expands" else "contracts")
    if command == "telnetd":
        from telnetd.signals import block_signals

        block_signals()
        from telnetd.cli import run

        return run()
    from yawc_poker.sysop.__main__ import main as yawcctl

    return yawcctl()


if __name__ == "__main__":
    sys.exit(main())
