"""Colours and size of the text: what the user has chosen of them, and what follows the desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from gui.theming import style

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.shell.settings import Settings
    from gui.theming.style import ThemeChoice
    from gui.theming.theme import Theme


class Look(QObject):
    """Gives the application and its window their appearance, and remembers what is picked.

    Parameters
    ----------
    settings : Settings
    window : QWidget
        Takes the style sheet, and with it everything in it and every dialog above it.

    Signals
    -------
    changed(Theme)
        Other colours or another size: widgets that paint themselves take them over.
    """

    changed = Signal(object)

    def __init__(self, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._settings = settings
        self._window = window
        self._application = cast("QApplication", QApplication.instance())
        self._usual_pt = max(style.TEXT_PT[0], self._application.font().pointSizeF())
        self.choice: ThemeChoice = settings.theme
        if settings.text_pt is not None:
            style.set_text(self._application, settings.text_pt)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_desktop)

    @property
    def theme(self) -> Theme:
        """Present colours."""
        return style.resolve(self.choice)

    def set_theme(self, choice: ThemeChoice) -> None:
        """Dress everything in light, dark, or what the desktop prefers."""
        self.choice = choice
        style.apply(self._application, self.theme)
        # Where there is a style sheet, Qt passes the application's font on when the sheet is set.
        self._window.setStyleSheet(style.sheet(self.theme))
        self.changed.emit(self.theme)

    def pick_theme(self, choice: ThemeChoice) -> None:
        """Take over colours, also for the next start."""
        self.set_theme(choice)
        self._settings.remember("theme", choice)

    def step_text(self, step: int) -> None:
        """Make all text larger (1) or smaller (-1), or as the desktop has it (0), also for the next start."""
        points = style.next_text(self._application.font().pointSizeF(), step) if step else self._usual_pt
        style.set_text(self._application, points)
        self.set_theme(self.choice)
        self._settings.remember("text_pt", points if step else "")

    def _follow_desktop(self) -> None:
        if self.choice == "system":
            self.set_theme("system")
