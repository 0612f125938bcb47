from __future__ import annotations

from itertools import pairwise

import pytest

from kernels.bench.sizes import SizeRule, coarse_to_fine, sizes_of
from kernels.workload import Size
from tests.cases import Cases

CASES = Cases(__file__)


@pytest.mark.parametrize(("rule", "first", "last", "numbers"), CASES("numbers_of_a_rule"))
def test_numbers_of_a_rule(rule: SizeRule, first: int, last: int, numbers: list[int]) -> None:
    assert sizes_of(rule, first, last, 100) == tuple(Size(n, n, n) for n in numbers)


@pytest.mark.parametrize("count", [*range(12), 31, 32, 33, 200])
def test_an_order_has_every_size_once_and_spans_the_range_early(count: int) -> None:
    sizes = sizes_of("steps", 1, count)
    order = coarse_to_fine([*sizes, *sizes])
    assert sorted(size.n for size in order) == list(range(1, count + 1))
    if count > 5:
        early = sorted(size.n for size in order[: 2 + count // 4])
        assert (early[0], early[-1]) == (1, count)
        assert max(b - a for a, b in pairwise(early)) <= count / 2 + 1


def test_nine_sizes_start_with_ends_middle_and_quarters() -> None:
    assert [size.n for size in coarse_to_fine(sizes_of("steps", 1, 9))] == [1, 9, 5, 3, 7, 2, 4, 6, 8]


def test_a_few_sizes_keep_their_order() -> None:
    sizes = sizes_of("doubling", 64, 1024)
    assert coarse_to_fine(sizes) == sizes
