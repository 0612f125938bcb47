"""Limits of the C heap of the started application."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

_ARENAS_OF_FOUR_THREADS = """
import ctypes, sys, tempfile, threading
from gui.shell.application import application

application("light")
barrier = threading.Barrier(4)

def allocate():
    kept = [bytearray(1_000) for _ in range(100)]
    barrier.wait()

threads = [threading.Thread(target=allocate) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as report:
    stream = ctypes.c_void_p(libc.fopen(report.name.encode(), b"w"))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    print(report.read().decode().count("<heap nr="))
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_info"), reason="without glibc"
)
def test_worker_threads_share_one_arena_of_the_heap() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ARENAS_OF_FOUR_THREADS], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["1"]
