"""Texts that arrows cross, painted again over the arrows with a halo.

An arrow that cannot go around a number, an index or a heading passes behind it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from gui.explore.stage.text_painter import TextPainter, is_vector, outline
from gui.theming.style import ink_on

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from PySide6.QtGui import QFont, QPainterPath

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


def _halo_pen(color: str, width: float) -> QPen:
    pen = QPen(QColor(color), width)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    return pen


@lru_cache(maxsize=64)  # several arrows cross one heading, in each step: to fill a halo takes milliseconds
def _halo(text: tuple[str, int, bool, str], color: str, width: float, x: float, y: float) -> tuple[QImage, int, int]:
    """Return the picture of a halo around a text centred on (x, y), and its left and upper edge."""
    path = outline(*text).translated(x, y)
    edge = path.boundingRect().toAlignedRect().adjusted(*(round(side * (width + 1)) for side in (-1, -1, 1, 1)))
    image = QImage(edge.size(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(-edge.topLeft())
    painter.strokePath(path, _halo_pen(color, width))
    painter.end()
    return image, edge.x(), edge.y()


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
        color, (x, y) = ink_on(painted.color).name(), painted.centres[0]
        if painter.deviceTransform().isIdentity():
            text = self.family, max(1, round(painted.size)), painted.bold, painted.texts[0]
            image, left, top = _halo(text, color, width, x % 1, y % 1)
            painter.drawImage(int(x // 1) + left, int(y // 1) + top, image)
        else:
            painter.strokePath(letters.translated(x, y), _halo_pen(color, width))

    def _baseline(self, painted: _Painted) -> QPointF:
        """Return where a text begins, from its centre."""
        metrics = QFontMetricsF(self.font(painted.size, painted.bold))
        return QPointF(-metrics.horizontalAdvance(painted.texts[0]) / 2, metrics.ascent() - metrics.height() / 2)
