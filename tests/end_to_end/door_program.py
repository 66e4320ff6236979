"""`yawc-door` as `make install` lays it out: the command beside an interpreter, the program in `site-packages`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.pty_caller import PtyCaller

SOURCE = Path(__file__).parents[2]
SSHD = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_ORIGINAL_COMMAND", "SSH_USER_AUTH")
"""Variables of sshd's, which whoever runs the tests by ssh has."""


def lay_out(folder: Path, python: str = sys.executable, *, by_shell: bool = False) -> Path:
    """Install the program below a folder and return its command; `python` may be of another version than this one's.

    `by_shell`: as pip alone installs it, which moves with its folder.
    """
    real = Path(os.path.realpath(python))
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(real)
    command = folder / "bin" / "yawc-door"
    shutil.copy(SOURCE / "yawc_poker" / "extras" / "ssh_door" / "program" / "yawc-door.sh", command)
    command.chmod(0o755)
    if not by_shell:
        subprocess.run([folder / "bin" / "python", SOURCE / "locks" / "door.py"], check=True)
    asked = [str(real), "-I", "-S", "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    packages = folder / "lib" / version / "site-packages"
    program = "extras/ssh_door/program/"
    folders = ("", "extras/", "extras/ssh_door/", program)
    for module in (*(f"{one}__init__.py" for one in folders), f"{program}hello.py", f"{program}program.py"):
        (packages / "yawc_poker" / module).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / "yawc_poker" / module, packages / "yawc_poker" / module)
    return command


class DoorCaller(PtyCaller):
    """A caller whose terminal `yawc-door` hands over, as sshd would run it for a call from an address."""

    def __init__(
        self, command: Path, data: Path, address: str = "", key_file: Path | None = None, kind: str = "xterm-256color"
    ) -> None:
        """`key_file` says by which key sshd let the caller in; without an address it is a call from this machine."""
        variables = {"SSH_CONNECTION": f"{address} 50022 192.0.2.1 22"} if address else {}
        if key_file is not None:
            variables["SSH_USER_AUTH"] = str(key_file)
        environment = [*(f"--unset={name}" for name in SSHD), *(f"{name}={value}" for name, value in variables.items())]
        super().__init__(["env", *environment, str(command), "--data", str(data)], kind)
