"""Kernels that the memory limits, in turns with a copy and with the library's routine.

`python -m tests.bench.memory_bound`: prints for sums, transpositions and softmax GB/s of useful traffic, their ratio to
the driver's copy of as many bytes, and the ratio to the library, each the median of samples taken in turns with the
interval that holds the median of such ratios with 95 %. Every result is verified first. Sizes between those that the
kernels were written at are drawn, another set with each seed. Needs a GPU.
"""

from __future__ import annotations

import argparse
import random
import statistics
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from kernels.catalog import find_kernel
from kernels.errors import TilescopeError
from kernels.fill import Fills
from kernels.gpu.device import present_device
from kernels.gpu.run import CudaRun, DeviceRun, LibraryRun
from kernels.workload import WORKLOADS, Size, verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernels.catalog import Kernel
    from kernels.launch import Dim3
    from kernels.reference import Reference
    from kernels.workload import Arrays

_SAMPLES: Final = 41
_INTERVAL: Final = 14
"""The 15th smallest and the 15th largest of 41 values enclose their median with 95 % (binomial distribution)."""

_FILL: Final = "random(1)"

_SUMS: Final = (
    "reduce_interleaved",
    "reduce_strided",
    "reduce_sequential",
    "reduce_two_loads",
    "reduce_shuffle",
    "reduce_grid_stride",
    "reduce_atomic",
)
_TRANSPOSITIONS: Final = (
    "transpose_copy",
    "transpose_naive",
    "transpose_tiled",
    "transpose_padded",
    "transpose_swizzled",
)
_ROWS: Final = ("softmax_three_pass", "softmax_online", "softmax_warp")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the drawn sizes")
    parser.add_argument("--blocks", action="store_true", help="every block of each kernel")
    parser.add_argument("kernels", nargs="*", help="all of them unless given")
    given = parser.parse_args()

    def chosen(names: Sequence[str]) -> list[str]:
        return [name for name in names if name in given.kernels or not given.kernels]

    draw = random.Random(given.seed)
    print(f"{present_device().name}; {_SAMPLES} samples in turns; [interval of the median]")
    for n in (1 << 20, 1 << 28, draw.randrange(1 << 20, 1 << 24), draw.randrange(1 << 25, 1 << 28)):
        _table(chosen(_SUMS), "cub_sum", Size(n, n, n), every=given.blocks)
    for rows, columns in ((8192, 8192), (1024, 1024), (draw.randrange(2000, 9000), draw.randrange(2000, 9000))):
        _table(chosen(_TRANSPOSITIONS), "transpose_copy", Size(rows, columns, 1), every=given.blocks)
    for rows, columns in ((8192, 1024), (1024, 1024), (draw.randrange(4000, 20000), draw.randrange(100, 4000))):
        _table(chosen(_ROWS), "cupy_softmax", Size(rows, columns, 1), every=given.blocks)


def _table(names: Sequence[str], library: str, size: Size, *, every: bool) -> None:
    if not names:
        return
    kernels = [find_kernel(name) for name in names]
    workload = kernels[0].workload
    assert workload.rate is not None
    moved = workload.rate.amount(workload.fit(size)) * 1e9
    print(f"\n{workload.title}, {' × '.join(str(getattr(size, length.axis)) for length in workload.lengths)}")
    side = max(1, isqrt(int(moved / 8)))
    copied = 8.0 * side * (int(moved / 8) // side)
    copy = _run(find_kernel("cuda_memcpy"), Size(side, int(moved / 8) // side, 1))
    compared = _run(find_kernel(library), size)
    if isinstance(copy, str) or isinstance(compared, str):
        print(copy, compared)
        return
    with copy, compared:
        for kernel in kernels:
            for block in kernel.blocks if every else (kernel.blocks[-1],):
                run, words = _run(kernel, size, block), f"{kernel.id:<24} {block!s:>8}"
                if isinstance(run, str):
                    print(f"{words} {run}")
                    continue
                with run:
                    _print_row(words, (run, copy, compared), moved, copied)


@lru_cache(maxsize=1)
def _problem(workload: str, size: Size) -> tuple[Arrays, Mapping[str, Reference] | None]:
    """Return the inputs, and the reference where all of it is compared."""
    found = WORKLOADS[workload]
    inputs = found.inputs(size, Fills.parse(_FILL))
    if found.by_rows:
        return inputs, None
    return inputs, {name: result.reference() for name, result in found.results(inputs, size, np.arange(0)).items()}


def _run(kernel: Kernel, size: Size, block: Dim3 | None = None) -> DeviceRun | str:
    """Return a verified run, by default with the kernel's own block, or why there is none."""
    size = kernel.workload.fit(size)
    inputs, references = _problem(kernel.workload.id, size)
    try:
        if kernel.runs_on == "library":
            made: DeviceRun = LibraryRun(kernel, size, inputs)
        else:
            made = CudaRun(kernel, size, block or kernel.block, inputs)
        verdict = verify(kernel.workload, size, inputs, made.outputs(), references)
    except TilescopeError as error:
        return str(error)
    return made if verdict.correct else f"WRONG: {verdict.message}"


def _print_row(words: str, runs: tuple[DeviceRun, DeviceRun, DeviceRun], moved: float, copied: float) -> None:
    samples: list[list[float]] = [[], [], []]
    for run in runs:
        run.sample_ms()  # warms up, and chooses how many launches are a sample
    for turn in range(_SAMPLES):
        for number in range(3):
            which = (number + turn) % 3
            samples[which].append(sum(runs[which].sample_ms().values()))
    own, copy, library = samples
    rates = [moved / ms / 1e6 for ms in own]
    to_copy = [(moved / a) / (copied / b) for a, b in zip(own, copy, strict=True)]
    to_library = [b / a for a, b in zip(own, library, strict=True)]
    print(
        f"{words} {statistics.median(own) * 1e3:10.2f} µs {statistics.median(rates):8.1f} GB/s  "
        f"to copy {_interval(to_copy)}  to library {_interval(to_library)}",
        flush=True,
    )


def _interval(values: Sequence[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(values):.3f} [{ordered[_INTERVAL]:.3f}, {ordered[-1 - _INTERVAL]:.3f}]"


if __name__ == "__main__":
    main()
