"""Contents of a report: the plots, runs and rows that the page shows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gui.measure.results.html_report import ReportPlot, ReportRun, ReportTable, html_report
from gui.measure.results.series import THIS
from gui.measure.results.table import COLUMNS, NUMBERS, cells
from gui.measure.run.details import clock_words, result_words, run_details
from gui.measure.words import machine_words
from kernels import __version__

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from gui.measure.results.chart import Chart
    from gui.measure.results.chart_picture import Drawing
    from gui.measure.results.series import Origin
    from gui.measure.run.overlay import ShownRun
    from kernels.bench.sample import Entry

    Charts = Mapping[str, tuple[Chart, Drawing]]


def report(runs: Sequence[ShownRun], charts: Charts, titles: Mapping[str, str], caption: str) -> str:
    """Return the report as HTML.

    Parameters
    ----------
    runs : sequence of ShownRun
        Runs in the plots.
    charts : mapping
        By title: the chart and its drawing.
    titles : mapping
        Titles of the kernels.
    caption : str
        What the figures are.
    """
    plots = [ReportPlot(title, drawing.text(), chart.notes) for title, (chart, drawing) in charts.items()]
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    return html_report(
        [_run(run) for run in runs],
        plots,
        _table(runs, _entries(charts), titles),
        caption=caption,
        made=f"Written by tilescope {__version__}, {now}. Point at a mark for its whole record.",
    )


def _entries(charts: Charts) -> frozenset[tuple[Origin, Entry]]:
    """Return the curves of all plots."""
    return frozenset((c.series.origin, c.series.entry) for chart, _ in charts.values() for c in chart.curves)


def _run(run: ShownRun) -> ReportRun:
    if run.entry is not None:
        title = f"This run: {run.entry.title}" if run.origin == THIS else run.origin.name
        return ReportRun(title, run_details(run.entry, run.rows))
    machines = dict.fromkeys(machine_words(row.environment) for row in run.rows if row.environment)
    lines = (*machines, clock_words(run.rows), result_words(run.rows))
    return ReportRun(run.origin.name.capitalize(), tuple(line for line in lines if line))


def _table(runs: Sequence[ShownRun], drawn: Container[tuple[Origin, Entry]], titles: Mapping[str, str]) -> ReportTable:
    """Return the samples of the curves in the plots."""
    result = COLUMNS.index("result")
    rows, absent, left_out = [], [], 0
    for run in runs:
        for row in run.rows:
            if (run.origin, row.sample.point.entry) not in drawn:
                left_out += 1
                continue
            texts = list(cells(row, titles, run.origin))
            texts[0] = run.origin.name if len(runs) > 1 else ""
            texts[result] += f": {row.sample.error}" if row.sample.error else ""
            rows.append(texts)
            absent.append(not row.sample.times_ms)
    used = [place for place in range(len(COLUMNS)) if any(texts[place] for texts in rows)]
    return ReportTable(
        tuple(COLUMNS[place] for place in used),
        NUMBERS,
        tuple(tuple(texts[place] for place in used) for texts in rows),
        tuple(absent),
        left_out,
    )
