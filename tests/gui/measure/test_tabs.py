"""Tabs: counting that yields to a measurement and can be stopped, choices of the user, empty tabs, other runs."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.measure.results import chart_tab
from gui.measure.results import tabs as results
from gui.measure.results.chart_tabs import RooflineTab, SpeedUpTab
from gui.measure.results.series import Origin
from gui.measure.results.tabs import CHARTS, ResultTabs
from kernels.bench.sample import Entry, Point, Sample
from kernels.bench.shipped_traffic import shipped_traffic
from kernels.bench.store.database import Row
from kernels.bench.traffic import TrafficKey, count_traffic
from kernels.catalog import find_kernel
from kernels.launch import Dim3
from kernels.workload import Size
from tests.bench.invented_run import ENVIRONMENT
from tests.gui.widgets.event_counter import Counter

NAIVE = Entry("matmul_naive", Dim3(8, 8))


TIMES = tuple(1.0 + 0.001 * place for place in range(31))


SIZE = Size(32, 32, 32)


def row(entry: Entry, size: Size = SIZE, times_ms: tuple[float, ...] = TIMES, **fields: Any) -> Row:
    given = {"outcome": "measured", "flops": 2 * size.m * size.n * size.k, "times_ms": times_ms, **fields}
    return Row(1, Sample(Point(entry, size), **given), ENVIRONMENT)


@pytest.fixture
def tabs(qtbot: QtBot) -> Iterator[ResultTabs]:
    made = ResultTabs()
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    yield made
    made.stop_work()


def roofline(tabs: ResultTabs) -> RooflineTab:
    return cast("RooflineTab", tabs.chart_tab("Roofline"))


def test_traffic_is_counted_after_the_measurement_and_drawn(qtbot: QtBot, tabs: ResultTabs) -> None:
    tabs.set_measuring(True)
    tabs.add([row(NAIVE)])
    tabs.show_tab("Roofline")
    tabs.draw()
    tab = roofline(tabs)
    assert tab.progress.text() == "counted later"
    assert not tab.plot.lines
    tabs.set_measuring(False)
    qtbot.waitUntil(lambda: bool(tab.plot.lines))
    expected = count_traffic(find_kernel("matmul_naive"), Dim3(8, 8), SIZE).intensity
    assert tab.plot.lines[0].x.tolist() == [expected]
    assert tab.progress.text() == ""


def test_traffic_that_the_chart_has_already_is_not_drawn_again(qtbot: QtBot, tabs: ResultTabs) -> None:
    tabs.add([row(NAIVE)])
    tabs.show_tab("Roofline")
    tabs.draw()
    tab = roofline(tabs)
    qtbot.waitUntil(lambda: tab.traffic.version == 1)
    tabs.add([row(Entry("cublas_sgemm"))])
    with Counter(type(tab), "redraw") as redrawn:
        tabs.draw()
        qtbot.waitUntil(lambda: not tab.busy)
    assert redrawn.calls == 1


def test_launches_whose_traffic_ships_are_drawn_without_counting(tabs: ResultTabs) -> None:
    key = TrafficKey("matmul_naive", Dim3(16, 16), SIZE)
    known = shipped_traffic(key)
    assert known is not None
    tabs.add([row(Entry(key.kernel, key.block))])
    tabs.show_tab("Roofline")
    tabs.draw()
    tab = roofline(tabs)
    assert tab.plot.lines[0].x.tolist() == [known.intensity]
    assert not tab.busy


def test_curves_that_cannot_be_told_apart_are_named(tabs: ResultTabs) -> None:
    sizes = [Size(n, n, n) for n in (32, 64)]
    alike, other = Entry("matmul_tiled", Dim3(8, 8)), Entry("matmul_tiled", Dim3(16, 16))
    tabs.add([row(entry, size) for size in sizes for entry in (NAIVE, alike)])
    tabs.add([row(other, size, tuple(2 * time for time in TIMES)) for size in sizes])
    tabs.draw()
    names = [line.title for line in tabs.gflops.plot.lines]
    assert tabs.gflops.notes.whole.startswith(
        f"Less than 2 % apart, and drawn as one curve: “{names[1]}” on “{names[0]}”."
    )
    legend = tabs.gflops.plot.legend
    legend.rows.setData(legend.rows.index(0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert "apart" not in tabs.gflops.notes.whole


def test_counting_can_be_stopped_and_goes_on(qtbot: QtBot, tabs: ResultTabs) -> None:
    tabs.show_tab("Roofline")
    tab = roofline(tabs)
    tab.traffic.pause(True)  # so that it does not end before the click
    tabs.add([row(NAIVE)])
    tabs.draw()
    qtbot.waitUntil(tab.stop.isVisible)
    qtbot.mouseClick(tab.stop, Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]
    assert tab.progress.text() == "1 to count"
    qtbot.mouseClick(tab.stop, Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]
    qtbot.waitUntil(lambda: bool(tab.plot.lines))
    assert not tab.stop.isVisible()


def test_the_baseline_of_speed_ups_can_be_chosen(tabs: ResultTabs) -> None:
    tabs.add(
        [row(NAIVE), row(Entry("cublas_sgemm")), row(Entry("cpu_sequential"), times_ms=tuple(9 * t for t in TIMES))]
    )
    tabs.show_tab("Speed-up")
    tab = tabs.chart_tab("Speed-up")
    assert isinstance(tab, SpeedUpTab)
    assert tab.against.currentText() == "the library"
    tab.against.setCurrentIndex(tab.against.findData("sequential"))
    tab.against.activated.emit(tab.against.currentIndex())
    naive = next(line for line in tab.plot.lines if "matmul_naive" in line.name)
    assert naive.y.tolist() == pytest.approx([9.0])


def test_figures_of_many_series_are_computed_in_several_turns(
    qtbot: QtBot, tabs: ResultTabs, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Time passes with every look at the clock.
    monkeypatch.setattr(chart_tab, "thread_time", iter(range(10**6)).__next__)
    monkeypatch.setattr(results, "_TURN_S", 2.5)
    tabs.add([row(Entry("matmul_naive", Dim3(8, side)), baseline="cublas_sgemm", baseline_ms=TIMES) for side in (1, 2)])
    tabs.show_tab("Speed-up")
    assert tabs.busy
    assert not tabs.chart_tab("Speed-up").plot.lines
    qtbot.waitUntil(lambda: len(tabs.chart_tab("Speed-up").plot.lines) == 2)
    assert not tabs.busy


@pytest.mark.parametrize("title", CHARTS)
def test_an_empty_tab_says_what_to_do_and_every_tab_what_it_shows(qtbot: QtBot, tabs: ResultTabs, title: str) -> None:
    tabs.show_tab(title)
    tabs.draw()
    tab = tabs.chart_tab(title)
    qtbot.waitUntil(tab.placeholder.isVisible)
    assert tab.placeholder.text().endswith(".")
    assert tab.caption.endswith(".")
    tabs.add([row(NAIVE, conditions=None, outcome="failed", times_ms=(), error="an illegal address")])
    tabs.draw()
    if title in ("Rate", "Time"):
        assert not tab.placeholder.isVisible()
        assert len(tab.plot.absent.points.x) == 1


def test_another_run_shares_the_entry_of_the_legend_and_has_its_own_line(tabs: ResultTabs) -> None:
    tabs.add([row(NAIVE)])
    tabs.add([row(NAIVE)], Origin("shipped", "H100, recorded"))
    tabs.draw()
    plot = tabs.gflops.plot
    assert [stroke.dash for stroke in plot.curves.strokes] == [0, 1]
    assert len({stroke.color for stroke in plot.curves.strokes}) == 1
    assert len({line.title for line in plot.lines}) == 1
    assert "H100, recorded" in tabs.gflops.run_key.accessibleName()
    assert np.isfinite(plot.curves.points.y).all()
