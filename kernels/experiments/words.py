"""Numbers and selections of an experiment in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernels.experiments.model import Experiment, Figure, Where

_UNITS = {"gflops": " GFLOPS", "ms": " ms", "l2": ""}


def figure_words(value: float, figure: Figure, *, unit: bool = False) -> str:
    """Write four digits, more only before the decimal point, with the unit where wanted."""
    return number_words(value) + (_UNITS[figure] if unit else "")


def number_words(value: float) -> str:
    """Write four digits, more only before the decimal point."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.4g}"


def where_words(experiment: Experiment, where: Where) -> str:
    """Name what a selection means: `v4 tiled, width 8`."""
    parts = []
    for key, value in where.items():
        match key:
            case "kernel":
                parts.append(experiment.named(str(value)))
            case "memory":
                parts.append(memory_words(str(value)))
            case "size":
                parts.append(str(value))
            case "threads":
                parts.append(f"{value} thread{'s' * (value != 1)}")
            case _:
                parts.append(f"{'n =' if key == 'n' else key} {value}")
    return ", ".join(part for part in parts if part)


def memory_words(memory: str) -> str:
    """Say what the time includes; empty for the kernel alone."""
    return {"device": "", "managed": "managed memory"}.get(memory, f"with transfers ({memory})")
