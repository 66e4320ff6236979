"""A peer: our own session in a new interpreter for each caller, as inetd would start it.

python -m benchmarks.peers.fresh DATA      accepts, prints its port; each caller's process attaches to the BBS
"""

import logging
import os
import socket
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Accept for ever, or, with a descriptor, be one session."""
    if len(sys.argv) > 2:
        _be_session(Path(sys.argv[1]), int(sys.argv[2]))
        return
    server = socket.create_server(("127.0.0.1", 0), backlog=512)
    sys.stdout.write(f"{server.getsockname()[1]}\n")
    sys.stdout.flush()
    children = []
    while True:
        caller, _ = server.accept()
        descriptor = caller.fileno()
        command = [sys.executable, "-m", "benchmarks.peers.fresh", sys.argv[1], str(descriptor)]
        children.append(subprocess.Popen(command, pass_fds=[descriptor]))
        caller.close()
        children = [child for child in children if child.poll() is None]


def _be_session(data: Path, descriptor: int) -> None:
    from telnetd.doors.telnet import TelnetLine
    from yawc_poker.casino.instance.instance import Instance
    from yawc_poker.registry.games import SETTINGS
    from yawc_poker.session.prefork.ksm import merge
    from yawc_poker.session.run import serve
    from yawc_poker.transport import SocketTransport

    logging.basicConfig(level=logging.ERROR)
    merge(True)  # as the listener of ours is
    line = TelnetLine(SocketTransport(socket.socket(fileno=descriptor)), "127.0.0.1")
    os._exit(serve(line, lambda: Instance.attach(data, SETTINGS)))


if __name__ == "__main__":
    main()
