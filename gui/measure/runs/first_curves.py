"""Curves of a recorded run that are drawn at first: few, from the slowest kernel to the fastest. No Qt."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from kernels.catalog import find_kernel
from kernels.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.sample import Entry
    from kernels.bench.store import Row
    from kernels.catalog import Kernel

MOST: Final = 8
"""As many as the theme has colours."""


def first_entries(rows: Iterable[Row], most: int = MOST) -> tuple[Entry, ...]:
    """Return the fastest entry of each of `most` kernels for the GPU, evenly spaced by rate, the fastest first.

    They solve the problem that most kernels of the run solve, and have no options: those are variants of one kernel.
    """
    best: dict[str, tuple[float, Entry]] = {}
    workloads: dict[str, str] = {}
    for row in rows:
        entry, rate = row.sample.point.entry, row.sample.gflops
        if rate and rate > best.get(entry.kernel, (0.0, entry))[0]:
            kernel = _kernel(entry.kernel)
            if kernel is not None and kernel.runs_on != "cpu" and not kernel.chosen:
                best[entry.kernel] = (rate, entry)
                workloads[entry.kernel] = kernel.workload.id
    if not best:
        return ()
    (workload, _), *_ = Counter(workloads.values()).most_common(1)
    chosen = [pair for name, pair in best.items() if workloads[name] == workload]
    chosen.sort(key=lambda pair: -pair[0])
    return tuple(entry for _, entry in _spaced(chosen, most))


def _spaced(pairs: Sequence[tuple[float, Entry]], most: int) -> list[tuple[float, Entry]]:
    """Return `most` of the pairs, both ends among them."""
    if len(pairs) <= most:
        return list(pairs)
    return [pairs[round(place * (len(pairs) - 1) / (most - 1))] for place in range(most)]


def _kernel(name: str) -> Kernel | None:
    try:
        return find_kernel(name)
    except InputError:  # a kernel of another version
        return None
