"""Samples beside the publication: table, curves, claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kernels.experiments import compare, experiments
from kernels.workload import Size
from tests.cases import Cases
from tests.kernels.experiments.conftest import WIDTHS, checked, rated, refused, timed

if TYPE_CHECKING:
    from kernels.bench.store.database import Row
    from tests.kernels.experiments.conftest import Make

CASES = Cases(__file__)

NAIVE = tuple(rated("matmul_naive", width, 128, rate) for width, rate in ((8, 300), (16, 500), (32, 400)))
TILED = tuple(rated("matmul_tiled", width, 128, rate) for width, rate in ((8, 600), (16, 1500), (32, 1200)))

BEST_8 = 'kind = "best"\nseries = [{ kernel = "matmul_naive" }]\npublished = 8'

ROWS: dict[str, tuple[Row, ...]] = {
    "nothing": (),
    "first": NAIVE[:1],
    "naive": NAIVE,
    "both": NAIVE + TILED,
    "refused": (*NAIVE, refused("matmul_naive", 8, 256)),
    "times": (timed("matmul_naive", 8, 64, 1), timed("matmul_naive", 8, 128, 7)),
}


def claim(text: str) -> str:
    return f'{WIDTHS}\n[[claim]]\ntext = "C"\n{text}'


def test_without_samples_there_is_only_theirs(make: Make) -> None:
    found = compare(make(), ())
    assert [(s.label, s.x, s.y, s.ours) for s in found.series] == [
        ("v1, published, an old GPU", (8, 16), (100, 50), False)
    ]
    assert found.table.header == ("GFLOPS by width", "figures", "8", "16")
    assert found.table.rows == (("v1", "published", "100", "50"),)


def test_curves_are_at_the_largest_n_that_all_have(make: Make) -> None:
    found = compare(make(), (*NAIVE, *TILED, rated("matmul_naive", 8, 256, 999)))
    naive, tiled = (series for series in found.series if series.ours)
    assert (naive.label, naive.x, tiled.label) == ("v1", (8, 16, 32), "v2")
    assert naive.y == pytest.approx((300, 500, 400))
    assert tiled.y == pytest.approx((600, 1500, 1200))


def test_a_curve_that_was_not_measured_takes_no_other_off_the_plot(make: Make) -> None:
    (naive,) = (series for series in compare(make(), NAIVE).series if series.ours)
    assert (naive.label, naive.x) == ("v1", (8, 16, 32))


def test_a_sum_is_compared_in_gb_per_s(make: Make) -> None:
    text = WIDTHS.replace("matmul_naive", "reduce_strided").replace("matmul_tiled", "reduce_sequential")
    text = text.replace('"gflops"', '"gb_per_s"').replace('"GFLOPS"', '"GB/s"')
    text += """
[[claim]]
text = "C"
kind = "order"
series = [{ kernel = "reduce_sequential" }, { kernel = "reduce_strided" }]
"""
    size = Size(10**6, 10**6, 10**6)
    rows = (
        timed("reduce_strided", 8, 0, 0.1, size=size),  # 4,000,000 bytes in 0.1 ms
        timed("reduce_sequential", 8, 0, 0.04, size=size),
    )
    found = compare(make(text), rows)
    assert [series.y for series in found.series if series.ours] == [pytest.approx((40,)), pytest.approx((100,))]
    assert (found.claims[0].ours, found.claims[0].verdict) == ("v2 100 > v1 40 GB/s", "agrees")


def test_the_table_has_every_n_and_says_what_became_of_a_point(make: Make) -> None:
    found = compare(make(), (rated("matmul_naive", 8, 64, 120), refused("matmul_naive", 8, 128)))
    assert found.table.header == ("GFLOPS by width", "n", "figures", "8", "16", "spread")
    assert found.table.rows == (
        ("v1", "64", "ours", "120", "–", "0.0 %"),
        ("v1", "128", "ours", "refused", "–", ""),
        ("v1", "", "published", "100", "50", ""),
    )
    assert found.troubles == ("matmul_naive 8×8, size 128: too large",)
    assert found.device == "NVIDIA H200"


def test_a_curve_that_leaves_the_width_open_takes_the_best_and_says_which(make: Make) -> None:
    text = WIDTHS.replace('name = "width"', 'name = "n"').replace(', n = "largest"', "")
    (row, *_) = compare(make(text), NAIVE).table.rows
    assert row == ("v1", "ours", "–", "–", "500 (width 16)", "0.0 %")


@pytest.mark.parametrize(("text", "rows", "published", "ours", "verdict"), CASES("claims"))
def test_claims(make: Make, text: str, rows: str, published: str, ours: str, verdict: str) -> None:
    (found,) = compare(make(claim(text)), ROWS[rows]).claims
    assert (found.published, found.ours, found.verdict) == (published, ours, verdict)


def test_of_errors_the_largest_counts(make: Make) -> None:
    text = claim('kind = "value"\nfigure = "l2"\npublished = 0\nseries = [{ kernel = "matmul_naive" }]')
    rows = [checked("matmul_naive", n, l2) for n, l2 in ((10, 0.0), (20, 0.25), (30, 0.0))]
    (found,) = compare(make(text), rows).claims
    assert (found.ours, found.verdict) == ("0.25", "differs")


def test_the_latest_sample_of_a_point_counts(make: Make) -> None:
    text = claim('kind = "value"\npublished = 500\nseries = [{ kernel = "matmul_naive", width = 16 }]')
    (found,) = compare(make(text), (rated("matmul_naive", 16, 128, 900), *NAIVE)).claims
    assert found.verdict == "agrees"


def test_an_axis_of_words_counts_through_its_ticks(make: Make) -> None:
    text = """
[x]
name = "size"
title = "M×N×K"
[y]
name = "gflops"
title = "GFLOPS"
[[run]]
kernels = ["matmul_tiled"]
widths = [32]
sizes.quick = ["4,2,4", "5,3,5"]
[[curve]]
label = "v2"
where = { kernel = "matmul_tiled" }
"""
    size = Size(5, 3, 5)
    found = compare(make(text), [timed("matmul_tiled", 32, 0, 1e-6, size=size)])
    assert found.ticks == ("4×2×4", "5×3×5")
    (ours,) = found.series
    assert ours.x == (1.0,)
    assert ours.y == pytest.approx((150,))
    assert found.table.header == ("GFLOPS by M×N×K", "4×2×4", "5×3×5", "spread")
    assert found.table.rows == (("v2", "–", "150", "0.0 %"),)


@pytest.mark.parametrize("experiment", experiments(), ids=lambda e: e.id)
def test_every_shipped_one_can_be_shown_before_it_was_run(experiment) -> None:  # type: ignore[no-untyped-def]
    found = compare(experiment, ())
    assert {c.verdict for c in found.claims} <= {"not measured"}
    assert all(len(row) == len(found.table.header) for row in found.table.rows)


@pytest.mark.parametrize(
    ("rates", "verdict"),
    [
        ({4: 100, 8: 200}, "differs"),
        ({4: 200, 8: 100}, "agrees"),
        ({8: 100, 16: 200}, "measured"),
        ({8: 1}, "not measured"),
    ],
)
def test_more_resident_warps_are_not_always_faster(make: Make, rates: dict[int, float], verdict: str) -> None:
    """On an H200 blocks of 4×4 fill half of the warp slots, 8×8 and larger all."""
    rows = [rated("matmul_tiled_dynamic", width, 128, rate) for width, rate in rates.items()]
    found = compare(make(CASES.text("occupancy.toml")), rows)
    assert found.claims[0].verdict == verdict
    if 4 in rates:
        assert f"width 4: 50%, {rates[4]} · width 8: 100%, {rates[8]} GFLOPS" in found.claims[0].ours
    assert any("1,024" in line for line in found.derivation)
