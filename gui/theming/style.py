"""Qt style of a theme: palette, style sheet, text size."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from gui.theming.theme import Contrast, PaletteChoice, Theme, theme_of
from kernels import RESOURCES

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

ThemeChoice = Literal["light", "dark", "system"]
TEXT_PT: Final = (11.0, 12.5, 14.0, 16.0, 18.0, 20.0)
"""Text sizes in points; the smallest is the normal one, larger ones are for projectors."""

_SMALL: Final = 0.88
"""Text size of narrow bars, in text sizes of the application."""
SMALL_PT: Final = 15.0
"""Largest text size of narrow bars, in points."""

_SELECTED: Final = 0.14
"""Share of the accent in the ground of a quiet button that is checked."""

_SHEET: Final = """
QToolTip {{ background: {panel}; color: {text}; border: 1px solid {border}; padding: 4px; }}
QLineEdit {{ min-height: 22px; padding: 1px 4px; background: {panel}; border: 1px solid {muted};
    border-radius: 3px; selection-background-color: {accent}; selection-color: {accent_text}; }}
QLineEdit:focus {{ border: 2px solid {accent}; padding: 0px 3px; }}
QLineEdit:disabled {{ color: {muted}; background: {window}; border-color: {border}; }}
QCheckBox::indicator, QTreeView::indicator, QListView::indicator {{ width: 14px; height: 14px; background: {panel};
    border: 1px solid {muted}; border-radius: 3px; }}
QCheckBox::indicator:indeterminate {{ background: {inactive}; border: 2px solid {accent}; }}
QCheckBox::indicator:checked, QTreeView::indicator:checked, QListView::indicator:checked {{
    background: {accent}; border-color: {accent};
    image: url("{check}"); }}
QCheckBox::indicator:disabled, QTreeView::indicator:disabled {{ background: {inactive};
    border-color: {border}; }}
QLineEdit[illegal="true"] {{ color: {hazard}; border: 2px solid {hazard}; padding: 0px 3px; }}
QComboBox[illegal="true"] {{ color: {hazard}; background: {panel}; border: 2px solid {hazard}; border-radius: 3px; }}
QPushButton, QToolButton {{ min-height: 24px; padding: 2px 12px; background: {panel}; color: {text};
    border: 1px solid {border}; border-radius: 4px; }}
QTabBar QToolButton {{ min-height: 0px; padding: 0px; }}
QToolButton[symbol="true"] {{ padding: 2px 6px; }}
QPushButton[narrow="true"], QToolButton[narrow="true"] {{ min-height: 16px; padding: 1px 5px; font-size: {small}pt; }}
QLabel[narrow="true"] {{ font-size: {small}pt; }}
QFileDialog QToolButton {{ padding: 2px 4px; }}
QFileDialog QToolButton:focus {{ padding: 1px 3px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {accent}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {accent}; padding: 1px 11px; }}
QPushButton:pressed, QToolButton:pressed {{ background: {inactive}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {muted}; background: {window}; }}
QPushButton:checked, QToolButton:checked {{ background: {accent}; color: {accent_text};
    border-color: {accent}; }}
QPushButton[primary="true"]:enabled {{ background: {accent}; color: {accent_text}; border-color: {accent};
    font-weight: bold; }}
QAbstractButton[look="tab"] {{ border: none; border-bottom: 3px solid transparent; border-radius: 0px;
    background: transparent; padding: 5px 8px 2px 8px; }}
QAbstractButton[look="tab"]:checked {{ color: {accent}; background: transparent; border-bottom-color: {accent}; }}
QAbstractButton[look="link"] {{ border: 1px solid transparent; background: transparent; color: {accent};
    padding: 2px 8px; font-weight: bold; }}
QAbstractButton[look="link"]::menu-indicator, QAbstractButton[look="stage"]::menu-indicator {{ image: none; }}
QAbstractButton[look="link"]:hover {{ border-color: {accent}; }}
QAbstractButton[look="stage"] {{ min-height: 20px; padding: 1px 9px; color: {muted}; background: {panel};
    border: 1px solid {border}; border-radius: 4px; font-size: {small}pt; }}
QAbstractButton[look="stage"][part="first"] {{ border-top-right-radius: 0px; border-bottom-right-radius: 0px; }}
QAbstractButton[look="stage"][part="inner"] {{ border-radius: 0px; border-left: none; }}
QAbstractButton[look="stage"][part="last"] {{ border-left: none; border-top-left-radius: 0px;
    border-bottom-left-radius: 0px; }}
QAbstractButton[look="stage"][part="pill"] {{ border-radius: 11px; padding: 1px 11px; }}
QAbstractButton[look="stage"][symbol="true"] {{ border-color: transparent; background: transparent; padding: 2px 5px; }}
QAbstractButton[look="stage"]:hover {{ color: {text}; border-color: {accent}; }}
QAbstractButton[look="stage"]:checked {{ color: {accent}; background: {selected}; border-color: {accent}; }}
QAbstractButton[look]:focus {{ border: 2px solid {accent}; }}
QWidget[look="paper"] {{ background: {panel}; }}
QLabel[role="muted"] {{ color: {muted}; }}
QLabel[role="caption"] {{ color: {muted}; padding: 2px 0px; }}
QLabel[role="heading"] {{ font-weight: bold; }}
QLabel[role="warning"] {{ color: {warning}; }}
QScrollBar {{ background: {window}; width: 14px; height: 14px; }}
QScrollBar::handle {{ background: {muted}; border: 4px solid {window}; min-width: 28px; min-height: 28px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0px; height: 0px; }}
QAbstractScrollArea::corner {{ background: {window}; border: none; }}
QTableView::item {{ padding: 3px 4px; }}
QHeaderView::section {{ padding: 3px 4px; background: {window}; color: {text}; border: none;
    border-bottom: 1px solid {border}; }}
QGroupBox[frameless="true"] {{ border: none; margin: 0px; padding: 0px; }}
QFrame#panel {{ background: {panel}; border: 2px solid {accent}; border-radius: 6px; }}
QFrame#notice {{ background: {panel}; border: 1px solid {border}; border-left: 5px solid {accent};
    border-radius: 4px; }}
QFrame#notice[kind="error"] {{ border-left-color: {hazard}; }}
"""
"""Scroll bars are flat: Qt paints shades of high areas in threads, and the window waits for these."""

_HIGH_CONTRAST: Final = """
QComboBox {{ min-height: 22px; padding: 1px 6px; background: {panel}; border: 1px solid {border}; border-radius: 3px; }}
QComboBox:focus {{ border: 2px solid {accent}; padding: 0px 5px; }}
QComboBox::drop-down {{ border: none; width: 20px; }}
QComboBox::down-arrow {{ width: 12px; height: 12px; image: url("{down}"); }}
QAbstractSpinBox {{ min-height: 22px; background: {panel}; border: 1px solid {border}; border-radius: 3px; }}
QAbstractSpinBox:focus {{ border: 2px solid {accent}; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: none; width: 16px; }}
QAbstractSpinBox::up-arrow {{ width: 10px; height: 10px; image: url("{up}"); }}
QAbstractSpinBox::down-arrow {{ width: 10px; height: 10px; image: url("{down}"); }}
QComboBox QLineEdit {{ min-height: 0px; padding: 0px; border: none; }}
QPlainTextEdit, QTextBrowser, QTableView, QTreeView, QListView, QMenu {{ border: 1px solid {border}; }}
QTabBar::tab {{ padding: 4px 12px; border: 1px solid {border}; }}
QTabBar::tab:selected {{ background: {accent}; color: {accent_text}; }}
"""
"""Borders that Fusion draws in a shade of the window's colour."""


def system_is_dark() -> bool:
    """Return whether the system prefers dark windows."""
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def resolve(choice: ThemeChoice, contrast: Contrast = "normal", palette: PaletteChoice = "okabe-ito") -> Theme:
    """Return the theme of the user's choices."""
    dark = system_is_dark() if choice == "system" else choice == "dark"
    return theme_of(dark=dark, contrast=contrast, palette=palette)


@lru_cache(maxsize=1024)
def mix(color: str, other: str, share: float) -> QColor:
    """Blend two #rrggbb colours; share 0 is the first, 1 the second."""
    a, b = QColor(color), QColor(other)
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x + (y - x) * share) for x, y in pairs))


def ink_on(color: QColor) -> QColor:
    """Return black or white for text on a colour, by higher contrast (relative luminance, WCAG 2.1)."""
    parts = (color.redF(), color.greenF(), color.blueF())
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return QColor("#0d0f12") if luminance > 0.18 else QColor("#ffffff")


def palette(theme: Theme) -> QPalette:
    """Return a palette with a colour for every role that Fusion uses."""
    made = QPalette()
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    for which, colour in (
        (role.Window, theme.window),
        (role.WindowText, theme.text),
        (role.Base, theme.panel),
        (role.AlternateBase, theme.window),
        (role.Text, theme.text),
        (role.Button, theme.panel),
        (role.ButtonText, theme.text),
        (role.ToolTipBase, theme.panel),
        (role.ToolTipText, theme.text),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.accent_text),
        (role.Link, theme.accent),
        (role.PlaceholderText, theme.muted),
        (role.BrightText, theme.hazard),
        (role.Mid, theme.border),
        (role.Dark, theme.border),
        (role.Light, theme.panel),
        (role.Midlight, theme.inactive),
        (role.Accent, theme.accent),
    ):
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(group.Disabled, which, QColor(theme.muted))
    return made


def apply(application: QApplication, theme: Theme) -> None:
    """Set style and palette of the application; windows also need `sheet`, self-painting widgets `set_theme`."""
    if application.style().objectName().lower() != "fusion":
        application.setStyle("Fusion")
    if application.font().pointSizeF() < TEXT_PT[0]:
        set_text(application, TEXT_PT[0])
    application.setPalette(palette(theme))


def sheet(theme: Theme) -> str:
    """Return the style sheet of a window.

    It is set on a window, not on the application, where Qt would polish every widget several times.
    """

    def icon(name: str) -> str:
        # A tick is drawn on the accent, an arrow on the panel.
        black = theme.dark == (name == "check")
        return (RESOURCES / "icons" / f"{name}_{'black' if black else 'white'}.svg").as_posix()

    small = min(QGuiApplication.font().pointSizeF() * _SMALL, SMALL_PT)
    icons = {name: icon(name) for name in ("check", "down", "up")}
    selected = mix(theme.panel, theme.accent, _SELECTED).name()
    text = _SHEET + _HIGH_CONTRAST * (theme.contrast == "high")
    return text.format(**asdict(theme), **icons, small=f"{small:.1f}", selected=selected)


def set_text(application: QApplication, points: float) -> None:
    """Set the application's text size; widgets with their own size follow with the theme."""
    font = application.font()
    font.setPointSizeF(points)
    application.setFont(font)


def next_text(points: float, step: int) -> float:
    """Return the size `step` positions up or down from the one nearest to `points`, within the list."""
    near = min(range(len(TEXT_PT)), key=lambda place: abs(TEXT_PT[place] - points))
    return TEXT_PT[min(max(near + step, 0), len(TEXT_PT) - 1)]
