"""A theme as Qt wants it: palette, style sheet, type size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from gui.theme import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

ThemeChoice = Literal["light", "dark", "system"]
BODY_PT: Final = 11.0

_SHEET: Final = """
QToolTip {{ background: {panel}; color: {text}; border: 1px solid {border}; padding: 4px; }}
QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {{ min-height: 24px; padding: 1px 6px; background: {panel};
    color: {text}; border: 1px solid {border}; border-radius: 4px; selection-background-color: {accent};
    selection-color: {accent_text}; }}
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus {{ border: 2px solid {accent};
    padding: 0px 5px; }}
QLineEdit[illegal="true"], QComboBox[illegal="true"] {{ border: 2px solid {hazard}; padding: 0px 5px; }}
QComboBox::drop-down {{ width: 22px; border: none; }}
QComboBox QAbstractItemView {{ background: {panel}; color: {text}; selection-background-color: {accent};
    selection-color: {accent_text}; border: 1px solid {border}; }}
QPushButton, QToolButton {{ min-height: 24px; padding: 2px 12px; background: {panel}; color: {text};
    border: 1px solid {border}; border-radius: 4px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {accent}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {accent}; padding: 1px 11px; }}
QPushButton:pressed, QToolButton:pressed {{ background: {inactive}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {muted}; background: {window}; }}
QPushButton:checked, QToolButton:checked {{ background: {accent}; color: {accent_text};
    border-color: {accent}; }}
QPushButton[primary="true"]:enabled {{ background: {accent}; color: {accent_text}; border-color: {accent};
    font-weight: bold; }}
QLabel[role="muted"] {{ color: {muted}; }}
QLabel[role="caption"] {{ color: {muted}; padding: 2px 0px; }}
QLabel[role="heading"] {{ font-weight: bold; }}
QLabel[role="warning"] {{ color: {warning}; }}
QFrame#notice {{ background: {panel}; border: 1px solid {border}; border-left: 5px solid {accent};
    border-radius: 4px; }}
QFrame#notice[kind="error"] {{ border-left-color: {hazard}; }}
QProgressBar {{ min-height: 20px; border: 1px solid {border}; border-radius: 4px; background: {panel};
    color: {text}; text-align: center; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QHeaderView::section {{ background: {window}; color: {text}; padding: 4px 6px; border: none;
    border-bottom: 1px solid {border}; font-weight: bold; }}
QTableView, QTreeView, QListView {{ background: {panel}; alternate-background-color: {window}; color: {text};
    border: 1px solid {border}; border-radius: 4px; gridline-color: {border}; }}
QSplitter::handle {{ background: {border}; }}
QSplitter::handle:vertical {{ height: 1px; margin: 3px 0px; }}
QSplitter::handle:horizontal {{ width: 1px; margin: 0px 3px; }}
"""


def system_is_dark() -> bool:
    """Whether the desktop prefers dark windows."""
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


def resolve(choice: ThemeChoice) -> Theme:
    """Turn the user's choice into colours."""
    dark = system_is_dark() if choice == "system" else choice == "dark"
    return DARK if dark else LIGHT


def palette(theme: Theme) -> QPalette:
    """Colours for every role that Fusion draws with."""
    made = QPalette()
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    for which, colour in (
        (role.Window, theme.window), (role.WindowText, theme.text), (role.Base, theme.panel),
        (role.AlternateBase, theme.window), (role.Text, theme.text), (role.Button, theme.panel),
        (role.ButtonText, theme.text), (role.ToolTipBase, theme.panel), (role.ToolTipText, theme.text),
        (role.Highlight, theme.accent), (role.HighlightedText, theme.accent_text), (role.Link, theme.accent),
        (role.PlaceholderText, theme.muted), (role.BrightText, theme.hazard), (role.Mid, theme.border),
        (role.Dark, theme.border), (role.Light, theme.panel), (role.Midlight, theme.inactive),
        (role.Accent, theme.accent),
    ):  # fmt: skip
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(group.Disabled, which, QColor(theme.muted))
    return made


def apply(application: QApplication, theme: Theme) -> None:
    """Dress the whole application; widgets that paint themselves have `set_theme` for it."""
    if application.style().objectName().lower() != "fusion":
        application.setStyle("Fusion")
    font = application.font()
    if font.pointSizeF() < BODY_PT:
        font.setPointSizeF(BODY_PT)
        application.setFont(font)
    application.setPalette(palette(theme))
    application.setStyleSheet(_SHEET.format_map({name: getattr(theme, name) for name in theme.__slots__}))
