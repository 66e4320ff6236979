"""The program `yawc-door`: hand over this terminal, then become a shell that waits for the session's end.

OpenSSH or dropbear runs it for each caller, instead of the command that was asked for. It knows nothing of the BBS but
its socket: it reads no file of it, and whoever runs it needs no right but to connect there.

An interpreter takes megabytes even while it waits, a shell a twentieth of that. So once the terminal is handed over
this process becomes `RELAY`, which tells of changes of the window, writes what is said at the end, and exits with the
code that comes with it. If the session is killed, no code comes, and the shell becomes this program again, which alone
can put the terminal's settings back.

It connects as early as it can: the listener forks the session while this process finds out what it tells.

Invariant: imports modules written in C alone, besides `hello`: those of the standard library that are written in
Python, such as `os`, `socket` and `signal`, would take longer than all the rest.
"""

import _socket
import posix
import sys

from yawc_poker.extras.ssh_door.program.hello import SOCKET_FILE, message, own_name

USAGE = 2
UNAVAILABLE = 69
BUG = 70

SHELL = "/bin/sh"
CONNECTION = 3
"""The shell's descriptor of the connection."""
RELAY = """
exec 2>/dev/null
limit=${BASH_VERSION:+-t 1}
trap 'told=1; printf w >&3' WINCH
trap 'told=1; printf s >&3' TSTP
trap 'told=1; printf c >&3' CONT
printf w >&3
while :; do
    told=
    IFS= read $limit -r line <&3
    case $?$told in 0*) ;; 1) break ;; *) continue ;; esac
    case $line in
    =*) exit "${line#=}" ;;
    \\!) kill -s STOP $$ ;;
    ?*) printf '%s\\r\\n' "$line" ;;
    esac
done
exec "$@" 2>&1
"""
"""The shell's program. A trapped signal ends `read` as the end of the connection does, but sets `told`; in bash it does
not end it, so there each second does. A shell that stops it waits until the BBS has given the terminal back. The window
is told of once at the beginning: it may have changed before the trap
was set."""

_LOST_OPTION = b"--lost"
_USAGE = "usage: yawc-door [--socket FILE | --data DIR]"
_TERMINAL = "The BBS needs a terminal and takes no commands and no files: please call by ssh alone, or by ssh -t."
_CLOSED = "The BBS is not open at the moment. Please call again later."
_LOST = "The connection to the BBS was lost. Please call again."
_ADDRESS_BYTES = 107
_AUTH_BYTES = 16384


def main() -> int:
    """Run the program and return its exit code; does not return if the terminal could be handed over."""
    environ = posix.environ
    arguments = [one.encode("utf-8", "surrogateescape") for one in sys.argv[1:]]
    if arguments[:1] == [_LOST_OPTION]:
        return _give_back(arguments[1:])
    path = _socket_path(arguments, environ)
    if not path:
        return _fail(_USAGE, USAGE)
    if environ.get(b"SSH_ORIGINAL_COMMAND") or not (posix.isatty(0) and posix.isatty(1)):
        return _fail(_TERMINAL, USAGE)
    try:
        return _hand_over(_connected(path, environ), environ)
    except PermissionError:
        return _fail(f"yawc-door: this user may not connect to {path.decode('utf-8', 'replace')}", UNAVAILABLE)
    except OSError:
        return _fail(_CLOSED, UNAVAILABLE)


def _connected(path: bytes, environ: dict[bytes, bytes]) -> _socket.socket:
    """Return a connection to the BBS. Raise `OSError` where there is none."""
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    line.bind(own_name(_origin(environ), posix.urandom(8)))
    _connect(line, path)
    return line


def _hand_over(line: _socket.socket, environ: dict[bytes, bytes]) -> int:
    """Bring the terminal to the BBS and become the relay. Raise `OSError` where that cannot be."""
    import termios  # not before: the listener forks meanwhile

    try:
        settings = _written(termios.tcgetattr(0))
    except termios.error as error:  # hung up
        raise OSError(*error.args) from None
    told = message(environ, _proven_key(environ))
    terminal = _own_terminal().to_bytes(4, sys.byteorder)
    try:
        line.sendmsg([told], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, terminal)], _socket.MSG_NOSIGNAL)
    except OSError:
        pass  # refused already: the reason waits to be read
    posix.dup2(line.fileno(), CONNECTION)
    posix.set_inheritable(CONNECTION, True)
    program = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    lost = [sys.executable, *program, _LOST_OPTION.decode(), *settings]
    posix.execve(SHELL, [SHELL, "-c", RELAY, SHELL, *lost], {})


def _own_terminal() -> int:
    """Return a descriptor of this terminal whose flags no shell shares; 0 where it cannot be opened.

    That is another user's, as after su, by which this process is not controlled.
    """
    mode = posix.O_RDWR | posix.O_NOCTTY | posix.O_NONBLOCK
    try:
        return posix.open(b"/proc/self/fd/0", mode)
    except OSError:
        pass
    try:
        posix.tcgetpgrp(0)  # refused unless it is the controlling terminal
        return posix.open(b"/dev/tty", mode)
    except OSError:
        return 0


def _give_back(settings: list[bytes]) -> int:
    """Restore the terminal after a session that was killed; return the exit code."""
    import termios

    posix.set_blocking(0, True)
    try:
        termios.tcsetattr(0, termios.TCSANOW, _read(settings))
    except termios.error:
        pass  # hung up: there is nothing left to restore
    return _fail(_LOST, BUG)


def _written(settings: list[int | list[bytes | int]]) -> list[str]:
    """Return a terminal's settings as arguments: six numbers, then one for each control character."""
    found: list[str] = []
    for one in settings:
        if isinstance(one, int):
            found.append(str(one))
        else:
            found += [str(character if isinstance(character, int) else ord(character)) for character in one]
    return found


def _read(arguments: list[bytes]) -> list[int | list[bytes | int]]:
    """Return the settings that `_written` has written."""
    numbers = [int(one) for one in arguments]
    characters: list[bytes | int] = [*numbers[6:]]
    return [*numbers[:6], characters]


def _connect(line: _socket.socket, path: bytes) -> None:
    """Connect, to a long path by way of its folder's descriptor. Raise `OSError`."""
    if len(path) <= _ADDRESS_BYTES:
        line.connect(path)
        return
    folder, _, name = path.rpartition(b"/")
    at = posix.open(folder or b".", posix.O_PATH | posix.O_DIRECTORY)
    try:
        line.connect(b"/proc/self/fd/%d/%s" % (at, name))
    finally:
        posix.close(at)


def _socket_path(arguments: list[bytes], environ: dict[bytes, bytes]) -> bytes:
    """Return the socket that the command line names; empty: it is wrong."""
    match arguments:
        case []:
            return environ.get(b"YAWC_DATA", b"var") + b"/" + SOCKET_FILE
        case [b"--data", folder]:
            return folder + b"/" + SOCKET_FILE
        case [b"--socket", path]:
            return path
        case _:
            return b""


def _origin(environ: dict[bytes, bytes]) -> bytes:
    """Return the address that sshd says the caller comes from, or else the terminal's name."""
    for name in (b"SSH_CONNECTION", b"SSH_CLIENT"):
        if address := environ.get(name, b"").partition(b" ")[0]:
            return address
    try:
        return posix.ttyname(0).encode()
    except OSError:  # it has no name here, as one from outside of a container
        return b"/dev/tty"


def _proven_key(environ: dict[bytes, bytes]) -> bytes:
    """Return the first public key by which sshd let the caller in; empty: there is none, or sshd does not say."""
    path = environ.get(b"SSH_USER_AUTH", b"")
    if not path:
        return b""
    try:
        file = posix.open(path, posix.O_RDONLY | posix.O_NOFOLLOW)
        lines = posix.read(file, _AUTH_BYTES).split(b"\n")
        posix.close(file)
    except OSError:
        return b""
    keys = [line.removeprefix(b"publickey ") for line in lines if line.startswith(b"publickey ")]
    return keys[0] if keys else b""


def _fail(text: str, code: int) -> int:
    try:
        posix.write(2, text.encode() + b"\n")
    except OSError:
        pass  # nobody reads it
    return code
