from __future__ import annotations

from typing import Any

import pytest

from gui.measure.curves import curves, label
from gui.measure.table import COLUMNS, PARTS_COLUMN, cells, significant
from gui.theming.theme import DARK, LIGHT
from gui.widgets.plot_curves import SYMBOLS
from kernels.bench.sample import Entry, Point, Sample
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.measure.samples import sample


def test_rate_is_that_of_the_median_time() -> None:
    (curve,) = curves([sample(100, (1.0, 2.0, 9.0))])
    assert curve.gflops == pytest.approx([1.0])  # 2·100³ operations in 2 ms
    assert curve.low[0] < curve.gflops[0] < curve.high[0]


def test_points_are_sorted_by_n_and_curves_keep_their_order() -> None:
    found = curves([sample(64, kernel="b"), sample(32, kernel="b"), sample(32, kernel="a")])
    assert [curve.entry.kernel for curve in found] == ["b", "a"]
    assert list(found[0].n) == [32, 64]


@pytest.mark.parametrize("outcome", ["wrong", "refused", "failed", "overtime"])
def test_only_verified_samples_have_a_point(outcome: str) -> None:
    (curve,) = curves([sample(32, (), outcome=outcome)])
    assert len(curve.n) == 0


def test_a_later_failure_takes_an_earlier_point_away() -> None:
    (curve,) = curves([sample(32), sample(32, (), outcome="failed")])
    assert len(curve.n) == 0


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_first_hundred_curves_differ_in_colour_or_mark(theme: Any) -> None:
    made = {(theme.series[i % len(theme.series)], SYMBOLS[i % len(SYMBOLS)]) for i in range(100)}
    assert len(made) == 100


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (Entry("a", Dim3(8, 8)), "Title A, 8×8"),
        (Entry("a", threads=2), "Title A, 2 threads"),
        (Entry("a", threads=1), "Title A, 1 thread"),
        (Entry("a"), "Title A"),
        (Entry("a", Dim3(8, 8), memory="pinned"), "Title A, 8×8, transfers (pinned)"),
        (Entry("/gone/away/mine.cu", Dim3(4, 4)), "mine, 4×4"),
    ],
)
def test_names_in_the_legend(entry: Entry, words: str) -> None:
    assert label(entry, {"a": "Title A"}) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0.0, "0"),
        (0.00123456, "0.001235"),
        (1.0, "1.000"),
        (12.3456, "12.35"),
        (99999.0, "100,000"),
        (51204.4, "51,200"),
    ],
)
def test_numbers_have_four_significant_digits(value: float | None, text: str) -> None:
    assert significant(value) == text


def test_a_row_of_the_table() -> None:
    row = dict(zip(COLUMNS, cells(sample(100, (1.0, 2.0, 3.0)), {"k": "Kernel"}), strict=True))
    assert row["kernel"] == "Kernel"
    assert row["n"] == "100"
    assert row["median ms"] == "2.000"
    assert row["GFLOPS"] == "1.000"
    assert row["result"] == "✓"


def test_a_row_without_a_time_says_so() -> None:
    row = dict(zip(COLUMNS, cells(sample(100, (), outcome="wrong"), {}), strict=True))
    assert (row["median ms"], row["GFLOPS"]) == ("", "")
    assert "wrong" in row["result"]


def test_times_with_transfers_show_their_parts() -> None:
    parts = {"to_device": (1.0, 3.0), "kernel": (5.0,), "to_host": (0.25,)}
    row = cells(sample(100, (8.25,), parts_ms=parts), {})
    assert row[PARTS_COLUMN] == "2.00 + 5.00 + 0.250"
    assert cells(sample(100), {})[PARTS_COLUMN] == ""


def test_a_problem_that_is_not_square_stands_where_a_square_one_of_its_work_would() -> None:
    odd = Sample(Point(Entry("k"), Size(4, 16, 8)), "measured", (1.0,), flops=1)
    (curve,) = curves([odd])
    assert list(curve.n) == [8.0]
