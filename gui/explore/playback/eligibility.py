"""Limits of the Explore page: kernels, sizes, threads and frames that it can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kernels.errors import InputError

if TYPE_CHECKING:
    from gui.selection.session import Selection
    from kernels.trace import Trace

LARGEST: Final = 64
"""Largest M, N or K that is explored: a smaller cell cannot be seen in a lecture room."""

LONGEST: Final = 8 * LARGEST
"""Largest length of an array of one dimension that is explored: it is drawn in rows of 32 elements."""

LARGEST_RECORDED: Final = 2 * LARGEST
"""Largest M, N or K of a recording, which cannot be traced again smaller: tiles can be seen, though not numbers."""

MOST_THREADS: Final = LARGEST_RECORDED**2
"""Maximum number of threads of a recording or custom launch: each is drawn."""

MOST_FRAMES: Final = 20_000_000
"""Maximum number of pictures of a run, one for each step of each block: these take seconds and 1 GiB to lay out."""


def check_recording(trace: Trace) -> None:
    """Raise InputError, one line, for a recording that is too large for a picture."""
    check_threads(trace.launch.thread_count)


def check_threads(count: int) -> None:
    """Raise InputError, one line, for a launch with too many threads for a picture."""
    if count > MOST_THREADS:
        raise InputError(
            f"This launch has {count:,} threads; the picture shows up to {MOST_THREADS:,}. Launch fewer threads, "
            "or run “tilescope trace” for a report as text."
        )


def check_frames(count: int) -> None:
    """Raise InputError, one line, for a run with too many pictures to be laid out."""
    if count > MOST_FRAMES:
        raise InputError(
            f"This run has {count:,} pictures, one for each step of each block; up to {MOST_FRAMES:,} can be shown. "
            "Launch fewer blocks, use fewer loop iterations, or run “tilescope trace” for a report as text."
        )


def refusal(selection: Selection) -> str:
    """Return why a selection has no picture; empty if it has one."""
    kernel = selection.kernel
    if kernel.file is None:
        where = {"cpu": "on the CPU", "library": "inside a library"}.get(kernel.runs_on, "elsewhere")
        return (
            f"“{kernel.title}” runs {where}: it has no CUDA source, so there are no threads to show. "
            "Choose a kernel with a .cu file to explore it; this one can be measured on the Benchmark page."
        )
    size = kernel.workload.fit(selection.size)
    shapes = [spec.shape for spec in kernel.workload.arrays(size)]
    limits = [(max(shape), LONGEST if len(shape) == 1 else LARGEST) for shape in shapes]
    exceeded = [most for length, most in limits if length > most]
    if exceeded:
        lengths = "×".join(map(str, kernel.workload.scalars(size).values()))
        return (
            f"Size {lengths} is too large to explore: choose up to {min(exceeded)} in every dimension, "
            "where each element can still be seen. Larger sizes can be measured on the Benchmark page."
        )
    return ""
