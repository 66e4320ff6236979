"""`yawcctl`: the sysop's command line.

Owns the common options, the order of the subcommands, and the exit codes: 0 all is well, 1 something was found, 2 it
could not be done. A module brings its subcommands as `COMMAND` or `COMMANDS`, an extra by a module `subcommands`.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from yawc_poker import __version__
from yawc_poker.announcing import announced
from yawc_poker.bbs.log_format import open_closed_streams
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.config_file import default_data
from yawc_poker.control.client import ANSWER_SECONDS, CannotAsk, Failed
from yawc_poker.sysop import accounts, actions, backup, books, ipc, service, status, texts, users
from yawc_poker.sysop.command import Command

_HELP = """\
The running BBS is asked through DIR/control.sock: run yawcctl as the user of
the BBS, or as root. users, accounts, history, verify, audit, backup and ipc
need no running BBS; restore wants it stopped. Each command has a help page of its
own, with examples: yawcctl COMMAND --help.

exit codes:
  0  done; all is well
  1  the BBS refuses, or something was found: no such user, unsound books
  2  it could not be done: no BBS runs, a mistake on the command line

examples:
  yawcctl --data /var/lib/yawc status
  yawcctl who --json | jq -r .name
"""


def all_commands() -> list[Command]:
    """Return every subcommand in the order of the help, those of extras too. Raise `ValueError` for a name of two."""
    found = [
        *(*status.COMMANDS, *actions.commands(), users.COMMAND, accounts.COMMAND, *books.commands(), *backup.COMMANDS),
        *(*service.COMMANDS, texts.COMMAND, ipc.COMMAND),
    ]
    for extra in announced("subcommands", Command):
        names = [one.name for one in found]
        if extra.name in names:
            raise ValueError(f"two subcommands are called {extra.name}")
        found.insert(names.index(extra.after) + 1 if extra.after in names else len(names), extra)
    return found


def parser() -> argparse.ArgumentParser:
    """Build the command line of all subcommands."""
    whole = argparse.ArgumentParser(
        prog="yawcctl",
        description="Look after a YAWC Poker BBS.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    whole.add_argument(
        "--data", type=Path, metavar="DIR", default=default_data(), help="data directory (default: $YAWC_DATA, or var)"
    )
    whole.add_argument(
        "--timeout",
        type=_seconds,
        metavar="S",
        default=ANSWER_SECONDS,
        help=f"how long to wait for the BBS, in seconds ({ANSWER_SECONDS:g})",
    )
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    for command in all_commands():
        command.add_to(commands)
    return whole


def _seconds(text: str) -> float:
    seconds = float(text) if text.isascii() and "_" not in text else 0.0
    if not 0 < seconds <= 86400:
        raise argparse.ArgumentTypeError("seconds are above 0, a day at most")
    return seconds


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand and return the exit code."""
    open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name in another character set is no reason to break off
    chosen = parser().parse_args(arguments)
    try:
        code: int = chosen.run(chosen)
        sys.stdout.flush()
    except (StoreError, CannotAsk) as error:
        print(f"yawcctl: {error}", file=sys.stderr)
        return 2
    except Failed as error:
        print(f"yawcctl: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("yawcctl: interrupted; what the BBS has been asked for it does all the same", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has seen enough (`yawcctl ipc | head -1`); the interpreter's own last flush must not complain.
        _write_no_more()
        return 0
    except UnicodeEncodeError as error:
        print(f"yawcctl: that is no UTF-8: {error.object!a}", file=sys.stderr)
        return 2
    except OSError as error:  # standard output above all: a full disk
        print(f"yawcctl: {error}", file=sys.stderr)
        _write_no_more()
        return 2
    return code


def _write_no_more() -> None:
    """Discard what standard output has not taken."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
