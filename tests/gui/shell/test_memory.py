"""Garbage collection and the C heap of the started application."""

import ctypes
import gc
import subprocess
import sys
import weakref

import pytest

from gui.shell import garbage


class Knot:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("qapp")
def test_tests_see_all_that_is_left_behind() -> None:
    before = gc.get_freeze_count()
    garbage.leave_out(range(10_000))
    garbage.collect()
    assert gc.get_freeze_count() == before


@pytest.mark.usefixtures("started")
def test_cycles_are_freed_and_the_rest_is_left_out() -> None:
    before, kept, knot = gc.get_freeze_count(), [[n] for n in range(5_000)], weakref.ref(Knot())
    garbage.collect()
    assert knot() is None
    assert gc.get_freeze_count() >= before + len(kept)
    # Cycles that were left out are freed after a number of runs.
    cycle = Knot()
    dropped = weakref.ref(cycle)
    garbage.collect()
    del cycle
    for _ in range(garbage.RUNS_BETWEEN_FULL):
        garbage.collect()
    assert dropped() is None


def test_the_start_is_left_out_when_it_ends() -> None:
    gc.disable()
    before, kept = gc.get_freeze_count(), [[n] for n in range(5_000)]
    garbage.resume()
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(kept)
    gc.unfreeze()


@pytest.mark.usefixtures("started")
def test_many_samples_are_left_out() -> None:
    before = gc.get_freeze_count()
    garbage.leave_out(range(1_000))
    assert gc.get_freeze_count() == before
    garbage.leave_out(range(10_000))
    assert gc.get_freeze_count() > before


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
