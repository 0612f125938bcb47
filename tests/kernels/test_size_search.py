"""The nearest legal lengths: as brute force finds them among small ones, and within few probes among large ones."""

from __future__ import annotations

from itertools import product
from math import lcm
from random import Random
from typing import TYPE_CHECKING

import pytest

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
