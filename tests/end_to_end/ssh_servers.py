"""OpenSSH and dropbear as `deploy/` has them set up, each a private instance on a loopback port.

The recipes name the places of an installation and accounts of their own. So server and BBS run in a mount namespace in
which these exist: the program in `/opt/yawc`, `/run` and `/etc/yawc` empty, `/etc/passwd` with two accounts more. The
machine's own files are not touched. Needs root.
"""

import grp
import os
import pwd
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Self

from tests.end_to_end.bbs import DEADLINE, FAST, Bbs
from tests.end_to_end.door_program import SOURCE, lay_out
from tests.end_to_end.pty_caller import PtyCaller
from tests.ports import listens
from tests.waiting import wait_until

SSH: Final = SOURCE / "deploy" / "ssh"
SSHD, DROPBEAR, ACTIVATE = "/usr/sbin/sshd", "/usr/sbin/dropbear", "/usr/bin/systemd-socket-activate"
PYTHON = "/usr/bin/python3"
"""One that the callers' accounts may run; that of the tests may lie in somebody's home."""
GROUP, ACCOUNTS = "yawc-door", ("bbs", "bbs-key")
CONFIG = FAST + f'[door]\nsocket = "/run/yawc/door.sock"\ngroup = "{GROUP}"\nkey_users = ["bbs-key"]\n'
_SERVER = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host_key
PidFile none
LogLevel VERBOSE
UsePAM {pam}
Subsystem sftp internal-sftp
"""
OPTIONS = {
    "StrictHostKeyChecking": "no",
    "UserKnownHostsFile": "/dev/null",
    "LogLevel": "ERROR",
    "IdentitiesOnly": "yes",
    "IdentityAgent": "none",
}


def missing(*programs: str) -> str:
    """Return why such servers cannot be run here; empty: they can."""
    if os.geteuid() != 0:
        return "only root can run a private ssh server with accounts of its own"
    lacking = [one for one in ("ssh", "ssh-keygen", "unshare", "nsenter", PYTHON, *programs) if not shutil.which(one)]
    return f"{', '.join(lacking)} missing (Debian: openssh-server, dropbear-bin, systemd)" if lacking else ""


class Ground:
    """The mount namespace, and the BBS in it."""

    def __init__(self, folder: Path, data: Path, more: str = "", web_port: int = 0) -> None:
        """`more` are further sections of the configuration."""
        self.folder = folder
        self.bbs = Bbs(data, CONFIG + more, web_port=web_port)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.folder.chmod(0o755)
        lay_out(self.folder / "opt" / "yawc", PYTHON, by_shell=True)
        self._write_accounts()
        keeper = subprocess.Popen(["unshare", "--mount", "sh", "-euc", self._script()], stdout=subprocess.PIPE)
        self._stack.enter_context(keeper)
        self._stack.callback(keeper.kill)
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == b"ready\n", "no mount namespace may be made here"
        self.inside = ["nsenter", f"--mount=/proc/{keeper.pid}/ns/mnt", "--", "env", f"--chdir={SOURCE}"]
        """What a command is run under."""
        self.bbs.under = self.inside
        self._stack.enter_context(self.bbs)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _write_accounts(self) -> None:
        """Write the files of accounts: this machine's, two accounts, and a group for both."""
        free = max(one.pw_uid for one in pwd.getpwall() if one.pw_uid < 60000) + 1
        number = max(one.gr_gid for one in grp.getgrall() if one.gr_gid < 60000) + 1
        people = [f"{name}:x:{free + at}:{number}:a caller:/:/bin/sh\n" for at, name in enumerate(ACCOUNTS)]
        shadows = ["bbs::19000::::::\n", "bbs-key:*:19000::::::\n"]
        added = {"passwd": people, "shadow": shadows, "group": [f"{GROUP}:x:{number}:{','.join(ACCOUNTS)}\n"]}
        for name, lines in added.items():
            (self.folder / name).write_text(Path("/etc", name).read_text() + "".join(lines))

    def _script(self) -> str:
        """Return the commands that make the namespace and keep it."""
        binds = [f"mount --bind {self.folder}/{name} /etc/{name}" for name in ("passwd", "shadow", "group")]
        return "\n".join(
            [
                *binds,
                "mount -t tmpfs tmpfs /run",
                "mount -t tmpfs tmpfs /opt",
                f"mkdir -p /opt/yawc /run/yawc /run/sshd; mount --bind {self.folder}/opt/yawc /opt/yawc",
                "chmod 755 /run /run/yawc /opt",
                "echo ready",
                "exec sleep infinity",
            ]
        )

    # --- servers ------------------------------------------------------------------------------------------------------

    @contextmanager
    def sshd(self, port: int, *recipes: str, pam: bool = False, shorter: tuple[str, str] = ("", "")) -> Iterator[Path]:
        """Run OpenSSH with these recipes; yields its log. `shorter` replaces a setting of each by another one."""
        if not (self.folder / "host_key").exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "host_key"], check=True)
        text = _SERVER.format(port=port, folder=self.folder, pam="yes" if pam else "no")
        config = self.folder / "sshd_config"
        config.write_text(text + "".join(_with(shorter, (SSH / one).read_text()) for one in recipes))
        with self._running([SSHD, "-D", "-e", "-f", str(config)], port) as log:
            yield log

    @contextmanager
    def dropbear(self, port: int, shorter: tuple[str, str] = ("", "")) -> Iterator[Path]:
        """Run dropbear by socket activation, with the command line of its unit; `shorter` as for OpenSSH."""
        key = self.folder / "dropbear_key"
        if not key.exists():
            subprocess.run(["dropbearkey", "-t", "ed25519", "-f", key], check=True, capture_output=True)
        unit = (SSH / "yawc-dropbear@.service").read_text()
        found = re.search(r"^ExecStart=-(.*)$", unit, re.MULTILINE)
        assert found
        command = _with(shorter, found[1]).replace("/etc/yawc/dropbear/host_key", str(key))
        activated = [ACTIVATE, "--accept", "--inetd", f"--listen=127.0.0.1:{port}", *shlex.split(command)]
        with self._running(activated, port) as log:
            yield log

    @contextmanager
    def _running(self, command: Sequence[str], port: int) -> Iterator[Path]:
        log = self.folder / "server.log"
        with log.open("w") as written, subprocess.Popen([*self.inside, *command], stderr=written) as server:
            try:
                wait_until(lambda: server.poll() is not None or listens(port), "the server")
                assert server.poll() is None, log.read_text()
                yield log
            finally:
                server.terminate()
                server.wait(DEADLINE)


def _with(change: tuple[str, str], text: str) -> str:
    """Return a text with something in place of something that it must contain."""
    assert change[0] in text, change
    return text.replace(*change)


@contextmanager
def ground(more: str = "", web_port: int = 0) -> Iterator[Ground]:
    """Prepare the ground in a folder that the callers' accounts may enter; `more` are sections of the configuration."""
    with tempfile.TemporaryDirectory(prefix="yawc-ssh-") as name:
        data = Path(name) / "private" / "data"
        data.parent.mkdir(mode=0o700)
        with Ground(Path(name), data, more, web_port) as made:
            yield made


def ssh(port: int, account: str, *options: str, key: Path | None = None) -> list[str]:
    """Return the command of a caller; `options` go before the account, with a command behind a `--`."""
    first = list(options[: options.index("--")] if "--" in options else options)
    rest = list(options[options.index("--") + 1 :] if "--" in options else ())
    settings = [f"-o{name}={value}" for name, value in OPTIONS.items()]
    identity = ["-i", str(key)] if key else ["-oPubkeyAuthentication=no"]
    return ["ssh", "-F", "none", *settings, *identity, "-p", str(port), *first, f"{account}@127.0.0.1", *rest]


def call(port: int, account: str, *options: str, key: Path | None = None, kind: str = "xterm-256color") -> PtyCaller:
    """Call by ssh."""
    return PtyCaller(ssh(port, account, *options, key=key), kind)
