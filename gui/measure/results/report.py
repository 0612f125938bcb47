"""Report as one HTML page: plots, table and machines, readable without a network, and printable. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Final

from gui.measure.results.series import THIS
from gui.measure.results.table import COLUMNS, NUMBERS, cells
from gui.measure.run.entries import clock_words, result_words, run_details
from gui.measure.words import machine_words
from gui.theming.theme import LIGHT
from kernels import __version__

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from gui.measure.results.chart import Chart
    from gui.measure.results.chart_picture import Drawing
    from gui.measure.results.series import Origin
    from gui.measure.run.overlay import ShownRun
    from kernels.bench.sample import Entry

    Charts = Mapping[str, tuple[Chart, Drawing]]

_STYLE: Final = f"""
:root {{ color-scheme: light; }}
body {{ max-width: 1040px; margin: 2em auto; padding: 0 1em; font: 15px/1.45 system-ui, sans-serif;
  color: {LIGHT.text}; background: {LIGHT.panel}; }}
h1 {{ font-size: 1.6em; margin-bottom: 0; }}
h2 {{ font-size: 1.2em; margin: 1.6em 0 0.4em; }}
h3 {{ font-size: 1em; margin: 1em 0 0; }}
p, li {{ max-width: 78ch; }}
p.muted, figcaption {{ color: {LIGHT.muted}; }}
figure {{ margin: 0 0 1.4em; break-inside: avoid; }}
svg {{ width: 100%; height: auto; border: 1px solid {LIGHT.border}; border-radius: 4px; }}
ul {{ margin: 0.2em 0; padding-left: 1.2em; }}
div.table {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: 0.87em; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 3px 8px; text-align: left; border-bottom: 1px solid {LIGHT.border}; vertical-align: top; }}
th {{ background: {LIGHT.window}; position: sticky; top: 0; }}
td.number, th.number {{ text-align: right; white-space: nowrap; }}
td.kernel {{ min-width: 15em; }}
tr.absent td {{ color: {LIGHT.muted}; }}
@media print {{
  body {{ max-width: none; margin: 0; font-size: 10.5pt; }}
  table {{ font-size: 8pt; }}
  th, td {{ padding: 1px 6px; }}
  div.table {{ overflow: visible; }}
  th {{ position: static; }}
  thead {{ display: table-header-group; }}
  tr, h2, h3 {{ break-inside: avoid; break-after: auto; }}
  h2, h3 {{ break-after: avoid; }}
  @page {{ margin: 14mm; size: A4 landscape; }}
}}
"""


@dataclass(frozen=True, slots=True)
class ReportRun:
    """A run of the report."""

    title: str
    lines: tuple[str, ...]
    """Machine, versions, options, clocks."""


@dataclass(frozen=True, slots=True)
class ReportPlot:
    """A plot of the report."""

    title: str
    svg: str
    notes: tuple[str, ...] = ()
    """Sentences on what is not drawn."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """The table: headings, which of them are over numbers, and rows of texts."""

    columns: tuple[str, ...]
    numbers: frozenset[str]
    rows: tuple[tuple[str, ...], ...]
    absent: tuple[bool, ...]
    """Whether a row has no time."""
    left_out: int = 0
    """Number of samples of the runs that are not in the table."""


def html_report(
    runs: Sequence[ReportRun], plots: Iterable[ReportPlot], table: ReportTable, *, caption: str, made: str
) -> str:
    """Return the page.

    Parameters
    ----------
    runs : sequence of ReportRun
        Runs in the plots.
    plots : iterable of ReportPlot
        Plots in the order of the tabs.
    table : ReportTable
        Every sample.
    caption : str
        What the figures are.
    made : str
        When and by which version it was written.
    """
    title = "Benchmark: " + "; ".join(run.title for run in runs)
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
        f'<h1>{escape(title)}</h1>\n<p class="muted">{escape(made)}</p>',
        f"<p>{escape(caption)}</p>",
        *(line for plot in plots for line in _plot(plot)),
        "<h2>Machines and conditions</h2>",
        *(line for run in runs for line in _run(run)),
        "<h2>Samples</h2>",
        *_table(table),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _plot(plot: ReportPlot) -> Iterator[str]:
    yield f"<h2>{escape(plot.title)}</h2>\n<figure>"
    yield plot.svg
    yield "".join(f"<figcaption>{escape(note)}</figcaption>" for note in plot.notes)
    yield "</figure>"


def _run(run: ReportRun) -> Iterator[str]:
    yield f"<h3>{escape(run.title)}</h3>\n<ul>"
    yield "".join(f"<li>{escape(line)}</li>" for line in run.lines)
    yield "</ul>"


def _table(table: ReportTable) -> Iterator[str]:
    classes = {"kernel": ' class="kernel"'} | dict.fromkeys(table.numbers, ' class="number"')
    kinds = [classes.get(column, "") for column in table.columns]
    head = "".join(f"<th{kind}>{escape(name)}</th>" for name, kind in zip(table.columns, kinds, strict=True))
    yield f'<div class="table"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>'
    for row, absent in zip(table.rows, table.absent, strict=True):
        cells = [f"<td{kind}>{escape(text)}</td>" for text, kind in zip(row, kinds, strict=True)]
        kind = ' class="absent"' if absent else ""
        yield f"<tr{kind}>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"
    if table.left_out:
        words = f"{table.left_out:,} more samples, of curves that are not in the plots, are left out."
        yield f'<p class="muted">{words}</p>'


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
        [_report_run(run) for run in runs],
        plots,
        _report_table(runs, _entries(charts), titles),
        caption=caption,
        made=f"Written by tilescope {__version__}, {now}. Point at a mark for its whole record.",
    )


def _entries(charts: Charts) -> frozenset[tuple[Origin, Entry]]:
    """Return the curves of all plots."""
    return frozenset((c.series.origin, c.series.entry) for chart, _ in charts.values() for c in chart.curves)


def _report_run(run: ShownRun) -> ReportRun:
    if run.entry is not None:
        title = f"This run: {run.entry.title}" if run.origin == THIS else run.origin.name
        return ReportRun(title, run_details(run.entry, run.rows))
    machines = dict.fromkeys(machine_words(row.environment) for row in run.rows if row.environment)
    lines = (*machines, clock_words(run.rows), result_words(run.rows))
    return ReportRun(run.origin.name.capitalize(), tuple(line for line in lines if line))


def _report_table(
    runs: Sequence[ShownRun], drawn: Container[tuple[Origin, Entry]], titles: Mapping[str, str]
) -> ReportTable:
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
