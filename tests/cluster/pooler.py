"""A real PgBouncer in transaction mode, before the server of a test, in the namespace in the middle."""

import os
import pwd
import shutil
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.cluster.namespaces import HUB, Namespace
from tests.postgres import ROLE, SECONDS
from tests.waiting import wait_until

PORT: Final = 6432
_PROGRAM: Final = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
_SETTINGS: Final = """
[databases]
* = host={server} user={role}
[pgbouncer]
listen_addr = {address}
listen_port = {port}
unix_socket_dir =
auth_type = any
admin_users = {role}
pool_mode = transaction
default_pool_size = {pool}
max_client_conn = 2000
ignore_startup_parameters = extra_float_digits
server_login_retry = 0.2
server_connect_timeout = 2
query_wait_timeout = 5
log_connections = 0
log_disconnections = 0
"""


def why_not() -> str:
    """Return why there can be none; empty: there can."""
    return "" if _PROGRAM else "PgBouncer is needed (Debian: pgbouncer)"


class Pooler:
    """PgBouncer, for all databases of a server that is reached by a socket in a folder."""

    def __init__(self, folder: Path, server: Path, hub: Namespace, pool: int = 20) -> None:
        self._hub = hub
        self._settings = folder / "pgbouncer.ini"
        settings = _SETTINGS.format(server=server, role=ROLE, address=HUB, port=PORT, pool=pool)
        self._settings.write_text(settings)
        self._log = folder / "pgbouncer.log"
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        assert _PROGRAM is not None, why_not()
        user = _user() if os.geteuid() == 0 else None
        with self._hub.inside(), self._log.open("ab") as log:
            process = subprocess.Popen(
                [_PROGRAM, str(self._settings)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=user,
                start_new_session=True,
            )
        wait_until(lambda: process.poll() is not None or self._listens(), "PgBouncer", SECONDS)
        assert process.poll() is None, self.log
        return process

    def _listens(self) -> bool:
        with suppress(OSError), self._hub.inside():
            socket.create_connection((HUB, PORT), SECONDS).close()
            return True
        return False

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def log(self) -> str:
        """All that it has said."""
        return self._log.read_text()

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait(SECONDS)

    def start(self) -> None:
        """Start it again, if it does not run."""
        if self._process.poll() is not None:
            self._process = self._started()

    def stop(self) -> None:
        """End it at once. Asked to end, it waits for its clients since version 1.23, also if their network was cut."""
        self.kill()


def _user() -> str:
    """Return the user that it is run as, since it refuses root."""
    with suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return "nobody"
