"""Names, machines and times in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernels.bench.plan import kernel_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kernels.bench.environment import Environment
    from kernels.catalog import Kernel


def titles(kernels: Sequence[Kernel]) -> dict[str, str]:
    """Return what samples call a kernel -> its title, with the file's name for the user's own."""
    return {kernel_name(k): title_of(k) for kernel in kernels for k in kernel.variants()}


def title_of(kernel: Kernel) -> str:
    """Return a kernel's title, with the file's name for the user's own, and what is chosen about it."""
    own = kernel.file is not None and kernel_name(kernel) != kernel.id
    chosen = [f"{o.title} {kernel.chosen[o.name]}" for o in kernel.options if o.name in kernel.chosen]
    return ", ".join(
        [f"{kernel.title} ({kernel.file.name})" if own and kernel.file else kernel.title, *chosen]
    )


def machine_words(environment: Environment) -> str:
    """Name in one line what the samples were taken on and with."""
    parts = [environment.gpu, environment.cpu and f"{environment.cpu}, {environment.cores} cores"]
    for name, version in (
        ("driver CUDA", environment.cuda_driver), ("NVRTC", environment.nvrtc), ("CuPy", environment.cupy),
        ("NumPy", environment.numpy), ("Numba", environment.numba), ("Python", environment.python),
    ):  # fmt: skip
        if version:
            parts.append(f"{name} {version}")
    return " · ".join(part for part in parts if part)


def duration(seconds: float) -> str:
    """Round a time for people: `4 s`, `2 min`, `1 h 5 min`."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def outcome(words: str, done: int, planned: int, failures: int) -> tuple[str, bool]:
    """Say how a measurement ended, and whether that is a reason to look.

    Parameters
    ----------
    words : str
        As `Run.ended` gives them: empty when every point has an outcome.
    done, planned, failures : int
        Points that have an outcome, points that were planned, points without a result.
    """
    kept = f"{done} of {planned} points are measured and kept"
    if words == "stopped":
        return f"stopped: {kept}", False
    if words:
        return f"{words}. {kept}; Start works again", True
    if failures:
        return f"done: {planned - failures} of {planned} points are verified; the others say why not", False
    return f"done: {planned} points, every result verified", False
