"""Atomic changes are those of one lane after another, to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.simt.machine.exchange import exchange

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("elements", [1, 3, 500])
@pytest.mark.parametrize(
    ("combine", "dtype"),
    [
        (np.add, "int32"),
        (np.add, "uint64"),
        (np.add, "float16"),
        (np.add, "float32"),
        (np.add, "float64"),
        (np.subtract, "int32"),
        (np.minimum, "int32"),
        (np.maximum, "int64"),
        (np.bitwise_and, "uint32"),
        (np.bitwise_xor, "int32"),
        (lambda old, value: value, "float32"),
    ],
)
def test_as_if_one_lane_came_after_another(combine: Callable[..., Any], dtype: str, elements: int) -> None:
    random = np.random.default_rng(elements)
    kind = np.dtype(dtype)
    whole = kind.kind in "iu"
    values = random.integers(0, np.iinfo(kind).max, 400, kind) if whole else (random.random(400) * 10).astype(kind)
    at, data = random.integers(0, elements, 400), (np.arange(elements) * 3).astype(kind)
    expected, old, new = data.copy(), values.copy(), values.copy()
    with np.errstate(over="ignore"):
        for lane in range(400):
            old[lane] = expected[at[lane]]
            new[lane] = expected[at[lane]] = combine(old[lane], values[lane])
    found = exchange(data, at, [values], combine)
    for ours, theirs in zip((data, *found), (expected, old, new), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def test_no_lane_at_all() -> None:
    old, new = exchange(np.zeros(3), np.zeros(0, np.int64), [np.zeros(0)], np.add)
    assert len(old) == len(new) == 0
