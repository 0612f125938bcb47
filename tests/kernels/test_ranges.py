from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernels.errors import InputError
from kernels.ranges import check, fits, in_words, misfit

HUGE = 10**400
"""An integer that no type holds, and that Python itself cannot make a float of."""


@pytest.mark.parametrize(
    ("dtype", "inside", "outside"),
    [
        ("int8", [-128, 127, 1.0, True], [-129, 128, 0.5, np.nan, np.inf, HUGE]),
        ("uint8", [0, 255], [-1, 256, -0.5]),
        ("int32", [-(2**31), 2**31 - 1], [2**31, -(2**31) - 1, 1e10]),
        ("uint64", [0, 2**64 - 1], [2**64, -1]),
        ("int64", [-(2**63), 2**63 - 1], [2**63, 2.0**63]),
        ("bool", [0, 1, True, 1.0], [2, -1, 0.5]),
        ("float16", [65504, -65519, np.inf, np.nan, 1e-9], [65520, 1e5, HUGE]),
        ("float32", [3.4e38, -np.inf, np.nan, 0.1, 2**31], [1e39, -1e300, HUGE]),
        ("float64", [1e308, np.inf, 2**64], [HUGE]),
    ],
)
def test_a_number_fits_or_not(dtype: str, inside: list[Any], outside: list[Any]) -> None:
    assert all(fits(number, dtype) for number in inside)
    assert not any(fits(number, dtype) for number in outside)
    for number in outside:
        with pytest.raises(InputError) as caught:
            check("n", number, dtype, "kind")
        assert str(caught.value) == f"'n' is kind: {number} does not fit; give {in_words(dtype)}"


@pytest.mark.parametrize(
    ("numbers", "dtype", "at"),
    [
        (np.array([[1, 2], [300, 400]]), "uint8", 2),
        (np.array([1, -1]), "uint64", 1),
        (np.array([2**63], np.uint64), "int64", 0),
        (np.array([0.0, 3.0, np.nan]), "int32", 2),
        (np.array([0.0, 3.0, 3.25]), "int32", 2),
        (np.array([0.0, -3.0, 1e30]), "int32", 2),
        (np.array([1.0, np.inf, 1e39]), "float32", 2),
        (np.array([1.0, np.inf, np.nan, -3e38]), "float32", -1),
        (np.array([-5.0, 5.0]), "int8", -1),
        (np.arange(256, dtype=np.uint8), "int16", -1),
        (np.zeros(0), "int8", -1),
    ],
)
def test_the_first_number_of_an_array_that_does_not_fit(numbers: np.ndarray[Any, Any], dtype: str, at: int) -> None:
    assert misfit(numbers, dtype) == at
    if at >= 0:
        with pytest.raises(InputError, match=f"^'a' holds kind: element {at}, which is .* does not fit; give"):
            check("a", numbers, dtype, "kind")


def test_accepted_ranges_in_words() -> None:
    assert in_words("int8") == "a whole number from -128 to 127"
    assert in_words("bool") == "a whole number from 0 to 1"
    assert in_words("float32") == "a number of at most 3.40282e+38"
