"""Tabs of which only the one in front is dressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QTabWidget

from gui.theming import style

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.theming.theme import Theme


class LazyTabs(QTabWidget):
    """Tabs that get colours and text size when they are in front, the others when they come there.

    A style sheet takes 0.1 ms for each widget, and lays lists out anew. No sheet must be set on what contains these
    tabs: it would be set on all of them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme | None = None
        """Present theme; None before the first."""
        self._undressed: set[QWidget] = set()
        self.currentChanged.connect(self._dress_front)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and the text size."""
        self.theme = theme
        self._undressed = set(filter(None, map(self.widget, range(self.count()))))
        # Qt passes the application's palette and font on to no parent of widgets with a style sheet.
        self.setPalette(style.palette(theme))
        self.setFont(QApplication.font())
        self.tabBar().setStyleSheet(style.sheet(theme))
        self._dress_front()

    def dress(self, tab: QWidget, theme: Theme) -> None:
        """Set the style sheet of a tab; override to apply colours to what paints itself."""
        tab.setStyleSheet(style.sheet(theme))

    def _dress_front(self) -> None:
        tab = self.currentWidget()
        if self.theme is not None and tab in self._undressed:
            self._undressed.discard(tab)
            self.dress(tab, self.theme)
