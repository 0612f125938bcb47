"""Texts of an array's cells: digits and font sizes that fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gui.explore.painting.text_painter import fitting_size, number_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gui.explore.scene.boxes import Raster
    from gui.explore.scene.scene import Cells

_LEFT_OUT: Final = "…"
_POINTER: Final = "→"
_MOST: Final = 0.75
"""Of a member's values that must fit, if the others are to be left out."""


def cell_texts(cells: Cells, raster: Raster) -> tuple[list[list[str]], list[float]]:
    """Return the text of every value and its font size in pixels, 0 where no digits fit.

    All columns have one size, except those of structs: each member has its own, and a few values too long for
    it are left out. A pointer is an arrow.
    """
    columns, members = cells.values.shape[1], len(set(cells.view.heads))
    texts, sizes = [[""]] * columns, [0.0] * columns
    for member in range(members or 1):
        part = slice(member, None, members or 1)
        values: list[list[float | str]] = cells.values[:, part].T.tolist()
        if cells.view.members is not None and cells.view.members.pointer(member):
            values = [[_POINTER if value else "0" for value in column] for column in values]
        texts[part], size = _written(values, raster, some=members > 0)
        sizes[part] = [size] * len(values)
    return texts, sizes


def _written(values: list[list[float | str]], raster: Raster, *, some: bool) -> tuple[list[list[str]], float]:
    """Write columns in one size with as many digits as fit; with `some`, values that do not fit are left out."""
    texts: list[list[str]] = []
    for digits in (3, 2):
        texts = [[v if isinstance(v, str) else number_text(v, digits) for v in column] for column in values]
        size = fitting_size(raster.cell, (text for column in texts for text in column), raster.across)
        if size:
            return texts, size
    fits = {text: bool(fitting_size(raster.cell, [text], raster.across)) for column in texts for text in column}
    count = sum(fits[text] for column in texts for text in column)
    if not some or count < _MOST * sum(map(len, texts)):
        return texts, 0.0
    texts = [[text if fits[text] else _LEFT_OUT for text in column] for column in texts]
    return texts, fitting_size(raster.cell, (text for column in texts for text in column), raster.across)


def by_size(at: list[tuple[int, int]], sizes: list[float]) -> Iterator[tuple[float, list[tuple[int, int]]]]:
    """Yield (size, cells) for each font size above 0."""
    for size in sorted(set(sizes) - {0.0}):
        if chosen := [(r, c) for r, c in at if sizes[c] == size]:
            yield size, chosen
