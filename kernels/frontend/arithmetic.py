"""Operators of C, as functions that take Python numbers and NumPy arrays alike."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

ARITHMETIC: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul}
BITWISE: Final = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
COMPARISON: Final = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def truncating_divide(left: Any, right: Any) -> Any:
    """Divide integers towards zero, as C does; in an array, division by 0 gives 0."""
    if type(left) is np.ndarray or type(right) is np.ndarray:
        return (left - np.fmod(left, right)) // right
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def remainder(left: Any, right: Any) -> Any:
    """Return the remainder of a division of integers in C, which has the sign of the left operand."""
    if type(left) is np.ndarray or type(right) is np.ndarray:
        return np.fmod(left, right)
    return left - right * truncating_divide(left, right)
