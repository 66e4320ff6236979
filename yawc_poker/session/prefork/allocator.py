"""The C library's allocator without a cache of a process's own. Imports almost nothing.

glibc keeps up to seven freed blocks of each of 64 sizes for the thread that freed them, and never joins these with
their neighbours. In a session they fill up over some fifty games, lie scattered, and keep 0.2 MB of pages from being
returned. Only the environment can switch that off, before a process begins; forked ones do as the listener does.
"""

import os
import sys
from collections.abc import Mapping
from typing import Final

_VARIABLE: Final = "GLIBC_TUNABLES"
_TUNABLE: Final = "glibc.malloc.tcache_count"


def leave_out_cache() -> None:
    """Begin this program anew without the cache, unless it has none or the environment says how large it is to be.

    The process, its blocked signals and its descriptors stay. Other C libraries do not read the variable.
    """
    environment = environment_without_cache(os.environ)
    if environment is not None and sys.executable:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def environment_without_cache(environment: Mapping[str, str]) -> dict[str, str] | None:
    """Return this environment with the cache left out, or None if it says already how large the cache is to be."""
    tunables = environment.get(_VARIABLE, "")
    if _TUNABLE in tunables:
        return None
    return {**environment, _VARIABLE: ":".join(filter(None, (tunables, f"{_TUNABLE}=0")))}
