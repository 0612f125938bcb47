"""Report as one HTML page: plots, table and machines, readable without a network, and printable. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from gui.theming.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
