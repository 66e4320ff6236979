"""Command line of the listener: ``python -m telnetd [--config FILE] [--data DIR] [--host H] [--port P] [--check]``."""

import argparse
import logging
import os
import resource
import socket
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path

from msgspec.structs import replace

from telnetd.doors.kinds import (
    TERMINAL,
    Door,
    ListenError,
    RefusalText,
    Service,
    address_of,
    answer_scrape,
    answer_wire,
    in_silence,
    listen,
    listen_at,
    terminal_door,
)
from telnetd.doors.proxies import telnet_door
from telnetd.doors.tls import tls_door
from telnetd.listener.daemon import Listener
from telnetd.listener.ksm import merge
from telnetd.listener.rehearsal import rehearse
from telnetd.listener.systemd import ServiceManager, SocketActivationError, by_door, listening_socket, passed_sockets
from telnetd.listener.upgrade import Handover, HandoverError, handed_over, run_check
from telnetd.signals import unblock_signals
from yawc_poker.bbs.lifecycle import Foundation, FoundingError, read_config
from yawc_poker.bbs.log_format import open_closed_streams, to_stderr
from yawc_poker.bbs.rehearsal import Side
from yawc_poker.bbs.start_check import examine
from yawc_poker.config import Config, ConfigError, DoorSettings
from yawc_poker.config_file import default_data
from yawc_poker.control.server import refusal_of_request, serve_control
from yawc_poker.digits import decimal
from yawc_poker.door.hello import SOCKET_FILE
from yawc_poker.extras.live.scrape import refusal_of_scrape
from yawc_poker.session.caller.endings import Exit
from yawc_poker.session.run import OpenInstance, load, settle
from yawc_poker.session.warmup.immortal import obstacle
from yawc_poker.session.wire.session import WireSettings

log = logging.getLogger(__name__)

DOORS = ("telnet", "control", "metrics", "wire", TERMINAL, "tls", "web")
"""Possible names of a passed socket (FileDescriptorName=)."""
WEB_ABOVE_TELNET = 5700
"""From telnet's port to the browsers' where the command line names telnet's: 2323 and 8023."""

LEAST_DESCRIPTORS = 64
"""Open files that a listener with a few doors and its first sessions take."""
Passed = Mapping[str, tuple[socket.socket, ...]]
"""Inherited listening sockets, by door."""


def run() -> int:
    """Run the command line and return the exit code; signals stay blocked until the listener handles them."""
    open_closed_streams()
    options = _parser().parse_args()
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
    public_doors = [
        telnet_door(passed.get("telnet") or listen(config.telnet.host, config.telnet.port), config),
        *_further_doors(lambda: _tls(options, config, passed), before),
        *_further_doors(lambda: _wire(options, config.of(WireSettings), passed), before),
        *_further_doors(lambda: _web(options, config, passed), before),
    ]
    foundation = Foundation.found(data, config, before.lock if before else None)
    try:
        doors = [*public_doors, *_unix_doors(data, config, passed, before)]
    except ListenError:
        foundation.abandon()
        raise
    manager = ServiceManager(os.environ)
    manager.pulse("")  # after an upgrade the watchdog waits already
    _warm_up(config, [door.side for door in public_doors if door.side is not None])
    if config.telnet.merge_memory or before:  # the former program may have been allowed to
        merge(config.telnet.merge_memory)
    listener = Listener(config, lambda: _config(options), doors, foundation, manager, before)
    if before:
        foundation.upgraded()
        return listener.run(lambda: log.info("upgrade: this is version %s", version("yawc-poker")))
    return listener.run(lambda: _announce(public_doors))


def _check(data: Path, config: Config) -> int:
    """Check whether this program could start with this configuration and data, without changing anything."""
    unblock_signals()
    found = examine(data, config)
    if config.tls.cert:
        tls_door((), config)
    side = _web_door((), config).side if config.web.port else None
    load()
    if config.engine.rehearse:
        rehearse(config, [side] if side is not None else [], packs=False)
    _say(f"yawc-telnetd {version('yawc-poker')} can start: the configuration is good, {found}")
    return Exit.OK


def _passed(before: Handover | None) -> Passed:
    """Return the listening sockets inherited from the former program or from systemd."""
    if before is None:
        return by_door(passed_sockets(os.environ), DOORS)
    return {name: tuple(map(listening_socket, descriptors)) for name, descriptors in before.doors.items()}


def _tls(options: argparse.Namespace, config: Config, passed: Passed) -> list[Door]:
    """Open the door for telnet in TLS, if there is one."""
    sockets, settings = passed.get("tls") or (), config.tls
    if not sockets and settings.port:
        sockets = listen(settings.host or options.host or "", settings.port, "[tls] port")
    try:
        return [tls_door(sockets, config)] if sockets else []
    except ListenError:
        for listening in sockets:
            listening.close()
        raise


def _wire(options: argparse.Namespace, config: WireSettings, passed: Passed) -> list[Door]:
    """Open the door for clients of Mau-Mau's protocol, if there is one."""
    sockets = passed.get("wire") or ()
    port = _wire_port(options, config)
    if not sockets and port is not None:
        sockets = listen(config.host or options.host or "", port, "--wire-port")
    if not sockets:
        return []
    return [Door("wire", sockets, answer_wire, limit=config.max_clients, refusal=in_silence)]


def _wire_port(options: argparse.Namespace, config: WireSettings) -> int | None:
    """Return the port of that door, 0 for a free one, None for no door; with `--port` it is the next port."""
    if options.wire_port is not None:
        return options.wire_port or None
    if not config.port or options.port is None:
        return config.port or None
    return int(options.port) + 1 if options.port else 0


def _web(options: argparse.Namespace, config: Config, passed: Passed) -> list[Door]:
    """Open the door for browsers, if there is one; only then is its program loaded."""
    sockets = passed.get("web") or ()
    port = _web_port(options, config.web.port)
    if not sockets and port is not None:
        sockets = listen(config.web.host or options.host or "", port, "--web-port")
    try:
        return [_web_door(sockets, config)] if sockets else []
    except ListenError:
        for listening in sockets:
            listening.close()
        raise


def _web_door(sockets: Sequence[socket.socket], config: Config) -> Door:
    from telnetd.web.service import web_door  # loads two packages, which take memory in every session

    return web_door(sockets, config)


def _web_port(options: argparse.Namespace, port: int) -> int | None:
    """Return the port of that door, 0 for a free one, None for no door; with `--port` it lies `WEB_ABOVE_TELNET`."""
    if options.web_port is not None:
        return options.web_port or None
    if not port or options.port is None:
        return port or None
    above = int(options.port) + WEB_ABOVE_TELNET
    return above if options.port and above <= 65535 else 0


def _say(text: str) -> None:
    """Write a line to standard output; one that cannot be written is no reason not to serve."""
    with suppress(OSError):
        os.write(sys.stdout.fileno(), f"{text}\n".encode())


def _announce(public_doors: Sequence[Door]) -> None:
    telnet, *others = public_doors
    _say(f"listening on {address_of(telnet.sockets[0])}")
    for door in others:
        address = address_of(door.sockets[0])
        match door.name:
            case "tls":
                log.info("telnet in TLS: %s", address)
            case "web":
                log.info("browsers: port %s", address)
            case _:
                log.info("clients of Mau-Mau's protocol: %s", address)


def _unix_doors(data: Path, config: Config, passed: Passed, before: Handover | None) -> list[Door]:
    """Open the sysop's doors and the one for terminals, if they were not passed.

    This listener must hold the data directory's lock.
    """
    port = config.metrics.port
    files = before.files if before else ()
    control = partial(_sysop_door, "control", _answer_control, refusal_of_request, data, passed, files)
    metrics = partial(_sysop_door, "metrics", answer_scrape, refusal_of_scrape, data, passed, files)
    terminals = partial(_terminal_door, config.door, data, passed, files)
    doors: list[Door] = []
    try:
        for open_door in (control, metrics, terminals):
            doors += _further_doors(open_door, before)
        if port and "metrics" not in passed:
            doors.append(Door("metrics", listen("127.0.0.1", port), answer_scrape, refusal_of_scrape, is_public=False))
    except ListenError:
        for door in doors:
            door.remove()
        raise
    return doors


def _further_doors(open_doors: Callable[[], list[Door]], before: Handover | None) -> list[Door]:
    """Open further doors. After an upgrade, which must not fail any more, go on without those that cannot be opened."""
    try:
        return open_doors()
    except ListenError as error:
        if before is None:
            raise
        log.error("upgrade: a door stays shut: %s", error)
        return []


def _sysop_door(
    name: str, service: Service, refusal: RefusalText, data: Path, passed: Passed, files: Collection[str]
) -> list[Door]:
    file = data / f"{name}.sock"
    if name in passed:
        return [Door(name, passed[name], service, refusal, is_public=False, file=file if name in files else None)]
    return [Door(name, listen_at(file), service, refusal, is_public=False, file=file)]


def _terminal_door(settings: DoorSettings, data: Path, passed: Passed, files: Collection[str]) -> list[Door]:
    """Open the door for terminals that `yawc-door` hands over."""
    file = Path(settings.socket) if settings.socket else data / SOCKET_FILE.decode()
    if TERMINAL in passed:
        return [terminal_door(passed[TERMINAL], file if TERMINAL in files else None)]
    return [terminal_door(listen_at(file, settings.group), file)]


def _answer_control(connection: socket.socket, peer: str, open_instance: OpenInstance) -> Exit:
    """Serve the sysop's tool (a `Service`), which may request an upgrade."""
    return serve_control(connection, peer, open_instance, run_check)


def _warm_up(config: Config, sides: Sequence[Side]) -> None:
    """Load and rehearse everything, so that sessions share it (session/warmup/README.md).

    `sides` are callers' at doors other than telnet's.
    """
    immortal = config.engine.immortal
    load()
    if config.engine.rehearse:
        rehearse(config, sides, packs=immortal and not obstacle())
    settle(immortal=immortal)


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
    return replace(config, telnet=telnet)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="yawc-telnetd", description="Open the BBS: one session process per caller.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('yawc-poker')}")
    parser.add_argument("--config", type=Path, metavar="FILE", help="configuration (TOML)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="data directory (default: $YAWC_DATA, or var)")
    parser.add_argument("--host", metavar="H", help="address to listen on (default: all)")
    parser.add_argument("--port", type=_port, metavar="P", help="port to listen on; 0 takes a free one")
    parser.add_argument(
        "--wire-port",
        type=_port,
        metavar="P",
        help="port for clients of Mau-Mau's protocol; 0: none (default: the one behind --port)",
    )
    parser.add_argument(
        "--web-port",
        type=_port,
        metavar="P",
        help=f"port for browsers; 0: none (default: --port + {WEB_ABOVE_TELNET}, or [web] port)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="only say whether it could start so, and take over the BBS that runs there if one does; changes nothing",
    )
    return parser


def _port(text: str) -> int:
    port = decimal(text)
    if port is None or port > 65535:
        raise argparse.ArgumentTypeError("a port is 0 to 65535")
    return port


def _fail(message: str, code: Exit) -> int:
    sys.stderr.write(f"yawc-telnetd: {message}\n")
    return code
