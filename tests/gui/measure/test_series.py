"""Series are a pure function of the rows, whatever the order in which these come, and keep what has not changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gui.measure.results.series import THIS, Origin, SeriesSet
from kernels.bench.sample import Entry, Point, Sample
from kernels.workload import Size
from tests.gui.measure.samples import rows, sample

if TYPE_CHECKING:
    from gui.measure.results.series import Series

SHIPPED = Origin("shipped", "H200, shipped")
TIMES = tuple(1.0 + 0.01 * place for place in range(31))


def series(*samples: Sample) -> tuple[Series, ...]:
    found = SeriesSet()
    found.add(rows(*samples))
    return found.series()


def test_a_point_has_the_figures_of_its_sample() -> None:
    taken = sample(100, TIMES)
    (found,) = series(taken)
    interval = taken.interval
    assert interval is not None
    assert (found.time_ms.middle[0], found.time_ms.low[0], found.time_ms.high[0]) == (
        interval.middle,
        interval.low,
        interval.high,
    )
    assert found.gflops.middle[0] == pytest.approx(taken.gflops)
    assert found.gflops.low[0] < found.gflops.middle[0] < found.gflops.high[0]


def test_few_times_have_a_point_without_an_interval() -> None:
    (found,) = series(sample(100, (1.0, 2.0, 9.0)))
    assert found.gflops.middle == pytest.approx([1.0])  # 2·100³ operations in 2 ms
    assert np.isnan(found.gflops.low[0])
    assert np.isnan(found.gflops.high[0])


@pytest.mark.parametrize("outcome", ["wrong", "refused", "failed", "overtime", "skipped"])
def test_only_verified_samples_have_figures_and_the_others_keep_their_row(outcome: str) -> None:
    (found,) = series(sample(32), sample(32, (1.0,), outcome=outcome))
    assert not found.timed.any()
    assert np.isnan(found.gflops.middle).all()
    assert [row.sample.outcome for row in found.rows] == [outcome]


def test_points_are_sorted_by_n_and_series_keep_their_order() -> None:
    found = series(sample(64, kernel="b"), sample(32, kernel="b"), sample(32, kernel="a"))
    assert [each.entry.kernel for each in found] == ["b", "a"]
    assert list(found[0].n) == [32, 64]


def test_a_problem_that_is_not_square_stands_where_a_square_one_of_its_work_would() -> None:
    (found,) = series(Sample(Point(Entry("k"), Size(4, 16, 8)), "measured", (1.0,), flops=1))
    assert list(found.n) == [8.0]


def test_a_new_row_changes_one_series_only() -> None:
    found = SeriesSet()
    found.add(rows(*(sample(n, kernel=kernel) for n in (8, 16) for kernel in "abc")))
    before = found.series()
    found.add(rows(sample(99, kernel="b")))
    after = found.series()
    assert [old is new for old, new in zip(before, after, strict=True)] == [True, False, True]


def test_an_overlaid_run_shares_colour_and_mark_and_differs_in_the_line() -> None:
    found = SeriesSet()
    found.add(rows(sample(8, kernel="b")), SHIPPED)
    found.add(rows(sample(8, kernel="a"), sample(8, kernel="b")))
    mine_b, mine_a, theirs = sorted(found.series(), key=lambda each: (each.dash, each.entry.kernel != "b"))
    assert (mine_b.place, mine_b.dash) == (theirs.place, 0)
    assert theirs.dash > 0
    assert mine_a.place != mine_b.place
    assert mine_b.name == "b, 8×8"
    assert theirs.name == "b, 8×8 (H200, shipped)"
    found.remove(THIS)
    assert [(each.origin, each.place) for each in found.series()] == [(SHIPPED, theirs.place)]


def test_new_titles_change_the_labels() -> None:
    found = SeriesSet()
    found.add(rows(sample(8)))
    found.titles = {"k": "Kernel"}
    assert found.series()[0].label == "Kernel, 8×8"
