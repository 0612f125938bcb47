"""Text on the canvas: number format, font size, cached layout."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPaintEngine, QPainterPath, QStaticText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QColor, QPainter

_LaidOut = tuple[QStaticText, float, float]
"""A text with half its width and height."""

SMALLEST_TEXT = 10.0
"""Smallest text height in pixels; labels that would be smaller are omitted."""

_WIDTH_PER_CHARACTER = 0.7
_WIDTH_AT_REST = 0.64
"""Width of a digit that is not bold, in heights of the text."""

_NARROW_DIFFERENCE = 0.45
"""Difference in width between a digit and a point or minus, in characters."""
_WIDE_DIFFERENCE = 0.2
"""Difference in width between the N of NaN and a digit, in characters."""

_MAX_HEIGHT_SHARE = 0.7
"""Share of a cell's height that text can take before it touches the lines."""

_CACHED_TEXTS = 8192
"""Texts of all sizes together whose layout is kept: 1 KiB each."""


def is_vector(painter: QPainter) -> bool:
    """Return whether a painter records shapes: an image of pixels would be blurred when the picture is enlarged."""
    return painter.paintEngine().type() == QPaintEngine.Type.SVG


@lru_cache(maxsize=8192)  # every frame formats mostly the same numbers
def number_text(value: float, digits: int = 3) -> str:
    """Format a value: whole numbers without a point, others with `digits` significant digits."""
    number = float(value)
    if np.isnan(number):
        return "NaN"
    if np.isinf(number):
        return "∞" if number > 0 else "-∞"
    if number == int(number) and abs(number) < 1e7:
        return str(int(number))
    return f"{number:.{digits}g}"


def rounded_text(value: float) -> str:
    """Format a large number in thousands or millions, with three digits: 469k, 1.05M; empty for others."""
    number = float(value)
    if not 1e4 <= abs(number) < 1e9:
        return ""
    unit, size = ("k", 1e3) if abs(number) < 999_500 else ("M", 1e6)
    return f"{float(f'{number / size:.3g}'):g}{unit}"


@lru_cache(maxsize=8192)
def _digits(text: str) -> float:
    """Return the width of a number, in those of a digit."""
    return len(text) + _WIDE_DIFFERENCE * text.count("N") - _NARROW_DIFFERENCE * sum(map(text.count, ".-"))


def fitting_size(
    cell: float, texts: Iterable[str], across: float = 0.0, share: float = 0.46, *, bold: bool = True
) -> float:
    """Return the text height in pixels at which the widest number fits a cell, 0 if that is too small to read.

    `across` is the cell's width if it differs from its height; low cells get the smallest readable text.
    """
    widest = max(map(_digits, texts), default=1.0)
    high = max(cell * share, min(SMALLEST_TEXT, cell * _MAX_HEIGHT_SHARE))
    room = (across or cell) * 0.94 / max(1.0, widest)
    size = min(high, room / _WIDTH_PER_CHARACTER)
    if not bold and size < SMALLEST_TEXT <= min(high, room / _WIDTH_AT_REST):
        return SMALLEST_TEXT  # regular digits fit just so
    return size if size >= SMALLEST_TEXT else 0.0


def _font(family: str, size: int, bold: bool) -> QFont:
    font = QFont(family)
    font.setPixelSize(size)
    font.setBold(bold)
    return font


@lru_cache(maxsize=_CACHED_TEXTS)
def text_width(family: str, size: int, bold: bool, text: str) -> float:
    """Return the width of a text in pixels, in a font of whole pixels."""
    return QFontMetricsF(_font(family, size, bold)).horizontalAdvance(text)


# Qt's next outline of the same text may differ by parts of a pixel; two paintings of a scene are to be equal.
@lru_cache(maxsize=_CACHED_TEXTS)
def outline(family: str, size: int, bold: bool, text: str) -> QPainterPath:
    """Return the outline of a text centred on (0, 0), in a font of whole pixels."""
    font, path = _font(family, size, bold), QPainterPath()
    metrics = QFontMetricsF(font)
    left, baseline = -metrics.horizontalAdvance(text) / 2, metrics.ascent() - metrics.height() / 2
    path.addText(QPointF(left, baseline), font, text)
    return path


class TextPainter:
    """Painter of short texts centred on points; each distinct text is laid out once."""

    def __init__(self, family: str) -> None:
        self.family = family
        self._fonts: dict[tuple[int, bool], QFont] = {}
        self._texts: dict[tuple[int, bool], dict[str, _LaidOut]] = {}
        self._metrics: dict[tuple[int, bool], QFontMetricsF] = {}

    def font(self, size: float, bold: bool = False) -> QFont:
        """Return the font of a height in pixels."""
        key = (max(1, round(size)), bold)
        if key not in self._fonts:
            self._fonts[key] = _font(self.family, key[0], bold)
        return self._fonts[key]

    def width(self, text: str, size: float, bold: bool = False) -> float:
        """Width of a text in pixels."""
        return text_width(self.family, max(1, round(size)), bold, text)

    def outline(self, text: str, size: float, bold: bool = False) -> QPainterPath:
        """Return the outline of a text centred on (0, 0)."""
        return outline(self.family, max(1, round(size)), bold, text)

    def start(self, painter: QPainter, size: float, color: QColor, bold: bool = False) -> None:
        """Set font and colour for the `draw_centred` calls that follow."""
        painter.setFont(self.font(size, bold))
        painter.setPen(color)

    def draw_centred(self, painter: QPainter, x: float, y: float, text: str, size: float, bold: bool = False) -> None:
        """Draw a text centred on a point, with the font and colour of `start`."""
        self.draw_all_centred(painter, ((x, y),), (text,), size, bold)

    def draw_from(
        self, painter: QPainter, x: float, baseline: float, text: str, size: float, bold: bool = False
    ) -> None:
        """Draw a text that begins at x, with the font and colour of `start`."""
        metrics = self._metric(size, bold)
        y = baseline - metrics.ascent() + metrics.height() / 2
        self.draw_centred(painter, x + self.width(text, size, bold) / 2, y, text, size, bold)

    def draw_all_centred(
        self,
        painter: QPainter,
        places: Sequence[tuple[float, float]],
        texts: Sequence[str],
        size: float,
        bold: bool = False,
        *,
        measured: bool = False,
    ) -> None:
        """Draw texts centred on points (x, y), with the font and colour of `start`.

        `measured` asks for their exact extents where these matter, in a `TextLog`.
        """
        laid_out = self._texts.setdefault((max(1, round(size)), bold), {})
        draw = painter.drawStaticText
        for (x, y), text in zip(places, texts, strict=True):
            found = laid_out.get(text)
            if found is None:
                found = self._lay_out(painter, laid_out, text, size, bold)
            draw(QPointF(x - found[1], y - found[2]), found[0])

    def _metric(self, size: float, bold: bool) -> QFontMetricsF:
        key = (max(1, round(size)), bold)
        if key not in self._metrics:
            self._metrics[key] = QFontMetricsF(self.font(size, bold))
        return self._metrics[key]

    def _lay_out(
        self, painter: QPainter, laid_out: dict[str, _LaidOut], text: str, size: float, bold: bool
    ) -> _LaidOut:
        # A long run has ever new values, and each size of the window its sizes of text: without a limit the cache would
        # grow with every frame.
        if sum(map(len, self._texts.values())) > _CACHED_TEXTS:
            for texts in self._texts.values():
                texts.clear()
        static = QStaticText(text)
        static.setTextFormat(Qt.TextFormat.PlainText)
        # Lays the glyphs out once; QPainter.drawText would do so for every frame.
        static.prepare(painter.transform(), self.font(size, bold))
        extent = static.size()
        laid_out[text] = (static, extent.width() / 2, extent.height() / 2)
        return laid_out[text]
