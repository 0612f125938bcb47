"""Move a widget to another window for a while, and put it back where it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QSplitter, QWidget
from shiboken6 import delete

if TYPE_CHECKING:
    from collections.abc import Callable


class Borrowed:
    """A widget taken out of its splitter or layout, and shown elsewhere if it was shown.

    Parameters
    ----------
    widget : QWidget
    put : callable
        Puts the widget into its other place.
    keep_place : bool
        True to keep its size free where it was; else others take the room meanwhile.
    """

    def __init__(self, widget: QWidget, put: Callable[[QWidget], object], *, keep_place: bool = True) -> None:
        self._widget, hidden = widget, widget.isHidden()
        self._place = QWidget()
        self._place.setSizePolicy(widget.sizePolicy())
        self._place.setMinimumSize(widget.minimumSizeHint().expandedTo(widget.minimumSize()))
        self._place.setMaximumSize(widget.maximumSize())
        _replace(widget, self._place)
        self._place.setVisible(keep_place and not hidden)
        put(widget)
        widget.setVisible(not hidden)

    def give_back(self) -> None:
        """Put the widget back."""
        hidden = self._widget.isHidden()
        _replace(self._place, self._widget)
        self._place.deleteLater()
        self._widget.setVisible(not hidden)


def _replace(widget: QWidget, other: QWidget) -> None:
    parent = widget.parentWidget()
    if isinstance(parent, QSplitter):
        sizes = parent.sizes()
        parent.replaceWidget(parent.indexOf(widget), other)
        parent.setSizes(sizes)
        return
    layout = parent.layout() if parent is not None else None
    if layout is not None:
        other.setParent(parent)
        item = layout.replaceWidget(widget, other)
        if item is not None:
            # A widget tells only the first of its items that its size has changed: the next one would keep its height.
            delete(item)
