"""Exports: a drawing, a picture and a report of the runs that are shown, and their samples."""

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.measure.page import BenchmarkPage
from gui.measure.results.chart import Chart, ChartCurve
from gui.measure.results.chart_picture import ChartPainter
from gui.measure.results.export import FORMATS
from gui.measure.results.rate import RateFigures
from gui.measure.results.series import Origin, SeriesSet
from gui.selection.session import Session
from gui.widgets.plot_legend import ASTERISK
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


def drawn(chart: Chart, log_x: bool = False, log_y: bool = False) -> str:
    return ChartPainter(chart, (log_x, log_y), "GFLOPS").drawing().text()


def marks(svg: str) -> dict[str, list[tuple[float, float]]]:
    """Centres of the marks, by the first line of their tooltips."""
    found: dict[str, list[tuple[float, float]]] = {}
    for circle in ElementTree.fromstring(svg).iter(f"{SVG}circle"):
        title = circle.find(f"{SVG}title")
        if title is not None:
            name = (title.text or "").partition("\n")[0]
            found.setdefault(name, []).append((float(circle.get("cx", "")), float(circle.get("cy", ""))))
    return found


def words(svg: str) -> set[str]:
    return {word for text in ElementTree.fromstring(svg).iter(f"{SVG}text") for word in (text.text or "").split()}


@pytest.mark.usefixtures("qapp")
def test_a_disturbed_point_has_an_asterisk_that_the_legend_explains() -> None:
    throttled = Conditions(throttle_reasons=("SW power cap",))
    chart = chart_of(*ROWS[:2], replace(ROWS[2], sample=replace(ROWS[2].sample, conditions=throttled)))
    assert chart.curves[0].series.marked.tolist() == [False, False, True]
    assert set(ASTERISK.split()) <= words(drawn(chart))
    assert ASTERISK[0] not in words(drawn(chart_of(*ROWS)))


@pytest.mark.usefixtures("qapp")
def test_a_drawing_has_every_point_at_its_place() -> None:
    svg = drawn(chart_of(*ROWS, other=SLOW), log_x=True)
    fast, slow = marks(svg).values()
    assert fast[1][0] - fast[0][0] == pytest.approx(
        fast[2][0] - fast[1][0], abs=0.2
    )  # doubling n on a logarithmic axis
    rates = [row.sample.gflops or 0.0 for row in ROWS]
    zero = fast[0][1] + (fast[0][1] - fast[1][1]) / (rates[1] - rates[0]) * rates[0]
    for (_, y), rate in zip(fast, rates, strict=True):
        assert (zero - y) / (zero - fast[0][1]) == pytest.approx(rate / rates[0], rel=0.02)
    assert [x for x, _ in slow] == [x for x, _ in fast[:2]]
    assert {"100", "200", "400", "n", "GFLOPS", "8×8", "this", "run", *OTHER.name.split()} <= words(svg)
    assert "<image" not in svg  # it can be scaled


@pytest.mark.usefixtures("qapp")
def test_a_drawing_marks_what_is_absent_with_the_reason() -> None:
    refused = Row(1, sample(200, (), outcome="refused", error="a <reason>"), None)
    svg = drawn(chart_of(*ROWS, refused), log_y=True)
    titles = [title.text or "" for title in ElementTree.fromstring(svg).iter(f"{SVG}title")]
    assert titles[0] == "GFLOPS"
    assert len(titles) == 1 + 3  # of two samples of one point the later counts
    assert any("a <reason>" in title for title in titles)
    assert any("GFLOPS" in title for title in titles[1:])


@pytest.mark.usefixtures("qapp")
def test_a_drawing_without_points_says_so() -> None:
    assert {"No", "point", "measured"} <= words(drawn(chart_of(), log_x=True, log_y=True))
    ElementTree.fromstring(drawn(chart_of(ROWS[0]), log_x=True, log_y=True))


@pytest.mark.usefixtures("qapp")
def test_a_long_legend_makes_the_drawing_higher() -> None:
    few = chart_of(*ROWS)
    labelled = [replace(few.curves[0].series, label=f"kernel {number}, " * 8, place=number) for number in range(40)]
    many = replace(few, curves=tuple(ChartCurve(each, each.n, each.gflops) for each in labelled))
    heights = [float(ElementTree.fromstring(drawn(chart)).get("viewBox", "").split()[3]) for chart in (few, many)]
    assert heights[0] == 460 < heights[1]


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
    assert len(marks((tmp_path / "out.svg").read_text(encoding="utf-8"))) == 2
    samples = [*(row.sample for row in ROWS), REFUSED.sample]
    for reader in (CsvReader(tmp_path / "out.csv"), RunFileReader(tmp_path / "out.jsonl")):
        assert [row.sample for row in reader] == samples
    # An export that cannot be written says why.
    assert "choose a name that ends in one of .png, .svg, .html, .csv, .jsonl" in write(qtbot, page, tmp_path / "a.doc")
    assert "cannot be written" in write(qtbot, page, tmp_path / "no folder" / "a.html")
    assert page.lines.status.text().startswith("⚠")
