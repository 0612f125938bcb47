"""Lengths and ranges of numbers."""

from __future__ import annotations

from itertools import product
from math import lcm
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kernels.errors import InputError
from kernels.ranges import check, fits, in_words, misfit
from kernels.size_search import LARGEST_LENGTH, MOST_PROBES, bounded_below, nearest_above, nearest_below

if TYPE_CHECKING:
    from collections.abc import Callable

    from kernels.size_search import Lengths


class Rule:
    """Every length is a multiple of its step, and lies between its bounds; counts how often it is asked."""

    def __init__(self, steps: Lengths, least: Lengths, most: Lengths) -> None:
        self.steps, self.least, self.most = steps, least, most
        self.probes = 0

    def __call__(self, lengths: Lengths) -> bool:
        self.probes += 1
        rows = zip(lengths, self.steps, self.least, self.most, strict=True)
        return all(n % step == 0 and least <= n <= most for n, step, least, most in rows)


def brute_force(asked: Lengths, rule: Rule, on_this_side: Callable[[int, int], bool]) -> Lengths | None:
    """Return the legal lengths on one side of those asked for whose sum of distances is least."""
    sides = [[n for n in range(1, 41) if on_this_side(n, length)] for length in asked]
    legal = [lengths for lengths in product(*sides) if rule(lengths)]
    return min(legal, key=lambda found: sum(abs(n - m) for n, m in zip(found, asked, strict=True)), default=None)


@pytest.mark.parametrize("seed", range(40))
def test_the_nearest_of_small_lengths_is_what_brute_force_finds(seed: int) -> None:
    random = Random(seed)
    axes = random.choice([1, 2, 3])
    steps = tuple(random.choice([1, 1, 2, 3, 4, 6]) for _ in range(axes))
    asked = tuple(random.randint(max(steps), 25) for _ in range(axes))
    upper = Rule(steps, (1,) * axes, tuple(random.choice([40, 40, random.randint(6, 30)]) for _ in range(axes)))
    assert nearest_below(asked, steps, upper) == brute_force(asked, upper, lambda n, m: n <= m)
    lower = Rule(steps, tuple(random.choice([1, 1, random.randint(1, 24)]) for _ in range(axes)), (40,) * axes)
    assert nearest_above(asked, steps, lower) == brute_force(asked, lower, lambda n, m: n >= m)


@pytest.mark.parametrize("seed", range(20))
def test_the_probes_for_large_lengths_are_few(seed: int) -> None:
    random = Random(seed)
    steps = tuple(random.choice([1, 7, 48, lcm(32, 48), 1000]) for _ in range(3))
    asked = tuple(random.randint(10**6, 10**18) for _ in range(3))
    most = tuple(random.choice([LARGEST_LENGTH, random.randint(1000, 10**9)]) for _ in range(3))
    rule = Rule(steps, (1, 1, 1), most)
    expected = tuple(min(n, m) // step * step for n, m, step in zip(asked, most, steps, strict=True))
    assert nearest_below(asked, steps, rule) == expected
    assert rule.probes <= MOST_PROBES
    rule.probes = 0
    nearest_above(asked, steps, rule)
    assert rule.probes <= MOST_PROBES


def test_a_length_that_is_not_refused_stays_as_it_is() -> None:
    assert nearest_below((5, 100_000_000, 7), (1, 1, 1), lambda found: found[1] <= 65_535) == (5, 65_535, 7)
    assert nearest_below((50, 33, 17), (1, 16, 1), lambda found: found[1] % 16 == 0) == (50, 32, 17)
    assert nearest_above((50, 33, 17), (1, 16, 1), lambda found: found[1] % 16 == 0) == (50, 48, 17)


def test_less_than_one_step_becomes_one_step() -> None:
    rule = Rule((16, 16), (1, 1), (1000, 1000))
    assert nearest_below((5, 100_000_000), (16, 16), rule) == (16, 992)


def test_no_size_is_found_if_no_length_is_legal() -> None:
    assert nearest_below((50,), (16,), lambda found: False) is None
    assert nearest_above((50,), (16,), lambda found: False) is None


def test_lengths_with_a_bound_in_common_stay_alike() -> None:
    assert bounded_below((1000, 1000, 10), (1, 1, 1), lambda found: found[0] * found[1] <= 10_100) == (
        100,
        100,
        10,
    )


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
