"""Parameters of a kernel as they are passed: numbers, and pointers to numbers, with their NumPy dtype."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.errors import SourceError
from kernels.frontend import kernel_parameters
from kernels.frontend.types import Pointer, Scalar

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel."""

    name: str
    dtype: np.dtype[np.generic]
    """The type of the number, or of the elements."""
    pointer: bool


def parameters(text: str, file: str, entry: str) -> tuple[Parameter, ...]:
    """Return the parameters of the kernel `entry`, in order.

    Raises
    ------
    SourceError
        When there is no such kernel, or a parameter is neither a pointer to numbers nor a number.
    """
    found = []
    for parameter in kernel_parameters(text, file, entry):
        kind = parameter.type.to if isinstance(parameter.type, Pointer) else parameter.type
        if not isinstance(kind, Scalar):
            raise SourceError(
                file,
                parameter.span.line,
                parameter.span.column,
                f"cannot pass '{parameter.type} {parameter.name}': use a number, or a pointer to numbers",
            )
        found.append(Parameter(parameter.name, kind.dtype, isinstance(parameter.type, Pointer)))
    return tuple(found)
