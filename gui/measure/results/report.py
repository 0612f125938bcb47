"""Report as one HTML page: plots, table and machines, readable without a network, and printable. No Qt."""

from __future__ import annotations

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


def report(runs: Sequence[ShownRun], charts: Charts, titles: Mapping[str, str], caption: str) -> str:
    """Return the page.

    Parameters
    ----------
    runs : sequence of ShownRun
        Runs in the plots.
    charts : mapping
        By title, in the order of the tabs: the chart and its drawing.
    titles : mapping
        Titles of the kernels.
    caption : str
        What the figures are.
    """
    title = escape("Benchmark: " + "; ".join(map(_title, runs)))
    now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
        f'<h1>{title}</h1>\n<p class="muted">Written by tilescope {__version__}, {now}. '
        "Point at a mark for its whole record.</p>",
        f"<p>{escape(caption)}</p>",
        *(_plot(title, chart, drawing) for title, (chart, drawing) in charts.items()),
        "<h2>Machines and conditions</h2>",
        *map(_run, runs),
        "<h2>Samples</h2>",
        *_table(runs, _entries(charts), titles),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _entries(charts: Charts) -> frozenset[tuple[Origin, Entry]]:
    """Return the curves of all plots."""
    return frozenset((c.series.origin, c.series.entry) for chart, _ in charts.values() for c in chart.curves)


def _plot(title: str, chart: Chart, drawing: Drawing) -> str:
    notes = "".join(f"<figcaption>{escape(note)}</figcaption>" for note in chart.notes)
    return f"<h2>{escape(title)}</h2>\n<figure>\n{drawing.text()}\n{notes}\n</figure>"


def _title(run: ShownRun) -> str:
    if run.entry is None:
        return run.origin.name.capitalize()
    return f"This run: {run.entry.title}" if run.origin == THIS else run.origin.name


def _run(run: ShownRun) -> str:
    """Return a run with its machine, versions, options and clocks."""
    lines: Iterable[str] = run_details(run.entry, run.rows) if run.entry is not None else ()
    if run.entry is None:
        machines = dict.fromkeys(machine_words(row.environment) for row in run.rows if row.environment)
        lines = filter(None, (*machines, clock_words(run.rows), result_words(run.rows)))
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<h3>{escape(_title(run))}</h3>\n<ul>\n{items}\n</ul>"


def _table(
    runs: Sequence[ShownRun], drawn: Container[tuple[Origin, Entry]], titles: Mapping[str, str]
) -> Iterator[str]:
    """Yield the table of the samples of the curves in the plots."""
    result = COLUMNS.index("result")
    rows, left_out = [], 0
    for run in runs:
        for row in run.rows:
            if (run.origin, row.sample.point.entry) not in drawn:
                left_out += 1
                continue
            texts = list(cells(row, titles, run.origin))
            texts[0] = run.origin.name if len(runs) > 1 else ""
            texts[result] += f": {row.sample.error}" if row.sample.error else ""
            rows.append((texts, "" if row.sample.times_ms else ' class="absent"'))
    classes = {"kernel": ' class="kernel"'} | dict.fromkeys(NUMBERS, ' class="number"')
    used = [place for place in range(len(COLUMNS)) if any(texts[place] for texts, _ in rows)]
    kinds = {place: classes.get(COLUMNS[place], "") for place in used}
    head = "".join(f"<th{kind}>{escape(COLUMNS[place])}</th>" for place, kind in kinds.items())
    yield f'<div class="table"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>'
    for texts, absent in rows:
        yield f"<tr{absent}>{''.join(f'<td{kind}>{escape(texts[place])}</td>' for place, kind in kinds.items())}</tr>"
    yield "</tbody></table></div>"
    if left_out:
        yield f'<p class="muted">{left_out:,} more samples, of curves that are not in the plots, are left out.</p>'
