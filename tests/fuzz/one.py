"""One target under atheris: `python -m tests.fuzz.one TARGET DATA [LIBFUZZER OPTIONS]`, for `python -m tests.fuzz`.

libFuzzer ends the process itself, so the process that started it removes the content of `DATA` and its segment.
libFuzzer's own signal handlers are off, because sessions have theirs. Its alarm is, too, where sessions run: it has a
thread that measures memory, to which the kernel would give their alarms. So whoever started this process ends it.
"""

import logging
import signal
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["telnetd", "yawc_poker"]):
    from tests.fuzz.ground import Ground
    from tests.fuzz.targets import PURE

_SIGNALS = ("int", "term", "usr1", "usr2")


def main() -> None:
    """Fuzz until the time is up; the exit code is 0 if nothing was found."""
    target, data, *options = sys.argv[1:]
    logging.getLogger("yawc_poker").propagate = False
    if target not in PURE:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    found = PURE.get(target) or Ground(Path(data)).targets[target]
    atheris.Setup([sys.argv[0], *(f"-handle_{name}=0" for name in _SIGNALS), *options], found)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
