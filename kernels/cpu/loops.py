"""CPU baselines that are plain loops: compiled by Numba, timed, and split over threads by a range of their rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import cache
from itertools import pairwise
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from kernels.errors import InputError, UnavailableError
from kernels.files import make_folder
from kernels.installation import install_command
from kernels.user_folder import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

    from kernels.catalog import Kernel
    from kernels.workload import Arrays, Size

SHORT_MS: Final = 0.1
"""A call shorter than this is repeated within one sample, until the sample lasts `SAMPLE_MS`."""

SAMPLE_MS: Final = 1.0


@cache
def compile_loop(function: Callable[..., None]) -> Callable[..., None]:
    """Compile a Python loop to machine code that runs without the interpreter's lock; types follow with its first call.

    No fast-math: the sums are in order, as in the source, and so is every rounding.

    Raises
    ------
    UnavailableError
        When Numba cannot be used.
    """
    try:
        import numba
    except ImportError as error:  # Numba also raises it for a NumPy version that it does not support
        raise UnavailableError(f"Numba cannot be used: {error}; {install_command('cpu')}") from error
    try:
        # Beside the source, which is Numba's choice, the compiled code would outlive an uninstallation, and leave
        # a folder `kernels` that Python can import.
        config: Any = numba.config
        config.CACHE_DIR = config.CACHE_DIR or str(_cache_folder())
        compiled: Callable[..., None] = numba.njit(nogil=True, cache=True)(function)
    except (RuntimeError, InputError):  # there is no writable folder for the compiled code
        compiled = numba.njit(nogil=True)(function)
    return compiled


def _cache_folder() -> Path:
    """Return the folder of the user's cache for compiled loops, and make it.

    Raises
    ------
    InputError
        When it cannot be written.
    """
    folder = cache_folder() / "numba"
    make_folder(folder)
    return folder


def row_cuts(rows: int, threads: int) -> list[int]:
    """Return the boundaries of the threads' rows: thread t gets the rows cuts[t] to cuts[t + 1] - 1."""
    return [rows * thread // threads for thread in range(threads + 1)]


def split(
    loop: Callable[[int, int], object], rows: int, threads: int, opened: ExitStack, *, threaded: bool
) -> Callable[[], None]:
    """Return work that calls a loop with ranges of its rows: one for each thread, or all of them in this thread."""
    if not threaded:

        def all_rows() -> None:
            loop(0, rows)

        return all_rows
    pool = opened.enter_context(ThreadPoolExecutor(threads))

    def shared_rows() -> None:
        parts = [pool.submit(loop, *bounds) for bounds in pairwise(row_cuts(rows, threads))]
        wait(parts)
        for part in parts:
            part.result()

    return shared_rows


class TimedRun:
    """A baseline, ready to run on one set of inputs. A context manager that ends its threads on exit.

    Parameters
    ----------
    outputs : mapping of str to ndarray
        Arrays that `work` writes.
    work : callable
        Runs once.
    opened : ExitStack
        What ends with the run.
    """

    captured = False

    def __init__(self, outputs: Arrays, work: Callable[[], None], opened: ExitStack) -> None:
        self._outputs, self._work, self._opened = outputs, work, opened
        self.launches_per_sample = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def outputs(self) -> Arrays:
        """Run once into arrays of NaN or -1, so that missing elements are found."""
        for values in self._outputs.values():
            values.fill(np.nan if values.dtype.kind == "f" else -1)
        self._work()
        return {name: values.copy() for name, values in self._outputs.items()}

    def sample_ms(self) -> dict[str, float]:
        """Return the milliseconds of one run, the mean of `launches_per_sample` in a row."""
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
            self._work()
        return (perf_counter_ns() - start) / 1e6


class LoopRun(TimedRun):
    """A baseline whose loop its workload has (`Workload.loops`).

    Parameters
    ----------
    kernel, size
        A kernel that runs on the CPU, and a size that fits its workload.
    inputs : mapping of str to ndarray
        By name, C order.
    threads : int
        Number of threads that share the rows of a threaded baseline.
    """

    def __init__(self, kernel: Kernel, size: Size, inputs: Mapping[str, NDArray[np.generic]], threads: int) -> None:
        specs = kernel.workload.arrays(size)
        outputs: Arrays = {spec.name: np.empty(spec.shape, spec.dtype) for spec in specs if spec.output}
        arrays = [inputs[spec.name] if spec.name in inputs else outputs[spec.name] for spec in specs]
        compiled = compile_loop(kernel.workload.loops[kernel.base])
        compiled(*arrays, 0, 0)  # compiles it for these types
        opened = ExitStack()
        work = split(
            lambda first, last: compiled(*arrays, first, last), size.m, threads, opened, threaded=kernel.threaded
        )
        super().__init__(outputs, work, opened)
