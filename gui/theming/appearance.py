"""Appearance: theme and text size, chosen by the user or following the system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from gui.theming import style

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from gui.theming.style import ThemeChoice
    from gui.theming.theme import Contrast, PaletteChoice, Theme


class AppearanceSettings(Protocol):
    """Storage of the user's choices; `gui.shell.settings.Settings` implements it."""

    @property
    def theme(self) -> ThemeChoice:
        """Chosen theme."""

    @property
    def contrast(self) -> Contrast:
        """Chosen contrast."""

    @property
    def palette(self) -> PaletteChoice:
        """Chosen palette."""

    @property
    def text_pt(self) -> float | None:
        """Chosen text size in points; None for the system's."""

    def remember(self, name: str, value: Any) -> None:
        """Store one value."""


class Appearance(QObject):
    """Applies theme and text size to the application, and saves the user's choice.

    Parameters
    ----------
    settings : AppearanceSettings
    parent : QObject

    Signals
    -------
    appearance_changed(Theme)
        Theme or text size changed: what is in sight must be dressed, and widgets that paint themselves must apply it.
    """

    appearance_changed = Signal(object)

    def __init__(self, settings: AppearanceSettings, parent: QObject) -> None:
        super().__init__(parent)
        self._settings = settings
        self._application = cast("QApplication", QApplication.instance())
        self._usual_pt = max(style.TEXT_PT[0], self._application.font().pointSizeF())
        self.choice: ThemeChoice = settings.theme
        self.contrast: Contrast = settings.contrast
        self.palette: PaletteChoice = settings.palette
        if settings.text_pt is not None:
            style.set_text(self._application, settings.text_pt)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_desktop)

    @property
    def theme(self) -> Theme:
        """Present theme."""
        return style.resolve(self.choice, self.contrast, self.palette)

    @property
    def text_pt(self) -> float:
        """Present text size in points."""
        return self._application.font().pointSizeF()

    def set_theme(self, choice: ThemeChoice) -> None:
        """Apply light or dark colours, or those that the system prefers."""
        self.choice = choice
        style.apply(self._application, self.theme)
        self.appearance_changed.emit(self.theme)

    def dress(self, part: QWidget) -> None:
        """Set the style sheet of a part of the window, which its widgets and dialogs inherit.

        A sheet takes 0.05 ms for each widget. So parts have their own, and those out of sight can wait. Where there is
        a style sheet, Qt passes the application's font on when the sheet is set.
        """
        sheet = style.sheet(self.theme)
        part.setStyleSheet(sheet)
        if part.font().pointSizeF() != self.text_pt:
            # A part that is new in the window has the window's font, to which Qt does not pass a larger one on.
            part.setStyleSheet(sheet)
        # A part that is not polished under its first sheet would keep its rules after a second one, until it is shown.
        part.ensurePolished()

    def pick_theme(self, choice: ThemeChoice) -> None:
        """Apply a theme and save it for the next start."""
        self.set_theme(choice)
        self._settings.remember("theme", choice)

    def pick_contrast(self, contrast: Contrast) -> None:
        """Apply a contrast and save it for the next start."""
        self.contrast = contrast
        self.set_theme(self.choice)
        self._settings.remember("contrast", contrast)

    def pick_palette(self, palette: PaletteChoice) -> None:
        """Apply a palette and save it for the next start."""
        self.palette = palette
        self.set_theme(self.choice)
        self._settings.remember("palette", palette)

    def step_text(self, step: int) -> None:
        """Make all text larger (1), smaller (-1) or normal (0), and save it for the next start."""
        points = style.next_text(self._application.font().pointSizeF(), step) if step else self._usual_pt
        style.set_text(self._application, points)
        self.set_theme(self.choice)
        self._settings.remember("text_pt", points if step else "")

    def _follow_desktop(self) -> None:
        if self.choice == "system":
            self.set_theme("system")
