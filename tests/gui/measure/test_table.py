from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt

from gui.measure.results.table import COLUMNS, SampleTable, cells
from gui.measure.results.table_tab import TableTab
from gui.measure.words import label, significant
from gui.theming.theme import DARK, LIGHT
from gui.widgets.plot_curves import SYMBOLS
from kernels.bench.sample import Entry
from kernels.launch import Dim3
from tests.gui.measure.samples import rows, sample

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


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


def test_a_row_without_a_time_says_so() -> None:
    row = dict(zip(COLUMNS, cells(rows(sample(100, (), outcome="wrong"))[0], {}), strict=True))
    assert (row["median ms"], row["GFLOPS"]) == ("", "")
    assert "wrong" in row["result"]


def test_times_with_transfers_show_their_parts() -> None:
    parts = {"to_device": (1.0, 3.0), "kernel": (5.0,), "to_host": (0.25,)}
    row = cells(rows(sample(100, (8.25,), parts_ms=parts))[0], {})
    assert row[-1] == "2.00 + 5.00 + 0.250"
    assert cells(rows(sample(100))[0], {})[-1] == ""


def test_a_click_on_a_heading_sorts_by_value_with_empty_cells_last_and_new_rows_in_their_place() -> None:
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


def test_rows_are_written_again_only_for_a_new_title_of_their_kernel() -> None:
    table, resets = SampleTable(), []
    table.titles = {"k": "Kernel"}
    table.add(rows(sample(16)))
    table.modelReset.connect(lambda: resets.append(table.index(0, COLUMNS.index("kernel")).data()))
    table.titles = {"k": "Kernel", "another": "Another"}
    assert not resets
    table.titles = {"k": "Renamed", "another": "Another"}
    assert resets == ["Renamed"]


def test_the_clipboard_has_the_columns_that_are_shown() -> None:
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
