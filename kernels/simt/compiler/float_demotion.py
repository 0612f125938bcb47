"""Doubles that float could hold as well: numbers that were converted, and literals without more digits.

A compiler does one operation on such numbers, whose result becomes a float, in float: no digit is lost by that.
"""

from __future__ import annotations

import numpy as np

from kernels.frontend.types import DOUBLE, FLOAT
from kernels.simt.compiler.compiled_values import Code, constant


def as_single(code: Code) -> Code | None:
    """Return an operand of an operation on doubles as a float, None where it is none."""
    if code.type == FLOAT:
        return code
    if code.constant is None or code.from_launch or code.type != DOUBLE:
        return code.fma.float_value
    with np.errstate(over="ignore"):
        number = np.float32(code.constant)
    return constant(number, FLOAT) if float(number) == code.constant else None
