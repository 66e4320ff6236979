"""Command line of the listener: ``python -m telnetd [--config FILE] [--data DIR] [--host H] [--port P] [--check]``."""

import argparse
import logging
import os
import resource
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from telnetd import demo
from telnetd.doors.door import Chosen, Door, Opening, Passed, service_of
from telnetd.doors.sockets import ListenError, address_of, reached_at
from telnetd.listener.daemon import Listener
from telnetd.listener.first_call import FirstCall, loop_codes
from telnetd.listener.systemd import ServiceManager, SocketActivationError, by_door, listening_socket, passed_sockets
from telnetd.listener.upgrade import Handover, HandoverError, handed_over
from telnetd.signals import unblock_signals
from yawc_poker import __version__
from yawc_poker.bbs.lifecycle import Foundation, FoundingError, examine, read_config
from yawc_poker.bbs.log_format import open_closed_streams, to_stderr
from yawc_poker.bbs.rehearsal import Side, pages_of, rehearse
from yawc_poker.bbs.service import Service
from yawc_poker.config import Config, ConfigError, LogFormat
from yawc_poker.config_file import default_data
from yawc_poker.digits import decimal
from yawc_poker.doors import TELNET, TLS, PortOption, kinds
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.prefork.immortal import obstacle
from yawc_poker.session.prefork.ksm import merge
from yawc_poker.session.prefork.pages import Row, map_ahead
from yawc_poker.session.prefork.parts import is_done
from yawc_poker.session.run import load, settle

log = logging.getLogger(__name__)

DEMO = "--demo"
LEAST_DESCRIPTORS = 64
"""Open files that a listener with a few doors and its first sessions take."""


def run() -> int:
    """Run the command line and return the exit code; signals stay blocked until the listener handles them."""
    open_closed_streams()
    options = parser().parse_args()
    if options.demo:
        if options.data or options.check:
            return _fail(f"{DEMO} has a data directory of its own", Exit.CONFIG)
        return demo.serve([one for one in sys.argv[1:] if not _is_demo(one)])
    data: Path = options.data or default_data()
    try:
        config = _config(options)
        return _check(data, config) if options.check else _run(options, data, config)
    except ConfigError as error:
        return _fail(str(error), Exit.CONFIG)
    except (ListenError, SocketActivationError, HandoverError, FoundingError) as error:
        return _fail(str(error), Exit.UNAVAILABLE)


def _run(options: argparse.Namespace, data: Path, config: Config) -> int:
    to_stderr(config.log.format)
    os.umask(0o077)
    _raise_descriptor_limit()
    before = handed_over(os.environ)
    passed = _passed(before)
    opening = Opening(config, _chosen(options), data, passed, before.files if before else (), must=before is None)
    public_doors = opening.by_tcp()
    foundation = Foundation.found(data, config, before.lock if before else None)
    try:
        doors = [*public_doors, *opening.by_file()]
    except ListenError:
        foundation.abandon()
        raise
    manager = ServiceManager(os.environ)
    manager.pulse("")  # after an upgrade the watchdog waits already
    sides = [door.service.side for door in public_doors if door.service.side is not None]
    pages = _warm_up(config, sides, FirstCall(config))
    if config.telnet.merge_memory or before:  # the former program may have been allowed to
        merge(config.telnet.merge_memory)
    listener = Listener(config, lambda: _config(options), doors, foundation, manager, before, partial(map_ahead, pages))
    if before:
        foundation.upgraded()
        return listener.run(lambda: log.info("upgrade: this is version %s", __version__))
    return listener.run(lambda: _announce(public_doors, data))


def _check(data: Path, config: Config) -> int:
    """Check whether this program could start with this configuration and data, without changing anything."""
    unblock_signals()
    found = examine(data, config)
    sides = [service.side for service in _services(config) if service.side is not None]
    load()
    if config.engine.rehearse:
        rehearse(sides, FirstCall(config))
    _say(f"yawc-telnetd {__version__} can start: the configuration is good, {found}")
    return Exit.OK


def _services(config: Config) -> Iterator[Service]:
    """Yield the services of all doors that this configuration opens; raise `ListenError`."""
    for kind in kinds().values():
        at = kind.at(config)
        if at.file or at.port is not None or (kind is TLS and config.tls.cert):  # whose socket may be systemd's
            yield service_of(kind)(config)


def _passed(before: Handover | None) -> Passed:
    """Return the listening sockets inherited from the former program or from systemd."""
    if before is None:
        return by_door(passed_sockets(os.environ), kinds())
    passed = {name: tuple(map(listening_socket, descriptors)) for name, descriptors in before.doors.items()}
    for name in passed.keys() - kinds().keys():
        log.error("upgrade: this program has no door %s", name)
        for listening in passed.pop(name):
            listening.close()
    return passed


def _say(text: str) -> None:
    """Write a line to standard output; one that cannot be written is no reason not to serve."""
    with suppress(OSError):
        os.write(sys.stdout.fileno(), f"{text}\n".encode())


def _announce(doors: Sequence[Door], data: Path) -> None:
    for door in doors:
        address = address_of(door.sockets[0])
        if door.kind is TELNET:
            _say(f"listening on {address}")
        elif door.kind.announcement:
            log.info("%s", door.kind.announcement.format(address))
    if os.isatty(sys.stdout.fileno()):
        for line in _first_words(doors, data):
            _say(line)


def _first_words(doors: Sequence[Door], data: Path) -> Iterator[str]:
    """Yield what somebody needs who has started a BBS at a terminal: how to call, to look after it and to close it."""
    programs = Path(os.path.relpath(Path(sys.executable).parent))
    for door in doors:
        if door.kind.call:
            host, port = reached_at(door.sockets[0])
            in_url = f"[{host}]" if ":" in host else host
            yield f"  call:               {door.kind.call.format(host=host, in_url=in_url, port=port)}"
    yield f"  from this machine:  {programs / 'yawc-poker'} --data {data}"
    yield f"  as its sysop:       {programs / 'yawcctl'} --data {data} who"
    yield "  close it:           Ctrl-C"


def _warm_up(config: Config, sides: Sequence[Side], call: FirstCall) -> list[Row]:
    """Load and rehearse everything, so that sessions share it (session/prefork/README.md).

    `sides` are callers' at the doors that are open, telnet's first. Return the pages that spares are to map ahead.
    """
    immortal = config.engine.immortal
    load()
    if config.engine.rehearse and is_done("rehearsal"):
        packs = immortal and not obstacle() and is_done("bytecode")
        rehearse(sides, call, loop_codes() if packs else None)
    settle(immortal=immortal)
    return pages_of(call.pages) if config.engine.rehearse and config.telnet.spares else []


def _raise_descriptor_limit() -> None:
    """Raise the limit of descriptors to the maximum: each session of a former listener needs one.

    Raise `FoundingError` if not even a BBS without callers could open its files.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < LEAST_DESCRIPTORS:
        raise FoundingError(f"only {hard} files may be open (ulimit -n); it takes {LEAST_DESCRIPTORS} at least")


def _config(options: argparse.Namespace) -> Config:
    """Return the configuration; the command line overrides the file."""
    config = read_config(options.config)
    telnet = config.telnet
    if options.host is not None:
        telnet = replace(telnet, host=options.host)
    if options.port is not None:
        telnet = replace(telnet, port=options.port)
    return replace(config, telnet=telnet, log=replace(config.log, format=options.log or config.log.format))


def _port_options() -> list[PortOption]:
    return [kind.option for kind in kinds().values() if kind.option is not None]


def _chosen(options: argparse.Namespace) -> Chosen:
    given = vars(options)
    ports = {one.flag: given[one.flag.removeprefix("--").replace("-", "_")] for one in _port_options()}
    return Chosen(options.host, options.port, ports)


def parser() -> argparse.ArgumentParser:
    """Build the command line."""
    whole = argparse.ArgumentParser(prog="yawc-telnetd", description="Open the BBS: one session process per caller.")
    whole.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    whole.add_argument("--config", type=Path, metavar="FILE", help="configuration (TOML)")
    whole.add_argument("--data", type=Path, metavar="DIR", help="data directory (default: $YAWC_DATA, or var)")
    whole.add_argument("--host", metavar="H", help="address to listen on (default: all)")
    whole.add_argument("--port", type=_port, metavar="P", help="port to listen on; 0 takes a free one")
    for option in _port_options():
        whole.add_argument(option.flag, type=_port, metavar="P", help=option.help)
    whole.add_argument("--log", choices=get_args(LogFormat), help="form of the log's lines (default: [log] format)")
    whole.add_argument(DEMO, action="store_true", help="try it out: all is kept in a folder that goes at the end")
    whole.add_argument(
        "--check",
        action="store_true",
        help="only say whether it could start so, and take over the BBS that runs there if one does; changes nothing",
    )
    return whole


def _is_demo(argument: str) -> bool:
    """Return whether an argument asks for a demonstration; options may be shortened."""
    return len(argument) > len("--d") and DEMO.startswith(argument)


def _port(text: str) -> int:
    port = decimal(text)
    if port is None or port > 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def _fail(message: str, code: Exit) -> int:
    sys.stderr.write(f"yawc-telnetd: {message}\n")
    return code
