"""Exports: a drawing, a picture and a report of the runs that are shown, and their samples."""

import math
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.measure.figures.chart import Chart, Roof
from gui.measure.figures.rate import RateFigures
from gui.measure.page import BenchmarkPage
from gui.measure.report.chart_svg import ASTERISK, DISTURBED, SYMBOLS, chart_svg
from gui.measure.report.export import FORMATS
from gui.measure.report.ticks import number, places, ticks
from gui.measure.series import Origin, SeriesSet
from gui.selection.session import Session
from gui.widgets import plot_curves
from kernels.bench.measure.conditions import Conditions
from kernels.bench.store.csv_file import CsvReader
from kernels.bench.store.database import Row
from kernels.bench.store.run_file import RunFileReader
from tests.gui.measure.samples import sample

SVG = "{http://www.w3.org/2000/svg}"


OTHER = Origin("history", "before & after <the edit>")


ROWS = tuple(Row(1, sample(n, times_ms=(n / 100.0,) * 8), None) for n in (100, 200, 400))


SLOW = tuple(Row(2, sample(n, times_ms=(n / 50.0,) * 8), None) for n in (100, 200))


REFUSED = Row(1, sample(800, (), outcome="refused", error="too many <threads>"), None)


def chart_of(*rows: Row, other: tuple[Row, ...] = ()) -> Chart:
    series = SeriesSet()
    series.add(rows)
    series.add(other, OTHER)
    return RateFigures().chart(series.series())


def curves(svg: str) -> list[list[tuple[float, float]]]:
    """Corners of all curves."""
    lines = [line.get("points", "").split() for line in ElementTree.fromstring(svg).iter(f"{SVG}polyline")]
    return [[(float(x), float(y)) for x, y in (pair.split(",") for pair in line)] for line in lines]


def words(svg: str) -> set[str]:
    return {text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text")}


def test_a_disturbed_point_has_an_asterisk_that_the_legend_explains() -> None:
    throttled = Conditions(throttle_reasons=("SW power cap",))
    chart = chart_of(*ROWS[:2], replace(ROWS[2], sample=replace(ROWS[2].sample, conditions=throttled)))
    assert chart.curves[0].series.marked.tolist() == [False, False, True]
    assert {ASTERISK, DISTURBED} <= words(chart_svg(chart, log_x=False, log_y=False))
    assert not {ASTERISK, DISTURBED} & words(chart_svg(chart_of(*ROWS), log_x=False, log_y=False))


def test_a_drawing_has_every_point_at_its_place_and_says_what_is_absent() -> None:
    svg = chart_svg(chart_of(*ROWS, other=SLOW), log_x=True, log_y=False, title="GFLOPS")
    fast, slow = curves(svg)
    assert fast[1][0] - fast[0][0] == pytest.approx(
        fast[2][0] - fast[1][0], abs=0.2
    )  # doubling n on a logarithmic axis
    rates = [row.sample.gflops or 0.0 for row in ROWS]
    zero = fast[0][1] + (fast[0][1] - fast[1][1]) / (rates[1] - rates[0]) * rates[0]
    for (_, y), rate in zip(fast, rates, strict=True):
        assert (zero - y) / (zero - fast[0][1]) == pytest.approx(rate / rates[0], rel=0.02)
    assert [x for x, _ in slow] == [x for x, _ in fast[:2]]
    assert {"100", "200", "400", "n", "GFLOPS", "k, 8×8", "this run", OTHER.name} <= words(svg)
    # A drawing marks what is absent with the reason.
    refused = Row(1, sample(200, (), outcome="refused", error="a <reason>"), None)
    svg = chart_svg(chart_of(*ROWS, refused), log_x=False, log_y=True)
    titles = [title.text or "" for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert len(titles) == 3  # of two samples of one point the later counts
    assert any("a <reason>" in title for title in titles)
    assert any("GFLOPS" in title for title in titles)
    # A drawing without points says so.
    svg = chart_svg(chart_of(), log_x=True, log_y=True)
    assert any("No point is measured yet" in text for text in words(svg))
    ElementTree.fromstring(chart_svg(chart_of(ROWS[0]), log_x=True, log_y=True))


def test_roofs_are_drawn_inside_the_plot_or_named_above_it() -> None:
    rate = max(row.sample.gflops or 0.0 for row in ROWS)
    memory = Roof("memory", (1.0, 1000.0), (0.0, 5.0 * rate))
    chart = replace(chart_of(*ROWS), roofs=(Roof("peak", (), (1.5 * rate,)), memory, Roof("far", (), (100 * rate,))))
    svg = ElementTree.fromstring(chart_svg(chart, log_x=False, log_y=False))
    labels = {text.text: float(text.get("y", "")) for text in svg.iter(f"{SVG}text")}
    assert {"peak", "memory", "↑ far"} <= labels.keys()
    heights = sorted(labels[name] for name in ("peak", "memory", "↑ far"))
    assert min(high - low for low, high in pairwise(heights)) >= 15
    paths = [path.get("d", "").replace("M", "").replace("L", " ").split() for path in svg.iter(f"{SVG}path")]
    assert all(float(path[1]) > 0 for path in paths if len(path) == 4)


def test_marks_are_those_of_the_window() -> None:
    assert SYMBOLS == plot_curves.SYMBOLS


@pytest.mark.parametrize(
    ("low", "high", "log", "found"),
    [
        (0.0, 1.0, False, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        (0.0, 47_000.0, False, (0.0, 10_000.0, 20_000.0, 30_000.0, 40_000.0)),
        (3.0, 40.0, True, (5.0, 10.0, 20.0)),
        (1.0, 1e9, True, tuple(10.0**n for n in range(0, 10, 2))),
        (5.0, 5.0, False, (5.0,)),
    ],
)
def test_ticks_are_round_and_few(low: float, high: float, log: bool, found: tuple[float, ...]) -> None:
    assert ticks(low, high, log=log) == pytest.approx(found)


def test_measured_sizes_are_ticks_where_they_fit() -> None:
    sizes = [256.0, 512.0, 1000.0, 1024.0, 2048.0]
    assert places(sizes, low=200, high=3000, log=True) == (256, 512, 1024, 2048)
    assert len(places([float(n) for n in range(100)], low=0, high=100, log=False)) <= 11
    assert [number(value) for value in (0, 0.25, 1024, 40_000, 1e-6)] == ["0", "0.25", "1,024", "40,000", "1e-6"]


class _Page(HTMLParser):
    """Checks that every element of a page is closed, and collects its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.rows = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {name for name, value in attrs if name in ("src", "href") and value}, "it needs no other file"
        if tag != "meta":
            self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def write(qtbot: QtBot, page: BenchmarkPage, path: Path) -> str:
    said: list[str] = []
    page.exporter.said.connect(lambda words, _wrong: said.append(words))
    page.exporter.write(path)
    qtbot.waitUntil(lambda: not page.exporter.busy, timeout=60_000)
    return said[-1]


@pytest.fixture
def page(qtbot: QtBot, session: Session, tmp_path: Path) -> BenchmarkPage:
    from gui.measure.page import BenchmarkPage

    session.set_devices((), "this is a test")
    made = BenchmarkPage(session, tmp_path / "samples.sqlite3")
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: not made.run.history.loading and not made.runs.busy)
    for row in (*ROWS, REFUSED):
        made.run._run.sample_arrived.emit(row.sample)
    made.overlay(SLOW, OTHER)
    qtbot.waitUntil(lambda: not made._redraw.isActive())
    return made


def test_a_report_is_written_in_every_format_or_says_why_not(qtbot: QtBot, page: BenchmarkPage, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    assert write(qtbot, page, path) == f"Written to {path}"
    text = path.read_text(encoding="utf-8")
    read = _Page(text)
    assert read.open == []
    assert text.count("<svg") >= 2
    assert {"Rate", "Time"} <= set(read.words)
    assert "too many <threads>" in " ".join(read.words)
    assert read.rows == 1 + len(ROWS) + 1
    assert "Only results that match a float64 reference" in " ".join(read.words)
    assert "@media print" in text
    # Pictures and samples are written in every format.
    for suffix in FORMATS:
        assert write(qtbot, page, tmp_path / f"out.{suffix}") == f"Written to {tmp_path / f'out.{suffix}'}"
    image = QImage(str(tmp_path / "out.png"))
    assert image.width() == 2000
    assert len({image.pixel(x, 300) for x in range(image.width())}) > 3
    assert len(curves((tmp_path / "out.svg").read_text(encoding="utf-8"))) == 2
    samples = [*(row.sample for row in ROWS), REFUSED.sample]
    for reader in (CsvReader(tmp_path / "out.csv"), RunFileReader(tmp_path / "out.jsonl")):
        assert [row.sample for row in reader] == samples
    # An export that cannot be written says why.
    assert "choose a name that ends in one of .png, .svg, .html, .csv, .jsonl" in write(qtbot, page, tmp_path / "a.doc")
    assert "cannot be written" in write(qtbot, page, tmp_path / "no folder" / "a.html")
    assert page.lines.status.text().startswith("⚠")


def test_every_number_at_a_tick_is_finite() -> None:
    assert all(math.isfinite(value) for value in ticks(1e-12, 1e12, log=True))
