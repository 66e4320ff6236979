"""``python -m tests.made_up_game telnetd ...`` or ``yawcctl ...``: the program with one more line in its registry."""

import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

REGISTRY = "yawc_poker.registry.games"
IMPORT = "from yawc_poker.games.poker.game import POKER\n"
LAST = "    Entry(DOPPELKOPF),\n"


def register() -> None:
    """Load the registry with the import of the game and its line in `GAMES`, and nothing else changed."""
    spec = find_spec(REGISTRY)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text()
    assert source.count(IMPORT) == source.count(LAST) == 1
    source = source.replace(IMPORT, f"{IMPORT}from tests.made_up_game.game import HIGHEST\n")
    source = source.replace(LAST, f"{LAST}    Entry(HIGHEST),\n")
    module = sys.modules[REGISTRY] = module_from_spec(spec)
    exec(compile(source, spec.origin, "exec"), vars(module))


def main() -> int:
    """Run the command that the first argument names."""
    command = sys.argv.pop(1)
    if command == "telnetd":
        from telnetd.signals import block_signals

        block_signals()
        register()
        from telnetd.cli import run

        return run()
    register()
    from yawc_poker.sysop.__main__ import main as yawcctl

    return yawcctl()


if __name__ == "__main__":
    sys.exit(main())
