"""Range checks of launch arguments: a number that its type cannot hold is refused, never wrapped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kernels.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


def check(name: str, value: Any, dtype: DTypeLike, kind: object) -> None:
    """Refuse an argument, one number or an array, with a number that its type cannot hold; `kind` is the C type.

    Raises
    ------
    InputError
        With the first such number, and the range of the type.
    """
    if not isinstance(value, np.ndarray):
        if not fits(value, dtype):
            raise InputError(f"'{name}' is {kind}: {value} does not fit; give {in_words(dtype)}")
        return
    at = misfit(value, dtype)
    if at >= 0:
        number = value.reshape(-1)[at]
        raise InputError(
            f"'{name}' holds {kind}: element {at}, which is {number}, does not fit; give {in_words(dtype)}"
        )


def fits(number: Any, dtype: DTypeLike) -> bool:
    """Return whether a type can hold a number: integers no fraction, floats none that would become infinite."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        try:
            with np.errstate(over="ignore"):
                return bool(np.isfinite(dtype.type(number))) or not math.isfinite(number)
        except OverflowError:
            return False
    least, most = _range(dtype)
    return bool(least <= number <= most) and int(number) == number


def misfit(numbers: NDArray[Any], dtype: DTypeLike) -> int:
    """Return the flat index of the first number that a type cannot hold; -1 for none."""
    with np.errstate(all="ignore"):
        converted = numbers.astype(dtype)
    is_float = converted.dtype.kind == "f"
    bad = np.isfinite(numbers) & ~np.isfinite(converted) if is_float else converted != numbers
    found = np.flatnonzero(bad)
    return int(found[0]) if len(found) else -1


def in_words(dtype: DTypeLike) -> str:
    """Describe the numbers of a type: "a whole number from -128 to 127"."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return f"a number of at most {np.finfo(dtype).max:g}"
    least, most = _range(dtype)
    return f"a whole number from {least} to {most}"


def _range(dtype: np.dtype[Any]) -> tuple[int, int]:
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
