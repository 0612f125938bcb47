"""Memory of this machine, and the refusal of arrays that do not fit in it, before they are allocated."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Final

from kernels.errors import InputError

SIMULATED_COPIES: Final = 4
"""Copies of an array while a launch is simulated: the caller's, the kernel's, the first contents and the result."""

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


@cache
def physical_bytes() -> int:
    """Return the size of the main memory."""
    if sys.platform == "win32":
        import ctypes

        class MemoryStatus(ctypes.Structure):
            """MEMORYSTATUSEX of sysinfoapi.h."""

            _fields_ = [
                ("length", ctypes.c_ulong),
                ("load", ctypes.c_ulong),
                ("physical", ctypes.c_ulonglong),
                ("others", ctypes.c_ulonglong * 6),
            ]

        status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
        ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.physical)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_memory(array_bytes: int, arrays: str, advice: str, copies: int = 1) -> None:
    """Refuse arrays that are larger than this machine's memory.

    Parameters
    ----------
    array_bytes : int
        Their total size.
    arrays : str
        Their description: "the arrays of size 100000".
    advice : str
        A remedy: "choose a smaller size".
    copies : int
        Number of copies of each in memory.

    Raises
    ------
    InputError
        One line with the numbers.
    """
    if array_bytes * copies > physical_bytes():
        times = f" {copies} times" if copies > 1 else ""
        raise InputError(
            f"{arrays} take {bytes_in_words(array_bytes)}, and the {bytes_in_words(physical_bytes())} of this "
            f"machine's memory cannot hold that{times}: {advice}"
        )


def bytes_in_words(count: int) -> str:
    """Return a number of bytes in the unit that keeps it short: ``3.6 GiB``."""
    power = max(count.bit_length() - 1, 0) // 10
    if power >= len(_UNITS):
        return f"more than 1,024 {_UNITS[-1]}"
    return f"{count:,} bytes" if power == 0 else f"{count / 1024**power:,.1f} {_UNITS[power]}"
