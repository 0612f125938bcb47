"""A chart as SVG: lines, marks, intervals, roofs and legend, with the record of a point as its tooltip. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from gui.measure.figures.details import details
from gui.measure.report.ticks import number, places, ticks
from gui.theming.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gui.measure.figures.chart import Chart, ChartCurve
    from gui.theming.theme import Theme

Corner = tuple[float, float]

_WIDTH: Final = 1000
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 12, 14, 52
_LEGEND: Final = 300
_LEGEND_LETTERS: Final = 36
_LINE_PX: Final = 17
_ENTRY_GAP_PX: Final = 6
_MARK_PX: Final = 5.0
_ROOF_ROOM: Final = 4.0
"""A linear y axis reaches a roof that is at most so many times as high as the highest point."""
_MOST_ABSENT: Final = 5
_DASHES: Final = ("", "8 4", "2 3", "8 4 2 4", "8 3 2 3 2 3")
"""Styles of lines, as `gui.widgets.plot_curves.DASHES`; marks on all but the first are hollow."""
_PADDING: Final = 0.04

_CORNERS: Final = {
    "s": (4, 45.0),
    "t1": (3, -90.0),
    "t": (3, 90.0),
    "t2": (3, 0.0),
    "t3": (3, 180.0),
    "d": (4, 0.0),
    "p": (5, -90.0),
    "h": (6, -90.0),
}
"""Regular polygons by pyqtgraph's name of a mark: number of corners, and the angle of the first one in degrees."""

ASTERISK: Final = "∗"
DISTURBED: Final = f"{ASTERISK} disturbed: point at it to see why"

SYMBOLS: Final = ("o", "s", "t1", "d", "star", "t", "p", "h", "t3", "+", "x", "t2", "crosshair")
"""Marks in the order of `gui.widgets.plot_curves`."""


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis: values from `low` to `high` on pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        place = math.log10 if self.log else float
        share = (place(value) - place(self.low)) / (place(self.high) - place(self.low))
        return self.start + share * (self.end - self.start)

    def shows(self, value: float) -> bool:
        """Return whether a value has a place."""
        return math.isfinite(value) and (value > 0 or not self.log)


def chart_svg(
    chart: Chart, *, log_x: bool, log_y: bool, title: str = "", height: int = 460, theme: Theme = LIGHT
) -> str:
    """Return the chart as one SVG element, without an XML declaration.

    Parameters
    ----------
    chart : Chart
        Curves to draw: all of them.
    log_x, log_y : bool
        Whether the axes are logarithmic.
    title : str
        Name of the picture for screen readers.
    height : int
        Least height, pixels; a long legend needs more. The width is 1000 pixels.
    theme : Theme
        Colours.
    """
    legend = _legend_entries(chart)
    height = max(height, _TOP + sum(_LINE_PX * len(entry.lines) + _ENTRY_GAP_PX for entry in legend) + 10)
    right, bottom = _WIDTH - (_LEGEND if legend else 0) - _RIGHT, height - _BOTTOM
    x, y = _scales(chart, log_x, log_y, (right, bottom))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title or chart.y)}" font-family="system-ui, sans-serif" font-size="13" '
        f'fill="{theme.text}">',
        f'<rect width="{_WIDTH}" height="{height}" fill="{theme.panel}"/>',
    ]
    if x is None or y is None:
        parts.append(_text(_WIDTH / 2, height / 2, chart.empty or "No curve has a point.", "middle"))
    else:
        parts += _axes(chart, x, y, theme)
        parts += _roofs(chart, x, y, theme)
        for curve in chart.curves:
            parts += _curve(curve, x, y, theme)
        parts += _absent(chart, x, y, theme)
        parts += _legend(legend, theme)
    return "\n".join([*parts, "</svg>"])


def _scales(chart: Chart, log_x: bool, log_y: bool, corner: tuple[float, float]) -> tuple[Scale | None, Scale | None]:
    """Return the axes, which hold all points and intervals; a linear y axis begins at 0."""
    xs = np.concatenate([np.empty(0), *(curve.x[np.isfinite(curve.y.middle)] for curve in chart.curves)])
    ys = np.concatenate([np.empty(0), *(v for c in chart.curves for v in (c.y.middle, c.y.low, c.y.high))])
    xs, ys = (values[np.isfinite(values) & ((values > 0) | (not log))] for values, log in ((xs, log_x), (ys, log_y)))
    if not len(xs) or not len(ys):
        return None, None
    highest = float(ys.max())
    tops = [max(roof.y) for roof in chart.roofs]
    top = max([highest, *(value for value in tops if log_y or value <= _ROOF_ROOM * highest)])
    first, last = (float(xs.min()), float(xs.max())) if log_x or chart.x_range is None else chart.x_range
    x = _scale(first, last, (_LEFT, corner[0]), log_x)
    y = _scale(float(ys.min()) if log_y else 0.0, top, (corner[1], _TOP), log_y)
    return x, y if log_y else replace(y, low=0.0)


def _scale(low: float, high: float, pixels: tuple[float, float], log: bool) -> Scale:
    if log:
        room = (high / low) ** _PADDING if high > low else 1.5
        return Scale(low / room, high * room, *pixels, log)
    room = (high - low) * _PADDING or abs(high) * 0.5 or 1.0
    return Scale(low - room, high + room, *pixels, log)


def _axes(chart: Chart, x: Scale, y: Scale, theme: Theme) -> Iterator[str]:
    measured = sorted({float(value) for curve in chart.curves for value in curve.x if math.isfinite(value)})
    across = places(measured, low=x.low, high=x.high, log=x.log) if chart.sizes else ticks(x.low, x.high, log=x.log)
    for value in across:
        yield _line(x(value), y.start, x(value), y.end, theme.border, 0.6)
        yield _text(x(value), y.start + 18, number(value), "middle")
    for value in ticks(y.low, y.high, log=y.log):
        yield _line(x.start, y(value), x.end, y(value), theme.border, 0.6)
        yield _text(x.start - 8, y(value) + 4, number(value), "end")
    yield _line(x.start, y.start, x.end, y.start, theme.muted, 1.2)
    yield _line(x.start, y.start, x.start, y.end, theme.muted, 1.2)
    yield _text((x.start + x.end) / 2, y.start + 42, chart.x, "middle")
    middle = (y.start + y.end) / 2
    yield f'<g transform="rotate(-90 16 {middle:.1f})">{_text(16, middle, chart.y, "middle")}</g>'


def _roofs(chart: Chart, x: Scale, y: Scale, theme: Theme) -> Iterator[str]:
    """Draw the roofs and their labels, which keep clear of each other; one outside has its label only."""
    taken: list[float] = []
    for roof in chart.roofs:
        values = roof.x or (x.low, x.high)
        heights = roof.y if roof.x else roof.y[:1] * 2
        corners = [(x(a), y(b)) for a, b in zip(values, heights, strict=True) if x.shows(a) and y.shows(b)]
        lines = [line for pair in pairwise(corners) if (line := _clip(*pair, x, y)) is not None]
        for (x1, y1), (x2, y2) in lines:
            yield _line(x1, y1, x2, y2, theme.muted, 1.5)
        up = max(lines[-1][1][1] - 5, _TOP + 11) if lines else _TOP + 11
        while any(abs(up - other) < _LINE_PX for other in taken):
            up += _LINE_PX
        taken.append(up)
        arrow = "" if lines else "→ " if min(values) > x.high else "↑ "
        yield _text(x.end - 4, up, f"{arrow}{roof.label}", "end")


def _clip(start: Corner, end: Corner, x: Scale, y: Scale) -> tuple[Corner, Corner] | None:
    """Return the part of a line inside the plot; None if there is none (Liang and Barsky, 1984)."""
    first, last = 0.0, 1.0
    for side, step, low, high in (
        (start[0], end[0] - start[0], x.start, x.end),
        (start[1], end[1] - start[1], y.end, y.start),
    ):
        if step == 0:
            if not low <= side <= high:
                return None
            continue
        one, other = sorted(((low - side) / step, (high - side) / step))
        first, last = max(first, one), min(last, other)
    if first > last:
        return None
    ends = ((start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])) for t in (first, last))
    return next(ends), next(ends)


def _curve(curve: ChartCurve, x: Scale, y: Scale, theme: Theme) -> Iterator[str]:
    series = curve.series
    colour = theme.series[series.place % len(theme.series)]
    columns = (curve.x, curve.y.middle, curve.y.low, curve.y.high, series.rows, series.marked)
    points = [
        (x(float(a)), y(float(b)), low, high, row, marked)
        for a, b, low, high, row, marked in zip(*columns, strict=True)
        if x.shows(float(a)) and y.shows(float(b))
    ]
    line = " ".join(f"{point[0]:.1f},{point[1]:.1f}" for point in points)
    yield f'<g stroke="{colour}">'
    fill = theme.panel if series.dash else colour
    yield f'<polyline points="{line}" fill="none" stroke-width="2"{_dash(series.dash)}/>'
    for across, up, low, high, row, marked in points:
        if y.shows(low) and y.shows(high):
            yield f'<path d="M{across:.1f} {y(low):.1f}V{y(high):.1f}" stroke-width="1.5"/>'
        tip = escape("\n".join((series.name, *details(row))))
        yield f"<g><title>{tip}</title>{mark(series.place, across, up, fill)}</g>"
        if marked:
            yield f'<g stroke="none">{_text(across + 10, up - 4, ASTERISK, "middle")}</g>'
    yield "</g>"


def _absent(chart: Chart, x: Scale, y: Scale, theme: Theme) -> Iterator[str]:
    """Mark points without a figure at the lower edge, with the reason as tooltip; at most a few above each other."""
    levels: dict[float, int] = {}
    for curve in chart.curves:
        colour = theme.series[curve.series.place % len(theme.series)]
        for row in curve.absent.tolist():
            value = float(curve.x[row])
            if not x.shows(value) or not x.low <= value <= x.high:
                continue
            level = levels[value] = levels.get(value, -1) + 1
            if level >= _MOST_ABSENT:
                continue
            centre = y.start - 8 - 13 * level
            tip = escape("\n".join((curve.series.name, *details(curve.series.rows[row]))))
            cross = mark(SYMBOLS.index("x"), x(value), centre, colour, 4.0)
            yield f'<g stroke="{colour}"><title>{tip}</title>{cross}</g>'


def mark(place: int, x: float, y: float, fill: str, size: float = _MARK_PX) -> str:
    """Return a mark with its centre at (x, y)."""
    symbol = SYMBOLS[place % len(SYMBOLS)]
    if symbol == "o":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" fill="{fill}"/>'
    if symbol in _CORNERS:
        count, first = _CORNERS[symbol]
        corners = [_corner(x, y, size * 1.15, first + 360 * k / count) for k in range(count)]
    elif symbol == "star":
        corners = [_corner(x, y, size * (1.3 if k % 2 == 0 else 0.5), -90 + 36 * k) for k in range(10)]
    else:
        turn = 45.0 if symbol == "x" else 0.0
        ends = [_corner(x, y, size * 1.1, turn + 90 * k) for k in range(4)]
        cross = f'<path d="M{ends[0]}L{ends[2]}M{ends[1]}L{ends[3]}" stroke-width="3" fill="none"/>'
        ring = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size * 0.7:g}" fill="none" stroke-width="1.5"/>'
        return cross + ring if symbol == "crosshair" else cross
    return f'<polygon points="{" ".join(corners)}" fill="{fill}"/>'


def _corner(x: float, y: float, radius: float, degrees: float) -> str:
    angle = math.radians(degrees)
    return f"{x + radius * math.cos(angle):.1f},{y + radius * math.sin(angle):.1f}"


@dataclass(frozen=True, slots=True)
class _LegendEntry:
    """A run, with the style of its lines, or a curve with its colour and mark."""

    lines: tuple[str, ...]
    dash: int = 0
    place: int | None = None
    """None for a run, and for the asterisk."""
    line: bool = True
    """Whether there is a piece of a line before the words."""


def _legend_entries(chart: Chart) -> tuple[_LegendEntry, ...]:
    """Return the runs, unless only this page's is drawn, then the entries, which look alike in all runs."""
    runs = dict(sorted({curve.series.dash: curve.series.origin.name for curve in chart.curves}.items()))
    labels = {curve.series.label: curve.series.place for curve in chart.curves}
    return (
        *(_LegendEntry(_wrapped(name), dash) for dash, name in runs.items() if any(runs)),
        *(_LegendEntry(_wrapped(label), place=place) for label, place in labels.items()),
        *((_LegendEntry((DISTURBED,), line=False),) if any(c.series.marked.any() for c in chart.curves) else ()),
    )


def _legend(entries: Sequence[_LegendEntry], theme: Theme) -> Iterator[str]:
    left, top = _WIDTH - _LEGEND, _TOP + 4.0
    for entry in entries:
        colour = theme.text if entry.place is None else theme.series[entry.place % len(theme.series)]
        middle = top + 4
        yield f'<g stroke="{colour}">'
        if entry.line:
            yield f'<path d="M{left} {middle:.1f}h34" stroke-width="2" fill="none"{_dash(entry.dash)}/>'
        yield ("" if entry.place is None else mark(entry.place, left + 17, middle, colour)) + "</g>"
        for text in entry.lines:
            yield _text(left + 42 * entry.line, top + 8, text, "start")
            top += _LINE_PX
        top += _ENTRY_GAP_PX


def _dash(dash: int) -> str:
    return f' stroke-dasharray="{_DASHES[dash % len(_DASHES)]}"' if dash else ""


def _wrapped(text: str) -> tuple[str, ...]:
    """Return a name in lines of at most `_LEGEND_LETTERS` letters, as far as its words allow."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _LEGEND_LETTERS:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return tuple(lines)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="{width:g}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
