"""C = A·B on the CPU: three loops, the same with the rows split over threads, and the machine's BLAS."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import cache
from itertools import pairwise
from time import perf_counter_ns
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from kernels.errors import InputError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from numpy.typing import NDArray

    from kernels.workload import Arrays

    Multiply = Callable[["NDArray[np.float32]", "NDArray[np.float32]", "NDArray[np.float32]"], None]
    Setup = Callable[[int, ExitStack], Multiply]

SHORT_MS: Final = 0.1
"""A call shorter than this is repeated within one sample, until the sample lasts `SAMPLE_MS`."""

SAMPLE_MS: Final = 1.0


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


def _rows(a: NDArray[np.float32], b: NDArray[np.float32], c: NDArray[np.float32], first: int, last: int) -> None:
    """Compute rows first to last of C: one dot product for each element, summed in order of k."""
    for row in range(first, last):
        for column in range(b.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[row, k] * b[k, column]
            c[row, column] = total


def row_cuts(rows: int, threads: int) -> list[int]:
    """Return the boundaries of the threads' rows: thread t gets the rows cuts[t] to cuts[t + 1] - 1."""
    return [rows * thread // threads for thread in range(threads + 1)]


@cache
def _compiled_rows() -> Callable[..., None]:
    """Compile `_rows` to machine code that runs without the interpreter's lock.

    No fast-math: the sum is in order, as in the source, and so is every rounding.
    """
    try:
        import numba
    except ImportError as error:  # Numba also raises it for a NumPy version that it does not support
        raise UnavailableError(f"Numba cannot be used: {error}; install tilescope with its constraints.txt") from error
    try:
        function = numba.njit(nogil=True, cache=True)(_rows)
    except RuntimeError:  # there is no writable folder for the compiled code
        function = numba.njit(nogil=True)(_rows)
    tiny = np.zeros((1, 1), np.float32)
    function(tiny, tiny, tiny.copy(), 0, 1)
    return function


def _sequential(threads: int, stack: ExitStack) -> Multiply:
    rows = _compiled_rows()
    return lambda a, b, c: rows(a, b, c, 0, len(c))


def _parallel(threads: int, stack: ExitStack) -> Multiply:
    rows = _compiled_rows()
    pool = stack.enter_context(ThreadPoolExecutor(threads))

    def multiply(a: NDArray[np.float32], b: NDArray[np.float32], c: NDArray[np.float32]) -> None:
        parts = [pool.submit(rows, a, b, c, *bounds) for bounds in pairwise(row_cuts(len(c), threads))]
        wait(parts)
        for part in parts:
            part.result()

    return multiply


def _blas(threads: int, stack: ExitStack) -> Multiply:
    from threadpoolctl import threadpool_limits

    if threads:
        most = blas_threads(threads)
        if not most:
            raise InputError("cpu_blas: NumPy's BLAS chooses its number of threads itself here: omit --threads")
        if most != threads:
            raise InputError(f"cpu_blas with {threads:,} threads: NumPy's BLAS uses at most {most:,} here")
        stack.enter_context(threadpool_limits(threads, user_api="blas"))

    def multiply(a: NDArray[np.float32], b: NDArray[np.float32], c: NDArray[np.float32]) -> None:
        np.matmul(a, b, out=c)

    return multiply


_SETUPS: Final[Mapping[str, Setup]] = {"cpu_sequential": _sequential, "cpu_parallel": _parallel, "cpu_blas": _blas}


class CpuRun:
    """One baseline, ready to run on one set of inputs. A context manager that ends its threads on exit.

    Parameters
    ----------
    baseline : str
        An id of the catalogue that runs on the CPU.
    inputs : mapping of str to ndarray
        A of shape (M, K) and B of shape (K, N), float32, C order.
    threads : int
        Number of threads that share the work; ignored by the sequential baseline. With 0, BLAS chooses.
    """

    captured = False

    def __init__(self, baseline: str, inputs: Mapping[str, NDArray[np.generic]], threads: int) -> None:
        self._a: NDArray[np.float32] = inputs["A"].astype(np.float32, copy=False)
        self._b: NDArray[np.float32] = inputs["B"].astype(np.float32, copy=False)
        self._c: NDArray[np.float32] = np.empty((len(self._a), self._b.shape[1]), np.float32)
        self._opened = ExitStack()
        self._multiply = _SETUPS[baseline](threads, self._opened)
        self.launches_per_sample = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def outputs(self) -> Arrays:
        """Run once into an array of NaN, so that missing elements are found."""
        self._c.fill(np.nan)
        self._multiply(self._a, self._b, self._c)
        return {"C": self._c.copy()}

    def sample_ms(self) -> dict[str, float]:
        """Return the milliseconds of one product, the mean of `launches_per_sample` in a row."""
        if not self.launches_per_sample:
            self.launches_per_sample = self._calls_for_a_sample()
        return {"kernel": self._time_ms(self.launches_per_sample) / self.launches_per_sample}

    def _calls_for_a_sample(self) -> int:
        calls = 1
        spent_ms = self._time_ms(calls)
        if spent_ms < SHORT_MS:
            while spent_ms < SAMPLE_MS:
                calls *= 2
                spent_ms = self._time_ms(calls)
        return calls

    def _time_ms(self, calls: int) -> float:
        start = perf_counter_ns()
        for _ in range(calls):
            self._multiply(self._a, self._b, self._c)
        return (perf_counter_ns() - start) / 1e6
