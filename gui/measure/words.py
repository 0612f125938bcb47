"""Texts for kernel titles, machines, durations and outcomes."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kernels.bench.store.database import skip_reasons
from kernels.catalog import kernel_name
from kernels.control_characters import escape_controls
from kernels.custom_launch.model import short_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gui.measure.run.history import History
    from kernels.bench.measure.environment import Environment
    from kernels.bench.sample import Entry
    from kernels.bench.store.database import Skipped
    from kernels.catalog import Kernel

_MOST_ROWS: Final = 20

_MEMORY: Final = {
    "device": "",
    "pageable": "transfers (pageable)",
    "pinned": "transfers (pinned)",
    "managed": "managed memory",
}

OUTCOMES: Final = {
    "measured": "✓",
    "unverified": "– not verified",
    "wrong": "✗ wrong result",
    "refused": "– refused",
    "failed": "✗ failed",
    "overtime": "✗ timed out",
    "skipped": "– skipped",
    "checked": "✓ checked",
}
"""Outcomes of points, with a sign."""


def titles(kernels: Sequence[Kernel]) -> dict[str, str]:
    """Return a map from a sample's kernel id to the kernel's title; a user's kernel has its file name added."""
    return {kernel_name(k): title_of(k) for kernel in kernels for k in kernel.variants()}


def title_of(kernel: Kernel) -> str:
    """Return a kernel's title with its options; a user's kernel has its file name added."""
    own = kernel.file is not None and kernel_name(kernel) != kernel.id
    chosen = [f"{o.title} {kernel.chosen[o.name]}" for o in kernel.options if o.name in kernel.chosen]
    return ", ".join([f"{kernel.title} ({kernel.file.name})" if own and kernel.file else kernel.title, *chosen])


def kernel_title(kernel: str, titles: Mapping[str, str]) -> str:
    """Return the title of a sample's kernel; of an unknown one, the name of its file."""
    return titles.get(kernel) or _stem(kernel)


@lru_cache(maxsize=1024)
def _stem(kernel: str) -> str:
    return Path(kernel).stem


def label(entry: Entry, titles: Mapping[str, str]) -> str:
    """Return the label of an entry: the kernel's title, then its choices."""
    title = kernel_title(entry.kernel, titles)
    return ", ".join(part for part in (title, choices(entry)) if part)


def choices(entry: Entry) -> str:
    """Return the block or CPU threads, the timed transfers, and whether L2 is cold; empty if there is no choice."""
    if entry.launch:
        return escape_controls(short_words(entry.launch))
    threads = f"{entry.threads} thread{'s' * (entry.threads > 1)}" if entry.threads else ""
    parts = (str(entry.block) if entry.block else threads, _MEMORY[entry.memory], "cold L2" * entry.cold)
    return ", ".join(part for part in parts if part)


def significant(value: float | None, digits: int = 4) -> str:
    """Format a number with a fixed number of significant digits and no exponent."""
    if value is None:
        return ""
    if value == 0 or not isfinite(value):
        return f"{value:g}"
    decimals = digits - 1 - int(f"{value:e}".partition("e")[2])
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def machine_words(environment: Environment) -> str:
    """Return one line with hardware and software versions of an environment."""
    parts = [environment.gpu, environment.cpu and f"{environment.cpu}, {environment.cores} cores"]
    for name, version in (
        ("driver", environment.driver),
        ("driver CUDA", environment.cuda_driver),
        ("NVRTC", environment.nvrtc),
        ("CuPy", environment.cupy),
        ("NumPy", environment.numpy),
        ("Numba", environment.numba),
        ("Python", environment.python),
    ):
        if version:
            parts.append(f"{name} {version}")
    return f"{environment.host}: " * bool(environment.host) + " · ".join(part for part in parts if part)


def version_difference(environments: Iterable[Environment]) -> str:
    """Return in one sentence the compilers that made the rates of some environments; empty for one or none.

    The same source compiled by NVRTC 13.0 and 13.5 differed by up to 10 % in rate on an H200.
    """
    versions = sorted({one.nvrtc for one in environments if one.nvrtc}, key=lambda v: [int(n) for n in v.split(".")])
    return f"Compilers differ: NVRTC {' and '.join(versions)}" if len(versions) > 1 else ""


def duration(seconds: float) -> str:
    """Format a rounded duration: `4 s`, `2 min`, `1 h 5 min`."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def history_words(history: History, shown_points: int) -> str:
    """Explain which points of the last run are not shown, why, and in which file; empty if all are shown.

    Parameters
    ----------
    history : History
    shown_points : int
        Points of the last run that are shown.
    """
    problem, skipped = history.problem, history.skipped
    parts = []
    if problem is not None and problem.kind == "locked":
        parts.append(f"{problem.problem.capitalize()}: the last run is shown as soon as the file is free")
    elif problem is not None:
        subject = (
            f"Only {count_of(shown_points)} of the last run can be shown"
            if shown_points
            else "The last run cannot be shown"
        )
        parts.append(
            f"{subject}: {problem.problem}. Move it away, and a new file is created. "
            "Until then, new points are not saved"
        )
    if skipped:
        of_all = f"{len(skipped):,} of {count_of(shown_points + len(skipped))} of the last run"
        parts.append(f"{of_all} {'is' if len(skipped) == 1 else 'are'} not shown: {skip_reasons(skipped)}")
    return ". ".join([*parts, f"The file: {history.path}"]) if parts else ""


def skipped_rows(skipped: Sequence[Skipped]) -> str:
    """List the first skipped rows with their numbers in the file."""
    lines = [f"{item.table}, row {item.row}: {item.reason}" for item in skipped[:_MOST_ROWS]]
    more = len(skipped) - len(lines)
    return "\n".join([*lines, f"and {more:,} more"] if more else lines)


def count_of(points: int) -> str:
    """Return `1 point` or `12,345 points`."""
    return f"{points:,} point{'s' * (points != 1)}"


def outcome(words: str, outcome_count: int, point_count: int, failures: int) -> tuple[str, bool]:
    """Return the outcome of a measurement in words, and whether it is a warning.

    Parameters
    ----------
    words : str
        As in `Run.run_finished`: empty if every point has an outcome.
    outcome_count, point_count, failures : int
        Points that have an outcome, points that were planned, points without a result.
    """
    progress = f"{outcome_count} of {point_count} points are measured and saved"
    if words == "stopped":
        return f"Stopped: {progress}.", False
    if words:
        return f"{words}. {progress}. Press Start to measure again.", True
    if failures:
        verified = f"{point_count - failures} of {point_count} points are verified"
        return f"Done: {verified}; the table says why the others are not.", False
    return f"Done: {count_of(point_count)}, every result verified.", False


def some_of(parts: Iterable[str], most: int = 3) -> str:
    """Join the first parts with semicolons, and say how many more there are."""
    found = list(parts)
    more = len(found) - most
    return "; ".join(found[:most]) + (f"; and {more} more" if more > 0 else "")
