"""`yawcctl doctor`: print what the checks find."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from yawc_poker.config import ConfigError
from yawc_poker.control.client import Failed
from yawc_poker.control.protocol import FAILED
from yawc_poker.extras.doctor.checks import Finding, examined
from yawc_poker.sysop.command import Command, count, print_rows


def _arguments(command: argparse.ArgumentParser) -> None:
    text = "look at what this configuration wants, not at what the running BBS has"
    command.add_argument("--config", type=Path, metavar="FILE", help=text)


def run(chosen: argparse.Namespace) -> int:
    """Print all findings; return 1 if anything is wrong. Raise `Failed`."""
    from yawc_poker.extras.doctor import facts  # it loads all games

    try:
        found = examined(facts.read(chosen.data, chosen.config))
    except ConfigError as error:
        raise Failed(FAILED, str(error)) from None
    print_rows(chosen, found, _lines)
    return 1 if any(one.verdict == "wrong" for one in found) else 0


def _lines(found: list[Finding]) -> Iterator[str]:
    for one in found:
        yield f"{one.verdict:7}{one.about + ':':15}{one.text}"
        if one.cure:
            yield f"{'':22}-> {one.cure}"
    wrong, look = (sum(one.verdict == verdict for one in found) for verdict in ("wrong", "look"))
    yield f"{count(len(found), 'check')}: {wrong} wrong, {look} to look at."


ANNOUNCED: Final = (
    Command(
        "doctor",
        run,
        "look for what is wrong around the BBS, on its machine, with the cure of each; the BBS may run",
        ("doctor", "doctor --config /etc/yawc/yawc.toml", "doctor --json | jq 'select(.verdict != \"good\")'"),
        _arguments,
        after="status",
    ),
)
