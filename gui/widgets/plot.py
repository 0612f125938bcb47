"""Line plot with a legend in which curves are shown, hidden and highlighted."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from gui.theming.style import mix
from gui.theming.theme import LIGHT
from gui.widgets.axes import AxesView, RateAxis, round_numbers
from gui.widgets.controls import fit_width, hbox
from gui.widgets.legend_rows import ICON, Entry
from gui.widgets.plot_absent import NONE, Absent, AbsentItem
from gui.widgets.plot_curves import LINE_PX, CurvesItem, Line, Points, Stroke, mark_picture
from gui.widgets.plot_legend import WIDTH_PX, Legend
from gui.widgets.plot_pointer import PointPointer
from gui.widgets.plot_roofs import RoofsItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QResizeEvent

    from gui.theming.theme import Theme
    from gui.widgets.plot_roofs import RoofLine

_SYMBOL_PX: Final = 11
_LOWEST_EXPONENT: Final = -9.0
"""Lower end of a logarithmic axis: 1e-9 GFLOPS is one operation per second."""

_MOST_WHOLE: Final = 10_000_000
"""A size from here on is labelled with an exponent."""

_MOST_TICKS: Final = 10
_TICK_LEVELS: Final = 2
"""Ticks with numbers, and one division between them; pyqtgraph's third level is 60 grid lines, half of a repaint."""

_GRID_ALPHA: Final = 64
_MOST_DECADES: Final = 6
_PALE: Final = 0.72
"""Share of the background in the colour of the other lines while one is highlighted."""

_PICTURE_SCALE: Final = 2.0
_TICK_GAP_PX: Final = 10
_WORD_GAP_PX: Final = 4
_LEAST_SHARE: Final = 0.75
"""Least share of the text size at which words are written below the x axis."""

_PADDING: Final = 0.03
"""Share of the range of x that is free beside the points."""

_LABEL_GAP_PX: Final = 8
_ROOF_ROOM: Final = 4.0
"""A linear axis reaches up to a roof at most this many times higher than the points."""


class LinePlot(QWidget):
    """Plot of lines over x and y; those ticked in the legend are drawn, at first `most` of them."""

    def __init__(self, x: str, y: str, most: int = 0) -> None:
        super().__init__()
        self._theme = LIGHT
        self.lines: tuple[Line, ...] = ()
        """Lines that can be drawn."""
        self._words: tuple[str, ...] = ()
        self._log_x = self._log_y = False
        self._icons: dict[tuple[Stroke, float], QIcon] = {}
        self._colours: tuple[list[str], ...] = ()
        """Colours of the lines, and pale ones."""
        self._axes = ("", "")
        self._short_y = ""
        self._sizes = True
        self._roofs: tuple[RoofLine, ...] = ()
        self._x_range: tuple[float, float] | None = None
        self._measured = np.empty(0)
        self._text_pt = 0.0
        self.plot = AxesView(RateAxis("left"))
        self.plot.setAccessibleName("Plot")
        box = self.plot.box
        self.roofs, self.curves = RoofsItem(box), CurvesItem(box)
        self.roofs.obstacles = self.curves.track
        self.absent = AbsentItem(box)
        self.pointer = PointPointer(self.plot, self.curves, self.absent, self)
        box.sigResized.connect(self._fit_band)
        self.set_axes(x, y)
        self.legend = Legend(most)
        self.legend.curves_changed.connect(self._draw)
        self.legend.highlight_changed.connect(self._restyle)
        row = hbox(self)
        row.addWidget(self.plot, 1)
        row.addWidget(self.legend)
        self.set_theme(self._theme)
        self.show_lines(())

    @property
    def visible_lines(self) -> tuple[Line, ...]:
        """Lines that are drawn."""
        wanted, theirs = self.legend.shows, self.legend.shows_published
        return tuple(line for line in self.lines if wanted(line.title) and (theirs or not line.published))

    def set_axes(self, x: str, y: str, words: Sequence[str] = (), *, sizes: bool = True, short_y: str = "") -> None:
        """Name the axes. With `words`, the x axis has one tick for each: 0 is the first.

        With `sizes`, the ticks of x are the sizes that were measured, as far as they fit. `short_y` is the name of y
        where the whole one is longer than the axis.
        """
        self._words, self._sizes = tuple(words), sizes
        self._axes, self._short_y = (x, y), short_y
        self._fit_titles()

    def _fit_titles(self) -> None:
        x, y = self._axes
        if self._short_y and QFontMetrics(QApplication.font()).horizontalAdvance(y) > float(self.plot.box.height()):
            y = self._short_y
        for axis, name in ((self.plot.bottom, x), (self.plot.left, y)):
            if axis.labelText != name:
                axis.setLabel(name, siPrefixEnableRanges=())  # no prefixes such as k: the unit is part of the name

    def show_lines(
        self,
        lines: Sequence[Line],
        log: tuple[bool, bool] | None = None,
        roofs: Sequence[RoofLine] = (),
        x_range: tuple[float, float] | None = None,
    ) -> None:
        """Set the lines, whether x and y are logarithmic, the machine's limits, and the ends of a linear x axis."""
        self.lines, self._roofs, self._x_range = tuple(lines), tuple(roofs), x_range
        if log is not None:
            self._set_log_mode(*log)
        self._list_lines()
        self._draw()

    def set_log(self, *, x: bool, y: bool) -> None:
        """Choose logarithmic axes."""
        self._set_log_mode(x, y)
        self._draw()

    def _set_log_mode(self, x: bool, y: bool) -> None:
        if (x, y) != (self._log_x, self._log_y):
            self._log_x, self._log_y = x, y
            self.plot.set_log(x=x, y=y)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and text size. No graphics item is created."""
        recoloured, self._theme = theme != self._theme, theme
        self._colours = tuple([mix(each, theme.panel, share).name() for each in theme.series] for share in (0.0, _PALE))
        self.plot.setBackground(theme.panel)
        font = QFont(self.font())
        font.setPointSizeF(QApplication.font().pointSizeF())
        for axis in (self.plot.bottom, self.plot.left):
            axis.setStyle(maxTickLevel=_TICK_LEVELS - 1)
            axis.setGrid(_GRID_ALPHA)
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.text))
            axis.label.setFont(font)
        self.plot.left.setStyle(tickFont=font)
        self._fit_legend()
        for item in (self.roofs, self.absent, self.curves, self.pointer):
            item.set_theme(theme)
        if font.pointSizeF() != self._text_pt:
            self._text_pt = font.pointSizeF()
            self._fit_band()
        if recoloured:
            self._icons.clear()
            self.legend.repaint_rows()
            self._restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set the legend's share of the width."""
        super().resizeEvent(event)
        self._fit_legend()

    def _fit_legend(self) -> None:
        fit_width(self.legend, self.width(), 0.0, (WIDTH_PX, WIDTH_PX))

    def picture(self) -> QImage:
        """Return plot and legend as they are shown, at twice the resolution."""
        image = QImage(self.size() * _PICTURE_SCALE, QImage.Format.Format_ARGB32)
        image.setDevicePixelRatio(_PICTURE_SCALE)
        image.fill(QColor(self._theme.window))
        self.render(image)
        return image

    def _list_lines(self) -> None:
        """List each group once, with the mark of a measured line if it has one, and of the first run that is in it."""
        first = {line.title: line for line in sorted(self.lines, key=lambda line: (not line.published, -line.dash))}
        ticked = {line.title for line in self.lines if line.ticked}
        entries = [
            Entry(title, partial(self._icon, first[title]), first[title].tip or title, title in ticked)
            for title in dict.fromkeys(line.title for line in self.lines)
        ]
        published = {line.published for line in self.lines}
        self.legend.offer(entries, ours=False in published, theirs=True in published)
        self.legend.setVisible(bool(self.lines))

    def _draw(self) -> None:
        """Draw the ticked lines, and fit the axes to them."""
        for axis in (self.plot.bottom, self.plot.left):
            # Without lines the values of the axes would mean nothing.
            axis.setStyle(showValues=bool(self.lines))
        lines = self.visible_lines
        points = Points.of(lines)
        zero = self._place_of_zero(points.y) if self._log_y else 0.0
        shown = points.scaled(log_x=self._log_x, log_y=self._log_y, zero=zero)
        self.curves.show_curves(shown, self._strokes())
        self.absent.show_points(self._absent_points(lines), [stroke.color for stroke in self.curves.strokes])
        self.roofs.show_roofs([roof.scaled(log_x=self._log_x, log_y=self._log_y) for roof in self._roofs])
        self._mark_decades(zero, float(points.y.max(initial=1.0)))
        # Without sizes the ticks are round numbers, also beside the points.
        beside = [] if self._sizes else [roof.x for roof in self._roofs]
        absent = [line.x[line.absent > 0] for line in lines if line.absent is not None]
        self._measured = np.unique(np.concatenate([points.x, *absent, *beside]))
        self._mark_places(self._measured)
        self._fit_shown()
        self.pointer.show_lines(lines)
        self.legend.explain_asterisks(shown=bool(points.disturbed.any()))

    def _absent_points(self, lines: Sequence[Line]) -> Absent:
        """Return the absent points of the lines, in the coordinates of the x axis."""
        found = [
            (number, line, np.flatnonzero(line.absent)) for number, line in enumerate(lines) if line.absent is not None
        ]
        found = [(number, line, rows) for number, line, rows in found if len(rows)]
        if not found:
            return NONE
        x = np.concatenate([line.x[rows] for _, line, rows in found])
        return Absent(
            np.concatenate([np.full(len(rows), number, np.intp) for number, _, rows in found]),
            np.concatenate([rows for _, _, rows in found]),
            np.log10(x) if self._log_x else x,
            np.concatenate([line.absent[rows] for _, line, rows in found if line.absent is not None]),
        )

    def _fit_shown(self) -> None:
        """Make the axes hold what is drawn: points, error bars, roofs that are near; a linear y axis begins at 0.

        Below lies the band of absent points.
        """
        box, points, roofs = self.plot.box, self.curves.points, self.roofs.roofs
        x = np.concatenate([points.x, self.absent.points.x, *(roof.x for roof in roofs)])
        if self._words:
            # Room for the words at the ends.
            box.setXRange(-0.5, len(self._words) - 0.5, padding=0)
        elif self._x_range is not None and not self._log_x:
            box.setXRange(*self._x_range, padding=0)
        elif len(x):
            low, high = float(x.min()), float(x.max())
            # The labels at the ends have room within the axis: beyond, they would not be painted.
            edge = QFontMetrics(QApplication.font()).horizontalAdvance(self._last_label) / 2 + _TICK_GAP_PX / 2
            pad = (high - low or 1.0) * max(_PADDING, edge / max(float(box.width()) - 2 * edge, 1.0))
            box.setXRange(low - pad, high + pad, padding=0)
        tops = [roof.top for roof in roofs]
        highest = float(points.high.max(initial=-np.inf))
        if self._log_y:
            low, high = float(points.low.min(initial=np.inf)), max([highest, *tops])
            if not low <= high < np.inf:
                low, high = 0.0, 1.0
            room = 0.05 * (high - low) or 0.5
            low, high = low - room, high + (0.0 if roofs and high in tops else room)
        else:
            highest = highest if highest > 0 else 1.0
            low, high = 0.0, 1.08 * max([highest, *(top for top in tops if top <= _ROOF_ROOM * highest)])
        height = max(float(box.height()), 1.0)
        label = QFontMetrics(QApplication.font()).height() + _LABEL_GAP_PX if roofs else 0
        above, below = (min(pixels / height, 0.4) for pixels in (label, self.absent.height_px))
        whole = (high - low) / (1 - above - below)
        low, high = low - below * whole, high + above * whole
        box.setLimits(yMin=_LOWEST_EXPONENT if self._log_y else low)
        box.setYRange(low, high, padding=0)

    @property
    def _last_label(self) -> str:
        """Label of the largest measured size."""
        return _tick(self._measured[-1]) if self._sizes and len(self._measured) else ""

    def _fit_band(self) -> None:
        """Keep labels apart, and the points above the band of absent ones: both have sizes in pixels."""
        self._fit_titles()
        self._mark_places(self._measured)
        if self.absent.height_px or self._last_label:
            self._fit_shown()

    def _restyle(self) -> None:
        """Paint the same curves with the present colours, and highlight the one in focus."""
        self.curves.set_strokes(self._strokes())
        self.absent.set_colours([stroke.color for stroke in self.curves.strokes])

    def _strokes(self) -> list[Stroke]:
        """Return strokes 2 pixels wide; if a curve is highlighted, it is thick and the others are thin and pale."""
        focus = self.legend.focus
        others = LINE_PX // 2 if focus else LINE_PX
        return [self.stroke(line, 2 * LINE_PX if line.title == focus else others) for line in self.visible_lines]

    def stroke(self, line: Line, width: int = LINE_PX) -> Stroke:
        """Return the appearance of a line in the present colours."""
        colour = self._colours[width < LINE_PX][line.place % len(self._theme.series)]
        dash = line.dash or int(line.published)
        fill = self._theme.panel if dash else colour
        return Stroke(colour, fill, width, dash, line.symbol, _SYMBOL_PX + 2 * (width - LINE_PX))

    @staticmethod
    def _place_of_zero(values: NDArray[np.float64]) -> float:
        """Return the position of 0 on a logarithmic axis, a decade below the smallest value; None if no value is 0."""
        found = values[values > 0]
        if len(found) == len(values):
            return 0.0
        return float(10 ** (np.floor(np.log10(found.min())) - 1)) if len(found) else 1.0

    def _mark_decades(self, zero: float, highest: float) -> None:
        """Label the position of 0 on a logarithmic axis."""
        axis = self.plot.left
        if not zero:
            axis.setTicks(None)
            return
        first = round(np.log10(zero))
        last = max(int(np.log10(highest)), 0)
        step = -(-(last - first) // _MOST_DECADES) or 1
        decades = range(first + step, last + 1, step)
        axis.setTicks([[(first, "0"), *((n, f"1e{n}") for n in decades)]])

    def _icon(self, line: Line) -> QIcon:
        """Return an icon with the line's mark on a piece of the line; cached for a theme."""
        stroke, ratio = self.stroke(line), self.devicePixelRatioF()
        key = (stroke, ratio)
        if key not in self._icons:
            self._icons[key] = _icon(stroke, ratio)
        return self._icons[key]

    def _fit_words(self) -> tuple[float, int]:
        """Return the share of the text size at which words fit below the x axis, and which of them: every n-th."""
        metrics = QFontMetrics(QApplication.font())
        lines = [line for word in self._words for line in word.split("\n")]
        room = float(self.plot.box.width()) / max(len(self._words), 1)
        widest = max(map(metrics.horizontalAdvance, lines), default=0) + _WORD_GAP_PX
        share = max(_LEAST_SHARE, min(1.0, room / widest))
        return share, max(1, ceil(widest * share / max(room, 1.0) - 0.01))

    def _mark_places(self, measured: NDArray[np.float64]) -> None:
        """Put the ticks of the x axis at measured sizes, if they fit."""
        axis = self.plot.bottom
        share, every = self._fit_words()
        font = QFont(self.font())
        font.setPointSizeF(QApplication.font().pointSizeF() * share)
        if font != axis.style["tickFont"]:
            axis.setStyle(tickFont=font)
        if self._words:
            axis.setTicks([list(enumerate(self._words))[every // 2 :: every]])  # room at both ends
            return
        if not self._sizes and not self._log_x:
            axis.setTicks(None)
            return
        measured = measured[measured > 0] if self._log_x else measured
        if self._log_x and (len(measured) > _MOST_TICKS or (len(measured) and not self._sizes)):
            low, high = float(measured[0]), float(measured[-1])
            metrics = QFontMetrics(QApplication.font())
            widest = max(metrics.horizontalAdvance(_tick(n)) for n in (low, high, *round_numbers(low, high)))
            width = float(self.plot.box.width())
            room = min(max(int(width / (widest + _TICK_GAP_PX)), 2), _MOST_TICKS)
            least = (widest + _TICK_GAP_PX) * np.log10(high / low) / max(width - widest, 1.0)
            candidates = (round_numbers(low, high, most) for most in range(room, 1, -1))
            fitting = (found for found in candidates if (np.diff(np.log10(found)) >= least).all())
            labelled = next(fitting, round_numbers(low, high, 2))
            axis.setTicks([[(float(np.log10(n)), _tick(n)) for n in labelled]])
            return
        if not len(measured) or len(measured) > _MOST_TICKS:
            axis.setTicks(None)
            return
        places = np.log10(measured) if self._log_x else measured
        span = places[-1] - places[0]
        widest = QFontMetrics(QApplication.font()).horizontalAdvance(_tick(measured[-1])) + _TICK_GAP_PX
        apart = max(0.75 / _MOST_TICKS, widest / max(float(self.plot.box.width()) - widest, 1.0))
        ticks: list[tuple[float, str]] = []
        for place, n in sorted(zip(places, measured, strict=True), reverse=True):
            if not ticks or ticks[-1][0] - place >= span * apart:
                ticks.append((float(place), _tick(n)))
        axis.setTicks([ticks])


def _tick(number: float) -> str:
    """Return the label of a size: all digits of a whole number, up to seven."""
    return f"{number:.0f}" if float(number).is_integer() and number < _MOST_WHOLE else f"{number:g}"


def _icon(stroke: Stroke, ratio: float) -> QIcon:
    picture = QPixmap(ICON * ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.save()
    painter.scale(ratio, ratio)
    painter.setPen(stroke.pen())
    painter.drawLine(0, ICON.height() // 2, ICON.width(), ICON.height() // 2)
    painter.restore()
    mark = mark_picture(stroke, ratio)
    painter.drawImage((picture.width() - mark.width()) // 2, (picture.height() - mark.height()) // 2, mark)
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return QIcon(picture)
