"""Curves of a recorded run that are drawn at first: the chosen kernel among those that tell the story. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui.measure.results.roles import kernel_of
from kernels.catalog import kernel_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kernels.bench.sample import Entry
    from kernels.bench.store import Row
    from kernels.catalog import Kernel


def first_entries(rows: Iterable[Row], story: Sequence[str], chosen: Kernel | None = None) -> tuple[Entry, ...]:
    """Return the fastest entry of the chosen kernel, and of each kernel that it is compared with.

    These are the kernels of the story if they solve the same problem, or if nothing that solves the problem of the
    chosen kernel was measured; else the slowest and the fastest kernel for its problem, and the library's routines.

    Parameters
    ----------
    rows : iterable of Row
        A recorded run.
    story : sequence of str
        Names of kernels that solve one problem, from the slowest to the library's routine.
    chosen : Kernel, optional
        The selected kernel.
    """
    best: dict[str, tuple[float, Entry]] = {}
    for row in rows:
        entry, rate = row.sample.point.entry, row.sample.gflops
        if rate and rate > best.get(entry.kernel, (0.0, entry))[0]:
            best[entry.kernel] = (rate, entry)
    names = story
    if chosen is not None:
        others = _extremes(best, chosen.workload.id)
        alike = any((k := kernel_of(name)) and k.workload.id == chosen.workload.id for name in story)
        names = [kernel_name(chosen), *(story if alike or not others else others)]
    return tuple(best[name][1] for name in dict.fromkeys(names) if name in best)


def _extremes(best: dict[str, tuple[float, Entry]], workload: str) -> list[str]:
    """Return the slowest and the fastest kernel for a problem, without options, and the library's routines."""
    known = {name: kernel for name in best if (kernel := kernel_of(name)) and kernel.workload.id == workload}
    ours = [name for name, kernel in known.items() if kernel.runs_on == "cuda" and not kernel.chosen]
    ours.sort(key=lambda name: best[name][0])
    return [*ours[:1], *ours[-1:], *(name for name, kernel in known.items() if kernel.runs_on == "library")]
