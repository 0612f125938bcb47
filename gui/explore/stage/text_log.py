"""Texts that arrows cross, painted again over the arrows with a halo.

An arrow that cannot go around a number, an index or a heading passes behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPen

from gui.explore.stage.text_painter import TextPainter, is_vector
from gui.theming.style import ink_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QFont, QPainter, QPainterPath

_HALO: Final = 0.2
"""Width of a halo on each side of a letter, in heights of the text."""

_HALOS: Final = (1.5, 3.5)
"""Least and largest width of a halo on each side, pixels."""


_HALF_LETTER: Final = 0.33
"""Half the width of a letter, in heights of the text."""


class _Painted(NamedTuple):
    """Texts painted by one call."""

    centres: tuple[tuple[float, float], ...]
    texts: tuple[str, ...]
    size: float
    bold: bool
    color: QColor
    measured: bool
    """True if the width of each text matters; else it follows from the number of letters."""


class TextLog(TextPainter):
    """Text painter that remembers the texts of one picture; another one, which lasts longer, paints them."""

    def __init__(self, text_painter: TextPainter) -> None:
        super().__init__(text_painter.family)
        self._text_painter = text_painter
        self._painted: list[_Painted] = []

    def font(self, size: float, bold: bool = False) -> QFont:
        """Return the font of a height in pixels."""
        return self._text_painter.font(size, bold)

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
        """Draw texts centred on points (x, y), with the font and colour of `start`."""
        if texts:
            self._text_painter.draw_all_centred(painter, places, texts, size, bold)
            color, measured = painter.pen().color(), measured or len(texts) == 1
            self._painted.append(_Painted(tuple(places), tuple(texts), size, bold, color, measured))

    def inks(self) -> NDArray[np.float64]:
        """Return left, top, right and bottom edge of about what each text covers: [texts, 4]."""
        half, sizes = [], []
        for painted in self._painted:
            letter = painted.size * _HALF_LETTER
            half += [
                self.width(text, painted.size, painted.bold) / 2 if painted.measured else len(text) * letter
                for text in painted.texts
            ]
            sizes += [painted.size] * len(painted.texts)
        x, y = self._centres()
        wide, high = np.array(half), np.array(sizes) * 0.42
        return np.stack([x - wide, y - high, x + wide, y + high], axis=1)

    def _centres(self) -> NDArray[np.float64]:
        """Return x and y of the centres of all texts: [2, texts]."""
        found = [centre for painted in self._painted for centre in painted.centres]
        return np.array(found, np.float64).reshape(-1, 2).T

    def paint_crossed(self, painter: QPainter, paths: Sequence[QPainterPath]) -> None:
        """Paint the texts again that some areas cross."""
        for painted in list(self._crossed(paths)):
            self._paint_halo(painter, painted)
            if is_vector(painter):
                continue  # painted with its halo
            self.start(painter, painted.size, painted.color, painted.bold)
            self._text_painter.draw_all_centred(painter, *painted[:4])

    def _crossed(self, paths: Sequence[QPainterPath]) -> Iterator[_Painted]:
        """Yield each text that an area crosses, once for each of the areas."""
        if not paths or not self._painted:
            return
        counts = [len(painted.texts) for painted in self._painted]
        # Edges of areas, [areas, 1], and of at least what texts cover.
        left, top, right, bottom = np.array([path.boundingRect().getCoords() for path in paths]).T[:, :, None]
        x, y = self._centres()
        wide = np.repeat([max(map(len, painted.texts)) * painted.size for painted in self._painted], counts)
        high = np.repeat([painted.size for painted in self._painted], counts)
        near = (x + wide > left) & (x - wide < right) & (y + high > top) & (y - high < bottom)
        areas, texts = np.nonzero(near)
        calls, first = np.repeat(np.arange(len(counts)), counts)[texts], np.cumsum([0, *counts])
        order = np.lexsort((texts, areas, calls))
        for path, call, text in np.stack([areas, calls, texts - first[calls]], axis=1)[order].tolist():
            painted = self._painted[call]
            centre, words = painted.centres[text], painted.texts[text]
            if paths[path].intersects(self._ink(centre, words, painted)):
                yield painted._replace(centres=(centre,), texts=(words,))

    def _ink(self, centre: tuple[float, float], text: str, painted: _Painted) -> QRectF:
        # Letters may be wider than their advance, and brackets higher than the text.
        half, high = self.width(text, painted.size, painted.bold) / 2 + 1, painted.size / 2 + 1
        return QRectF(centre[0] - half, centre[1] - high, 2 * half, 2 * high)

    def _paint_halo(self, painter: QPainter, painted: _Painted) -> None:
        least, most = _HALOS
        width = 2 * max(least, min(most, painted.size * _HALO))
        if is_vector(painter):  # the halo of a text, not of outlines: another font may replace this one
            painter.setBrush(ink_on(painted.color))
            painter.setFont(self.font(painted.size, painted.bold))
            painter.setPen(QPen(painted.color, width))
            painter.drawText(QPointF(*painted.centres[0]) + self._baseline(painted), painted.texts[0])
            return
        letters = self._text_painter.outline(painted.texts[0], painted.size, painted.bold)
        pen = QPen(ink_on(painted.color), width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(letters.translated(*painted.centres[0]), pen)

    def _baseline(self, painted: _Painted) -> QPointF:
        """Return where a text begins, from its centre."""
        metrics = QFontMetricsF(self.font(painted.size, painted.bold))
        return QPointF(-metrics.horizontalAdvance(painted.texts[0]) / 2, metrics.ascent() - metrics.height() / 2)
