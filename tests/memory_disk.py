"""Where the tests' files lie: in memory, if there is room, since a test need not wait until a disk has what it writes.

Whoever is killed loses nothing that is written, there or on a disk. Where a disk must be slow or fail, one is put under
the program (`disk.py`).
"""

import os
import shutil
from pathlib import Path
from typing import Final

FOLDER: Final = Path("/dev/shm")
ENOUGH: Final = 2 << 30
"""Free bytes: several times what five workers use at once."""


def memory_disk() -> Path | None:
    """Return a folder in memory with enough room, where programs may be run; None: there is none."""
    try:
        facts = os.statvfs(FOLDER)
    except FileNotFoundError:
        return None
    is_usable = os.access(FOLDER, os.W_OK) and not facts.f_flag & os.ST_NOEXEC
    return FOLDER if is_usable and shutil.disk_usage(FOLDER).free >= ENOUGH else None
