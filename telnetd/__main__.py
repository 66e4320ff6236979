"""Command line of the listener: ``python -m telnetd [--config FILE] [--data DIR] [--host H] [--port P]``."""

import argparse
import os
import resource
import socket
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from msgspec.structs import replace

from telnetd.daemon import Listener, hold_signals
from telnetd.doors import Door, ListenError, address_of, answer_scrape, answer_telnet, listen, listen_at
from telnetd.line import TelnetLine
from telnetd.systemd import Manager, PassedError, by_door, passed_sockets
from yawc_poker.config import Config, ConfigError, default_data, load
from yawc_poker.session.endings import Exit
from yawc_poker.session.founding import Foundation, FoundingError
from yawc_poker.session.logs import to_stderr
from yawc_poker.session.service import prepare

DOORS = ("telnet", "control", "metrics")
"""What a passed socket may be named (FileDescriptorName=)."""
METRICS_SOCKET = "metrics.sock"
"""In the data directory."""
REHEARSALS = 8
"""The interpreter takes what runs this often for hot."""
OPENING = bytes.fromhex("fffb18 fffb1f fffa1f00500018fff0 fffd01 fffd03 fffa1800") + b"XTERM-256COLOR" + b"\xff\xf0"
"""What a telnet client says of itself: terminal type and window offered and told, echo and go-ahead agreed."""


def main(arguments: list[str] | None = None) -> int:
    """Run the listener until SIGTERM; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except ConfigError as error:
        return _fail(str(error), Exit.CONFIG)
    except (ListenError, PassedError, FoundingError) as error:
        return _fail(str(error), Exit.UNAVAILABLE)


def _run(options: argparse.Namespace) -> int:
    data: Path = options.data or default_data()
    config = _config(options)
    to_stderr(config.log.format)
    os.umask(0o077)
    _raise_descriptor_limit()
    hold_signals()  # until the listener hears them: from here on there are things to take away
    passed = by_door(passed_sockets(os.environ), DOORS)
    front = Door("telnet", passed.get("telnet") or listen(config.telnet.host, config.telnet.port), answer_telnet)
    foundation = Foundation.found(data, config)
    try:
        doors = [front, *_back_doors(data, config, passed)]
    except ListenError:
        foundation.abandon()
        raise
    prepare(_rehearsals())
    listener = Listener(config, lambda: _config(options), doors, foundation, Manager(os.environ))
    return listener.run(lambda: _announce(address_of(front.sockets[0])))


def _announce(address: str) -> None:
    sys.stdout.write(f"listening on {address}\n")
    sys.stdout.flush()


def _back_doors(data: Path, config: Config, passed: Mapping[str, tuple[socket.socket, ...]]) -> list[Door]:
    """Open the sysop's doors, if they were not passed; the data directory must be this listener's alone."""
    return [_metrics_door(data / METRICS_SOCKET, config.metrics.port, passed.get("metrics", ()))]


def _metrics_door(file: Path, port: int, passed: tuple[socket.socket, ...]) -> Door:
    if passed:
        return Door("metrics", passed, answer_scrape, is_public=False)
    sockets = listen_at(file)
    try:
        sockets += listen("127.0.0.1", port) if port else ()
    except ListenError:
        Door("metrics", sockets, answer_scrape, file=file).remove()
        raise
    return Door("metrics", sockets, answer_scrape, is_public=False, file=file)


def _rehearsals() -> Iterator[TelnetLine]:
    """Give lines at whose other end somebody has called as usual, typed a name in either language, and listens."""
    for _ in range(REHEARSALS):
        here, there = socket.socketpair()
        there.sendall(OPENING + b"Anna\r\0Bert\r\n")
        line = TelnetLine(here, "rehearsal")
        yield line
        there.close()
        line.close()


def _raise_descriptor_limit() -> None:
    """A descriptor a session that another listener forked: take all that are allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _config(options: argparse.Namespace) -> Config:
    """Read the configuration; the command line goes before the file."""
    config = load(options.config)
    telnet = config.telnet
    if options.host is not None:
        telnet = replace(telnet, host=options.host)
    if options.port is not None:
        telnet = replace(telnet, port=options.port)
    return replace(config, telnet=telnet)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="yawc-telnetd", description="Open the BBS: one session process per caller.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('yawc-poker')}")
    parser.add_argument("--config", type=Path, metavar="FILE", help="configuration (TOML)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="data directory (default: $YAWC_DATA, or var)")
    parser.add_argument("--host", metavar="H", help="address to listen on (default: all)")
    parser.add_argument("--port", type=_port, metavar="P", help="port to listen on; 0 takes a free one")
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def _fail(message: str, code: Exit) -> int:
    sys.stderr.write(f"yawc-telnetd: {message}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
