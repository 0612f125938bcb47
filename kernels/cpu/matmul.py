"""C = A·B on the CPU: three loops, the same with the rows split over threads, and the machine's BLAS."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.cpu.loops import TimedRun, compile_loop, split
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Setup = Callable[[int, ExitStack, Matrix, Matrix, Matrix], Callable[[], None]]


def core_count() -> int:
    """Return the number of cores that this process may use, the default number of threads."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_threads(baseline: str) -> int:
    """Return the default number of threads of a threaded baseline: one for each core.

    For `cpu_blas` it is at most the number that NumPy's BLAS was built for, and 0 if that number cannot be set.
    """
    return blas_threads(core_count()) if baseline == "cpu_blas" else core_count()


@cache
def blas_threads(threads: int) -> int:
    """Return the number of threads that NumPy's BLAS uses if set to `threads`; 0 if it cannot be set.

    OpenBLAS uses at most the number that it was built for; threadpoolctl cannot set that of Apple's Accelerate.
    """
    from threadpoolctl import threadpool_info, threadpool_limits

    with threadpool_limits(threads, user_api="blas"):
        return min(
            (library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"), default=0
        )


def _rows(a: Matrix, b: Matrix, c: Matrix, first: int, last: int) -> None:
    """Compute rows first to last of C: one dot product for each element, summed in order of k."""
    for row in range(first, last):
        for column in range(b.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[row, k] * b[k, column]
            c[row, column] = total


def _loop(a: Matrix, b: Matrix, c: Matrix) -> Callable[[int, int], None]:
    rows = compile_loop(_rows)
    rows(a, b, c, 0, 0)  # compiles it for these types
    return lambda first, last: rows(a, b, c, first, last)


def _sequential(threads: int, opened: ExitStack, a: Matrix, b: Matrix, c: Matrix) -> Callable[[], None]:
    return split(_loop(a, b, c), len(c), threads, opened, threaded=False)


def _parallel(threads: int, opened: ExitStack, a: Matrix, b: Matrix, c: Matrix) -> Callable[[], None]:
    return split(_loop(a, b, c), len(c), threads, opened, threaded=True)


def _blas(threads: int, opened: ExitStack, a: Matrix, b: Matrix, c: Matrix) -> Callable[[], None]:
    from threadpoolctl import threadpool_limits

    if threads:
        most = blas_threads(threads)
        if not most:
            raise InputError("cpu_blas: NumPy's BLAS chooses its number of threads itself here: omit --threads")
        if most != threads:
            raise InputError(f"cpu_blas with {threads:,} threads: NumPy's BLAS uses at most {most:,} here")
        opened.enter_context(threadpool_limits(threads, user_api="blas"))

    def multiply() -> None:
        np.matmul(a, b, out=c)

    return multiply


_SETUPS: Final[Mapping[str, Setup]] = {"cpu_sequential": _sequential, "cpu_parallel": _parallel, "cpu_blas": _blas}


class CpuRun(TimedRun):
    """One baseline, ready to run on one set of inputs.

    Parameters
    ----------
    baseline : str
        An id of the catalogue that runs on the CPU.
    inputs : mapping of str to ndarray
        A of shape (M, K) and B of shape (K, N), float32, C order.
    threads : int
        Number of threads that share the work; ignored by the sequential baseline. With 0, BLAS chooses.
    """

    def __init__(self, baseline: str, inputs: Mapping[str, NDArray[np.generic]], threads: int) -> None:
        a: Matrix = inputs["A"].astype(np.float32, copy=False)
        b: Matrix = inputs["B"].astype(np.float32, copy=False)
        c: Matrix = np.empty((len(a), b.shape[1]), np.float32)
        opened = ExitStack()
        super().__init__({"C": c}, _SETUPS[baseline](threads, opened, a, b, c), opened)
