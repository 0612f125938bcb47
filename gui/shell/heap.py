"""Limits of the C heap, so that memory that a run has freed returns to the system.

glibc gives each thread that allocates its own arena, up to eight for each core, and serves arrays of up to 32 MiB from
the arenas once one of that size was freed. Worker threads then leave their temporary arrays in ten arenas whose free
parts stay resident: 112 MB after 1,500 random actions on the window, 2 MB with these limits. Python's lock lets one
thread allocate at a time, so a single arena costs no waiting.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8
"""Parameters of mallopt(3), as in glibc's malloc.h."""

_LIMITS: Final = (
    (_M_ARENA_MAX, 1),
    (_M_MMAP_THRESHOLD, 1 << 18),  # bytes from which an array is mapped by itself, and unmapped when it is freed
    (_M_TRIM_THRESHOLD, 1 << 20),  # bytes that may stay free at the end of the heap
)


def limit_heap() -> bool:
    """Set the limits for this process; return False where its C library has no such limits.

    To be called before the first worker thread: an arena that exists stays.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # a C library other than glibc
        return False
    return all(mallopt(parameter, value) == 1 for parameter, value in _LIMITS)
