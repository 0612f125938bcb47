"""Outcomes of all checks of one result."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Checks:
    """Every check of one result."""

    correct: bool
    """Whether every check passed; `l2` and `unlike_bits` are figures that cannot fail."""
    message: str
    """One line: the failed checks, or the passed ones."""
    checked: str
    """Words for the elements that were compared."""
    elements: int = 0
    """Their number."""
    max_error: float = 0.0
    """Largest |C - C₆₄|, where C₆₄ is the float64 reference."""
    bound_share: float = 0.0
    """Largest |C - C₆₄| as a share of what float32 allows there, γ_K (|A||B|); up to 1 passes."""
    relative_error: float = 0.0
    """Frobenius norm of C - C₆₄ over that of C₆₄; up to 1e-5 passes."""
    l2: float = 0.0
    """Σ (C - C₃₂)², where C₃₂ is summed in order in float32, without fused operations."""
    unlike_bits: int = 0
    """Number of elements whose bits differ from those of C₃₂."""
    last_row: bool | None = None
    """Whether the last row is that of the documents' formula, which holds for inputs of `rows`; else None."""
    known: bool | None = None
    """Whether the result is the one that the documents print; None where they print none."""
    outputs: Mapping[str, list[list[float]]] = field(default_factory=dict)
    """Small outputs, row by row."""

    def within(self, epsilon: float) -> bool:
        """Return whether no element is further than epsilon from the float64 reference."""
        return self.max_error <= epsilon

    def to_json(self) -> dict[str, Any]:
        """Return plain values; nan and inf, which JSON does not have, become words."""
        plain = {name: _word(value) for name, value in asdict(self).items() if name != "outputs"}
        rows = {name: [[_word(v) for v in row] for row in array] for name, array in self.outputs.items()}
        return {**plain, "outputs": rows}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Checks:
        """Read the object of `to_json`; raises KeyError, TypeError or ValueError for any other."""
        values = {item.name: data[item.name] for item in fields(cls)}
        for name in ("max_error", "bound_share", "relative_error", "l2"):
            values[name] = float(values[name])
        values["outputs"] = {
            name: [[float(element) for element in row] for row in array] for name, array in values["outputs"].items()
        }
        return cls(**values)


def _word(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
