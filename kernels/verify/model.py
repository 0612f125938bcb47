"""Findings of the checks of one result."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Checks:
    """Every check of one result. `correct` is the verdict of those that can fail: all but `l2` and `unlike_bits`."""

    correct: bool
    message: str
    """One line: the failed checks, or the passed ones."""
    checked: str
    """Words for what was compared; `elements` is how many."""
    elements: int = 0
    max_error: float = 0.0
    """Largest |C - C₆₄|, where C₆₄ is the float64 reference."""
    bound_share: float = 0.0
    """Largest |C - C₆₄| as a share of what float32 allows there, γ_K (|A||B|); up to 1 passes."""
    relative_error: float = 0.0
    """Frobenius norm of C - C₆₄ over that of C₆₄; up to 1e-5 passes."""
    l2: float = 0.0
    """Σ (C - C₃₂)², where C₃₂ is summed in order in float32, without fused operations."""
    unlike_bits: int = 0
    """Elements whose bits are not those of C₃₂."""
    last_row: bool | None = None
    """Where all inputs are `rows`: whether the last row is what the documents' formula says."""
    known: bool | None = None
    """Where the documents print the result: whether it is that."""
    outputs: Mapping[str, list[list[float]]] = field(default_factory=dict)
    """Small outputs, row by row."""

    def within(self, epsilon: float) -> bool:
        """Return whether no element is further than epsilon from the float64 reference."""
        return self.max_error <= epsilon

    def to_json(self) -> dict[str, Any]:
        """Return plain values; numbers that JSON does not know become words (nan, inf)."""
        plain = {name: _word(value) for name, value in asdict(self).items() if name != "outputs"}
        rows = {name: [[_word(v) for v in row] for row in array] for name, array in self.outputs.items()}
        return {**plain, "outputs": rows}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Checks:
        """Read back what `to_json` gave; raises KeyError, TypeError or ValueError when it is something else."""
        given = {item.name: data[item.name] for item in fields(cls)}
        for name in ("max_error", "bound_share", "relative_error", "l2"):
            given[name] = float(given[name])
        given["outputs"] = {
            name: [[float(value) for value in row] for row in array] for name, array in given["outputs"].items()
        }
        return cls(**given)


def _word(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
