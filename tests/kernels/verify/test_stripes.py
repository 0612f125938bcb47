"""The published L2 sums of the stripe versions, recomputed."""

from __future__ import annotations

import numpy as np
import pytest

from kernels.bench.measure.point import measure
from kernels.bench.plan import Plan
from kernels.bench.sample import Entry, Point
from kernels.fill import Fills
from kernels.launch import Dim3
from kernels.workload import Size
from tests.kernels.verify.stripes import difference

EXACT = 2**24
WIDTHS = (2, 4, 8, 16, 32)


@pytest.mark.parametrize("n", [10, 20, 28])
def test_while_every_sum_is_exact_no_order_matters(n: int) -> None:
    assert difference(n, 8).largest <= EXACT
    assert [difference(n, width).l2 for width in WIDTHS] == [0] * len(WIDTHS)


@pytest.mark.parametrize(("n", "published"), [(30, 0.015), (50, 0.220), (100, 3.495)])
def test_up_to_100_the_published_figures_are_of_the_size_of_the_root_over_n_squared(n: int, published: float) -> None:
    scaled = [difference(n, width).scaled for width in WIDTHS if width < n]
    assert min(scaled) / 1.6 < published < max(scaled) * 1.6
    assert min(difference(n, width).l2 for width in WIDTHS if width < n) > 50 * published


def test_the_first_difference_is_where_float32_is_no_longer_exact() -> None:
    first = difference(29, 8)
    assert first.largest > EXACT
    assert (first.spacing, first.elements, first.l2) == (2, 3, 12)


def test_at_500_one_step_of_one_element_is_more_than_all_that_was_published() -> None:
    found = difference(500, 8)
    assert found.spacing == 2**21
    assert found.spacing**2 > 1e10 * 46.389
    assert found.elements > 150_000
    assert found.l2 == pytest.approx(1.5e18, rel=0.1)
    assert found.scaled == pytest.approx(4.9e3, rel=0.1)


def test_the_order_of_the_atomics_alone_changes_the_result_a_little() -> None:
    forward, backward = difference(100, 8), difference(100, 8, range(12, -1, -1))
    assert forward.l2 != backward.l2
    assert forward.l2 == pytest.approx(backward.l2, rel=0.05)


@pytest.mark.parametrize("kernel", ["mmt_stripe", "mmt_stripe_transposed"])
@pytest.mark.parametrize("n", [20, 30, 50])
def test_the_kernels_differ_as_the_sums_do(kernel: str, n: int) -> None:
    plan = Plan((), fill=Fills.parse("iota"), fmad=False, task="simulate")
    sample = measure(Point(Entry(kernel, Dim3(8, 8)), Size(n, n, n)), plan, "")
    assert sample.checks is not None
    assert sample.checks.correct, sample.error
    found = difference(n, 8)
    np.testing.assert_allclose(sample.checks.l2, found.l2, rtol=0.2)  # the blocks come in an order of their own
    assert (sample.checks.l2 == 0) == (n <= 28)
