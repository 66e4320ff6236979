"""``yawc-maumau HOST PORT``: play Mau-Mau by its binary protocol, at this terminal or with bots."""

import argparse
import getpass
import io
import locale
import os
import sys
from contextlib import suppress
from random import Random

import msgspec

from yawc_poker import __version__
from yawc_poker.catalogues import words
from yawc_poker.digits import decimal
from yawc_poker.extras.maumau_wire.client.bot import Disagreement, GameResult, play_games
from yawc_poker.extras.maumau_wire.client.connection import ServerGone
from yawc_poker.extras.maumau_wire.client.person import play
from yawc_poker.extras.maumau_wire.protocol.client import Confused
from yawc_poker.terminal.kinds import DUMB, terminal
from yawc_poker.words import LANGUAGES, Language, language_of_locale

USAGE = 64
UNAVAILABLE = 69
PROTOCOL = 76


def main(arguments: list[str] | None = None) -> int:
    """Play; return the exit code: 0, 69 where there is no server, 76 where it breaks the protocol."""
    options = parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name in another character set is no reason to break off
    try:
        if options.bot:
            rng, name = Random(options.seed), options.name or "Bot"
            play_games(options.host, options.port, options.clients, options.games, rng, _print, name)
            return 0
        return _play(options)
    except ServerGone as gone:
        return _fail(str(gone), UNAVAILABLE)
    except (Confused, Disagreement) as fault:
        return _fail(str(fault), PROTOCOL)
    except KeyboardInterrupt:
        return 130


def _play(options: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _fail("standard input and output must be a terminal; or play with --bot", USAGE)
    if terminal(os.environ.get("TERM", ""))[0] == DUMB:
        return _fail("this terminal cannot move its cursor (TERM=dumb); play with --bot", USAGE)
    language: Language = options.language or _language()
    last = play(options.host, options.port, options.name or _login(), words(language))
    if last:
        print(last)
    return 0


def _print(result: GameResult) -> None:
    print(msgspec.json.encode(result).decode(), flush=True)


def _language() -> Language:
    with suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")
    return language_of_locale(os.environ) or "en"


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _fail(message: str, code: int) -> int:
    print(f"yawc-maumau: {message}", file=sys.stderr)
    return code


def parser() -> argparse.ArgumentParser:
    """Build the command line."""
    whole = argparse.ArgumentParser(
        prog="yawc-maumau", description="Play Mau-Mau by its binary protocol, at this terminal or with bots."
    )
    whole.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    whole.add_argument("host", metavar="HOST")
    whole.add_argument("port", metavar="PORT", type=_port, nargs="?", default=2324, help="(2324)")
    whole.add_argument("--name", help="who you are (default: your login; of bots: Bot, with a number)")
    whole.add_argument("--language", choices=LANGUAGES, help="of the screen (default: the locale's)")
    bots = whole.add_argument_group("bots")
    bots.add_argument(
        "--bot", action="store_true", help="let bots play, and print each game's totals as a line of JSON"
    )
    bots.add_argument("--games", metavar="N", type=_count, default=1, help="games to play, one after the other (1)")
    bots.add_argument(
        "--clients",
        metavar="N",
        type=_count,
        default=2,
        help="bots to play side by side (2); with 1, others make up the table",
    )
    bots.add_argument("--seed", metavar="K", type=int, help="of what the bots choose")
    return whole


def _port(text: str) -> int:
    port = decimal(text)
    if port is None or not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")
    return port


def _count(text: str) -> int:
    number = decimal(text)
    if not number:
        raise argparse.ArgumentTypeError(f"a number from 1 on, not {text!r}")
    return number


if __name__ == "__main__":
    sys.exit(main())
