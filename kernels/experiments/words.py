"""Numbers and selections of an experiment in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernels.experiments.model import Coordinate, Experiment, Figure

_MOST_NAMES: Final = 3
"""Maximum number of values that are listed by name; more are counted."""

_UNITS = {"gflops": " GFLOPS", "gb_per_s": " GB/s", "ms": " ms", "l2": ""}


def figure_words(value: float, figure: Figure, *, unit: bool = False) -> str:
    """Format a figure as `number_words` does, with its unit if `unit` is True."""
    return number_words(value) + (_UNITS[figure] if unit else "")


def number_words(value: float) -> str:
    """Format a number with four significant digits; numbers from 1000 to 10⁹ keep all digits before the point."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.4g}"


def where_words(experiment: Experiment, where: Mapping[Coordinate, object]) -> str:
    """Name a selection: `v4 tiled, width 8`."""
    parts = []
    for key, value in where.items():
        values = value if isinstance(value, tuple) else (value,)
        words = [coordinate_words(experiment, key, one) for one in values]
        parts.append(" or ".join(words) if len(words) <= _MOST_NAMES else f"the best of {len(words)} others")
    return ", ".join(part for part in parts if part)


def coordinate_words(experiment: Experiment, key: Coordinate, value: object) -> str:
    """Name one value of a coordinate; "" for the default memory."""
    match key:
        case "kernel":
            return experiment.kernel_label(str(value))
        case "memory":
            return memory_words(str(value))
        case "size":
            return str(value)
        case "threads":
            return f"{value} thread{'s' * (value != 1)}"
        case _:
            return f"{'n =' if key == 'n' else key} {value}"


def memory_words(memory: str) -> str:
    """Return the memory of a time and its transfers in words; "" for the time of the kernel alone."""
    return {"device": "", "managed": "managed memory"}.get(memory, f"with transfers ({memory})")
