"""Series are a pure function of the rows, and the table has a line for each row."""

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.measure.results.series import THIS, Origin, Series, SeriesSet
from gui.measure.results.table import COLUMNS, SampleTable, cells
from gui.measure.results.table_tab import TableTab
from gui.measure.words import label, significant
from gui.theming.theme import DARK, LIGHT
from gui.widgets.plot_curves import SYMBOLS
from kernels.bench.sample import Entry, Point, Sample
from kernels.launch import Dim3
from kernels.workload import Size
from tests.gui.measure.samples import rows, sample

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
    # Few times have a point without an interval.
    (found,) = series(sample(100, (1.0, 2.0, 9.0)))
    assert found.gflops.middle == pytest.approx([1.0])  # 2·100³ operations in 2 ms
    assert np.isnan(found.gflops.low[0])
    assert np.isnan(found.gflops.high[0])
    # Points are sorted by n and series keep their order.
    several = series(sample(64, kernel="b"), sample(32, kernel="b"), sample(32, kernel="a"))
    assert [each.entry.kernel for each in several] == ["b", "a"]
    assert list(several[0].n) == [32, 64]
    # A problem that is not square stands where a square one of its work would.
    (found,) = series(Sample(Point(Entry("k"), Size(4, 16, 8)), "measured", (1.0,), flops=1))
    assert list(found.n) == [8.0]


@pytest.mark.parametrize("outcome", ["wrong", "refused", "failed", "overtime", "skipped"])
def test_only_verified_samples_have_figures_and_the_others_keep_their_row(outcome: str) -> None:
    (found,) = series(sample(32), sample(32, (1.0,), outcome=outcome))
    assert not found.timed.any()
    assert np.isnan(found.gflops.middle).all()
    assert [row.sample.outcome for row in found.rows] == [outcome]


def test_series_change_where_a_row_or_a_title_is_new() -> None:
    found = SeriesSet()
    found.add(rows(*(sample(n, kernel=kernel) for n in (8, 16) for kernel in "abc")))
    before = found.series()
    found.add(rows(sample(99, kernel="b")))
    after = found.series()
    assert [old is new for old, new in zip(before, after, strict=True)] == [True, False, True]
    # New titles change the labels.
    found = SeriesSet()
    found.add(rows(sample(8)))
    found.titles = {"k": "Kernel"}
    assert found.series()[0].label == "Kernel, 8×8"


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
    row = dict(zip(COLUMNS, cells(rows(sample(100, (1.0, 2.0, 3.0)))[0], {"k": "Kernel"}), strict=True))
    assert row["kernel"] == "Kernel"
    assert row["n"] == "100"
    assert row["median ms"] == "2.000"
    assert row["GFLOPS"] == "1.000"
    assert row["result"] == "✓"
    # A row without a time says so.
    row = dict(zip(COLUMNS, cells(rows(sample(100, (), outcome="wrong"))[0], {}), strict=True))
    assert (row["median ms"], row["GFLOPS"]) == ("", "")
    assert "wrong" in row["result"]
    # Times with transfers show their parts.
    parts = {"to_device": (1.0, 3.0), "kernel": (5.0,), "to_host": (0.25,)}
    texts = cells(rows(sample(100, (8.25,), parts_ms=parts))[0], {})
    assert texts[-1] == "2.00 + 5.00 + 0.250"
    assert cells(rows(sample(100))[0], {})[-1] == ""


def test_the_table_sorts_and_copies_what_is_shown() -> None:
    table = SampleTable()
    table.add(rows(sample(16, (2.0,)), sample(8, (), outcome="failed"), sample(1024, (1.0,)), sample(64, (10.0,))))

    def column(name: str) -> list[str]:
        place = COLUMNS.index(name)
        return [table.index(row, place).data() for row in range(table.rowCount())]

    table.sort(COLUMNS.index("median ms"))
    assert column("median ms") == ["1.000", "2.000", "10.00", ""]
    table.sort(COLUMNS.index("median ms"), Qt.SortOrder.DescendingOrder)
    table.add(rows(sample(32, (5.0,))))
    assert column("median ms") == ["10.00", "5.000", "2.000", "1.000", ""]
    table.sort(-1)
    assert column("n") == ["16", "8", "1024", "64", "32"]
    # Rows are written again only for a new title of their kernel.
    table, resets = SampleTable(), []
    table.titles = {"k": "Kernel"}
    table.add(rows(sample(16)))
    table.modelReset.connect(lambda: resets.append(table.index(0, COLUMNS.index("kernel")).data()))
    table.titles = {"k": "Kernel", "another": "Another"}
    assert not resets
    table.titles = {"k": "Renamed", "another": "Another"}
    assert resets == ["Renamed"]
    # The clipboard has the columns that are shown.
    table = SampleTable()
    table.add(rows(sample(16, (2.0,)), sample(8)))
    head, first = table.text([0]).split("\n")
    assert head.split("\t") == [COLUMNS[place] for place in table.used_columns]
    assert first.split("\t")[:3] == ["k", "8×8", "16"]
    assert "of peak" not in head


def test_the_table_follows_new_rows_only_while_the_page_measures(qtbot: QtBot) -> None:
    tab = TableTab()
    qtbot.addWidget(tab)
    tab.resize(600, 300)
    tab.show()
    tab.add(rows(*(sample(n) for n in range(1, 101))))
    tab.show_series(())
    bar = tab.view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    assert bar.value() == 0
    tab.set_measuring(True)
    tab.add(rows(sample(101)))
    tab.show_series(())
    assert bar.value() == bar.maximum()
